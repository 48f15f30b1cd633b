#!/bin/sh
# kiln info for people: aligned, within the terminal, whatever names and numbers are.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS
top=$(pwd)

# Objects of 1 to 30 triangles with names too long for any column.
awk 'BEGIN {
    for (i = 0; i < 30; i++) {
        printf "o Ünïcode object with a very long name テスト %d\n", i
        for (k = 0; k < 3 + i; k++) printf "v %d %d %d\n", i * k * 7919, k * k, i + k * 123456
        for (k = 0; k <= i; k++) print "f -1 -2 -3"
    }
}' >"$TMPDIR/many.obj"
"$KILN" bake -q "$TMPDIR/many.obj" -o "$TMPDIR/many.kiln" --split mesh || exit 1
cd "$TMPDIR" || exit 1

# narrower COLUMNS: no line of the output but the first, which has the file's name, has more characters, counting wide ones twice.
narrower() {
    python3 - "$1" <<'END' || case_fail "a line is longer than $1"
import sys, unicodedata
for line in open('out', encoding='utf-8').read().splitlines()[1:]:
    if sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line) > int(sys.argv[1]):
        sys.exit(line)
END
}

if command -v python3 >/dev/null; then
    case_begin 'many trees, long names: 80 columns into a pipe'
    expect 0 "$KILN" info many.kiln
    narrower 80
    says out '  and 10 smaller trees; --all lists them'
    says out '...a very long name テスト 29'
    [ "$(grep -c 'テスト' out)" -eq 20 ] || case_fail 'not 20 trees'
    case_end

    case_begin 'COLUMNS, within reason'
    for columns in 1 68 100 200 100000; do
        COLUMNS=$columns expect 0 "$KILN" info many.kiln
        narrower $((columns < 68 ? 68 : columns > 200 ? 200 : columns))
    done
    COLUMNS=120 expect 0 "$KILN" info many.kiln
    says out '  Ünïcode object with a very long name テスト 29 '
    case_end
else
    case_begin 'many trees, long names'
    case_skip 'there is no python3'
fi

