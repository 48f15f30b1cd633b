#!/bin/sh
# Each public header compiles alone, as C99 and as C++.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

for header in runtime/kiln*.h tools/kiln_bake.h; do
    case_begin "$header as C99"
    gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -x c -fsyntax-only "$header" || case_fail 'no'
    case_end
    case_begin "$header as C++"
    g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -x c++ -fsyntax-only "$header" || case_fail 'no'
    case_end
done

cases_end
