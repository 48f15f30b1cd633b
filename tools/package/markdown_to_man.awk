# Sections of a manual page out of the Markdown that the documents of formats/ are written in: headings,
# paragraphs, lists of one level, tables, code. The first file's headings "##" are sections, "###"
# their parts; each further file is a section by its title, and its "##" are parts.
#
#     awk -f markdown_to_man.awk FILE.md...

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# Emphasis and `code`; underscores mean nothing.
function inline(text, out, before, code) {
    out = ""
    while (match(text, /`[^`]*`/)) {
        before = substr(text, 1, RSTART - 1)
        code = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        out = out marked(before) "\\fB" escaped(code) "\\fR"
    }
    return out marked(text)
}

function marked(text, out, word) {
    text = escaped(text)
    while (match(text, /\*\*[^*]+\*\*/)) {
        word = substr(text, RSTART + 2, RLENGTH - 4)
        text = substr(text, 1, RSTART - 1) "\\fB" word "\\fR" substr(text, RSTART + RLENGTH)
    }
    while (match(text, /\*[A-Za-z][^*]*\*/)) {
        word = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, 1, RSTART - 1) "\\fI" word "\\fR" substr(text, RSTART + RLENGTH)
    }
    return text
}

function put(text) {
    print text ~ /^[.']/ ? "\\&" text : text
}

function end_block() {
    if (in_table) {
        print ".TE\n.ad"
    }
    if (in_code) {
        print ".EE"
    }
    in_table = in_code = 0
}

function begin_code() {
    print fresh ? ".EX" : ".PP\n.EX"
    in_code = 1
    fresh = 0
}

# Rows of a table start and end with "|"; the last column takes the room that is left.
function table_row(line, count, cell, i) {
    sub(/^\|[ \t]*/, "", line)
    sub(/[ \t]*\|[ \t]*$/, "", line)
    count = split(line, cell, /[ \t]*\|[ \t]*/)
    if (!in_table) {
        print ".na\n.TS\nnospaces tab(@);"
        for (i = 1; i <= count; i++) {
            printf "%s%s", i < count ? "lb " : "lbx", i < count ? "" : "\n"
        }
        for (i = 1; i <= count; i++) {
            printf "%s%s", i < count ? "l " : "lx", i < count ? "" : ".\n"
        }
        in_table = 1
        columns = count
    }
    fresh = 0
    for (i = 1; i < columns; i++) {
        printf "%s@", inline(cell[i])
    }
    printf "T{\n"
    put(inline(cell[columns]))
    printf "T}\n"
    for (i in cell) {
        delete cell[i]
    }
}

FNR == 1 {
    end_block()
    files++
    fresh = 1
}

/^```/ {
    if (fenced) {
        fenced = 0
        end_block()
    } else {
        end_block()
        begin_code()
        fenced = 1
    }
    next
}

fenced {
    put(escaped($0))
    next
}

/^<!--/ {
    next
}

/^# / {
    if (files > 1) {
        print ".SH " toupper(escaped(substr($0, 3)))
    }
    fresh = 1
    next
}

/^##+ / {
    end_block()
    level = /^###/ ? 3 : 2
    text = $0
    sub(/^#+ /, "", text)
    if (level == 2 && files == 1) {
        print ".SH " toupper(escaped(text))
    } else {
        print ".SS " inline(text)
    }
    fresh = 1
    next
}

/^\|[ -|]*$/ && /---/ {
    next
}

/^\|/ {
    table_row($0)
    next
}

/^$/ {
    end_block()
    blank = 1
    next
}

/^    / && !in_item {
    if (!in_code) {
        begin_code()
    }
    put(escaped(substr($0, 5)))
    next
}

/^- / {
    end_block()
    print ".IP \\(bu 2"
    put(inline(substr($0, 3)))
    in_item = 1
    fresh = blank = 0
    next
}

{
    end_block()
    text = $0
    if (text !~ /^ /) {
        if (blank && !fresh) {
            print ".PP"
        }
        in_item = 0
    }
    sub(/^ +/, "", text)
    put(inline(text))
    fresh = blank = 0
}

END {
    end_block()
}
