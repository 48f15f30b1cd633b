#!/bin/sh
# --if-changed and --cache: never a stale file taken for a fresh one, never a half one; two bakers of one
# output; read-only folders; kill -9 at many moments.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

real=/usr/share/assimp/models
cp models/tiny/cube.obj models/tiny/tetrahedron.obj models/tiny/painted.* "$TMPDIR"
cd "$TMPDIR" || exit 1

# stamp FILE: what shows that it was written anew.
stamp() {
    stat -c '%i %y' "$1"
}

# baked ARGUMENT... / kept ARGUMENT...: the run writes cube.kiln, or leaves it alone and says so.
baked() {
    before=$(stamp cube.kiln 2>/dev/null)
    expect 0 "$KILN" bake "$@" -o cube.kiln --if-changed
    [ "$before" != "$(stamp cube.kiln)" ] || case_fail "not baked: $*"
}
kept() {
    before=$(stamp cube.kiln)
    expect 0 "$KILN" bake "$@" -o cube.kiln --if-changed
    says err 'kiln: cube.kiln: up to date'
    [ "$before" = "$(stamp cube.kiln)" ] || case_fail "written again: $*"
}

case_begin 'C061: each change of options bakes, nothing changed does not'
baked cube.obj
kept cube.obj
for options in '--bv aabb' '--bv obb2' '--leaf 2' '--scale 0.01' '--up z' '--adb' '--adb=8' '--layout raw' \
    '--quality best' '--lossy-grid 9' '--builder ploc' '--builder insert' '--spheres cover' \
    '--fit children' '--box-fit volume'; do
    # shellcheck disable=SC2086
    baked cube.obj $options
    # shellcheck disable=SC2086
    kept cube.obj $options
done
baked cube.obj
kept cube.obj
kept cube.obj -j3
case_end

case_begin 'C061: equal clocks and older sources'
touch -d '2001-01-01' cube.obj cube.kiln
kept cube.obj
sed 's/^v 1 1 1/v 1 1 2/;s/^v 0.5 0.5 0.5/v 0.5 0.5 0.75/' cube.obj >other.obj
cmp -s cube.obj other.obj && { cat cube.obj; echo 'v 9 9 9'; } >other.obj
mv other.obj cube.obj
touch -d '1999-01-01' cube.obj
baked cube.obj
kept cube.obj
case_end

case_begin 'C061: side files of glTF'
if [ -e $real/glTF2/BoxTextured-glTF/BoxTextured.gltf ]; then
    cp -r $real/glTF2/BoxTextured-glTF gltf
    chmod -R u+w gltf
    baked gltf/BoxTextured.gltf
    kept gltf/BoxTextured.gltf
    printf '\001' | dd of=gltf/BoxTextured0.bin bs=1 seek=1 conv=notrunc 2>/dev/null
    baked gltf/BoxTextured.gltf
    kept gltf/BoxTextured.gltf
    case_end
else
    case_skip 'no real models here'
fi

case_begin 'a depfile is written for what is up to date'
expect 0 "$KILN" bake painted.obj -o p.kiln --if-changed --depfile p.d
cp p.d before.d
rm p.d
expect 0 "$KILN" bake painted.obj -o p.kiln --if-changed --depfile p.d
same p.d before.d
case_end

case_begin 'a damaged output is baked again'
"$KILN" bake tetrahedron.obj -o whole.kiln
cp whole.kiln cube.kiln
kept tetrahedron.obj
size=$(wc -c <whole.kiln)
head -c $((size - 1)) whole.kiln >cube.kiln
baked tetrahedron.obj
printf '\377' | dd of=cube.kiln bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
baked tetrahedron.obj
same cube.kiln whole.kiln
case_end

case_begin 'C049: an output of another version, or none at all, is baked again without being told'
"$KILN" bake tetrahedron.obj -o cube.kiln
for version in '\002' '\011' '\000' '\377'; do
    kept tetrahedron.obj
    printf "$version" | dd of=cube.kiln bs=1 seek=8 conv=notrunc 2>/dev/null
    baked tetrahedron.obj
    same cube.kiln whole.kiln
done
: >cube.kiln
baked tetrahedron.obj
case_end

case_begin 'a cache that can not be: the file is written, and it is said why it is not kept'
exact 0 "$KILN" bake tetrahedron.obj -o new.kiln --cache /proc/nowhere <<'END'
stderr:
kiln: /proc/nowhere: not kept: the folder can't be made; No such file or directory; check the path and its permissions
END
same new.kiln whole.kiln
case_end

case_begin 'a model that changes while it is read is an error, or baked as it is'
"$KILN_BUILD/release/models/hard_big" big --n 5000 >/dev/null 2>&1 || case_fail 'hard_big'
big=big/C029_same_centroid.obj
{ echo '# 0000000'; cat "$big"; } >moving.obj
(
    i=0
    while [ -e moving.obj ] && [ $i -lt 400 ]; do
        printf '# %07d\n' $i | dd of=moving.obj conv=notrunc 2>/dev/null
        i=$((i + 1))
    done
) &
writer=$!
for k in 1 2 3; do
    "$KILN" bake moving.obj -o moving.kiln 2>err
    status=$?
    case $status in 0) ;; 2) grep -q 'while it was read' err || case_fail "it says $(cat err)" ;; *) case_fail "status $status" ;; esac
