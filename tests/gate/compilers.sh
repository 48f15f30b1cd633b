#!/bin/sh
# clang compiles everything, programs and tests, without a warning, unoptimised and with asserts, and what is
# shipped as it is shipped; make test compiled everything so with gcc, with asserts too, before it came here. It
# links no tests: they are not run, and what one linker finds of them the other does.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

quiet_build() { # quiet_build CC CONFIG TARGET...
    case_begin "no warnings: $*"
    make_other "$@"
    case_end
}

quiet_build clang release all
quiet_build clang debug all test-objects

cases_end
