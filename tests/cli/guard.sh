#!/bin/sh
# What is written replaces nothing but earlier outputs: no option of any verb writes over what the run reads,
# over another output of it, or over a file that kiln could not have written, by whatever name or link.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

mkdir -p "$TMPDIR/g/w"
cp models/tiny/cube.obj models/tiny/tetrahedron.obj models/tiny/painted.obj models/tiny/painted.mtl "$TMPDIR/g/w"
cd "$TMPDIR/g/w" || exit 1
"$KILN" bake -q cube.obj -o one.kiln --adb=4
"$KILN" lut bins --max-u 8 --max-x 2 -q -o bins.kiln
"$KILN" calibrate one.kiln --draws 20 -o weights.kiln >../log 2>&1 || cat ../log
printf 'cube.obj\n' >list
printf 'kiln: 1\nassets: [cube.obj]\n' >kiln.yaml
printf 'kiln: 1\n' >short.yaml
printf 'BasedOnStyle: LLVM\nIndentWidth: 4\n' >style
printf 'all: one.kiln\n\techo done\n' >Makefile
printf 'main.o: main.c \\\n main.h\n' >gcc.d
printf 'CC = gcc\n' >vars.mk
printf 'dear diary\n' >notes.txt
printf 'name: value\n' >pair.txt
printf '\0\0\0\0' >zeros
cp notes.txt notes.kiln
cp kiln.yaml manifest.kiln
ln -s notes.txt link.kiln
ln -s ../w/kiln.yaml link.d
cp -a . ../before

