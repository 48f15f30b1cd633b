#!/bin/sh
# Height fields: what is read, how samples are placed, what other verbs say of them, and what is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cd "$TMPDIR" || exit 1

printf 'P2\n# three rows\n4 3 # columns and rows\n100\n0 10 20 30\n5 5 100 5\n0 0 0 7\n' >plain.pgm
# The same in bytes, in 16-bit samples of a PGM, and in samples alone.
printf 'P5 4 3 100\n\0\012\024\036\005\005\144\005\0\0\0\007' >bytes.pgm
printf 'P5\n4 3\n65535\n\0\0\0\012\0\024\0\036\0\005\0\005\0\144\0\005\0\0\0\0\0\0\0\007' >words.pgm
printf '\0\0\012\0\024\0\036\0\005\0\005\0\144\0\005\0\0\0\0\0\0\0\007\0' >samples.r16
/usr/bin/python3 - <<'END'
import struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
def png(name, width, height, depth, colour, rows, before=b''):
    with open(name, 'wb') as out:
        out.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0, 0)) +
                  before + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + row for row in rows))) + chunk(b'IEND', b''))
rows = [[0, 10, 20, 30], [5, 5, 100, 5], [0, 0, 0, 7]]
png('words.png', 4, 3, 16, 0, [struct.pack('>4H', *row) for row in rows])
png('bytes.png', 4, 3, 8, 0, [bytes(row) for row in rows])
png('bits.png', 4, 3, 1, 0, [bytes([0x50]), bytes([0xA0]), bytes([0x90])])
png('colours.png', 4, 3, 8, 2, [bytes(12)] * 3)
png('palette.png', 4, 3, 8, 3, [bytes(4)] * 3, chunk(b'PLTE', bytes(6)))
whole = open('words.png', 'rb').read()
open('cut.png', 'wb').write(whole[:-20])
END

# triangles FILE: all of them in one line of an OBJ.
triangles() {
    "$KILN" export "$1" -o shape.obj --mesh || case_fail "$1 is not exported"
    awk '$1 == "v" { v[++n] = $2 "," $3 "," $4 } $1 == "f" { printf "%s %s %s/", v[$2 + 0], v[$3 + 0], v[$4 + 0] }' shape.obj
}

case_begin 'every format gives the same triangles'
"$KILN" bake -q plain.pgm -o plain.kiln || case_fail 'plain.pgm'
want=$(triangles plain.kiln)
case $want in '0,2,0 1,1,5 1,2,10/0,2,0 0,1,5 1,1,5/'*) ;; *) case_fail "triangles: $want" ;; esac
for file in bytes.pgm words.pgm words.png bytes.png samples.r16; do
    set --
    [ $file = samples.r16 ] && set -- --columns 4
    "$KILN" bake -q $file -o other.kiln "$@" || case_fail $file
    [ "$(triangles other.kiln)" = "$want" ] || case_fail "$file: $(triangles other.kiln)"
    expect 0 "$KILN" verify other.kiln --source $file --full
    says out 'geometry equals a fresh import'
done
"$KILN" bake -q bits.png -o bits.kiln || case_fail bits.png
case $(triangles bits.kiln) in '0,2,0 1,1,0 1,2,1/0,2,0 0,1,1 1,1,0/'*) ;; *) case_fail "bits: $(triangles bits.kiln)" ;; esac
case_end

case_begin 'spacing, heights, scale, the up axis and diagonals'
"$KILN" bake -q plain.pgm -o placed.kiln --spacing 2,3 --heights -50,50 --scale 2 --up y --diagonal falling
case $(triangles placed.kiln) in '0,-100,0 0,-90,6 4,-80,0/4,-80,0 0,-90,6 4,-90,6/'*) ;; *) case_fail "$(triangles placed.kiln)" ;; esac
"$KILN" bake -q plain.pgm -o placed.kiln --up x
case $(triangles placed.kiln) in '0,0,2 5,1,1 10,1,2/'*) ;; *) case_fail "$(triangles placed.kiln)" ;; esac
"$KILN" bake -q plain.pgm -o placed.kiln --diagonal alternate
case $(triangles placed.kiln) in '0,2,0 1,1,5 1,2,10/0,2,0 0,1,5 1,1,5/1,2,10 1,1,5 2,2,20/2,2,20 1,1,5 2,1,100/'*) ;; *) case_fail "$(triangles placed.kiln)" ;; esac
case_end

case_begin 'holes'
"$KILN" bake -q plain.pgm -o holes.kiln --hole 100
[ "$(triangles holes.kiln | tr '/' '\n' | wc -l)" -eq 4 ] || case_fail "$(triangles holes.kiln)"
expect 0 "$KILN" info holes.kiln
says out '4 x 3 samples, 1 x 1 apart, steps of 1; 4 of 6 quads at holes'
says out 'faces          4, of 12 vertices'
printf '0.5 1.5 200 0 0 -1\n1.5 1.5 200 0 0 -1\n' >rays
[ "$("$KILN" query holes.kiln --mode any --rays rays | tr '\n' ' ')" = '1 0 ' ] || case_fail 'a ray meets a hole, or no quad'
expect 3 "$KILN" bake -q plain.pgm -o none.kiln --hole 5
says err 'has no quad without a hole'
[ ! -e none.kiln ] || case_fail 'something was written'
case_end

