#!/bin/sh
# What a pipeline expects of any tool of its kind, a case or more each, named by the convention: the
# command line, and beside it all of standard output, all of standard error, the status. README.md of
# this folder lists where each is tested further.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS MAKEFLAGS
top=$(pwd)

cp models/tiny/cube.obj models/tiny/mixed.obj models/tiny/nan.obj models/tiny/painted.obj \
    models/tiny/painted.mtl models/tiny/tetrahedron.obj "$TMPDIR"
cd "$TMPDIR" || exit 1

# not_there FILE...
not_there() {
    for file; do
        [ ! -e "$file" ] || case_fail "$file was written"
    done
}

case_begin 'one verb a sub-command: all of them'
exact 0 "$KILN" --help <<'END'
usage: kiln VERB [options] FILE...
       kiln VERB --help | --help | --version | --man | --completion SHELL

Bakes models into kiln files: bounding-volume hierarchies with exact geometry
that libkiln maps and queries in place. Output files are written aside and
renamed, so that a file is always completely the old or completely the new one.
Messages go to standard error as "kiln: FILE: what; why; what to do".

verbs:
  bake       bake models into kiln files
  check-mesh say what is wrong with a mesh
  info       print what kiln files contain
  verify     check files down to the last box
  diff       print the differences between two kiln files
  collide    test whether two meshes meet, at many poses
  query      query a mesh with rays, points, shapes or spheres
  export     write bounding volumes and the mesh as a model for any viewer
  view       make a page that shows meshes and trees in a browser
  unpack     turn a packed file into a raw one, at install time
  upgrade    list the files that have to be baked again for this version
  plan       print the work of kiln bake for ninja, make, slurm, a farm
  cache gc   make a cache of baked files smaller
  lut axes   make a set of axes for moving objects
  lut bins   generate a table of filled-bins probabilities
  lut check  compute a filled-bins table or an axis set again
  lut show   print values of a filled-bins table
  calibrate  fit the weights of counted or time-critical queries to meshes

options in place of a verb:
  -h, --help              print verbs and exit statuses; after a verb, its
                          options
      --version           print the version; with --json also those of the file
                          format and of the libraries in use
      --man [VERB]        print the manual page of the command or of a verb, in
                          man macros; two words are joined: lut-bins
      --completion bash|zsh|fish
                          print the completion script of a shell

exit status:
  0  done
  1  the command line is wrong
  2  a file can't be read or written
  3  an input or a file is broken, or there was a warning under --strict
  4  out of memory, a limit reached, the importer crashed
  5  a format, version or feature that this build does not know
  7  the compared files differ
  8  a mesh has faults
END
exact 1 "$KILN" <<'END'
stderr:
usage: kiln VERB [options] FILE...
       kiln VERB --help | --help | --version | --man | --completion SHELL

Bakes models into kiln files: bounding-volume hierarchies with exact geometry
that libkiln maps and queries in place. Output files are written aside and
renamed, so that a file is always completely the old or completely the new one.
Messages go to standard error as "kiln: FILE: what; why; what to do".

verbs:
  bake       bake models into kiln files
  check-mesh say what is wrong with a mesh
  info       print what kiln files contain
  verify     check files down to the last box
  diff       print the differences between two kiln files
  collide    test whether two meshes meet, at many poses
  query      query a mesh with rays, points, shapes or spheres
  export     write bounding volumes and the mesh as a model for any viewer
  view       make a page that shows meshes and trees in a browser
  unpack     turn a packed file into a raw one, at install time
  upgrade    list the files that have to be baked again for this version
  plan       print the work of kiln bake for ninja, make, slurm, a farm
  cache gc   make a cache of baked files smaller
  lut axes   make a set of axes for moving objects
  lut bins   generate a table of filled-bins probabilities
  lut check  compute a filled-bins table or an axis set again
  lut show   print values of a filled-bins table
  calibrate  fit the weights of counted or time-critical queries to meshes

options in place of a verb:
  -h, --help              print verbs and exit statuses; after a verb, its
                          options
      --version           print the version; with --json also those of the file
                          format and of the libraries in use
      --man [VERB]        print the manual page of the command or of a verb, in
                          man macros; two words are joined: lut-bins
      --completion bash|zsh|fish
                          print the completion script of a shell

exit status:
  0  done
  1  the command line is wrong
  2  a file can't be read or written
  3  an input or a file is broken, or there was a warning under --strict
  4  out of memory, a limit reached, the importer crashed
  5  a format, version or feature that this build does not know
  7  the compared files differ
  8  a mesh has faults
END
case_end

