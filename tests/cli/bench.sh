#!/bin/sh
# kiln-bench: help, the comparison of time-critical queries, kinds of trees, pictures of tables. Times are not looked at.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
bench=$KILN-bench

cube=models/tiny/cube.obj
"$KILN" bake "$cube" -o "$TMPDIR/counted.kiln" --adb --bv obb,aabb --quiet
"$KILN" bake "$cube" -o "$TMPDIR/plain.kiln" --quiet
"$KILN" bake "$cube" -o "$TMPDIR/bare.kiln" --adb --no-geometry --quiet

case_begin 'help names every verb, its options and exit statuses'
expect 0 "$bench" --help
says out 'usage: kiln-bench VERB'
for word in adb axes-plot bins-plot coherence continuous families 'exit status'; do says out "$word"; done
expect 0 "$bench" --version
says out "kiln-bench $(sed -n 's/^#define KILN_VERSION_STRING "\(.*\)"/\1/p' runtime/kiln.h)"
"$bench" --man >"$TMPDIR/man" || case_fail 'kiln-bench --man'
for verb in adb axes-plot bins-plot coherence continuous families; do
    expect 0 "$bench" $verb --help
    says out "usage: kiln-bench $verb"
    [ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
    grep -qxF ".BR kiln\\-bench\\-$(echo $verb | sed 's/-/\\-/g') (1)" "$TMPDIR/man" || case_fail "no page $verb"
    expect 0 "$bench" --man $verb
    says out ".TH KILN-BENCH-$(echo $verb | tr a-z A-Z) 1"
done
expect 0 "$bench" --completion bash
says out 'complete -F _kiln-bench kiln-bench'
case_end

# Numbers become N, so that what is left is the shape.
shape() {
    sed -e 's/-\{0,1\}[0-9][0-9]*\.[0-9][0-9]*/N/g' "$TMPDIR/out" | tr -s ' '
}

case_begin 'a table of methods, false positives and negatives apart'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 2 --budget-us 1,2.5
silent err
says out 'counted: 12 triangles, 36 poses, '
shape >"$TMPDIR/shape"
# A method that counts nothing has no number in the column of what is visited.
for row in '24-dop' 'obb2, leaf 1' 'obb, leaf 4' 'exact, same tree' 'truncated obb2, 1' 'truncated obb2, 48' \
    'truncated obb, 1' 'truncated obb, 48' 'adb default' 'adb fast' 'adb careful' 'adb, 64 pairs' 'adb as published'; do
    grep -qxE "$row N N N( N)? N N N N" "$TMPDIR/shape" || case_fail "no row '$row'"
done
for row in '24-dop' 'obb2, leaf 1' 'obb, leaf 4' 'exact, same tree'; do
    grep -qxF "$row N N N N N N N N" "$TMPDIR/shape" || case_fail "nothing counted in row '$row'"
done
for head in 'method error % fp % fn % visited us p99 same fastest' \
    'calibration samples error % Brier AUC ECE ECE 95 %' \
    'budget us error % undecided % exact late % over p50 p99 pN'; do
    grep -qxF "$head" "$TMPDIR/shape" || case_fail "no head '$head'"
done
says out 'at equal error'
says out 'x exact queries of the same tree where they meet: '
says out 'meet  '
says out 'apart '
[ "$(grep -c '^2\.50 ' "$TMPDIR/out")" -eq 1 ] || case_fail 'no line of the second budget'
[ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
case_end

# An octree has some triangles several times.
for kind in obb aabb octree; do
case_begin "$kind: exact methods make no errors, the truncated walk no false negatives"
rm -f "$TMPDIR/rows.csv"
expect 0 "$bench" adb models/tiny/mixed.obj --bv $kind --quick --draws 20 --csv "$TMPDIR/rows.csv"
awk -F, 'NR > 1 { n++; shift = /, [0-9a-z]/ ? 1 : 0; fp = $(6 + shift); fn = $(7 + shift);
    if (/24-dop|leaf|same/ && fp + fn > 0 || /truncated/ && fn > 0) print }
    END { if (n != 17) print n " rows" }' "$TMPDIR/rows.csv" >"$TMPDIR/wrong"
[ ! -s "$TMPDIR/wrong" ] || case_fail "$(cat "$TMPDIR/wrong")"
case_end
done

case_begin 'several files: means, with --meshes each'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" "$cube" --quick --draws 1
says out 'means over 2 objects'
grep -q 'triangles,' "$TMPDIR/out" && case_fail 'tables of each'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" "$cube" --quick --draws 1 --meshes
says out 'counted: 12 triangles'
says out 'cube: 12 triangles'
case_end

case_begin 'one document, with the same members every time'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 1 --bv aabb --json
for member in '"schema": "kiln-bench-report-1"' '"verb": "adb"' '"objects"' '"means"' '"times_truncated"' '"where"' \
    '"calibration"' '"ece_bound"' '"gaps"' '"over_us_p999"'; do
    says out "$member"
done
silent err
expect 3 "$bench" adb "$TMPDIR/plain.kiln" --json
says out '"status": 3'
says out 'bake it again with --adb'
case_end

# is_svg FILE: whole, with a title by which it is known, and no value that is no number.
is_svg() {
    head -1 "$1" | grep -q '^<?xml ' || case_fail "$1: no head"
    [ "$(tail -2 "$1" | tr -d '\n')" = '</svg>' ] || case_fail "$1: no end"
    grep -q '<title>kiln_bench_' "$1" || case_fail "$1: not signed"
    if grep -q '"[^"]*nan' "$1"; then case_fail "$1: not a number"; fi
}

# values FILE: the head, and in every line nine fields of which four are numbers.
values() {
    head -1 "$1" | grep -qx 'figure,panel,curve,x_axis,x,y_axis,y,low,high' || case_fail "$1: no head"
    awk 'NR > 1' "$1" | grep -vE '^[a-z0-9_]+,"[^"]*","[^"]*","[^"]*",([-+.e0-9]+|"[^"]*"),"[^"]*"(,[-+.e0-9]+){3}$' >"$TMPDIR/wrong"
    [ ! -s "$TMPDIR/wrong" ] || case_fail "$1: $(head -3 "$TMPDIR/wrong")"
}

case_begin 'a figure, whole, its values beside it, and on standard output alone'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 1 --figure "$TMPDIR/out.svg"
is_svg "$TMPDIR/out.svg"
values "$TMPDIR/out.svg.csv"
for words in 'predicted probability' 'observed frequency' 'distance between centres'; do
    grep -qF "$words" "$TMPDIR/out.svg" || case_fail "no '$words'"
done
grep -q '^adb,"Speed[^"]*","adb default: ' "$TMPDIR/out.svg.csv" || case_fail 'no values of the speed'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 1 --figure -
is_svg "$TMPDIR/out"
[ "$(grep -c '^method' "$TMPDIR/out")" -eq 0 ] || case_fail 'a table beside the picture'
[ ! -e ./-.csv ] || case_fail 'values of standard output'
case_end

case_begin 'figures of other suffixes are refused, by every verb, before anything is measured'
for of in "adb $TMPDIR/counted.kiln --figure" "families $cube --figure" 'continuous --figure' 'coherence --figure' \
    "bins-plot $TMPDIR/counted.kiln -o" "axes-plot $TMPDIR/counted.kiln -o"; do
    for name in f.eps f f.svgz .svg; do
        expect 1 "$bench" $of $name # no quotes: several words
        says err "$name: its suffix names no format of figures; call it NAME.pdf, NAME.svg or NAME.png"
    done
done
case_end

case_begin 'one file, and standard output, for both is refused by every verb'
for of in "adb $TMPDIR/counted.kiln" "families $cube" continuous coherence; do
    expect 1 "$bench" $of --csv - --figure -
    says err 'standard output takes one of --csv and the figure'
    expect 1 "$bench" $of --csv new.svg --figure new.svg
    says err "--csv and the figure are one file, 'new.svg'"
    expect 1 "$bench" $of --csv new.svg.csv --figure new.svg
    says err "--csv is 'new.svg.csv', the table of the figure's values; call it otherwise"
done
for verb in bins-plot axes-plot; do
    expect 1 "$bench" $verb "$TMPDIR/counted.kiln" --csv - -o -
    expect 1 "$bench" $verb "$TMPDIR/counted.kiln" --csv new.svg -o new.svg
done
silent out
case_end

case_begin 'files without what is needed'
expect 3 "$bench" adb "$TMPDIR/plain.kiln"
says err 'it has no counts; bake it again with --adb'
expect 3 "$bench" adb "$TMPDIR/bare.kiln"
says err 'it has no polygons; bake it again without --no-geometry'
expect 3 "$bench" adb models/tiny/painted.obj
says err 'it takes two triangles'
expect 2 "$bench" adb "$TMPDIR/missing.kiln"
says err 'check the path'
expect 2 "$bench" adb "$TMPDIR/missing.obj"
expect 3 "$bench" adb models/tiny/nan.obj
says err 'is not finite'
expect 1 "$bench" adb "$TMPDIR/counted.kiln" --bv obb2
says err 'has no tree of kind obb2'
silent out
case_end

case_begin 'wrong options'
expect 1 "$bench" bake
says err "kiln-bench: there is no verb 'bake'"
says err 'Try: kiln-bench --help'
expect 1 "$bench" adb
says err 'no file is given'
for list in 0 1, ,1 1,x -1 nan 1e9 ''; do
    expect 1 "$bench" adb "$TMPDIR/counted.kiln" "--budget-us=$list"
    says err '--budget-us takes'
done
expect 1 "$bench" adb "$TMPDIR/counted.kiln" --budget-us 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
says err 'at most 16'
expect 1 "$bench" adb "$TMPDIR/counted.kiln" --draws 0
expect 1 "$bench" adb "$TMPDIR/counted.kiln" --mode quick
expect 2 "$bench" adb "$TMPDIR/counted.kiln" --figure "$TMPDIR/none/out.svg"
silent out
case_end

table=$TMPDIR/table.kiln
"$KILN" lut bins -q -o "$table" --max-u 64

case_begin 'without gnuplot every verb says what to install, before anything is measured'
for of in "adb $TMPDIR/counted.kiln --figure" "families $cube --figure" 'continuous --figure' 'coherence --figure' \
    "bins-plot $table -o" "axes-plot $table -o"; do
    PATH=$TMPDIR/none expect 4 "$bench" $of "$TMPDIR/none.svg"
    says err 'install the package gnuplot-nox'
    [ ! -e "$TMPDIR/none.svg" ] || case_fail 'a file was written'
done
case_end

case_begin 'bins-plot'
expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --at 64,20,20 --lb 0.5
is_svg "$TMPDIR/plot.svg"
values "$TMPDIR/plot.svg.csv"
grep -q 'u = 64, v = 20, w = 20, LB = 0.5' "$TMPDIR/plot.svg" || case_fail 'no title'
expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --json # over the earlier one
says out '"x_best"'
expect 1 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --lb 1.5
case_end

case_begin 'PDF, SVG and PNG: what they are, and the same bytes and values at every time'
for suffix in pdf svg png; do
    for k in 1 2; do
        expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/$k.$suffix" --csv "$TMPDIR/$k.csv"
        [ ! -e "$TMPDIR/$k.$suffix.csv" ] || case_fail 'values twice'
        values "$TMPDIR/$k.csv"
        [ $k = 2 ] || sleep 1.1 # a PDF has its date in seconds
    done
    cmp "$TMPDIR/1.$suffix" "$TMPDIR/2.$suffix" || case_fail "$suffix: other bytes"
    expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/1.$suffix" --csv "$TMPDIR/2.csv" # it knows both
done
cmp "$TMPDIR/1.csv" "$TMPDIR/2.csv" || case_fail 'other values'
[ "$(dd if="$TMPDIR/1.pdf" bs=5 count=1 2>/dev/null)" = %PDF- ] || case_fail 'no PDF'
[ "$(dd if="$TMPDIR/1.png" bs=1 skip=1 count=3 2>/dev/null)" = PNG ] || case_fail 'no PNG'
/usr/bin/python3 - "$TMPDIR/1.png" <<'END' || case_fail 'PNG: a sum of a chunk is wrong'
import struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
at, kinds = 8, []
while at < len(data):
    size = struct.unpack('>I', data[at:at + 4])[0]
    assert zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0]
    kinds.append(data[at + 4:at + 8])
    at += 12 + size
