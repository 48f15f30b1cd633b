# Links every public name in a page to where it is declared, and gives the declaration an anchor.
#
#     awk -f link_names.awk -v names=LIST -v page=kiln_open.3.html -v man=man/ PAGE
#
# LIST is what names.awk prints; `man` the way from the page to the folder of manual pages, empty for these themselves.

BEGIN {
    while ((getline line <names) > 0) {
        split(line, cells, " ")
        page_of[cells[1]] = cells[2]
    }
}

# In a synopsis the function and not the types before it; of a type of functions not what these return.
function is_declared(before, after) {
    return section == "SYNOPSIS" ? after ~ /^\(/ : bare !~ /^typedef .*\(\*/ || before ~ /\(\*$/
}

function linked(text, out, name) {
    out = ""
    while (match(text, /(kiln|KILN)_[A-Za-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        # What goes before must not be part of a longer word or of a file's name.
        if (!(name in page_of) || out ~ /[A-Za-z0-9_\/-]$/ || substr(text, RSTART + RLENGTH) ~ /^\.[a-z]/) {
            out = out name
        } else if (page_of[name] == page && !(name in declared) && declares && is_declared(out, substr(text, RSTART + RLENGTH))) {
            declared[name] = 1
            out = out "<a id=\"" name "\">" name "</a>"
        } else {
            out = out "<a class=\"name\" href=\"" (page_of[name] == page ? "" : man page_of[name]) "#" name "\">" name "</a>"
        }
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

/<h1 class="Sh" id="/ {
    section = $0
    sub(/.*id="/, "", section)
    sub(/".*/, "", section)
}

/<pre>/ {
    in_code = 1
}

{
    bare = $0
    gsub(/<[^>]*>/, "", bare)
    declares = in_code && section != "EXAMPLES" &&
               (section == "SYNOPSIS" ? bare ~ /kiln_[a-z0-9_]+\(/ : \
                bare ~ /^} kiln_|^typedef |^ *X\(KILN_|KILN_[A-Z0-9_]+ = |^ *KILN_[A-Z0-9_]+,? *$/)
    rest = $0
    out = ""
    while (match(rest, /<[^>]*>/)) {
        tag = substr(rest, RSTART, RLENGTH)
        text = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        out = out (in_link || in_heading ? text : linked(text)) tag
        if (tag ~ /^<a[ >]/) in_link = 1
        if (tag == "</a>") in_link = 0
        if (tag ~ /^<(h[1-6]|title)[ >]/) in_heading = 1
        if (tag ~ /^<\/(h[1-6]|title)>/) in_heading = 0
    }
    print out (in_link || in_heading ? rest : linked(rest))
}

/<\/pre>/ {
    in_code = 0
}
