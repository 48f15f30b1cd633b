#!/bin/sh
# html.sh KILN VERSION MAN DIR: the manual as pages of HTML, into a new folder: the manual pages of the folder MAN, all
# documents, the cookbook, an index of every public name. Plain pages with one style sheet, whose links are relative, so
# that they work from any folder without a network.
kiln=$1 version=$2 man=$3 to=$4
here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../.." && pwd) || exit 1
work=$to/.work
if ! command -v mandoc >/dev/null 2>&1; then
    echo 'html.sh: mandoc, which makes HTML of manual pages, is not installed; install the package mandoc' >&2
    exit 1
fi
mkdir -p "$to/man" "$work" || exit 1
cp "$here/html/style.css" "$to/style.css" || exit 1

# page TITLE UP: a whole page around the body on standard input; UP leads to the top of the manual.
page() {
    title=$(printf '%s' "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g')
    cat <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="stylesheet" href="$2style.css">
</head>
<body>
<nav class="top"><b>kiln $version</b> <a href="$2index.html">Contents</a> <a href="$2commands.html">Commands</a>
<a href="$2api.html">API</a> <a href="$2formats.html">File formats</a> <a href="$2tools/package/cookbook/README.html">Cookbook</a>
<a href="$2documents.html">Documents</a></nav>
<main>
END
    cat
    printf '</main>\n<footer>kiln %s</footer>\n</body>\n</html>\n' "$version"
}

# what_of PAGE: what a manual page is about, in its own words.
what_of() {
    awk '/^\.SH NAME/ { on = 1; next }
        /^\.SH/ {
            sub(/.* \\- */, "", text)
            gsub(/\\-/, "-", text)
            gsub(/&/, "\\&amp;", text)
            gsub(/</, "\\&lt;", text)
            print text
            exit
        }
        on { text = text (text == "" ? "" : " ") $0 }' "$1"
}

# item_of PAGE: a row of a list of pages.
item_of() {
    name=$(basename "$1")
    printf '<dt><a href="man/%s.html">%s(%s)</a></dt><dd>%s</dd>\n' "$name" "${name%.*}" "${name##*.}" "$(what_of "$1")"
}

# ------------------------------------------------------------------------------------------------- manual pages
for source in "$man"/*.[0-9]; do
    grep -q '^\.so ' "$source" && continue
    # mandoc leaves empty lines of code out, and breaks lines twice that begin with blanks.
    sed '/^\.EX/,/^\.EE/s/^$/@empty@/' "$source" | mandoc -T html -O fragment,man=%N.%S.html >"$work/fragment" || exit 1
    sed '/^<br\/>$/d; /^<p class="Pp"><\/p>$/d; s/^@empty@$//' "$work/fragment" >"$work/$(basename "$source").html"
done
rm "$work/fragment"
(cd "$work" && awk -f "$here/html/names.awk" ./*.3.html) >"$to/.names" || exit 1
for fragment in "$work"/*.html; do
    name=$(basename "$fragment" .html)
    awk -f "$here/html/link_names.awk" -v "names=$to/.names" -v "page=$name.html" -v man= "$fragment" |
        page "${name%.*}(${name##*.})" ../ >"$to/man/$name.html" || exit 1
done
# A page for each name that is none's own, so that links to it and a guess at an address lead somewhere.
printf '<p>@name@ is on the page <a href="@target@.html#@name@">@target@</a>.</p>\n' | page '@name@' ../ >"$work/template" || exit 1
grep '^\.so ' "$man"/*.[0-9] | awk -v "to=$to/man" -v "template=$work/template" '
    BEGIN { while ((getline line <template) > 0) text = text line "\n" }
    {
        file = $1
        sub(/:\.so$/, "", file)
        sub(/.*\//, "", file)
        name = file
        sub(/\.[0-9]$/, "", name)
        sub(/.*\//, "", $2)
        page = text
        gsub(/@name@/, name, page)
        gsub(/@target@/, $2, page)
        printf "%s", page >(to "/" file ".html")
        close(to "/" file ".html")
    }' || exit 1

# ---------------------------------------------------------------------------------------------------- documents
(cd "$top" && find README.md CHANGELOG.md formats lut models runtime tests tools -name '*.md' | LC_ALL=C sort) >"$work/pages"
while read -r document; do
    folder=$(dirname "$document")
    up=
    [ "$folder" = . ] || up=$(printf '%s/' "$folder" | sed 's|[^/]*/|../|g')
    mkdir -p "$to/$folder" || exit 1
    awk -f "$here/html/markdown_to_html.awk" -v "path=$document" -v "pages=$work/pages" "$top/$document" >"$work/body" &&
        awk -f "$here/html/link_names.awk" -v "names=$to/.names" -v page= -v "man=${up}man/" "$work/body" |
        page "$(sed -n 's/^# //p' "$top/$document" | head -n 1 | tr -d '`')" "$up" >"$to/${document%.md}.html" || exit 1
    for picture in $(sed -n 's/.*<img src="\([^":]*\)".*/\1/p' "$work/body"); do
        mkdir -p "$to/$folder/$(dirname "$picture")" && cp "$top/$folder/$picture" "$to/$folder/$picture" || exit 1
    done
done <"$work/pages" || exit 1

# ------------------------------------------------------------------------------------------------- tables of contents
{
    printf '<h1>The command kiln</h1>\n<dl>\n'
    for source in "$man"/*.1; do
        item_of "$source"
    done
    printf '</dl>\n<h2>Formats of models</h2>\n<pre>'
    "$kiln" bake --formats | sed 's/&/\&amp;/g; s/</\&lt;/g' || exit 1
    printf '</pre>\n'
} | page 'Commands' '' >"$to/commands.html" || exit 1

{
    printf '<h1>The interface in C</h1>\n<h2>Pages</h2>\n<dl>\n'
    for source in $(grep -L '^\.so ' "$man"/*.3); do
        item_of "$source"
    done
    printf '</dl>\n'
    for sort in function type constant; do
        printf '<h2 id="%ss">%ss</h2>\n<ul class="columns">\n' "$sort" "$(printf '%s' "$sort" | sed 's/^f/F/; s/^t/T/; s/^c/C/')"
        awk -v "sort=$sort" '$3 == sort' "$to/.names" | LC_ALL=C sort |
            sed 's|^\([^ ]*\) \([^ ]*\) .*|<li><a href="man/\2#\1">\1</a></li>|'
        printf '</ul>\n'
    done
} | page 'The interface in C' '' >"$to/api.html" || exit 1

{
    printf '<h1>File formats</h1>\n<dl>\n'
    for source in "$man"/*.5; do
        item_of "$source"
    done
    for document in $(grep '^formats/' "$work/pages"); do
        printf '<dt><a href="%s.html">%s</a></dt><dd>%s</dd>\n' "${document%.md}" "$document" \
            "$(sed -n 's/^# //p' "$top/$document" | head -n 1 | tr -d '`')"
    done
    printf '</dl>\n'
} | page 'File formats' '' >"$to/formats.html" || exit 1

{
    printf '<h1>Documents</h1>\n<dl>\n'
    while read -r document; do
        printf '<dt><a href="%s.html">%s</a></dt><dd>%s</dd>\n' "${document%.md}" "$document" \
            "$(sed -n 's/^# //p' "$top/$document" | head -n 1 | tr -d '`' | sed 's/&/\&amp;/g; s/</\&lt;/g')"
    done <"$work/pages"
    printf '</dl>\n'
} | page 'Documents' '' >"$to/documents.html" || exit 1

page "kiln $version" '' >"$to/index.html" <<END
<h1>kiln $version</h1>
<p>kiln bakes 3D meshes into collision hierarchies once, offline; a program maps the baked file and queries it.</p>
<dl>
<dt><a href="README.html">README</a></dt><dd>what it is, the smallest whole program, how to build and install it</dd>
<dt><a href="tools/package/cookbook/README.html">Cookbook</a></dt><dd>ten tasks, each with the whole code and what comes out</dd>
<dt><a href="commands.html">Commands</a></dt><dd>every verb and option of the command</dd>
<dt><a href="api.html">API</a></dt><dd>every public call, type, status and constant of the headers</dd>
<dt><a href="runtime/python/README.html">Python</a></dt><dd>import kiln: numpy arrays in and out, robots of URDF files</dd>
<dt><a href="runtime/wasm/usage.html">JavaScript</a></dt><dd>the library as WebAssembly, in node and in pages</dd>
<dt><a href="formats.html">File formats</a></dt><dd>the bytes of a file, and the rules that a reader may rely on</dd>
<dt><a href="man/kiln-cmake.7.html">CMake</a></dt><dd>find_package(kiln) and kiln_bake()</dd>
<dt><a href="tests/examples/README.html">Examples</a></dt><dd>what projects that use kiln look like</dd>
<dt><a href="documents.html">Documents</a></dt><dd>all of them: how each part works, what was measured</dd>
</dl>
END
rm -rf "$work" "$to/.names"
