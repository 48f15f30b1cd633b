# Reads C sources and writes one that holds them all: headers of ours inlined, each once, or each time
# where it has no guard; names that two sources give to different things of their own told apart by the
# source. A name is of a source's own when its file says so at its outermost level: static functions and
# variables, types, enumeration constants, tags; macros are undefined at the end of their source.
#
#     awk -f amalgamate.awk SOURCE... >kiln.c
#
# kiln.h and kiln_adb.h, which users include, stay files of their own. For a C++ compiler all names are C's, as those of
# the library are: amalgamation.h has the macros that say so, and headers of the system stand outside.

function die(what) {
    print "amalgamate: " what >"/dev/stderr"
    failed = 1
    exit 1
}

function folder_of(path) {
    return match(path, /.*\//) ? substr(path, 1, RLENGTH) : ""
}

# FOLDER and "../other/x.h" to other/x.h
function resolve(folder, name) {
    name = folder name
    while (match(name, /[^\/.]+\/\.\.\//)) {
        name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
    }
    return name
}

function is_guarded(path, line, found) {
    if (!(path in guarded)) {
        found = 0
        while ((getline line <path) > 0) {
            if (line ~ /^#ifndef KILN_[A-Z0-9_]*_H$/) {
                found = 1
            }
            if (line ~ /^#/) {
                break
            }
        }
        close(path)
        guarded[path] = found
    }
    return guarded[path]
}

# ---- names of a source's own

# One token of text, the rest stays in `rest`; comments and literals are no tokens.
function next_token(token) {
    while (rest != "") {
        if (match(rest, /^[ \t\n]+/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (substr(rest, 1, 2) == "/*") {
            rest = substr(rest, index(rest, "*/") + 2)
        } else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/)) {
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
        for (i = items; i > 1 && item[i] !~ /^[A-Za-z_]/; i--) {
        }
        own(item[i])
    } else if (is_static || item[1] == "__attribute__") {
        own_static()
    }
}

# The name before the first "(" that is no attribute's, or before "[", "=", ";" of a variable.
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

function scan(line, text, token, depth) {
    text = ""
    while ((getline line <path) > 0) {
        if (line ~ /^[ \t]*#/) {
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

# ---- writing

# The names that others have too, each with the source behind it. Members, behind "." or "->", stay.
function tell_apart(line, out, word, before) {
    out = ""
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
        before = substr(line, 1, RSTART - 1)
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        out = out before
        if ((unit, word) in renamed && before !~ /(\.|->)$/ && before !~ /[0-9]$/) {
            word = word "_of_" stem
        }
        out = out word
    }
    return out line
}

# Between system headers and the rest.
function of_system(is) {
    if (is != outside) {
        print is ? "KILN_C_END" : "KILN_C_BEGIN"
    }
    outside = is
}

# `lasts`: a header with a guard includes it, and whoever includes that one later relies on its macros.
function emit(file, lasts, line, name, folder, target) {
    folder = folder_of(file)
    lasts = lasts || is_guarded(file)
    depth_of_files++
    if (depth_of_files > 20) {
        die(file ": includes itself")
    }
    while ((getline line <file) > 0) {
        of_system(line ~ /^#include </)
        if (line ~ /^#include "/) {
            name = line
            sub(/^#include "/, "", name)
            sub(/".*/, "", name)
            target = resolve(folder, name)
            if (target ~ /^runtime\/kiln(_adb)?\.h$/) {
                sub(/.*\//, "", target)
                if (!(target in done)) {
                    print "#include \"" target "\""
                }
                done[target] = 1
            } else if (!is_guarded(target) || !(target in done)) {
                done[target] = 1
                print "/* ---- " target " */"
                emit(target, lasts)
                print "/* ---- " file " */"
            }
        } else if (line !~ /^#define _(POSIX_C|XOPEN|GNU)_SOURCE/) {
            if (match(line, /^#define [A-Za-z_0-9]+/)) {
                name = substr(line, 9, RLENGTH - 8)
                if (lasts) {
                    lasting[name] = 1
                } else {
                    macros[unit] = macros[unit] " " name
                }
            }
            print tell_apart(line)
        }
    }
    close(file)
    depth_of_files--
}

# What is defined by a source, or by a header that it may include several times.
function undefine(i, count, name, seen) {
    count = split(macros[unit], name, " ")
    for (i = 1; i <= count; i++) {
        if (!(name[i] in seen) && !(name[i] in lasting)) {
            print "#undef " name[i]
        }
        seen[name[i]] = 1
    }
}

BEGIN {
    for (i = 1; i < ARGC; i++) {
        path = ARGV[i]
        scan()
    }
    for (key in owns) {
        split(key, part, SUBSEP)
        if (owners[part[2]] > 1) {
            renamed[part[1], part[2]] = 1
        }
    }
    print "\nKILN_C_BEGIN"
    for (i = 1; i < ARGC; i++) {
        unit = ARGV[i]
        stem = unit
        sub(/.*\//, "", stem)
        sub(/\.c$/, "", stem)
        print "\n/* ==== " unit " */"
        emit(unit, 0)
        undefine()
    }
    print "\nKILN_C_END"
    exit failed
}