case_begin 'one verb a sub-command: an unknown one, a file in its place, the first word of two'
exact 1 "$KILN" verfiy cube.kiln <<'END'
stderr:
kiln: there is no verb 'verfiy'; did you mean verify?
Try: kiln --help
END
exact 1 "$KILN" frob <<'END'
stderr:
kiln: there is no verb 'frob'
Try: kiln --help
END
exact 1 "$KILN" cube.obj <<'END'
stderr:
kiln: there is no verb 'cube.obj', it is a file; kiln bake cube.obj -o OUT.kiln bakes it
Try: kiln --help
END
exact 1 "$KILN" lut <<'END'
stderr:
kiln: lut is followed by one of axes, bins, check, show
Try: kiln --help
END
exact 1 "$KILN" lut blot <<'END'
stderr:
kiln: lut is followed by one of axes, bins, check, show, not 'blot'
Try: kiln --help
END
case_end

case_begin 'quiet and verbose: no chatter on success, but that a batch ends in a line of counts'
exact 0 "$KILN" bake cube.obj -o cube.kiln <<'END'
END
exact 0 "$KILN" bake cube.obj tetrahedron.obj -o two.d <<'END'
stderr:
kiln: 2 baked in T s; N read, N written
END
exact 0 "$KILN" bake cube.obj tetrahedron.obj -o two.d --quiet <<'END'
END
case_end

case_begin 'quiet and verbose: -q leaves notes out, not errors'
exact 0 "$KILN" bake mixed.obj -o x.kiln <<'END'
stderr:
kiln: mixed.obj: left out: 1 point (see --points), 2 lines
END
exact 0 "$KILN" bake -q mixed.obj -o x.kiln <<'END'
END
exact 2 "$KILN" bake -q nowhere.obj -o x.kiln <<'END'
stderr:
kiln: nowhere.obj: can't be opened; No such file or directory; check the path and its permissions
END
exact 0 "$KILN" verify -q cube.kiln <<'END'
END
case_end

case_begin 'quiet and verbose: -v prints the report'
exact 0 "$KILN" bake -v mixed.obj -o x.kiln <<'END'
x.kiln: 2 triangles, N bytes, N a triangle, baked in T s
  left out       1 point, 2 lines
  obb            model: 1 node, N bytes, N a triangle, raw 64.00
  first query    in T ms, trusted T ms; the build took T ms
stderr:
kiln: mixed.obj: left out: 1 point (see --points), 2 lines
END
exact 0 "$KILN" bake -v cube.obj tetrahedron.obj -o two.d -j1 <<'END'
two.d/cube.kiln: 12 triangles, N bytes, N a triangle, baked in T s
  left out       nothing
  obb            model: 1 node, N bytes, N a triangle, raw 10.67
  first query    in T ms, trusted T ms; the build took T ms
two.d/tetrahedron.kiln: 4 triangles, N bytes, N a triangle, baked in T s
  left out       nothing
  obb            model: 1 node, N bytes, N a triangle, raw 32.00
  first query    in T ms, trusted T ms; the build took T ms
stderr:
kiln: 2 baked in T s; N read, N written
END
exact 0 "$KILN" bake -v cube.obj -o x.kiln --cache cache <<'END'
x.kiln: 12 triangles, N bytes, N a triangle, baked in T s
  left out       nothing
  obb            model: 1 node, N bytes, N a triangle, raw 10.67
  first query    in T ms, trusted T ms; the build took T ms
END
exact 0 "$KILN" bake -v cube.obj -o x.kiln --cache cache <<'END'
x.kiln: 12 triangles, N bytes, N a triangle, from the cache in T s
  left out       nothing
END
printf 'mtllib none\033.mtl\n' | cat - cube.obj >lone.obj
exact 0 "$KILN" bake -v lone.obj -o lone.kiln <<'END'
lone.kiln: 12 triangles, N bytes, N a triangle, baked in T s
  left out       nothing
  obb            model: 1 node, N bytes, N a triangle, raw 10.67
  first query    in T ms, trusted T ms; the build took T ms
stderr:
kiln: lone.obj: not there: 'none\x1B.mtl', which it refers to; baked without
END
expect 0 "$KILN" bake lone.obj -o lone.kiln --json
says out '"none\u001B.mtl"'
expect 0 "$KILN" bake lone.obj -o lone.kiln --json --if-changed
says out '"none\u001B.mtl"'
says out '"outcome": "up_to_date"'
exact 1 "$KILN" bake -q -v cube.obj -o x.kiln <<'END'
stderr:
kiln: bake: --quiet and --verbose exclude each other
Try: kiln bake --help
END
case_end

case_begin 'depfile: a rule with all that was read'
exact 0 "$KILN" bake painted.obj -o painted.kiln --depfile d <<'END'
END
exact 0 cat d <<'END'
painted.kiln: painted.obj \
  painted.mtl
painted.obj:
painted.mtl:
END
case_end

case_begin 'depfile: names as make reads them'
cp cube.obj 'a b#c$d.obj'
expect 0 "$KILN" bake -q 'a b#c$d.obj' -o odd.kiln --depfile d
exact 0 cat d <<'END'
odd.kiln: a\ b\#c$$d.obj
a\ b\#c$$d.obj:
END
case_end

