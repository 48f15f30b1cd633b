/* What the importing program does, from its start to the end of the scene.
 *
 * The process that starts it (child.c, import.c) gives it an argument list, a pipe and the open
 * model. Before it reads a byte of the model, it gives up what it has no use for: descriptors,
 * signals, memory beyond its limit, files elsewhere (Landlock) and most system calls (sandbox.c).
 * Then it greets, and the reader of the format sends the scene.
 *
 * Started by hand, it does none of this, so that a debugger or a tracer can follow: it opens the
 * model that it is given, reads it by the same reader, and prints what came out. */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "child.h"
#include "sandbox.h"
#include "source.h"

/* The arguments, as import.c writes them. */
typedef struct {
    const char *serve;  /* the version of the process that started this one; NULL: by hand */
    const char *parent; /* its number */
    const char *format, *name, *folder;
    const char *memory; /* bytes; "0": no limit */
    const char *limit;  /* the option that sets it */
    const char *model;  /* by hand: a path */
    kiln_folders folders;
    bool greet, show_version, wrong;
} request;

/* The value of an argument "--name=value"; NULL: it is another. */
static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

/* Folders are resolved already: what is passed is used as it is. */
static request parse(char *const *arguments)
{
    request r = {.memory = "0", .limit = "--import-memory", .folder = "."};
    const struct {
        const char *name, **to;
    } texts[] = {{"--serve", &r.serve}, {"--parent", &r.parent}, {"--format", &r.format},
                 {"--name", &r.name},   {"--folder", &r.folder}, {"--memory", &r.memory},
                 {"--limit", &r.limit}};
    const size_t count = sizeof texts / sizeof texts[0];

    for (char *const *at = arguments; *at != NULL; at++) {
        const char *readable = value_of(*at, "--readable"), *value = NULL;
        size_t i = 0;

        while (i < count && (value = value_of(*at, texts[i].name)) == NULL)
            i++;
        if (value != NULL) {
            *texts[i].to = value;
        } else if (readable != NULL) {
            void *paths = r.folders.paths;

            if (!kiln_grow(&paths, &r.folders.capacity, r.folders.count + 1, sizeof(char *)))
                _exit(1);
            r.folders.paths = paths;
            r.folders.paths[r.folders.count++] = *at + (readable - *at);
        } else if (strcmp(*at, "--readable-any") == 0) {
            r.folders.any = true;
        } else if (strcmp(*at, "--greet") == 0) {
            r.greet = true;
        } else if (strcmp(*at, "--version") == 0) {
            r.show_version = true;
        } else if (r.model == NULL && (*at)[0] != '-') {
            r.model = *at;
        } else {
            r.wrong = true;
        }
    }
    return r;
}

static const char *library_of(const kiln_importer *importer)
{
    return importer->library != NULL ? importer->library() : "";
}

/* Reads the model and sends the scene. */
static void read_scene(const kiln_importer *importer, const request *r, const kiln_model *model,
                       int pipe)
{
    const kiln_reader_row *row = importer->rows;
    kiln_reading reading = {.model = *model,
                            .name = r->name,
                            .format = r->format,
                            .memory = strtoull(r->memory, NULL, 10),
                            .limit = r->limit,
                            .folders = &r->folders,
                            .facts = {.unit_factor = 1, .up_declared = -1, .up_now = 1}};

    reading.sender = kiln_sender_start(pipe);
    kiln_sender_set_other(reading.sender, kiln_signature_other(model, r->format));
    /* Names in the model are relative to its folder. */
    if (chdir(r->folder) != 0)
        kiln_send_failure(reading.sender, KILN_BAKE_IO,
                          "its folder can't be entered; side files may be there; allow it");
    while (row->read != NULL && row->format != NULL && strcmp(row->format, r->format) != 0)
        row++;
    if (row->read == NULL)
        kiln_send_failure(reading.sender, KILN_BAKE_UNSUPPORTED,
                          "%s has no reader for \"%s\" files; give another format", importer->name,
                          r->format);
    row->read(&reading);
    kiln_send(reading.sender, KILN_ARRAY_FACTS, &reading.facts, 1);
    kiln_send_end(reading.sender);
}

