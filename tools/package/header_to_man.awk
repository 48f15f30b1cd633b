# Manual pages out of a header, which is their only source: one for its head, one for each section with its
# functions, and for each function a link to the page that has it. Comments of the form
#
#     /* ----------------------------- title -- */
#
# begin sections; indented text in comments is an example. What a function's comment says is laid by its
# sentences under the headings of a manual page: of errors, threads and costs each begins in its own way.
#
#     awk -f header_to_man.awk -v families=FILE -v header=kiln.h -v version=0.1.0 -v link='-lkiln' \
#         -v overview=kiln -v what='...' -v also='kiln(1) kiln-format(5)' -v to=DIR kiln.h
#
# FILE has a line a section: title|page|what. Where the overview is also the page of a section, the head
# of the header stands there. Statuses are in the first section.

function die(text) {
    print "header_to_man.awk: " header ": " text >"/dev/stderr"
    failed = 1
    exit 1
}

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

# No paragraph begins twice: a heading begins one.
function say(text) {
    if (text ~ /^\.PP(\n|$)/ && last ~ /^\.S[HS]/) {
        if (!sub(/^\.PP\n/, "", text)) {
            return
        }
    }
    print text >page_path
    last = text
    sub(/.*\n/, "", last)
}

# -------------------------------------------------------------------------------------- reading --

BEGIN {
    while ((getline line <families) > 0) {
        split(line, cells, "|")
        page_of[cells[1]] = cells[2]
        what_of[cells[1]] = cells[3]
    }
    part = "about"
    code_columns = 71
}

# Without the stars and slashes; takes leading blanks only as far as they are a comment's own.
function uncommented(text) {
    sub(/^[ \t]*\/\*[ \t]?/, "", text)
    sub(/[ \t]*\*\/[ \t]*$/, "", text)
    sub(/^ \*[ ]?/, "", text)
    return text
}

function is_function(code) {
    return code !~ /^typedef|^enum|^#/ && code ~ /^[a-zA-Z].*kiln_[a-z0-9_]+\(/
}

# Ends what was being read: a text, a type or constants, or functions, each with its comment.
function flush() {
    if (comment != "" || code != "") {
        items++
        item_section[items] = sections > 0 ? sections : 1
        item_comment[items] = comment
        item_code[items] = code
        item_kind[items] = code == "" ? "text" : is_function(code) ? "function" : "type"
    }
    comment = code = ""
}

part == "about" {
    if (/^\/\*/ || in_comment) {
        about = about uncommented($0) "\n"
        in_comment = $0 !~ /\*\/[ \t]*$/
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

/^\/\* -----.* --( \*\/)?$/ {
    flush()
    in_comment = $0 !~ /\*\/$/
    gsub(/^\/\* -+ | --( \*\/)?$/, "")
    if (!($0 in page_of)) {
        die("no page is named for the section \"" $0 "\"")
    }
    sections++
    section_title[sections] = $0
    next
}

in_comment || (/^\/\*/ && depth == 0 && !continued) {
    if (!in_comment && code != "") {
        flush()
    }
    comment = comment uncommented($0) "\n"
    in_comment = $0 !~ /\*\/[ \t]*$/
    next
}

/^$/ && depth == 0 {
    flush()
    next
}

# A declaration, or part of one.
{
    line = $0
    if (sub(/^KILN_API /, "", line)) {
        shifted = 1
    } else if (shifted) {
        sub(/^         /, "", line)
    }
    shifted = shifted && line !~ /;/
    continued = line ~ /\\$/
    sub(/[ \t]+\\$/, " \\", line)
    depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
    code = code line "\n"
}

# ---------------------------------------------------------------------------------- the writing --

# Code of a page is read in 80 columns, of which the margin takes seven.
function add_line(text) {
    folded[++folded_count] = text
}

# A comment whose lines are too long, as one whose lines are not.
function add_comment(indent, text, words, count, i, line, first) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    if (length(indent) + length(text) + 6 <= code_columns) {
        add_line(indent "/* " text " */")
        return
    }
    count = split(text, words, " ")
    line = indent "/*"
    for (i = 1; i <= count; i++) {
        if (length(line) + 1 + length(words[i]) > code_columns - (i == count ? 3 : 0)) {
            add_line(line)
            line = indent " *"
        }
        line = line " " words[i]
    }
    add_line(line " */")
}

# Declarations of functions: parameters below each other, behind the bracket where there is room.
function add_prototype(text, head, rest, indent, params, count, i, line, widest) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/ $/, "", text)
    if (length(text) <= code_columns) {
        add_line(text)
        return
    }
    head = substr(text, 1, index(text, "("))
    rest = substr(text, length(head) + 1)
    count = split(rest, params, /, /)
    widest = 0
    for (i = 1; i <= count; i++) {
        widest = length(params[i]) > widest ? length(params[i]) : widest
    }
    indent = spaces(length(head) + widest < code_columns ? length(head) : 4)
    line = head
    if (length(indent) == 4) {
        add_line(head)
        line = indent
    }
    for (i = 1; i <= count; i++) {
        if (line != head && line != indent && length(line) + 2 + length(params[i]) > code_columns) {
            add_line(line ",")
            line = indent params[i]
        } else {
            line = line (line == head || line == indent ? "" : ", ") params[i]
        }
    }
    add_line(line)
}

