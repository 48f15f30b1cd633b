/* The kiln command. A new verb is a file beside this one and a row in the table below. */
#include "help.h"
#include "report.h"
#include "signals.h"
#include "verb.h"

#include "../../runtime/kiln.h"

#include <stdio.h>
#include <string.h>

static const verb *const verbs[] = {
    &verb_bake, &verb_info, &verb_verify, &verb_collide, &verb_unpack,
};

static const verb *find_verb(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

/* Is `word` among the arguments before "--"? Known before parsing, which may already fail. */
static bool has_argument(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static int run_verb(const verb *of, int argc, char **argv)
{
    if (has_argument(argc, argv, "--help")) {
        help_verb(stdout, of);
        return report_end(EXIT_DONE);
    }
    report_begin(of->name, has_argument(argc, argv, "--json"));
    return report_end(of->run(argc, argv));
}

int main(int argc, char **argv)
{
    signals_set();
    if (argc < 2) {
        help_command(stderr, verbs, COUNT_OF(verbs));
        return EXIT_USAGE;
    }
    const verb *of = find_verb(argv[1]);
    if (of != NULL) {
        return run_verb(of, argc - 1, argv + 1);
    }
    report_begin(argv[1], has_argument(argc, argv, "--json"));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        help_command(stdout, verbs, COUNT_OF(verbs));
    } else if (strcmp(argv[1], "--version") == 0) {
        printf("kiln %s\n", KILN_VERSION_STRING);
    } else if (strcmp(argv[1], "--man") == 0) {
        help_manual(stdout, verbs, COUNT_OF(verbs));
    } else {
        return report_end(report_usage(NULL, "there is no verb '%s'", argv[1]));
    }
    return report_end(EXIT_DONE);
}
