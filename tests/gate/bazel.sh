#!/bin/sh
# The example for Bazel, without a network: in Bazel's sandbox it bakes the bytes of kiln bake, takes from a disk
# cache what it baked before, and refuses a model that refers to what is not declared.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
. tests/example_models.sh

case_begin 'Bazel'
if ! command -v bazel >/dev/null 2>&1; then
    case_skip 'no bazel'
    cases_end
fi
make_here "PREFIX=$TMPDIR/usr" install || exit 1
PATH=$TMPDIR/usr/bin:$PATH
export PATH
cp -r tests/examples/bazel "$TMPDIR/work" && make_models "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1

bazel_here() {
    verb=$1
    shift
    bazel --nohome_rc "--output_user_root=$TMPDIR/bazel" --max_idle_secs=60 "$verb" "$@"
}
stop_bazel() {
    bazel_here shutdown >/dev/null 2>&1
    chmod -R u+w "$TMPDIR/bazel" 2>/dev/null
    [ -n "$KILN_RESULTS" ] || rm -rf "$TMPDIR"
}
trap stop_bazel EXIT
trap 'exit 1' HUP INT TERM

# build STATUS TARGET [OPTION...]
build() {
    wanted_status=$1
    shift
    expect "$wanted_status" bazel_here build --disk_cache="$TMPDIR/cache" --color=no --curses=no \
        --sandbox_default_allow_network=false --nosandbox_debug "$@"
}
baked() { # baked NAME SOURCE
    kiln bake -q --layout raw -o "$TMPDIR/want.kiln" "$2" && same "bazel-bin/$1.kiln" "$TMPDIR/want.kiln"
}

sandbox=--spawn_strategy=linux-sandbox
build 0 //... $sandbox
says err '2 linux-sandbox'
baked ship ship.obj
baked rock rock.gltf
case_end

case_begin 'Bazel: what was baked is not baked again'
build 0 //... $sandbox
grep -q 'sandbox\|cache hit' "$TMPDIR/err" && case_fail 'nothing has changed'
expect 0 bazel_here clean
[ ! -e bazel-bin/ship.kiln ] || case_fail 'not clean'
build 0 //... $sandbox
says err '2 remote cache hit'
baked ship ship.obj
change ship.mtl
build 0 //... $sandbox
says err '1 linux-sandbox'
baked ship ship.obj
case_end

case_begin 'Bazel: a file that is not declared'
cp BUILD kept && sed 's/side_files = \["ship.mtl"\],//' kept >BUILD
build 1 //:ship $sandbox
says err 'ship.obj: refers to ship.mtl, which is not there'
build 1 //:ship --spawn_strategy=local
says err 'ship.obj: refers to ship.mtl, which is not declared'
[ ! -e bazel-bin/ship.kiln ] || case_fail 'it is baked without'
sed 's/side_files = \["ship.mtl"\],/absent = ["ship.mtl"],/' kept >BUILD
build 0 //:ship $sandbox
sed 's/side_files = \["rock.bin"\],//' kept >BUILD
build 1 //:rock $sandbox
says err 'rock.bin'
case_end

case_begin 'Bazel: another version of a library is another action'
cp kept BUILD && build 0 //... $sandbox
mkdir "$TMPDIR/again" && ln -s "$TMPDIR/usr/bin/kiln" "$TMPDIR/again/kiln"
PATH=$TMPDIR/again:$PATH build 0 //... $sandbox
grep -q 'sandbox\|cache hit' "$TMPDIR/err" && case_fail 'it is the same kiln in another place'
# The same command to the byte, above libraries that say other versions.
for assimp in 98 99; do
    mkdir "$TMPDIR/$assimp" && kiln --version --json | sed "s/\"assimp\": .*/\"assimp\": \"$assimp\",/" \
        >"$TMPDIR/$assimp/version"
    cat >"$TMPDIR/$assimp/kiln" <<END
#!/bin/sh
[ "\$1" = --version ] && exec cat "\$(dirname "\$0")/version"
exec "$TMPDIR/usr/bin/kiln" "\$@"
END
    chmod +x "$TMPDIR/$assimp/kiln"
    PATH=$TMPDIR/$assimp:$PATH build 0 //... $sandbox
    says err '2 linux-sandbox'
done
cmp "$TMPDIR/98/kiln" "$TMPDIR/99/kiln" || case_fail 'the commands differ'
case_end

case_begin 'Bazel: a declared file that is not there'
mv ship.mtl away.mtl
build 1 //:ship $sandbox
says err "missing input file '//:ship.mtl'"
mv away.mtl ship.mtl
build 0 //:ship $sandbox
case_end

cases_end