# stays STATUS TEXT COMMAND...: it is refused by that text, and no file is another.
stays() {
    status=$1 text=$2
    shift 2
    expect "$status" "$@"
    says err "$text"
    diff -r ../before . >../differs || { case_fail "$*: $(cat ../differs)"; rm -rf ./* && cp -a ../before/. .; }
}
foreign='would be replaced; it is no kiln file;'
no_depfile='would be replaced; it is no depfile of kiln;'

case_begin 'a depfile is written over no input, list, manifest, side file, weights or output'
stays 1 "the depfile 'cube.obj' is an input" "$KILN" bake -o ../out --depfile cube.obj tetrahedron.obj cube.obj
stays 1 "$no_depfile" "$KILN" bake -o ../out --depfile cube.obj tetrahedron.obj painted.obj
stays 1 "$no_depfile" "$KILN" bake -o ../out --depfile cube.obj tetrahedron.obj
stays 1 'it is the manifest of this run' "$KILN" bake --depfile kiln.yaml -o ../out
stays 1 "it is the manifest './kiln.yaml' of this run" "$KILN" bake -m ./kiln.yaml --depfile link.d -o ../out
stays 1 'it is a list of this run' "$KILN" bake @list -o ../out --depfile list
stays 1 "$no_depfile" "$KILN" bake cube.obj -o ../x.kiln --depfile one.kiln
stays 1 "$no_depfile" "$KILN" bake painted.obj -o ../x.kiln --depfile painted.mtl
stays 1 'it is the weights of this run' "$KILN" bake cube.obj --adb --adb-weights weights.kiln -o ../x.kiln \
    --depfile weights.kiln
stays 1 "the depfile './new' is an input or an output" "$KILN" bake cube.obj -o new --depfile ./new
rm -rf ../out ../x.kiln
case_end

case_begin 'a depfile replaces depfiles of kiln alone'
for file in style short.yaml Makefile gcc.d vars.mk notes.txt pair.txt zeros link.d link.kiln bins.kiln; do
    stays 1 "$no_depfile" "$KILN" bake cube.obj -o ../x.kiln --depfile $file
done
for input in cube.obj painted.obj 'a b$#.obj' -; do
    for output in x.kiln x y/z.bin; do
        mkdir -p ../d/y
        cp cube.obj painted.* ../d
        cp cube.obj '../d/a b$#.obj'
        (
            cd ../d || exit 1
            run() { "$KILN" bake -q "$@" --format obj "$input" -o $output <cube.obj; }
            run --depfile d && run --depfile d --if-changed && run --depfile d && run --leaf 1 --depfile d
        ) || case_fail "$input, $output: its own depfile is refused"
        rm -r ../d
    done
done
mkdir ../d
expect 0 "$KILN" bake -q cube.obj painted.obj -o ../d --depfile ../d/all
expect 0 "$KILN" bake -q painted.obj cube.obj tetrahedron.obj -o ../d --depfile ../d/all
cp ../d/all ../d/kept
: >../d/empty
expect 0 "$KILN" bake -q painted.obj cube.obj tetrahedron.obj -o ../d --depfile ../d/empty
same ../d/kept ../d/empty
rm -r ../d
case_end

case_begin 'a bake replaces kiln files alone, whatever their names'
for file in notes.kiln link.kiln notes.txt style gcc.d zeros painted.mtl; do
    stays 1 "$file: $foreign" "$KILN" bake cube.obj -o $file
    stays 1 "$foreign" "$KILN" bake cube.obj --cache ../cache -o ./$file
    printf 'kiln: 1\nassets:\n  - {path: cube.obj, output: %s}\n' "$file" >../m.yaml
    stays 1 "$foreign" "$KILN" bake -m ../m.yaml -o .
    stays 1 "$foreign" "$KILN" plan -m ../m.yaml -o . --format make
done
cp manifest.kiln ../m.kiln
printf 'kiln: 1\noutput: .\nassets:\n  - {path: w/cube.obj, output: m.kiln}\n' >../m.kiln
cp ../m.kiln ../kept
expect 1 "$KILN" bake -m ../m.kiln
says err 'would be replaced; it is the manifest'
same ../m.kiln ../kept
stays 1 'it is the weights' "$KILN" bake cube.obj --adb --adb-weights weights.kiln -o weights.kiln
rm -rf ../m.yaml ../m.kiln ../kept ../cache
case_end

case_begin 'other verbs: lut bins, calibrate, unpack'
for file in kiln.yaml notes.kiln link.kiln style cube.obj; do
    stays 1 "$file: $foreign" "$KILN" lut bins --max-u 8 --max-x 2 -o $file
    stays 1 "$file: $foreign" "$KILN" unpack one.kiln -o $file
    stays 1 "$file: would be replaced; it is no page" "$KILN" view one.kiln -o $file
done
stays 1 'it is the weights' "$KILN" lut bins --max-u 8 --max-x 2 --adb-weights weights.kiln -o ./weights.kiln
stays 1 'it is an input' "$KILN" calibrate one.kiln --draws 20 -o one.kiln
stays 1 "$foreign" "$KILN" calibrate one.kiln --draws 20 -o notes.kiln
for file in notes.txt kiln.yaml cube.obj bins.kiln.d style; do
    [ -e $file ] || continue
    stays 1 'it is no table of kiln calibrate' "$KILN" calibrate one.kiln --draws 20 -o $file
done
expect 0 "$KILN" calibrate one.kiln --draws 20 -o ../table.c
expect 0 "$KILN" calibrate one.kiln --draws 20 -o ../table.c
expect 0 "$KILN" lut bins --max-u 8 --max-x 2 -q -o ../b
expect 0 "$KILN" lut bins --max-u 8 --max-x 2 -q -o ../b
rm ../table.c ../b
case_end

case_begin 'outputs of a manifest stay in its folder, that of the run and OUT, unless they are allowed'
mkdir -p ../proj/sub ../elsewhere
cp cube.obj ../proj && cp cube.obj ../proj/sub
ln -s ../elsewhere ../proj/away
cd ../proj || exit 1
for output in ../evil.kiln "$TMPDIR/g/evil.kiln" sub/../../evil.kiln away/evil.kiln ../evil/; do
    printf 'kiln: 1\nassets:\n  - {path: cube.obj, output: "%s"}\n' "$output" >m.yaml
    for verb in 'bake' 'plan --format make' 'plan --format ninja' 'bake --dump-config'; do
        expect 1 "$KILN" $verb -m m.yaml
        says err 'outside of the folders of the manifest, of the run and of -o'
        says err 'allow its folder by --outputs'
    done
done
printf 'kiln: 1\noutput: ../elsewhere\nassets: [cube.obj]\n' >m.yaml
expect 1 "$KILN" bake -m m.yaml
says err 'outside of the folders'
[ -z "$(find .. -name '*.kiln' -newer m.yaml)" ] || case_fail 'something was baked'
expect 0 "$KILN" bake -q -m m.yaml --outputs ../nowhere:../elsewhere
expect 0 "$KILN" bake -q -m m.yaml --outputs any
[ -s ../elsewhere/cube.kiln ] || case_fail 'not baked'
expect 0 "$KILN" bake -q -m m.yaml -o ../given
[ -s ../given/cube.kiln ] || case_fail 'not baked into OUT'
printf 'kiln: 1\noutput: ../built\nassets: [cube.obj]\n' >sub/m.yaml
expect 0 "$KILN" bake -q -m sub/m.yaml
[ -s built/cube.kiln ] || case_fail 'not baked into the folder of the run'
cd ../w && rm -r ../proj ../elsewhere ../given
case_end

case_begin 'the permissions of what is replaced are kept'
umask 022
for mode in 600 640 444 664 755; do
    "$KILN" bake -q cube.obj -o ../m.kiln --depfile ../m.d
    chmod $mode ../m.kiln ../m.d
    "$KILN" bake -q cube.obj -o ../m.kiln --depfile ../m.d --leaf 1
    "$KILN" unpack ../m.kiln -o ../m.kiln
    for file in ../m.kiln ../m.d; do
        [ "$(stat -c %a $file)" = $mode ] || case_fail "$file: $mode became $(stat -c %a $file)"
    done
    rm -f ../m.kiln ../m.d
done
expect 0 "$KILN" bake -q cube.obj -o ../m.kiln
[ "$(stat -c %a ../m.kiln)" = 644 ] || case_fail 'a new file is not as the umask wants it'
rm ../m.kiln
case_end

case_begin 'what is no regular file: pipes are refused and nobody waits; /dev/null and descriptors are written'
mkfifo ../pipe
for command in 'bake cube.obj -o' 'bake cube.obj -o ../x.kiln --depfile' 'unpack one.kiln -o' \
    'lut bins --max-u 8 --max-x 2 -o' 'calibrate one.kiln --draws 20 -o'; do
    # shellcheck disable=SC2086
    expect 2 timeout 60 "$KILN" $command ../pipe
    says err '../pipe: is a pipe; only regular files are written by name'
done
[ -p ../pipe ] || case_fail 'the pipe is gone'
expect 0 "$KILN" bake cube.obj -o /dev/null
"$KILN" bake -q cube.obj -o /dev/stdout | cat >../through
expect 0 "$KILN" bake -q cube.obj -o ../straight
same ../through ../straight
rm -f ../pipe ../through ../straight ../x.kiln
case_end

case_begin 'a cache: entries of other models, and folders that others may write to'
expect 0 "$KILN" bake -q cube.obj -o ../c.kiln --cache ../cache
expect 0 "$KILN" bake -q tetrahedron.obj -o ../t.kiln --cache ../cache
cube=$(find ../cache -name '*-p.kiln' -exec cmp -s {} ../c.kiln \; -print)
/usr/bin/python3 - "$cube" ../t.kiln <<'END' || case_fail 'no python'
# The tetrahedron's file, with the build key of the cube's, under its name.
import struct, sys, zlib
cube, other = open(sys.argv[1], "rb").read(), bytearray(open(sys.argv[2], "rb").read())
key = bytes.fromhex(sys.argv[1].rsplit("/", 1)[1][:32])
at = cube.index(key)
other[at:at + 16] = key
other[12:16] = bytes(4)
sections = struct.unpack_from("<I", other, 40)[0]
other[12:16] = struct.pack("<I", zlib.crc32(other[:128 + 64 * sections]))
open(sys.argv[1], "wb").write(other)
END
expect 0 "$KILN" verify "$cube"
expect 0 "$KILN" bake -q cube.obj -o ../d.kiln --cache ../cache
same ../c.kiln ../d.kiln
for mode in 777 775 757; do
    rm -rf ../open ../d.kiln && mkdir ../open && chmod $mode ../open
    [ $mode = 775 ] && { chgrp 12345 ../open 2>/dev/null || continue; }
    expect 0 "$KILN" bake cube.obj -o ../d.kiln --cache ../open
    says err 'not kept: other users may write to it'
    [ -z "$(ls ../open)" ] || case_fail 'something was kept'
    same ../c.kiln ../d.kiln
    expect 0 "$KILN" bake cube.obj -o ../d.kiln --cache ../open --cache-shared
    silent err
    [ -e ../open/CACHEDIR.TAG ] || case_fail 'nothing was kept'
done
rm -rf ../cache ../open ../?.kiln
case_end

case_begin 'standard input is held to --max-memory'
awk 'BEGIN { for (i = 0; i < 400000; i++) print "# a comment of a model that goes on and on and on and on and on and on" }' |
    cat - cube.obj >../long.obj
expect 4 sh -c '"$KILN" bake - --format obj -o ../x.kiln --max-memory 24M <../long.obj'
says err 'kiln: -: standard input is too long for the memory that --max-memory allows'
[ ! -e ../x.kiln ] || case_fail 'written'
expect 0 sh -c '"$KILN" bake - --format obj -o ../x.kiln --max-memory 1G <../long.obj'
expect 4 sh -c 'yes "# again and again" | "$KILN" bake - --format obj -o ../y.kiln --max-memory 32M'
rm -f ../long.obj ../x.kiln
case_end

case_begin 'nothing that is printed steers a terminal or turns text around'
csi=$(printf '\302\233') turn=$(printf '\342\200\256') isolate=$(printf '\342\201\246') mark=$(printf '\330\234')
name="a${csi}31m${turn}b${isolate}c${mark}d.obj"
cp cube.obj "../$name"
for command in "bake --json ../$name -o ../x.kiln --progress json" "bake --json ../${name}gone -o ../x.kiln" \
    "plan --json ../$name -o ../x" "info --json ../$name" "bake ../$name.gone -o ../x.kiln" "info ../$name"; do
    # shellcheck disable=SC2086
    "$KILN" $command >../said 2>&1
    for bytes in "$csi" "$turn" "$isolate" "$mark"; do
        LC_ALL=C grep -q "$bytes" ../said && case_fail "$command: prints $(printf '%s' "$bytes" | od -An -tx1)"
    done
done
"$KILN" plan --json "../$name" -o ../x >../said
grep -qF '"../a\u009B31m\u202Eb\u2066c\u061Cd.obj"' ../said || case_fail "$(cat ../said)"
rm -f "../$name" ../x.kiln
case_end

case_begin 'folders that -o and --cache name are made with their parents'
expect 0 "$KILN" bake -q cube.obj tetrahedron.obj -o ../new/deep/er --cache ../cache/deep/er
[ -s ../new/deep/er/cube.kiln ] && [ -e ../cache/deep/er/CACHEDIR.TAG ] || case_fail 'not made'
expect 0 "$KILN" bake -q @list -o ../other/deep/
[ -s ../other/deep/cube.kiln ] || case_fail 'not made for a list'
expect 2 "$KILN" bake -q cube.obj tetrahedron.obj -o cube.obj/deep
says err 'cube.obj: is a file'
rm -r ../new ../cache ../other
case_end

case_begin 'a file that another program puts there while the model is read is not replaced'
mkdir ../importers
cat >../importers/kiln-import <<END
#!/bin/sh
[ -e "$PWD/late.kiln" ] || echo mine >"$PWD/late.kiln"
exec "$(dirname "$KILN")/libexec/kiln/kiln-import" "\$@"
END
chmod +x ../importers/kiln-import
expect 2 "$KILN" bake cube.obj -o late.kiln --importer ../importers
says err 'late.kiln: another program has put a file there meanwhile that is no kiln file; nothing was written'
[ "$(cat late.kiln)" = mine ] || case_fail 'it was replaced'
rm late.kiln
sed -i 's/echo mine >/: >/' ../importers/kiln-import
expect 0 "$KILN" bake cube.obj -o late.kiln --importer ../importers -q
[ -s late.kiln ] || case_fail 'an empty file is in the way'
rm late.kiln
sed -i 's/: >/echo mine >/; s/late\.kiln/late/g' ../importers/kiln-import
for option in depfile junit; do
    expect 2 "$KILN" bake cube.obj -o ../x.kiln --importer ../importers --$option late
    says err 'late: another program has put a file there meanwhile that is no '
    [ "$(cat late)" = mine ] || case_fail "it was replaced by --$option"
    rm -f late ../x.kiln
done
rm -r ../importers
case_end

cases_end
