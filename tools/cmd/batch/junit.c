/* The report of a batch as JUnit XML, in the form that Apache Ant's task <junit> gave it and that
 * Jenkins, GitLab, Azure and others read: <testsuites>, in it one <testsuite>, in it a <testcase>
 * for each asset, with <failure> or <skipped>.
 *
 * The document is composed in memory and written by output_write(), so that a service that looks at
 * any time finds the old or the new one. Names and messages may hold any bytes, XML 1.0 may not:
 * what is not UTF-8 becomes U+FFFD, as do the two code points that XML excludes, and control
 * characters are spelled out as in messages. */
#define _XOPEN_SOURCE 700

#include "junit.h"

#include "../kit/report.h"

#include "../../../formats/assert.h"
#include "../../common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\""

static bool is_junit(const char *bytes, size_t size, bool whole)
{
    char head[sizeof HEAD + 64];
    (void)whole;
    const int length = snprintf(head, sizeof head, HEAD "%s ", this_program.name);
    KILN_ASSERT(length > 0 && (size_t)length < sizeof head);
    return size >= (size_t)length && memcmp(bytes, head, (size_t)length) == 0;
}

const output_kind output_kind_junit = {"JUnit report of kiln", is_junit};

/* Writes text between tags or in a value; line breaks in a value would be read as blanks. Without
 * memory the stream gets an error, which its closing reports. */
static void put_text(FILE *to, const char *text, bool in_value)
{
    char *clean = kiln_utf8_clean(text);
    for (const char *at = clean != NULL ? clean : ""; *at != '\0';) {
        const bool excluded = strncmp(at, "\xEF\xBF\xBE", 3) == 0 ||
                              strncmp(at, "\xEF\xBF\xBF", 3) == 0; /* U+FFFE, U+FFFF */
        const bool breaks = *at == '\n' && !in_value;
        size_t taken = 1;
        if (*at == '&' || *at == '<' || *at == '>' || *at == '"') {
            fprintf(to, "&#%d;", *at);
        } else if (excluded) {
            fputs("\xEF\xBF\xBD", to);
            taken = 3;
        } else if (breaks || (taken = report_spell_out(to, at)) == 0) {
            putc(*at, to);
            taken = 1;
        }
        at += taken;
    }
    if (clean == NULL) {
        fputs("out of memory", to);
    }
    free(clean);
}

/* ` name="value"`. */
static void put_value(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    put_text(to, value, true);
    putc('"', to);
}

/* What failed has its message twice: some services show the value, others the text. */
static void put_case(FILE *to, const junit_case *of)
{
    KILN_ASSERT(of->status == EXIT_DONE || of->error != NULL);
    fputs("    <testcase", to);
    put_value(to, "name", of->name);
    fprintf(to, " classname=\"%s.bake\"", this_program.name);
    put_value(to, "file", of->file);
    fprintf(to, " time=\"%.3f\"", of->seconds);
    if (of->skipped == NULL && of->status == EXIT_DONE && of->notes == NULL) {
        fputs("/>\n", to);
        return;
    }
    fputs(">\n", to);
    if (of->skipped != NULL) {
        fputs("      <skipped", to);
        put_value(to, "message", of->skipped);
        fputs("/>\n", to);
    } else if (of->status != EXIT_DONE) {
        fprintf(to, "      <failure type=\"status %d\"", of->status);
        put_value(to, "message", of->error);
        putc('>', to);
        put_text(to, of->error, false);
        fputs("</failure>\n", to);
    }
    if (of->notes != NULL) {
        fputs("      <system-err>", to);
        put_text(to, of->notes, false);
        fputs("</system-err>\n", to);
    }
    fputs("    </testcase>\n", to);
}

int junit_write(const char *path, const junit_case *cases, size_t count, double seconds)
{
    size_t failed = 0, skipped = 0, size = 0;
    char *text = NULL, sums[160];
    for (size_t i = 0; i < count; i++) {
        skipped += cases[i].skipped != NULL;
        failed += cases[i].skipped == NULL && cases[i].status != EXIT_DONE;
    }
    (void)snprintf(sums, sizeof sums,
                   "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\"",
                   count, failed, skipped, seconds);
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    fprintf(to, HEAD "%s bake\" %s>\n  <testsuite name=\"%s bake\" %s>\n", this_program.name, sums,
            this_program.name, sums);
    for (size_t i = 0; i < count; i++) {
        put_case(to, &cases[i]);
    }
    fputs("  </testsuite>\n</testsuites>\n", to);
    const bool good = ferror(to) == 0;
    const int status = fclose(to) == 0 && good ? output_write(path, &output_kind_junit, text, size)
                                               : report_error(EXIT_RUN, NULL, "out of memory");
    free(text);
    return status;
}
