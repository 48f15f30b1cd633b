#!/bin/sh
# kiln lut: tables of filled bins and axis sets from the command line.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

exact=$TMPDIR/exact.kiln
compact=$TMPDIR/compact.kiln

case_begin 'bins says what it keeps and how exact it is'
expect 0 "$KILN" lut bins -o "$exact" --max-u 64
says out 'exact table, rounded to nearest, u to 64, x to 10'
says out 'exact arithmetic decided'
says out 'times fewer than full'
silent err
expect 0 "$KILN" lut bins -q -o "$compact" --max-u 64 --profile compact --rounding down -j 1
silent out
case_end

case_begin 'bins --json'
expect 0 "$KILN" lut bins --json -o "$TMPDIR/json.kiln" --max-u 20 --max-x 2
for text in '"verb": "lut bins"' '"profile": "exact"' '"rounding": "nearest"' '"max_u": 20' \
    '"kept"' '"certificate_kept"' '"exact_values"' '"status": 0'; do says out "$text"; done
case_end

case_begin 'the same bytes on any number of threads, and on standard output'
for jobs in 1 2 3; do
    expect 0 "$KILN" lut bins -q -o "$TMPDIR/$jobs.kiln" --max-u 64 -j $jobs
    same "$exact" "$TMPDIR/$jobs.kiln"
done
"$KILN" lut bins -o - --max-u 64 >"$TMPDIR/piped.kiln" 2>"$TMPDIR/err" || case_fail 'status is not 0'
same "$exact" "$TMPDIR/piped.kiln"
case_end

case_begin 'raw, packed, unpacked'
expect 0 "$KILN" lut bins -q -o "$TMPDIR/raw.kiln" --max-u 64 --layout raw
expect 0 "$KILN" unpack "$exact" -o "$TMPDIR/unpacked.kiln"
same "$TMPDIR/raw.kiln" "$TMPDIR/unpacked.kiln"
expect 0 "$KILN" unpack "$TMPDIR/raw.kiln" -o "$TMPDIR/packed.kiln" --layout packed
same "$exact" "$TMPDIR/packed.kiln"
case_end

# shows WANTED ARGUMENT...: what kiln lut show prints.
shows() {
    wanted=$1
    shift
    got=$("$KILN" lut show "$@")
    [ "$got" = "$wanted" ] || case_fail "says '$got', not '$wanted': $*"
}

case_begin 'show'
shows 0.015625 "$exact" --at 64,1,1 --x 1
shows 0 "$exact" --at 64,1,1 --x 2
shows 1 "$exact" --at 64,40,40 --x 10
shows 0 "$exact" --at 64,0,5 --x 1
shows 0.37929940223693848 "$exact" --at 64,10,20 --x 4
shows "$("$KILN" lut show "$exact" --at 64,20,10)" "$exact" --at 64,10,20
expect 0 "$KILN" lut show "$compact" --at 64,3,3
[ "$(wc -l <"$TMPDIR/out")" -eq 10 ] || case_fail 'not ten lines'
[ "$(sed -n 4p "$TMPDIR/out")" = '4 0' ] || case_fail 'not 0 at x = 4'
expect 0 "$KILN" lut show "$exact" --json --at 64,1,1 --x 1
says out '"p": 0.015625'
case_end

case_begin 'show beyond the table, and nonsense'
expect 1 "$KILN" lut show "$exact" --at 65,1,1
says err 'u to 64'
expect 1 "$KILN" lut show "$exact" --at 64,1,1 --x 11
for at in 64,65,1 64,1,65 64,1 64,1,1,1 x,1,1 64,-1,1 64,1, 99999999999999999999,1,1; do
    expect 1 "$KILN" lut show "$exact" --at $at
    says err '--at takes'
done
expect 1 "$KILN" lut show "$exact"
says err '--at U,V,W is missing'
case_end

case_begin 'check'
expect 0 "$KILN" lut check "$exact"
says out 'all rounded correctly'
expect 0 "$KILN" lut check "$compact" --sample 1000
expect 0 "$KILN" lut check "$compact" --json
says out '"sound": true'
says out '"misrounded": 0'
case_end

# A value one unit in the last place away, and every checksum right again: only computing tells.
case_begin 'check finds a value that is off'
if command -v python3 >/dev/null; then
    expect 0 "$KILN" lut bins -q -o "$TMPDIR/off.kiln" --max-u 64 --max-x 1 --layout raw
    python3 - "$TMPDIR/off.kiln" <<'END' || case_fail 'python3'
import hashlib, struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
count = struct.unpack_from('<I', data, 40)[0]
sha = hashlib.sha256()
for i in range(count):
    at = 128 + 64 * i
    kind, = struct.unpack_from('<I', data, at)
    offset, stored, raw = struct.unpack_from('<QQQ', data, at + 16)
    if kind == 0x32334642:  # BF32
        value, = struct.unpack_from('<I', data, offset + 4 * 1000)
        struct.pack_into('<I', data, offset + 4 * 1000, value - 1)
    struct.pack_into('<I', data, at + 40, zlib.crc32(data[offset:offset + stored]))
    sha.update(struct.pack('<IQ', kind, raw) + data[offset:offset + stored])
