#!/bin/sh
# kiln bake --bv auto: which tree is chosen, by what, and that nothing but its inputs decides.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS
kinds=$(sed -n 's/^    \(FIRST\|NEXT\)([^"]*"\([a-z0-9]*\)".*/\2/p' formats/node_kinds.h)
cp models/tiny/cube.obj models/tiny/mixed.obj models/tiny/tetrahedron.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
unset COLUMNS

# A bent sheet of 200 triangles, whose coordinates are whole numbers.
awk 'BEGIN {
    n = 10
    for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) print "v", i, j, (i * i + 3 * j * j) % 17
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        a = i * (n + 1) + j + 1
        print "f", a, a + 1, a + n + 2
        print "f", a, a + n + 2, a + n + 1
    }
}' >sheet.obj
cat >trace.txt <<'END'
# A stays, B comes down on it
1 0 0 0  0 1 0 0  0 0 1 9
1 0 0 0  0 1 0 0  0 0 1 5, 1
0 -1 0 10  1 0 0 0  0 0 1 3
1 0 0 0  0 1 0 0  0 0 1 0   1 0 0 2  0 1 0 3  0 0 1 20
END

# chosen FILE: kind, leaf and builder, as the file records them.
chosen() {
    "$KILN" info --json "$1" | python3 -c 'import json, sys
d = json.load(sys.stdin)
o = d["meta"]["options"]
print(o["bv"], o["leaf"], o["builder"], d["trees"][0]["bv"], d["trees"][0]["leaf"], len(d["trees"]))'
}

case_begin 'the tree that is chosen of small models'
for model in cube mixed tetrahedron sheet; do
    expect 0 "$KILN" bake -q $model.obj -o $model.kiln --bv auto
    silent out
    expect 0 "$KILN" verify $model.kiln --full
    expect 0 "$KILN" verify $model.kiln --source $model.obj
    printf '%s %s\n' $model "$(chosen $model.kiln)"
done >kinds.now
# Where copies are apart at the roots, what a query takes by itself decides; then sizes do.
echo '1 0 0 30  0 1 0 0  0 0 1 0' >far.txt
for trace in trace far; do
    expect 0 "$KILN" bake -q sheet.obj -o traced.kiln --bv auto --trace $trace.txt
    printf '%s %s\n' $trace "$(chosen traced.kiln)"
done >>kinds.now
cat >kinds.want <<'END'
cube octree 2 sah octree 2 1
mixed obb2 8 sah obb2 8 1
tetrahedron obb2 8 sah obb2 8 1
sheet aabb 2 sah aabb 2 1
trace aabb 8 sah aabb 8 1
far obb2 4 sah obb2 4 1
END
diff kinds.want kinds.now || case_fail 'other trees'
case_end

case_begin 'the same bytes on any number of threads, in any folder, at any time, and no clock'
mkdir -p other/deeper && cp sheet.obj other/deeper
for options in '-j 1' '-j 2' '--layout raw'; do
    # shellcheck disable=SC2086
    expect 0 "$KILN" bake -q sheet.obj -o first.kiln --bv auto --trace trace.txt $options
    # shellcheck disable=SC2086
    (cd other/deeper && expect 0 "$KILN" bake -q sheet.obj -o ../second.kiln --bv auto --trace ../../trace.txt $options)
    cmp first.kiln other/second.kiln || case_fail "other bytes: $options"
    [ "$options" = '--layout raw' ] || cp first.kiln "packed${options#-j }.kiln"
done
cmp packed1.kiln packed2.kiln || case_fail 'threads'
case_end

case_begin 'the document has every candidate with its counts, and the chosen one is the cheapest'
expect 0 "$KILN" bake sheet.obj -o first.kiln --bv auto --trace trace.txt --json
python3 - out $kinds <<'END' || case_fail 'wrong candidates'
import json, sys
d = json.load(open(sys.argv[1]))
kinds = sys.argv[2:]
all = d['candidates']
tried = [(c['bv'], c['leaf'], c['builder']) for c in all]
assert tried[:3 * len(kinds)] == [(k, n, 'sah') for k in kinds for n in (2, 4, 8)], tried
best = min(all[:3 * len(kinds)], key=lambda c: (c['ns'], c['bytes']))
assert tried[3 * len(kinds):] == [(best['bv'], n, 'reinsert') for n in (2, 4, 8)], tried
cheapest = min(all, key=lambda c: (c['ns'], c['bytes']))
assert [c for c in all if c['chosen']] == [cheapest]
assert all[0]['poses'] == 4 and len({c['hits'] for c in all}) == 1 and 0 < all[0]['hits'] < 4
assert d['trees'][0]['bv'] == cheapest['bv'] and d['bytes_file'] == cheapest['bytes']
END
case_end

