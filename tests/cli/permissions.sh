#!/bin/sh
# What may not be read, searched or written, as a user who is not root: root runs it as nobody.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

mkdir "$TMPDIR/p" && cp models/tiny/cube.obj models/tiny/painted.* "$TMPDIR/p" && chmod 777 "$TMPDIR/p"
cd "$TMPDIR/p" || exit 1
if [ "$(id -u)" -eq 0 ]; then
    chown 65534:65534 . ./*
    chmod 711 "$TMPDIR"
    as='setpriv --reuid 65534 --regid 65534 --clear-groups'
else
    as=
fi
if ! $as "$KILN" --version >/dev/null 2>&1 || ! $as test -r cube.obj; then
    case_begin 'permissions'
    case_skip 'nobody may not run kiln here'
    exit 0
fi
locked() { # what follows may be reached by nobody at all
    $as chmod 0 "$@"
}

case_begin 'inputs, lists and manifests that may not be read'
$as cp cube.obj no.obj
$as cp cube.obj list
$as cp cube.obj no.yaml
locked no.obj list no.yaml
for input in no.obj @list '-m no.yaml'; do
    # shellcheck disable=SC2086
    expect 2 $as "$KILN" bake $input -o out
    says err 'Permission denied'
done
case_end

case_begin 'a folder that may not be searched is an error, not one without files'
$as mkdir -p d/open d/shut
$as cp cube.obj d/open
$as cp cube.obj d/shut
for mode in 0 400; do
    $as chmod $mode d/shut
    for pattern in 'd/**/*.obj' 'd/*/*.obj' 'd/shut/*.obj'; do
        printf 'kiln: 1\noutput: out\nassets: ["%s"]\n' "$pattern" >d.yaml
        chmod 644 d.yaml
        expect 2 $as "$KILN" bake -m d.yaml
        says err "can't be searched; Permission denied"
        [ ! -e out ] || case_fail "$pattern: something was baked"
    done
done
$as chmod 755 d/shut
case_end

case_begin 'a library of materials that may not be read is as good as absent, until it may'
locked painted.mtl
expect 0 $as "$KILN" bake painted.obj -o p.kiln
expect 0 $as "$KILN" bake painted.obj -o p.kiln --if-changed
says err 'up to date'
$as chmod 644 painted.mtl
expect 0 $as "$KILN" bake painted.obj -o p.kiln --if-changed
silent err
case_end

case_begin 'folders that may not be written: output, cache'
$as mkdir locked cache
expect 0 $as "$KILN" bake cube.obj -o c.kiln --cache cache
$as chmod -R a-w locked cache
expect 2 $as "$KILN" bake cube.obj -o locked/c.kiln
says err 'locked/c.kiln'
expect 2 $as "$KILN" bake cube.obj painted.obj -o locked/new
says err "locked/new: the folder can't be made; Permission denied"
expect 0 $as "$KILN" bake cube.obj -o d.kiln --cache cache
same c.kiln d.kiln
expect 0 $as "$KILN" bake cube.obj -o d.kiln --cache cache --leaf 2
says err 'cache: not kept: '
expect 2 $as "$KILN" cache gc cache --max-size 0
$as chmod -R u+w locked cache
case_end

cases_end
