#!/bin/sh
# kiln verify --source: geometry against a fresh import. kiln upgrade: versions.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)

cp models/tiny/cube.obj models/tiny/painted.obj models/tiny/painted.mtl "$TMPDIR"
cd "$TMPDIR" || exit 1
"$KILN" bake -q cube.obj -o cube.kiln || exit 1

case_begin 'the source as it was'
expect 0 "$KILN" verify cube.kiln --source cube.obj
exactly out <<'END'
cube.kiln: sound; 1 tree, 12 triangles, 1 node
cube.kiln: geometry equals a fresh import of cube.obj
END
silent err
expect 0 "$KILN" verify -q cube.kiln --source cube.obj
silent out
case_end

case_begin 'other bytes, the same geometry'
{ cat cube.obj; echo '# a comment'; } >comment.obj
expect 0 "$KILN" verify cube.kiln --source comment.obj
says out 'comment.obj, whose bytes have changed since the bake'
case_end

case_begin 'a corner that moved is named'
sed 's/^v 1 1 1/v 1 1 2/' cube.obj >moved.obj
expect 7 "$KILN" verify -q cube.kiln --source moved.obj
exactly err <<'END'
kiln: cube.kiln: triangle 2, node '/cube', mesh 'cube', face 1: corner 2 is 1 1 1, in the source it is 1 1 2; 5 of 12 triangles differ from moved.obj, and its bytes have changed; bake it again
END
silent out
case_end

case_begin 'another count, name, face number, material'
head -n -1 cube.obj >less.obj
expect 7 "$KILN" verify -q cube.kiln --source less.obj
exactly err <<'END'
kiln: cube.kiln: it has 12 triangles, less.obj has 10; it differs from less.obj, and its bytes have changed; bake it again
END
sed 's/^o cube/o box/' cube.obj >named.obj
expect 7 "$KILN" verify -q cube.kiln --source named.obj
exactly err <<'END'
kiln: cube.kiln: part 0 is node '/cube', mesh 'cube', 12 triangles; in named.obj it is node '/box', mesh 'box', 12 triangles; it differs from named.obj, and its bytes have changed; bake it again
END
quad='o q\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n'
printf "${quad}f 1 2 3 4\n" >quad.obj
printf "${quad}f 1 2 3\nf 3 4 1\n" >two.obj
"$KILN" bake -q quad.obj -o quad.kiln || case_fail 'bake'
expect 7 "$KILN" verify -q quad.kiln --source two.obj
says err "triangle 1, node '/q', mesh 'q', face 0: in the source it is face 1; 1 of 2 triangles differ"
mkdir new
cp painted.mtl new
"$KILN" bake -q painted.obj -o painted.kiln || case_fail 'bake'
expect 0 "$KILN" verify -q painted.kiln --source painted.obj
sed 's/^usemtl .*/usemtl other/' painted.obj >new/painted.obj
expect 7 "$KILN" verify -q painted.kiln --source new/painted.obj
says err "'other'"
case_end

case_begin 'the options of the bake are those of the import'
"$KILN" bake -q cube.obj -o turned.kiln --up x --scale 2.5 --lossy-grid 8 --split mesh || case_fail 'bake'
expect 0 "$KILN" verify -q turned.kiln --source cube.obj
cp "$top/models/tiny/bad_index.obj" .
"$KILN" bake -q bad_index.obj -o dropped.kiln --on-bad drop || case_fail 'bake'
expect 0 "$KILN" verify -q dropped.kiln --source bad_index.obj
"$KILN" bake -q - --format obj -o piped.kiln <cube.obj || case_fail 'bake'
cp cube.obj model
expect 0 "$KILN" verify -q piped.kiln --source model
cp cube.obj cube.ply
expect 0 "$KILN" verify -q piped.kiln --source cube.ply
case_end

case_begin 'a document'
expect 0 "$KILN" verify --json cube.kiln --source cube.obj
for text in '"source"' '"equal": true' '"same_bytes": true' '"differing": 0'; do says out "$text"; done
expect 7 "$KILN" verify --json cube.kiln --source moved.obj
for text in '"equal": false' '"status": 7' '"sound": true'; do says out "$text"; done
case_end

case_begin 'what can not be compared'
expect 2 "$KILN" verify -q cube.kiln --source nowhere.obj
says err "nowhere.obj: can't be opened"
head -c 1000 cube.kiln >cut.kiln
expect 3 "$KILN" verify -q cut.kiln --source cube.obj
says err 'cut.kiln: not a complete file'
"$KILN" lut bins -q -o bins.kiln --max-u 12 --max-x 2 || case_fail 'lut bins'
expect 1 "$KILN" verify -q bins.kiln --source cube.obj
says err 'holds no model'
"$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry || case_fail 'bake'
expect 0 "$KILN" verify bare.kiln --source cube.obj
says out 'has no polygons; its parts equal those of a fresh import of cube.obj'
case_end

# versioned NAME MAJOR MINOR: the cube as of another version.
versioned() {
    cp cube.kiln "$1"
    printf "\\$2\\0\\$3\\0" | dd of="$1" bs=1 seek=8 conv=notrunc 2>/dev/null
}
format=$("$KILN" info --json cube.kiln | sed -n 's/.*"format": "\([0-9.]*\)".*/\1/p')

case_begin 'upgrade: current, older, newer, broken'
versioned old.kiln 0 1
versioned new.kiln 11 0
expect 0 "$KILN" upgrade cube.kiln bins.kiln
exactly out <<END
cube.kiln: format $format, current
bins.kiln: format $format, current
END
expect 0 "$KILN" upgrade -q cube.kiln
silent out
expect 7 "$KILN" upgrade cube.kiln old.kiln
exactly out <<END
cube.kiln: format $format, current
END
exactly err <<END
kiln: old.kiln: is of format 0.1; this command writes $format and can't convert it; bake it again from its source
END
expect 5 "$KILN" upgrade new.kiln
says err 'new.kiln: baked by format version 9.0'
expect 3 "$KILN" upgrade cut.kiln
says err 'not a complete file'
expect 7 "$KILN" upgrade --json cube.kiln old.kiln
for text in '"state": "current"' '"state": "bake again"' '"format": "0.1"'; do says out "$text"; done
case_end

cases_end
