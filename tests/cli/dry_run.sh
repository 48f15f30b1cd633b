#!/bin/sh
# --dry-run foresees what the bake then does, and writes nothing: no folder, depfile, cache or time of use.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

tiny=$PWD/models/tiny
mkdir -p "$TMPDIR/d/w"
cd "$TMPDIR/d/w" || exit 1
cp "$tiny/cube.obj" "$tiny/tetrahedron.obj" "$tiny/painted.obj" "$tiny/painted.mtl" .

# state: names, kinds, times and contents of all that is there.
state() {
    find . -printf '%p %y %T@ %s %m\n' | LC_ALL=C sort
    find . -type f -exec cat {} + | cksum
}
# dry STATUS ARGUMENT...: the dry run ends so and changes nothing. Standard input says what it prints.
dry() {
    cat >"$TMPDIR/foreseen"
    state >"$TMPDIR/before"
    status=$1
    shift
    exact "$status" "$KILN" bake --dry-run "$@" <"$TMPDIR/foreseen"
    state | cmp -s - "$TMPDIR/before" || case_fail "$*: something changed"
}

case_begin 'nothing is there: all would be baked, and no folder is made'
dry 0 cube.obj -o deep/in/x.kiln --depfile deep/d --cache cache <<'END'
deep/in/x.kiln: would be baked from cube.obj
END
dry 0 cube.obj painted.obj -o out/deep --depfile all.d --cache cache --if-changed <<'END'
out/deep/cube.kiln: would be baked from cube.obj
out/deep/painted.kiln: would be baked from painted.obj
stderr:
kiln: a dry run: 2 to be baked; nothing was written
END
dry 0 cube.obj -o - <<'END'
-: would be baked from cube.obj
END
dry 0 - --format obj -o x.kiln <<'END'
x.kiln: would be baked from -
END
dry 0 cube.obj painted.obj -o out -q </dev/null
case_end

