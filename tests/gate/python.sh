#!/bin/sh
# The Python package: its wheel is the same twice and installs into an environment of its own, where all tests
# pass; calls at random do no harm, under sanitizers either; examples run and print what they say.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
python=/usr/bin/python3
if ! $python -c 'import numpy' 2>/dev/null; then
    case_begin 'the Python package'
    case_skip 'python3-numpy is not installed'
    cases_end
    exit
fi

case_begin 'make wheel'
mkdir "$TMPDIR/second"
make_here wheel >"$TMPDIR/wheel" 2>&1 || case_fail "$(cat "$TMPDIR/wheel")"
wheel=$(tail -1 "$TMPDIR/wheel")
version=$("$KILN" --version | cut -d ' ' -f 2)
$python tools/package/wheel.py "$KILN_BUILD/python" "$version" "$TMPDIR/second" >/dev/null || case_fail 'a second time'
same "$wheel" "$TMPDIR/second/$(basename "$wheel")"
for symbol in $(nm -D --defined-only "$KILN_BUILD/python/kiln/_kiln.abi3.so" | awk '{ print $3 }'); do
    [ "$symbol" = PyInit__kiln ] || case_fail "the module exports $symbol"
done
case_end

# No network and no pip of its own; numpy is that of the system.
case_begin 'an environment of its own'
$python -m venv --without-pip --system-site-packages "$TMPDIR/venv" &&
    $python -m pip -q --python "$TMPDIR/venv/bin/python" install --no-index --no-cache-dir "$wheel" \
        >"$TMPDIR/pip" 2>&1 || case_fail "$(cat "$TMPDIR/pip")"
case "$("$TMPDIR/venv/bin/python" -c 'import kiln; print(kiln.__file__, kiln.__version__)')" in
"$TMPDIR/venv/"*" $version") ;;
*) case_fail 'another kiln is imported' ;;
esac
case_end
"$TMPDIR/venv/bin/python" tests/python/run.py || any_bad=1

case_begin 'calls at random'
expect 0 "$TMPDIR/venv/bin/python" tests/python/fuzz.py 5000
says out '5000 calls'
case_end

case_begin 'examples'
for example in tests/examples/python/*.py; do
    mkdir "$TMPDIR/example"
    (cd "$TMPDIR/example" && "$TMPDIR/venv/bin/python" "$OLDPWD/$example" >out 2>err) ||
        case_fail "$example: $(cat "$TMPDIR/example/err")"
    sed -n '/^#> /s///p' "$example" | diff - "$TMPDIR/example/out" || case_fail "$example prints something else"
    rm -r "$TMPDIR/example"
done
case_end

case_begin 'under sanitizers'
make_here CONFIG=asan python >"$TMPDIR/log" 2>&1 || case_fail "$(cat "$TMPDIR/log")"
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
for run in 'fuzz.py 1500' 'run.py test_files'; do
    # What the interpreter keeps until its end is no leak of ours.
    # shellcheck disable=SC2086
    expect 0 env "LD_PRELOAD=$LD_PRELOAD" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        PYTHONMALLOC=malloc "PYTHONPATH=$KILN_BUILD/asan/python" $python tests/python/$run
done
unset LD_PRELOAD
case_end

cases_end