assert kinds[0] == b'IHDR' and kinds[-1] == b'IEND' and b'tEXt' in kinds
END
case_end

axes=$TMPDIR/axes.kiln
"$KILN" lut axes -q -o "$axes" --points 20
case_begin 'axes-plot'
expect 0 "$bench" axes-plot "$axes" "$axes" -o "$TMPDIR/axes.svg" --velocity-a 0,0,1 --velocity-b 1,1,0
is_svg "$TMPDIR/axes.svg"
values "$TMPDIR/axes.svg.csv"
[ "$(grep -c '^axes,' "$TMPDIR/axes.svg.csv")" -eq 52 ] || case_fail 'not two points for each of 13 axes, twice'
grep -q '13 axes, covering radius 29.623' "$TMPDIR/axes.svg" || case_fail 'no title'
expect 0 "$bench" axes-plot "$axes" -o "$TMPDIR/axes.svg" --json # over the earlier one
says out '"both"'
for velocity in 0,0,0 1,2 1,2,3,4 x,1,1 nan,0,1; do
    expect 1 "$bench" axes-plot "$axes" -o "$TMPDIR/none.svg" --velocity-a $velocity
    says err '--velocity-a takes x,y,z'
done
expect 3 "$bench" axes-plot "$table" -o "$TMPDIR/none.svg"
says err 'this is no axis set'
expect 1 "$bench" axes-plot "$axes"
[ ! -e "$TMPDIR/none.svg" ] || case_fail 'a file was written'
case_end

