#!/bin/sh
# Many assets in one run: lists and manifests, what is told of failures, jobserver, signals.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)

mkdir -p "$TMPDIR/m/sub/deep" "$TMPDIR/m/.hidden"
cp models/tiny/cube.obj "$TMPDIR/m/sub/deep/a.obj"
cp models/tiny/tetrahedron.obj "$TMPDIR/m/sub/b.obj"
cp models/tiny/cube.obj "$TMPDIR/m/c.obj"
cp models/tiny/cube.obj "$TMPDIR/m/.hidden/d.obj"
cp models/tiny/nan.obj "$TMPDIR/m/bad.obj"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cp models/tiny/cube.obj "$TMPDIR/m/many$i.obj"
done
cd "$TMPDIR/m" || exit 1

# made NAME...: these are the files in out/, and each is sound.
made() {
    (cd out && find . -type f | sort | sed 's|^\./||') >"$TMPDIR/made"
    printf '%s\n' "$@" | sort | cmp -s - "$TMPDIR/made" ||
        case_fail "out/ has $(tr '\n' ' ' <"$TMPDIR/made")"
    "$KILN" verify $(find out -name '*.kiln') >/dev/null || case_fail 'a file is not sound'
}

case_begin 'a list of names'
printf '\357\273\277# two\n\nsub/b.obj\r\nc.obj\n' >list
expect 0 "$KILN" bake @list -o out
echo 'kiln: 2 baked in T s; N read, N written' | exactly err
made b.kiln c.kiln
rm -r out
expect 0 "$KILN" bake @list sub/deep/a.obj -o out --folders tree
made sub/b.kiln c.kiln sub/deep/a.kiln
rm -r out
case_end