case_begin '--all lists all; a document has whole names and all trees'
expect 0 "$KILN" info --all many.kiln
[ "$(grep -c 'テスト' out)" -eq 30 ] || case_fail 'not 30 trees'
expect 0 "$KILN" info --json many.kiln
[ "$(grep -c '"name": "/*Ünïcode object with a very long name テスト' out)" -eq 30 ] ||
    case_fail 'not 30 names'
case_end

case_begin 'columns are aligned'
expect 0 "$KILN" info many.kiln
[ "$(sed -n '/^  section/,$p' out | awk '{ print length($0) }' | sort -u | wc -l)" -eq 1 ] ||
    case_fail 'sections are not'
case_end

case_begin 'the unit of the source, where it declares one'
for model in 3mf_unit_inch.3mf=0.0254 I50_plain.amf=0.001 tetrahedron.dae=1; do
    expect 0 "$KILN" bake -q "$OLDPWD/tests/cases/import/${model%=*}" -o unit.kiln
    expect 0 "$KILN" info unit.kiln
    says out "  unit           ${model#*=} m in the source"
done
expect 0 "$KILN" info many.kiln
! grep 'unit' out || case_fail 'OBJ has no unit'
case_end

cd - >/dev/null || exit 1
kinds=$(sed -n 's/^    \(FIRST\|NEXT\)([^"]*"\([a-z0-9]*\)".*/\2/p' formats/node_kinds.h)
all=$(echo $kinds | tr ' ' ,)
"$KILN" bake -q models/tiny/mixed.obj -o "$TMPDIR/all.kiln" --bv "$all" --leaf 1 || exit 1

# counts: the numbers of a document of --costs that depend on no clock.
counts() {
    python3 - "$1" <<'END'
import json, sys
for tree in json.load(open(sys.argv[1]))['trees']:
    c = tree['costs']
    print(tree['bv'], c['poses'], c['hits'], *(c[n]['count'] for n in ('nodes', 'volume_pairs', 'triangle_pairs')),
          sorted(c['memory'].items()), c['levels'])
END
}

case_begin '--costs: every kind of tree has its counts, unit costs, memory and levels'
expect 0 "$KILN" info --costs --levels "$TMPDIR/all.kiln"
silent err
says out 'F = Nu Cu + Nv Cv + Np Cp + C'
says out 'M = Ni Si + Nl Sl'
for kind in $kinds; do
    [ "$(sed -n '/^  F = /,/^  M = /p' "$TMPDIR/out" | grep -cE "^  $kind( +[0-9.e+]+){9} +[0-9]+%\$")" -eq 1 ] ||
        case_fail "no row of costs of $kind"
    [ "$(sed -n '/^  M = /,/^  volumes/p' "$TMPDIR/out" | grep -cE "^  $kind( +[0-9.,]+){6}\$")" -eq 1 ] ||
        case_fail "no row of memory of $kind"
    sed -n '/^  volumes/,$p' "$TMPDIR/out" | grep -qE "^  $kind +1 +[0-9]+ +[0-9.-]+ +[0-9.]+% +[0-9.]+\$" ||
        case_fail "no level of $kind"
done
[ "$(sed 1d "$TMPDIR/out" | awk 'length($0) > 80')" = '' ] || case_fail 'a line is longer than 80'
expect 0 "$KILN" info --costs "$TMPDIR/all.kiln"
grep -q '^  volumes' "$TMPDIR/out" && case_fail 'levels without --levels'
expect 0 "$KILN" info "$TMPDIR/all.kiln"
grep -q '^  F = ' "$TMPDIR/out" && case_fail 'costs without --costs'
case_end

case_begin '--costs: counts are the same in every run, in a packed and a raw file'
"$KILN" unpack "$TMPDIR/all.kiln" -o "$TMPDIR/raw.kiln"
for file in all all raw; do
    expect 0 "$KILN" info --costs --json "$TMPDIR/$file.kiln"
    counts "$TMPDIR/out" >"$TMPDIR/counts.now"
    [ -e "$TMPDIR/counts" ] || cp "$TMPDIR/counts.now" "$TMPDIR/counts"
    cmp -s "$TMPDIR/counts" "$TMPDIR/counts.now" || case_fail "other counts of $file"
done
[ "$(wc -l <"$TMPDIR/counts")" -eq "$(echo $kinds | wc -w)" ] || case_fail 'not one line a kind'
case_end

case_begin '--costs: what it cannot measure'
"$KILN" bake -q models/tiny/mixed.obj -o "$TMPDIR/bare.kiln" --adb --no-geometry
"$KILN" lut bins -q -o "$TMPDIR/bins.kiln" --max-u 16
expect 3 "$KILN" info --costs "$TMPDIR/bare.kiln"
says err 'it was baked without polygons; bake it again without --no-geometry'
expect 3 "$KILN" info --costs "$TMPDIR/bins.kiln"
says err 'there is no tree in it; leave --costs out'
expect 1 "$KILN" info --levels "$TMPDIR/all.kiln"
says err '--levels is a part of --costs'
expect 0 "$KILN" info --costs "$TMPDIR/many.kiln" # trees of one triangle, and of several names
says out '  Ünïcode object'
case_end

cd "$TMPDIR" || exit 1
mkdir table && cd table || exit 1
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 2\nf 1 2 3\nf 1 2 9\n' >odd.obj
"$KILN" bake -q "$OLDPWD/many.obj" -o many.kiln --bv obb,aabb --layout raw
"$KILN" bake -q odd.obj -o 'odd, "it".kiln' --on-bad drop 2>"$TMPDIR/err"
"$KILN" lut axes -q --points 14 -o axes.kiln
"$KILN" bake -q "$top/models/tiny/cube.obj" -o weights.kiln --adb
echo 'dear diary' >bad.kiln
# What depends on zlib is out of account.
same_table() {
    sed -E 's/ +[0-9]+\.[0-9] (yes|no|even)/ N \1/;s/,[0-9]+,[0-9]+\.[0-9]+,/,N,N,/;s/(axes[^0-9]*)[0-9]{4}/\1N/;s/[0-9]+ \| [0-9]+\.[0-9]+ \|/N | N |/' "$TMPDIR/out" |
        diff - "$1" || case_fail 'another table'
}

case_begin 'several files are a table, in which a broken one is a row'
expect 3 "$KILN" info many.kiln 'odd, "it".kiln' axes.kiln bad.kiln none.kiln
cat >wanted <<'END'
file           triangles bv       B/tri closed dropped flat twice parts format
many.kiln            465 obb,aabb N no           0    0   435    30 1.0 raw
odd, "it".kiln         3 obb N even         1    1     1     1 1.0
axes.kiln      a set of axes
bad.kiln       exit 3: not a kiln file: it does not begin like one; give a fi...
none.kiln      exit 2: can't be opened; No such file or directory; check the ...
END
sed -i -E 's/ +N/ N/' wanted
sed -E 's/(obb) +([0-9])/\1 \2/' "$TMPDIR/out" >"$TMPDIR/squeezed" && mv "$TMPDIR/squeezed" "$TMPDIR/out"
same_table wanted
says err 'kiln: bad.kiln: not a kiln file'
says err "kiln: none.kiln: can't be opened"
for columns in 1 68 80 200; do
    COLUMNS=$columns expect 3 "$KILN" info many.kiln 'odd, "it".kiln' axes.kiln bad.kiln none.kiln
    (cd "$TMPDIR" && narrower $((columns < 68 ? 68 : columns)))
done
case_end

case_begin 'tables as CSV and Markdown, of one file too'
expect 3 "$KILN" info --format csv many.kiln 'odd, "it".kiln' axes.kiln bad.kiln
cat >wanted <<'END'
file,kind,triangles,bv,bytes,bytes_per_triangle,closed,dropped,degenerate,duplicates,parts,format,layout,source,status,error
many.kiln,model,465,"obb,aabb",N,N,no,0,0,435,30,1.0,raw,obj,0,
"odd, ""it"".kiln",model,3,obb,N,N,even,1,1,1,1,1.0,packed,obj,0,
axes.kiln,axes,,,N,,,,,,,1.4,packed,,0,
bad.kiln,,,,,,,,,,,,,,3,not a kiln file: it does not begin like one; give a file that kiln bake wrote
END
same_table wanted
[ "$(/usr/bin/python3 -c 'import csv, sys; print({len(row) for row in csv.reader(sys.stdin)})' <"$TMPDIR/out")" = '{16}' ] ||
    case_fail 'rows of other lengths'
mv many.kiln 'a|b_*&lt;.kiln'
expect 0 "$KILN" info --format md 'a|b_*&lt;.kiln'
says out '| --- | --- | ---: |'
says out '| a\|b\_\*\&lt;.kiln | model | 465 | obb,aabb | '
case_end

case_begin 'tables and pages'
expect 0 "$KILN" info --all 'a|b_*&lt;.kiln' axes.kiln
says out '  section '
expect 1 "$KILN" info --format csv --json axes.kiln
expect 1 "$KILN" info --format md --costs weights.kiln
says err '--format csv and md are tables'
expect 0 "$KILN" info --format text axes.kiln
says out 'a set of axes'
case_end

cases_end
