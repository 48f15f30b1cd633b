#!/bin/sh
# The manual of HTML: made of the same sources twice it has the same bytes; all links lead somewhere; every public name, every
# verb and every document is in it.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'make docs, in another folder with the same bytes'
make_here docs || case_fail 'make docs'
(umask 077 && LC_ALL=C TZ=Asia/Tokyo tools/package/html.sh "$KILN" "$("$KILN" --version | sed 's/kiln //')" "$KILN_BUILD/man" "$TMPDIR/again") ||
    case_fail 'html.sh'
diff -r "$KILN_BUILD/docs" "$TMPDIR/again" >"$TMPDIR/out" || case_fail "$(head -5 "$TMPDIR/out")"
case_end

case_begin 'links, names, elements'
/usr/bin/python3 tests/check_manual.py "$KILN_BUILD/docs" >"$TMPDIR/out" || case_fail "$(head -20 "$TMPDIR/out")"
grep -qE '^[1-9][0-9]{2,} pages, [1-9][0-9]{3,} links$' "$TMPDIR/out" || case_fail 'too few pages'
case_end

case_begin 'a broken link is found'
cp -R "$KILN_BUILD/docs" "$TMPDIR/broken" && rm "$TMPDIR/broken/man/kiln_open.3.html" "$TMPDIR/broken/style.css"
sed -i 's/id="Build"/id="other"/; s/<\/main>/<script src="x.js"><\/script>&/' "$TMPDIR/broken/README.html"
expect 1 /usr/bin/python3 tests/check_manual.py "$TMPDIR/broken"
says out 'api.html: no such page: man/kiln_open.3.html'
says out 'README.html: no such page: style.css'
says out 'README.html: is more than a page: script'
case_end

case_begin 'every public call, type, constant, verb and document has a place'
nm -D --defined-only "$KILN_BUILD/libkiln.so" | awk '{ print $3 }' >"$TMPDIR/names"
cat runtime/kiln*.h tools/kiln_bake.h >"$TMPDIR/headers"
sed -n 's/^} \(kiln_[a-z0-9_]*\);.*/\1/p; s/^typedef struct [a-z_]* \(kiln_[a-z0-9_]*\);.*/\1/p' "$TMPDIR/headers" >>"$TMPDIR/names"
grep -oE '\(KILN_ERROR_[A-Z_]+' "$TMPDIR/headers" | tr -d '(' >>"$TMPDIR/names"
grep -oE '^    KILN_[A-Z0-9_]+ = ' "$TMPDIR/headers" | tr -d ' =' >>"$TMPDIR/names"
[ "$(wc -l <"$TMPDIR/names")" -gt 250 ] || case_fail 'too few names'
sort -u "$TMPDIR/names" | while read -r name; do
    grep -q "#$name\">$name</a>" "$KILN_BUILD/docs/api.html" || case_fail "$name is not in api.html"
done
"$KILN" --man | sed -n 's/^\.BR kiln\\-\(.*\) (1)$/\1/p' | sed 's/\\-/-/g' | while read -r verb; do
    grep -q "kiln-$verb(1)" "$KILN_BUILD/docs/commands.html" || case_fail "no verb $verb"
done
find README.md CHANGELOG.md formats lut models runtime tests tools -name '*.md' | while read -r document; do
    [ -s "$KILN_BUILD/docs/${document%.md}.html" ] || case_fail "no $document"
done
case_end

case_begin 'make install-docs and uninstall'
make_here "PREFIX=$TMPDIR/usr" install-docs || case_fail 'install-docs'
cmp "$KILN_BUILD/docs/index.html" "$TMPDIR/usr/share/doc/kiln/html/index.html" || case_fail 'not installed'
make_here "PREFIX=$TMPDIR/usr" uninstall || case_fail 'uninstall'
[ ! -e "$TMPDIR/usr/share/doc/kiln" ] || case_fail 'something is left'
case_end

cases_end
