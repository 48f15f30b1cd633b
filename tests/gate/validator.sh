#!/bin/sh
# Khronos' gltf-validator, where it is installed, says of the models of tests/cases/gltf what validator.txt has; that
# list is compared with what kiln says by tests/cases/test_gltf.c, with or without the validator.
. tests/shell.sh

case_begin 'the validator says what its list has'
modules=$KILN_BUILD/npm/node_modules
command -v npm >/dev/null 2>&1 && modules=$modules:$(npm root -g)
if ! NODE_PATH=$modules node -e 'require("gltf-validator")' >/dev/null 2>&1; then
    case_skip 'gltf-validator is not installed (make validator does so)'
else
    NODE_PATH=$modules node tests/cases/gltf/validate.js tests/cases/gltf >"$TMPDIR/now" || case_fail 'it does not run'
    diff tests/cases/gltf/validator.txt "$TMPDIR/now" || case_fail 'run make validator'
    case_end
fi
cases_end
