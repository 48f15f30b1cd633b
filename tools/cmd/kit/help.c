/* --help and the manual pages, from the same tables.
 *
 * A verb's table holds all its texts, so the two can't differ and a new option appears in both.
 * --help is wrapped at 80 columns, whatever the terminal: its output is compared by tests and kept
 * in documents. The manual pages are in the man macros of troff, one for the command and one for
 * each verb, and are made when kiln is built. Exit statuses and the options in place of a verb
 * stand here, because only these two print them. */
#include "help.h"

#include "../../../formats/assert.h"
#include "../../../runtime/kiln.h"

#include <ctype.h>
#include <string.h>

/* Help texts of options begin in one column, as far as the options leave it free. */
enum { OPTION_COLUMN = 26, TEXT_COLUMNS = 80 };

static const struct {
    int status;
    const char *meaning;
} exit_meanings[] = {
    {EXIT_DONE, "done"},
    {EXIT_USAGE, "the command line is wrong"},
    {EXIT_IO, "a file can't be read or written"},
    {EXIT_INVALID, "an input or a file is broken, or there was a warning under --strict"},
    {EXIT_RUN, "out of memory, a limit reached, the importer crashed"},
    {EXIT_UNSUPPORTED, "a format, version or feature that this build does not know"},
    {EXIT_DIFFERS, "the compared files differ"},
    {EXIT_FAULTS, "a mesh has faults"},
};

static const option help_plain_options[] = {
    {"help", 'h', OPTION_FLAG, NULL, NULL, 0, 0, 0,
     "print verbs and exit statuses; after a verb, its options"},
    {"version", 0, OPTION_FLAG, NULL, NULL, 0, 0, 0,
     "print the version; with --json also those of the file format and of the libraries in use"},
    {"man", 0, OPTION_TEXT, "[VERB]", NULL, 0, 0, 0,
     "print the manual page of the command or of a verb, in man macros; two words are joined: "
     "lut-bins"},
    {"completion", 0, OPTION_CHOICE, NULL, "bash|zsh|fish", 0, 0, 0,
     "print the completion script of a shell"},
};

/* ------------------------------------------------------------------------------------ --help -- */

/* Prints words within TEXT_COLUMNS, lines after the first indented, from `column` on. An empty line
 * in the text starts a paragraph. */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    KILN_ASSERT(indent <= column);
    KILN_ASSERT(column < TEXT_COLUMNS);
    while (*text != '\0') { /* word by word; a single line break counts as a blank */
        const int word = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + word > TEXT_COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", word, text);
        column += word;
        text += word;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(out, "\n\n%*s", indent, "");
            column = indent;
        }
        text += strspn(text, " \n");
    }
    putc('\n', out);
}

/* Prints choices from `column` on, and goes on below, behind a bar, where they are too long for a
 * line. Returns the column behind them. */
static int print_choices(FILE *out, const char *choices, int column)
{
    int length = (int)strlen(choices);
    while (column + length > TEXT_COLUMNS) {
        int part = TEXT_COLUMNS - column;
        while (part > 0 && choices[part - 1] != '|') {
            part--;
        }
        KILN_ASSERT(part > 0); /* no single choice is as long as a line */
        fprintf(out, "%.*s\n%*s", part, choices, OPTION_COLUMN, "");
        choices += part;
        length -= part;
        column = OPTION_COLUMN;
    }
    return column + fprintf(out, "%s", choices);
}