case_begin 'a list ended by zero bytes, on standard input, with a name of two lines'
cp c.obj 'two
lines.obj'
find . -name '*lines.obj' -print0 | "$KILN" bake @- -o out || case_fail 'it failed'
[ -e 'out/two
lines.kiln' ] || case_fail 'no file'
rm -r out 'two
lines.obj'
case_end

case_begin 'a list that is not there, an empty one, "@" alone'
expect 2 "$KILN" bake @nowhere -o out
says err 'nowhere'
: >empty
expect 1 "$KILN" bake @empty -o out
says err 'kiln: empty: lists no input; check it, or give --allow-empty'
expect 0 "$KILN" bake @empty -o out --allow-empty
expect 1 "$KILN" bake @ -o out
case_end

case_begin 'several inputs into what is a file: said once'
: >file
exact 2 "$KILN" bake c.obj sub/b.obj -o file <<'END'
stderr:
kiln: file: is a file, where a folder is to be; move it, or name another folder
END
exact 2 "$KILN" bake c.obj -o file/ <<'END'
stderr:
kiln: file/: is a file, where a folder is to be; move it, or name another folder
END
[ -f file ] && [ ! -s file ] || case_fail 'the file is another'
rm file
case_end

case_begin 'nothing is made by what bakes nothing'
expect 0 "$KILN" bake c.obj sub/b.obj -o out --dump-config
expect 0 "$KILN" plan c.obj sub/b.obj -o out
expect 1 "$KILN" bake c.obj ./c.obj -o out
[ ! -e out ] || case_fail 'out/ was made'
case_end

case_begin 'failures are named at the end, the rest is baked'
expect 3 "$KILN" bake bad.obj c.obj gone.obj -o out -j2
says err 'kiln: bad.obj: node "/default", mesh "default", face 1: corner 2 is not finite'
says err 'kiln: gone.obj: can'"'"'t be opened; No such file or directory'
[ "$(tail -n 3 "$TMPDIR/err" | steady | tr '\n' '|')" = \
    'kiln: failed: bad.obj|kiln: failed: gone.obj|kiln: 1 baked, 2 failed in T s; N read, N written|' ] ||
    case_fail 'the last lines are others'
made c.kiln
expect 3 "$KILN" bake bad.obj c.obj -o out --json
says out '"baked": 1'
says out '"failed": 1'
says out '"outcome": "failed"'
rm -r out
case_end

case_begin '--fail-fast begins no other'
{ cat bad.obj; yes '# the largest is begun first' | head -n 99; } >large_bad.obj
expect 3 "$KILN" bake large_bad.obj many1.obj many2.obj many3.obj -o out -j1 --fail-fast
says err 'kiln: many3.obj: not baked: another has failed'
[ "$(tail -n 1 "$TMPDIR/err" | steady)" = 'kiln: 1 failed, 3 not baked in T s' ] || case_fail 'the last line is another'
expect 1 "$KILN" bake bad.obj c.obj -o out --fail-fast --keep-going
rm -rf out
case_end

case_begin 'an output folder that can not be made fails its asset alone'
mkdir out
: >out/sub
expect 2 "$KILN" bake c.obj sub/b.obj -o out --folders tree
says err 'out/sub'
[ -e out/c.kiln ] || case_fail 'the other is missing'
rm -r out
case_end

# ------------------------------------------------------------------------------------- manifests

case_begin 'a manifest: patterns, defaults, options, outputs; kiln.yaml is found'
cat >kiln.yaml <<'END'
kiln: 1
output: out
defaults: {bv: [obb, aabb]}
assets:
  - path: "**/*.obj"
    exclude: ["*bad.obj", "many[0-9]*.obj"]
  - path: sub/b.obj
    options:
      leaf: 2
      adb: 8
  - path: c.obj
    output: hero.kiln
    options: {layout: raw, bv: obb}
END
expect 0 "$KILN" bake
made sub/deep/a.kiln sub/b.kiln c.kiln hero.kiln
"$KILN" bake c.obj -o alone.kiln --layout raw
same alone.kiln out/hero.kiln
"$KILN" bake sub/b.obj -o alone.kiln --bv obb,aabb --leaf 2 --adb=8
same alone.kiln out/sub/b.kiln
"$KILN" bake sub/deep/a.obj -o alone.kiln --bv obb,aabb
same alone.kiln out/sub/deep/a.kiln
case_end

case_begin 'from another folder; the command line wins'
cd .. || exit 1
exact 0 "$KILN" bake --manifest m/kiln.yaml --if-changed <<'END'
stderr:
kiln: 4 up to date in T s
END
expect 0 "$KILN" bake -m m/kiln.yaml --bv aabb --output m/other --folders flat -j1
expect 0 "$KILN" info m/other/b.kiln --json
says out '"bv": "aabb"'
says out '"leaf": 2'
cd m || exit 1
rm -r other
case_end

case_begin '--dump-config prints a manifest of the same'
cp -r out before
expect 0 "$KILN" bake --dump-config
cp "$TMPDIR/out" dumped.yaml
says out 'path: "sub/deep/a.obj"'
says out 'leaf: 2'
rm -r out
expect 0 "$KILN" bake --manifest dumped.yaml
for file in sub/deep/a.kiln sub/b.kiln c.kiln hero.kiln; do
    same before/$file out/$file
done
expect 0 "$KILN" bake c.obj sub/b.obj -o out --leaf 3 --dump-config
cp "$TMPDIR/out" dumped.yaml
expect 0 "$KILN" bake --manifest dumped.yaml --dump-config
same dumped.yaml "$TMPDIR/out"
rm -r before out
case_end

case_begin 'JSON is YAML'
printf '{\n\t"kiln": 1,\n\t"output": "out",\n\t"assets": [ { "path": "c.obj",\n\t\t"options": { "leaf": 3 } } ]\n}\n' >m.json
expect 0 "$KILN" bake -m m.json
made c.kiln
rm -r out
case_end

case_begin 'aliases stand for what they refer to'
cat >alias.yaml <<'END'
kiln: 1
output: out
assets:
  - {path: c.obj, options: &small {leaf: 1}}
  - {path: sub/b.obj, options: *small}
END
expect 0 "$KILN" bake -m alias.yaml
expect 0 "$KILN" info out/sub/b.kiln --json
says out '"leaf": 1'
rm -r out
case_end

case_begin 'merge keys: own members replace merged ones, the first of a list counts; x- members hold them'
cat >merge.yaml <<'END'
kiln: 1
output: out
x-small: &small {leaf: 1, bv: aabb}
x-raw: &raw {leaf: 9, layout: raw}
x-asset: &asset {options: {<<: [*small, *raw], bv: obb}}
assets:
  - {<<: *asset, path: c.obj}
  - {path: sub/b.obj, <<: *asset, options: {<<: *raw}}
END
expect 0 "$KILN" bake -m merge.yaml --dump-config
expect 0 "$KILN" bake -m merge.yaml
expect 0 "$KILN" info out/c.kiln --json
says out '"leaf": 1'
says out '"bv": "obb"'
says out '"layout": "raw"'
expect 0 "$KILN" info out/sub/b.kiln --json
says out '"leaf": 9'
rm -r out
case_end

case_begin 'the nearest kiln.yaml above is taken, and said so; not one of another user'
mkdir -p deep/er
cat >deep/kiln.yaml <<'END'
kiln: 1
output: out
assets: [../c.obj]
END
(cd deep/er && expect 0 "$KILN" bake && says err 'kiln: no kiln.yaml is here; ../kiln.yaml is taken')
(cd deep/er && expect 0 "$KILN" bake --quiet && silent err)
(cd deep/er && expect 0 "$KILN" plan --format ninja && says out 'build ../out/c.kiln: bake ../../c.obj')
[ -s deep/out/c.kiln ] || case_fail 'not baked where the manifest says'
if [ "$(id -u)" -eq 0 ]; then
    chown 12345 deep/kiln.yaml
    (cd deep/er && expect 1 "$KILN" bake && says err "is another user's")
    (cd deep && expect 0 "$KILN" bake)
fi
rm -r deep
case_end

case_begin '--dump-config where there is nothing: a manifest with comments, which works'
mkdir -p "$TMPDIR/fresh/models/deep" && cp c.obj "$TMPDIR/fresh/models/deep"
(
    cd "$TMPDIR/fresh" || exit 1
    expect 0 "$KILN" bake --dump-config
    cp "$TMPDIR/out" kiln.yaml
    grep -q '^# ' kiln.yaml || case_fail 'no comments'
    expect 2 "$KILN" bake
    says err "'models/**/*.gltf' matches no file; check the pattern"
    expect 0 "$KILN" bake --allow-empty
    [ -s build/collision/models/deep/c.kiln ] || case_fail 'not baked'
)
rm -r "$TMPDIR/fresh"
case_end

# refused STATUS TEXT, the manifest on standard input: what it says of it, and nothing is written.
refused() {
    cat >wrong.yaml
    case_begin "manifest: $2"
    expect "$1" "$KILN" bake -m wrong.yaml
    says err "kiln: wrong.yaml$2"
    [ ! -e out ] || case_fail 'something was written'
    case_end
}

printf 'kiln: 1\noutput: out\nassets: [c.obj\n' | refused 3 ':4:1: flow sequence without a closing bracket'
printf 'kiln: 1\nkiln: 1\n' | refused 3 ':2:1: duplicate key'
printf 'kiln: 2\nassets: []\n' |
    refused 3 ":1:7: this kiln reads manifests of version 1: write 'kiln: 1', or update kiln"
printf 'assets: []\n' | refused 3 ":1:1: a manifest says which version it is: write 'kiln: 1'"
printf 'kiln: 1\nassets: c.obj\n' | refused 3 ':2:9: assets takes a list'
printf 'kiln: 1\nasets: []\n' |
    refused 3 ":2:1: a manifest has kiln, output, folders, defaults and assets, not 'asets'; did you mean assets?"
printf 'kiln: 1\ndefaults:\n  leaf: 40\nassets: []\n' |
    refused 3 ':3:9: leaf takes a number from 1 to 15, not 40'
printf 'kiln: 1\ndefaults: {jobs: 4}\nassets: []\n' |
    refused 3 ":2:12: an asset has no option 'jobs'; see kiln bake --help"
printf 'kiln: 1\noutput: out\nassets:\n  - path: c.obj\n    options: {strict: perhaps}\n' |
    refused 3 ":5:23: strict takes true or false, not 'perhaps'"
printf 'kiln: 1\noutput: out\nassets:\n  - path: many*.obj\n    output: one.kiln\n' |
    refused 3 ':5:13: one output for 12 assets; end it with a slash for a folder'
printf 'kiln: 1\noutput: out\nassets:\n  - nothing/*.obj\n' |
    refused 2 ":4:5: 'nothing/*.obj' matches no file; check the pattern"
printf 'kiln: 1\noutput: out\nassets:\n  - path: c.obj\n    options:\n      leaf:\n' |
    refused 3 ':6:7: leaf takes a text that is not empty'
printf 'kiln: 1\noutput: out\nassets:\n  - path: c.obj\n    output:\n' |
    refused 3 ':5:5: output takes a text that is not empty'
printf 'kiln: 1\nassets:\n' | refused 3 ':2:1: assets takes a list'
printf '' | refused 3 ': is no manifest; it says nothing'
printf -- '- 1\n' | refused 3 ': is no manifest; it has no mapping'
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "["; print "" }' | refused 3 ':1:64: Max depth (64) exceeded'