void kiln_serve_scene(const kiln_importer *importer, char *const *arguments, int pipe, int file)
{
    const request r = parse(arguments + 1);
    kiln_model model = {.file = file};
    struct stat facts;

    KILN_ASSERT(r.format != NULL && r.name != NULL);
    if (fstat(file, &facts) == 0)
        model.size = (uint64_t)facts.st_size;
    read_scene(importer, &r, &model, pipe);
}

/* Gives up what a reader has no use for. What the version of the other side is does not matter. */
static void give_up(const request *r)
{
    const uint64_t least = (uint64_t)4 << 20;
    uint64_t address_space, resident, memory = strtoull(r->memory, NULL, 10);
    struct stat facts;
    unsigned first_unused =
        fstat(KILN_CHILD_FILE, &facts) == 0 ? KILN_CHILD_FILE + 1 : KILN_CHILD_FILE;
    sigset_t none;

    /* All signals were blocked at the start. A crash ends this process by its signal, whatever a
     * sanitizer would do; a terminal sends the last three to this process too, but the other
     * decides about them. */
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    /* The parent may be gone by now. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (r->parent != NULL && strtol(r->parent, NULL, 10) != (long)getppid())
        _exit(1);
#endif
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first_unused, ~0u, 0u) == 0)
        first_unused = INT32_MAX;
#endif
    for (long i = first_unused, end = sysconf(_SC_OPEN_MAX); i < end && i < 65536; i++)
        close((int)i);

    /* With less than its buffers take, it could not even report why it ends. A sanitizer maps
     * shadow memory of a size that no limit can be set for. */
    kiln_limit_lower(getpid(), RLIMIT_CORE, 0);
    if (memory != 0 && !KILN_HAVE_SHADOW_MEMORY &&
        kiln_resident_of(getpid(), &address_space, &resident))
        kiln_limit_lower(getpid(), RLIMIT_AS, address_space + (memory < least ? least : memory));
}

/* False: nobody listens. */
static bool greet(const kiln_importer *importer)
{
    kiln_child_greeting greeting = {.program = KILN_CHILD_PROGRAM, .version = KILN_CHILD_VERSION};

    snprintf(greeting.library, sizeof greeting.library, "%s", library_of(importer));
    (void)kiln_resident_of(getpid(), &greeting.address_space, &greeting.resident);
    return write(KILN_CHILD_PIPE, &greeting, sizeof greeting) == (ssize_t)sizeof greeting;
}

/* Reads the model as a bake would, but for limits and sandbox, and prints what is sent. */
static int by_hand(const kiln_importer *importer, request *r)
{
    const kiln_bake_input input = {.path = r->model, .format = r->format};
    kiln_bake_report report = {.error = ""};
    kiln_bake_status status;
    kiln_source_file source;

    if (!kiln_source_open(&source, &input, &status, &report)) {
        fprintf(stderr, "%s\n", report.error);
        return (int)status;
    }
    r->folders.any = true;
    r->folder = source.folder;
    r->name = source.name;
    r->format = source.format;
    read_scene(importer, r, &source.model, -1);
    return 0;
}

int kiln_serve(const kiln_importer *importer, int argc, char **argv)
{
    request r = parse(argv + (argc > 0));

    if (r.show_version) {
        printf("%s %s\n", importer->name, KILN_CHILD_VERSION);
        if (importer->library != NULL)
            printf("%s %s\n", importer->library_name, library_of(importer));
        return 0;
    }
    if (r.wrong || (r.serve == NULL) == (r.model == NULL)) {
        fprintf(stderr,
                "%s is started by kiln, to read one model in a sandbox. By hand, such as in a "
                "debugger:\n  %s [--format=EXTENSION] MODEL\n  %s --version\n",
                importer->name, importer->name, importer->name);
        return 1;
    }
    if (r.serve == NULL)
        return by_hand(importer, &r);
    give_up(&r);
    if (!greet(importer) || r.greet || strcmp(r.serve, KILN_CHILD_VERSION) != 0)
        _exit(0);
    (void)kiln_sandbox_keep_in(&r.folders); /* a second look at what readers open */
    (void)kiln_sandbox_close(); /* where there is no sandbox, the limits alone hold this process */
    kiln_serve_scene(importer, argv, KILN_CHILD_PIPE, KILN_CHILD_FILE);
    _exit(0);
}
