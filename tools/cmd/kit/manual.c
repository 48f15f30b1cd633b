#include "manual.h"

#include "help.h"

#include "../../../runtime/kiln.h"

#include <ctype.h>
#include <string.h>

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

static void print_line(FILE *out, const char *text)
{
    print_troff(out, text);
    putc('\n', out);
}

static int in_page_name(int letter)
{
    return letter == ' ' ? '-' : letter;
}

bool manual_is_page_of(const verb *of, const char *page)
{
    const char *name = of->name;
    while (*name != '\0' && in_page_name(*name) == *page) {
        name++;
        page++;
    }
    return *name == '\0' && *page == '\0';
}

/* "kiln\-lut\-bins". */
static void print_page_name(FILE *out, const verb *of)
{
    fputs("kiln\\-", out);
    for (const char *name = of->name; *name != '\0'; name++) {
        const char letter[2] = {(char)in_page_name(*name), '\0'};
        print_troff(out, letter);
    }
}

/* The verb NULL: the command's own page. */
static void print_title(FILE *out, const verb *of)
{
    fputs(".TH KILN", out);
    for (const char *name = of != NULL ? of->name : ""; *name != '\0'; name++) {
        fprintf(out, "%s%c", of->name == name ? "-" : "",
                toupper((unsigned char)in_page_name(*name)));
    }
    fprintf(out, " 1 \"\" \"kiln %s\" \"User Commands\"\n", KILN_VERSION_STRING);
}

static void print_option(FILE *out, const option *entry)
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
    print_line(out, entry->help);
}

void manual_verb(FILE *out, const verb *of)
{
    print_title(out, of);
    fputs(".SH NAME\n", out);
    print_page_name(out, of);
    fputs(" \\- ", out);
    print_line(out, of->summary);
    fprintf(out, ".SH SYNOPSIS\n.B kiln %s\n[\\fIoptions\\fR] ", of->name);
    print_line(out, of->operands);
    fputs(".SH DESCRIPTION\n", out);
    print_line(out, of->description);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < of->option_count; i++) {
        print_option(out, &of->options[i]);
    }
    fputs(".TP\n\\fB\\-\\-help\\fR\nprint a summary of this page\n"
          ".SH EXIT STATUS\nThat of every verb, see\n.BR kiln (1).\n"
          ".SH SEE ALSO\n.BR kiln (1),\n.BR kiln\\-format (5)\n",
          out);
}

static void print_verbs(FILE *out, const verb *const *verbs, size_t count)
{
    fputs(".SH VERBS\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs(".TP\n.BR ", out);
        print_page_name(out, verbs[i]);
        fputs(" (1)\n", out);
        print_line(out, verbs[i]->summary);
    }
}

static void print_exit_statuses(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < exit_meaning_count; i++) {
        fprintf(out, ".TP\n.B %d\n", exit_meanings[i].status);
        print_line(out, exit_meanings[i].meaning);
    }
}

void manual_command(FILE *out, const verb *const *verbs, size_t count)
{
    print_title(out, NULL);
    fputs(".SH NAME\nkiln \\- bake models into collision hierarchies and query them\n"
          ".SH SYNOPSIS\n.B kiln\n\\fIVERB\\fR [\\fIoptions\\fR] \\fIFILE\\fR...\n"
          ".SH DESCRIPTION\n",
          out);
    print_line(out, help_about);
    print_verbs(out, verbs, count);
    fputs(".SH OPTIONS\nIn place of a verb:\n", out);
    for (size_t i = 0; i < help_plain_option_count; i++) {
        print_option(out, &help_plain_options[i]);
    }
    print_exit_statuses(out);
    fputs(".SH SEE ALSO\n.BR kiln (3),\n.BR kiln_bake (3),\n.BR kiln\\-format (5)\n", out);
}
