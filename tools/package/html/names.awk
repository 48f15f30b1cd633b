# Which page says what a public name of a header is, out of the manual pages of section 3 as fragments of HTML: lines
# NAME PAGE SORT, with function, type or constant as the sort.
#
#     awk -f names.awk kiln_open.3.html ...

function found(name, sort) {
    if (name in seen) {
        return
    }
    seen[name] = 1
    page = FILENAME
    sub(/.*\//, "", page)
    print name, page, sort
}

FNR == 1 {
    section = ""
    in_code = 0
}

/<h1 class="Sh" id="/ {
    section = $0
    sub(/.*id="/, "", section)
    sub(/".*/, "", section)
}

/<pre>/ {
    in_code = 1
}

section == "EXAMPLES" || section == "BUGS" {
    next
}

in_code {
    line = $0
    gsub(/<[^>]*>/, "", line)
    if (section == "SYNOPSIS" && match(line, /kiln_[a-z0-9_]+\(/)) {
        found(substr(line, RSTART, RLENGTH - 1), "function")
    } else if (match(line, /^} kiln_[a-z0-9_]+;/)) {
        found(substr(line, RSTART + 2, RLENGTH - 3), "type")
    } else if (line ~ /^typedef / && match(line, /\(\*kiln_[a-z0-9_]+\)/)) {
        found(substr(line, RSTART + 2, RLENGTH - 3), "type")
    } else if (line ~ /^typedef / && match(line, /kiln_[a-z0-9_]+;/)) {
        found(substr(line, RSTART, RLENGTH - 1), "type")
    } else if (match(line, /^ *X\(KILN_[A-Z0-9_]+/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/^ *X\(/, "", name)
        found(name, "constant")
    } else {
        while (match(line, /KILN_[A-Z0-9_]+ = /)) {
            found(substr(line, RSTART, RLENGTH - 3), "constant")
            line = substr(line, RSTART + RLENGTH)
        }
        if (match(line, /^ *KILN_[A-Z0-9_]+,? *$/)) {
            gsub(/[ ,]/, "", line)
            found(line, "constant")
        }
    }
}

/<\/pre>/ {
    in_code = 0
}