case_begin 'depfile: of many, none for what failed'
exact 2 "$KILN" bake painted.obj gone.obj cube.obj -o two.d --depfile d -j1 <<'END'
stderr:
kiln: gone.obj: can't be opened; No such file or directory; check the path and its permissions
kiln: failed: gone.obj
kiln: 2 baked, 1 failed in T s; N read, N written
END
exact 0 cat d <<'END'
two.d/painted.kiln: painted.obj \
  painted.mtl
painted.obj:
painted.mtl:
two.d/cube.kiln: cube.obj
cube.obj:
END
case_end

case_begin 'depfile: to standard output, where the report goes to standard error'
exact 0 "$KILN" bake painted.obj -o painted.kiln --depfile - <<'END'
painted.kiln: painted.obj \
  painted.mtl
painted.obj:
painted.mtl:
END
exact 0 "$KILN" bake -v painted.obj cube.obj -o two.d --depfile=- -j1 --if-changed <<'END'
two.d/painted.kiln: painted.obj \
  painted.mtl
painted.obj:
painted.mtl:
two.d/cube.kiln: cube.obj
cube.obj:
stderr:
kiln: 2 up to date in T s
END
expect 0 "$KILN" bake -v cube.obj -o x.kiln --depfile - --json
exactly out <<'END'
x.kiln: cube.obj
cube.obj:
END
says err '"outcome": "baked"'
expect 0 "$KILN" bake -v cube.obj -o x.kiln --depfile -
exactly out <<'END'
x.kiln: cube.obj
cube.obj:
END
says err 'x.kiln: 12 triangles'
exact 1 "$KILN" bake cube.obj -o - --depfile - <<'END'
stderr:
kiln: bake: --depfile needs an OUT that has a name
Try: kiln bake --help
END
[ ! -e - ] || case_fail 'there is a file of that name'
case_end

case_begin 'depfile: none for standard output, none over an input'
exact 1 "$KILN" bake cube.obj -o - --depfile d <<'END'
stderr:
kiln: bake: --depfile needs an OUT that has a name
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj -o x.kiln --depfile cube.obj <<'END'
stderr:
kiln: bake: the depfile 'cube.obj' is an input or an output
Try: kiln bake --help
END
same cube.obj "$top/models/tiny/cube.obj"
case_end

case_begin 'exit status 0: done'
exact 0 "$KILN" verify cube.kiln <<'END'
cube.kiln: sound; 1 tree, 12 triangles, 1 node
END
case_end

case_begin 'exit status 1: the command line, with a suggestion'
exact 1 "$KILN" bake cube.obj -o x.kiln --layuot raw <<'END'
stderr:
kiln: bake: there is no option '--layuot'; did you mean --layout?
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj <<'END'
stderr:
kiln: bake: -o OUT is missing
Try: kiln bake --help
END
exact 1 "$KILN" bake -o x.kiln <<'END'
stderr:
kiln: bake: no file is given
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj -o x.kiln --leaf 16 <<'END'
stderr:
kiln: bake: --leaf takes a number from 1 to 15, not 16
Try: kiln bake --help
END
exact 1 "$KILN" diff cube.kiln <<'END'
stderr:
kiln: diff: a file is missing
Try: kiln diff --help
END
case_end

case_begin 'exit status 2: a file that is not there, a folder'
mkdir folder
exact 2 "$KILN" bake nowhere.obj -o x.kiln <<'END'
stderr:
kiln: nowhere.obj: can't be opened; No such file or directory; check the path and its permissions
END
exact 2 "$KILN" bake folder -o x.kiln <<'END'
stderr:
kiln: folder: has no model of a format that is read (kiln bake --formats); check it, or give --allow-empty
END
exact 2 "$KILN" info nowhere.kiln <<'END'
stderr:
kiln: nowhere.kiln: can't be opened; No such file or directory; check the path and its permissions
END
exact 2 "$KILN" info folder <<'END'
stderr:
kiln: folder: not a regular file, a folder; give the path of a file
END
case_end

case_begin 'exit status 2: no space'
if [ -e /dev/full ]; then
    exact 2 "$KILN" bake cube.obj -o /dev/full <<'END'
stderr:
kiln: /dev/full: can't be written; no space left on the device; free some and run again
END
    exact 2 sh -c '"$KILN" bake cube.obj -o - >/dev/full' <<'END'
stderr:
kiln: standard output: can't be written; no space left on the device; free some and run again
END
    exact 2 sh -c '"$KILN" info cube.kiln >/dev/full' <<'END'
stderr:
kiln: standard output: can't be written; no space left on the device; free some and run again
END
    case_end
else
    case_skip 'there is no /dev/full'
fi