done
mv moving.obj still.obj
wait $writer
cp still.obj moving.obj
expect 0 "$KILN" bake moving.obj -o moving.kiln --if-changed
expect 0 "$KILN" bake moving.obj -o fresh.kiln
same moving.kiln fresh.kiln
case_end

case_begin 'C061: two bakers of one output at once, and of one cache'
"$KILN" bake "$big" -o four.kiln
"$KILN" bake "$big" -o two.kiln --leaf 2
"$KILN" bake "$big" -o three.kiln --leaf 3
cp three.kiln one.kiln
bakers=
for k in 1 2 3 4; do
    "$KILN" bake "$big" -o one.kiln --cache shared --if-changed -q &
    bakers="$bakers $!"
    "$KILN" bake "$big" -o one.kiln --cache shared --leaf 2 -q &
    bakers="$bakers $!"
done
for baker in $bakers; do
    while kill -0 "$baker" 2>/dev/null; do
        cat one.kiln >seen
        cmp -s seen four.kiln || cmp -s seen two.kiln || cmp -s seen three.kiln ||
            case_fail 'for a moment the file was none of them'
    done
    wait "$baker" || case_fail "a baker ended in $?"
done
cmp -s one.kiln four.kiln || cmp -s one.kiln two.kiln || case_fail 'the file is neither'
for leaf in 2 4; do
    expect 0 "$KILN" bake "$big" -o one.kiln --if-changed --leaf $leaf -q
    [ $leaf = 4 ] && same one.kiln four.kiln || same one.kiln two.kiln
done
for leaf in 4 2; do
    expect 0 "$KILN" bake "$big" -o from.kiln --cache shared --leaf $leaf --json
    says out '"outcome": "cached"'
    [ $leaf = 4 ] && same from.kiln four.kiln || same from.kiln two.kiln
done
[ -z "$(find . -name '.kiln-*')" ] || case_fail 'something is left behind'
case_end

case_begin 'kiln cache gc'
expect 0 "$KILN" cache gc shared --max-size 1G --json
says out '"entries": 2'
# A dry run says what is then done, and changes nothing: neither entries nor what a killed bake has left.
touch -d '2001-01-01' shared/$(ls shared | grep '^..$' | head -1)/.kiln-0123456789abcdef-01234567-0.tmp
touch -d '2001-01-01' shared/.kiln-0123456789abcdef-01234567-0.tmp
find shared -printf '%p %s %T@ %m\n' | sort >"$TMPDIR/gc_before"
for dry in --dry-run -n; do
    expect 0 "$KILN" cache gc shared --max-size 0 $dry
    says out 'shared: would keep 0 files, 0 bytes; would remove 4 files'
    says out 'a dry run: nothing was removed'
done
expect 0 "$KILN" cache gc shared --max-size 0 --dry-run --json
says out '"dry_run": true'
says out '"entries_removed": 4'
expect 0 "$KILN" cache gc shared --max-size 1G --dry-run
says out 'shared: would keep 2 files'
says out 'would remove 2 files, 0 bytes'
expect 1 "$KILN" cache gc . --max-size 0 --dry-run
expect 2 "$KILN" cache gc nowhere --max-size 0 --dry-run
find shared -printf '%p %s %T@ %m\n' | sort | cmp -s - "$TMPDIR/gc_before" || case_fail 'the dry run changed something'
expect 0 "$KILN" cache gc shared --max-size 0
says out 'shared: 0 files, 0 bytes; removed 4 files'
[ -z "$(find shared -name '.kiln-*')" ] || case_fail 'gc leaves what is unfinished'
expect 1 "$KILN" cache gc . --max-size 0
says err 'is no cache of kiln bake'
for size in 12Q 18446744073709551616 99999999999999999999 99999999999T 16777216T -1 ' 1' 1KB; do
    exact 1 "$KILN" cache gc shared --max-size="$size" <<END
stderr:
kiln: cache gc: --max-size takes a size such as 500M, not '$size'
Try: kiln cache gc --help
END
done
expect 0 "$KILN" cache gc shared --max-size 16777215T
expect 0 "$KILN" cache gc shared --max-size 18446744073709551615
expect 1 "$KILN" cache gc shared
expect 2 "$KILN" cache gc nowhere --max-size 0
case_end

case_begin 'C057: kill -9 at many moments: whole files, none stale, and the next run makes them all'
"${OLDPWD:-.}/tests/soak/kills.sh" $([ -n "$KILN_TEST_QUICK" ] && echo 12 || echo 30) "$TMPDIR/kills" 20 || case_fail 'see above'
case_end

cases_end