case_begin 'outputs replace neither inputs nor what kiln-bench could not have written'
(
    cd "$TMPDIR" || exit 1
    cp counted.kiln in.kiln && cp table.kiln bins.kiln && ln -s in.kiln in.link && cp bins.kiln in.svg
    printf 'dear diary\n' >notes
    printf '<svg xmlns="http://www.w3.org/2000/svg" version="1.1"></svg>\n' >foreign.svg
    printf 'mesh,triangles\n1,2\n' >foreign.csv
    printf '%%PDF-1.5\n%%\265\355\256\373\n4 0 obj\n' >foreign.pdf
    printf '\211PNG\r\n\032\n0000IHDR000000000000000000000tEXtSoftware other and more and more' >foreign.png
    cksum in.kiln bins.kiln notes foreign.* >sums
    for option in csv figure; do
        for file in notes foreign.svg foreign.csv bins.kiln; do
            [ $option = csv ] || [ $file = foreign.svg ] || continue
            expect 1 "$bench" adb in.kiln --quick --draws 1 --$option $file
            says err "$file: would be replaced; it is no "
        done
        for file in in.kiln ./in.kiln in.link; do
            [ $option = csv ] || file=in.svg
            expect 1 "$bench" adb in.kiln in.svg --quick --draws 1 --$option $file
            says err 'would be replaced; it is an input'
        done
    done
    for file in foreign.svg foreign.pdf foreign.png; do
        expect 1 "$bench" bins-plot bins.kiln -o $file
        says err 'would be replaced; it is no picture of kiln-bench'
    done
    expect 1 "$bench" bins-plot in.svg -o in.svg
    says err 'would be replaced; it is an input'
    echo mine >m.svg.csv
    expect 1 "$bench" bins-plot bins.kiln -o m.svg
    says err 'm.svg.csv: would be replaced; it is no table of a figure of kiln-bench'
    expect 1 "$bench" bins-plot bins.kiln -o g.svg --csv notes
    says err 'notes: would be replaced'
    cksum in.kiln bins.kiln notes foreign.* | cmp -s - sums || case_fail 'one was replaced'
    # Its own are replaced, by either verb, and never one kind by another.
    for _ in 1 2; do
        expect 0 "$bench" adb in.kiln --quick --draws 1 --csv own.csv --figure own.svg
    done
    expect 1 "$bench" adb in.kiln --quick --draws 1 --csv own.svg
    # What comes between the look and the write stays, too.
    mkdir stub
    printf '#!/bin/sh\ncat >/dev/null\necho mine >late.svg\necho "<svg/>"\n' >stub/gnuplot
    chmod +x stub/gnuplot
    PATH=$PWD/stub:$PATH expect 2 "$bench" bins-plot bins.kiln -o late.svg
    says err 'late.svg: another program has put a file there meanwhile'
    [ "$(cat late.svg)" = mine ] || case_fail 'it was replaced'
)
case_end

