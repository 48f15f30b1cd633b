#!/bin/sh
# kiln plan: what each program makes of its plan is what kiln bake makes.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

mkdir -p "$TMPDIR/p/in dir" && cp models/tiny/cube.obj models/tiny/painted.* models/tiny/tetrahedron.obj "$TMPDIR/p"
cp models/tiny/cube.obj "$TMPDIR/p/in dir/it's \$5 a #1.obj"
cd "$TMPDIR/p" || exit 1
cat >plain.yaml <<'END'
kiln: 1
output: out
defaults: {bv: [obb, aabb]}
assets:
  - path: [cube.obj, painted.obj]
  - path: tetrahedron.obj
    output: deep/er.kiln
    options: {leaf: 2, scale: 0.1, on-bad: drop, adb: 8, strict: true}
END
{
    cat plain.yaml
    echo '  - "in dir/*.obj"'
} >odd.yaml
"$KILN" bake -m odd.yaml -q && mv out want

# made FROM: the files of want, or of those with plain names.
made() {
    (cd want && find . -name '*.kiln' | sort) | while IFS= read -r file; do
        case $file in *"in dir"*) [ "$1" = plain ] && continue ;; esac
        cmp "want/$file" "out/$file" || echo differs
    done >differences 2>&1
    [ ! -s differences ] || case_fail "$(cat differences)"
    rm -rf out .ninja_deps .ninja_log
}

# expect puts what it ran in $TMPDIR/out.
plan() {
    expect 0 "$KILN" plan --format "$1" -m "$2"
    silent err
    cp "$TMPDIR/out" "$3"
}

case_begin 'parallel: a line of shell an asset'
plan parallel odd.yaml lines
[ "$(wc -l <lines)" -eq 4 ] || case_fail 'not four lines'
KILN=$KILN sh -e lines || case_fail 'sh'
made odd
tr '\n' '\0' <lines | KILN=$KILN xargs -0 -n 1 -P 2 sh -c || case_fail 'xargs'
made odd
sed 's/--need-version=kiln-/&9/' lines | head -n 1 >other
expect 5 sh other
says err 'use one version on all hosts'
case_end

case_begin 'names that a shell, mkdir or parallel could take for something else'
mkdir -p odd/-d odd/@d && cp cube.obj odd/@.obj && cp cube.obj 'odd/blank .obj' && cp cube.obj odd/-d/-x.obj
cp cube.obj odd/@d/x.obj
cd odd || exit 1
for format in parallel slurm make ninja; do
    [ $format = ninja ] && ! command -v ninja >/dev/null && echo 'skipped: of the formats ninja, not installed' &&
        continue
    expect 0 "$KILN" plan ./@.obj ./@d/x.obj 'blank .obj' ./-d/-x.obj -o -out --format $format
    case $format in
    ninja) sed "s|^kiln = .*|kiln = $KILN|" "$TMPDIR/out" >build.ninja && ninja >log || case_fail "$(cat log)" ;;
    make) make -s -f "$TMPDIR/out" "KILN=$KILN" || case_fail make ;;
    slurm) for task in 0 1 2 3; do SLURM_ARRAY_TASK_ID=$task KILN=$KILN sh "$TMPDIR/out" || case_fail $task; done ;;
    *) KILN=$KILN sh -e "$TMPDIR/out" || case_fail sh ;;
    esac
    for name in @ x 'blank ' -x; do
        [ -s "./-out/$name.kiln" ] || case_fail "$format: $name"
    done
    rm -rf ./-out .ninja_*
done
cd .. && rm -rf odd
case_end

case_begin 'farm: a table with the files that each asset is made from'
mkdir -p far/a && cp cube.obj painted.mtl far && printf 'mtllib .././../painted.mtl\n' >far/a/x.obj
cat cube.obj >>far/a/x.obj
"$KILN" bake cube.obj -o far/cube.kiln
expect 0 "$KILN" plan --format farm cube.obj far/a/x.obj -o far
[ "$(grep -c '^mkdir' "$TMPDIR/out")" -eq 1 ] || case_fail 'not the one that is to be baked'
grep '^mkdir' "$TMPDIR/out" | cut -f 2- | tr '\t' '\n' >files
printf './far/x.kiln\n./far/a/x.obj\n./painted.mtl\n' | diff - files || case_fail 'other files'
says out "--trim n --return {2} --transferfile {3} --transferfile {4}"
sh -n "$TMPDIR/out" || case_fail 'no script'
expect 5 "$KILN" plan --format farm "$PWD/cube.obj" -o far/y.kiln
says err 'starts at the root'
mkdir -p far/d && cp cube.obj far/d/y.obj && cd far/d && echo 'mtllib ../painted.mtl' >>y.obj
expect 5 "$KILN" plan --format farm y.obj -o out --side-files any
says err "'../painted.mtl' leads out of the folder"
expect 5 "$KILN" plan --format farm ../cube.obj -o out
cd ../..
expect 0 "$KILN" plan --format farm nowhere.obj -o out
says out './nowhere.obj'
expect 1 "$KILN" plan --format farm cube.obj -o out --cache cache
rm -rf far
case_end