# Code into folded[1 .. folded_count].
function fold(text, lines, count, i, k, line, long, indent, said, code_part, end) {
    sub(/\n+$/, "", text)
    count = split(text, lines, "\n")
    folded_count = 0
    for (i = 1; i <= count; i = end + 1) {
        end = i
        line = lines[i]
        if (line ~ /^[a-z].*\(/ && line !~ /\{/ && line !~ /^typedef enum/) { # a declaration
            while (lines[end] !~ /;/ && end < count) {
                end++
                line = line "\n" lines[end]
            }
            said = ""
            if (match(line, /;.*$/) && index(line, "/*") > 0) {
                said = substr(line, index(line, "/*"))
                line = substr(line, 1, index(line, "/*") - 1)
            }
            add_prototype(line)
            if (said != "") {
                gsub(/^\/\*|\*\/$/, "", said)
                add_comment("    ", said)
            }
        } else if (index(line, "/*") > 0) { # a comment, of its own or behind code
            long = length(line) > code_columns
            while (index(lines[end], "*/") == 0 && end < count) {
                end++
                long = long || length(lines[end]) > code_columns
            }
            if (!long) {
                for (k = i; k <= end; k++) {
                    add_line(lines[k])
                }
                continue
            }
            match(line, /^ */)
            indent = substr(line, 1, RLENGTH)
            code_part = substr(line, 1, index(line, "/*") - 1)
            said = substr(line, index(line, "/*") + 2)
            for (k = i + 1; k <= end; k++) {
                sub(/^ *\*? ?/, "", lines[k])
                said = said " " lines[k]
            }
            k = index(said, "*/")
            if (k > 0) {
                line = substr(said, k + 2) # code behind it
                said = substr(said, 1, k - 1)
            } else {
                line = ""
            }
            add_comment(indent, said)
            if (code_part ~ /[^ ]/ || line ~ /[^ ]/) {
                sub(/ +$/, "", code_part)
                add_line(code_part line)
            }
        } else if (length(line) > code_columns && line ~ /^typedef enum \{.*\}/) { # a line each
            code_part = substr(line, index(line, "{") + 1)
            said = substr(code_part, index(code_part, "}"))
            code_part = substr(code_part, 1, index(code_part, "}") - 1)
            add_line("typedef enum {")
            while (match(code_part, /[A-Z_0-9]+ = [0-9]+,?/)) {
                add_line("    " substr(code_part, RSTART, RLENGTH))
                code_part = substr(code_part, RSTART + RLENGTH)
            }
            add_line(said)
        } else if (length(line) > code_columns && line ~ /, / && line ~ /\\$/) { # a row of a macro
            k = code_columns - 6
            while (k > 1 && substr(line, k, 2) != ", ") {
                k--
            }
            add_line(substr(line, 1, k) " \\")
            add_line("      " substr(line, k + 2))
        } else {
            add_line(line)
        }
    }
}

function put_code(text, i) {
    fold(text)
    say(".EX")
    for (i = 1; i <= folded_count; i++) {
        say(escaped(folded[i]))
    }
    say(".EE")
}

function spaces(count) {
    return count > 0 ? sprintf("%" count "s", "") : ""
}

# Words from a column on, in lines that fit.
function say_wrapped(line, column, text, words, count, i) {
    count = split(text, words, " ")
    line = line spaces(column - length(line))
    for (i = 1; i <= count; i++) {
        if (length(line) > column && length(line) + 1 + length(words[i]) > code_columns) {
            say(escaped(line))
            line = spaces(column)
        }
        line = line (length(line) > column ? " " : "") words[i]
    }
    say(escaped(line))
}

# A line of an example that is too long: broken behind the last comma or operator that leaves room.
function say_broken(line, at, indent) {
    match(line, /^ */)
    indent = spaces(RLENGTH + 4)
    while (length(line) > code_columns) {
        at = code_columns
        while (at > length(indent) && substr(line, at - 1, 2) !~ /[,&=|] /) {
            at--
        }
        if (at <= length(indent)) {
            break
        }
        say(escaped(substr(line, 1, at - 1)))
        line = indent substr(line, at + 1)
    }
    say(escaped(line))
}

# Examples stand four blanks from the left in a header; a line with a gap is a row of two columns.
function say_example(lines, i, end, text, column) {
    if (match(lines[i], /[^ ]   +[^ ]/) && !match(lines[i], /^ +[*0-9]/)) {
        match(lines[i], /[^ ]   +[^ ]/)
        column = RSTART + RLENGTH - 1
        text = substr(lines[i], column)
        end = i
        while (substr(lines[end + 1], 1, column - 1) == spaces(column - 1) && lines[end + 1] ~ /[^ ]/) {
            end++
            sub(/^ +/, " ", lines[end])
            text = text lines[end]
        }
        say_wrapped(substr(lines[i], 5, column - 5), column - 5, text)
        return end
    }
    say_broken(substr(lines[i], 5))
    return i
}

# Paragraphs, lists and examples as they stand.
function put_text(text, count, lines, i, in_code, pending) {
    sub(/\n+$/, "", text)
    count = split(text, lines, "\n")
    pending = 1
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^    / && (in_code || pending || lines[i - 1] == "")) {
            if (!in_code) {
                say(".PP\n.EX")
            }
            in_code = 1
            i = say_example(lines, i)
        } else if (lines[i] == "") {
            if (in_code) {
                say(".EE")
            }
            in_code = 0
            pending = 1
        } else if (lines[i] ~ /^ +- /) {
            say(".IP \\(bu 3")
            sub(/^ +- /, "", lines[i])
            say(escaped(lines[i]))
            pending = 0
        } else {
            if (pending || (lines[i] ~ /^[^ ]/ && lines[i - 1] ~ /^ +[^ ]/ && !in_code)) {
                say(".PP")
            }
            sub(/^ +/, "", lines[i])
            say(escaped(lines[i]))
            pending = 0
        }
    }
    if (in_code) {
        say(".EE")
    }
}

