/* See manifest.h. libfyaml reads the text; the schema is here, and for options in their table. */
#define _XOPEN_SOURCE 700

#include "manifest.h"

#include "inputs.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"

#include "../../common/text.h"

#include <libfyaml.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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
    void *told; /* how far messages of libfyaml have been told */
    int status;
    const char *output; /* folder, seen from the working folder */
    bool tree;
    bake_settings defaults;
    node *output_node, *folders_node, *defaults_node, *assets_node;
} manifest;

/* ------------------------------------------------------------------------------------- messages -- */

static void keep_status(manifest *m, int status)
{
    m->status = status > m->status ? status : m->status;
}

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

/* Tells what libfyaml has found, or what was handed to it. */
static unsigned tell_errors(manifest *m, int status)
{
    const struct fy_diag_error *error;
    unsigned count = 0;
    while ((error = fy_diag_errors_iterate(m->diag, &m->told)) != NULL) {
        complain_at(m, status, (unsigned)error->line, (unsigned)error->column, error->msg);
        count++;
    }
    return count;
}

/* What leads to a node: its name in a mapping, else what it stands in. */
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

/* Says what is wrong at a node; libfyaml knows its line and column. What is left empty has none: then
 * those of what leads to it are told. */
static void complain(manifest *m, int status, node *at, const char *format, ...)
{
    char text[OPTION_MESSAGE_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned told = 0;
    for (; at != NULL && told == 0; at = leading_to(at)) {
        fy_node_report(at, FYET_ERROR, "%s", text);
        told = tell_errors(m, status);
    }
    if (told == 0) {
        keep_status(m, report_error(status, m->path, "%s", text));
    }
}

/* --------------------------------------------------------------------------------------- values -- */

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

/* FOLDER/NAME, or NAME alone where it starts at the root or FOLDER is empty, for as long as the plan. */
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

static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* -------------------------------------------------------------------------------------- options -- */

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

static void set_flag(manifest *m, const option *entry, node *at, const char *text,
                     bake_settings *settings)
{
    const int truth = truth_of(text);
    if (truth < 0) {
        complain(m, EXIT_INVALID, at, "%s takes true or false, not '%s'", entry->name, text);
    } else {
        *(bool *)((char *)settings + entry->field) = truth == 1;
    }
}

/* Numbers are decimal, as JSON's are: readers of YAML differ over 010, 0x10 and 1_0. */
static bool is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    return strspn(text, "0123456789.eE+-") == strlen(text) &&
           !(text[0] == '0' && text[1] >= '0' && text[1] <= '9');
}

