/* Reads a manifest into a plan.
 *
 * libfyaml parses the text and keeps the place of every node, so that each error is reported at its
 * line and column. The schema is here, and for options in their table (bake_settings.c). An error
 * does not end the reading: everything that is wrong with a manifest is reported in one run, and
 * m->status keeps the highest exit status.
 *
 * What libfyaml lets pass is checked here: bytes that are not UTF-8, a second document, tags,
 * aliases without an anchor, numbers in forms over which readers of YAML differ.
 *
 * The file goes from small to large: messages, values, options, one entry of assets, the document,
 * the file. */
#define _XOPEN_SOURCE 700

#include "manifest.h"

#include "inputs.h"

#include "../../../formats/assert.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"

#include "../../common/paths.h"
#include "../../common/text.h"

#include <errno.h>
#include <libfyaml.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fy_node node;

enum { TEXT_MAX = 256 << 20 }; /* bytes of a manifest */

typedef struct {
    plan *of;
    const char *path;
    char *folder; /* of the manifest, with a slash at its end; "" for the working folder */
    const bake_settings *command_line;
    uint64_t given; /* there */
    struct fy_document *document;
    struct fy_diag *diag;
    void *reported; /* how far messages of libfyaml have been reported */
    int status;
    const char *output; /* folder, seen from the working folder */
    bool tree;
    bake_settings defaults;
    node *output_node, *folders_node, *defaults_node, *assets_node;
} manifest;

/* ---------------------------------------------------------------------------------- messages -- */

/* Notes a status; the highest is that of the manifest. */
static void keep_status(manifest *m, int status)
{
    m->status = status > m->status ? status : m->status;
}

/* Reports an error at a place of the file. */
static void complain_at(manifest *m, int status, unsigned line, unsigned column, const char *what)
{
    const size_t size = strlen(m->path) + 32;
    char *place = malloc(size);
    if (place != NULL) {
        snprintf(place, size, "%s:%u:%u", m->path, line, column);
    }
    keep_status(m, report_error(status, place != NULL ? place : m->path, "%s", what));
    free(place);
}

/* Reports the errors that libfyaml has collected, or that were handed to it. */
static unsigned report_errors(manifest *m, int status)
{
    const struct fy_diag_error *error;
    unsigned count = 0;
    while ((error = fy_diag_errors_iterate(m->diag, &m->reported)) != NULL) {
        complain_at(m, status, (unsigned)error->line, (unsigned)error->column, error->msg);
        count++;
    }
    return count;
}

/* The node that leads to another: its name in a mapping, else what it stands in. */
static node *leading_to(node *at)
{
    node *parent = fy_node_get_parent(at);
    void *place = NULL;
    struct fy_node_pair *pair;
    while (parent != NULL && fy_node_is_mapping(parent) &&
           (pair = fy_node_mapping_iterate(parent, &place)) != NULL) {
        if (fy_node_pair_value(pair) == at) {
            return fy_node_pair_key(pair);
        }
    }
    return parent;
}

/* Reports an error at a node, whose line and column libfyaml knows. A node that was left empty has
 * none; then those of what leads to it are reported. */
static void complain(manifest *m, int status, node *at, const char *format, ...)
{
    char text[OPTION_MESSAGE_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned reported = 0;
    for (; at != NULL && reported == 0; at = leading_to(at)) {
        fy_node_report(at, FYET_ERROR, "%s", text);
        reported = report_errors(m, status);
    }
    if (reported == 0) {
        keep_status(m, report_error(status, m->path, "%s", text));
    }
}

/* ------------------------------------------------------------------------------------ values -- */

/* An alias stands for what it refers to; nothing is copied, so nothing can multiply. */
static node *followed(node *at)
{
    return at != NULL && fy_node_is_alias(at) ? fy_node_resolve_alias(at) : at;
}

/* YAML's words for nothing, in its core schema; in quotes they are texts. */
static bool is_null_word(node *value, const char *text, size_t length)
{
    static const char *const words[] = {"~", "null", "Null", "NULL"};
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        found = found || (strlen(words[i]) == length && memcmp(words[i], text, length) == 0);
    }
    return found && fy_node_get_style(value) == FYNS_PLAIN;
}

/* A scalar's text, for as long as the plan; NULL, complaining of `name`, where it is none. */
static const char *text_of(manifest *m, node *at, node *parent, const char *name)
{
    size_t length = 0;
    node *value = followed(at);
    const char *text =
        value != NULL && fy_node_is_scalar(value) ? fy_node_get_scalar(value, &length) : NULL;
    if (text == NULL || length == 0 || is_null_word(value, text, length)) {
        complain(m, EXIT_INVALID, at != NULL ? at : parent, "%s takes a text that is not empty",
                 name);
        return NULL;
    }
    if (memchr(text, '\0', length) != NULL) {
        complain(m, EXIT_INVALID, at, "%s has a zero byte", name);
        return NULL;
    }
    const char *kept = plan_keep(m->of, text, length);
    if (kept == NULL) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
    }
    return kept;
}

