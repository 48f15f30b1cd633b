#!/bin/sh
# The demo: every answer equals the oracle's, and the files that it leaves are sound.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

poses=300
demo=$KILN_BUILD/release/demo

case_begin 'the demo builds'
make_here demo-program >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; case_fail 'no'; }
case_end

case_begin "every answer at $poses poses is right"
expect 0 "$demo" "$TMPDIR/demo" --poses $poses
cat "$TMPDIR/out"
case_end

case_begin 'the real models are among them'
if [ -d /usr/share/assimp/models ]; then
    [ "$(grep -c " $poses of $poses equal" "$TMPDIR/out")" -eq 4 ] || case_fail 'not of four models'
    case_end
else
    case_skip 'no /usr/share/assimp/models (package assimp-testmodels)'
fi

case_begin 'what it leaves is sound'
expect 0 "$KILN" verify "$TMPDIR"/demo/*.kiln
case_end

case_begin 'usage and a folder that can not be made'
expect 1 "$demo"
expect 1 "$demo" "$TMPDIR/demo" --poses 0
expect 2 "$demo" "$TMPDIR/not/here"
case_end

cases_end