case_begin 'exit status 3: a broken model, named to the face'
exact 3 "$KILN" bake nan.obj -o x.kiln <<'END'
stderr:
kiln: nan.obj: node "/default", mesh "default", face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)
END
case_end

case_begin 'exit status 3: a file of another kind'
exact 3 "$KILN" info cube.obj <<'END'
stderr:
kiln: cube.obj: not a kiln file: it does not begin like one; give a file that kiln bake wrote
END
case_end

case_begin 'exit status 3: warnings as errors'
sed 's/^v \(.*\) \(.*\) \(.*\)/v 100000000.25 \2 \3/' cube.obj >flat.obj
exact 0 "$KILN" bake flat.obj -o flat.kiln <<'END'
stderr:
kiln: flat.obj: warning: node "/cube": coordinates as large as 100000000 lose up to 4 in 32-bit floats, which step by 8 there, in a part 1 wide; move the model nearer to its origin
END
exact 3 "$KILN" bake flat.obj -o strict.kiln --strict <<'END'
stderr:
kiln: flat.obj: node "/cube": coordinates as large as 100000000 lose up to 4 in 32-bit floats, which step by 8 there, in a part 1 wide; move the model nearer to its origin (1 warning; under --strict none is let pass)
END
not_there strict.kiln
case_end

case_begin 'exit status 4: a limit'
awk 'BEGIN { for (i = 0; i < 400000; i++) print "v", i, i * i, 1; print "f 1 2 3" }' >long.obj
exact 4 "$KILN" bake long.obj -o long.kiln --import-seconds 0.005 <<'END'
stderr:
kiln: long.obj: import takes longer than 0.005 s; simplify the model or raise that limit (--import-seconds)
END
not_there long.kiln
case_end

case_begin 'exit status 5: a format that nobody reads, a kiln file to be baked, a newer version'
echo text >text.xyzzy
exact 5 "$KILN" bake text.xyzzy -o text.kiln <<'END'
stderr:
kiln: text.xyzzy: no reader for "xyzzy" files; convert it to OBJ, PLY, STL, glTF or FBX, or name its format if the extension is misleading
END
exact 5 "$KILN" bake cube.kiln -o text.kiln <<'END'
stderr:
kiln: cube.kiln: a kiln file is baked already; give the model that it was made from
END
cp cube.kiln newer.kiln
printf '\11\0\0\0' | dd of=newer.kiln bs=1 seek=8 conv=notrunc 2>/dev/null
exact 5 "$KILN" info newer.kiln <<'END'
stderr:
kiln: newer.kiln: baked by format version 9.0, this reads 1.x; bake it again with this version, or use the other one
END
not_there text.kiln
case_end

case_begin 'exit status 7: it differs'
"$KILN" bake -q cube.obj -o leaf.kiln --leaf 1 || case_fail 'bake'
exact 7 "$KILN" diff -q cube.kiln leaf.kiln <<'END'
END
sed 's/^v 1 1 1/v 1 1 2/' cube.obj >moved.obj
exact 7 "$KILN" verify -q cube.kiln --source moved.obj <<'END'
stderr:
kiln: cube.kiln: triangle 2, node '/cube', mesh 'cube', face 1: corner 2 is 1 1 1, in the source it is 1 1 2; 5 of 12 triangles differ from moved.obj, and its bytes have changed; bake it again
END
case_end

case_begin 'JSON report: on success and on failure; documents.sh has every verb'
exact 0 "$KILN" verify --json cube.kiln <<'END'
{
  "schema": "kiln-report-1",
  "verb": "verify",
  "kiln": "VERSION",
  "file": "cube.kiln",
  "status": 0,
  "sound": true,
  "trees": 1,
  "triangles": 12,
  "nodes": 1,
  "containments": 36,
  "counted": 0,
  "values": 0,
  "axes": 0,
  "weights": 0
}
END
exact 2 "$KILN" info --json nowhere.kiln <<'END'
{
  "schema": "kiln-report-1",
  "verb": "info",
  "kiln": "VERSION",
  "error": {
    "status": 2,
    "message": "nowhere.kiln: can't be opened; No such file or directory; check the path and its permissions"
  },
  "file": "nowhere.kiln",
  "status": 2
}
stderr:
kiln: nowhere.kiln: can't be opened; No such file or directory; check the path and its permissions
END
exact 1 "$KILN" bake --json cube.obj -o x.kiln --leaf 99 <<'END'
{
  "schema": "kiln-report-1",
  "verb": "bake",
  "kiln": "VERSION",
  "error": {
    "status": 1,
    "message": "bake: --leaf takes a number from 1 to 15, not 99"
  },
  "status": 1
}
stderr:
kiln: bake: --leaf takes a number from 1 to 15, not 99
Try: kiln bake --help
END
case_end

