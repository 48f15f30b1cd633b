#!/bin/sh
# kiln bake --report: the page's data, what it compares with, what it never replaces. gate/view.sh opens it in a browser.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
cp models/tiny/cube.obj models/tiny/mixed.obj models/tiny/nan.obj models/tiny/tetrahedron.obj "$TMPDIR"
cd "$TMPDIR" || exit 1

# told PAGE PYTHON: the document of the page, as d, its assets by output as a; the expression must be true.
told() {
    /usr/bin/python3 - "$1" "$2" <<'END' || case_fail "$1: not so: $2"
import base64, json, re, struct, sys, zlib
text = open(sys.argv[1], encoding='utf-8').read()
d = json.loads(re.search('<script type="application/json" id="document">(.*?)</script>', text, re.S).group(1))
a = {asset['output']: asset for asset in d['assets']}
# Width, height, whether the sums of a picture are right, and how many of its points are drawn on.
def picture(asset):
    data = base64.b64decode(asset['picture'], validate=True)
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, packed = 8, b''
    while at < len(data):
        size, name = struct.unpack('>I4s', data[at:at + 8])
        assert zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0]
        if name == b'IHDR': width, height = struct.unpack('>II', data[at + 8:at + 16])
        if name == b'IDAT': packed += data[at + 8:at + 8 + size]
        at += 12 + size
    rows, drawn = zlib.decompress(packed), 0
    for y in range(height):
        row = bytearray(rows[y * (4 * width + 1) + 1:(y + 1) * (4 * width + 1)])
        for x in range(4, 4 * width): row[x] = row[x] + row[x - 4] & 255
        drawn += sum(v > 0 for v in row[3::4])
    return width, height, drawn
sys.exit(not eval(sys.argv[2]))
END
}

case_begin 'a page of a batch: figures, pictures, warnings, what failed'
expect 3 "$KILN" bake cube.obj mixed.obj nan.obj -o baked --report baked/report.html
told baked/report.html "d['schema'] == 'kiln-bake-report-1' and len(a) == 3 and d['compared'] is False and d['seconds'] > 0"
told baked/report.html "a['baked/cube.kiln']['triangles'] == 12 and a['baked/cube.kiln']['bytes'] == $(wc -c <baked/cube.kiln)"
told baked/report.html "abs(a['baked/cube.kiln']['costs']['obb'] - $("$KILN" info --json baked/cube.kiln | sed -n 's/.*"sah_cost": \([0-9.]*\).*/\1/p')) < 1e-9"
told baked/report.html "picture(a['baked/cube.kiln'])[:2] == (144, 96) and 3000 < picture(a['baked/cube.kiln'])[2] < 9000"
told baked/report.html "a['baked/nan.kiln']['status'] == 3 and 'error' in a['baked/nan.kiln'] and 'triangles' not in a['baked/nan.kiln']"
told baked/report.html "any('point' in note for note in a['baked/mixed.kiln']['notes'])"
head -c 60 baked/report.html | grep -q '^<!-- kiln bake report' || case_fail 'the head'
case_end

case_begin 'what has changed since the page before; what is not baked again keeps its seconds, picture and warnings'
cp baked/report.html first.html
expect 0 "$KILN" bake cube.obj mixed.obj -o baked --if-changed --report baked/report.html
told baked/report.html "d['compared'] and d['gone'] == ['baked/nan.kiln'] and all(x['outcome'] == 'up_to_date' for x in d['assets'])"
told baked/report.html "a['baked/mixed.kiln']['notes'] and a['baked/mixed.kiln']['seconds'] is not None and picture(a['baked/mixed.kiln'])"
told baked/report.html "a['baked/cube.kiln']['before']['bytes'] == a['baked/cube.kiln']['bytes'] and a['baked/cube.kiln']['before']['hash'] == a['baked/cube.kiln']['hash']"
expect 0 "$KILN" bake cube.obj tetrahedron.obj -o baked --bv aabb --report baked/report.html
told baked/report.html "a['baked/cube.kiln']['hash'] != a['baked/cube.kiln']['before']['hash'] and a['baked/tetrahedron.kiln']['before'] is None"
told baked/report.html "list(a['baked/cube.kiln']['costs']) == ['aabb'] and list(a['baked/cube.kiln']['before']['costs']) == ['obb']"
case_end

