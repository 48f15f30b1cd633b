#!/bin/sh
# A file that a model refers to and that is not there is told of, refused under --strict, and noticed when it comes:
# by make, by ninja, by --if-changed, by a cache. Builds after nothing has changed do nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS
mkdir -p "$TMPDIR/a/models/parts" "$TMPDIR/a/out" && cd "$TMPDIR/a" || exit 1
cube=$OLDPWD/models/tiny/cube.obj
printf 'mtllib gone.mtl\n' | cat - "$cube" >models/one.obj
printf 'mtllib deep/er/gone.mtl\n' | cat - "$cube" >models/two.obj
printf 'mtllib there.mtl away.mtl\n' | cat - "$cube" >models/three.obj
: >models/there.mtl
printf 'mtllib there.mtl there2.mtl\n' | cat - "$cube" >models/whole.obj
: >models/there2.mtl

case_begin 'it is told of, in every way to bake, unless quiet'
for options in '' '--if-changed' '--cache c' '--cache c --layout raw'; do
    # shellcheck disable=SC2086
    expect 0 "$KILN" bake models/one.obj -o out/one.kiln $options
    says err "kiln: models/one.obj: not there: 'gone.mtl', which it refers to; baked without"
done
expect 0 "$KILN" bake models/one.obj -o out/one.kiln -q
silent err
expect 0 "$KILN" bake models/whole.obj -o out/whole.kiln
silent err
exact 0 "$KILN" bake models/three.obj -o out/three.kiln <<'END'
stderr:
kiln: models/three.obj: not there: 'away.mtl', which it refers to; baked without
END
expect 0 "$KILN" bake --json models/one.obj -o out/one.kiln
says out '"gone.mtl"'
case_end

case_begin '--strict refuses, whatever is up to date or in a cache, and writes nothing'
for options in '' '--if-changed' '--cache c'; do
    for model in one two three; do
        rm -f out/strict.kiln
        # shellcheck disable=SC2086
        expect 3 "$KILN" bake models/$model.obj -o out/strict.kiln --strict $options
        says err 'which is not there; under --strict nothing is written without it'
        [ ! -e out/strict.kiln ] || case_fail "$model: written"
    done
    # shellcheck disable=SC2086
    expect 0 "$KILN" bake models/whole.obj -o out/strict.kiln --strict $options
done
printf 'kiln: 1\ndefaults: {strict: true}\nassets: [models/one.obj]\noutput: out\n' >m.yaml
expect 3 "$KILN" bake -m m.yaml --if-changed
expect 0 "$KILN" bake models/one.obj -o out/one.kiln
expect 3 "$KILN" bake models/one.obj -o out/one.kiln --if-changed --strict
rm m.yaml
case_end

cat >kiln.sh <<END
#!/bin/sh
echo run >>"$TMPDIR/a/runs"
exec "$KILN" "\$@"
END
chmod +x kiln.sh
runs() {
    [ -e runs ] && wc -l <runs || echo 0
}

# fresh: every output is what a bake from nothing makes.
fresh() {
    for model in one two three whole; do
        "$KILN" bake -q models/$model.obj -o fresh.kiln
        cmp fresh.kiln "$1/$model.kiln" || case_fail "$2: $model is stale"
    done
    rm fresh.kiln
}

# follows TOOL OUT COMMAND...: the build that the command runs follows files that come and go.
follows() {
    tool=$1 out=$2
    shift 2
    rm -rf runs models/deep models/gone.mtl models/away.mtl
    for change in nothing comes deeper moved goes; do
        case $change in
        comes) : >models/gone.mtl ;;
        deeper) mkdir -p models/deep/er && : >models/deep/er/gone.mtl ;;
        moved) : >old && touch -d 2001-01-01 old && mv old models/away.mtl ;;
        goes) rm models/gone.mtl ;;
        esac
        sleep 0.02
        "$@" >log 2>&1 || case_fail "$tool: $change: $(cat log)"
        fresh "$out" "$tool: $change"
        # What shares a folder with outputs may need a build more to find that all is well.
        "$@" >log 2>&1 || case_fail "$tool: $change: $(cat log)"
        before=$(runs)
        "$@" >log 2>&1
        [ "$(runs)" -eq "$before" ] || case_fail "$tool: $change: a build after nothing has changed runs kiln"
        fresh "$out" "$tool: $change"
    done
    rm -rf models/deep models/gone.mtl models/away.mtl
}

case_begin 'make and ninja, by their plans: outputs in a folder of their own, and beside the models'
for out in out models; do
    "$KILN" plan --format make models/*.obj -o $out | sed "s|^KILN ?= .*|KILN = ./kiln.sh|" >rules.mk
    rm -rf out/* models/*.kiln models/*.d
    follows make $out make -s -f rules.mk
    if command -v ninja >/dev/null; then
        "$KILN" plan --format ninja models/*.obj -o $out | sed "s|^kiln = .*|kiln = ./kiln.sh|" >build.ninja
        rm -rf out/* models/*.kiln models/*.d .ninja_*
        follows ninja $out ninja
    fi
done
case_end

case_begin 'a Makefile of few words, the second build does nothing; one call for all'
rm -rf out/* models/*.kiln models/*.d
{
    echo 'all: out/one.kiln out/two.kiln out/three.kiln out/whole.kiln'
    for model in one two three whole; do
        printf 'out/%s.kiln: models/%s.obj\n\t./kiln.sh bake -q --depfile $@.d -o $@ $<\n' $model $model
    done
    echo '-include $(wildcard out/*.d)'
} >Makefile
make -s && make -s && [ "$(runs)" -ge 4 ] || case_fail 'make'
before=$(runs)
make -s
[ "$(runs)" -eq "$before" ] || case_fail 'the second build does something'
follows few out make -s
for i in 1 2; do
    expect 0 "$KILN" bake -q models/*.obj -o out --depfile out/all.d
done
case_end

case_begin '--if-changed and a cache follow, without any rule'
follows if-changed out "$KILN" bake -q --if-changed models/one.obj models/two.obj models/three.obj models/whole.obj -o out
follows cache out "$KILN" bake -q --cache c models/one.obj models/two.obj models/three.obj models/whole.obj -o out
case_end

case_begin 'a link to nothing is followed to where the file will be'
mkdir -p linked
ln -s ../linked/real.mtl models/gone.mtl
rm -rf out && mkdir out
make -s
ls linked >/dev/null
sleep 0.02
: >linked/real.mtl
make -s
"$KILN" bake -q models/one.obj -o fresh.kiln
cmp fresh.kiln out/one.kiln || case_fail 'stale'
case_end

cases_end