case_begin 'stdin and stdout as -: the file into a pipe, the report to standard error'
exact 0 sh -c '"$KILN" bake - --format obj -o - <cube.obj >piped.kiln' <<'END'
END
exact 0 "$KILN" diff --geometry -q piped.kiln cube.kiln <<'END'
END
exact 0 sh -c '"$KILN" bake - --format obj -o - --json <cube.obj >piped.kiln' <<'END'
stderr:
{
  "schema": "kiln-report-1",
  "verb": "bake",
  "kiln": "VERSION",
  "input": "-",
  "output": "-",
  "status": 0,
  "faces": 12,
  "faces_dropped": 0,
  "points_left_out": 0,
  "lines_left_out": 0,
  "degenerate": 0,
  "duplicate": 0,
  "polygons_cut": 6,
  "empty_meshes": 0,
  "bytes_source": 162,
  "bytes_file": N,
  "unit_metres": null,
  "up_axis": null,
  "precision_step": 0.0,
  "lossy_step": 0.0,
  "lossy_moved": 0.0,
  "lossy_degenerate": 0,
  "trees": [
    {
      "name": "model",
      "bv": "obb",
      "triangles": 12,
      "nodes": 1,
      "depth": 1,
      "bytes_raw": 128,
      "bytes_packed": N,
      "sah_cost": 11.666666666666668
    }
  ],
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
  "outcome": "baked"
}
END
exact 0 sh -c '"$KILN" bake cube.obj -o - -v >piped.kiln' <<'END'
stderr:
standard output: 12 triangles, N bytes, N a triangle, baked in T s
  left out       nothing
  obb            model: 1 node, N bytes, N a triangle, raw 10.67
END
same piped.kiln cube.kiln
exact 0 sh -c 'echo 0.5 0.5 0.5 | "$KILN" query cube.kiln --points -' <<'END'
inside
END
case_end

case_begin 'stdin and stdout as -: what they need, what they exclude'
exact 1 "$KILN" bake - -o x.kiln <<'END'
stderr:
kiln: bake: standard input needs --format EXT
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj mixed.obj -o - <<'END'
stderr:
kiln: bake: standard output takes one input, not 2
Try: kiln bake --help
END
exact 3 "$KILN" bake - --format obj -o - <<'END'
stderr:
kiln: -: it is empty; give a model
END
case_end

case_begin 'deterministic bytes: for any threads, folder, locale, time'
mkdir -p other/folder
cp cube.obj other/folder/cube.obj
exact 0 sh -c 'cd other/folder && TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 "$KILN" bake -j 7 cube.obj -o there.kiln' <<'END'
END
exact 0 "$KILN" bake -j 1 cube.obj -o here.kiln <<'END'
END
exact 0 cmp here.kiln other/folder/there.kiln <<'END'
END
case_end

case_begin 'threads: -j takes a number'
exact 0 "$KILN" bake -j2 cube.obj tetrahedron.obj -o two.d <<'END'
stderr:
kiln: 2 baked in T s; N read, N written
END
exact 1 "$KILN" bake -j 0 cube.obj -o x.kiln <<'END'
stderr:
kiln: bake: --jobs takes a number from 1 to 256, not 0
Try: kiln bake --help
END
exact 1 "$KILN" bake -j many cube.obj -o x.kiln <<'END'
stderr:
kiln: bake: --jobs takes a whole number, not 'many'
Try: kiln bake --help
END
case_end

case_begin 'threads: tokens of the jobserver of make are taken and given back'
mkfifo tokens
exec 7<>tokens
printf 'ab' >&7
exact 0 env MAKEFLAGS=' -j3 --jobserver-auth=fifo:tokens' "$KILN" bake cube.obj mixed.obj tetrahedron.obj -q -o two.d <<'END'
END
exact 0 sh -c 'head -c 2 <&7 | fold -w1 | sort' <<'END'
a
b
END
exec 7<&-
case_end

case_begin 'manual pages: from the one table that --help is made of'
exact 0 "$KILN" upgrade --help <<'END'
usage: kiln upgrade [options] FILE...

A file of the version that this command writes is current. An older one that it
reads without conversion is readable: nothing has to be done. Versions before
1.0 can't be read or converted: such files have to be baked again, exit status
7. A file of a newer version than this command knows ends in exit status 5, a
broken one in 3. Nothing is written: there is no older version yet that could be
converted.

options:
  -q, --quiet             print only errors; the exit status is the result
      --json              print one JSON document on standard output, also on
                          failure
      --color auto|always|never
                          colours in messages and tables; auto: on a terminal,
                          unless NO_COLOR is set or TERM is dumb (default auto)
  -h, --help              this text
