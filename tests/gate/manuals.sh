#!/bin/sh
# The manual pages are what mandoc and groff have nothing to say against, and the tools that make them
# leave nothing of a document out.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'make man'
make_here man || case_fail 'make man'
pages=$(grep -L '^\.so ' "$KILN_BUILD"/man/*.[0-9])
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
    # Code is not filled: what is wider than 80 columns is cut, or wraps, in a terminal.
    mandoc -T ascii -O width=80 "$page" | sed -e 's/.\x08//g' | awk 'length > 80' >"$TMPDIR/wide"
    [ ! -s "$TMPDIR/wide" ] || case_fail "wider than 80 columns: $(cat "$TMPDIR/wide")"
    # Their code is run by pages.sh.
    case $page in *.[13])
        for heading in EXAMPLES BUGS; do
            sed -n "/^\.SH $heading\$/{n;p;}" "$page" | grep -q '^[^.]' || case_fail "no $heading; see tools/package/README.md"
        done ;;
    esac
    case_end
done

# words FILE: one a line, sorted, of four letters and more.
words() {
    grep -oE '[A-Za-z_]{4,}' "$1" | sort -u
}

as_text() { # as_text PAGE: rendered on one long line a paragraph
    mandoc -T ascii -O width=1000 "$1" | sed -e 's/.\x08//g'
}

# By what the libraries export, not by the headers, which are what the pages are made of.
case_begin 'a page for each function, which names and declares it'
nm -D --defined-only "$KILN_BUILD/libkiln.so" | awk '{ print $3 }' >"$TMPDIR/functions"
nm "$KILN_BUILD/libkilnbake.a" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u >"$TMPDIR/bake"
grep -oE '\bkiln_[a-z0-9_]+\(' tools/kiln_bake.h | tr -d '(' | sort -u | comm -12 - "$TMPDIR/bake" >>"$TMPDIR/functions"
[ "$(wc -l <"$TMPDIR/functions")" -gt 60 ] || case_fail 'too few functions'
while read -r name; do
    page=$KILN_BUILD/man/$name.3
    [ -e "$page" ] || { case_fail "no $name(3)"; continue; }
    link=$(sed -n 's/^\.so man3\///p' "$page")
    [ -z "$link" ] || page=$KILN_BUILD/man/$link
    sed -n '/^\.SH NAME/,/^\.SH SYN/p' "$page" | grep -qE "^$name( |,|\$)" || case_fail "$name is no name of $page"
    sed -n '/^\.SH SYN/,/^\.SH DESC/p' "$page" | grep -qF " $name(" ||
        sed -n '/^\.SH SYN/,/^\.SH DESC/p' "$page" | grep -qF "*$name(" || case_fail "$page does not declare $name"
    for heading in DESCRIPTION 'RETURN VALUE' ERRORS THREADS 'SEE ALSO'; do
        grep -qx "\.SH $heading" "$page" || case_fail "$page has no $heading"
    done
done <"$TMPDIR/functions"
case_end

case_begin 'nothing else is a page of section 3'
for page in "$KILN_BUILD"/man/*.3; do
    name=$(basename "$page" .3)
    [ -e "runtime/$name.h" ] || grep -qx "$name" "$TMPDIR/functions" || case_fail "$name"
done
case_end

# Pages are made of the headers alone, so a word that is missing was lost on the way.
case_begin 'pages of section 3 have every word of the headers'
for page in $pages; do
    case $page in *.3) as_text "$page" ;; esac
done >"$TMPDIR/section3"
words "$TMPDIR/section3" >"$TMPDIR/there"
{
    sed -e '/^#/d' -e '/^extern/d' -e '/^\/\* -----/d' runtime/kiln*.h tools/kiln_bake.h
    grep -ohE 'KILN_[A-Z0-9_]+' runtime/kiln*.h tools/kiln_bake.h
} | grep -vxE 'KILN_([A-Z]+_)?H|KILN_SHARED|KILN_API' | sed 's/^KILN_API//' >"$TMPDIR/headers"
words "$TMPDIR/headers" >"$TMPDIR/wanted"
[ "$(wc -l <"$TMPDIR/wanted")" -gt 1000 ] || case_fail 'too few words'
missing=$(comm -23 "$TMPDIR/wanted" "$TMPDIR/there")
[ -z "$missing" ] || case_fail "missing: $missing"
case_end

case_begin 'kiln-format(5) has every word of the specification'
as_text "$KILN_BUILD/man/kiln-format.5" | tr 'A-Z' 'a-z' >"$TMPDIR/kiln-format.5"
sed '/^<!--/d' formats/hierarchy.md formats/bins.md formats/axes.md | tr 'A-Z' 'a-z' >"$TMPDIR/spec"
words "$TMPDIR/spec" >"$TMPDIR/wanted"
words "$TMPDIR/kiln-format.5" >"$TMPDIR/there"
missing=$(comm -23 "$TMPDIR/wanted" "$TMPDIR/there")
[ -z "$missing" ] || case_fail "missing: $missing"
case_end

cases_end