case_begin 'from the cache, to standard output, from a manifest, of one asset'
expect 0 "$KILN" bake cube.obj tetrahedron.obj -o cached --cache cache
rm -r cached
expect 0 "$KILN" bake cube.obj tetrahedron.obj -o cached --cache cache --report cached.html
told cached.html "all(x['outcome'] == 'cached' and x['triangles'] > 0 and picture(x)[2] > 0 for x in d['assets'])"
"$KILN" bake cube.obj -o - --report one.html >one.kiln || case_fail 'standard output'
told one.html "len(d['assets']) == 1 and 'bytes' not in d['assets'][0] and d['assets'][0]['outcome'] == 'baked'"
printf 'kiln: 1\noutput: from\nassets: [cube.obj]\n' >kiln.yaml
expect 0 "$KILN" bake --report deep/er/page.html
told deep/er/page.html "list(a) == ['from/cube.kiln']"
: >none
expect 0 "$KILN" bake @none -o baked --allow-empty --report empty.html
told empty.html "d['assets'] == []"
case_end

case_begin 'without times, for any threads and in processes of their own, a page depends on the bakes alone'
for run in "-j1" "-j2" "--max-memory 1G"; do
    rm -rf same
    expect 0 "$KILN" bake cube.obj mixed.obj tetrahedron.obj -o same --report same.html --no-seconds $run
    [ -e want.html ] || cp same.html want.html
    same same.html want.html
    rm same.html
done
told want.html "d['seconds'] is None and all(x['seconds'] is None for x in d['assets'])"
case_end

case_begin 'a broken page is replaced, and that is said; no other file is'
head -c 2000 baked/report.html >broken.html
expect 0 "$KILN" bake cube.obj -o one.kiln --report broken.html
says err 'broken.html: not compared: the page there is broken or of another version, and is replaced'
told broken.html "d['compared'] is False"
sed 's/kiln-bake-report-1/kiln-bake-report-9/' baked/report.html >later.html
expect 0 "$KILN" bake cube.obj -o one.kiln --report later.html
says err 'not compared'
echo '<!doctype html><title>mine</title>' >mine.html
cp mine.html kept.html
expect 1 "$KILN" bake cube.obj -o never.kiln --report mine.html
says err 'mine.html: would be replaced; it is no report of kiln bake'
same mine.html kept.html
for wrong in "-" "cube.obj" "./never.kiln"; do
    expect 1 "$KILN" bake cube.obj -o never.kiln --report "$wrong"
done
expect 1 "$KILN" bake cube.obj -o never.kiln --report x.html --junit ./x.html
says err '--junit and --report name one file'
expect 1 "$KILN" bake cube.obj -o never.kiln --no-seconds
says err '--no-seconds needs --report'
[ ! -e never.kiln ] || case_fail 'something was baked'
case_end

case_begin 'a run that a signal ends leaves a page of what there is'
# The program that reads the model sends the signal, so that it comes in the middle of the bake.
programs=$(dirname "$KILN")/libexec/kiln
mkdir importers && ln -s "$programs"/* importers/ && rm importers/kiln-import
printf '#!/bin/sh\n[ "$1" = --version ] || kill -TERM $PPID\nexec "%s/kiln-import" "$@"\n' "$programs" >importers/kiln-import
chmod +x importers/kiln-import
for models in cube.obj 'cube.obj tetrahedron.obj mixed.obj'; do
    # shellcheck disable=SC2086
    expect 143 "$KILN" bake $models -o cut/ -j1 --importer importers --report cut.html
    told cut.html "len(d['assets']) == $(echo "$models" | wc -w) and all(x['outcome'] == 'not_baked' for x in d['assets'])"
    rm cut.html
done
case_end
cases_end