case_begin 'slurm: an array of tasks'
plan slurm odd.yaml job.sh
grep -q '^#SBATCH --array=0-3$' job.sh || case_fail 'the array is another'
for task in 0 1 2 3; do
    SLURM_ARRAY_TASK_ID=$task KILN=$KILN sh job.sh || case_fail "task $task"
done
made odd
SLURM_ARRAY_TASK_ID=2 KILN=false sh job.sh && case_fail 'a failure ends in 0'
case_end

case_begin 'make: rules with depfiles'
plan make plain.yaml rules.mk
make -s -j2 -f rules.mk "KILN=$KILN" || case_fail 'make'
make -q -f rules.mk "KILN=$KILN" || case_fail 'make is not done'
sleep 0.01
echo '# more' >>painted.mtl
touch -d '2100-01-01' painted.mtl
make -n -f rules.mk "KILN=$KILN" | grep -q 'painted.kiln' || case_fail 'make does not know of the .mtl'
cp "$KILN_BUILD/../models/tiny/painted.mtl" . 2>/dev/null || git -C "$OLDPWD" show HEAD:models/tiny/painted.mtl >painted.mtl
"$KILN" bake painted.obj -o out/painted.kiln --bv obb,aabb
made plain
cp cube.obj '5: a.obj'
expect 5 "$KILN" plan --format make '5: a.obj' -o out
says err "5: a.obj: can't stand in a plan for make"
expect 5 "$KILN" plan --format ninja '5: a.obj' -o out
expect 0 "$KILN" plan --format parallel '5: a.obj' -o out
tab=$(printf 'a\tb.obj')
cp cube.obj "$tab"
expect 5 "$KILN" plan --format make "$tab" -o out
says err 'a control character'
expect 5 "$KILN" plan --format farm "$tab" -o out
says err 'has a tab or a line break in it; rename it'
expect 0 "$KILN" plan --format parallel "$tab" -o out
case_end

