#!/bin/sh
# gcc and clang compile everything, programs and tests, without a warning; gcc also unoptimised.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

quiet_build() { # quiet_build NAME VARIABLE=VALUE...
    case_begin "no warnings: $*"
    name=$1
    shift
    make -j2 "BUILD=$KILN_BUILD/$name" "$@" CFLAGS=-Werror all tests models demo-program >"$TMPDIR/log" 2>&1 ||
        { cat "$TMPDIR/log"; case_fail "does not build"; }
    case_end
}

quiet_build gcc CC=gcc
quiet_build gcc-plain CC=gcc CONFIG=debug
quiet_build clang CC=clang

cases_end