data[48:64] = sha.digest()[:16]
struct.pack_into('<I', data, 12, 0)
struct.pack_into('<I', data, 12, zlib.crc32(data[:128 + 64 * count]))
open(sys.argv[1], 'wb').write(data)
END
    expect 3 "$KILN" lut check "$TMPDIR/off.kiln"
    says err 'values are wrong'
    expect 3 "$KILN" lut check "$TMPDIR/off.kiln" --json
    says out '"sound": false'
    case_end
else
    case_skip 'there is no python3'
fi

case_begin 'info and verify know tables'
expect 0 "$KILN" info "$exact"
says out 'a table of filled bins'
says out 'profile        exact, rounded to nearest'
expect 0 "$KILN" info --json "$compact"
says out '"rounding": "down"'
expect 0 "$KILN" verify "$exact" "$compact"
says out 'sound; a table of'
case_end

case_begin 'a damaged table'
head -c 3000 "$exact" >"$TMPDIR/cut.kiln"
for verb in info verify 'lut check'; do
    # shellcheck disable=SC2086
    expect 3 "$KILN" $verb "$TMPDIR/cut.kiln"
    says err 'not a complete file'
done
expect 2 "$KILN" lut check "$TMPDIR/nowhere.kiln"
case_end

case_begin 'models and tables are told from each other'
expect 0 "$KILN" bake -q models/tiny/cube.obj -o "$TMPDIR/cube.kiln"
expect 3 "$KILN" collide "$exact" "$TMPDIR/cube.kiln"
says err 'this is a filled-bins table, not a model'
expect 3 "$KILN" lut check "$TMPDIR/cube.kiln"
says err 'this is no filled-bins table'
expect 3 "$KILN" lut show "$TMPDIR/cube.kiln" --at 1,1,1
case_end

case_begin 'wrong command lines'
expect 1 "$KILN" lut
says err 'axes, bins, check, show'
expect 1 "$KILN" lut frob
says err "not 'frob'"
expect 1 "$KILN" lut bins
says err '-o FILE is missing'
for wrong in '--max-u 0' '--max-u 4097' '--max-u 4096' '--max-u 1025 --max-x 2' '--max-x 11' '--profile tiny' '--rounding up'; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" lut bins -o "$TMPDIR/never.kiln" $wrong
done
[ ! -e "$TMPDIR/never.kiln" ] || case_fail 'a file was written'
expect 0 "$KILN" lut --help
says out 'usage: kiln lut show'
case_end

case_begin 'weights of counted queries in a table'
"$KILN" bake models/tiny/cube.obj -o "$TMPDIR/counted.kiln" --adb --quiet
expect 0 "$KILN" calibrate "$TMPDIR/counted.kiln" --draws 4 -o "$TMPDIR/weights.kiln"
expect 0 "$KILN" lut bins -o "$TMPDIR/both.kiln" --max-u 12 --max-x 2 --adb-weights "$TMPDIR/weights.kiln"
expect 0 "$KILN" info "$TMPDIR/both.kiln"
says out 'for obb, leaves of at most 4:'
expect 0 "$KILN" verify "$TMPDIR/both.kiln" --json
says out '"weights": 1'
expect 0 "$KILN" lut show "$TMPDIR/both.kiln" --at 12,6,6
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --adb-weights "$TMPDIR/both.kiln"
expect 3 "$KILN" lut bins -o "$TMPDIR/none.kiln" --max-u 12 --adb-weights "$TMPDIR/counted.kiln"
says err 'has no weights'
[ ! -e "$TMPDIR/none.kiln" ] || case_fail 'a file was written'
case_end

# ---- axis sets

set=$TMPDIR/set.kiln

case_begin 'axes says how many there are, and their covering radius'
expect 0 "$KILN" lut axes -o "$set" --points 72
says out '40 axes of 72 points, spherical, kept'
says out 'covering radius 15.14453'
says out 'zones at 15.14453'
silent err
expect 0 "$KILN" lut axes -o "$TMPDIR/pairs.kiln" --antipodal --layout raw
says out '70 axes of 140 points, antipodal, kept'
expect 0 "$KILN" lut axes -q -o "$TMPDIR/json.kiln" --points 20 --phi 40 --json
for text in '"verb": "lut axes"' '"axes": 13' '"phi": 40.000' '"source": "kept"' '"status": 0'; do says out "$text"; done
expect 0 "$KILN" lut axes -o "$TMPDIR/none.kiln" --points 192 --no-zones
says out 'no look-up table'
says out 'of 192 points'
expect 0 "$KILN" lut axes -o "$TMPDIR/found.kiln" --points 16 --starts 4 --seed 7
says out 'searched'
case_end