case_begin 'a table for people, quiet in pipes'
expect 0 "$KILN" bake sheet.obj -o first.kiln --bv auto
silent out
expect 0 "$KILN" bake sheet.obj -o first.kiln --bv auto --verbose
says out ' poses, of which '
[ "$(grep -cE '^  [a-z0-9]+ +[248]  [a-z]+( +[0-9.,]+){5}( \*)?$' out)" -eq 12 ] || case_fail 'not 12 rows'
[ "$(grep -c ' \*$' out)" -eq 1 ] || case_fail 'not one chosen'
[ "$(sed 1d out | awk 'length($0) > 80')" = '' ] || case_fail 'a line is longer than 80'
expect 0 "$KILN" bake sheet.obj -o first.kiln --bv obb --verbose
grep -q candidates out && case_fail 'candidates without auto'
case_end

case_begin '--max-bytes: what fits, or the least need'
expect 4 "$KILN" bake sheet.obj -o none.kiln --bv auto --max-bytes 1K
silent out
says err 'sheet.obj: none of '
says err ' candidates fits --max-bytes 1024; the smallest file takes '
least=$(sed 's/.*takes \([0-9]*\) bytes.*/\1/' err)
[ ! -e none.kiln ] || case_fail 'written'
expect 4 "$KILN" bake sheet.obj -o none.kiln --bv auto --max-bytes $((least - 1))
expect 0 "$KILN" bake -q sheet.obj -o small.kiln --bv auto --max-bytes "$least"
[ "$(wc -c <small.kiln)" -eq "$least" ] || case_fail "not $least bytes"
for size in 0 x 1.5K -1 ''; do
    expect 1 "$KILN" bake sheet.obj -o none.kiln --bv auto "--max-bytes=$size"
    says err '--max-bytes takes'
done
case_end

case_begin 'traces that are broken, by line'
printf '1 0 0 0 0 1 0 0 0 0 1 0\n\n1 0 0 x 0 1 0 0 0 0 1 0\n' >word.txt
printf '# two\n1 0 0 0 0 1 0 0 0 0 1 0\n1 2 3\n' >short.txt
printf '1 0 0 0 0 1 0 0 0 0 1 0\n2 0 0 0 2 0 0 0 0 0 1 0\n' >bent.txt
printf '1 0 0 0 0 1 0 0 0 0 1 0 0\n' >scale.txt
printf '1 0 0 0 0 1 0 0 0 0 1 \0000\n' >zero.txt
printf '1 0 0 1e308 0 1 0 0 0 0 1 0\n' >beyond.txt
printf '# nothing\n' >empty.txt
: >none.txt
for row in "word:line 3: 'x' is not a number" 'short:line 3: 3 numbers; a pose has 12' \
    'bent:line 2: the pose has no inverse' 'scale:line 1: the pose has no inverse' \
    'beyond:line 1: the pose has no inverse, a number out of range, or no rotation where one is needed; its numbers are the rows' 'zero:line 1: not text' 'empty:has no pose'; do
    expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --trace "${row%%:*}.txt"
    says err "kiln: ${row%%:*}.txt: ${row#*:}"
    silent out
done
expect 2 "$KILN" bake sheet.obj -o none.kiln --bv auto --trace missing.txt
says err "missing.txt: can't be read; No such file or directory"
for trace in none.txt .; do
    expect 2 "$KILN" bake sheet.obj -o none.kiln --bv auto --trace $trace
    says err "$trace: can't be read; "
done
[ ! -e none.kiln ] || case_fail 'written'
case_end

