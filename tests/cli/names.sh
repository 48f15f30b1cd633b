#!/bin/sh
# Names outside ASCII, with blanks, line breaks, leading dashes, bytes that are not UTF-8, too long.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

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

cp models/tiny/cube.obj models/tiny/painted.obj models/tiny/painted.mtl models/tiny/mixed.obj "$TMPDIR/work"
cd "$TMPDIR/work" || exit 1

case_begin 'C055: the name appears whole in messages'
exact 2 "$KILN" bake 'Földer/テスト/ñ mesh.obj' -o x.kiln <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.obj: can't be opened; No such file or directory; check the path and its permissions
END
exact 2 "$KILN" info 'Földer/テスト/ñ mesh.kiln' <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.kiln: can't be opened; No such file or directory; check the path and its permissions
END
mkdir -p 'Földer/テスト'
cp mixed.obj 'Földer/テスト/ñ mesh.obj'
exact 0 "$KILN" bake 'Földer/テスト/ñ mesh.obj' -o 'Földer/テスト/ñ mesh.kiln' --depfile d --if-changed <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.obj: left out: 1 point (see --points), 2 lines
END
exact 0 cat d <<'END'
Földer/テスト/ñ\ mesh.kiln: Földer/テスト/ñ\ mesh.obj
Földer/テスト/ñ\ mesh.obj:
END
exact 0 "$KILN" verify 'Földer/テスト/ñ mesh.kiln' <<'END'
Földer/テスト/ñ mesh.kiln: sound; 1 tree, 2 triangles, 1 node
END
exact 0 "$KILN" bake 'Földer/テスト/ñ mesh.obj' -o 'Földer/テスト/ñ mesh.kiln' --if-changed <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.obj: left out: 1 point (see --points), 2 lines
kiln: Földer/テスト/ñ mesh.kiln: up to date: made from the same bytes by the same options
END
case_end

case_begin 'C055: byte 0xFF and a line break, in messages and in JSON'
exact 2 "$KILN" bake "$(printf 'byte \377.obj')" -o x.kiln --json <<'END'
{
  "schema": "kiln-report-1",
  "verb": "bake",
  "kiln": "VERSION",
  "error": {
    "status": 2,
    "message": "byte �.obj: can't be opened; No such file or directory; check the path and its permissions"
  },
  "input": "byte �.obj",
  "output": "x.kiln",
  "status": 2,
  "message": "byte �.obj: can't be opened; No such file or directory; check the path and its permissions",
  "faces": 0,
  "faces_dropped": 0,
  "points_left_out": 0,
  "lines_left_out": 0,
  "degenerate": 0,
  "duplicate": 0,
  "polygons_cut": 0,
  "empty_meshes": 0,
  "bytes_source": 0,
  "bytes_file": N,
  "unit_metres": null,
  "up_axis": null,
  "precision_step": 0.0,
  "lossy_step": 0.0,
  "lossy_moved": 0.0,
  "lossy_degenerate": 0,
  "trees": [],
  "warnings": [],
  "dropped": [],
  "side_files": [],
  "absent_files": [],
  "seconds_import": T,
  "seconds_build": T,
  "seconds_count": T,
  "seconds_write": T,
  "seconds_first_query": null,
  "seconds_first_query_trusted": null,
  "outcome": "failed"
}
stderr:
kiln: byte �.obj: can't be opened; No such file or directory; check the path and its permissions
END
broken='line
break.kiln'
exact 2 "$KILN" info "$broken" --json <<'END'
{
  "schema": "kiln-report-1",
  "verb": "info",
  "kiln": "VERSION",
  "error": {
    "status": 2,
    "message": "line\nbreak.kiln: can't be opened; No such file or directory; check the path and its permissions"
  },
  "file": "line\nbreak.kiln",
  "status": 2
}
stderr:
kiln: line\x0Abreak.kiln: can't be opened; No such file or directory; check the path and its permissions
END
case_end