kinds=$(sed -n 's/^    \(FIRST\|NEXT\)([^"]*"\([a-z0-9]*\)".*/\2/p' formats/node_kinds.h)

case_begin 'families: tables, rows and a picture hold every kind'
expect 0 "$bench" families models/tiny/mixed.obj "$cube" --quick --levels --csv "$TMPDIR/f.csv" --figure "$TMPDIR/f.svg"
silent err
says out 'mixed: '
says out 'cube: 12 triangles'
is_svg "$TMPDIR/f.svg"
values "$TMPDIR/f.svg.csv"
for kind in $kinds; do
    # In each of two meshes a row of costs and one of memory; a bar and two curves.
    [ "$(grep -cE "^  $kind( +[0-9.e+]+){9} +[0-9]+%\$" "$TMPDIR/out")" -eq 2 ] || case_fail "no rows of $kind"
    [ "$(grep -c "^\"[a-z]*\",\"model\",[0-9]*,$kind," "$TMPDIR/f.csv")" -eq 2 ] || case_fail "no lines of $kind"
    [ "$(grep -cE ">$kind *(</|<)" "$TMPDIR/f.svg")" -ge 6 ] || case_fail "$kind is not in the picture"
    # Each of four terms and the clock, of two meshes.
    [ "$(grep -c "^families,\"[^\"]*time of a query\".*,\"$kind\"," "$TMPDIR/f.svg.csv")" -eq 10 ] || case_fail "no bars of $kind"
    grep -q "^    {\"$kind\", {" tests/bench/figure/styles.c || case_fail "$kind has no colour of its own"
