#!/bin/sh
# Pages of kiln view: what they are as bytes, and in a browser, whose mouse and keys a program moves.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)
tiny=$top/models/tiny

# Names that end elements, begin them or steer texts; a face without area, one that is not finite.
cat >"$TMPDIR/bad.mtl" <<'END'
newmtl </script><script>hacked=1</script>
newmtl &lt;"'`\u003c
END
cat >"$TMPDIR/bad.obj" <<'END'
mtllib bad.mtl
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
v nan 0 0
v .5 0 0
o <img src=x onerror=hacked=1>
usemtl </script><script>hacked=1</script>
f 1 3 2
f 1 2 4
o <!--<script>
usemtl &lt;"'`\u003c
f 2 3 4
f 1 4 3
f 1 2 6
f 1 2 5
END
bad="$TMPDIR/<b>&.kiln"
"$KILN" bake -q --on-bad drop --bv obb,sphere,dop14,octree,aabb2 "$TMPDIR/bad.obj" -o "$bad" || exit 1
"$KILN_BUILD/release/models/shapes" knot 3000 "$TMPDIR/knot.ply" &&
    "$KILN_BUILD/release/models/shapes" torus 2000 "$TMPDIR/torus.ply" &&
    "$KILN" bake -q "$TMPDIR/knot.ply" "$TMPDIR/torus.ply" -o "$TMPDIR" || exit 1
a=$TMPDIR/knot.kiln b=$TMPDIR/torus.kiln

case_begin 'the same files give the same page, wherever they are'
expect 0 "$KILN" view "$a" "$b" -o "$TMPDIR/two.html"
mkdir "$TMPDIR/other" && cp "$a" "$b" "$TMPDIR/other"
(cd "$TMPDIR/other" && TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$KILN" view knot.kiln ./torus.kiln -o - >../again.html)
same "$TMPDIR/two.html" "$TMPDIR/again.html"
case_end

case_begin 'no name becomes markup, and the page allows nothing to be loaded'
expect 0 "$KILN" view "$bad" -o "$TMPDIR/one.html"
expect 0 "$KILN" view --no-live "$a" "$b" -o "$TMPDIR/still.html"
grep -q 'hacked=1</script>' "$TMPDIR/one.html" && case_fail 'a name ends an element'
grep -qF '\u003c/script\u003e\u003cscript\u003ehacked=1' "$TMPDIR/one.html" || case_fail 'the name is not there'
head -8 "$TMPDIR/one.html" | grep -q "Content-Security-Policy\" content=\"default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-" || case_fail 'no policy'
grep -q 'Permission is hereby granted' "$TMPDIR/one.html" || case_fail 'no licence of three.js'
case_end

# The command with other embedded files: the same objects but one.
other_kiln() { # other_kiln THREE WASM
    (cd "$top" && tools/view/embed.sh view.html=tools/view/view.html three.js="$1" kiln.wasm="$2") >"$TMPDIR/embedded.c" &&
        gcc -Itools/view -O0 "$TMPDIR/embedded.c" $(find "$KILN_BUILD/release/tools/cmd" "$KILN_BUILD/release/tools/view" -name '*.o' ! -name embedded.o) \
            "$KILN_BUILD/libkilnbake.a" "$KILN_BUILD/libkiln.a" -lfyaml -ljansson -lgmp -lz -lm -lpthread -o "$TMPDIR/kiln"
}
case_begin 'a build without three.js or WebAssembly says so'
other_kiln '' '' || case_fail 'does not link'
exact 5 "$TMPDIR/kiln" view "$a" -o "$TMPDIR/none.html" <<'END'
stderr:
kiln: this build draws no pages: three.js was not there when it was built; install libjs-three, or set THREE, and build again
END
[ -e "$TMPDIR/none.html" ] && case_fail 'a page was written'
: >"$TMPDIR/three.js" && echo '// nothing' >"$TMPDIR/three.js"
other_kiln "$TMPDIR/three.js" '' || case_fail 'does not link'
expect 0 "$TMPDIR/kiln" view "$a" "$b" -o "$TMPDIR/none.html"
says err 'not live: this build has no libkiln for pages'
grep -q '"wasm"' "$TMPDIR/none.html" && case_fail 'the page names a module'
case_end

cp "$tiny/cube.obj" "$tiny/tetrahedron.obj" "$TMPDIR"
sed 's/^v nan.*/v 1e999 0 0/' "$TMPDIR/bad.obj" >"$TMPDIR/<b>worse.obj"
expect 0 "$KILN" bake -q "$TMPDIR/cube.obj" "$TMPDIR/tetrahedron.obj" -o "$TMPDIR/baked" --report "$TMPDIR/report.html"
expect 3 "$KILN" bake -q "$TMPDIR/cube.obj" "$TMPDIR/tetrahedron.obj" "$TMPDIR/<b>worse.obj" --if-changed -o "$TMPDIR/baked" --report "$TMPDIR/report.html"
case_begin 'in a browser: slider, colours, dragging, keys; answers are those of the command'
if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
    case_skip 'chromium or node is not installed'
else
    node tests/gate/view/check.mjs "$KILN" "$TMPDIR/one.html" "$TMPDIR/two.html" "$TMPDIR/still.html" "$a" "$b" "$TMPDIR/report.html" ||
        case_fail 'the pages'
    case_end
fi
cases_end