static void set_option(manifest *m, const option *entry, node *at, node *key,
                       bake_settings *settings)
{
    char message[OPTION_MESSAGE_SIZE];
    node *value = followed(at);
    const bool list = value != NULL && entry->kind == OPTION_TEXT && fy_node_is_sequence(value);
    const char *text = list ? words_of(m, value, entry->name) : text_of(m, at, key, entry->name);
    if (text == NULL) {
        return;
    }
    if (entry->kind == OPTION_FLAG) {
        set_flag(m, entry, at, text, settings);
        return;
    }
    if (entry->kind == OPTION_DEFAULTED && truth_of(text) >= 0) {
        *(int *)((char *)settings + entry->field) = truth_of(text) - 1;
        return;
    }
    if (strcmp(entry->name, "adb-weights") == 0) {
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

static void read_options(manifest *m, node *at, node *parent, const char *what,
                         bake_settings *settings, uint64_t *given)
{
    void *place = NULL;
    struct fy_node_pair *pair;
    if (!is_mapping(m, at, parent, what)) {
        return;
    }
    node *mapping = followed(at);
    while ((pair = fy_node_mapping_iterate(mapping, &place)) != NULL) {
        size_t length = 0;
        const char *key = key_of(m, pair, &length, mapping);
        const option *entry = key != NULL ? bake_option_find(key, length) : NULL;
        if (entry != NULL) {
            *given |= UINT64_C(1) << (entry - bake_options);
            set_option(m, entry, fy_node_pair_value(pair), fy_node_pair_key(pair), settings);
        } else if (key != NULL) {
            complain(m, EXIT_INVALID, fy_node_pair_key(pair),
                     "an asset has no option '%.*s'; see kiln bake --help", (int)length, key);
        }
    }
}

/* --------------------------------------------------------------------------------------- assets -- */

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

static void add_matches(manifest *m, void *user, const char *text, node *at)
{
    input_list *list = user;
    const size_t before = list->count;
    const char *path = from_here(m, text);
    const size_t folder = text[0] == '/' ? 0 : strlen(m->folder);
    if (path == NULL) {
        return;
    }
    const int status = inputs_add_pattern(list, path, folder);
    keep_status(m, status);
    if (list->count == before && status == EXIT_DONE && !m->command_line->allow_empty) {
        complain(m, EXIT_IO, at, "'%s' matches no file; check the pattern", text);
    }
}

typedef struct {
    input_list *list;
    size_t first; /* of the entry's names */
} exclusion;

static void drop_matches(manifest *m, void *user, const char *text, node *at)
{
    const exclusion *e = user;
    size_t kept = e->first;
    (void)at;
    for (size_t i = e->first; i < e->list->count; i++) {
        char *name = e->list->names[i];
        const size_t folder = text[0] == '/' ? 0 : strlen(m->folder);
        if (strncmp(name, m->folder, folder) == 0 && inputs_match(text, name + folder)) {
            free(name);
        } else {
            e->list->names[kept++] = name;
        }
    }
    e->list->count = kept;
}

static void add_job(manifest *m, const asset_entry *entry, const char *input, const char *folder,
                    const char *file)
{
    const char *name =
        input + (strncmp(input, m->folder, strlen(m->folder)) == 0 ? strlen(m->folder) : 0);
    char *output = file != NULL ? strdup(file) : plan_output_name(folder, name, m->tree);
    if (output == NULL) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
        return;
    }
    keep_status(m, plan_add(m->of, input, output, &entry->settings, entry->given));
    free(output);
}

static void add_jobs(manifest *m, const asset_entry *entry, const input_list *inputs)
{
    const char *folder = m->output, *file = NULL;
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
        add_job(m, entry, inputs->names[i], folder, file);
    }
}

static void read_asset_keys(manifest *m, node *mapping, asset_entry *entry)
{
    void *place = NULL;
    struct fy_node_pair *pair;
    while ((pair = fy_node_mapping_iterate(mapping, &place)) != NULL) {
        size_t length = 0;
        const char *key = key_of(m, pair, &length, mapping);
        node *value = fy_node_pair_value(pair);
        node *place_of_value = value != NULL ? value : fy_node_pair_key(pair);
        if (key == NULL) {
            continue;
        }
        if (is_key(key, length, "path")) {
            entry->path = place_of_value;
        } else if (is_key(key, length, "exclude")) {
            entry->exclude = place_of_value;
        } else if (is_key(key, length, "output")) {
            entry->output = place_of_value;
        } else if (is_key(key, length, "options")) {
            entry->options = place_of_value;
        } else {
            complain(m, EXIT_INVALID, fy_node_pair_key(pair),
                     "an asset has path, exclude, output and options, not '%.*s'", (int)length,
                     key);
        }
    }
}

/* An entry that stands for nothing is more often a slip than meant. */
static void refuse_empty(manifest *m, node *at, size_t count, const char *what)
{
    if (count == 0 && m->status == EXIT_DONE && !m->command_line->allow_empty) {
        complain(m, EXIT_USAGE, at, "%s; check it, or give --allow-empty", what);
    }
}

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
        read_asset_keys(m, value, &entry);
    }
    if (entry.options != NULL) {
        read_options(m, entry.options, at, "options", &entry.settings, &entry.given);
    }
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

/* ----------------------------------------------------------------------------------- the document -- */

