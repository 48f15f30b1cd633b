# The body of a page of HTML out of the Markdown that the documents are written in: headings, paragraphs, lists, tables,
# code, links, pictures, emphasis. Headings get the names that GitHub gives them. A link to a document that is a page
# leads there; one to any other file keeps its text alone, since no sources are beside the pages.
#
#     awk -f markdown_to_html.awk -v path=tools/README.md -v pages=LIST FILE.md
#
# LIST has the paths of all documents, from the top, a line each.

function html(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

# A path from the top, of one from beside this page; "" above the top.
function from_top(target, at) {
    at = folder target
    gsub(/\/\.\//, "/", at)
    sub(/^\.\//, "", at)
    while (sub(/[^\/]+\/\.\.\//, "", at)) {
    }
    return at ~ /^\.\.\// ? "" : at
}

# Where a link leads within the pages; "": nowhere.
function place_of(target, fragment, at) {
    if (target ~ /^https?:/) {
        return target
    }
    fragment = ""
    if (match(target, /#.*$/)) {
        fragment = substr(target, RSTART)
        target = substr(target, 1, RSTART - 1)
    }
    if (target == "") {
        return fragment
    }
    at = from_top(target)
    if (at ~ /\/$/) {
        at = at "README.md"
        target = target "README.md"
    } else if ((at "/README.md") in page) {
        at = at "/README.md"
        target = target "/README.md"
    }
    if (!(at in page)) {
        return ""
    }
    sub(/\.md$/, ".html", target)
    return target fragment
}

# Code first, since nothing within it means anything; then links; then emphasis.
function inline(text, out, at, before, code, label, target, place) {
    out = ""
    while (match(text, /`[^`]+`|!?\[[^]]*\]\([^)]*\)/)) {
        before = substr(text, 1, RSTART - 1) # marked() matches, too
        code = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        out = out marked(before)
        if (code ~ /^`/) {
            out = out "<code>" html(substr(code, 2, length(code) - 2)) "</code>"
            continue
        }
        at = index(code, "](")
        label = substr(code, index(code, "[") + 1, at - index(code, "[") - 1)
        target = substr(code, at + 2, length(code) - at - 2)
        if (code ~ /^!/) {
            out = out "<img src=\"" html(target) "\" alt=\"" html(label) "\">"
            continue
        }
        place = place_of(target)
        out = out (place == "" ? inline(label) : "<a href=\"" html(place) "\">" inline(label) "</a>")
    }
    return out marked(text)
}

function marked(text) {
    text = html(text)
    while (match(text, /\*\*[^*]+\*\*/)) {
        text = substr(text, 1, RSTART - 1) "<strong>" substr(text, RSTART + 2, RLENGTH - 4) "</strong>" substr(text, RSTART + RLENGTH)
    }
    while (match(text, /\*[A-Za-z][^*]*\*/)) {
        text = substr(text, 1, RSTART - 1) "<em>" substr(text, RSTART + 1, RLENGTH - 2) "</em>" substr(text, RSTART + RLENGTH)
    }
    return text
}

function slug_of(text, base, n) {
    text = tolower(text)
    gsub(/`/, "", text)
    gsub(/\[|\]\([^)]*\)/, "", text)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    base = text
    for (n = 1; text in used; n++) {
        text = base "-" n
    }
    used[text] = 1
    return text
}

# Ends a paragraph, which is gathered until its markup is whole.
function end_text() {
    if (gathered != "") {
        print in_item ? inline(gathered) : "<p>" inline(gathered) "</p>"
    }
    gathered = ""
}

function end_lists(depth) {
    end_text()
    while (lists > depth) {
        print "</li></" kind[lists] ">"
        lists--
    }
    in_item = lists > 0
}

function end_block() {
    end_text()
    if (in_table) {
        print "</tbody></table></div>"
    }
    if (in_code) {
        print "</pre>"
    }
    in_table = in_code = 0
}

function table_row(line, count, cell, i, tag) {
    sub(/^\|[ \t]*/, "", line)
    sub(/[ \t]*\|[ \t]*$/, "", line)
    gsub(/\\\|/, "\001", line)
    count = split(line, cell, /[ \t]*\|[ \t]*/)
    tag = in_table ? "td" : "th"
    if (!in_table) {
        print "<div class=\"table\"><table><thead>"
    }
    printf "<tr>"
    for (i = 1; i <= count; i++) {
        gsub(/\001/, "|", cell[i])
        printf "<%s>%s</%s>", tag, inline(cell[i]), tag
    }
    print "</tr>"
    if (!in_table) {
        print "</thead><tbody>"
    }
    in_table = 1
    split("", cell)
}

BEGIN {
    while ((getline line <pages) > 0) {
        page[line] = 1
    }
    folder = path
    sub(/[^\/]*$/, "", folder)
}

/^ *```/ {
    if (fenced) {
        fenced = 0
        print "</pre>"
    } else {
        end_block()
        if (lists > 0 && !/^ /) {
            end_lists(0)
        }
        match($0, /^ */)
        fence_indent = RLENGTH
        if ($2 != "") { # the file that the block is
            print "<div class=\"file\">" html($2) "</div>"
        }
        printf "<pre>"
        fenced = 1
    }
    next
}

fenced {
    print html(substr($0, fence_indent + 1))
    next
}

/^<!--/ {
    next
}

/^#+ / {
    end_block()
    end_lists(0)
    match($0, /^#+/)
    level = RLENGTH
    text = substr($0, level + 2)
    printf "<h%d id=\"%s\">%s</h%d>\n", level, slug_of(text), inline(text), level
    next
}

/^\|[-:| ]*$/ && /---/ {
    next
}

/^\|/ {
    end_text()
    end_lists(0)
    table_row($0)
    next
}

/^[ \t]*$/ {
    end_block()
    blank = 1
    next
}

/^    / && lists == 0 {
    end_text()
    if (!in_code) {
        printf "<pre>"
        in_code = 1
    }
    print html(substr($0, 5))
    blank = 0
    next
}

/^ *([-*]|[0-9]+\.) / {
    end_block()
    match($0, /^ */)
    depth = int(RLENGTH / 2) + 1
    depth = depth > lists + 1 ? lists + 1 : depth
    text = substr($0, RLENGTH + 1)
    ordered = text ~ /^[0-9]/
    sub(/^([-*]|[0-9]+\.) +/, "", text)
    end_lists(depth)
    if (lists == depth) {
        printf "</li>\n<li>"
    } else {
        lists = depth
        kind[lists] = ordered ? "ol" : "ul"
        printf "<%s>\n<li>", kind[lists]
    }
    in_item = 1
    gathered = text
    blank = 0
    next
}

{
    if (in_table || in_code) {
        end_block()
    }
    if (blank && lists > 0 && !/^ /) {
        end_lists(0)
    } else if (blank && lists > 0) {
        end_text()
        printf "<br>"
    }
    text = $0
    sub(/^ +/, "", text)
    gathered = gathered (gathered == "" ? "" : "\n") text
    blank = 0
}

END {
    end_block()
    end_lists(0)
}