done
[ "$(sed 1d "$TMPDIR/f.csv" | awk -F, '{ print NF }' | sort -u)" = 21 ] || case_fail 'not 21 columns'
# A name is text, whatever it means to gnuplot, to XML or to a table.
odd="$TMPDIR/it's \"a\" \`b\` \$c {d}_<1>.obj"
cp "$cube" "$odd"
expect 0 "$bench" families "$odd" --quick --bv obb --figure "$TMPDIR/odd.svg"
is_svg "$TMPDIR/odd.svg"
grep -qF "it's \"a\" \`b\` \$c {d}_&lt;1>: time of a query" "$TMPDIR/odd.svg" || case_fail 'the title is another'
grep -qF 'families,"it'"'"'s ""a"" `b` $c {d}_<1>: time of a query",' "$TMPDIR/odd.svg.csv" || case_fail 'the table has another title'
expect 0 "$bench" families "$cube" --quick --unit-costs
[ "$(grep -cE '^    \{"[a-z0-9]+", 4, \{[0-9.]+, [0-9.]+, [0-9.]+, [0-9]+\}\},$' "$TMPDIR/out")" -eq "$(echo $kinds | wc -w)" ] ||
    case_fail 'not one row a kind'
case_end

case_begin 'families: the volumes of a level as OBJ files, which kiln reads'
expect 0 "$bench" families models/tiny/mixed.obj --quick --leaf 1 --obj "$TMPDIR/new/volumes" --level 1
for kind in $kinds; do
    file=$TMPDIR/new/volumes/mixed-$kind-1.obj
    head -1 "$file" | grep -q "^# kiln-bench families: volumes of level 1, $kind\$" || case_fail "no head of $kind"
    grep -q '^f ' "$file" || case_fail "no faces of $kind"
    "$KILN" bake -q "$file" -o "$TMPDIR/volumes.kiln" 2>"$TMPDIR/err" || case_fail "$kind does not bake"
