#!/bin/sh
# Names outside ASCII, with blanks, line breaks, leading dashes, bytes that are not UTF-8, too long.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)

# there_and_back NAME: bakes FOLDER/NAME.obj to FOLDER/NAME.kiln and opens it; a missing file of that
# folder is told by its name.
there_and_back() {
    case_begin "a folder and file called $1"
    mkdir -p "$TMPDIR/work/$1" || case_fail 'the system has no such name'
    cp models/tiny/cube.obj "$TMPDIR/work/$1/$1.obj"
    expect 0 "$KILN" bake "$TMPDIR/work/$1/$1.obj" -o "$TMPDIR/work/$1/$1.kiln"
    expect 0 "$KILN" verify "$TMPDIR/work/$1/$1.kiln"
    expect 0 "$KILN" info --json "$TMPDIR/work/$1/$1.kiln"
    expect 0 "$KILN" bake "$TMPDIR/work/$1/$1.obj" models/tiny/tetrahedron.obj -o "$TMPDIR/work/$1/all"
    expect 0 "$KILN" collide "$TMPDIR/work/$1/all/$1.kiln" "$TMPDIR/work/$1/$1.kiln"
    case_end
}

there_and_back 'Földer テスト ñ mesh'
there_and_back 'two  blanks'
there_and_back 'line
break'
there_and_back "$(printf 'byte \377 of no text')"
there_and_back '100%s $HOME # "quoted" \'

case_begin 'the name appears whole in messages'
expect 2 "$KILN" bake "$TMPDIR/Földer/テスト/ñ mesh.obj" -o "$TMPDIR/x.kiln"
says err 'Földer/テスト/ñ mesh.obj'
case_end

case_begin 'a name that starts with a dash'
cd "$TMPDIR/work" || exit 1
cp "$top/models/tiny/cube.obj" ./-cube.obj
expect 0 "$KILN" bake -o -cube.kiln -- -cube.obj
expect 0 "$KILN" verify -- -cube.kiln
expect 0 "$KILN" bake --output=--cube.kiln ./-cube.obj
expect 0 "$KILN" verify ./--cube.kiln
cd "$top" || exit 1
case_end

case_begin 'a path of 5,000 bytes is an error that says so'
long=$TMPDIR/$(printf '%05000d' 0).obj
expect 2 "$KILN" bake "$long" -o "$TMPDIR/x.kiln"
says err 'kiln: '
expect 2 "$KILN" bake models/tiny/cube.obj -o "$long"
says err 'kiln: '
expect 2 "$KILN" info "$long"
case_end

case_begin 'what is not UTF-8 is still JSON'
expect 2 "$KILN" info --json "$TMPDIR/$(printf 'no \377')"
says out "$(printf 'no \357\277\275')"
case_end

cases_end
