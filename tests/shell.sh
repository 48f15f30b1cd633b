# For test scripts in sh: cases printed in cmocka's form, for tests/run.sh to count. A script that
# sources this gets TMPDIR (scratch of its own), KILN (the command) and KILN_BUILD (the build folder);
# called by hand, it makes do with build/ and a folder of its own.
: "${KILN_BUILD:=$(pwd)/build}"
: "${KILN:=$KILN_BUILD/kiln}"
export KILN KILN_BUILD
if [ -z "$KILN_RESULTS" ]; then
    TMPDIR=$(mktemp -d)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
fi

case_name=
case_bad=0
any_bad=0

case_begin() { # case_begin NAME
    case_name=$1
    case_bad=0
    printf '[ RUN      ] %s\n' "$case_name"
}

case_fail() { # case_fail WHAT...
    printf '%s: %s\n' "$case_name" "$*"
    case_bad=1
}

case_end() {
    if [ $case_bad -eq 0 ]; then
        printf '[       OK ] %s\n' "$case_name"
    else
        printf '[  FAILED  ] %s\n' "$case_name"
        any_bad=1
    fi
}

# case_skip REASON, in place of case_end
case_skip() {
    printf '[  SKIPPED ] %s\nskipped: %s: %s\n' "$case_name" "$case_name" "$1"
}

# expect STATUS COMMAND...: runs it, output to $TMPDIR/out and $TMPDIR/err, and checks its status.
expect() {
    wanted=$1
    shift
    "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
    got=$?
    if [ $got -ne "$wanted" ]; then
        case_fail "status $got, not $wanted: $*"
        sed 's/^/  out: /' "$TMPDIR/out" | head -20
        sed 's/^/  err: /' "$TMPDIR/err" | head -20
    fi
}

# says out|err TEXT: the last output contains the text.
says() {
    grep -qF -e "$2" "$TMPDIR/$1" || {
        case_fail "std$1 does not say '$2'"
        sed "s/^/  $1: /" "$TMPDIR/$1" | head -20
    }
}

# exactly out|err: the last output is what standard input says, to the byte.
exactly() {
    cat >"$TMPDIR/wanted"
    cmp -s "$TMPDIR/wanted" "$TMPDIR/$1" || {
        case_fail "std$1 is not as written"
        diff "$TMPDIR/wanted" "$TMPDIR/$1" | head -40
    }
}

# silent out|err: the last output is empty.
silent() {
    [ ! -s "$TMPDIR/$1" ] || {
        case_fail "std$1 is not empty"
        sed "s/^/  $1: /" "$TMPDIR/$1" | head -20
    }
}

# same FILE FILE
same() {
    cmp "$1" "$2" || case_fail "$1 and $2 differ"
}

# Must be the last command of a script that runs cases.
cases_end() {
    exit $any_bad
}