case_begin 'axes: the same bytes on any number of threads, raw, packed, on standard output'
for jobs in 1 3; do
    expect 0 "$KILN" lut axes -q -o "$TMPDIR/$jobs.kiln" --points 16 --starts 6 -j $jobs
done
same "$TMPDIR/1.kiln" "$TMPDIR/3.kiln"
"$KILN" lut axes -o - --points 72 >"$TMPDIR/piped.kiln" 2>"$TMPDIR/err" || case_fail 'status is not 0'
same "$set" "$TMPDIR/piped.kiln"
expect 0 "$KILN" lut axes -q -o "$TMPDIR/raw.kiln" --points 72 --layout raw
expect 0 "$KILN" unpack "$set" -o "$TMPDIR/unpacked.kiln"
same "$TMPDIR/raw.kiln" "$TMPDIR/unpacked.kiln"
case_end

case_begin 'info, verify, diff and check know axis sets'
expect 0 "$KILN" info "$set"
says out 'a set of axes'
says out 'radius         15.14453'
expect 0 "$KILN" info --json "$set"
says out '"kind": "spherical"'
expect 0 "$KILN" verify "$set" "$TMPDIR/none.kiln"
says out 'a set of 40 axes'
expect 7 "$KILN" diff "$set" "$TMPDIR/pairs.kiln"
says out 'antipodal'
expect 0 "$KILN" lut check "$set"
says out 'sound; 40 axes'
expect 0 "$KILN" lut check "$set" --json
says out '"wrong_masks": 0'
expect 1 "$KILN" lut check "$set" --sample 5
says err 'of an axis set all is checked'
expect 3 "$KILN" lut show "$set" --at 1,1,1
says err 'this is no filled-bins table'
expect 3 "$KILN" collide "$set" "$set"
says err 'this is an axis set, not a model'
case_end

# An axis a little off, a radius a little too small, a bit too few: every checksum right again.
if command -v python3 >/dev/null; then
    case_begin 'check finds an axis set that is off'
    cat >"$TMPDIR/off.py" <<'END'
import hashlib, struct, sys, zlib
data = bytearray(open(sys.argv[1], 'rb').read())
count = struct.unpack_from('<I', data, 40)[0]
sha = hashlib.sha256()
for i in range(count):
    at = 128 + 64 * i
    kind = data[at:at + 4].decode()
    offset, stored, raw = struct.unpack_from('<QQQ', data, at + 16)
    if kind == 'AXES' and sys.argv[3] == 'radius':
        for place in (16, 24):
            value, = struct.unpack_from('<d', data, offset + place)
            struct.pack_into('<d', data, offset + place, value * (1 - 1e-9))
    if kind == 'AXVE' and sys.argv[3] == 'axis':
        struct.pack_into('<3d', data, offset + 24 * 5, 0, 0, 1)
    if kind == 'AXZO' and sys.argv[3] == 'zone':
        mask, = struct.unpack_from('<Q', data, offset + 8 * 1000)
        struct.pack_into('<Q', data, offset + 8 * 1000, mask & (mask - 1))
    struct.pack_into('<I', data, at + 40, zlib.crc32(data[offset:offset + stored]))
    sha.update(struct.pack('<IQ', struct.unpack_from('<I', data, at)[0], raw) + data[offset:offset + stored])
data[48:64] = sha.digest()[:16]
struct.pack_into('<I', data, 12, 0)
struct.pack_into('<I', data, 12, zlib.crc32(data[:128 + 64 * count]))
open(sys.argv[2], 'wb').write(data)
END
    for what in radius axis zone; do
        python3 "$TMPDIR/off.py" "$TMPDIR/raw.kiln" "$TMPDIR/off.kiln" $what || case_fail 'python3'
        expect 3 "$KILN" lut check "$TMPDIR/off.kiln"
        [ $what = zone ] && says err 'zones are wrong; 1 of' || says err 'the covering radius is wrong'
        expect 3 "$KILN" lut check "$TMPDIR/off.kiln" --json
        says out '"sound": false'
        expect 3 "$KILN" verify "$TMPDIR/off.kiln"
    done
    case_end
else
    case_skip 'there is no python3'
fi

case_begin 'axes: wrong command lines'
expect 1 "$KILN" lut axes
says err '-o FILE is missing'
expect 1 "$KILN" lut axes -o "$TMPDIR/never.kiln" --points 72 --phi 15
says err '--phi is below the covering radius'
expect 1 "$KILN" lut axes -o "$TMPDIR/never.kiln" --points 78033
says err 'the next that there is has 78042'
expect 1 "$KILN" lut axes -o "$TMPDIR/never.kiln" --points 33 --antipodal
says err 'takes an even number of points'
for wrong in '--points 5' '--points 100001' '--phi 91' '--phi -1' '--starts 0' '--seed -1'; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" lut axes -o "$TMPDIR/never.kiln" $wrong
done
[ ! -e "$TMPDIR/never.kiln" ] || case_fail 'a file was written'
case_end

cases_end