END
exact 0 "$KILN" --man upgrade <<'END'
.TH KILN-UPGRADE 1 "" "kiln VERSION" "User Commands"
.SH NAME
kiln\-upgrade \- list the files that have to be baked again for this version
.SH SYNOPSIS
.B kiln upgrade
[\fIoptions\fR] FILE...
.SH DESCRIPTION
A file of the version that this command writes is current. An older one that it reads without conversion is readable: nothing has to be done. Versions before 1.0 can't be read or converted: such files have to be baked again, exit status 7. A file of a newer version than this command knows ends in exit status 5, a broken one in 3. Nothing is written: there is no older version yet that could be converted.
.SH OPTIONS
.TP
\fB\-q\fR, \fB\-\-quiet\fR
print only errors; the exit status is the result
.TP
\fB\-\-json\fR
print one JSON document on standard output, also on failure
.TP
\fB\-\-color\fR \fI\%auto|\:always|\:never\fR
colours in messages and tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb (default auto)
.TP
\fB\-\-help\fR
print a summary of this page
.SH EXIT STATUS
That of every verb, see
.BR kiln (1).
.SH SEE ALSO
.BR kiln (1),
.BR kiln\-format (5)
END
exact 1 "$KILN" --man frob <<'END'
stderr:
kiln: --man: there is no verb 'frob'
Try: kiln --help
END
case_end

case_begin 'pkg-config and CMake'
if command -v pkg-config >/dev/null && command -v cmake >/dev/null && [ -d "$top/tools/package" ]; then
    make_here -C "$top" "DESTDIR=$TMPDIR/root" PREFIX=/opt/kiln install >log 2>&1 ||
        case_fail "make install: $(cat log)"
    # Paths are those of the place that the file is found in.
    config() {
        PKG_CONFIG_PATH=$TMPDIR/root/opt/kiln/lib/pkgconfig pkg-config "$@" |
            sed "s|$TMPDIR/root/opt/kiln/lib/pkgconfig/../..|PREFIX|g"
    }
    exact 0 config --cflags --libs kiln <<'END'
-IPREFIX/include -LPREFIX/lib -lkiln 
END
    exact 0 config --static --libs kiln <<'END'
-LPREFIX/lib -lkiln -lz -lm 
END
    exact 0 config --cflags --libs kilnbake <<'END'
-IPREFIX/include -LPREFIX/lib -lkilnbake -lkiln -ljansson -lgmp -lz -lm -pthread 
END
    exact 0 cmake --find-package -DNAME=kiln -DCOMPILER_ID=GNU -DLANGUAGE=C -DMODE=EXIST "-DCMAKE_PREFIX_PATH=$TMPDIR/root/opt/kiln" <<'END'
kiln found.
END
    case_end
else
    case_skip 'there is no pkg-config or no cmake'
fi

case_begin 'completion: bash'
cat >complete <<'END'
eval "$("$KILN" --completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_kiln
printf '%s\n' "${COMPREPLY[@]}"
END
exact 0 bash complete kiln u <<'END'
unpack
upgrade
END
exact 0 bash complete kiln upgrade -- <<'END'
--quiet
--json
--color
--help
END
exact 0 bash complete kiln bake --layout '' <<'END'
packed
raw
END
exact 1 "$KILN" --completion csh <<'END'
stderr:
kiln: --completion takes one of bash, zsh, fish
Try: kiln --help
END
case_end

case_begin 'completion: fish'
if command -v fish >/dev/null; then
    exact 0 env "HOME=$TMPDIR" fish -c '"$KILN" --completion fish | source; complete -C "kiln bake --layout "' <<'END'
packed
raw
END
    case_end
else
    case_skip 'fish is not installed'
fi

case_begin 'completion: zsh'
if command -v zsh >/dev/null; then
    exact 0 zsh -f -c 'autoload -U compinit && compinit -D && eval "$("$KILN" --completion zsh)" && echo "${_comps[kiln]}"' <<'END'
_kiln
END
    case_end
else
    case_skip 'zsh is not installed'
fi

case_begin 'progress: none into a pipe'
exact 0 "$KILN" bake cube.obj -o x.kiln --progress auto <<'END'
END
exact 0 "$KILN" bake cube.obj tetrahedron.obj -o two.d --progress auto <<'END'
stderr:
kiln: 2 baked in T s; N read, N written
END
exact 0 "$KILN" bake cube.obj tetrahedron.obj -o two.d --progress auto --quiet <<'END'
END
case_end

