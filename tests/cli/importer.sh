#!/bin/sh
# The programs that import: one that is missing, of another version or broken is refused by name, before anything is
# written; they run by hand; and a killed one ends nothing but its bake.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

sparse=$(pwd)/tests/cases/import/I03_sparse_stride.gltf
own=$(dirname "$KILN")/libexec/kiln
cp models/tiny/cube.obj models/tiny/nan.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
printf 'p 3\n0 0 0\n1 0 0\n0 1 0\n' >one.nff

case_begin 'importers that are missing'
mkdir none
exact 4 "$KILN" bake cube.obj -o out.kiln --importer none <<'END'
stderr:
kiln: cube.obj: the program that reads it, kiln-import, is not in none; install kiln whole, or give the folder of its importers (--importer)
END
exact 4 "$KILN" bake one.nff -o out.kiln --importer none <<'END'
stderr:
kiln: one.nff: the program that reads it, kiln-import-assimp, is not in none; install kiln whole, or give the folder of its importers (--importer)
END
[ ! -e out.kiln ] || case_fail 'something was written'
# The command without its tree.
mkdir -p a/b/c/d && cp "$KILN" a/b/c/d/kiln
expect 4 a/b/c/d/kiln bake cube.obj -o out.kiln
says err "is not in $TMPDIR/a/b/c/d/libexec/kiln, $TMPDIR/a/b/c/libexec/kiln"
# What needs no import goes on.
expect 0 "$KILN" bake -q cube.obj -o cube.kiln
expect 0 a/b/c/d/kiln info cube.kiln
case_end

case_begin 'importers in another folder'
mkdir -p a/libexec && cp -r "$own" a/libexec/
expect 0 a/b/c/d/kiln bake -q cube.obj -o other.kiln
same cube.kiln other.kiln
mkdir -p a/b/c/d/libexec && mv a/libexec/kiln a/b/c/d/libexec/mine
expect 0 a/b/c/d/kiln bake -q cube.obj -o other.kiln --importer a/b/c/d/libexec/mine
same cube.kiln other.kiln
expect 0 "$KILN" verify -q --source cube.obj --importer a/b/c/d/libexec/mine cube.kiln
expect 4 "$KILN" verify -q --source cube.obj --importer none cube.kiln
# Those of another user, in a folder above, are not taken.
if [ "$(id -u)" -eq 0 ] && cp -r "$own" a/libexec/kiln && chown -R nobody a/libexec/kiln; then
    expect 4 a/b/c/d/kiln bake -q cube.obj -o other.kiln
fi
case_end

case_begin 'importers that are none'
mkdir bad
printf '#!/bin/sh\nexit 5\n' >bad/kiln-import
chmod 755 bad/kiln-import
exact 4 "$KILN" bake cube.obj -o out.kiln --importer bad <<'END'
stderr:
kiln: cube.obj: the importer bad/kiln-import ended (exit status 5) before it read anything; a library that it needs may be missing; run bad/kiln-import --version to see why
END
# padded SIZE TEXT: with zero bytes to that size.
padded() {
    printf '%s' "$2"
    head -c $(($1 - ${#2})) /dev/zero
}
{ padded 16 kiln-import; padded 48 '9.9, protocol 9'; padded 64 ''; } >bad/greeting
printf '#!/bin/sh\ncat bad/greeting >&3\n' >bad/kiln-import
expect 4 "$KILN" bake cube.obj -o out.kiln --importer bad
says err 'cube.obj: the importer bad/kiln-import is of kiln 9.9, protocol 9, and this is kiln '
says err 'install both of one version'
chmod 644 bad/kiln-import
exact 4 "$KILN" bake cube.obj -o out.kiln --importer bad <<'END'
stderr:
kiln: cube.obj: the importer bad/kiln-import can't be started; Permission denied; install kiln again, or give the folder of its importers (--importer)
END
[ ! -e out.kiln ] || case_fail 'something was written'
case_end

case_begin 'importers by hand'
exact 0 "$own/kiln-import" cube.obj <<'END'
8 vertices, 6 faces, 1 meshes, 1 nodes, 1 places, 1 materials, 0 side files
END
exact 0 "$own/kiln-import-assimp" one.nff <<'END'
3 vertices, 1 faces, 1 meshes, 1 nodes, 1 places, 1 materials, 0 side files
stderr:
warning: "nff" files are read by Assimp, unchecked; compare the result with the model, or convert it to glTF, OBJ, PLY or STL
END
cp cube.obj cube.txt
expect 0 "$own/kiln-import" --format=obj cube.txt
printf 'f 1 x 2\n' >word.obj
expect 3 "$own/kiln-import" word.obj
says err 'error: line 1: '
expect 2 "$own/kiln-import" away.obj
says err 'away.obj: can'
expect 1 "$own/kiln-import"
says err 'is started by kiln'
expect 0 "$own/kiln-import-assimp" --version
says out 'assimp '
case_end

case_begin 'memory that a reader leaves unset is the same at each run, and refused'
# Assimp's own reader of glTF, which leaves four of eight vertices of this model.
for run in 1 2 3; do
    expect 3 "$own/kiln-import-assimp" "$sparse"
    says err 'the importer has left vertex 4 unset; either the file has less data than it declares, or'
done
case_end

cases_end
