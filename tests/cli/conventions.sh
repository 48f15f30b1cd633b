#!/bin/sh
# What a pipeline expects of any tool of its kind, a case each: command line, exact standard output, exact
# standard error, status. README.md of this folder lists where each is tested further.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS MAKEFLAGS

cp models/tiny/cube.obj models/tiny/mixed.obj models/tiny/nan.obj models/tiny/painted.obj \
    models/tiny/painted.mtl "$TMPDIR"
cd "$TMPDIR" || exit 1

# Seconds, and bytes that depend on zlib, are in none of these texts.

case_begin 'one verb a sub-command, an unknown one with a suggestion'
expect 1 "$KILN" verfiy cube.kiln
silent out
exactly err <<'END'
kiln: there is no verb 'verfiy'; did you mean verify?
Try: kiln --help
END
case_end

case_begin 'silent where all is well, and not a terminal'
expect 0 "$KILN" bake cube.obj -o cube.kiln
silent out
silent err
case_end

case_begin 'a depfile names all that was read'
expect 0 "$KILN" bake painted.obj -o painted.kiln --depfile d
silent out
silent err
for word in 'painted.kiln' 'painted.obj' 'painted.mtl'; do
    grep -qF "$word" d || case_fail "the depfile lacks $word"
done
case_end

case_begin 'exit status 0: done'
expect 0 "$KILN" verify cube.kiln
exactly out <<'END'
cube.kiln: sound; 1 tree, 12 triangles, 1 nodes
END
silent err
case_end

case_begin 'exit status 1: the command line, with a suggestion'
expect 1 "$KILN" bake cube.obj -o x.kiln --layuot raw
silent out
exactly err <<'END'
kiln: bake: there is no option '--layuot'; did you mean --layout?
Try: kiln bake --help
END
case_end

case_begin 'exit status 2: a file that is not there, a folder'
expect 2 "$KILN" bake nowhere.obj -o x.kiln
silent out
exactly err <<'END'
kiln: nowhere.obj: can't open it; No such file or directory; check the name and the permissions
END
mkdir folder
expect 2 "$KILN" bake folder -o x.kiln
exactly err <<'END'
kiln: folder: can't read it; it is a folder; name a model's file
END
expect 2 "$KILN" info folder
silent out
exactly err <<'END'
kiln: folder: not a regular file, a folder; give the path of a file
END
case_end

case_begin 'exit status 2: no permission'
if [ "$(id -u)" -ne 0 ]; then
    cp cube.obj locked.obj
    chmod 0 locked.obj
    expect 2 "$KILN" bake locked.obj -o x.kiln
    silent out
    exactly err <<'END'
kiln: locked.obj: can't open it; Permission denied; check the name and the permissions
END
    case_end
else
    case_skip 'root may read all'
fi

case_begin 'exit status 2: no space'
if [ -e /dev/full ]; then
    expect 2 "$KILN" bake cube.obj -o /dev/full
    silent out
    exactly err <<'END'
kiln: /dev/full: can't be written; no space left on the device; free some and run again
END
    case_end
else
    case_skip 'there is no /dev/full'
fi

case_begin 'exit status 3: a broken model, named to the face'
expect 3 "$KILN" bake nan.obj -o x.kiln
silent out
says err 'kiln: nan.obj: '
says err 'face'
[ "$(wc -l <err)" -eq 1 ] || case_fail 'not one line'
case_end

case_begin 'exit status 3: a file of another kind'
expect 3 "$KILN" info cube.obj
silent out
exactly err <<'END'
kiln: cube.obj: not a kiln file: it does not begin like one; give a file that kiln bake wrote
END
case_end

case_begin 'exit status 4: a limit'
awk 'BEGIN { for (i = 0; i < 400000; i++) print "v", i, i * i, 1; print "f 1 2 3" }' >long.obj
expect 4 "$KILN" bake long.obj -o x.kiln --import-seconds 0.005
silent out
exactly err <<'END'
kiln: long.obj: import takes longer than 0.005 s; simplify the model or raise that limit
END
case_end

case_begin 'exit status 5: a format that nobody reads, a kiln file to be baked, a newer version'
echo text >text.xyzzy
expect 5 "$KILN" bake text.xyzzy -o x.kiln
silent out
exactly err <<'END'
kiln: text.xyzzy: no reader for "xyzzy" files; convert it to OBJ, PLY, STL, glTF or FBX, or name its format if the extension is misleading
END
expect 5 "$KILN" bake cube.kiln -o x.kiln
exactly err <<'END'
kiln: cube.kiln: a kiln file is baked already; give the model that it was made from
END
cp cube.kiln newer.kiln
printf '\11\0\0\0' | dd of=newer.kiln bs=1 seek=8 conv=notrunc 2>/dev/null
expect 5 "$KILN" info newer.kiln
silent out
says err 'kiln: newer.kiln: baked by format version 9.0, this reads '
case_end

case_begin 'exit status 7: it differs'
"$KILN" bake -q cube.obj -o leaf.kiln --leaf 1 || case_fail 'bake'
expect 7 "$KILN" diff -q cube.kiln leaf.kiln
silent out
silent err
case_end

case_begin 'warnings as errors'
sed 's/^v \(.*\) \(.*\) \(.*\)/v 100000000.25 \2 \3/' cube.obj >flat.obj
expect 0 "$KILN" bake flat.obj -o flat.kiln
says err 'flat.obj: warning: '
expect 3 "$KILN" bake flat.obj -o strict.kiln --strict
silent out
[ ! -e strict.kiln ] || case_fail 'a file was written'
case_end