static void check_version(manifest *m, node *at, node *key)
{
    size_t length = 0;
    node *value = followed(at);
    const char *text =
        value != NULL && fy_node_is_scalar(value) ? fy_node_get_scalar(value, &length) : NULL;
    if (text == NULL || !is_key(text, length, "1")) {
        complain(m, EXIT_INVALID, at != NULL ? at : key,
                 "this kiln reads manifests of version 1: write 'kiln: 1', or update kiln");
    }
}

static void read_root_keys(manifest *m, node *root)
{
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
            check_version(m, value, fy_node_pair_key(pair));
            version = true;
        } else if (is_key(key, length, "output")) {
            m->output_node = place_of_value;
        } else if (is_key(key, length, "folders")) {
            m->folders_node = place_of_value;
        } else if (is_key(key, length, "defaults")) {
            m->defaults_node = place_of_value;
        } else if (is_key(key, length, "assets")) {
            m->assets_node = place_of_value;
        } else {
            complain(m, EXIT_INVALID, fy_node_pair_key(pair),
                     "a manifest has kiln, output, folders, defaults and assets, not '%.*s'",
                     (int)length, key);
        }
    }
    if (!version) {
        complain(m, EXIT_INVALID, root, "a manifest says which version it is: write 'kiln: 1'");
    }
    if (m->assets_node == NULL) {
        complain(m, EXIT_INVALID, root, "a manifest needs assets");
    }
}

/* "." is the manifest's own folder and adds nothing to names. */
static void read_output(manifest *m, node *root)
{
    const char *text = m->output_node != NULL ? text_of(m, m->output_node, root, "output") : ".";
    if (m->command_line->output != NULL) {
        m->output = m->command_line->output;
    } else if (text != NULL && strcmp(text, ".") == 0) {
        m->output = m->folder;
    } else if (text != NULL) {
        m->output = from_here(m, text);
    }
}

static void read_folders(manifest *m, node *root)
{
    const char *text =
        m->folders_node != NULL ? text_of(m, m->folders_node, root, "folders") : "tree";
    m->tree = text == NULL || strcmp(text, "tree") == 0;
    if (text != NULL && !m->tree && strcmp(text, "flat") != 0) {
        complain(m, EXIT_INVALID, m->folders_node, "folders takes flat or tree, not '%s'", text);
    }
    if (m->command_line->folders >= 0) {
        m->tree = m->command_line->folders == 1;
    }
}

static void read_assets(manifest *m, node *root)
{
    node *list = followed(m->assets_node);
    void *place = NULL;
    node *item;
    if (list == NULL || !fy_node_is_sequence(list)) {
        complain(m, EXIT_INVALID, m->assets_node != NULL ? m->assets_node : root,
                 "assets takes a list");
        return;
    }
    while ((item = fy_node_sequence_iterate(list, &place)) != NULL) {
        read_asset(m, item);
    }
    refuse_empty(m, m->assets_node, m->of->count, "assets lists none");
}

/* What would be passed over in silence: an alias of nothing, a tag that asks for a type of its own.
 * libfyaml bounds the depth. */
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
    read_output(m, root);
    read_folders(m, root);
    if (m->defaults_node != NULL) {
        read_options(m, m->defaults_node, root, "defaults", &m->defaults, &ignored);
    }
    if (m->assets_node != NULL && m->output != NULL) {
        read_assets(m, root);
    }
}

/* What an event begins with; NULL: it has no place of its own. */
static struct fy_token *token_of(struct fy_event *event)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        return event->document_start.document_start;
    case FYET_SCALAR:
        return event->scalar.value;
    case FYET_SEQUENCE_START:
        return event->sequence_start.sequence_start;
    case FYET_MAPPING_START:
        return event->mapping_start.mapping_start;
    default:
        return NULL;
    }
}