/* FOLDER/NAME, or NAME alone where it starts at the root or FOLDER is empty, for as long as the
 * plan. */
static const char *joined(manifest *m, const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const bool alone = length == 0 || name[0] == '/';
    char *path = malloc(length + strlen(name) + 2);
    if (path != NULL) {
        sprintf(path, "%s%s%s", alone ? "" : folder, alone || folder[length - 1] == '/' ? "" : "/",
                name);
    }
    const char *kept = path != NULL ? plan_keep(m->of, path, strlen(path)) : NULL;
    if (kept == NULL) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
    }
    free(path);
    return kept;
}

/* A name as the manifest has it, seen from the working folder. */
static const char *from_here(manifest *m, const char *name)
{
    return joined(m, m->folder, name);
}

/* Is the node a mapping? Complains where it is none. */
static bool is_mapping(manifest *m, node *at, node *parent, const char *what)
{
    node *value = followed(at);
    if (value == NULL || !fy_node_is_mapping(value)) {
        complain(m, EXIT_INVALID, at != NULL ? at : parent, "%s takes a mapping, name: value",
                 what);
        return false;
    }
    return true;
}

/* The key of a pair as text; NULL, complaining, where it is none. */
static const char *key_of(manifest *m, struct fy_node_pair *pair, size_t *length, node *parent)
{
    node *key = fy_node_pair_key(pair);
    const char *text =
        key != NULL && fy_node_is_scalar(key) ? fy_node_get_scalar(key, length) : NULL;
    if (text == NULL) {
        complain(m, EXIT_INVALID, key != NULL ? key : parent, "a name is expected here");
    }
    return text;
}

/* Is the key `name`? Keys of libfyaml do not end in a zero. */
static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* Is the key a merge key, "<<" without quotes? (YAML's language-independent type "merge", a draft
 * of 2005 that most readers implement.) */
static bool is_merge_key(struct fy_node_pair *pair, const char *key, size_t length)
{
    return is_key(key, length, "<<") && fy_node_get_style(fy_node_pair_key(pair)) == FYNS_PLAIN;
}

typedef void each_mapping(manifest *m, void *user, node *mapping);

enum { MERGES_MAX = 16 }; /* of mappings that merge others; an alias may refer to what it is in */

/* Calls `each` for the mappings that the merge keys of a mapping name, those first whose members
 * others replace: a mapping's own members replace merged ones, and of a list the first counts. */
static void for_each_merged(manifest *m, node *mapping, unsigned depth, each_mapping *each,
                            void *user)
{
    void *place = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &place)) != NULL) {
        size_t length = 0;
        node *name = fy_node_pair_key(pair), *value = followed(fy_node_pair_value(pair));
        const char *key =
            name != NULL && fy_node_is_scalar(name) ? fy_node_get_scalar(name, &length) : NULL;
        if (key == NULL || !is_merge_key(pair, key, length)) {
            continue;
        }
        const bool list = value != NULL && fy_node_is_sequence(value);
        /* A list is gone through from its end, so that what its first mapping says is laid over
         * the rest. */
        for (int i = list ? fy_node_sequence_item_count(value) - 1 : 0; i >= 0; i--) {
            node *item = list ? followed(fy_node_sequence_get_by_index(value, i)) : value;
            if (item == NULL || !fy_node_is_mapping(item)) {
                complain(m, EXIT_INVALID, name, "<< takes a mapping, or a list of mappings");
            } else if (depth >= MERGES_MAX) {
                complain(m, EXIT_INVALID, name,
                         "mappings merge each other more than %d deep; is one merged into itself?",
                         MERGES_MAX);
            } else {
                for_each_merged(m, item, depth + 1, each, user);
            }
        }
    }
    each(m, user, mapping);
}

/* ----------------------------------------------------------------------------------- options -- */

/* YAML's own words, in its core schema. -1: neither. */
static int truth_of(const char *text)
{
    static const char *const words[2][3] = {{"false", "False", "FALSE"}, {"true", "True", "TRUE"}};
    for (int i = 0; i < 6; i++) {
        if (strcmp(text, words[i / 3][i % 3]) == 0) {
            return i / 3;
        }
    }
    return -1;
}

/* A list of words as the command line takes it, parted by commas; NULL, complaining. */
static const char *words_of(manifest *m, node *list, const char *name)
{
    char words[512] = "";
    void *place = NULL;
    node *item;
    while ((item = fy_node_sequence_iterate(list, &place)) != NULL) {
        const char *word = text_of(m, item, list, name);
        const size_t used = strlen(words);
        if (word == NULL) {
            return NULL;
        }
        if (used + strlen(word) + 2 > sizeof words) {
            complain(m, EXIT_INVALID, item, "%s has too many words", name);
            return NULL;
        }
        snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? "," : "", word);
    }
    return plan_keep(m->of, words, strlen(words));
}