done
expect 0 "$bench" families models/tiny/mixed.obj --quick --leaf 1 --obj "$TMPDIR/new/volumes" --level 1
echo mine >"$TMPDIR/new/volumes/mixed-obb-1.obj"
expect 1 "$bench" families models/tiny/mixed.obj --quick --bv obb --obj "$TMPDIR/new/volumes" --level 1
says err 'would be replaced; it is no file of kiln-bench families --obj'
expect 2 "$bench" families "$cube" --quick --obj "$TMPDIR/f.csv/volumes"
case_end

case_begin 'families: of two files of one name none writes its volumes over those of the other'
mkdir -p "$TMPDIR/of" && cp models/tiny/mixed.obj "$TMPDIR/of/cube.obj"
"$KILN" bake -q "$cube" -o "$TMPDIR/of/cube.kiln"
for other in cube.obj cube.kiln; do
    expect 1 "$bench" families "$cube" "$TMPDIR/of/$other" --quick --bv obb --obj "$TMPDIR/of/volumes"
    says err "of/$other: --obj would write its volumes over those of "
    [ ! -e "$TMPDIR/of/volumes" ] || case_fail 'written'
done
expect 0 "$bench" families "$cube" "$TMPDIR/of/cube.obj" --quick --bv obb
case_end

case_begin 'families: wrong arguments and files'
expect 1 "$bench" families
says err 'no file is given'
expect 1 "$bench" families "$cube" --level 2
says err '--level is a part of --obj'
expect 1 "$bench" families "$cube" --quick --bv obb,ball
says err 'ball'
expect 3 "$bench" families "$TMPDIR/bare.kiln" --quick
says err 'it has no polygons; bake it again without --no-geometry'
expect 2 "$bench" families "$TMPDIR/missing.kiln"
cp "$cube" "$TMPDIR/cube.svg"
expect 1 "$bench" families "$TMPDIR/cube.svg" --quick --figure "$TMPDIR/cube.svg"
says err 'would be replaced; it is an input'
silent out
case_end