case_begin 'make and ninja: a new plan with other options bakes what they change; the rules may come from anywhere'
mkdir 'new plan' && cp cube.obj tetrahedron.obj 'new plan' && cd 'new plan' || exit 1
# planned FORMAT OPTION...: bakes by a new plan, which leaves outputs as kiln bake makes them and nothing to do.
planned() {
    form=$1
    shift
    sleep 0.02
    "$KILN" plan --format "$form" cube.obj tetrahedron.obj -o "$form" "$@" >rules
    [ "$form" = make ] && run="make -s -f rules KILN=$KILN" || run='ninja -f rules'
    sed -i "s|^kiln = .*|kiln = $KILN|" rules
    for build in first second; do
        $run >log || case_fail "$form $*: $(cat log)"
    done
    stat -c '%n %y' "$form"/*.kiln >before
    $run >log
    stat -c '%n %y' "$form"/*.kiln | cmp -s - before || case_fail "$form $*: a build after nothing changed bakes"
    "$KILN" bake -q cube.obj tetrahedron.obj -o fresh "$@"
    for file in cube tetrahedron; do
        cmp "fresh/$file.kiln" "$form/$file.kiln" || case_fail "$form $*: $file is stale"
    done
}
for form in make ninja; do
    [ $form = make ] || command -v ninja >/dev/null || continue
    planned $form
    planned $form --leaf 2
    planned $form --leaf 2
    planned $form --bv aabb --scale 2
    planned $form
    # A plan of another version.
    sleep 0.02
    sed -i '1,3s/kiln-[0-9]/&9/' rules
    if [ $form = make ]; then
        make -q -f rules "KILN=$KILN" && case_fail 'make: another version is nothing new'
    else
        ninja -n -f rules | grep -q 'no work' && case_fail 'ninja: another version is nothing new'
    fi
done
# Names with blanks, standard input and a file that includes the rules.
"$KILN" plan --format make cube.obj -o make >'of a name.mk'
make -s -f 'of a name.mk' "KILN=$KILN" || case_fail 'a name with blanks'
for build in 1 2; do
    make -f - "KILN=$KILN" <'of a name.mk' >log 2>&1 || case_fail "standard input: $(cat log)"
done
grep -q "Nothing to be done" log || case_fail "standard input: $(cat log)"
# make keeps standard input in a temporary file, whose name begins with Gm. A file of rules whose name does so is
# watched all the same.
mkdir -p Gm/tmp
for rules in Gmodels Gmodels.mk ./Gmodels.mk Gm/Gmodels Gm/GmAbCdEf Gm/tmp/Gmodels 'a[1].mk' 'a%b' 'a#b' 'a=b' \
    'a?b' "a'b" 'a\b'; do
    "$KILN" plan --format make cube.obj -o make >"$rules"
    TMPDIR=$PWD/Gm/tmp make -s -f "$rules" "KILN=$KILN" && make -q -f "$rules" "KILN=$KILN" || case_fail "$rules: not made"
    sleep 0.02
    touch "$rules"
    TMPDIR=$PWD/Gm/tmp make -q -f "$rules" "KILN=$KILN" && case_fail "$rules: a new plan is nothing new"
done
# What can't be watched is still built.
for rules in 'a:b' 'a;b' 'a|b' 'a b'; do
    "$KILN" plan --format make cube.obj -o make >"$rules"
    make -s -f "$rules" "KILN=$KILN" && make -q -f "$rules" "KILN=$KILN" || case_fail "$rules: not made"
done
for folder in Gm/tmp Gm/tmp/ ./Gm//tmp//  .; do
    for build in 1 2; do
        TMPDIR=$folder make -f - "KILN=$KILN" <Gmodels >log 2>&1 || case_fail "standard input in $folder: $(cat log)"
    done
    grep -q "Nothing to be done" log || case_fail "standard input in $folder: $(cat log)"
done
echo 'include rules' >Makefile
"$KILN" plan --format make cube.obj -o make >rules
make -s "KILN=$KILN" && make -q "KILN=$KILN" || case_fail 'included'
sleep 0.02
"$KILN" plan --format make cube.obj -o make --leaf 3 >rules
make -q "KILN=$KILN" && case_fail 'included, with other options'
cd ..
case_end

case_begin 'ninja: a build that knows of side files and options'
if command -v ninja >/dev/null; then
    expect 5 "$KILN" plan -m odd.yaml
    mv "in dir/it's \$5 a #1.obj" "in dir/its \$5 a #1.obj"
    plan ninja odd.yaml build.ninja
    sed -i "s|^kiln = .*|kiln = $KILN|" build.ninja
    ninja -j2 >log || case_fail "ninja: $(cat log)"
    ninja | grep -q 'no work to do' || case_fail 'it is not done'
    cp out/cube.kiln before.kiln
    echo '# more' >>painted.mtl
    touch -d '2100-01-01' painted.mtl
    ninja -n | grep -q '\[1/1\] bake out/painted.kiln' || case_fail 'ninja does not know of the .mtl'
    touch -d '2000-01-01' painted.mtl
    sed 's/leaf: 2/leaf: 3/' odd.yaml >other.yaml
    "$KILN" plan -m other.yaml | sed "s|^kiln = .*|kiln = $KILN|" >build.ninja
    ninja -n | grep -q 'bake out/deep/er.kiln' || case_fail 'ninja does not see that options changed'
    case_end
else
    case_skip 'there is no ninja'
fi

case_begin 'usage'
expect 1 "$KILN" plan --format bazel cube.obj -o out
expect 1 "$KILN" plan -o out
says err 'no file is given'
cp plain.yaml kiln.yaml
expect 0 "$KILN" plan --format parallel
[ "$(wc -l <"$TMPDIR/out")" -eq 3 ] || case_fail 'kiln.yaml is not taken'
rm kiln.yaml
expect 1 "$KILN" plan cube.obj
says err '-o OUT is missing'
expect 5 "$KILN" plan --format ninja cube.obj -o -
says err "its name or its output is '-'"
expect 1 "$KILN" plan - -o out
says err "standard input can't stand in a plan"
case_end

cases_end