case_begin 'C055: in lists, manifests and plans'
printf 'F\303\266lder/\343\203\206\343\202\271\343\203\210/\303\261 mesh.obj\n' >list
exact 0 "$KILN" bake @list -o 'Öut' <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.obj: left out: 1 point (see --points), 2 lines
END
exact 0 sh -c 'cd Öut && ls' <<'END'
ñ mesh.kiln
END
printf 'kiln: 1\noutput: "Öut 2"\nassets: ["**/ñ*.obj"]\n' >m.yaml
exact 0 "$KILN" bake -m m.yaml <<'END'
stderr:
kiln: Földer/テスト/ñ mesh.obj: left out: 1 point (see --points), 2 lines
END
exact 0 find 'Öut 2' -type f <<'END'
Öut 2/Földer/テスト/ñ mesh.kiln
END
exact 0 "$KILN" bake @list -o 'Öut' --dump-config <<'END'
# A manifest of kiln bake; paths are taken from the folder that this file is in.
kiln: 1
output: .
assets:
  - path: "Földer/テスト/ñ mesh.obj"
    output: "Öut/ñ mesh.kiln"
    options:
      bv: "obb"
      leaf: 4
      builder: "sah"
      spheres: least
      quality: default
      fit: geometry
      box-fit: search
      layout: packed
      split: none
      scale: 1
      diagonal: rising
      no-geometry: false
      points: false
      on-bad: error
      strict: false
      import-memory: 1792
      import-seconds: 50
END
exact 5 "$KILN" bake "$(printf 'byte \377.obj')" -o x.kiln --dump-config <<'END'
stderr:
kiln: byte �.obj: can't stand in a manifest; YAML is Unicode, and this name or an option of it is not UTF-8; rename it
END
case_end

case_begin 'C055: side files whose names are not UTF-8, there and absent'
side=$(printf 'm\377t.mtl')
sed "s/^mtllib.*/mtllib $side/" painted.obj >side.obj
for state in absent there; do
    [ $state = absent ] || cp painted.mtl "$side"
    expect 0 "$KILN" bake side.obj -o side.kiln --if-changed --depfile d
    said=
    [ $state = there ] || said="kiln: side.obj: not there: '$side', which it refers to; baked without
"
    printf '%s' "$said" | cmp -s - "$TMPDIR/err" || case_fail "it says $(cat "$TMPDIR/err")"
    expect 0 "$KILN" bake side.obj -o side.kiln --if-changed --depfile again
    printf '%s%s\n' "$said" 'kiln: side.kiln: up to date: made from the same bytes by the same options' |
        cmp - "$TMPDIR/err" || case_fail 'not up to date'
    same d again
done
printf 'side.kiln: side.obj \\\n  m\377t.mtl\nside.obj:\nm\377t.mtl:\n' >wanted.d
same wanted.d d
sed -i 's/0/1/' "$side"
expect 0 "$KILN" bake side.obj -o side.kiln --if-changed
silent err
case_end

case_begin 'C055: a name that starts with a dash'
cp cube.obj ./-cube.obj
exact 0 "$KILN" bake -o -cube.kiln -- -cube.obj <<'END'
END
exact 0 "$KILN" verify -- -cube.kiln <<'END'
-cube.kiln: sound; 1 tree, 12 triangles, 1 node
END
exact 0 "$KILN" bake --output=--cube.kiln ./-cube.obj <<'END'
END
exact 0 "$KILN" verify ./--cube.kiln <<'END'
./--cube.kiln: sound; 1 tree, 12 triangles, 1 node
END
exact 1 "$KILN" bake -cube.obj -o x.kiln <<'END'
stderr:
kiln: bake: there is no option '-cube.obj', it is a file; write ./-cube.obj
Try: kiln bake --help
END
case_end

# shortened: runs kiln and shows its messages without rows of zeros.
shortened() {
    "$KILN" "$@" >plain 2>messages
    status=$?
    sed 's/00*\//0\//g;s/000*\./0./g' messages >&2
    return $status
}

case_begin 'C055: a path of 4,000 bytes is taken, one of 5,000 is an error that says so'
folders=$(awk 'BEGIN { for (i = 0; i < 19; i++) printf "%0200d/", 0 }')
exact 2 shortened bake "$folders$(printf '%0180d' 0).obj" -o x.kiln <<'END'
stderr:
kiln: 0/0...0/0.obj: can't be opened; No such file or directory; check the path and its permissions
END
exact 0 shortened bake cube.obj -o "$folders$(printf '%0180d' 0).kiln" <<'END'
END
long=$(printf '%05000d' 0)
exact 2 shortened bake "$long.obj" -o x.kiln <<'END'
stderr:
kiln: 0...0.obj: can't be opened; File name too long; check the path and its permissions
END
exact 2 shortened bake cube.obj -o "$long.kiln" <<'END'
stderr:
kiln: 0...0.kiln: can't be written; File name too long; give a shorter one
END
exact 2 shortened info "$long.kiln" <<'END'
stderr:
kiln: 0.kiln: can't be opened; File name too long; check the path and its permissions
END
[ ! -e x.kiln ] || case_fail 'a file was written'
case_end

cases_end
