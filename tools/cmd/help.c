#include "help.h"

#include "../../runtime/kiln.h"

#include <string.h>

enum { OPTION_COLUMN = 26, TEXT_COLUMNS = 80 };

const exit_meaning exit_meanings[] = {
    {EXIT_DONE, "done"},
    {EXIT_USAGE, "the command line is wrong"},
    {EXIT_IO, "a file can't be read or written"},
    {EXIT_INVALID, "an input or a file is broken, or a warning was given under --strict"},
    {EXIT_RUN, "out of memory, a limit reached, the importer crashed"},
    {EXIT_UNSUPPORTED, "a format, version or feature that this build does not know"},
    {EXIT_DIFFERS, "what was compared differs"},
};
const size_t exit_meaning_count = COUNT_OF(exit_meanings);

static const char about[] =
    "Bakes models into kiln files: bounding-volume hierarchies with exact geometry that libkiln "
    "maps "
    "and queries in place. Output files are written aside and renamed, so the old or the new file "
    "is always whole. Messages go to standard error as \"kiln: FILE: what; why; what to do\".";

/* Prints words within TEXT_COLUMNS, lines after the first indented; starts at `column`. */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    while (*text != '\0') {
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

/* "  -o, --output OUT". */
static int print_option_name(FILE *out, const option *entry)
{
    int column = entry->letter != 0 ? fprintf(out, "  -%c, --%s", entry->letter, entry->name)
                                    : fprintf(out, "      --%s", entry->name);
    const char *value = entry->choices != NULL ? entry->choices : entry->value;
    if (value != NULL) {
        column += fprintf(out, entry->kind == OPTION_DEFAULTED ? "[=%s]" : " %s", value);
    }
    return column;
}

static void print_option(FILE *out, const option *entry)
{
    const int column = print_option_name(out, entry);
    if (column + 2 > OPTION_COLUMN) {
        fprintf(out, "\n%*s", OPTION_COLUMN, "");
    } else {
        fprintf(out, "%*s", OPTION_COLUMN - column, "");
    }
    print_wrapped(out, entry->help, OPTION_COLUMN, OPTION_COLUMN);
}

void help_verb(FILE *out, const verb *of)
{
    fprintf(out, "usage: kiln %s [options] %s\n\n", of->name, of->operands);
    print_wrapped(out, of->description, 0, 0);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < of->option_count; i++) {
        print_option(out, &of->options[i]);
    }
    fprintf(out, "%-*s%s\n", OPTION_COLUMN, "      --help", "this text");
}

void help_command(FILE *out, const verb *const *verbs, size_t count)
{
    fputs("usage: kiln VERB [options] FILE...\n"
          "       kiln VERB --help | --help | --version | --man | --completion SHELL\n\n",
          out);
    print_wrapped(out, about, 0, 0);
    fputs("\nverbs:\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %-10s%s\n", verbs[i]->name, verbs[i]->summary);
    }
    fputs("\nexit status:\n", out);
    for (size_t i = 0; i < exit_meaning_count; i++) {
        fprintf(out, "  %d  %s\n", exit_meanings[i].status, exit_meanings[i].meaning);
    }
}

/* Text for troff: backslashes and hyphens escaped, no line starts with a control character. */
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

static void print_manual_option(FILE *out, const option *entry)
{
    fputs(".TP\n\\fB", out);
    if (entry->letter != 0) {
        fprintf(out, "\\-%c\\fR, \\fB", entry->letter);
    }
    fputs("\\-\\-", out);
    print_troff(out, entry->name);
    fputs("\\fR", out);
    const char *value = entry->choices != NULL ? entry->choices : entry->value;
    if (value != NULL) {
        fputs(entry->kind == OPTION_DEFAULTED ? "[=\\fI" : " \\fI", out);
        print_troff(out, value);
        fputs(entry->kind == OPTION_DEFAULTED ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    print_troff(out, entry->help);
    putc('\n', out);
}

static void print_manual_verb(FILE *out, const verb *of)
{
    fprintf(out, ".SS kiln %s\n.B kiln %s\n[\\fIoptions\\fR] ", of->name, of->name);
    print_troff(out, of->operands);
    fputs("\n.PP\n", out);
    print_troff(out, of->description);
    putc('\n', out);
    for (size_t i = 0; i < of->option_count; i++) {
        print_manual_option(out, &of->options[i]);
    }
}

void help_manual(FILE *out, const verb *const *verbs, size_t count)
{
    fprintf(out, ".TH KILN 1 \"\" \"kiln %s\" \"User Commands\"\n", KILN_VERSION_STRING);
    fputs(".SH NAME\nkiln \\- bake models into collision hierarchies and query them\n"
          ".SH SYNOPSIS\n.B kiln\n\\fIVERB\\fR [\\fIoptions\\fR] \\fIFILE\\fR...\n"
          ".SH DESCRIPTION\n",
          out);
    print_troff(out, about);
    fputs("\n.SH VERBS\n", out);
    for (size_t i = 0; i < count; i++) {
        print_manual_verb(out, verbs[i]);
    }
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < exit_meaning_count; i++) {
        fprintf(out, ".TP\n.B %d\n", exit_meanings[i].status);
        print_troff(out, exit_meanings[i].meaning);
        putc('\n', out);
    }
}
