#!/bin/sh
# Pages that name files and functions stay true: in each page below every path in backquotes exists, where NAME in a
# path stands for any name and some file must match; and in every line "`function` (`path`)" the function stands in
# that file.
cd "$(dirname "$0")/.." || exit 1
bad=0

for page in tools/how-to-add.md runtime/call-paths.md; do
    grep -oE '`[A-Za-z0-9_.*/-]+`' "$page" | tr -d '`' | grep -E '/|\.(c|h|sh|md|py)$' | sort -u | while read -r path; do
        pattern=$(printf '%s' "$path" | sed 's/NAME/*/g')
        # shellcheck disable=SC2086
        ls -d $pattern >/dev/null 2>&1 || echo "$page: there is no $path"
    done
    grep -oE '`[a-z0-9_]+` \(`[^`]+`\)' "$page" | sed -E 's/`([a-z0-9_]+)` \(`([^`]+)`\)/\1 \2/' | while read -r name path; do
        grep -qE "(^|[^a-z0-9_])$name( =|\(|\[| =)" "$path" 2>/dev/null || echo "$page: $path has no $name"
    done
done >"${TMPDIR:-/tmp}/pages.$$"
if [ -s "${TMPDIR:-/tmp}/pages.$$" ]; then
    cat "${TMPDIR:-/tmp}/pages.$$"
    bad=1
fi
rm -f "${TMPDIR:-/tmp}/pages.$$"
exit $bad