/* Numbers are decimal, as JSON's are: readers of YAML differ over 010, 0x10 and 1_0. */
static bool is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    return strspn(text, "0123456789.eE+-") == strlen(text) &&
           !(text[0] == '0' && text[1] >= '0' && text[1] <= '9');
}

/* Sets an option to the value at a node; `key` is its name, for messages. */
static void set_option(manifest *m, const option *entry, node *at, node *key,
                       bake_settings *settings)
{
    char message[OPTION_MESSAGE_SIZE];
    KILN_ASSERT(bake_option_is_of_asset(entry));
    KILN_ASSERT(entry->field < sizeof *settings);
    node *value = followed(at);
    const bool list = value != NULL && entry->kind == OPTION_TEXT && fy_node_is_sequence(value);
    const char *text = list ? words_of(m, value, entry->name) : text_of(m, at, key, entry->name);
    if (text == NULL) {
        return;
    }
    if (entry->kind == OPTION_FLAG) {
        const int truth = truth_of(text);
        if (truth < 0) {
            complain(m, EXIT_INVALID, at, "%s takes true or false, not '%s'", entry->name, text);
        } else {
            *(bool *)((char *)settings + entry->field) = truth == 1;
        }
        return;
    }
    /* true stands for the option without a value, whose index is 0; false for one that was not
     * given, which is -1. */
    if (entry->kind == OPTION_DEFAULTED && truth_of(text) >= 0) {
        *(int *)((char *)settings + entry->field) = truth_of(text) - 1;
        return;
    }
    /* The options of an asset that name a file; files are named from the manifest. */
    if (strcmp(entry->name, "adb-weights") == 0 || strcmp(entry->name, "trace") == 0 ||
        strcmp(entry->name, "against") == 0) {
        text = from_here(m, text);
    }
    if (text != NULL && (entry->kind == OPTION_INTEGER || entry->kind == OPTION_REAL) &&
        !is_decimal(text)) {
        complain(m, EXIT_INVALID, at, "%s takes a decimal number, not '%s'", entry->name, text);
        return;
    }
    if (text != NULL && !option_set(entry, text, settings, message)) {
        complain(m, EXIT_INVALID, at, "%s %s", entry->name, message);
    }
}

/* What is read from a mapping of options, and which ones it has. */
typedef struct {
    bake_settings *settings;
    uint64_t *given;
} options_read;

/* Reads the options of one mapping, without those that it merges. Each is noted in *given even if
 * its value is wrong; the manifest is refused then anyway. */
static void read_own_options(manifest *m, void *user, node *mapping)
{
    const options_read *to = user;
    void *place = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &place)) != NULL) {
        size_t length = 0;
        const char *key = key_of(m, pair, &length, mapping);
        const option *entry = key != NULL ? bake_option_find(key, length) : NULL;
        if (entry != NULL) {
            KILN_ASSERT(entry >= bake_options && entry < bake_options + BAKE_OPTION_COUNT);
            *to->given |= UINT64_C(1) << (entry - bake_options);
            set_option(m, entry, fy_node_pair_value(pair), fy_node_pair_key(pair), to->settings);
        } else if (key != NULL && !is_merge_key(pair, key, length)) {
            suggestion near = suggestion_for(key, length);
            for (size_t i = 0; i < BAKE_OPTION_COUNT; i++) {
                if (bake_option_is_of_asset(&bake_options[i])) {
                    suggestion_try(&near, bake_options[i].name);
                }
            }
            complain(m, EXIT_INVALID, fy_node_pair_key(pair),
                     "an asset has no option '%.*s'; %s%s%s", (int)length, key,
                     near.best != NULL ? "did you mean " : "see kiln bake --help",
                     near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
        }
    }
}

/* Reads a mapping of options with those that it merges, and notes in *given which ones it has. */
static void read_options(manifest *m, node *at, node *parent, const char *what,
                         bake_settings *settings, uint64_t *given)
{
    options_read to = {settings, given};
    if (is_mapping(m, at, parent, what)) {
        for_each_merged(m, followed(at), 0, read_own_options, &to);
    }
}

/* ------------------------------------------------------------------------------------ assets -- */

typedef struct {
    node *path, *exclude, *output, *options;
    bake_settings settings;
    uint64_t given;
    node *at; /* for messages */
} asset_entry;

typedef void each_text(manifest *m, void *user, const char *text, node *at);

/* Calls `each` for a text, or for each text of a list. */
static void for_each_text(manifest *m, node *at, node *parent, const char *name, each_text *each,
                          void *user)
{
    node *value = followed(at);
    if (value == NULL || !fy_node_is_sequence(value)) {
        const char *text = text_of(m, at, parent, name);
        if (text != NULL) {
            each(m, user, text, at);
        }
        return;
    }
    void *place = NULL;
    node *item;
    while ((item = fy_node_sequence_iterate(value, &place)) != NULL) {
        const char *text = text_of(m, item, value, name);
        if (text != NULL) {
            each(m, user, text, item);
        }
    }
}

