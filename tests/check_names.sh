#!/bin/sh
# Names that are local to a source of the library are unique over all its sources and headers, so that
# `make amalgamation` can join these without renaming anything, and a search finds one definition.
#
#     tests/check_names.sh SOURCE...
#
# Such a name is what a file declares at its outermost level: static functions and variables, types,
# enumeration constants and tags. The headers are those of the folders that the sources are in.
cd "$(dirname "$0")/.." || exit 1

headers=$(for source in "$@"; do printf '%s\n' "${source%/*}"; done | sort -u | sed 's|$|/*.h|')
# shellcheck disable=SC2086
awk '
# One token of text, the rest stays in `rest`; comments and literals are no tokens.
function next_token(token) {
    while (rest != "") {
        if (match(rest, /^[ \t\n]+/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (substr(rest, 1, 2) == "/*") {
            rest = substr(rest, index(rest, "*/") + 2)
        } else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^\047([^\047\\]|\\.)*\047/)) {
            rest = substr(rest, RLENGTH + 1)
            return "\""
        } else if (match(rest, /^[A-Za-z_][A-Za-z_0-9]*/)) {
            token = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
            return token
        } else if (match(rest, /^[0-9][A-Za-z_0-9.]*/)) {
            rest = substr(rest, RLENGTH + 1)
            return "0"
        } else {
            token = substr(rest, 1, 1)
            rest = substr(rest, 2)
            return token
        }
    }
    return ""
}

function own(name) {
    if (name != "" && !((path, name) in owns)) {
        owns[path, name] = 1
        owners[name]++
        paths[name] = paths[name] " " path
    }
}

# A declaration at the outermost level, its tokens in item[1..items]; what stands in braces is left out
# but for enumerations.
function take_declaration(i, depth, is_static, in_enum) {
    is_static = item[1] == "static" || item[2] == "static"
    depth = 0
    in_enum = 0
    for (i = 1; i <= items; i++) {
        if ((item[i] == "struct" || item[i] == "union" || item[i] == "enum") &&
            item[i + 1] ~ /^[A-Za-z_]/ && item[i + 2] == "{") {
            own(item[i + 1])
        }
        if (item[i] == "{" && depth == 0) {
            in_enum = item[i - 1] == "enum" || item[i - 2] == "enum"
        }
        depth += (item[i] == "{") - (item[i] == "}")
        if (in_enum && depth == 1 && item[i] ~ /^[A-Za-z_]/ &&
            (item[i - 1] == "{" || item[i - 1] == ",")) {
            own(item[i])
        }
    }
    if (item[1] == "typedef") {
        own_type()
    } else if (is_static || item[1] == "__attribute__") {
        own_static()
    }
}

# The name behind "(*" of a pointer to functions, else the last one that is not part of an attribute.
function own_type(i, depth, name) {
    depth = 0
    for (i = 2; i <= items && item[i] != "__attribute__"; i++) {
        depth += (item[i] == "{") - (item[i] == "}")
        if (depth == 0 && item[i] == "(" && item[i + 1] == "*") {
            own(item[i + 2])
            return
        }
        if (depth == 0 && item[i] ~ /^[A-Za-z_]/) {
            name = item[i]
        }
    }
    own(name)
}

# The name before the first "(" not of an attribute, or before "[", "=", ";" of a variable.
function own_static(i, depth) {
    for (i = 1; i <= items; i++) {
        if (item[i] == "__attribute__" || item[i] == "_Atomic" || item[i] == "_Alignas") {
            depth = 0
            do {
                i++
                depth += (item[i] == "(") - (item[i] == ")")
            } while (depth > 0 && i < items)
            continue
        }
        if (item[i] == "(" || item[i] == "[" || item[i] == "=" || item[i] == ";") {
            if (item[i] == "(" && item[i + 1] == "*") { # a pointer to functions
                own(item[i + 2] == "const" || item[i + 2] == "volatile" ? item[i + 3] : item[i + 2])
            } else {
                own(item[i - 1])
            }
            return
        }
        if (item[i] == "{") { # static struct { ... } name
            depth = 0
            do {
                depth += (item[i] == "{") - (item[i] == "}")
                i++
            } while (depth > 0 && i <= items)
            i--
        }
    }
}

function scan(line, text, token, depth, word) {
    text = ""
    while ((getline line <path) > 0) {
        if (line ~ /^[ \t]*#/) {
            if (split(line, word, " ") > 2 && word[3] ~ /^KILN_SIMD_NAME/) {
                owns[path, word[2]] = 1 # the name is another one for each instruction set
            }
            while (line ~ /\\$/ && (getline line <path) > 0) {
            }
            continue
        }
        text = text line "\n"
    }
    close(path)
    rest = text
    items = 0
    depth = 0
    while ((token = next_token()) != "") {
        item[++items] = token
        depth += (token == "{") - (token == "}")
        if (depth == 0 && (token == ";" || (token == "}" && is_function_body()))) {
            take_declaration()
            items = 0
        }
    }
}

# Was the "{" of what just ended preceded by ")"?
function is_function_body(i, depth) {
    depth = 0
    for (i = items; i > 0; i--) {
        depth += (item[i] == "}") - (item[i] == "{")
        if (depth == 0) {
            return item[i - 1] == ")"
        }
    }
    return 0
}


BEGIN {
    for (i = 1; i < ARGC; i++) {
        path = ARGV[i]
        scan()
    }
    for (name in owners) {
        if (owners[name] > 1) {
            print name ": declared by" paths[name]
            bad = 1
        }
    }
    exit bad
}' "$@" $headers