/* Behind the document there may be the end of the file, and nothing else. */
static void check_end(manifest *m, struct fy_parser *parser)
{
    struct fy_event *event;
    bool told = false;
    while (!told && (event = fy_parser_parse(parser)) != NULL) {
        struct fy_token *token = token_of(event);
        const struct fy_mark *mark = token != NULL ? fy_token_start_mark(token) : NULL;
        if (mark != NULL) {
            complain_at(
                m, EXIT_INVALID, (unsigned)mark->line + 1, (unsigned)mark->column + 1,
                "a second document begins here; a manifest is one; give each a file of its own");
            told = true;
        }
        const bool last = event->type == FYET_STREAM_END;
        fy_parser_event_free(parser, event);
        if (last) {
            return;
        }
    }
    if (!told && tell_errors(m, EXIT_INVALID) == 0) {
        keep_status(m, report_error(EXIT_INVALID, m->path, "is no YAML behind its document"));
    }
}

static void read_documents(manifest *m, struct fy_parser *parser)
{
    m->document = fy_parse_load_document(parser);
    if (m->document != NULL) {
        check_end(m, parser);
    } else if (tell_errors(m, EXIT_INVALID) == 0) {
        keep_status(m,
                    report_error(EXIT_INVALID, m->path,
                                 "is no manifest; it says nothing, or not in YAML 1.1 or 1.2; see "
                                 "kiln.manifest.schema.json"));
    }
    if (m->document != NULL && m->status == EXIT_DONE) {
        read_root(m);
    }
    if (m->document != NULL) {
        fy_parse_document_destroy(parser, m->document);
    }
}

static void read_text(manifest *m, const char *text, size_t size)
{
    const struct fy_parse_cfg how = {.flags = FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE |
                                              FYPCF_DISABLE_RECYCLING,
                                     .diag = m->diag};
    struct fy_parser *parser = fy_parser_create(&how);
    if (parser != NULL && fy_parser_set_string(parser, text, size) == 0) {
        read_documents(m, parser);
    } else {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
    }
    if (parser != NULL) {
        fy_parser_destroy(parser);
    }
}

/* A manifest is text, in UTF-8 and without zero bytes, which libfyaml does not insist on. */
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

static void read_file(manifest *m)
{
    struct fy_diag_cfg quiet;
    void *text = NULL;
    size_t size = 0;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    keep_status(m, load_file(m->path, &text, &size));
    m->diag = m->status == EXIT_DONE ? fy_diag_create(&quiet) : NULL;
    if (m->diag != NULL) {
        fy_diag_set_collect_errors(m->diag, true);
        check_bytes(m, text, size);
        if (m->status == EXIT_DONE) {
            read_text(m, text, size);
        }
        fy_diag_destroy(m->diag);
    } else if (m->status == EXIT_DONE) {
        keep_status(m, report_error(EXIT_RUN, NULL, "out of memory"));
    }
    free(text);
}

/* The folder of outputs is to be there where one of them goes there, which entries of other folders need
 * not. */
static void keep_folder(manifest *m)
{
    const char *folder = m->output == NULL || m->output[0] == '\0' ? "." : m->output;
    const size_t length = strlen(folder);
    bool used = false;
    for (size_t i = 0; i < m->of->count && !used && m->output != NULL && m->status == EXIT_DONE;
         i++) {
        const char *output = m->of->jobs[i].output;
        used = m->output[0] == '\0' || (strncmp(output, folder, length) == 0 &&
                                        (folder[length - 1] == '/' || output[length] == '/'));
    }
    m->of->folder = used ? plan_keep(m->of, folder, length) : NULL;
}

const char *manifest_meant(const char *given, int inputs)
{
    static const char usual[] = "kiln.yaml";
    return given == NULL && inputs == 0 && access(usual, F_OK) == 0 ? usual : given;
}

int manifest_add(plan *of, const char *path, const bake_settings *settings, uint64_t given)
{
    const char *slash = strrchr(path, '/');
    manifest m = {.of = of, .path = path, .command_line = settings, .given = given};
    m.folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    if (m.folder == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    m.defaults = bake_settings_default();
    m.defaults.threads = settings->threads;
    m.defaults.if_changed = settings->if_changed;
    m.defaults.cache = settings->cache;
    m.defaults.max_memory = settings->max_memory;
    of->uniform = false;
    of->batch = true;
    of->make_folders = true;
    read_file(&m);
    keep_folder(&m);
    free(m.folder);
    return m.status;
}
