# Reads C sources and writes one that holds them all: headers of ours inlined, each once, or each time
# where it has no guard. Names that are local to a source stay as they are, since no other source has
# them (tests/check_names.sh); macros are undefined at the end of the source that defines them.
#
#     awk -f amalgamate.awk SOURCE... >kiln.c
#
# kiln.h and the kiln_*.h that users include stay files of their own. For a C++ compiler all names are C's, as those of
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

# ---- writing

# Between system headers and the rest.
function of_system(is) {
    if (is != outside) {
        print is ? "KILN_C_END" : "KILN_C_BEGIN"
    }
    outside = is
}

# `lasts`: a header with a guard includes it, and later sources that include that header rely on its
# macros.
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
            if (target ~ /^runtime\/kiln(_[a-z]+)?\.h$/) {
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
            print line
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
    print "\nKILN_C_BEGIN"
    for (i = 1; i < ARGC; i++) {
        unit = ARGV[i]
        print "\n/* ==== " unit " */"
        emit(unit, 0)
        undefine()
    }
    print "\nKILN_C_END"
    exit failed
}