case_begin 'one file twice, however it is spelt; what another reads'
cp c.obj source.obj
ln -s c.obj link.obj
# clash TEXT OUTPUT-OF-C OUTPUT-OF-SOURCE
clash() {
    printf 'kiln: 1\nassets:\n  - {path: c.obj, output: "%s"}\n  - {path: source.obj, output: "%s"}\n' \
        "$2" "$3" >clash.yaml
    expect 1 "$KILN" bake -m clash.yaml
    says err "$1"
}
clash "'c.obj' and 'source.obj' would both be written to 'out/x.kiln'" out/x.kiln ./out//x.kiln
clash "would both be written to" "$PWD/x.kiln" x.kiln
clash "the output 'source.obj' of 'c.obj' is an input" source.obj x.kiln
clash "the output './link.obj' of 'source.obj' is an input" x.kiln ./link.obj
clash "the output './c.obj' is the input" ./c.obj x.kiln
expect 1 "$KILN" bake c.obj source.obj -o out --depfile source.obj
says err "the depfile 'source.obj' is an input or an output"
expect 1 "$KILN" bake c.obj -o out.kiln --depfile ./out.kiln
says err "the depfile './out.kiln' is an input or an output"
same c.obj source.obj
[ ! -e out ] && [ ! -e out.kiln ] && [ ! -e x.kiln ] || case_fail 'something was written'
rm source.obj link.obj clash.yaml
case_end