# A comment's sentences into sentence[1 .. sentences].
function split_sentences(text, words, count, i, next_one) {
    gsub(/[ \n\t]+/, " ", text)
    sub(/ $/, "", text)
    count = split(text, words, " ")
    sentences = 1
    sentence[1] = ""
    for (i = 1; i <= count; i++) {
        sentence[sentences] = sentence[sentences] (sentence[sentences] == "" ? "" : " ") words[i]
        next_one = words[i + 1]
        if (i < count && words[i] ~ /[.?]\)?$/ && next_one ~ /^[*"`(]?[A-Z0-9*`"]|^[a-z]+\[|^kiln_|^p is|^lb|^rows /) {
            sentences++
            sentence[sentences] = ""
        }
    }
}

# The heading that a sentence belongs under; the first one says what a function does.
function heading_of(text) {
    if (text ~ /^(\(?Cost|Memory)[: ]/) {
        return "notes"
    }
    if (text ~ /KILN_ERROR_|KILN_BAKE_(USAGE|IO)|^(Other )?[Ee]rrors |^On (an )?error|untouched|^After CHECKSUM|^A file that breaks/) {
        return "errors"
    }
    if (text ~ /^(Any number of threads|Threads|No allocation|Static;|Stack )/) {
        return "threads"
    }
    if (text ~ /^(KILN_OK|On success|All (zero|0) for|0 (for|where|of)|NULL,|Returns )/) {
        return "return"
    }
    return "description"
}

function add(heading, function_names, text) {
    if ((heading, function_names) in laid) {
        laid[heading, function_names] = laid[heading, function_names] "\n" escaped(text)
    } else {
        laid[heading, function_names] = escaped(text)
    }
}

# "kiln_a, kiln_b" of prototypes.
function names_of(code, found) {
    found = ""
    while (match(code, /kiln_[a-z0-9_]+\(/)) {
        found = found (found == "" ? "" : ", ") substr(code, RSTART, RLENGTH - 1)
        code = substr(code, RSTART + RLENGTH)
    }
    return found
}

function lay_function(i, names, k) {
    names = names_of(item_code[i])
    if (names == "") {
        die("no function in: " item_code[i])
    }
    item_names[i] = names
    if (item_comment[i] == "") {
        die("nothing is said of " names)
    }
    split_sentences(item_comment[i])
    for (k = 1; k <= sentences; k++) {
        add(k == 1 ? "description" : heading_of(sentence[k]), names, sentence[k])
    }
}

function begin_page(name, title_what, names) {
    page_path = to "/" name ".3"
    say(sprintf(".TH %s 3 \"\" \"kiln %s\" \"Library Functions Manual\"", toupper(name), version))
    gsub(/, /, ",\n", names)
    say(".SH NAME\n" names " \\- " escaped(title_what))
    say(".SH SYNOPSIS\n.nf\n.B #include <" header ">\n.PP\n" escaped(link))
}

# "kiln(1) kiln-format(5)"
function put_also(list, words, count, i, name, number) {
    count = split(list, words, " ")
    say(".SH SEE ALSO")
    for (i = 1; i <= count; i++) {
        name = words[i]
        number = substr(name, index(name, "("))
        sub(/\(.*/, "", name)
        say(".BR " escaped(name) " " number (i < count ? "," : ""))
    }
}

function tagged(names) {
    gsub(/, /, "(), ", names)
    return ".TP\n.B " names "()"
}

# What the functions of a section say under one heading; the general word first.
function put_heading(s, heading, title, general, i, begun) {
    begun = 0
    if (general != "") {
        say(".SH " title "\n" general)
        begun = 1
    }
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] == "function" && ((heading, item_names[i]) in laid)) {
            if (!begun) {
                say(".SH " title)
                begun = 1
            }
            say(tagged(item_names[i]) "\n" laid[heading, item_names[i]])
        }
    }
}