/* Is it the name of a folder? What is one is no pattern, whatever characters it has. */
static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Adds the files of a pattern, which is relative to the folder of the manifest, or the models of a
 * folder, to a list. */
static void add_matches(manifest *m, void *user, const char *text, node *at)
{
    input_list *list = user;
    const size_t before = list->count;
    const char *path = from_here(m, text);
    const size_t folder = text[0] == '/' ? 0 : strlen(m->folder);
    if (path == NULL) {
        return;
    }
    const bool is_one = is_folder(path);
    const int status =
        is_one ? inputs_add_folder(list, path) : inputs_add_pattern(list, path, folder);
    keep_status(m, status);
    if (list->count == before && status == EXIT_DONE && !m->command_line->allow_empty) {
        complain(m, EXIT_IO, at,
                 is_one ? "'%s' has no model of a format that is read (kiln bake --formats); check "
                          "it, or give --allow-empty"
                        : "'%s' matches no file; check the pattern",
                 text);
    }
}

typedef struct {
    input_list *list;
    size_t first; /* of the entry's names */
} exclusion;

/* A pattern of `exclude`, read: names are compared from the root, because an asset and what leaves
 * it out may be spelt in different ways. */
typedef struct {
    char *whole; /* the text as a name */
    char *base;  /* the folder that the pattern starts from */
    char
        *pattern; /* behind it, without ".", "..", a slash at its start; one at its end gets "**" */
    bool folder;  /* the text is a folder that is there: all below it is meant */
} left_out;

/* False without memory. */
static bool left_out_open(manifest *m, left_out *of, const char *text)
{
    const char *path = from_here(m, text);
    const size_t length = strlen(text);
    *of = (left_out){.whole = path != NULL ? kiln_path_from_root(path) : NULL,
                     .base = kiln_path_from_root(text[0] == '/' ? "/" : m->folder),
                     .pattern = malloc(length + sizeof "/**"),
                     .folder = path != NULL && is_folder(path)};
    if (of->whole == NULL || of->base == NULL || of->pattern == NULL) {
        return false;
    }
    strcpy(of->pattern, text + strspn(text, "/"));
    kiln_path_collapse(of->pattern);
    strcat(of->pattern, text[length - 1] == '/' ? "/**" : "");
    while (strncmp(of->pattern, "../", 3) == 0) {
        char *slash = strrchr(of->base, '/');
        slash[slash == of->base] = '\0'; /* the root is above itself */
        memmove(of->pattern, of->pattern + 3, strlen(of->pattern + 3) + 1);
    }
    return true;
}

/* 1: the asset is left out; 0: it is not; -1: no pattern, or no memory. */
static int left_out_has(const left_out *of, const char *input)
{
    char *name = kiln_path_from_root(input);
    int found = -1;
    if (name != NULL) {
        const size_t base = strcmp(of->base, "/") == 0 ? 0 : strlen(of->base);
        found =
            strcmp(name, of->whole) == 0 || (of->folder && kiln_path_is_within(name, of->whole));
        if (found == 0 && kiln_path_is_within(name, of->base)) {
            found = inputs_match(of->pattern, name + base + 1);
        }
    }
    free(name);
    return found;
}

/* Drops the names of an entry that a pattern of `exclude` matches. A name that drops nothing is
 * reported, for it is more often misspelt than foresight; a pattern may be either. */
static void drop_matches(manifest *m, void *user, const char *text, node *at)
{
    const exclusion *e = user;
    size_t kept = e->first;
    left_out of;
    bool good = left_out_open(m, &of, text) && inputs_match(text + strspn(text, "/"), "") >= 0;
    for (size_t i = e->first; i < e->list->count; i++) {
        char *name = e->list->names[i];
        const int found = good ? left_out_has(&of, name) : 0;
        good = good && found >= 0;
        if (found > 0) {
            free(name);
        } else {
            e->list->names[kept++] = name;
        }
    }
    KILN_ASSERT(kept <= e->list->count);
    if (!good) {
        complain(
            m, EXIT_INVALID, at,
            "'%s' can't be compared; it has too many components, or '..' behind '**'; split it",
            text);
    } else if (kept == e->list->count && !inputs_is_wild(text)) {
        report_note("exclude", text, "leaves out nothing; no file of its asset has this name");
    }
    e->list->count = kept;
    free(of.whole);
    free(of.base);
    free(of.pattern);
}

