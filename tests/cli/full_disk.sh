#!/bin/sh
# A full disk, a limit on file size, a full device: status 2, "no space" in the message, nothing under
# the final name, an earlier output untouched, no temporary file left.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

# A model whose file does not fit: 64 x 64 cells of a wave.
awk 'BEGIN {
    n = 64
    for (i = 0; i <= n; i++) for (j = 0; j <= n; j++)
        printf "v %.6f %.6f %.6f\n", i, j, 3 * sin(i * 0.7 + j * j * 0.013)
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        a = i * (n + 1) + j + 1
        printf "f %d %d %d %d\n", a, a + n + 1, a + n + 2, a + 1
    }
}' >"$TMPDIR/wave.obj"

# full FOLDER COMMAND...: runs bake through COMMAND, its output in FOLDER.
full() {
    folder=$1
    shift
    expect 2 "$@" "$KILN" bake "$TMPDIR/wave.obj" -o "$folder/new.kiln" --layout raw
    says err 'no space'
    [ ! -e "$folder/new.kiln" ] || case_fail 'there is a file under the final name'
    expect 2 "$@" "$KILN" bake "$TMPDIR/wave.obj" -o "$folder/old.kiln" --layout raw
    same "$folder/old.kiln" "$TMPDIR/small.kiln"
    [ "$(ls -A "$folder")" = old.kiln ] || case_fail "left behind: $(ls -A "$folder")"
}

expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/small.kiln"

case_begin 'a disk of 64 KiB'
mkdir "$TMPDIR/disk"
if mount -t tmpfs -o size=64k none "$TMPDIR/disk" 2>"$TMPDIR/why"; then
    cp "$TMPDIR/small.kiln" "$TMPDIR/disk/old.kiln"
    full "$TMPDIR/disk"
    umount "$TMPDIR/disk"
    case_end
else
    case_skip "mounting a tmpfs is not permitted: $(cat "$TMPDIR/why")"
fi

case_begin 'ulimit -f'
mkdir "$TMPDIR/limited"
cp "$TMPDIR/small.kiln" "$TMPDIR/limited/old.kiln"
cat >"$TMPDIR/limit" <<'END'
#!/bin/sh
ulimit -f 8
exec "$@"
END
chmod +x "$TMPDIR/limit"
full "$TMPDIR/limited" "$TMPDIR/limit"
case_end

case_begin '/dev/full'
if [ -e /dev/full ]; then
    expect 2 "$KILN" bake models/tiny/cube.obj -o /dev/full
    says err 'no space'
    "$KILN" bake models/tiny/cube.obj -o - >/dev/full 2>"$TMPDIR/err"
    [ $? -eq 2 ] || case_fail 'standard output: status is not 2'
    says err 'no space'
    case_end
else
    case_skip 'there is no /dev/full'
fi

case_begin '/dev/null and a fifo are written directly'
expect 0 "$KILN" bake models/tiny/cube.obj -o /dev/null
[ -c /dev/null ] || case_fail '/dev/null is gone'
mkfifo "$TMPDIR/fifo"
cat "$TMPDIR/fifo" >"$TMPDIR/through" &
expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/fifo"
wait $!
same "$TMPDIR/through" "$TMPDIR/small.kiln"
case_end

case_begin 'an interrupted bake leaves nothing'
mkdir "$TMPDIR/cut"
cp "$TMPDIR/small.kiln" "$TMPDIR/cut/old.kiln"
"$KILN" bake "$TMPDIR/wave.obj" -o "$TMPDIR/cut/old.kiln" 2>/dev/null &
bake=$!
sleep 0.02
kill -TERM $bake 2>/dev/null
wait $bake
status=$?
case $status in 0 | 143) ;; *) case_fail "status $status" ;; esac
[ "$(ls -A "$TMPDIR/cut")" = old.kiln ] || case_fail "left behind: $(ls -A "$TMPDIR/cut")"
[ $status -eq 0 ] || same "$TMPDIR/cut/old.kiln" "$TMPDIR/small.kiln"
case_end

cases_end