case_begin 'continuous: tables, rows and a picture'
expect 0 "$bench" continuous --quick --objects 200 --frames 2 --parts caching,misses,phi --csv "$TMPDIR/c.csv" --figure "$TMPDIR/c.svg"
silent err
says out '70 axes, covering radius '
says out 'caching: tests saved by keeping results'
says out 'missed A'
if grep -q 'nan' "$TMPDIR/out"; then case_fail 'a part of no events is no number'; fi
[ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
[ "$(grep -c '^phi,"VADOP",200,5,0.25,' "$TMPDIR/c.csv")" -eq 7 ] || case_fail 'rows of phi'
grep -qF 'Figure 6(a)' "$TMPDIR/c.svg" || case_fail 'no Figure 6'
if grep -qF 'Figure 6(b)' "$TMPDIR/c.svg"; then case_fail 'a panel of nothing'; fi
is_svg "$TMPDIR/c.svg"
values "$TMPDIR/c.svg.csv"
expect 0 "$bench" continuous --quick --objects 200 --frames 2 --parts misses --csv "$TMPDIR/c.csv" --figure "$TMPDIR/c.svg"
expect 1 "$bench" continuous --quick --parts caching,none
expect 1 "$bench" continuous --quick --parts misses --csv "$cube"
case_end

case_begin 'coherence: tables, rows and a picture'
set -- --quick --frames 20 --rounds 2
expect 0 "$bench" coherence "$@" --parts table1,figure6,small,scene,length --csv "$TMPDIR/h.csv" --figure "$TMPDIR/h.svg"
silent err
says out 'hand       2652  169944     404     404  AABB'
says out 'AABB, time by that of the plain query'
says out 'least cell '
if grep -q 'nan' "$TMPDIR/out"; then case_fail 'a mean of nothing is no number'; fi
[ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
[ "$(grep -c '^figure6,hand,free,first hit,obb2,published,' "$TMPDIR/h.csv")" -eq 10 ] || case_fail 'rows of Figure 6'
[ "$(awk -F, '$3 == "free" && $9 > 0' "$TMPDIR/h.csv")" = '' ] || case_fail 'a free path has hits'
[ "$(awk -F, '$1 == "small" && $3 == "colliding" && $9 > 0' "$TMPDIR/h.csv")" != '' ] || case_fail 'no path collides'
grep -qF 'Figure 6, AABB' "$TMPDIR/h.svg" || case_fail 'no Figure 6'
is_svg "$TMPDIR/h.svg"
values "$TMPDIR/h.svg.csv"
awk -F, '/^coherence,"Figure 6, OBB/ { n++; if ($(NF - 1) < $NF) bars++ } END { exit !(n >= 36 && bars > 0) }' "$TMPDIR/h.svg.csv" ||
    case_fail 'no quartiles'
# Paths and counts are the same in every run; 10 to 12 are times.
grep '^small,' "$TMPDIR/h.csv" | cut -d, -f 1-9,13- >"$TMPDIR/counts"
expect 0 "$bench" coherence "$@" --parts small --csv "$TMPDIR/h.csv"
grep '^small,' "$TMPDIR/h.csv" | cut -d, -f 1-9,13- | cmp - "$TMPDIR/counts" || case_fail 'counts differ'
expect 0 "$bench" coherence "$@" --parts scene --csv "$TMPDIR/h.csv" --figure "$TMPDIR/h.svg"
expect 1 "$bench" coherence "$@" --parts scene,none
case_end

# document STATUS ARGUMENT...: kiln-bench ARGUMENT... --json prints one; held against the schema below.
count=0
document() {
    wanted=$1
    shift
    count=$((count + 1))
    expect "$wanted" "$bench" "$@" --json
    mv "$TMPDIR/out" "$TMPDIR/$count.document"
}

case_begin 'reports are valid, and no other'
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
    document 0 --version
    document 1 nothing
    document 0 adb "$TMPDIR/counted.kiln" --quick --draws 2 --budget-us 1,2.5
    document 3 adb "$TMPDIR/plain.kiln"
    document 0 families "$TMPDIR/counted.kiln" "$cube" --quick
    document 3 families "$TMPDIR/bare.kiln"
    document 0 coherence --quick --frames 20 --rounds 1 --parts scene,small
    document 0 continuous --quick --objects 200 --frames 2 --parts costs,misses
    document 2 bins-plot "$TMPDIR/missing.kiln" -o "$TMPDIR/plot.svg"
    document 0 axes-plot "$axes" "$axes" -o "$TMPDIR/axes.svg"
    document 2 axes-plot "$TMPDIR/missing.kiln" -o "$TMPDIR/axes.svg"
    document 0 bins-plot "$table" --at 20,8,4 -o "$TMPDIR/plot.svg"
    /usr/bin/python3 tests/cli/validate.py --damage tests/bench/program/kiln-bench.schema.json \
        "$TMPDIR"/*.document >"$TMPDIR/wrong" || case_fail "$(head -30 "$TMPDIR/wrong")"
    grep -q '^[1-9][0-9]* damages$' "$TMPDIR/wrong" || case_fail 'nothing was broken'
    case_end
else
    case_skip 'python3-jsonschema is not installed'
fi

cases_end
