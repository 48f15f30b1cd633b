#!/bin/sh
# --prune removes outputs of its own set whose sources are gone, and nothing else: no foreign file, link, folder or
# file of another manifest, nothing outside of the folder of the outputs, and nothing after a run that failed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

tiny=$PWD/models/tiny
mkdir -p "$TMPDIR/p/w"
cd "$TMPDIR/p/w" || exit 1
root=$PWD

# fresh: a project of four models, baked with --prune; its files are then in ../before.
fresh() {
    chmod -R u+w . && rm -rf ./* ../outside
    mkdir -p as/h ../outside
    for name in a b c; do
        cp "$tiny/cube.obj" as/$name.obj
    done
    cp "$tiny/cube.obj" as/h/d.obj
    "$KILN" bake -q as -o out --prune || case_fail 'the first run'
    cp out/b.kiln ../outside/b.kiln
}
prune() {
    expect 0 "$KILN" bake as -o out --prune "$@"
}
# stays FILE TEXT: b.obj is gone, and yet this run leaves the file as it is and says why.
stays() {
    rm -f as/b.obj
    ls -ld "$1" >../kept
    prune --if-changed
    says err "$2"
    ls -ld "$1" | cmp -s - ../kept || case_fail "$1 was changed"
}

case_begin 'outputs whose sources are gone are removed, one by one, and named'
fresh
"$KILN" bake -q as -o out --prune 2>&1 | grep . && case_fail 'quiet says something'
rm as/b.obj as/h/d.obj
exact 0 "$KILN" bake as -o out --prune --dry-run --if-changed <<END
out/a.kiln: is up to date with as/a.obj
out/c.kiln: is up to date with as/c.obj
stderr:
kiln: a dry run: 2 up to date; nothing was written
kiln: $root/out/b.kiln: to be removed: its source '../as/b.obj' is gone
kiln: $root/out/h/d.kiln: to be removed: its source '../as/h/d.obj' is gone
END
[ -f out/b.kiln ] && [ -f out/h/d.kiln ] || case_fail 'a dry run removes'
exact 0 "$KILN" bake as -o out --prune --if-changed <<END
stderr:
kiln: 2 up to date in T s
kiln: $root/out/b.kiln: removed: its source '../as/b.obj' is gone
kiln: $root/out/h/d.kiln: removed: its source '../as/h/d.obj' is gone
END
[ ! -e out/b.kiln ] && [ ! -e out/h/d.kiln ] && [ -f out/a.kiln ] && [ -f out/c.kiln ] || case_fail "$(ls out)"
prune --if-changed
grep -q removed "$TMPDIR/err" && case_fail 'removed twice'
case_end

case_begin 'a renamed model, a moved tree, a document'
fresh
mv as/b.obj as/e.obj
mv "$root" "$root.moved"
cd "$root.moved" || exit 1
expect 0 "$KILN" bake as -o out --prune --json
says out '"source": "../as/b.obj"'
says out '"outcome": "removed"'
[ -f out/e.kiln ] && [ ! -e out/b.kiln ] || case_fail "$(ls out)"
cd .. && mv "$root.moved" "$root" && cd "$root" || exit 1
case_end

case_begin 'what no run with --prune has recorded stays'
fresh
rm out/.kiln-outputs as/b.obj
prune
says err 'nothing removed: no earlier run with --prune has recorded its outputs; this one has'
[ -f out/b.kiln ] || case_fail 'removed without a record'
echo text >out/.kiln-outputs
expect 1 "$KILN" bake as -o out --prune
says err 'is no record of outputs; nothing was removed'
[ "$(cat out/.kiln-outputs)" = text ] || case_fail 'a foreign record was replaced'
rm out/.kiln-outputs
ln -s ../../outside/record out/.kiln-outputs
expect 1 "$KILN" bake as -o out --prune
[ ! -e ../outside/record ] || case_fail 'a record was written through a link'
case_end

case_begin 'a foreign file, a broken one, one of another source: they stay'
fresh
echo mine >out/b.kiln
stays out/b.kiln 'not removed: its source'
fresh
head -c 300 ../outside/b.kiln >out/b.kiln
stays out/b.kiln 'it is no whole kiln file'
fresh
cp out/a.kiln out/b.kiln
stays out/b.kiln 'that was made from a source of that name'
echo mine >out/other.kiln
cp out/a.kiln out/copy.kiln
prune
[ -f out/other.kiln ] && [ -f out/copy.kiln ] || case_fail 'what is not recorded was removed'
case_end

case_begin 'a link, a folder, a pipe in the place of an output; a link on the way: they stay'
fresh
rm out/b.kiln
ln -s ../../outside/b.kiln out/b.kiln
stays out/b.kiln 'it is a link by now'
[ -f ../outside/b.kiln ] || case_fail 'removed through a link'
fresh
rm out/b.kiln
mkdir out/b.kiln
stays out/b.kiln 'it is a folder by now'
fresh
rm out/b.kiln
mkfifo out/b.kiln
stays out/b.kiln 'it is no regular file by now'
fresh
mv out/h ../outside/h
ln -s ../../outside/h out/h
rm as/h/d.obj
prune
says err 'its folder is not reached without a link'
[ -f ../outside/h/d.kiln ] || case_fail 'removed through a link'
case_end

case_begin 'a record that names files elsewhere removes none of them'
fresh
cp ../outside/b.kiln b.kiln
for name in "../b.kiln" "../../outside/b.kiln" "$root/b.kiln" h/../../b.kiln ./../b.kiln ..; do
    printf 'kiln outputs 2\n%s\0../as/b.obj\0/gone/as/b.obj\0../\0' "$name" >out/.kiln-outputs
    rm -f as/b.obj
    prune --if-changed
done
[ -f b.kiln ] && [ -f ../outside/b.kiln ] || case_fail 'removed outside of the folder'
for record in 'kiln outputs 2\nb.kiln' 'kiln outputs 2\nb.kiln\0../as/b.obj\0/as/b.obj\0' 'kiln outputs 3\n'; do
    # shellcheck disable=SC2059
    printf "$record" >out/.kiln-outputs
    expect 1 "$KILN" bake as -o out --prune
done
[ -f out/b.kiln ] || case_fail 'removed by half a record'
case_end

case_begin 'nothing is removed after a run that failed or was cut short'
fresh
rm as/b.obj
echo 'v 0 0 nan' >as/c.obj
expect 3 "$KILN" bake as -o out --prune
says err 'nothing removed: not all was baked'
expect 3 "$KILN" bake as -o out --prune --fail-fast
expect 3 "$KILN" bake as none.obj -o out --prune
expect 1 "$KILN" bake as -o out --prune --leaf 99
[ -f out/b.kiln ] || case_fail 'removed after a failure'
expect 1 "$KILN" bake as/a.obj -o - --prune
says err '--prune needs a folder of outputs'
case_end

case_begin 'files of another set stay: another manifest, arguments, sources that are there'
fresh
mkdir m n
cp as/a.obj m/x.obj
cp as/a.obj m/y.obj
cp as/a.obj n/z.obj
printf 'kiln: 1\noutput: out\nassets: ["m/*.obj"]\n' >m.yaml
printf 'kiln: 1\noutput: out\nassets: ["n/*.obj"]\n' >n.yaml
expect 0 "$KILN" bake -m m.yaml --prune
expect 0 "$KILN" bake -m n.yaml --prune
rm m/y.obj as/b.obj
expect 0 "$KILN" bake -m n.yaml --prune
[ -f out/m/y.kiln ] && [ -f out/b.kiln ] || case_fail 'a file of another set was removed'
mv m/x.obj kept.obj
cp kept.obj m/w.obj
printf 'kiln: 1\noutput: out\nassets: [{path: "m/*.obj", exclude: m/w.obj}]\n' >m.yaml
expect 0 "$KILN" bake -m m.yaml --prune --allow-empty
cp kept.obj m/x.obj
expect 0 "$KILN" bake -m m.yaml --prune
[ ! -e out/m/y.kiln ] || case_fail 'a file of its own set stays'
[ -f out/m/x.kiln ] && [ -f out/n/z.kiln ] && [ -f out/b.kiln ] || case_fail 'too much was removed'
expect 0 "$KILN" bake as/a.obj -o out/ --prune
[ ! -e out/b.kiln ] || case_fail 'arguments are one set'
[ -f out/c.kiln ] && [ -f out/m/x.kiln ] || case_fail 'a source that is there'
case_end

case_begin 'folders of outputs that were moved or copied, and two projects with one'
fresh
mkdir deep && mv out deep && mv deep out
expect 0 "$KILN" bake as -o out/out --prune
grep -q removed "$TMPDIR/err" && case_fail 'removed after the folder was moved'
rm -rf as/b.obj && mkdir q && cp -r out/out q/out && cp "$tiny/cube.obj" q/extra.obj
(cd q && "$KILN" bake extra.obj -o out/ --prune) >"$TMPDIR/out" 2>"$TMPDIR/err" || case_fail 'the copy'
[ -f q/out/a.kiln ] && [ -f q/out/c.kiln ] || case_fail "the copy lost files: $(cat "$TMPDIR/err")"
fresh
mkdir -p j1/A j2/B && cp "$tiny/cube.obj" j1/A/hero.obj && cp "$tiny/cube.obj" j2/B/tree.obj
(cd j1 && "$KILN" bake -q A -o ../pub --prune) && rm -rf j1 || case_fail 'the first project'
(cd j2 && "$KILN" bake -q B -o ../pub --prune) || case_fail 'the second project'
[ -f pub/hero.kiln ] && [ -f pub/tree.kiln ] || case_fail "another project's output was removed"
case_end

case_begin 'a record with one output twice, an empty plan, no folder'
fresh
printf 'kiln outputs 2\na.kiln\0../gone/a.obj\0/gone/a.obj\0../\0a.kiln\0../gone/a.obj\0/gone/a.obj\0../\0' >out/.kiln-outputs
expect 1 "$KILN" bake as -o out --prune
says err 'is no record of outputs'
[ -f out/a.kiln ] || case_fail 'what was just baked is removed'
mkdir empty
expect 0 "$KILN" bake empty -o newout --prune --allow-empty
grep -q newout "$TMPDIR/err" && case_fail "$(cat "$TMPDIR/err")"
expect 1 "$KILN" bake as/a.obj -o x.kiln --prune
says err '--prune needs a folder of outputs'
[ ! -e x.kiln ] || case_fail 'baked'
case_end

cases_end
