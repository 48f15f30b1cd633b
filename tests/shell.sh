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
case_bad=$TMPDIR/.case_bad # a file, so that what fails in a part of a pipe, or in ( ), counts
any_bad=0

case_begin() { # case_begin NAME
    case_name=$1
    rm -f "$case_bad"
    printf '[ RUN      ] %s\n' "$case_name"
}

case_fail() { # case_fail WHAT...
    printf '%s: %s\n' "$case_name" "$*"
    : >"$case_bad"
}

case_end() {
    if [ ! -e "$case_bad" ]; then
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

# What exact leaves out of account, and nothing else: times, bytes that depend on zlib, hashes of
# versions, versions. Of progress as lines of JSON, those within a stage, which come by the clock.
steady() {
    sed -E -e '/"part":0\.0*[1-9]/d' \
        -e 's/("(seconds|us)(_[a-z0-9_]*)?": ?)[0-9][-+.0-9e]*/\1T/g' \
        -e 's/("(bytes|bytes_before|bytes_file|bytes_packed|bytes_stored|offset|bytes_per_triangle|rest)": ?)[0-9.]+/\1N/' \
        -e 's/("(kiln|assimp|gmp|jansson|libfyaml|zlib|compiler)": )"[^"]*"/\1"VERSION"/' \
        -e 's/(kiln|assimp|zlib)-[0-9][0-9.]*/\1-VERSION/g;s/"kiln [0-9.]+"/"kiln VERSION"/' \
        -e 's/("(build_key)": )"[0-9a-f]*"/\1"HASH"/' \
        -e 's/[0-9,]+ bytes, [0-9.]+ a triangle/N bytes, N a triangle/' \
        -e 's/at offset [0-9]+/at offset N/;s/[0-9]+ bytes of [0-9]+/N bytes of N/' \
        -e 's/; [0-9]+ (MiB|KiB|bytes?) read, [0-9]+ (MiB|KiB|bytes?) written$/; N read, N written/' \
        -e '/^kiln: [0-9]+ of [0-9]+, [0-9.]+\/s/d' \
        -e 's/ in [0-9.e-]+ (m?s)\b/ in T \1/;s/trusted [0-9.e-]+ ms/trusted T ms/;s/took [0-9.e-]+/took T/'
}

# exact STATUS COMMAND... runs it and holds its status and the whole of both outputs, as `steady` leaves
# them, against what standard input says: standard output, and behind a line "stderr:" standard error.
exact() {
    cat >"$TMPDIR/wanted"
    : >"$TMPDIR/wanted.out"
    : >"$TMPDIR/wanted.err"
    awk -v to="$TMPDIR/wanted." '/^stderr:$/ && !behind { behind = 1; next }
        { print >(to (behind ? "err" : "out")) }' "$TMPDIR/wanted"
    expect "$@"
    exactly out "$TMPDIR/wanted.out"
    exactly err "$TMPDIR/wanted.err"
}

# exactly out|err [FILE]: the last output, as `steady` leaves it, is FILE, or what standard input says.
exactly() {
    cat ${2:+"$2"} >"$TMPDIR/wanted"
    steady <"$TMPDIR/$1" >"$TMPDIR/steady"
    cmp -s "$TMPDIR/wanted" "$TMPDIR/steady" || {
        case_fail "std$1 is not as written"
        diff "$TMPDIR/wanted" "$TMPDIR/steady" | head -40
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

# make_here ARGUMENT...: make in KILN_BUILD, quietly. Scripts that run at once do so in turn: what one makes anew, since a
# source changed, another may be reading.
make_here() {
    mkdir -p "$KILN_BUILD"
    flock "$KILN_BUILD/release.lock" make -s "BUILD=$KILN_BUILD" "$@"
}

# make_other CC CONFIG TARGET...: another build, without a warning. Scripts that run at once share it, in
# turn. Its command is $other.
make_other() {
    folder=$KILN_BUILD
    [ "$1" = gcc ] || folder=$KILN_BUILD/$1
    other=$folder/kiln
    [ "$2" = release ] || other=$folder/$2/kiln
    compiler=$1 configuration=$2
    shift 2
    mkdir -p "$folder"
    flock "$folder/$configuration.lock" make -j2 "BUILD=$folder" "WASM=$KILN_BUILD/wasm" "CC=$compiler" \
        "CONFIG=$configuration" WERROR=-Werror "$@" >"$TMPDIR/log" 2>&1 ||
        { cat "$TMPDIR/log"; case_fail 'does not build'; }
}

# Must be the last command of a script that runs cases.
cases_end() {
    exit $any_bad
}
