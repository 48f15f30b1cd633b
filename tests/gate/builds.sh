#!/bin/sh
# A short run of the soak of builds, one edit of each kind for each program that builds: tests/soak/builds.py says
# what it holds. What Ninja does for one configuration, it does for several.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

make_here "PREFIX=$TMPDIR/usr" install || exit 1
for driver in bake cache make ninja cmake-make cmake-multi cmake-manifest; do
    case_begin "random edits, $driver"
    case $driver in
    ninja) wanted=ninja ;;
    cmake-make) wanted=cmake ;;
    cmake-*) wanted='cmake ninja' ;;
    *) wanted= ;;
    esac
    missing=
    for program in $wanted; do
        command -v "$program" >/dev/null || missing=$program
    done
    if [ -n "$missing" ]; then
        case_skip "$missing is not installed"
        continue
    fi
    expect 0 /usr/bin/python3 tests/soak/builds.py "$TMPDIR/usr" 16 12 1 "$driver"
    says out '12 edits'
    case_end
done

cases_end