/* Prints "  -o, --output OUT" and its help beside it, or below it where there is no room. */
static void print_option(FILE *out, const option *entry)
{
    int column = entry->letter != 0 ? fprintf(out, "  -%c, --%s", entry->letter, entry->name)
                                    : fprintf(out, "      --%s", entry->name);
    if (entry->choices != NULL && entry->kind != OPTION_DEFAULTED) {
        putc(' ', out);
        column = print_choices(out, entry->choices, column + 1);
    } else if (entry->choices != NULL || entry->value != NULL) {
        column += fprintf(out, entry->kind == OPTION_DEFAULTED ? "[=%s]" : " %s",
                          entry->choices != NULL ? entry->choices : entry->value);
    }
    if (column + 2 > OPTION_COLUMN) {
        fprintf(out, "\n%*s", OPTION_COLUMN, "");
    } else {
        fprintf(out, "%*s", OPTION_COLUMN - column, "");
    }
    print_wrapped(out, entry->help, OPTION_COLUMN, OPTION_COLUMN);
}

/* Usage line, description, options; --help itself is in no table and comes last. */
void help_verb(FILE *out, const verb *of)
{
    fprintf(out, "usage: %s %s [options] %s\n\n", this_program.name, of->name, of->operands);
    print_wrapped(out, of->description, 0, 0);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < verb_option_count(of); i++) {
        print_option(out, verb_option(of, i));
    }
    fprintf(out, "%-*s%s\n", OPTION_COLUMN, "  -h, --help", "this text");
}

void help_command(FILE *out, const verb *const *verbs, size_t count)
{
    fprintf(out,
            "usage: %s VERB [options] FILE...\n"
            "       %s VERB --help | --help | --version | --man | --completion SHELL\n\n",
            this_program.name, this_program.name);
    print_wrapped(out, this_program.about, 0, 0);
    fputs("\nverbs:\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %-11s%s\n", verbs[i]->name, verbs[i]->summary);
    }
    fputs("\noptions in place of a verb:\n", out);
    for (size_t i = 0; i < COUNT_OF(help_plain_options); i++) {
        print_option(out, &help_plain_options[i]);
    }
    fputs("\nexit status:\n", out);
    for (size_t i = 0; i < COUNT_OF(exit_meanings); i++) {
        fprintf(out, "  %d  %s\n", exit_meanings[i].status, exit_meanings[i].meaning);
    }
}

/* ------------------------------------------------------------------------------ manual pages -- */

/* Prints text for troff: backslashes and hyphens are escaped, and no line starts with a control
 * character. */
static void print_troff(FILE *out, const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\'')) {
            fputs("\\&", out);
        }
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", out);
            text++;
        } else if (*text == '-') {
            fputs("\\-", out);
        } else if (*text == '\\') {
            fputs("\\e", out);
        } else {
            putc(*text, out);
        }
        line_start = *text == '\n';
    }
}

/* A paragraph or an option's text in a page, with the newline that troff needs after it. */
static void print_troff_line(FILE *out, const char *text)
{
    print_troff(out, text);
    putc('\n', out);
}

/* Names of pages have no blanks: "lut bins" is kiln-lut-bins(1). */
static int in_page_name(int letter)
{
    return letter == ' ' ? '-' : letter;
}

/* Compares letter by letter, so that no buffer is needed for the name with hyphens. */
bool manual_is_page_of(const verb *of, const char *page)
{
    const char *name = of->name;
    while (*name != '\0' && in_page_name(*name) == *page) {
        name++;
        page++;
    }
    return *name == '\0' && *page == '\0';
}

/* Prints "kiln\-lut\-bins". */
static void print_page_name(FILE *out, const verb *of)
{
    print_troff(out, this_program.name);
    fputs("\\-", out);
    for (const char *name = of->name; *name != '\0'; name++) {
        const char letter[2] = {(char)in_page_name(*name), '\0'};
        print_troff(out, letter);
    }
}

/* Prints the title line of a page; `name` is empty for the program's own. */
static void print_title(FILE *out, const char *name)
{
    const char *const parts[] = {this_program.name, name[0] != '\0' ? "-" : "", name};
    fputs(".TH ", out);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        for (const char *at = parts[i]; *at != '\0'; at++) {
            putc(toupper((unsigned char)in_page_name(*at)), out);
        }
    }
    fprintf(out, " 1 \"\" \"kiln %s\" \"User Commands\"\n", KILN_VERSION_STRING);
}

