# Puts EXAMPLES and BUGS into a manual page, before what every page ends with.
#
#     awk -f add_sections.awk -v page=kiln-bake -v example=FILE -v bugs=FILE PAGE
#
# FILE of an example is a script of sh, in blocks that empty lines part, each with what it does as a comment in front
# and what it prints behind "#:"; or a program in C, whose first comment says what it does. The pages that
# overviews name have the examples of these. FILE of bugs has lines PAGE|TEXT; those of "*" hold for every page and come last.

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

function end_code() {
    if (in_code) {
        print ".EE"
    }
    in_code = 0
}

function put_shell(line, begun, in_comment) {
    while ((getline line <example) > 0) {
        if (line ~ /^#:/) {
            print escaped(substr(line, 4))
        } else if (line ~ /^# /) {
            if (!in_comment) {
                end_code()
                if (begun) {
                    print ".PP"
                }
                begun = 1
            }
            in_comment = 1
            print escaped(substr(line, 3))
        } else if (line == "") {
            end_code()
            in_comment = 0
        } else {
            if (!in_code) {
                print ".PP\n.EX"
                in_code = 1
            }
            in_comment = 0
            print escaped(line)
        }
    }
    end_code()
}

function put_program(line, in_about, in_output) {
    in_about = 1
    while ((getline line <example) > 0) {
        if (in_about) {
            in_about = line !~ /\*\/$/
            sub(/^\/\* | \* ?/, "", line)
            sub(/ *\*\/$/, "", line)
            print escaped(line)
            if (!in_about) {
                print ".PP\n.EX"
                in_code = 1
            }
        } else if (line == "/* Prints:") {
            end_code()
            print ".PP\nIt prints\n.PP\n.EX"
            in_output = in_code = 1
        } else if (in_output) {
            if (line !~ /^ \*\/$/) {
                sub(/^ \*     /, "", line)
                print escaped(line)
            }
        } else if (line != "" || !in_output) {
            print escaped(line)
        }
    }
    end_code()
}

function put_bugs(line, cells, own, general) {
    while ((getline line <bugs) > 0) {
        if (split(line, cells, "|") == 2 && cells[1] == page) {
            own = own (own == "" ? "" : "\n.PP\n") escaped(cells[2])
        } else if (cells[1] == "*") {
            general = general (general == "" ? "" : "\n.PP\n") escaped(cells[2])
        }
    }
    print ".SH BUGS"
    if (own != "") {
        print own "\n.PP"
    }
    print general
}

/^\.SH FUNCTIONS/ {
    is_overview = 1
}

/^\.SH "?SEE ALSO/ {
    print ".SH EXAMPLES"
    if (example ~ /\.sh$/) {
        put_shell()
    } else if (example ~ /\.c$/) {
        put_program()
    } else if (is_overview) {
        print "The page of each group of functions above has a complete program."
    }
    put_bugs()
}

{ print }