/* Adds a job for each input of an entry. */
static void add_jobs(manifest *m, const asset_entry *entry, const input_list *inputs)
{
    const char *folder = m->output, *file = NULL;
    KILN_ASSERT(folder != NULL);
    if (entry->output != NULL) {
        const char *text = text_of(m, entry->output, entry->at, "output");
        const char *output = text != NULL ? joined(m, m->output, text) : NULL;
        if (output == NULL) {
            return;
        }
        if (output[strlen(output) - 1] == '/') {
            folder = output;
        } else if (inputs->count > 1) {
            complain(m, EXIT_INVALID, entry->output,
                     "one output for %zu assets; end it with a slash for a folder", inputs->count);
            return;
        } else {
            file = output;
        }
    }
    for (size_t i = 0; i < inputs->count && m->status == EXIT_DONE; i++) {
        const char *input = inputs->names[i];
        const size_t length = strlen(m->folder);
        const char *name = input + (strncmp(input, m->folder, length) == 0 ? length : 0);
        char *output = file != NULL ? strdup(file) : plan_output_name(folder, name, m->tree);
        keep_status(m, output != NULL
                           ? plan_add(m->of, input, output, &entry->settings, entry->given)
                           : report_error(EXIT_RUN, NULL, "out of memory"));
        free(output);
    }
}

/* Refuses an entry that stands for nothing, which is more often a slip than meant. */
static void refuse_empty(manifest *m, node *at, size_t count, const char *what)
{
    if (count == 0 && m->status == EXIT_DONE && !m->command_line->allow_empty) {
        complain(m, EXIT_USAGE, at, "%s; check it, or give --allow-empty", what);
    }
}

/* Notes the members of one mapping; those read later replace earlier ones, which for_each_merged
 * relies on. */
static void read_asset_members(manifest *m, void *user, node *mapping)
{
    asset_entry *entry = user;
    void *place = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &place)) != NULL) {
        size_t length = 0;
        const char *key = key_of(m, pair, &length, mapping);
        node *name = fy_node_pair_key(pair), *member = fy_node_pair_value(pair);
        member = member != NULL ? member : name; /* an empty one is reported at its name */
        if (key == NULL || is_merge_key(pair, key, length)) {
            continue;
        }
        if (is_key(key, length, "path")) {
            entry->path = member;
        } else if (is_key(key, length, "exclude")) {
            entry->exclude = member;
        } else if (is_key(key, length, "output")) {
            entry->output = member;
        } else if (is_key(key, length, "options")) {
            entry->options = member;
        } else {
            complain(m, EXIT_INVALID, name,
                     "an asset has path, exclude, output and options, not '%.*s'", (int)length,
                     key);
        }
    }
}

/* Reads one entry of `assets`: a path, or a mapping. */
static void read_asset(manifest *m, node *at)
{
    asset_entry entry = {.settings = m->defaults, .at = at};
    input_list inputs = {NULL, 0, 0, false};
    node *value = followed(at);
    if (value != NULL && fy_node_is_scalar(value)) {
        entry.path = at;
    } else if (!is_mapping(m, at, at, "an asset")) {
        return;
    } else {
        for_each_merged(m, value, 0, read_asset_members, &entry);
    }
    if (entry.options != NULL) {
        read_options(m, entry.options, at, "options", &entry.settings, &entry.given);
    }
    /* The command line comes last: what it gives counts for all assets, whatever the manifest
     * says. */
    bake_settings_overlay(&entry.settings, m->command_line, m->given);
    if (entry.path == NULL) {
        complain(m, EXIT_INVALID, at, "an asset needs a path");
        return;
    }
    for_each_text(m, entry.path, at, "path", add_matches, &inputs);
    refuse_empty(m, entry.path, inputs.count, "path names no file");
    if (entry.exclude != NULL && m->status == EXIT_DONE) {
        exclusion e = {&inputs, 0};
        for_each_text(m, entry.exclude, at, "exclude", drop_matches, &e);
        refuse_empty(m, entry.exclude, inputs.count, "exclude leaves no file");
    }
    add_jobs(m, &entry, &inputs);
    inputs_free(&inputs);
}

/* ------------------------------------------------------------------------------ the document -- */

/* Finds the members of the document, and checks its version. Members that begin with x- are places
 * for what aliases refer to, as in files of Docker Compose and OpenAPI. */
