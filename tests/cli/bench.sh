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

case_begin 'a picture, whole, and on standard output alone'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 1 --svg "$TMPDIR/out.svg"
head -1 "$TMPDIR/out.svg" | grep -q '^<svg ' || case_fail 'no head'
[ "$(tail -1 "$TMPDIR/out.svg")" = '</svg>' ] || case_fail 'no end'
grep -q 'nan' "$TMPDIR/out.svg" && case_fail 'not a number'
expect 0 "$bench" adb "$TMPDIR/counted.kiln" --quick --draws 1 --svg -
head -1 "$TMPDIR/out" | grep -q '^<svg ' || case_fail 'standard output has more'
[ "$(grep -c '^method' "$TMPDIR/out")" -eq 0 ] || case_fail 'a table beside the picture'
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
expect 1 "$bench" adb "$TMPDIR/counted.kiln" --svg - --csv -
says err 'standard output takes one'
expect 2 "$bench" adb "$TMPDIR/counted.kiln" --svg "$TMPDIR/none/out.svg"
silent out
case_end

table=$TMPDIR/table.kiln
"$KILN" lut bins -q -o "$table" --max-u 64

case_begin 'bins-plot without gnuplot says what to install'
PATH=$TMPDIR/none expect 4 "$bench" bins-plot "$table" -o "$TMPDIR/none.svg"
says err 'gnuplot-nox'
[ ! -e "$TMPDIR/none.svg" ] || case_fail 'a file was written'
case_end

case_begin 'bins-plot'
if command -v gnuplot >/dev/null; then
    expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --at 64,20,20 --lb 0.5
    grep -q '<svg' "$TMPDIR/plot.svg" || case_fail 'no SVG'
    grep -q 'u = 64, v = 20, w = 20, LB = 0.5' "$TMPDIR/plot.svg" || case_fail 'no title'
    expect 0 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --json # over the earlier one
    says out '"x_best"'
    expect 1 "$bench" bins-plot "$table" -o "$TMPDIR/plot.svg" --lb 1.5
    case_end
else
    case_skip 'there is no gnuplot'
fi

axes=$TMPDIR/axes.kiln
"$KILN" lut axes -q -o "$axes" --points 20
case_begin 'axes-plot'
expect 0 "$bench" axes-plot "$axes" "$axes" -o "$TMPDIR/axes.svg" --velocity-a 0,0,1 --velocity-b 1,1,0
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
    cp counted.kiln in.kiln && cp table.kiln bins.kiln && ln -s in.kiln in.link
    printf 'dear diary\n' >notes
    printf '<svg xmlns="http://www.w3.org/2000/svg" version="1.1"></svg>\n' >foreign.svg
    printf 'mesh,triangles\n1,2\n' >foreign.csv
    cksum in.kiln bins.kiln notes foreign.* >sums
    for option in csv svg; do
        for file in notes foreign.svg foreign.csv bins.kiln; do
            expect 1 "$bench" adb in.kiln --quick --draws 1 --$option $file
            says err "$file: would be replaced; it is no "
        done
        for file in in.kiln ./in.kiln in.link; do
            expect 1 "$bench" adb in.kiln --quick --draws 1 --$option $file
            says err 'would be replaced; it is an input'
        done
    done
    for file in notes foreign.svg foreign.csv in.kiln; do
        expect 1 "$bench" bins-plot bins.kiln -o $file
        says err 'would be replaced; it is no picture of kiln-bench'
    done
    expect 1 "$bench" bins-plot bins.kiln -o bins.kiln
    says err 'would be replaced; it is an input'
    expect 1 "$bench" adb in.kiln --quick --draws 1 --csv new --svg new
    says err "--csv and --svg are one file, 'new'"
    cksum in.kiln bins.kiln notes foreign.* | cmp -s - sums || case_fail 'one was replaced'
    # Its own are replaced, by either verb, and never one kind by another.
    for _ in 1 2; do
        expect 0 "$bench" adb in.kiln --quick --draws 1 --csv own.csv --svg own.svg
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
expect 0 "$bench" families models/tiny/mixed.obj "$cube" --quick --levels --csv "$TMPDIR/f.csv" --svg "$TMPDIR/f.svg"
silent err
says out 'mixed: '
says out 'cube: 12 triangles'
head -1 "$TMPDIR/f.svg" | grep -q '^<svg ' || case_fail 'no head'
[ "$(tail -1 "$TMPDIR/f.svg")" = '</svg>' ] || case_fail 'no end'
grep -qE 'nan|inf' "$TMPDIR/f.svg" && case_fail 'not a number'
for kind in $kinds; do
    # In each of two meshes a row of costs and one of memory; a bar and two curves.
    [ "$(grep -cE "^  $kind( +[0-9.e+]+){9} +[0-9]+%\$" "$TMPDIR/out")" -eq 2 ] || case_fail "no rows of $kind"
    [ "$(grep -c "^\"[a-z]*\",\"model\",[0-9]*,$kind," "$TMPDIR/f.csv")" -eq 2 ] || case_fail "no lines of $kind"
    [ "$(grep -c ">$kind</text>" "$TMPDIR/f.svg")" -eq 6 ] || case_fail "$kind is not in the picture"