case_begin 'one document of JSON, also on failure'
expect 2 "$KILN" info --json nowhere.kiln
sed 's/"kiln": "[^"]*"/"kiln": "VERSION"/' out >rest
mv rest out
exactly out <<'END'
{
  "schema": "kiln-report-1",
  "verb": "info",
  "kiln": "VERSION",
  "error": {
    "status": 2,
    "message": "nowhere.kiln: can't be opened; No such file or directory; check the path"
  },
  "file": "nowhere.kiln",
  "status": 2
}
END
exactly err <<'END'
kiln: nowhere.kiln: can't be opened; No such file or directory; check the path
END
case_end

case_begin 'standard input and output as -'
"$KILN" bake - --format obj -o - <cube.obj >piped.kiln 2>err || case_fail 'status is not 0'
silent err
expect 0 "$KILN" diff --geometry -q piped.kiln cube.kiln
silent out
silent err
case_end

case_begin 'the same bytes for any threads, folder, locale, time'
mkdir -p other/folder
cp cube.obj other/folder/cube.obj
(cd other/folder && TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 "$KILN" bake -j 7 cube.obj -o there.kiln) ||
    case_fail 'bake'
expect 0 "$KILN" bake -j 1 cube.obj -o here.kiln
same here.kiln other/folder/there.kiln
silent out
silent err
case_end

case_begin '-j takes a number'
expect 1 "$KILN" bake -j 0 cube.obj -o x.kiln
silent out
exactly err <<'END'
kiln: bake: --jobs takes a number from 1 to 256, not 0
Try: kiln bake --help
END
case_end

case_begin 'progress: none into a pipe, lines of JSON on request'
expect 0 "$KILN" bake cube.obj -o x.kiln --progress auto
silent out
silent err
expect 0 "$KILN" bake cube.obj -o x.kiln --progress json
silent out
grep -qv '^{"file":"cube.obj","stage":"[a-z0-9 ]*","part":[0-9.e-]*}$' err && case_fail 'another line'
says err '{"file":"cube.obj","stage":"import","part":0.0}'
rm x.kiln
case_end

case_begin 'up to date by what it was made from'
expect 0 "$KILN" bake --if-changed cube.obj -o kept.kiln
touch -d '1999-01-01' kept.kiln
expect 0 "$KILN" bake --if-changed cube.obj -o kept.kiln
silent out
exactly err <<'END'
kiln: kept.kiln: up to date: made from the same bytes by the same options
END
[ "$(find kept.kiln -newermt '2000-01-01')" = '' ] || case_fail 'it was written again'
expect 0 "$KILN" bake --if-changed --leaf 1 cube.obj -o kept.kiln
[ "$(find kept.kiln -newermt '2000-01-01')" = kept.kiln ] || case_fail 'it was not written'
case_end

case_begin 'a list of inputs'
printf 'cube.obj\nmixed.obj\n' >list
expect 0 "$KILN" bake @list -o out.d
silent out
exactly err <<'END'
kiln: mixed.obj: left out: 1 point, 2 lines
END
[ -s out.d/cube.kiln ] && [ -s out.d/mixed.kiln ] || case_fail 'files are missing'
case_end

case_begin 'a failed bake leaves the old file whole, and no other'
cp cube.kiln before
expect 3 "$KILN" bake nan.obj -o cube.kiln
same before cube.kiln
[ "$(find . -name '.kiln-*' -o -name '*.tmp')" = '' ] || case_fail 'something is left'
case_end

case_begin 'a damaged file is named, with the place'
cp cube.kiln cut.kiln
printf '\377\377\377' | dd of=cut.kiln bs=1 seek=$(($(wc -c <cube.kiln) - 20)) conv=notrunc 2>/dev/null
expect 3 "$KILN" verify cut.kiln
silent out
says err 'kiln: cut.kiln: '
says err 'checksum'
[ "$(wc -l <err)" -eq 1 ] || case_fail 'not one line'
case_end

case_begin 'arguments are looked at before any work'
expect 2 "$KILN" bake long.obj -o no/such/folder.kiln
silent out
exactly err <<'END'
kiln: no/such/folder.kiln: can't be written; No such file or directory; check the path and its permissions
END
case_end

case_begin 'quiet: notes go, errors stay'
expect 0 "$KILN" bake mixed.obj -o x.kiln
exactly err <<'END'
kiln: mixed.obj: left out: 1 point, 2 lines
END
expect 0 "$KILN" bake -q mixed.obj -o x.kiln
silent out
silent err
expect 2 "$KILN" bake -q nowhere.obj -o x.kiln
says err 'nowhere.obj'
case_end

case_begin 'a file in place of the verb'
expect 1 "$KILN" cube.obj
silent out
exactly err <<'END'
kiln: there is no verb 'cube.obj', it is a file; kiln bake cube.obj -o OUT.kiln bakes it
Try: kiln --help
END
case_end

case_begin 'the report of a bake on a terminal'
if command -v script >/dev/null; then
    script -qec "'$KILN' bake mixed.obj -o x.kiln" /dev/null </dev/null | tr -d '\r' >out
    for text in 'x.kiln: 2 triangles, ' ' a triangle, baked in ' '  left out       1 point, 2 lines' \
        '  obb            ' '  first query    in ' ' ms; building the trees'; do
        says out "$text"
    done
    [ "$(awk 'length($0) > 80' out)" = '' ] || case_fail 'a line is longer than 80'
    case_end
else
    case_skip 'there is no script'
fi

case_begin 'the report of a bake in JSON'
expect 0 "$KILN" bake --json cube.obj -o x.kiln
silent err
for text in '"seconds_build": ' '"seconds_first_query": ' '"seconds_first_query_trusted": ' \
    '"bytes_file": ' '"faces_dropped": 0' '"points_left_out": 0'; do
    says out "$text"
done
grep -q '"seconds_first_query": null' out && case_fail 'the first query was not measured'
case_end

cases_end