static void read_root_keys(manifest *m, node *root)
{
    static const char *const root_members[] = {"kiln", "output", "folders", "defaults", "assets"};
    void *place = NULL;
    struct fy_node_pair *pair;
    bool version = false;
    while ((pair = fy_node_mapping_iterate(root, &place)) != NULL) {
        size_t length = 0;
        const char *key = key_of(m, pair, &length, root);
        node *value = fy_node_pair_value(pair);
        node *place_of_value = value != NULL ? value : fy_node_pair_key(pair);
        if (key == NULL) {
            continue;
        }
        if (is_key(key, length, "kiln")) {
            size_t digits = 0;
            node *number = followed(value);
            const char *text = number != NULL && fy_node_is_scalar(number)
                                   ? fy_node_get_scalar(number, &digits)
                                   : NULL;
            version = true;
            if (text == NULL || !is_key(text, digits, "1")) {
                complain(m, EXIT_INVALID, place_of_value,
                         "this kiln reads manifests of version 1: write 'kiln: 1', or update kiln");
            }
        } else if (is_key(key, length, "output")) {
            m->output_node = place_of_value;
        } else if (is_key(key, length, "folders")) {
            m->folders_node = place_of_value;
        } else if (is_key(key, length, "defaults")) {
            m->defaults_node = place_of_value;
        } else if (is_key(key, length, "assets")) {
            m->assets_node = place_of_value;
        } else if (length < 2 || memcmp(key, "x-", 2) != 0) {
            suggestion near = suggestion_for(key, length);
            for (size_t i = 0; i < COUNT_OF(root_members); i++) {
                suggestion_try(&near, root_members[i]);
            }
            complain(m, EXIT_INVALID, fy_node_pair_key(pair),
                     "a manifest has kiln, output, folders, defaults and assets, not '%.*s'%s%s%s",
                     (int)length, key, near.best != NULL ? "; did you mean " : "",
                     near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
        }
    }
    if (!version) {
        complain(m, EXIT_INVALID, root, "a manifest says which version it is: write 'kiln: 1'");
    }
    if (m->assets_node == NULL) {
        complain(m, EXIT_INVALID, root, "a manifest needs assets");
    }
}

/* Refuses what would be passed over in silence: an alias of nothing, a tag that asks for a type of
 * its own. libfyaml bounds the depth of the recursion. */
static void check_node(manifest *m, node *at)
{
    static const char core[] = "tag:yaml.org,2002:";
    size_t length = 0;
    void *place = NULL;
    const char *tag = at != NULL ? fy_node_get_tag(at, &length) : NULL;
    if (tag != NULL && (length < sizeof core || memcmp(tag, core, sizeof core - 1) != 0 ||
                        is_key(tag + sizeof core - 1, length - (sizeof core - 1), "binary"))) {
        complain(m, EXIT_INVALID, at, "a manifest has no tags such as '%.*s'; leave it out",
                 (int)length, tag);
    } else if (at != NULL && fy_node_is_alias(at) && fy_node_resolve_alias(at) == NULL) {
        complain(m, EXIT_INVALID, at, "the alias has no anchor before it; check its name");
    } else if (at != NULL && fy_node_is_sequence(at)) {
        node *item;
        while ((item = fy_node_sequence_iterate(at, &place)) != NULL) {
            check_node(m, item);
        }
    } else if (at != NULL && fy_node_is_mapping(at)) {
        struct fy_node_pair *pair;
        while ((pair = fy_node_mapping_iterate(at, &place)) != NULL) {
            check_node(m, fy_node_pair_key(pair));
            check_node(m, fy_node_pair_value(pair));
        }
    }
}

/* Reads the document. What its members say in common comes before the assets, whatever their order
 * in the file. */
static void read_root(manifest *m)
{
    node *root = fy_document_root(m->document);
    uint64_t ignored = 0;
    check_node(m, root);
    if (m->status != EXIT_DONE) {
        return;
    }
    if (root == NULL || !fy_node_is_mapping(root)) {
        keep_status(m, report_error(EXIT_INVALID, m->path,
                                    "is no manifest; it has no mapping with 'kiln: 1'; see "
                                    "kiln.manifest.schema.json"));
        return;
    }
    read_root_keys(m, root);

    /* Where outputs go. "." is the manifest's own folder and adds nothing to names. */
    const char *output = m->output_node != NULL ? text_of(m, m->output_node, root, "output") : ".";
    if (m->command_line->output != NULL) {
        m->output = m->command_line->output;
    } else if (output != NULL && strcmp(output, ".") == 0) {
        m->output = m->folder;
    } else if (output != NULL) {
        m->output = from_here(m, output);
    }
    const char *folders =
        m->folders_node != NULL ? text_of(m, m->folders_node, root, "folders") : "tree";
    m->tree = folders == NULL || strcmp(folders, "tree") == 0;
    if (folders != NULL && !m->tree && strcmp(folders, "flat") != 0) {
        complain(m, EXIT_INVALID, m->folders_node, "folders takes flat or tree, not '%s'", folders);
    }
    if (m->command_line->folders >= 0) {
        m->tree = m->command_line->folders == 1;
    }

    /* Options of all assets, then the assets. */
    if (m->defaults_node != NULL) {
        read_options(m, m->defaults_node, root, "defaults", &m->defaults, &ignored);
    }
    if (m->assets_node == NULL || m->output == NULL) {
        return;
    }
    node *list = followed(m->assets_node), *item;
    void *place = NULL;
    if (list == NULL || !fy_node_is_sequence(list)) {
        complain(m, EXIT_INVALID, m->assets_node, "assets takes a list");
        return;
    }
    while ((item = fy_node_sequence_iterate(list, &place)) != NULL) {
        read_asset(m, item);
    }
    refuse_empty(m, m->assets_node, m->of->count, "assets lists none");
}

/* Checks that nothing follows the document but the end of the file. */
static void check_end(manifest *m, struct fy_parser *parser)
{
    struct fy_event *event;
    bool reported = false;
    while (!reported && (event = fy_parser_parse(parser)) != NULL) {
        struct fy_token *token = NULL; /* that the event begins with; most have a place by it */
        switch (event->type) {
        case FYET_DOCUMENT_START:
            token = event->document_start.document_start;
            break;
        case FYET_SCALAR:
            token = event->scalar.value;
            break;
        case FYET_SEQUENCE_START:
            token = event->sequence_start.sequence_start;
            break;
        case FYET_MAPPING_START:
            token = event->mapping_start.mapping_start;
            break;
        default:
            break;
        }
        const struct fy_mark *mark = token != NULL ? fy_token_start_mark(token) : NULL;
        if (mark != NULL) {
            complain_at(
                m, EXIT_INVALID, (unsigned)mark->line + 1, (unsigned)mark->column + 1,
                "a second document begins here; a manifest is one; give each a file of its own");
            reported = true;
        }
        const bool last = event->type == FYET_STREAM_END;
        fy_parser_event_free(parser, event);
        if (last) {
            return;
        }
    }
    if (!reported && report_errors(m, EXIT_INVALID) == 0) {
        keep_status(m, report_error(EXIT_INVALID, m->path, "is no YAML behind its document"));
    }
}

/* Checks that a manifest is text, in UTF-8 and without zero bytes, which libfyaml does not insist
 * on. */
static void check_bytes(manifest *m, const char *text, size_t size)
{
    const char *zero = memchr(text, '\0', size);
    const size_t before_zero = zero != NULL ? (size_t)(zero - text) : size;
    const size_t good = kiln_utf8_span(text, before_zero);
    unsigned line = 1, column = 1;
    if (size > TEXT_MAX) {
        keep_status(m,
                    report_error(EXIT_INVALID, m->path,
                                 "is no manifest; it is larger than 256 MiB; give fewer assets"));
        return;
    }
    if (good == size) {
        return;
    }
    for (size_t i = 0; i < good; i++) {
        line += text[i] == '\n';
        column = text[i] == '\n' ? 1 : column + ((text[i] & 0xC0) != 0x80);
    }
    complain_at(m, EXIT_INVALID, line, column,
                good < before_zero ? "is not UTF-8 from here on; save it as UTF-8"
                                   : "there is a zero byte; save it as UTF-8 text");
}

/* Reads the file, parses it, and reads the document. */
static void read_file(manifest *m)
{
    struct fy_diag_cfg quiet;
    struct fy_parser *parser = NULL;
    void *text = NULL;
    size_t size = 0;
    keep_status(m, load_file(m->path, &text, &size));
    if (m->status != EXIT_DONE) {
        goto done;
    }

    /* Errors of libfyaml are collected and printed by report_errors. */
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    m->diag = fy_diag_create(&quiet);
    if (m->diag == NULL) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
        goto done;
    }
    fy_diag_set_collect_errors(m->diag, true);
    check_bytes(m, text, size);
    if (m->status != EXIT_DONE) {
        goto done;
    }

    const struct fy_parse_cfg how = {.flags = FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE |
                                              FYPCF_DISABLE_RECYCLING,
                                     .diag = m->diag};
    parser = fy_parser_create(&how);
    if (parser == NULL || fy_parser_set_string(parser, text, size) != 0) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
        goto done;
    }
    m->document = fy_parse_load_document(parser);
    if (m->document != NULL) {
        check_end(m, parser);
    } else if (report_errors(m, EXIT_INVALID) == 0) {
        keep_status(m,
                    report_error(EXIT_INVALID, m->path,
                                 "is no manifest; it says nothing, or not in YAML 1.1 or 1.2; see "
                                 "kiln.manifest.schema.json"));
    }
    if (m->document != NULL && m->status == EXIT_DONE) {
        read_root(m);
    }