case_begin 'a mesh of the same triangles has their hash'
"$KILN" export plain.kiln -o plain.obj --mesh && "$KILN" bake -q plain.obj -o mesh.kiln --bv aabb
hash() { "$KILN" info --json "$1" | sed -n 's/.*"geometry_hash": *"\([0-9a-f]*\)".*/\1/p'; }
[ -n "$(hash mesh.kiln)" ] && [ "$(hash mesh.kiln)" = "$(hash plain.kiln)" ] || case_fail "$(hash mesh.kiln) and $(hash plain.kiln)"
[ "$("$KILN" collide plain.kiln mesh.kiln --mode pairs)" = "$("$KILN" collide mesh.kiln mesh.kiln --mode pairs)" ] || case_fail 'pairs'
case_end

case_begin 'what other verbs say'
"$KILN" bake -q plain.pgm -o raw.kiln --layout raw
expect 0 "$KILN" unpack plain.kiln -o unpacked.kiln
same raw.kiln unpacked.kiln
expect 0 "$KILN" diff plain.kiln raw.kiln
expect 7 "$KILN" diff plain.kiln holes.kiln
says out 'triangles only here    8                     0'
expect 0 "$KILN" bake -q plain.pgm -o plain.kiln --if-changed
"$KILN" bake plain.pgm -o plain.kiln --if-changed --json >out
says out '"outcome": "up_to_date"'
"$KILN" bake plain.pgm -o plain.kiln --if-changed --spacing 2 --json >out
says out '"outcome": "baked"'
expect 0 "$KILN" view raw.kiln -o page.html
expect 0 "$KILN" info --json raw.kiln
says out '"height_field": {'
case_end

case_begin 'pictures in a folder are textures'
mkdir assets && cp words.png plain.pgm samples.r16 assets && printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >assets/one.obj
expect 0 "$KILN" bake -q assets -o baked
[ "$(ls baked)" = one.kiln ] || case_fail "$(ls baked)"
expect 0 "$KILN" bake -q assets/one.obj assets/words.png -o baked
[ -e baked/words.kiln ] || case_fail 'a picture that is named is baked'
case_end

case_begin 'refusals'
refused() {
    status=$1
    text=$2
    shift 2
    expect "$status" "$KILN" bake -q "$@" -o refused.kiln
    says err "$text"
    [ ! -e refused.kiln ] || case_fail "something was written: $*"
}
for option in '--bv obb,aabb' '--bv auto' '--leaf 2' '--builder median' '--split mesh' '--lossy-grid 8' --adb '--quality best' '--drop degenerate' '--on-bad drop' '--on-bad error' \
    '--bv obb' '--leaf 4' '--builder sah' '--split none' '--quality default' '--fit geometry' '--box-fit search' '--spheres least'; do
    # shellcheck disable=SC2086
    refused 1 "for which ${option%% *} is of no use" plain.pgm $option
done
for option in '--spacing 2' '--heights 0,3' '--heights 0,0' '--columns 4' '--hole 0' '--diagonal falling' '--diagonal rising'; do
    # shellcheck disable=SC2086
    refused 1 "is no height field, and ${option%% *} is of use for nothing else" "$OLDPWD/models/tiny/cube.obj" $option
done
refused 1 'takes one length above 0' plain.pgm --spacing 0
refused 1 'takes one length above 0' plain.pgm --spacing 1,2,3
refused 1 'takes two numbers' plain.pgm --heights 3
refused 1 'must differ' plain.pgm --heights 3,3
refused 1 'must differ' plain.pgm --heights 0,0
# In a manifest options may be written out as by default, as --dump-config does.
expect 0 "$KILN" bake -q "$OLDPWD/models/tiny/cube.obj" -o whole.kiln
"$KILN" bake "$OLDPWD/models/tiny/cube.obj" -o dumped.kiln --dump-config >dumped.yaml
expect 0 "$KILN" bake -q -m dumped.yaml
same whole.kiln dumped.kiln
expect 1 "$KILN" bake -q -m dumped.yaml --diagonal rising
says err 'is no height field, and --diagonal is of use for nothing else'
refused 1 'must be finite' plain.pgm --heights nan,3
refused 1 'it has 4 columns, not 5' plain.pgm --columns 5
refused 3 '12 samples are no square' samples.r16
refused 3 '12 samples are no whole rows of 5' samples.r16 --columns 5
refused 3 'has no triangle' samples.r16 --columns 12
refused 3 'beyond the range of floats' plain.pgm --spacing 1e300
refused 5 'a picture in colours' colours.png
refused 5 'a picture in colours' palette.png
refused 3 'no PNG picture that can be read' cut.png
head -c 20 bytes.pgm >cut.pgm
refused 3 'ends within its samples' cut.pgm
printf 'P5 4 3 100\n\0\012\024\036\005\005\377\005\0\0\0\007' >above.pgm
refused 3 'above the greatest' above.pgm
printf 'P2 2 2 9\n1 2 3 x' >word.pgm
refused 3 'no decimal' word.pgm
printf 'P6 2 2 9\n' >colours.pgm
refused 3 'neither P5 nor P2' colours.pgm
printf 'P5 2 2 65536\n' >deep.pgm
refused 3 'from 1 to 65535' deep.pgm
printf '\0\0\0' >odd.r16
refused 3 'an odd number of bytes' odd.r16
cp words.png words.pgm
refused 3 'those of a .png file' words.pgm
printf 'P2 2 2 9\n1 2 3 4\nP2 2 2 9\n1 2 3 4\n' >two.pgm
refused 3 'more follows the samples' two.pgm --strict
case_end

cases_end
