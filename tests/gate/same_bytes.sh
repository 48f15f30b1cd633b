#!/bin/sh
# The same models give the same bytes: built by gcc and clang, optimised and not, with one thread and
# two, in two folders, from files of two ages, under two locales, time zones and clocks.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

real=/usr/share/assimp/models
german=0

# Where the inputs are: in a folder, and in another with copies that are older.
gather() {
    mkdir -p "$TMPDIR/one" "$TMPDIR/Zwei Ördner"
    cp models/hard/C0* models/tiny/cube.obj models/tiny/painted.* "$TMPDIR/one"
    "$KILN_BUILD/release/models/hard_big" "$TMPDIR/big" --n 1500 || case_fail 'hard_big'
    cp "$TMPDIR"/big/C029* "$TMPDIR"/big/C019* "$TMPDIR/one"
    for model in Collada/duck.dae OBJ/spider.obj OBJ/spider.mtl PLY/Wuson.ply \
        glTF2/BoxTextured-glTF/BoxTextured.gltf glTF2/BoxTextured-glTF/BoxTextured0.bin; do
        [ ! -e "$real/$model" ] || cp "$real/$model" "$TMPDIR/one"
    done
    cp "$TMPDIR"/one/* "$TMPDIR/Zwei Ördner"
    touch -d '1999-12-31 23:59:59' "$TMPDIR/Zwei Ördner"/*
}

inputs() {
    (cd "$TMPDIR/one" && ls ./*.obj ./*.gltf ./*.dae ./*.stl ./*.ply 2>/dev/null)
}

# A clock ten years on, and a German locale with its decimal comma.
fake() {
    cat >"$TMPDIR/clock.c" <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
    long status = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec += 315360000;
    return (int)status;
}
int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
END
    gcc -shared -fPIC "$TMPDIR/clock.c" -o "$TMPDIR/clock.so" || case_fail 'no clock'
    mkdir -p "$TMPDIR/locale"
    localedef -i de_DE -f UTF-8 "$TMPDIR/locale/de_DE.UTF-8" 2>/dev/null && german=1
}

# bake_all KILN FOLDER THREADS LAYOUT OUT: every input of a folder, each to OUT/NAME.kiln.
bake_all() {
    mkdir -p "$5"
    for model in $(inputs); do
        (cd "$2" && "$1" bake --quiet --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree --adb --layout "$4" -j "$3" "$model" \
            -o "$5/$(basename "$model").kiln") 2>>"$TMPDIR/notes" || case_fail "bake of $model"
    done
}

# compare OUT [LAYOUT]: the files there are those of the reference.
compare() {
    for file in "$TMPDIR/reference-${2:-packed}"/*.kiln; do
        same "$file" "$1/$(basename "$file")"
    done
}

case_begin 'the reference: gcc -O3, one thread'
gather
fake
bake_all "$KILN" "$TMPDIR/one" 1 packed "$TMPDIR/reference-packed"
[ "$(ls "$TMPDIR/reference-packed" | wc -l)" -gt 40 ] || case_fail 'too few models'
echo "$(ls "$TMPDIR/reference-packed" | wc -l) models"
case_end

# All at once: bytes that are the same depend on none of them. By hand, one by one, it is found which they depend on.
case_begin 'two threads, another folder, older files, another clock, time zone and locale'
(
    [ $german -eq 0 ] || export LOCPATH="$TMPDIR/locale" LC_ALL=de_DE.UTF-8
    export LD_PRELOAD="$TMPDIR/clock.so" TZ=Asia/Tokyo
    bake_all "$KILN" "$TMPDIR/Zwei Ördner" 2 packed "$TMPDIR/elsewhere"
)
compare "$TMPDIR/elsewhere"
"$KILN" bake --quiet --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree --adb "$TMPDIR/Zwei Ördner/C065_grid.obj" -o "$TMPDIR/absolute.kiln"
same "$TMPDIR/absolute.kiln" "$TMPDIR/reference-packed/C065_grid.obj.kiln"
case_end

case_begin 'a locale with a decimal comma was among them'
if [ $german -eq 1 ]; then
    case_end
else
    case_skip 'localedef makes no German locale (package locales)'
fi

# By one thread; by two below, by another compiler and unoptimised at once.
case_begin 'raw files'
bake_all "$KILN" "$TMPDIR/one" 1 raw "$TMPDIR/reference-raw"
case_end

# built_by CC CONFIG FOLDER THREADS LAYOUT
built_by() {
    case_begin "built by $1 $2, from $(basename "$3"), threads: $4, $5"
    make_other "$1" "$2" all
    bake_all "$other" "$3" "$4" "$5" "$TMPDIR/$1-$2"
    compare "$TMPDIR/$1-$2" "$5"
    case_end
}

# Of gcc, the build with sanitizers, which is there anyway; it is optimised less, its command and readers the least.
built_by gcc asan "$TMPDIR/Zwei Ördner" 1 packed
built_by clang release "$TMPDIR/one" 2 packed
built_by clang debug "$TMPDIR/Zwei Ördner" 2 raw

cases_end