case_begin 'every option of an asset, and no other, is in the schema'
schema=$OLDPWD/tools/cmd/kit/kiln.manifest.schema.json
[ -e "$schema" ] || schema=$(dirname "$KILN_BUILD")/tools/cmd/kit/kiln.manifest.schema.json
"$KILN" bake --help | sed -n 's/^ .*--\([a-z-]*\).*/\1/p' | while read -r name; do
    printf 'kiln: 1\ndefaults: {%s: 1}\nassets: []\n' "$name" >one.yaml
    "$KILN" bake -m one.yaml -o out 2>&1 | grep -q 'has no option' && known=no || known=yes
    sed '1,/"options": {$/d' "$schema" | grep -q "^ *\"$name\": {" && listed=yes || listed=no
    [ $known = $listed ] || echo "$name"
done >"$TMPDIR/differ"
[ ! -s "$TMPDIR/differ" ] || case_fail "these differ: $(tr '\n' ' ' <"$TMPDIR/differ")"
case_end

case_begin 'usage of manifests'
expect 1 "$KILN" bake -m kiln.yaml c.obj -o out
expect 1 "$KILN" bake -m kiln.yaml -o -
mv kiln.yaml away.yaml
expect 1 "$KILN" bake -o out
says err 'no file is given'
case_end

# --------------------------------------------------------------------------------- threads, make

