#!/bin/sh
# What a batch leaves in a log: few lines, equal warnings once; annotations of GitHub; JUnit reports.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS MAKEFLAGS GITHUB_WORKSPACE

cp models/tiny/cube.obj models/tiny/tetrahedron.obj "$TMPDIR"
cp models/tiny/nan.obj "$TMPDIR/bad.obj"
cd "$TMPDIR" || exit 1
{ cat cube.obj; echo 'l 1 2'; echo 'p 3'; } >lines.obj
{ cat cube.obj; echo 'mtllib gone.mtl'; } >absent.obj

# -------------------------------------------------------------------------------------------- a log

case_begin 'the log of 500 assets, 15 of which fail, 215 of which warn: 37 lines besides those of progress, each failure twice'
mkdir log
for i in $(seq 500); do
    printf 'v 0 0 %d\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' "$i" >log/$i.obj
done
for i in $(seq 15); do cp bad.obj log/$i.obj; done
for i in $(seq 101 200); do echo 'mtllib gone.mtl' >>log/$i.obj; done
for i in $(seq 201 280); do echo 'l 1 2' >>log/$i.obj; done
for i in $(seq 281 315); do echo 'p 1' >>log/$i.obj; done
expect 3 "$KILN" bake log/*.obj -o out.d
silent out
# Besides lines of progress: three warnings in full, of whichever came first, and how often each came.
grep -v -E '^kiln: [0-9]+ of 500, [0-9.]+/s(, [0-9]+:[0-9][0-9] left)?$' err >rest
grep -E '^kiln: log/[0-9]+\.obj: (not there|left out): ' rest | sed 's|log/[0-9]*|log/N|' | sort >first
printf 'kiln: log/N.obj: %s\n' 'left out: 0 points, 1 line' 'left out: 1 point (see --points), 0 lines' \
    "not there: 'gone.mtl', which it refers to; baked without" | cmp -s - first || case_fail "first: $(cat first)"
grep -E '^kiln: [0-9]+ times: ' rest | sort >times
printf 'kiln: %s\n' "100 times: not there: 'gone.mtl', which it refers to; baked without" \
    '35 times: left out: 1 point (see --points), 0 lines' '80 times: left out: 0 points, 1 line' | cmp -s - times ||
    case_fail "times: $(cat times)"
for i in $(seq 15); do
    [ "$(grep -c "^kiln: log/$i\.obj: node " rest)" = 1 ] || case_fail "the reason of $i"
    [ "$(grep -c -x "kiln: failed: log/$i\.obj" rest)" = 1 ] || case_fail "the name of $i"
done
[ "$(wc -l <rest)" -eq $((3 + 3 + 15 + 15 + 1)) ] || case_fail "other lines: $(cat rest)"
[ "$(tail -n 1 err | steady)" = 'kiln: 485 baked, 15 failed in T s; N read, N written' ] ||
    case_fail "the last line is $(tail -n 1 err)"
rm -r log out.d
case_end

case_begin 'equal warnings: the first in full, then the count; every one under -v, none under -q'
for i in 1 2 3; do
    cp lines.obj l$i.obj
    cp absent.obj a$i.obj
done
exact 0 "$KILN" bake a1.obj l1.obj l2.obj -o out.d -j1 <<'END'
stderr:
kiln: a1.obj: not there: 'gone.mtl', which it refers to; baked without
kiln: l1.obj: left out: 1 point (see --points), 1 line
kiln: 2 times: left out: 1 point (see --points), 1 line
kiln: 3 baked in T s; N read, N written
END
expect 0 "$KILN" bake a1.obj a2.obj a3.obj l1.obj l2.obj l3.obj -o out.d -j1 -v
for i in 1 2 3; do
    says err "kiln: a$i.obj: not there: 'gone.mtl', which it refers to; baked without"
    says err "kiln: l$i.obj: left out: 1 point (see --points), 1 line"
done
! grep -q ' times: ' err || case_fail 'counted all the same'
exact 0 "$KILN" bake a1.obj a2.obj -o out.d -q <<'END'
END
expect 0 "$KILN" bake a1.obj a2.obj a3.obj -o out.d --json
says err 'kiln: 3 times: not there: '
[ "$(grep -c '"gone.mtl"' out)" = 3 ] || case_fail 'not in each object of the document'
expect 3 "$KILN" bake a1.obj a2.obj -o out.d -j1 --strict
[ "$(grep -c '^kiln: a[12]\.obj: refers to ' err)" = 2 ] || case_fail 'errors were folded'
case_end

case_begin 'warnings that differ are all printed, however many'
mkdir many
for i in $(seq 30); do
    { cat tetrahedron.obj; yes 'p 1' | head -n "$i"; } >many/$i.obj
done
expect 0 "$KILN" bake many/*.obj -o out.d
[ "$(grep -c ': left out: ' err)" = 30 ] || case_fail "$(grep -c ': left out: ' err) lines"
! grep -q ' times: ' err || case_fail 'folded'
rm -r many
case_end

case_begin 'outside a terminal names are whole and nothing has colours, unless they are asked for'
long=$(printf 'f%.0s' $(seq 150))
cp bad.obj "$long.obj"
COLUMNS=40 TERM=xterm expect 3 "$KILN" bake "$long.obj" cube.obj -o out.d
says err "kiln: $long.obj: node "
says err "kiln: failed: $long.obj"
red=$(printf '\033')'\[1;31mkiln:'
! grep -q "$red" err || case_fail 'there are colours'
expect 3 "$KILN" bake bad.obj cube.obj -o out.d --color always
grep -q "^$red" err || case_fail 'there are no colours'
NO_COLOR=1 TERM=dumb expect 1 "$KILN" frob --color=always
grep -q "^$red" err || case_fail 'there are no colours without a verb'
for verb in bake check-mesh info verify diff collide query view unpack upgrade plan 'cache gc' 'lut axes' 'lut bins' 'lut check' 'lut show' calibrate; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" $verb --color sometimes
    says err "--color takes one of auto|always|never, not 'sometimes'"
    # shellcheck disable=SC2086
    expect 1 "$KILN" $verb --nonsense --color always
    grep -q "^$red" err || case_fail "$verb has no colours"
    # shellcheck disable=SC2086
    "$KILN" $verb --help | grep -q -e '--color auto|always|never' || case_fail "$verb --help"
done
expect 2 "$KILN" info --color always -- none.kiln --color=never
grep -q "^$red" err || case_fail 'behind -- there are no options'
case_end

# -------------------------------------------------------------------------------------- annotations

case_begin '--annotations github: errors and warnings are workflow commands, the rest stays'
exact 3 "$KILN" bake lines.obj l1.obj bad.obj -o out.d -j1 --annotations github <<'END'
stderr:
::warning file=lines.obj,title=kiln bake::lines.obj: left out: 1 point (see --points), 1 line
::error file=bad.obj,title=kiln bake::bad.obj: node "/default", mesh "default", face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)
::warning title=kiln bake::2 times: left out: 1 point (see --points), 1 line; also in l1.obj
kiln: failed: bad.obj
kiln: 2 baked, 1 failed in T s; N read, N written
END
# One annotation for equal warnings of any number of files, and a second that names the first of the others.
mkdir equal
for i in $(seq 10 34); do
    cp lines.obj "equal/m$i,%.obj"
done
expect 0 "$KILN" bake equal -o out.d/equal -j1 --annotations github
[ "$(grep -c '^::warning ' err)" = 2 ] || case_fail "$(cat err)"
says err '::warning title=kiln bake::25 times: left out: 1 point (see --points), 1 line; also in equal/m11,%25.obj, equal/m12,%25.obj, '
says err ', equal/m30,%25.obj and 4 more'
expect 0 "$KILN" bake equal -o out.d/equal -j1 --annotations github -q
[ ! -s err ] || case_fail "quiet: $(cat err)"
exact 3 "$KILN" bake bad.obj -o x.kiln --annotations github --color always <<'END'
stderr:
::error file=bad.obj,title=kiln bake::bad.obj: node "/default", mesh "default", face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)
END
exact 1 "$KILN" bake cube.obj --annotations github <<'END'
stderr:
::error title=kiln bake::bake: -o OUT is missing
Try: kiln bake --help
END
expect 1 "$KILN" bake cube.obj -o x.kiln --annotations gitlab
says err "--annotations takes one of none|github, not 'gitlab'"
case_end

case_begin '--annotations github: a place in a manifest is a line and a column'
printf 'kiln: 1\nassets:\n  - nothing*.obj\n' >wrong.yaml
exact 2 "$KILN" bake -m wrong.yaml --annotations github <<'END'
stderr:
::error file=wrong.yaml,line=3,col=5,title=kiln bake::wrong.yaml:3:5: 'nothing*.obj' matches no file; check the pattern
END
case_end

case_begin '--annotations github: % CR LF : , in names end no value and no line; other controls are spelled out'
mkdir odd
cp bad.obj "odd/$(printf '100%%,a:b\r::error::c\033[31m.obj')"
cp bad.obj 'odd/two
lines.obj'
expect 3 "$KILN" bake odd/*.obj -o out.d --annotations github -j1
grep '^::error ' err | sed 's/node .*//' >got
cat >want <<'END'
::error file=odd/100%25%2Ca%3Ab%0D%3A%3Aerror%3A%3Ac\x1B[31m.obj,title=kiln bake::odd/100%25,a:b%0D::error::c\x1B[31m.obj: 
::error file=odd/two%0Alines.obj,title=kiln bake::odd/two%0Alines.obj: 
END
cmp -s want got || case_fail "$(diff want got)"
! grep -q "$(printf '[\r\033]')" err || case_fail 'a control character is left'
case_end

case_begin '--annotations github: a run in a folder of the checkout names files from its top'
mkdir -p game
cp bad.obj game
cd game || exit 1
GITHUB_WORKSPACE=$TMPDIR expect 3 "$KILN" bake bad.obj -o x.kiln --annotations github
says err '::error file=game/bad.obj,title=kiln bake::bad.obj: node '
GITHUB_WORKSPACE=$TMPDIR/game expect 3 "$KILN" bake bad.obj -o x.kiln --annotations github
says err '::error file=bad.obj,'
GITHUB_WORKSPACE=$TMPDIR/gam expect 3 "$KILN" bake bad.obj -o x.kiln --annotations github
says err '::error file=bad.obj,'
GITHUB_WORKSPACE=$TMPDIR expect 3 "$KILN" bake "$TMPDIR/bad.obj" -o x.kiln --annotations github
says err "::error file=bad.obj,"
# Any spelling of the checkout and of the file; what is not below it keeps its path.
mkdir -p ../check/deep ../away && ln -sfn "$TMPDIR" ../away/link && ln -sfn "$TMPDIR/check/deep" into
for top in "$TMPDIR" "$TMPDIR/" "$TMPDIR//" "$TMPDIR/game/.." "$TMPDIR/away/link" "$TMPDIR/away/link/"; do
    for file in bad.obj ./bad.obj ../game/bad.obj none/../bad.obj "$TMPDIR/game/bad.obj" "$TMPDIR/away/link/game/bad.obj" .//bad.obj; do
        for dry in -j1 --dry-run; do
            cp bad.obj keep
            [ $dry = -j1 ] || rm bad.obj
            GITHUB_WORKSPACE=$top "$KILN" bake "$file" -o x.kiln --annotations github $dry >out 2>err && case_fail "$file: baked"
            mv keep bad.obj
            case $file in
            none/*) grep -q '^::error file=game/bad.obj,' err || case_fail "$top, $file, $dry: $(cat err)" ;;
            *) grep -q '^::error file=game/bad.obj,title=' err || case_fail "$top, $file, $dry: $(cat err)" ;;
            esac
        done
    done
done
for top in "$TMPDIR/gam" "$TMPDIR/game/none" relative /; do
    GITHUB_WORKSPACE=$top expect 3 "$KILN" bake ./../game/bad.obj -o x.kiln --annotations github
    [ $top = / ] || says err '::error file=../game/bad.obj,'
done
# ".." behind a link leads elsewhere than its text says.
cp bad.obj ../check/bad.obj
GITHUB_WORKSPACE=$TMPDIR expect 3 "$KILN" bake into/../bad.obj -o x.kiln --annotations github
says err '::error file=check/bad.obj,'
expect 3 "$KILN" bake into/../bad.obj -o x.kiln --annotations github
says err '::error file=into/../bad.obj,'
expect 3 "$KILN" bake "$PWD/./../game/bad.obj" -o x.kiln --annotations github
says err "::error file=$PWD/bad.obj,"
rm -r into ../away ../check
cd ..
case_end

# -------------------------------------------------------------------------------------------- JUnit

# junit FILE: it with times masked
junit() {
    sed -E 's/ time="[0-9]+\.[0-9]{3}"/ time="T"/g' "$1"
}

case_begin '--junit: a case for each output, with what failed, was left or was warned of'
expect 3 "$KILN" bake lines.obj bad.obj cube.obj -o out.d -j1 --junit reports/deep/kiln.xml
junit reports/deep/kiln.xml >got
cat >want <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kiln bake" tests="3" failures="1" errors="0" skipped="0" time="T">
  <testsuite name="kiln bake" tests="3" failures="1" errors="0" skipped="0" time="T">
    <testcase name="out.d/lines.kiln" classname="kiln.bake" file="lines.obj" time="T">
      <system-err>left out: 1 point (see --points), 1 line
</system-err>
    </testcase>
    <testcase name="out.d/bad.kiln" classname="kiln.bake" file="bad.obj" time="T">
      <failure type="status 3" message="bad.obj: node &#34;/default&#34;, mesh &#34;default&#34;, face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)">bad.obj: node &#34;/default&#34;, mesh &#34;default&#34;, face 1: corner 2 is not finite or too large for a 32-bit float; repair the model, or let bad faces be dropped (--on-bad drop)</failure>
    </testcase>
    <testcase name="out.d/cube.kiln" classname="kiln.bake" file="cube.obj" time="T"/>
  </testsuite>
</testsuites>
END
cmp -s want got || case_fail "$(diff want got)"
expect 3 "$KILN" bake lines.obj bad.obj cube.obj -o out.d --junit reports/deep/kiln.xml --quiet --max-memory 1G
junit reports/deep/kiln.xml | cmp -s want - || case_fail 'another under --quiet, from processes of their own'
{ cat bad.obj; yes '# the largest is begun first' | head -n 99; } >large_bad.obj
expect 3 "$KILN" bake large_bad.obj cube.obj tetrahedron.obj -o out.d -j1 --fail-fast --junit kiln.xml
[ "$(grep -c '<skipped message="another has failed"/>' kiln.xml)" = 2 ] || case_fail 'skipped'
grep -q 'tests="3" failures="1" errors="0" skipped="2"' kiln.xml || case_fail 'counts of skipped'
expect 0 "$KILN" bake lines.obj cube.obj -o out.d --if-changed --junit kiln.xml
grep -q 'tests="2" failures="0" errors="0" skipped="0"' kiln.xml || case_fail 'counts of what is up to date'
: >empty
expect 0 "$KILN" bake @empty -o out.d --allow-empty --junit kiln.xml
grep -q 'tests="0" failures="0"' kiln.xml || case_fail 'counts of nothing'
case_end

case_begin '--junit: a plan that is refused leaves no earlier report that all is well'
echo mine >foreign.kiln
printf 'kiln: 1\nassets: 7\n' >wrong.yaml
for arguments in '1 cube.obj -o foreign.kiln' '1 cube.obj ./cube.obj -o out.d' '3 -m wrong.yaml'; do
    # shellcheck disable=SC2086
    set -- $arguments
    status=$1
    expect 0 "$KILN" bake cube.obj -o fine.kiln --junit plan.xml
    shift
    expect "$status" "$KILN" bake "$@" --junit plan.xml
    grep -q 'tests="1" failures="1" errors="0" skipped="0"' plan.xml || case_fail "$*: $(cat plan.xml)"
    grep -q "<failure type=\"status $status\" message=\"nothing was baked; see" plan.xml || case_fail "$*: no failure"
done
# The same of what ends the run before there is a plan, or after it: options, versions, a folder that can't be made.
mkdir -p cannot && printf 'kiln: 1\nassets: [cube.obj]\n' >fine.yaml
: >cannot/be
for arguments in '1 --bogus cube.obj -o y.kiln' '1 cube.obj -o y.kiln --bogus' '1 cube.obj -o y.kiln --leaf x' '1 cube.obj -o' \
    '1 cube.obj' '1 -o out.d' '1 cube.obj -m fine.yaml' '1 cube.obj -o y.kiln -q -v' '1 cube.obj -o y.kiln --depfile-programs' \
    '5 cube.obj -o y.kiln --need-version kiln-0' '1 cube.obj -o y.kiln --bv none' '2 -m missing.yaml' '2 @missing -o out.d' \
    '2 cube.obj lines.obj -o cannot/be/x' '2 cube.obj -o cannot/be/x.kiln' '1 cube.obj -o y.kiln --prune' \
    '1 cube.obj lines.obj -o - ' '2 bare -o out.d' '1 cube.obj -o y.kiln --annotations gitlab' '1 --formats cube.obj' \
    '1 cube.obj -o y.kiln --cache= ' '1 --keep-going --fail-fast cube.obj -o y.kiln'; do
    for place in first last; do
        # shellcheck disable=SC2086
        set -- $arguments
        status=$1
        shift
        mkdir -p bare
        expect 0 "$KILN" bake cube.obj -o fine.kiln --junit plan.xml
        [ $place = first ] && set -- --junit plan.xml "$@" || set -- "$@" --junit=plan.xml
        expect "$status" "$KILN" bake "$@"
        grep -q 'tests="1" failures="1"' plan.xml || case_fail "$*: $(cat plan.xml)"
        # A dry run writes nothing, and this is no exception.
        cp plan.xml dry.xml
        "$KILN" bake "$@" --dry-run >/dev/null 2>&1
        same plan.xml dry.xml
    done
done
rm -r cannot bare
# Nothing else is replaced, and nothing that the command line names is made.
cp cube.obj mine.txt
expect 1 "$KILN" bake cube.obj --bogus --junit mine.txt
same cube.obj mine.txt
for named in "z.xml -o y.kiln" "cube.obj -o z.xml" "cube.obj -oz.xml" "cube.obj --output=z.xml" "@z.xml -o y.kiln" "-m z.xml" \
    "cube.obj -o y.kiln --depfile ./z.xml"; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" bake --bogus $named --junit z.xml
    [ ! -e z.xml ] || case_fail "$named: a report was put there"
done
expect 1 "$KILN" bake --bogus -- --junit z.xml
[ ! -e z.xml ] || case_fail 'behind -- there are no options'
: >hollow
expect 1 "$KILN" bake cube.obj ./cube.obj -o out.d --junit hollow
[ ! -s hollow ] || case_fail 'a file without bytes was replaced'
case_end

case_begin '--junit: a run that a signal ends is no success'
# The program that reads the model sends the signal, so that it comes in the middle of the bake.
programs=$(dirname "$KILN")/libexec/kiln
mkdir importers && ln -s "$programs"/* importers/ && rm importers/kiln-import
printf '#!/bin/sh\n[ "$1" = --version ] || kill -TERM $PPID\nexec "%s/kiln-import" "$@"\n' "$programs" >importers/kiln-import
chmod +x importers/kiln-import
for models in cube.obj 'cube.obj tetrahedron.obj lines.obj'; do
    expect 0 "$KILN" bake cube.obj -o fine.kiln --junit signal.xml
    # shellcheck disable=SC2086
    expect 143 "$KILN" bake $models -o cut/ -j1 --importer importers --junit signal.xml --depfile cut.d
    grep -q 'skipped="0"' signal.xml && ! grep -q 'failures="0"' signal.xml || case_fail "$models: $(cat signal.xml)"
    grep -q '<failure type="status 4" message="interrupted">' signal.xml || case_fail "$models: $(cat signal.xml)"
    [ ! -e cut/cube.kiln ] || case_fail "$models: it was baked"
    [ -z "$(find . -name '.kiln-*')" ] || case_fail 'something is left behind'
done
rm -r importers
case_end

case_begin '--junit: any name gives XML that a parser reads'
cp bad.obj "odd/$(printf 'a&b<c>"d\047\377\357\277\277\302\205]]>.obj')"
expect 3 "$KILN" bake odd/*.obj cube.obj -o out.d --junit odd.xml
if command -v python3 >/dev/null; then
    python3 - odd.xml <<'END' || case_fail 'it is no XML, or has other names'
import sys
import xml.etree.ElementTree as tree
cases = tree.parse(sys.argv[1]).getroot()[0]
names = [c.get("file") for c in cases]
wanted = {"odd/two\\x0Alines.obj", "odd/100%,a:b\\x0D::error::c\\x1B[31m.obj", "cube.obj",
          "odd/a&b<c>\"d'\ufffd\ufffd\\xC2\\x85]]>.obj"}
assert set(names) == wanted, names
assert len(cases.findall("testcase/failure")) == 3
END
    case_end
else
    case_skip 'there is no python3'
fi

case_begin '--junit replaces no file that the run reads or writes, and none that kiln could not have written'
# kept STATUS TEXT FILE ARGUMENT...: FILE stays as it is
kept() {
    cp "$3" before
    status=$1 text=$2 file=$3
    shift 3
    expect "$status" "$KILN" bake "$@"
    says err "$text"
    same before "$file"
}
echo 'not of kiln' >foreign.txt
ln -s foreign.txt link.xml
printf 'kiln: 1\noutput: out.d\nassets: [cube.obj, lines.obj]\n' >kiln.yaml
printf 'cube.obj\n' >list
expect 0 "$KILN" bake cube.obj -o old.kiln --depfile old.d
kept 1 'it is no JUnit report of kiln' foreign.txt cube.obj lines.obj -o out.d --junit foreign.txt
kept 1 'it is no JUnit report of kiln' foreign.txt cube.obj lines.obj -o out.d --junit link.xml
kept 1 'it is no JUnit report of kiln' old.kiln cube.obj lines.obj -o out.d --junit old.kiln
kept 1 'it is no JUnit report of kiln' old.d cube.obj lines.obj -o out.d --junit old.d
kept 1 'is an input or an output' cube.obj cube.obj lines.obj -o out.d --junit ./cube.obj
kept 1 'is an input or an output' out.d/cube.kiln cube.obj lines.obj -o out.d --junit out.d/../out.d/cube.kiln
kept 1 'would be replaced; it is the manifest' kiln.yaml -m kiln.yaml --junit kiln.yaml
kept 1 'would be replaced; it is' list @list -o out.d --junit list
kept 1 'it is no depfile of kiln' kiln.xml cube.obj lines.obj -o out.d --depfile kiln.xml
cp kiln.xml ours.mtl
{ cat cube.obj; echo 'mtllib ours.mtl'; } >refers.obj
kept 1 "is a file that 'refers.obj' refers to; no JUnit report was written" ours.mtl refers.obj cube.obj -o out.d --junit ours.mtl
expect 1 "$KILN" bake cube.obj -o x.kiln --depfile new.d --junit ./new.d
says err '--depfile and --junit name one file'
expect 1 "$KILN" bake cube.obj -o x.kiln --junit -
says err '--junit needs the name of a file'
expect 2 "$KILN" bake cube.obj -o never.kiln --junit foreign.txt/kiln.xml
[ ! -e never.kiln ] || case_fail 'it was baked first'
case_end

case_begin '--junit: one that does not fit leaves the old report and fails the run'
cp kiln.xml before
for i in $(seq 40); do
    cp cube.obj c$i.obj
    echo "c$i.obj"
done >forty
(
    ulimit -f 4
    expect 2 "$KILN" bake @forty -o forty.d --junit kiln.xml
)
says err 'kiln: kiln.xml: '
same before kiln.xml
[ -z "$(find . -name '.kiln*')" ] || case_fail 'something is left behind'
case_end

cases_end
