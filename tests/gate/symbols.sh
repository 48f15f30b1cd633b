#!/bin/sh
# libkiln.so exports what the public headers declare, all of it, and nothing else; its name carries the version.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

library=$KILN_BUILD/libkiln.so

case_begin 'exports are the functions of the public headers'
nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$TMPDIR/exported"
sed -n 's/^KILN_API .*[ *]\(kiln_[a-z0-9_]*\)(.*/\1/p' runtime/kiln*.h | sort >"$TMPDIR/declared"
[ -s "$TMPDIR/declared" ] || case_fail 'no declarations found'
diff "$TMPDIR/declared" "$TMPDIR/exported" || case_fail 'differ'
case_end

case_begin 'the Debian package lists them'
sed -n 's/^ \(kiln_[a-z0-9_]*\)@Base @VERSION@$/\1/p' tools/package/debian/libkiln0.symbols.in >"$TMPDIR/listed"
LC_ALL=C sort "$TMPDIR/exported" | diff "$TMPDIR/listed" - || case_fail 'differ'
case_end

case_begin 'soname'
readelf -d "$library" | grep -q 'SONAME.*\[libkiln\.so\.0\]' || case_fail 'not libkiln.so.0'
case_end

case_begin 'needs libc, libm and libz only'
readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' >"$TMPDIR/needed"
grep -q '^libz\.so' "$TMPDIR/needed" || case_fail 'not even libz'
grep -Ev '^(libc|libm|libz)\.so|^ld-linux' "$TMPDIR/needed" && case_fail 'needs more'
case_end

case_begin 'the command does not load what only importers need'
readelf -d "$KILN" "$KILN_BUILD/libexec/kiln/kiln-import" | grep -E 'NEEDED.*(assimp|draco|stdc)' && case_fail 'Assimp or Draco'
readelf -d "$KILN" | grep 'NEEDED.*seccomp' && case_fail 'libseccomp'
case_end

cases_end
