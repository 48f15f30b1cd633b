/* A verb of the command with its table of options. main() finds verbs by their names,
 * options_parse() reads arguments by the table, and --help, the manual pages and the completion
 * scripts are printed from it. */
#ifndef KILN_CMD_VERB_H
#define KILN_CMD_VERB_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of an option, and with it the type of its field in the verb's settings. */
typedef enum {
    OPTION_FLAG,     /* bool: true when given */
    OPTION_TEXT,     /* const char * */
    OPTION_INTEGER,  /* int in [lower, upper] */
    OPTION_REAL,     /* double in [lower, upper] */
    OPTION_CHOICE,   /* int: which of `choices` */
    OPTION_DEFAULTED /* the same; without =VALUE the first */
} option_kind;

typedef struct {
    const char *name; /* "leaf": --leaf */
    char letter;      /* 'j': -j; 0: none */
    option_kind kind;
    const char *value;   /* name of the value in --help, "N"; NULL for a flag */
    const char *choices; /* "packed|raw", for OPTION_CHOICE */
    double lower, upper; /* for numbers */
    size_t field;        /* offset in the settings */
    const char *help;    /* ends with the default where there is one; no full stop */
} option;

typedef struct {
    const char *name;        /* "bake", or two words: "lut bins" */
    const char *operands;    /* as in the usage line: "IN... -o OUT" */
    const char *summary;     /* a line without a full stop */
    const char *description; /* whole sentences; paragraphs are parted by an empty line */
    const option *options;
    size_t option_count;
    int operands_min, operands_max; /* max -1: any number */
    int (*run)(int argc, char **argv);
} verb;

/* A program made of verbs: `kiln`, or another that links the kit. Its --help, manual pages,
 * completion and messages come from this description. */
typedef struct {
    const char *name;     /* "kiln": in usage lines and before messages */
    const char *purpose;  /* one line for the manual page */
    const char *about;    /* what it is, in whole sentences */
    const char *see_also; /* that section of the manual page, in man macros */
    /* What to do with a file that stands in place of a verb: "kiln FILE_VERB FILE FILE_REST". */
    const char *file_verb, *file_rest;
    const verb *const *verbs;
    size_t verb_count;
} program;

/* The program that runs. The kit declares it, and each program that links the kit defines it beside
 * its table of verbs. */
extern const program this_program;

/* The document is the business of each verb, so its option is in the verb's own table. */
#define OPTION_JSON(settings)                                                                      \
    {                                                                                              \
        "json", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(settings, json),                        \
            "print one JSON document on standard output, also on failure"                          \
    }

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A verb's options are those of its table, then those of the kit that every verb has. */
size_t verb_option_count(const verb *of);
const option *verb_option(const verb *of, size_t index);

/* Exit statuses, the same for every verb. */
enum {
    EXIT_DONE = 0,
    EXIT_USAGE = 1,
    EXIT_IO = 2,
    EXIT_INVALID = 3,
    EXIT_RUN = 4,
    EXIT_UNSUPPORTED = 5,
    EXIT_DIFFERS = 7,
    EXIT_FAULTS = 8
};

#endif