done:
    if (m->document != NULL) {
        fy_parse_document_destroy(parser, m->document);
    }
    if (parser != NULL) {
        fy_parser_destroy(parser);
    }
    if (m->diag != NULL) {
        fy_diag_destroy(m->diag);
    }
    free(text);
}

/* A kiln.yaml in the working folder, or in the nearest folder above that has one, is used only
 * where nothing else says what to bake. Where it is not the working folder's that is reported; and
 * one of another user is not: in a shared folder such as /tmp, anybody can leave one. */
int manifest_find(const char *given, int inputs, const char **path)
{
    /* Its tails are the paths that are tried. */
    static const char ups[] = "../../../../../../../../../../../../../../../../kiln.yaml";
    static const char usual[] = "kiln.yaml";
    const char *at = ups + sizeof ups - sizeof usual;
    char folder[sizeof ups] = ".";
    struct stat here, above, file;
    *path = given;
    if (given != NULL || inputs > 0) {
        return EXIT_DONE;
    }
    bool is_root = stat(folder, &here) != 0;
    while (access(at, F_OK) != 0 && !is_root && at != ups) {
        at -= strlen("../");
        KILN_ASSERT(at >= ups);
        snprintf(folder, sizeof folder, "%.*s.", (int)(strlen(at) - strlen(usual)), at);
        /* The root is the folder that is its own parent. Device and number tell that without
         * resolving names. */
        is_root = stat(folder, &above) != 0 ||
                  (above.st_dev == here.st_dev && above.st_ino == here.st_ino);
        here = above;
    }
    if (is_root || stat(at, &file) != 0) {
        return EXIT_DONE;
    }
    if (strcmp(at, usual) != 0 && file.st_uid != geteuid() && file.st_uid != 0) {
        return report_error(EXIT_USAGE, at,
                            "is another user's; to bake what it lists, name it with --manifest");
    }
    if (strcmp(at, usual) != 0) {
        report_line("no kiln.yaml is here; %s is taken", at);
    }
    *path = at;
    return EXIT_DONE;
}

