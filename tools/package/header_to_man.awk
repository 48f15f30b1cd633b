# A manual page out of a header: the comment at its top and, section by section, what is declared with
# the comment before it. Comments of the form
#
#     /* ----------------------------- title -- */
#
# begin sections. Indented text in comments is an example.
#
#     awk -f header_to_man.awk -v title=KILN -v header=kiln.h -v version=0.1.0 -v link='-lkiln' \
#         -v what='...' -v also='.BR kiln (1)' kiln.h >kiln.3

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\\\&" text : text
}

function code_begin() {
    if (!in_code) {
        print after_heading ? ".EX" : ".PP\n.EX"
    }
    in_code = 1
}

function code_end() {
    if (in_code) {
        print ".EE"
    }
    in_code = 0
}

# A line of a comment that stands on its own: without the stars.
function comment_line(text, indented) {
    indented = text ~ /^    /
    sub(/^[ \t]+/, indented ? "    " : "", text)
    if (text == "") {
        code_end()
        pending_paragraph = 1
        return
    }
    if (indented) {
        if (!in_code) {
            code_begin()
        }
        print escaped(raw)
    } else {
        code_end()
        if (pending_paragraph) {
            print ".PP"
        }
        print escaped(text)
    }
    pending_paragraph = 0
}

# Takes the current line as part of a comment.
function take_comment(line, last) {
    last = line ~ /\*\/[ \t]*$/
    sub(/^[ \t]*\/\*[ \t]?/, "", line)
    sub(/^ \*[ ]?/, "", line)
    sub(/[ \t]*\*\/[ \t]*$/, "", line)
    raw = line
    if (!(last && line == "")) {
        comment_line(line)
    }
    in_comment = !last
    if (last) {
        code_end()
    }
}

BEGIN {
    printf ".TH %s 3 \"\" \"kiln %s\" \"Library Functions Manual\"\n", title, version
    printf ".SH NAME\n%s \\- %s\n", tolower(title), what
    printf ".SH SYNOPSIS\n.nf\n.B #include <%s>\n.PP\n%s\n.fi\n.SH DESCRIPTION\n", header, escaped(link)
    part = "about"
}

part == "about" {
    if (/^\/\*/ || in_comment) {
        take_comment($0)
        if (!in_comment) {
            part = "guard"
        }
    }
    next
}

# Include guard, includes, extern "C".
part == "guard" {
    if (/^extern "C" \{/) {
        getline # #endif
        part = "body"
        pending_paragraph = 0
    }
    next
}

/^#ifdef __cplusplus/ { # the end of extern "C"
    exit
}

/^#if defined\(KILN_SHARED\)/ {
    while ((getline) > 0 && !/^#endif/) {
    }
    next
}

/^\/\* -----.* -- \*\/$/ {
    code_end()
    name = $0
    gsub(/^\/\* -+ | -- \*\/$/, "", name)
    print ".SH " toupper(escaped(name))
    pending_paragraph = 0
    after_heading = 1
    next
}

in_comment || (/^\/\*/ && !in_braces) {
    if (!in_comment) {
        code_end()
        pending_paragraph = !after_heading
    }
    after_heading = 0
    take_comment($0)
    next
}

/^$/ {
    if (in_code && in_braces) {
        print ""
    } else {
        code_end()
    }
    next
}

# A declaration, or part of one.
{
    code_begin()
    after_heading = 0
    line = $0
    if (sub(/^KILN_API /, "", line)) {
        shifted = 1
    } else if (shifted) {
        sub(/^         /, "", line)
    }
    shifted = shifted && line !~ /;/
    sub(/[ \t]+\\$/, " \\", line)
    in_braces += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
    print escaped(line)
}

END {
    code_end()
    print ".SH SEE ALSO\n" also
}