case_begin 'traces with a byte order mark and the line ends of Windows are those without'
printf '\357\273\277' >marked.txt
sed 's/$/\r/' trace.txt | sed 1d >>marked.txt
expect 0 "$KILN" bake -q sheet.obj -o plain.kiln --bv auto --trace trace.txt --json
sed -n '/"candidates"/,/\]/p' out >plain.txt
expect 0 "$KILN" bake -q sheet.obj -o marked.kiln --bv auto --trace marked.txt --json
sed -n '/"candidates"/,/\]/p' out | cmp - plain.txt || case_fail 'other candidates'
[ -s plain.txt ] || case_fail 'no candidates'
case_end

case_begin 'a trace that takes more memory than the limit is named as a cure'
awk 'BEGIN { for (i = 0; i < 300000; i++) print "1 0 0 0 0 1 0 0 0 0 1 0" }' >long.txt
expect 4 "$KILN" bake sheet.obj -o none.kiln --bv auto --trace long.txt --max-memory 20M
says err 'sheet.obj: takes more memory than the limit of 20 MiB'
says err 'raise it (--max-memory), shorten the trace or split the model'
[ ! -e none.kiln ] || case_fail 'written'
case_end

case_begin 'another file: of a like kind, another version, no kiln file, without polygons, in parts'
"$KILN" bake -q cube.obj -o all.kiln --bv "$(echo $kinds | tr ' ' ,)"
"$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry
printf 'o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nf 1 3 2\n' >parts.obj
"$KILN" bake -q parts.obj -o parts.kiln --split node
"$KILN" lut bins -q -o bins.kiln --max-u 16
cp all.kiln newer.kiln && printf '\11\0\0\0' | dd of=newer.kiln bs=1 seek=8 conv=notrunc 2>/dev/null
head -c 700 all.kiln >cut.kiln
for other in all mixed; do
    expect 0 "$KILN" bake -q sheet.obj -o against.kiln --bv auto --against $other.kiln --trace trace.txt
done
expect 5 "$KILN" bake sheet.obj -o none.kiln --bv auto --against newer.kiln
says err 'newer.kiln: baked by format version 9.0'
expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --against cube.obj
says err 'cube.obj: '
expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --against cut.kiln
says err 'cut.kiln: '
expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --against bins.kiln
says err 'bins.kiln: '
expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --against bare.kiln
says err 'bare.kiln: has no polygons to be queried; bake it without --no-geometry'
expect 3 "$KILN" bake sheet.obj -o none.kiln --bv auto --against parts.kiln
says err 'parts.kiln: has several trees'
expect 2 "$KILN" bake sheet.obj -o none.kiln --bv auto --against missing.kiln
says err "missing.kiln: can't be read; No such file or directory"
[ ! -e none.kiln ] || case_fail 'written'
case_end

case_begin 'what it does not go with'
for options in '--split mesh' '--adb' '--adb --no-geometry'; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" bake sheet.obj -o none.kiln --bv auto $options
    says err '--bv auto '
done
for options in '--trace trace.txt' '--against all.kiln' '--max-bytes 1M'; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" bake sheet.obj -o none.kiln $options
    says err '--trace, --against and --max-bytes are for --bv auto alone'
done
expect 1 "$KILN" bake sheet.obj -o none.kiln --bv auto,obb
says err "unknown kind of bounding volume 'auto'"
expect 1 "$KILN" bake sheet.obj -o trace.txt --bv auto --trace trace.txt
says err 'it is the trace of this run'
expect 1 "$KILN" bake sheet.obj -o all.kiln --bv auto --against all.kiln
says err 'it is the other file of this run'
case_end

