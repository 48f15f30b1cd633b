#!/bin/sh
# Pages and comments that name files stay true:
#   every *.c, *.h, *.cpp, *.sh, *.py and *.md that a page or a comment of a source names exists: by its path from
#   the top, from beside the page, or by the end of a path; NAME, KIND, X and * in it stand for any name, and
#   so does x before the dot;
#   in the pages below every other path in backquotes exists too, and in every line "`function` (`path`)" the function
#   stands in that file.
# Left out are the code of recipes, the changelog, whose names are those of their time, headers of the system, and what a build makes.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# "file:line: name" for each name in the pages and comments of the files $2... that is no file of the list $1.
missing() {
    awk '
    FILENAME == ARGV[1] {
        end = $0
        exists[end] = 1
        while (sub(/^[^\/]*\//, "", end)) {
            exists[end] = 1
        }
        next
    }
    FNR == 1 {
        inside = 0
        is_page = FILENAME ~ /\.md$/
        is_shell = FILENAME ~ /\.sh$/
        folder = FILENAME
        sub(/[^\/]*$/, "", folder)
    }
    function beside(name,   at) { # whether folder/name exists, with "../" taken away
        at = folder name
        while (sub(/[^\/]+\/\.\.\//, "", at)) {
        }
        return at in exists
    }
    function matches(name,   path) { # whether any file is called so
        gsub(/\./, "\\.", name)
        gsub(/NAME|KIND|X|\*/, "[^/]*", name)
        for (path in exists) {
            if (path ~ ("^" name "$")) {
                return 1
            }
        }
        return 0
    }
    FNR == 1 {
        fenced = 0
    }
    FILENAME ~ /\/cookbook\// && /^```/ { # the code of a recipe makes its files
        fenced = !fenced
        next
    }
    fenced {
        next
    }
    {
        text = $0
        if (is_shell) {
            text = text ~ /^ *#/ ? text : ""
        } else if (!is_page) { # the part of the line that is in a comment
            rest = text
            text = ""
            while (rest != "") {
                at = index(rest, inside ? "*/" : "/*")
                part = at == 0 ? rest : substr(rest, 1, at - 1)
                text = inside ? text " " part : text
                inside = at == 0 ? inside : !inside
                rest = at == 0 ? "" : substr(rest, at + 2)
            }
        }
        while (match(text, /[A-Za-z0-9_.*\/<>$-]*[A-Za-z0-9_*]\.(cpp|c|h|sh|md|py)([^A-Za-z0-9_]|$)/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/[^A-Za-z0-9_]$/, "", name)
            sub(/^\.\//, "", name)
            if (name ~ /^[<\/>]|\$|^include\/|^build\/|^kiln\.c$/ || name in exists || beside(name)) {
                continue
            }
            if (name !~ /^x\./ && (name !~ /NAME|KIND|X|\*/ || !matches(name))) {
                print FILENAME ":" FNR ": there is no " name
            }
        }
    }' "$@"
}

find Makefile README.md CHANGELOG.md formats lut models runtime tests tools -type f | sort >"$work/files"
grep -E '\.(c|h|cpp|sh|md)$' "$work/files" | grep -vE 'embedded_|^CHANGELOG' >"$work/sources"
# shellcheck disable=SC2046
missing "$work/files" $(cat "$work/sources") >"$work/found"

# A check that finds nothing passes as well: it has to find the false names of these two, and no true one.
printf '%s\n' 'See `no_such_page.md`, README.md and formats/no_*.c.' >"$work/page.md"
printf '%s\n' 'int x; /* as in' ' * no_such_file.c and format.h */' '"no_such_text.c"' >"$work/source.c"
if [ "$(missing "$work/files" "$work/page.md" "$work/source.c" | sed 's/.* //' | tr '\n' ' ')" != \
    'no_such_page.md formats/no_*.c no_such_file.c ' ]; then
    echo "tests/check_pages.sh: does not find false names" >>"$work/found"
fi

for page in tools/how-to-add.md runtime/call-paths.md; do
    grep -oE '`[A-Za-z0-9_.*/-]+`' "$page" | tr -d '`' | grep / | sort -u | while read -r path; do
        pattern=$(printf '%s' "$path" | sed 's/NAME/*/g')
        # shellcheck disable=SC2086
        ls -d $pattern >/dev/null 2>&1 || echo "$page: there is no $path"
    done
    grep -oE '`[a-z0-9_]+` \(`[^`]+`\)' "$page" | sed -E 's/`([a-z0-9_]+)` \(`([^`]+)`\)/\1 \2/' | while read -r name path; do
        grep -qE "(^|[^a-z0-9_])$name( =|\(|\[| =)" "$path" 2>/dev/null || echo "$page: $path has no $name"
    done
done >>"$work/found"
cat "$work/found"
[ ! -s "$work/found" ]