function put_synopsis(s, i, k) {
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] == "function") {
            say(".PP")
            fold(item_code[i])
            for (k = 1; k <= folded_count; k++) {
                say(".B \"" escaped(folded[k]) "\"")
            }
        }
    }
    say(".fi")
}

function put_description(s, i, begun) {
    say(".SH DESCRIPTION")
    if (page_of[section_title[s]] == overview) {
        put_text(about)
    }
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] != "function") {
            if (item_comment[i] != "") {
                put_text(item_comment[i])
            }
            if (item_kind[i] == "type") {
                say(".PP")
                put_code(item_code[i])
            }
        }
    }
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] == "function") {
            begun = item_names[i]
            gsub(/, /, "(), ", begun)
            say(".SS " begun "()")
            say(laid["description", item_names[i]])
        }
    }
}

function returns_status(s, i) {
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] == "function" && item_code[i] ~ /(^|\n)kiln_(bake_)?status /) {
            return 1
        }
    }
    return 0
}

# The paragraph of the head that begins with a word, such as Threads: what holds for all functions.
function general(word, count, paragraphs, i, text) {
    count = split(about, paragraphs, /\n *\n/)
    for (i = 1; i <= count; i++) {
        text = paragraphs[i]
        if (index(text, word) == 1) {
            sub(/^[^:]*: */, "", text)
            gsub(/\n/, " ", text)
            sub(/ +$/, "", text)
            return escaped(toupper(substr(text, 1, 1)) substr(text, 2))
        }
    }
    return ""
}

function put_section(s, title, names, i, also_here, k, list, count) {
    title = section_title[s]
    names = ""
    for (i = 1; i <= items; i++) {
        if (item_section[i] == s && item_kind[i] == "function") {
            lay_function(i)
            names = names (names == "" ? "" : ", ") item_names[i]
        }
    }
    if (index(names ", ", page_of[title] ", ") == 0) {
        die("the page " page_of[title] " is of none of its functions, " names)
    }
    begin_page(page_of[title], what_of[title], names)
    put_synopsis(s)
    put_description(s)
    put_heading(s, "return", "RETURN VALUE",
                returns_status(s) ? "Functions that return a status return its value 0 when all is done, else why not; the others what is\n" \
                                    "described above." : "What is described above.")
    put_heading(s, "errors", "ERRORS",
                !returns_status(s) ? "None." : s == 1 ? "All statuses are above." : \
                "All statuses are in\n.BR " page_of[section_title[1]] " (3).")
    put_heading(s, "threads", "THREADS", threads)
    put_heading(s, "notes", "NOTES", "")
    also_here = ""
    for (k = 1; k <= sections; k++) {
        if (k != s) {
            also_here = also_here page_of[section_title[k]] "(3) "
        }
    }
    put_also((page_of[title] == overview ? "" : overview "(3) ") also_here also)
    close(page_path)
    count = split(names, list, ", ")
    for (i = 1; i <= count; i++) {
        if (list[i] != page_of[title]) {
            page_path = to "/" list[i] ".3"
            say(".so man3/" page_of[title] ".3")
            close(page_path)
        }
    }
}

# The head, and where to read on.
function put_overview(s) {
    begin_page(overview, what, overview)
    say(".fi\n.SH DESCRIPTION")
    put_text(about)
    say(".SH FUNCTIONS")
    for (s = 1; s <= sections; s++) {
        say(".TP\n.BR " page_of[section_title[s]] " (3)\n" escaped(what_of[section_title[s]]))
    }
    put_also(also)
    close(page_path)
}

END {
    if (failed) {
        exit 1
    }
    flush()
    threads = general("Threads:")
    if (threads == "") {
        threads = "Calls do not share state: any number of threads may call at once."
    }
    alone = 1
    for (s = 1; s <= sections; s++) {
        put_section(s)
        alone = alone && page_of[section_title[s]] != overview
    }
    if (alone) {
        put_overview()
    }
}