case_begin 'the same bytes for any -j and order'
"$KILN" bake many*.obj sub/b.obj c.obj -o one -j1
"$KILN" bake c.obj sub/b.obj many*.obj -o three -j3
for file in one/*; do
    same "$file" "three/${file#one/}"
done
case_end

case_begin 'C059: one checksum for 1, 2, 3 and 8 threads, five times each'
"$KILN_BUILD/release/models/hard_big" big --n 2000 >/dev/null || case_fail 'hard_big'
for model in "$top/models/hard/C065_grid.obj" big/C029_same_centroid.obj; do
    "$KILN" bake "$model" -o first.kiln --bv obb,aabb -j1
    for threads in 1 2 3 8; do
        for k in 1 2 3 4 5; do
            expect 0 "$KILN" bake "$model" -o again.kiln --bv obb,aabb -j $threads
            same first.kiln again.kiln
        done
    done
done
rm -r big first.kiln again.kiln
case_end

case_begin 'with a limit of memory: small ones together, what is refused once more alone'
for limit in 1G 40M; do
    expect 0 "$KILN" bake many*.obj sub/b.obj c.obj -o limited -j3 --max-memory $limit
    for file in one/*; do
        same "$file" "limited/${file#one/}"
    done
    rm -r limited
done
case_end

case_begin 'make: tokens of the jobserver are taken and given back'
mkfifo tokens
exec 7<>tokens
printf '+-' >&7
MAKEFLAGS=' -j3 --jobserver-auth=fifo:tokens' expect 0 "$KILN" bake many*.obj -o jobs
head -c 2 <&7 | od -c | grep -q '[+-] *[+-]' || case_fail 'a token is gone'
printf 'abc' >&7
MAKEFLAGS=' -j4 --jobserver-auth=7,7' expect 0 "$KILN" bake many*.obj -o jobs
[ "$(head -c 3 <&7 | fold -w1 | sort | tr -d '\n')" = abc ] || case_fail 'a token is another'
exec 7<&-
MAKEFLAGS=' -j4 --jobserver-auth=7,7' expect 0 "$KILN" bake many*.obj -o jobs
for file in one/many*; do
    same "$file" "jobs/${file#one/}"
done
case_end

case_begin 'progress as lines of JSON'
expect 0 "$KILN" bake many1.obj many2.obj many3.obj -o out --progress json
says err '"outcome":"baked","status":0,"done":3,"count":3'
[ "$(grep -c '"outcome"' "$TMPDIR/err")" = 3 ] || case_fail 'not a line an asset'
case_end

case_begin 'progress as lines of JSON: each stage of each asset begins and ends, on any threads'
mkdir cubes
for i in $(seq 60); do
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >cubes/$i.obj
    for stage in import 'build obb' write; do
        for part in 0.0 1.0; do
            echo "{\"file\":\"cubes/$i.obj\",\"stage\":\"$stage\",\"part\":$part}"
        done
    done
done | sort >all
expect 0 "$KILN" bake cubes/*.obj -o out --progress json -j8
# a stage that lasts longer than a tenth of a second says again where it is: its beginning once more
grep '"stage"' "$TMPDIR/err" | steady | sort -u | diff all - >missing || case_fail "$(grep -c '^[<>]' missing) lines"
case_end

case_begin 'a signal: whole files, the rest is named, the process ends by it'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    for k in 1 2 3 4 5; do
        cp "many$i.obj" "more$i.$k.obj"
    done
done
(
    exec "$KILN" bake more*.obj -o cut -j1 2>"$TMPDIR/err"
) &
bake=$!
while [ -z "$(ls cut 2>/dev/null)" ] && kill -0 $bake 2>/dev/null; do sleep 0.01; done
kill -TERM $bake
wait $bake
status=$?
case $status in
0) ;; # it was quicker
143)
    says err 'not baked: interrupted'
    tail -n 1 "$TMPDIR/err" | grep -q '^kiln: [0-9]* baked, [0-9]* not baked in ' ||
        case_fail "the last line is $(tail -n 1 "$TMPDIR/err")"
    ;;
*) case_fail "status $status" ;;
esac
"$KILN" verify cut/*.kiln >/dev/null || case_fail 'a file is not sound'
[ -z "$(find cut -name '.kiln*')" ] || case_fail 'something is left behind'
case_end

cases_end
