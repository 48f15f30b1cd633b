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

cp models/tiny/cube.obj models/tiny/tetrahedron.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
expect 0 "$KILN" bake cube.obj -o small.kiln

# left FOLDER: the old file as it was, and no other.
left() {
    same "$1/old.kiln" small.kiln
    [ "$(ls -A "$1")" = old.kiln ] || case_fail "left behind: $(ls -A "$1")"
}

case_begin 'C057: a disk of 64 KiB'
mkdir disk
if mount -t tmpfs -o size=64k none disk 2>why; then
    cp small.kiln disk/old.kiln
    exact 2 "$KILN" bake wave.obj -o disk/new.kiln --layout raw <<'END'
stderr:
kiln: disk/new.kiln: can't be written; no space left on the device; free some and run again
END
    exact 2 "$KILN" bake wave.obj -o disk/old.kiln --layout raw <<'END'
stderr:
kiln: disk/old.kiln: can't be written; no space left on the device; free some and run again
END
    left disk
    "$KILN" bake -q wave.obj -o wave.kiln
    exact 2 "$KILN" unpack wave.kiln -o disk/old.kiln <<'END'
stderr:
kiln: disk/old.kiln: can't be written; no space left on the device; free some and run again
END
    exact 2 "$KILN" lut bins -o disk/old.kiln --max-u 64 --layout raw -q <<'END'
stderr:
kiln: disk/old.kiln: can't be written; no space left on the device; free some and run again
END
    left disk
    case_end

    case_begin 'C057: a batch on a full disk: what fits is baked, what does not is named'
    exact 2 "$KILN" bake wave.obj tetrahedron.obj -o disk --layout raw -j1 <<'END'
stderr:
kiln: disk/wave.kiln: can't be written; no space left on the device; free some and run again
kiln: failed: wave.obj
kiln: 1 baked, 1 failed in T s; N read, N written
END
    exact 0 ls -A disk <<'END'
old.kiln
tetrahedron.kiln
END
    rm disk/tetrahedron.kiln
    case_end

    case_begin 'C057: a cache on a full disk: the file is baked, and it is said that it is not kept'
    head -c 49152 /dev/zero >disk/ballast
    exact 0 "$KILN" bake wave.obj -o kept.kiln --layout raw --cache disk/cache <<'END'
stderr:
kiln: disk/cache: not kept: can't be written; no space left on the device; free some and run again
END
    exact 0 "$KILN" verify -q kept.kiln <<'END'
END
    rm -r disk/cache disk/ballast
    case_end

    case_begin 'C057: a depfile on a full disk'
    head -c 131072 /dev/zero >disk/ballast 2>/dev/null
    exact 2 "$KILN" bake cube.obj -o kept.kiln --depfile disk/d <<'END'
stderr:
kiln: disk/d: can't be written; no space left on the device; free some and run again
END
    rm disk/ballast
    left disk
    umount disk
    case_end
else
    case_skip "mounting a tmpfs is not permitted: $(cat why)"
fi

case_begin 'C057: ulimit -f'
mkdir limited
cp small.kiln limited/old.kiln
exact 2 sh -c 'ulimit -f 8; exec "$KILN" bake wave.obj -o limited/new.kiln --layout raw' <<'END'
stderr:
kiln: limited/new.kiln: can't be written; no space: the limit on file size is reached; raise it (ulimit -f) and run again
END
exact 2 sh -c 'ulimit -f 8; exec "$KILN" bake wave.obj -o limited/old.kiln --layout raw' <<'END'
stderr:
kiln: limited/old.kiln: can't be written; no space: the limit on file size is reached; raise it (ulimit -f) and run again
END
left limited
case_end

case_begin 'C057: /dev/full'
if [ -e /dev/full ]; then
    exact 2 "$KILN" bake cube.obj -o /dev/full <<'END'
stderr:
kiln: /dev/full: can't be written; no space left on the device; free some and run again
END
    exact 2 sh -c '"$KILN" bake cube.obj -o - >/dev/full' <<'END'
stderr:
kiln: standard output: can't be written; no space left on the device; free some and run again
END
    exact 2 "$KILN" unpack small.kiln -o /dev/full <<'END'
stderr:
kiln: /dev/full: can't be written; no space left on the device; free some and run again
END
    for verb in 'info small.kiln' 'info --json small.kiln' 'verify small.kiln' 'diff small.kiln small.kiln' \
        'collide small.kiln small.kiln' 'upgrade small.kiln' 'plan cube.obj -o x.kiln' --help --version --man \
        '--completion bash' 'bake cube.obj -o x.kiln --json' 'bake cube.obj -o x.kiln --dump-config'; do
        # shellcheck disable=SC2086
        "$KILN" $verb >/dev/full 2>err
        status=$?
        [ $status -eq 2 ] || case_fail "$verb: status $status"
        exactly err <<'END'
kiln: standard output: can't be written; no space left on the device; free some and run again
END
    done
    case_end
else
    case_skip 'there is no /dev/full'
fi

case_begin 'C057: a batch of which nothing can be baked does not end in 0'
echo text >bad.xyzzy
cp bad.xyzzy worse.xyzzy
exact 5 "$KILN" bake bad.xyzzy worse.xyzzy -o none.d -j1 <<'END'
stderr:
kiln: bad.xyzzy: no reader for "xyzzy" files; convert it to OBJ, PLY, STL, glTF or FBX, or name its format if the extension is misleading
kiln: worse.xyzzy: no reader for "xyzzy" files; convert it to OBJ, PLY, STL, glTF or FBX, or name its format if the extension is misleading
kiln: failed: bad.xyzzy
kiln: failed: worse.xyzzy
kiln: 2 failed in T s
END
exact 0 ls -A none.d <<'END'
END
case_end

case_begin '/dev/null is written directly'
expect 0 "$KILN" bake cube.obj -o /dev/null
[ -c /dev/null ] || case_fail '/dev/null is gone'
case_end

case_begin 'an interrupted bake leaves nothing'
mkdir cut
cp small.kiln cut/old.kiln
"$KILN" bake wave.obj -o cut/old.kiln 2>/dev/null &
bake=$!
sleep 0.02
kill -TERM $bake 2>/dev/null
wait $bake
status=$?
case $status in 0 | 143) ;; *) case_fail "status $status" ;; esac
[ "$(ls -A cut)" = old.kiln ] || case_fail "left behind: $(ls -A cut)"
[ $status -eq 0 ] || same cut/old.kiln small.kiln
case_end

cases_end