case_begin 'up to date, from the cache, to be baked: as the bake then says'
"$KILN" bake -q cube.obj painted.obj -o out --cache cache
rm out/painted.kiln
touch -d '2001-01-01' cache/??/*
dry 0 cube.obj painted.obj tetrahedron.obj -o out --cache cache --if-changed <<'END'
out/cube.kiln: is up to date with cube.obj
out/painted.kiln: would come from the cache, made from painted.obj
out/tetrahedron.kiln: would be baked from tetrahedron.obj
stderr:
kiln: a dry run: 1 to be baked, 1 up to date, 1 from the cache; nothing was written
END
expect 0 "$KILN" bake cube.obj painted.obj tetrahedron.obj -o out --cache cache --if-changed
echo 'kiln: 1 baked, 1 from the cache, 1 up to date in T s; N read, N written' | exactly err
dry 0 cube.obj -o out --leaf 2 --if-changed <<'END'
out/cube.kiln: would be baked from cube.obj
END
dry 0 cube.obj -o out <<'END'
out/cube.kiln: would be baked from cube.obj
END
rm painted.mtl
dry 0 painted.obj -o out --if-changed <<'END'
out/painted.kiln: would be baked from painted.obj
END
case_end

case_begin 'what would be refused: inputs, places, the guard and clashes'
dry 2 none.obj cube.obj -o new <<'END'
new/none.kiln: would be refused, from none.obj
new/cube.kiln: would be baked from cube.obj
stderr:
kiln: none.obj: can't be opened; No such file or directory; check the path and its permissions
kiln: a dry run: 1 to be baked, 1 refused; nothing was written
END
dry 4 cube.obj -o x.kiln --importer /nowhere <<'END'
x.kiln: would be refused, from cube.obj
stderr:
kiln: cube.obj: the program that reads it, kiln-import, is not in /nowhere; install kiln whole, or give the folder of its importers (--importer)
END
# Only the importer knows all formats. What it refuses by name, the run refuses in the same words.
cp cube.obj text.txt
cp cube.obj a.kiln.KILN
for arguments in 'text.txt' 'cube.obj --format zzz' 'a.kiln.KILN' 'painted.obj cube.obj --format nothing' '- --format zzz' \
    'text.txt - --format zzz' 'cube.obj --bv none' 'cube.obj painted.obj --bv none'; do
    # shellcheck disable=SC2086
    "$KILN" bake -q -j1 $arguments -o new <cube.obj 2>run_err
    status=$?
    # shellcheck disable=SC2086
    "$KILN" bake -q -j1 $arguments -o new --dry-run </dev/null 2>dry_err
    [ $? = $status ] && [ $status != 0 ] || case_fail "$arguments: another status than $status"
    sort run_err >run_sorted
    sort dry_err | cmp -s - run_sorted || case_fail "$arguments: $(cat run_err dry_err)"
    rm -rf new
done
rm -f run_err dry_err run_sorted text.txt a.kiln.KILN
# A model that may be of the format is left to the import, also one of a format that only Assimp knows.
dry 0 cube.obj -o x.kiln --format mdl <<'END'
x.kiln: would be baked from cube.obj
END
: >file
dry 2 cube.obj -o file/x.kiln <<'END'
file/x.kiln: would be refused, from cube.obj
stderr:
kiln: file: is a file, where a folder is to be; move it, or name another folder
END
mkdir folder.kiln
dry 2 folder.kiln -o x.kiln --format obj <<'END'
stderr:
kiln: folder.kiln: has no model of a format that is read (kiln bake --formats); check it, or give --allow-empty
END
mkfifo pipe
dry 2 cube.obj -o pipe <<'END'
pipe: would be refused, from cube.obj
stderr:
kiln: pipe: is a pipe; only regular files are written by name; give '-' and redirect standard output, or name a file
END
echo mine >out/cube.kiln
dry 1 cube.obj tetrahedron.obj -o out <<'END'
out/cube.kiln: would be refused, from cube.obj
out/tetrahedron.kiln: would be baked from tetrahedron.obj
stderr:
kiln: out/cube.kiln: would be replaced; it is no kiln file; name another output, or remove it first
kiln: a dry run: 1 to be baked, 1 refused; as long as outputs are refused nothing would be baked
END
mkdir sub
cp cube.obj sub
dry 1 cube.obj sub/cube.obj tetrahedron.obj -o new <<'END'
new/cube.kiln: would be refused, from cube.obj
new/cube.kiln: would be refused, from sub/cube.obj
new/tetrahedron.kiln: would be baked from tetrahedron.obj
stderr:
kiln: bake: 'cube.obj' and 'sub/cube.obj' would both be written to 'new/cube.kiln'; --folders tree keeps their folders
Try: kiln bake --help
kiln: a dry run: 1 to be baked, 2 refused; as long as outputs are refused nothing would be baked
END
ln -s cube.obj link.kiln
dry 1 cube.obj -o link.kiln <<'END'
link.kiln: would be refused, from cube.obj
stderr:
kiln: bake: the output 'link.kiln' is the input
Try: kiln bake --help
kiln: a dry run: 1 refused; as long as outputs are refused nothing would be baked
END
echo text >mine.d
dry 1 cube.obj -o new/x.kiln --depfile mine.d <<'END'
stderr:
kiln: mine.d: would be replaced; it is no depfile of kiln; name another output, or remove it first
END
dry 1 cube.obj -o new/x.kiln --dump-config <<'END'
stderr:
kiln: bake: --dry-run and --dump-config exclude each other
Try: kiln bake --help
END
case_end

case_begin 'names with control characters are spelled out, as in messages'
cp cube.obj "$(printf 'a\033[31mb.obj')"
dry 0 "$(printf 'a\033[31mb.obj')" -o "$(printf 'new/c\033]0;x\007.kiln')" <<'END'
new/c\x1B]0;x\x07.kiln: would be baked from a\x1B[31mb.obj
END
expect 0 "$KILN" bake -v cube.obj -o "$(printf 'c\033]0;x\007.kiln')"
says out 'c\x1B]0;x\x07.kiln: 12 triangles'
tr -d '\033\007' <"$TMPDIR/out" | cmp -s - "$TMPDIR/out" || case_fail 'control characters'
case_end

case_begin 'a manifest, with options of its own, and a document'
printf 'kiln: 1\noutput: made\nassets:\n  - path: cube.obj\n  - {path: tetrahedron.obj, options: {leaf: 1}}\n' >kiln.yaml
"$KILN" bake -q
rm made/cube.kiln
state >"$TMPDIR/before"
expect 0 "$KILN" bake --dry-run --json --if-changed
says out '"to_bake": 1'
says out '"up_to_date": 1'
expect 2 "$KILN" bake --dry-run --json none.obj cube.obj -o out2
says out '"outcome": "refused"'
says out '"message": "none.obj: can'
state | cmp -s - "$TMPDIR/before" || case_fail 'something changed'
case_end

cases_end