case_begin 'progress: lines of JSON'
exact 0 "$KILN" bake cube.obj -o x.kiln --progress json <<'END'
stderr:
{"file":"cube.obj","stage":"import","part":0.0}
{"file":"cube.obj","stage":"import","part":1.0}
{"file":"cube.obj","stage":"build obb","part":0.0}
{"file":"cube.obj","stage":"build obb","part":1.0}
{"file":"cube.obj","stage":"write","part":0.0}
{"file":"cube.obj","stage":"write","part":1.0}
END
exact 0 "$KILN" bake cube.obj tetrahedron.obj -o two.d --progress json -j1 <<'END'
stderr:
{"file":"cube.obj","stage":"import","part":0.0}
{"file":"cube.obj","stage":"import","part":1.0}
{"file":"cube.obj","stage":"build obb","part":0.0}
{"file":"cube.obj","stage":"build obb","part":1.0}
{"file":"cube.obj","stage":"write","part":0.0}
{"file":"cube.obj","stage":"write","part":1.0}
{"file":"cube.obj","outcome":"baked","status":0,"done":1,"count":2,"seconds":T,"seconds_left":T}
{"file":"tetrahedron.obj","stage":"import","part":0.0}
{"file":"tetrahedron.obj","stage":"import","part":1.0}
{"file":"tetrahedron.obj","stage":"build obb","part":0.0}
{"file":"tetrahedron.obj","stage":"build obb","part":1.0}
{"file":"tetrahedron.obj","stage":"write","part":0.0}
{"file":"tetrahedron.obj","stage":"write","part":1.0}
{"file":"tetrahedron.obj","outcome":"baked","status":0,"done":2,"count":2,"seconds":T,"seconds_left":T}
END
case_end

# Control characters spelled out; of the drawings of a bar, which come by the clock, the first.
shown() {
    NO_COLOR=1 TERM=xterm COLUMNS=80 script -qec "$1" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[K/\n/g' | grep . | steady | awk '!/^\[/ || !bars++'
}

case_begin 'progress: a bar on a terminal, and the report of a bake'
if command -v script >/dev/null; then
    shown '"$KILN" bake mixed.obj -o x.kiln --progress bar' >text
    exact 0 cat text <<'END'
[                              ]   0 % import
kiln: mixed.obj: left out: 1 point (see --points), 2 lines
x.kiln: 2 triangles, N bytes, N a triangle, baked in T s
  left out       1 point, 2 lines
  obb            model: 1 node, N bytes, N a triangle, raw 64.00
  first query    in T ms, trusted T ms; the build took T ms
END
    shown '"$KILN" bake cube.obj tetrahedron.obj -o two.d -j1 --progress bar' |
        sed -E 's/ [0-9]+\.[0-9]+( +)[0-9]+\.[0-9]+$/   N.NN       N.NN/' >text
    exact 0 cat text <<'END'
[                    ] 0/2  0.0/s    cube.obj
model              triangles  bytes/tri.    seconds  left out
cube.obj                  12        N.NN       N.NN
tetrahedron.obj            4        N.NN       N.NN
kiln: 2 baked in T s; N read, N written
END
    shown '"$KILN" bake -q mixed.obj -o x.kiln --progress bar' >text
    exact 0 cat text <<'END'
END
    case_end
else
    case_skip 'there is no script'
fi

case_begin 'batch: a list of inputs'
printf 'cube.obj\nmixed.obj\n' >list
exact 0 "$KILN" bake @list -o list.d <<'END'
stderr:
kiln: mixed.obj: left out: 1 point (see --points), 2 lines
kiln: 2 baked in T s; N read, N written
END
exact 0 ls list.d <<'END'
cube.kiln
mixed.kiln
END
exact 2 "$KILN" bake @nowhere -o list.d <<'END'
stderr:
kiln: nowhere: can't be opened; No such file or directory; check the path and its permissions
END
case_end

case_begin 'batch: of three one is bad'
exact 3 "$KILN" bake cube.obj nan.obj tetrahedron.obj -o bad.d -j1 <<'END'
stderr:
kiln: nan.obj: node "/default", mesh "default", face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)
kiln: failed: nan.obj
kiln: 2 baked, 1 failed in T s; N read, N written
END
exact 0 ls bad.d <<'END'
cube.kiln
tetrahedron.kiln
END
case_end

case_begin 'batch: a manifest'
cat >m.yaml <<'END'
kiln: 1
output: baked
defaults: {bv: [obb, aabb]}
assets:
  - path: "[ct]*.obj"
  - {path: cube.obj, output: hero.kiln, options: {leaf: 2}}
END
exact 0 "$KILN" bake -m m.yaml <<'END'
stderr:
kiln: 3 baked in T s; N read, N written
END
exact 0 ls baked <<'END'
cube.kiln
hero.kiln
tetrahedron.kiln
END
exact 0 "$KILN" bake -m m.yaml --if-changed <<'END'
stderr:
kiln: 3 up to date in T s
END
sed 's/leaf: 2/leaf: 99/' m.yaml >wrong.yaml
exact 3 "$KILN" bake -m wrong.yaml <<'END'
stderr:
kiln: wrong.yaml:6:57: leaf takes a number from 1 to 15, not 99
END
case_end

case_begin 'batch: --dump-config prints the manifest of all that is said'
exact 0 "$KILN" bake --dump-config cube.obj -o x.kiln --leaf 2 --strict <<'END'
# A manifest of kiln bake; paths are taken from the folder that this file is in.
kiln: 1
output: .
assets:
  - path: "cube.obj"
    output: "x.kiln"
    options:
      bv: "obb"
      leaf: 2
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
      strict: true
      import-memory: 1792
      import-seconds: 50
END
case_end

case_begin 'batch: a plan for another program'
exact 0 "$KILN" plan --format ninja --leaf 2 cube.obj mixed.obj -o "out dir" <<'END'
ninja_required_version = 1.5
kiln = kiln
versions = kiln-VERSION,assimp-VERSION,zlib-VERSION
rule bake
  command = $kiln bake -q -j1 --if-changed -o $out $options --depfile $out.d --depfile-programs -- $folder$in # $versions
  restat = 1
  depfile = $out.d
  description = bake $out
build out$ dir/cube.kiln: bake cube.obj
  options = --leaf=2
build out$ dir/mixed.kiln: bake mixed.obj
  options = --leaf=2
END
exact 0 "$KILN" plan --format parallel --leaf 2 --bv aabb @list -o out <<'END'
mkdir -p out && ${KILN:-kiln} bake -q -j1 --if-changed --need-version=kiln-VERSION,assimp-VERSION,zlib-VERSION -o out/cube.kiln --bv=aabb --leaf=2 -- cube.obj
mkdir -p out && ${KILN:-kiln} bake -q -j1 --if-changed --need-version=kiln-VERSION,assimp-VERSION,zlib-VERSION -o out/mixed.kiln --bv=aabb --leaf=2 -- mixed.obj
END
case_end

case_begin 'up-to-date check: by what it was made from'
exact 0 "$KILN" bake --if-changed cube.obj -o kept.kiln <<'END'
END
touch -d '1999-01-01' kept.kiln
exact 0 "$KILN" bake --if-changed cube.obj -o kept.kiln <<'END'
stderr:
kiln: kept.kiln: up to date: made from the same bytes by the same options
END
[ "$(find kept.kiln -newermt '2000-01-01')" = '' ] || case_fail 'it was written again'
exact 0 "$KILN" bake --if-changed --leaf 1 cube.obj -o kept.kiln <<'END'
END
[ "$(find kept.kiln -newermt '2000-01-01')" = kept.kiln ] || case_fail 'it was not written'
exact 0 "$KILN" bake --if-changed cube.obj tetrahedron.obj -o two.d <<'END'
stderr:
kiln: 2 up to date in T s
END
case_end

case_begin 'atomic write: a failed bake leaves the old file whole, and no other'
mkdir atomic
cp cube.kiln atomic/cube.kiln
exact 3 "$KILN" bake nan.obj -o atomic/cube.kiln <<'END'
stderr:
kiln: nan.obj: node "/default", mesh "default", face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)
END
same cube.kiln atomic/cube.kiln
exact 2 sh -c 'ulimit -f 1; exec "$KILN" bake tetrahedron.obj -o atomic/cube.kiln --layout raw' <<'END'
stderr:
kiln: atomic/cube.kiln: can't be written; no space: the limit on file size is reached; raise it (ulimit -f) and run again
END
same cube.kiln atomic/cube.kiln
exact 0 ls -A atomic <<'END'
cube.kiln
END
case_end