/* The folders of side files with that of the manifest, unless it lies in the working folder, which
 * is one of them anyway. Without memory those that are given. */
static const char *folders_of_side_files(plan *of, const char *folder, const char *given)
{
    kiln_folders run = {.paths = NULL};
    const bool inside = folder[0] == '\0' || (given != NULL && strcmp(given, "any") == 0) ||
                        (kiln_folders_add(&run, "") && kiln_folders_have(&run, folder));
    kiln_folders_free(&run);
    if (inside) {
        return given;
    }
    const size_t size = strlen(folder) + (given != NULL ? strlen(given) : 0) + 2;
    char *both = malloc(size);
    if (both != NULL) {
        snprintf(both, size, "%s%s%s", folder, given != NULL ? ":" : "",
                 given != NULL ? given : "");
    }
    const char *kept = both != NULL ? plan_keep(of, both, strlen(both)) : NULL;
    free(both);
    return kept != NULL ? kept : given;
}

bool manifest_print_example(FILE *out)
{
    static const char text[] =
        "# yaml-language-server: $schema=/usr/local/share/kiln/kiln.manifest.schema.json\n"
        "# What kiln bake reads where nothing else is named; save it as kiln.yaml.\n"
        "kiln: 1 # version of the schema\n"
        "output: build/collision # folder of the outputs, from here; made if need be\n"
        "folders: tree # outputs keep the folders of their inputs; flat: all in one\n"
        "defaults: # options of all assets: those of kiln bake --help\n"
        "  bv: [obb] # trees of each asset\n"
        "  layout: packed # raw: used in place from the map\n"
        "assets:\n"
        "  - models/**/*.obj # a path, a folder (all models in it and below), or a pattern: * "
        "and ? in a name, ** any folders\n"
        "  - path: [models/**/*.gltf, models/**/*.glb]\n"
        "    exclude: models/**/old_* # names to leave out\n"
        "    output: scenes/ # within the output folder\n"
        "    options: {leaf: 2, quality: best} # laid over the defaults\n";
    return fputs(text, out) >= 0;
}

/* Settings of the run are not for manifests and come from the command line even as defaults. */
int manifest_add(plan *of, const char *path, const bake_settings *settings, uint64_t given)
{
    const char *slash = strrchr(path, '/');
    KILN_ASSERT(of->count == 0); /* a plan comes from arguments or from a manifest */
    manifest m = {.of = of, .path = path, .command_line = settings, .given = given};
    m.folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    if (m.folder == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    m.defaults = bake_settings_default();
    m.defaults.threads = settings->threads;
    m.defaults.if_changed = settings->if_changed;
    m.defaults.cache = settings->cache;
    m.defaults.cache_shared = settings->cache_shared;
    m.defaults.side_files = folders_of_side_files(of, m.folder, settings->side_files);
    m.defaults.max_memory = settings->max_memory;
    m.defaults.importer = settings->importer;
    m.defaults.depfile_programs = settings->depfile_programs;
    of->uniform = false;
    of->batch = true;
    of->keep_folders = true;
    keep_status(&m, read_files_add(&of->read, path, "the manifest"));
    read_file(&m);
    if (m.status == EXIT_DONE) {
        const char *own = settings->output != NULL ? settings->output : m.folder;
        const bool good = kiln_folders_add(&of->outputs, m.folder) &&
                          kiln_folders_add(&of->outputs, "") &&
                          kiln_folders_add(&of->outputs, own) &&
                          kiln_folders_add_list(&of->outputs, settings->outputs);
        keep_status(&m, good ? plan_check_folders(of)
                             : report_error(EXIT_IO, path, "its folders can't be found; %s",
                                            strerror(errno)));
    }

    /* The plan makes the folder of outputs where at least one output goes there. */
    const char *output = m.output == NULL || m.output[0] == '\0' ? "." : m.output;
    const size_t length = strlen(output);
    bool used = false;
    for (size_t i = 0; i < of->count && !used && m.output != NULL && m.status == EXIT_DONE; i++) {
        const char *name = of->jobs[i].output;
        used = m.output[0] == '\0' || (strncmp(name, output, length) == 0 &&
                                       (output[length - 1] == '/' || name[length] == '/'));
    }
    of->folder = used ? plan_keep(of, output, length) : NULL;
    free(m.folder);
    return m.status;
}
