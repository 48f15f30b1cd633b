#!/bin/sh
# The manual pages are what mandoc and groff have nothing to say against, and the tools that make them
# leave nothing of a document out.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'make man'
make -s "BUILD=$KILN_BUILD" man || case_fail 'make man'
pages=$(echo "$KILN_BUILD"/man/*.[0-9])
for page in kiln.1 kiln-bake.1 kiln.3 kiln_bake.3 kiln-format.5; do
    [ -s "$KILN_BUILD/man/$page" ] || case_fail "no $page"
done
case_end

for page in $pages; do
    case_begin "${page##*/}"
    # A date would change the bytes of a build.
    mandoc -T lint -W warning "$page" | grep -v 'missing date' >"$TMPDIR/lint"
    # Tables with long words have lines that can't be filled.
    groff -t -man -ww -W break -z -T utf8 "$page" >>"$TMPDIR/lint" 2>&1
    [ ! -s "$TMPDIR/lint" ] || case_fail "$(cat "$TMPDIR/lint")"
    case_end
done

# words FILE: one a line, sorted, of four letters and more.
words() {
    grep -oE '[A-Za-z_]{4,}' "$1" | sort -u
}

as_text() { # as_text PAGE: rendered on one long line a paragraph
    mandoc -T ascii -O width=1000 "$1" | sed -e 's/.\x08//g'
}

case_begin 'kiln(3) has every function and type of kiln.h'
as_text "$KILN_BUILD/man/kiln.3" >"$TMPDIR/kiln.3"
grep -oE '\bkiln_[a-z0-9_]+|KILN_[A-Z0-9_]+' runtime/kiln.h | sort -u |
    grep -vxE 'KILN_H|KILN_SHARED|KILN_API' >"$TMPDIR/wanted"
[ "$(wc -l <"$TMPDIR/wanted")" -gt 150 ] || case_fail 'too few names'
grep -oE '\bkiln_[a-z0-9_]+|KILN_[A-Z0-9_]+' "$TMPDIR/kiln.3" | sort -u >"$TMPDIR/there"
missing=$(comm -23 "$TMPDIR/wanted" "$TMPDIR/there")
[ -z "$missing" ] || case_fail "missing: $missing"
case_end

case_begin 'kiln-format(5) has every word of the specification'
as_text "$KILN_BUILD/man/kiln-format.5" | tr 'A-Z' 'a-z' >"$TMPDIR/kiln-format.5"
sed '/^<!--/d' formats/hierarchy.md formats/bins.md | tr 'A-Z' 'a-z' >"$TMPDIR/spec"
words "$TMPDIR/spec" >"$TMPDIR/wanted"
words "$TMPDIR/kiln-format.5" >"$TMPDIR/there"
missing=$(comm -23 "$TMPDIR/wanted" "$TMPDIR/there")
[ -z "$missing" ] || case_fail "missing: $missing"
case_end

cases_end