case_begin '--if-changed and --cache know the trace and the other file'
cp trace.txt poses.txt && cp all.kiln other.kiln
bake() {
    expect 0 "$KILN" bake sheet.obj -o out.kiln --bv auto --trace poses.txt --against other.kiln --json "$@"
    sed -n 's/.*"outcome": "\([a-z_]*\)".*/\1/p' out
}
[ "$(bake --if-changed)" = baked ] || case_fail 'not baked'
[ "$(bake --if-changed)" = up_to_date ] || case_fail 'not up to date'
touch -d '2001-01-01' poses.txt other.kiln
[ "$(bake --if-changed)" = up_to_date ] || case_fail 'a time stamp counts'
echo '1 0 0 0  0 1 0 0  0 0 1 2' >>poses.txt
[ "$(bake --if-changed)" = baked ] || case_fail 'the trace does not count'
cp mixed.kiln other.kiln
[ "$(bake --if-changed)" = baked ] || case_fail 'the other file does not count'
[ "$(bake --if-changed --max-bytes 1M)" = baked ] || case_fail 'the limit does not count'
[ "$(bake --cache cache)" = baked ] && [ "$(bake --cache cache)" = cached ] || case_fail 'the cache'
cp out.kiln cached.kiln
[ "$(bake)" = baked ] && cmp out.kiln cached.kiln || case_fail 'another file from the cache'
"$KILN" bake -q sheet.obj -o named.kiln
[ "$("$KILN" bake sheet.obj -o named.kiln --bv auto --if-changed --json | sed -n 's/.*"outcome": "\([a-z_]*\)".*/\1/p')" = baked ] ||
    case_fail 'a file of a named kind is taken for a chosen one'
case_end

case_begin 'depfiles, plans and dry runs name both files'
expect 0 "$KILN" bake -q sheet.obj -o out.kiln --bv auto --trace poses.txt --against other.kiln --depfile out.d
for name in sheet.obj poses.txt other.kiln; do
    grep -q "$name" out.d || case_fail "the depfile does not name $name"
done
for format in ninja make parallel; do
    expect 0 "$KILN" plan sheet.obj -o out.kiln --bv auto --trace poses.txt --against other.kiln --max-bytes 9M --format $format
    for word in 'auto' poses.txt other.kiln 9M; do says out "$word"; done
done
expect 0 "$KILN" bake --dry-run sheet.obj -o out.kiln --bv auto --trace poses.txt
expect 3 "$KILN" bake --dry-run sheet.obj -o out.kiln --bv auto --trace word.txt
says err 'word.txt: line 3'
case_end

case_begin 'manifests and batches'
mkdir -p m/in && cp sheet.obj mixed.obj m/in && cp poses.txt other.kiln m
cat >m/kiln.yaml <<'END'
kiln: 1
output: out
defaults: {bv: auto}
assets:
  - path: in/sheet.obj
    options: {trace: poses.txt, against: other.kiln, max-bytes: 2M}
  - in/mixed.obj
END
expect 0 "$KILN" bake -m m/kiln.yaml -j 2 --json
[ "$(grep -c '"chosen": true' out)" -eq 2 ] || case_fail 'not one chosen for each'
"$KILN" bake -q sheet.obj -o sheet.kiln --bv auto --trace poses.txt --against other.kiln --max-bytes 2M
cmp sheet.kiln m/out/in/sheet.kiln || case_fail 'other bytes than from the command line'
cmp mixed.kiln m/out/in/mixed.kiln || case_fail 'other bytes than from the command line'
expect 0 "$KILN" bake -m m/kiln.yaml --if-changed --json
[ "$(grep -c '"outcome": "up_to_date"' out)" -eq 2 ] || case_fail 'not up to date'
expect 0 "$KILN" bake -m m/kiln.yaml --dump-config
for word in 'trace: ' 'against: ' 'max-bytes: '; do says out "$word"; done
expect 0 "$KILN" bake -q sheet.obj mixed.obj -o folder --bv auto -j 2 --max-memory 900M # in processes of their own
cmp mixed.kiln folder/mixed.kiln || case_fail 'other bytes from a worker'
case_end

case_begin 'names with blanks and letters of any language, in manifests, depfiles and plans'
mkdir 'Spür n' && cp poses.txt 'Spür n/テスト 1.txt' && cp other.kiln 'Spür n/ñ b.kiln'
cat >named.yaml <<'END'
kiln: 1
output: named
assets:
  - path: sheet.obj
    options: {bv: auto, trace: "Spür n/テスト 1.txt", against: "Spür n/ñ b.kiln"}
END
expect 0 "$KILN" bake -m named.yaml --depfile named.d
silent err
grep -q 'Spür\\ n/テスト\\ 1.txt' named.d || case_fail "the depfile: $(cat named.d)"
expect 0 "$KILN" plan -m named.yaml --format parallel
says out 'Spür n/テスト 1.txt'
says out 'Spür n/ñ b.kiln'
case_end

cases_end