done
[ "$(sed 1d "$TMPDIR/f.csv" | awk -F, '{ print NF }' | sort -u)" = 21 ] || case_fail 'not 21 columns'
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
expect 1 "$bench" families "$cube" --svg - --csv -
says err 'standard output takes one'
expect 1 "$bench" families "$cube" --quick --bv obb,ball
says err 'ball'
expect 3 "$bench" families "$TMPDIR/bare.kiln" --quick
says err 'it has no polygons; bake it again without --no-geometry'
expect 2 "$bench" families "$TMPDIR/missing.kiln"
expect 1 "$bench" families "$cube" --quick --svg "$cube"
says err 'would be replaced; it is an input'
silent out
case_end

case_begin 'continuous: tables, rows and a picture'
expect 0 "$bench" continuous --quick --objects 200 --frames 2 --parts caching,misses,phi --csv "$TMPDIR/c.csv" --svg "$TMPDIR/c.svg"
silent err
says out '70 axes, covering radius '
says out 'caching: tests saved by keeping results'
says out 'missed A'
if grep -q 'nan' "$TMPDIR/out"; then case_fail 'a part of no events is no number'; fi
[ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
[ "$(grep -c '^phi,"VADOP",200,5,0.25,' "$TMPDIR/c.csv")" -eq 7 ] || case_fail 'rows of phi'
grep -qF 'Figure 6(a)' "$TMPDIR/c.svg" || case_fail 'no Figure 6'
expect 0 "$bench" continuous --quick --objects 200 --frames 2 --parts misses --csv "$TMPDIR/c.csv" --svg "$TMPDIR/c.svg"
expect 1 "$bench" continuous --quick --parts caching,none
expect 1 "$bench" continuous --quick --parts misses --csv "$cube"
case_end

case_begin 'coherence: tables, rows and a picture'
set -- --quick --frames 20 --rounds 1
expect 0 "$bench" coherence "$@" --parts table1,figure6,small,scene,length --csv "$TMPDIR/h.csv" --svg "$TMPDIR/h.svg"
silent err
says out 'hand       2652  169944     404     404  AABB'
says out 'AABB, time by that of the plain query'
says out 'least cell '
if grep -q 'nan' "$TMPDIR/out"; then case_fail 'a mean of nothing is no number'; fi
[ "$(awk 'length($0) > 80' "$TMPDIR/out")" = '' ] || case_fail 'a line is longer than 80'
[ "$(grep -c '^figure6,hand,free,first hit,obb2,published,' "$TMPDIR/h.csv")" -eq 10 ] || case_fail 'rows of Figure 6'
[ "$(awk -F, '$3 == "free" && $9 > 0' "$TMPDIR/h.csv")" = '' ] || case_fail 'a free path has hits'
[ "$(awk -F, '$1 == "small" && $3 == "colliding" && $9 > 0' "$TMPDIR/h.csv")" != '' ] || case_fail 'no path collides'
grep -qF 'Figure 9: AABB' "$TMPDIR/h.svg" || case_fail 'no Figure 9'
# Paths and counts are the same in every run; 10 to 12 are times.
grep '^small,' "$TMPDIR/h.csv" | cut -d, -f 1-9,13- >"$TMPDIR/counts"
expect 0 "$bench" coherence "$@" --parts small --csv "$TMPDIR/h.csv"
grep '^small,' "$TMPDIR/h.csv" | cut -d, -f 1-9,13- | cmp - "$TMPDIR/counts" || case_fail 'counts differ'
expect 0 "$bench" coherence "$@" --parts scene --csv "$TMPDIR/h.csv" --svg "$TMPDIR/h.svg"
expect 1 "$bench" coherence "$@" --parts scene,none
expect 1 "$bench" coherence "$@" --parts scene --svg "$cube"
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
    if command -v gnuplot >/dev/null; then
        document 0 bins-plot "$table" --at 20,8,4 -o "$TMPDIR/plot.svg"
    fi
    /usr/bin/python3 tests/cli/validate.py --damage tests/bench/program/kiln-bench.schema.json \
        "$TMPDIR"/*.document >"$TMPDIR/wrong" || case_fail "$(head -30 "$TMPDIR/wrong")"
    grep -q '^[1-9][0-9]* damages$' "$TMPDIR/wrong" || case_fail 'nothing was broken'
    case_end
else
    case_skip 'python3-jsonschema is not installed'
fi

cases_end
