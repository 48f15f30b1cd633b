#!/bin/sh
# Includes point one way, formats and lut -> runtime -> tools -> tests:
#   formats       nothing of ours from outside its folder
#   lut           formats, itself
#   runtime       formats, lut, itself
#   tools         formats, lut, tools, and of the runtime its public header only
#   models, tests anything; nobody includes tests
# Every shell script must parse as sh.
cd "$(dirname "$0")/.." || exit 1
bad=0

# Prints FILE:TARGET for every include in quotes in folder $1, TARGET as a path from the top.
includes() {
    find "$1" -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' | sort | while read -r file; do
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$file" | while read -r target; do
            printf '%s:%s\n' "$file" "$(normal "$(dirname "$file")/$target")"
        done
    done
}

# a/b/../c -> a/c
normal() {
    path=$1
    while :; do
        shorter=$(printf '%s' "$path" | sed -e 's|/\./|/|g' -e 's|[^/.][^/]*/\.\./||')
        [ "$shorter" = "$path" ] && break
        path=$shorter
    done
    printf '%s' "$path"
}

# allow FOLDER PATTERN: every include of FOLDER matches the extended regular expression.
allow() {
    wrong=$(includes "$1" | grep -Ev "^[^:]*:($2)")
    if [ -n "$wrong" ]; then
        printf '%s includes what it must not:\n%s\n' "$1" "$wrong"
        bad=1
    fi
}

allow formats 'formats/'
allow lut 'formats/|lut/'
allow runtime 'formats/|lut/|runtime/'
allow tools 'formats/|lut/|tools/|runtime/kiln\.h$'

for script in .ci/deps .ci/run $(find tests models -name '*.sh'); do
    sh -n "$script" || bad=1
done
exit $bad