/* A long list of choices may go on in the next line behind any of its bars, and nowhere else. */
static void print_troff_choices(FILE *out, const char *choices)
{
    fputs("\\%", out);
    for (const char *at = choices; *at != '\0'; at++) {
        const char letter[2] = {*at, '\0'};
        print_troff(out, letter);
        if (*at == '|') {
            fputs("\\:", out);
        }
    }
}

/* Options are bold and values italic, as in the manual pages of most commands (man-pages(7)). */
static void print_man_option(FILE *out, const option *entry)
{
    fputs(".TP\n\\fB", out);
    if (entry->letter != 0) {
        fprintf(out, "\\-%c\\fR, \\fB", entry->letter);
    }
    fputs("\\-\\-", out);
    print_troff(out, entry->name);
    fputs("\\fR", out);
    if (entry->choices != NULL || entry->value != NULL) {
        fputs(entry->kind == OPTION_DEFAULTED ? "[=\\fI" : " \\fI", out);
        if (entry->choices != NULL) {
            print_troff_choices(out, entry->choices);
        } else {
            print_troff(out, entry->value);
        }
        fputs(entry->kind == OPTION_DEFAULTED ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    print_troff_line(out, entry->help);
}

/* Sections in the order that man-pages(7) recommends. */
void manual_verb(FILE *out, const verb *of)
{
    KILN_ASSERT(of->summary != NULL);
    KILN_ASSERT(of->description != NULL);
    print_title(out, of->name);
    fputs(".SH NAME\n", out);
    print_page_name(out, of);
    fputs(" \\- ", out);
    print_troff_line(out, of->summary);
    fputs(".SH SYNOPSIS\n.B ", out);
    print_troff(out, this_program.name);
    fprintf(out, " %s\n[\\fIoptions\\fR] ", of->name);
    print_troff_line(out, of->operands);
    fputs(".SH DESCRIPTION\n", out);
    print_troff_line(out, of->description);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < verb_option_count(of); i++) {
        print_man_option(out, verb_option(of, i));
    }
    fputs(".TP\n\\fB\\-\\-help\\fR\nprint a summary of this page\n"
          ".SH EXIT STATUS\nThat of every verb, see\n.BR ",
          out);
    print_troff(out, this_program.name);
    fputs(" (1).\n.SH SEE ALSO\n.BR ", out);
    print_troff(out, this_program.name);
    fputs(" (1),\n.BR kiln\\-format (5)\n", out);
}

/* The page of the command lists the verbs, each of which has a page of its own, and what these
 * have in common. */
void manual_command(FILE *out, const verb *const *verbs, size_t count)
{
    print_title(out, "");
    fputs(".SH NAME\n", out);
    print_troff(out, this_program.name);
    fprintf(out, " \\- %s\n.SH SYNOPSIS\n.B ", this_program.purpose);
    print_troff(out, this_program.name);
    fputs("\n\\fIVERB\\fR [\\fIoptions\\fR] \\fIFILE\\fR...\n.SH DESCRIPTION\n", out);
    print_troff_line(out, this_program.about);
    fputs(".SH VERBS\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs(".TP\n.BR ", out);
        print_page_name(out, verbs[i]);
        fputs(" (1)\n", out);
        print_troff_line(out, verbs[i]->summary);
    }
    fputs(".SH OPTIONS\nIn place of a verb:\n", out);
    for (size_t i = 0; i < COUNT_OF(help_plain_options); i++) {
        print_man_option(out, &help_plain_options[i]);
    }
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < COUNT_OF(exit_meanings); i++) {
        fprintf(out, ".TP\n.B %d\n", exit_meanings[i].status);
        print_troff_line(out, exit_meanings[i].meaning);
    }
    fprintf(out, ".SH SEE ALSO\n%s", this_program.see_also);
}