case_begin 'validate file: a fault is named with its place, status 3'
cp cube.kiln cut.kiln
printf '\377\377\377' | dd of=cut.kiln bs=1 seek=$(($(wc -c <cube.kiln) - 20)) conv=notrunc 2>/dev/null
exact 3 "$KILN" verify cut.kiln <<'END'
stderr:
kiln: cut.kiln: damaged at offset N: a checksum of section 'meta' does not match; bake it again, or fetch it again where it came from
END
head -c 1000 cube.kiln >short.kiln
exact 3 "$KILN" verify cube.kiln short.kiln <<'END'
cube.kiln: sound; 1 tree, 12 triangles, 1 node
stderr:
kiln: short.kiln: not a complete file: N bytes of N; bake it again, or fetch it again where it came from
END
case_end

case_begin 'early argument check: before any work'
exact 2 "$KILN" bake long.obj -o long.obj/folder.kiln <<'END'
stderr:
kiln: long.obj: is a file, where a folder is to be; move it, or name another folder
END
exact 1 "$KILN" bake long.obj -o x.kiln --bv obb,dop7 <<'END'
stderr:
kiln: bake: long.obj: unknown kind of bounding volume 'dop7'; use obb, aabb, obb2, aabb2, dop14, dop6, dop18, dop24, dop26, sphere or octree, or auto alone
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj ./cube.obj -o two.d <<'END'
stderr:
kiln: bake: 'cube.obj' and './cube.obj' would both be written to 'two.d/cube.kiln'
Try: kiln bake --help
END
exact 1 "$KILN" bake cube.obj -o ./cube.obj <<'END'
stderr:
kiln: bake: the output './cube.obj' is the input
Try: kiln bake --help
END
case_end

cases_end
