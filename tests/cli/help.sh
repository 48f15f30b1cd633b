#!/bin/sh
# Help, version and manual page; every verb documents itself.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'no arguments: usage, status 1'
expect 1 "$KILN"
says err 'usage: kiln VERB'
silent out
case_end

case_begin 'kiln --help names every verb and every exit status'
expect 0 "$KILN" --help
for word in bake check-mesh info verify diff collide query export view unpack upgrade calibrate 'lut axes' 'lut bins' 'lut check' 'lut show' 'exit status'; do says out "$word"; done
silent err
case_end

case_begin 'kiln --version is that of kiln.h'
expect 0 "$KILN" --version
says out "kiln $(sed -n 's/^#define KILN_VERSION_STRING "\(.*\)"/\1/p' runtime/kiln.h)"
case_end

for verb in bake check-mesh info verify diff collide query export view unpack upgrade calibrate 'lut axes' 'lut bins' 'lut check' 'lut show'; do
    case_begin "kiln $verb --help"
    # shellcheck disable=SC2086
    expect 0 "$KILN" $verb --help
    says out "usage: kiln $verb"
    says out '--json'
    silent err
    [ "$(awk '{ if (length($0) > 80) print }' "$TMPDIR/out")" = '' ] ||
        case_fail 'a line is longer than 80'
    case_end
done

case_begin 'kiln --version --json names the format, libraries and compiler'
expect 0 "$KILN" --version --json
for word in '"verb": "--version"' '"format": "' '"assimp": "' '"gmp": "' '"jansson": "' '"libfyaml": "' '"zlib": "' \
    '"compiler": "' '"status": 0'; do says out "$word"; done
case_end

case_begin 'every verb has a manual page with its options'
"$KILN" --man >"$TMPDIR/man" || case_fail 'kiln --man'
for verb in bake check-mesh info verify diff collide query export view unpack upgrade calibrate 'lut axes' 'lut bins' 'lut check' 'lut show'; do
    page=$(echo "$verb" | tr ' ' -)
    grep -qxF ".BR kiln\\-$(echo "$page" | sed 's/-/\\-/g') (1)" "$TMPDIR/man" || case_fail "kiln(1) lacks $page"
    expect 0 "$KILN" --man "$page"
    says out "kiln\\-$(echo "$page" | sed 's/-/\\-/g') \\- "
    sed 's/\\-/-/g' "$TMPDIR/out" >"$TMPDIR/page"
    # shellcheck disable=SC2086
    "$KILN" $verb --help | sed -n 's/.*\(--[a-z][a-z-]*\).*/\1/p' | grep -v -e --tree |
        while read -r name; do
            grep -qF -e "$name" "$TMPDIR/page" || echo "$page: $name"
        done >>"$TMPDIR/missing"
done
[ ! -s "$TMPDIR/missing" ] || case_fail "missing: $(cat "$TMPDIR/missing")"
expect 1 "$KILN" --man nothing
says err "there is no verb 'nothing'"
case_end

case_begin 'help to a full device is an error'
if [ -e /dev/full ]; then
    "$KILN" --help >/dev/full 2>"$TMPDIR/err"
    [ $? -eq 2 ] || case_fail 'status is not 2'
    case_end
else
    case_skip 'there is no /dev/full'
fi

cases_end
