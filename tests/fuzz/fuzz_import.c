/* Any bytes are given to Assimp as a model of one of its formats, in a sandboxed child. Assimp may
 * crash or never end; a bake must not: it has a sound file, or a reason that names the model.
 *
 * A model is read by a program of its own, whose coverage libFuzzer can't see. So this file stands
 * in for child.c, by forking this process, which has one thread, and calling what that program
 * calls. The child's counters of coverage are mapped from shared memory, from which they are taken
 * over when it has ended, and sanitizers leave word there of what they found in it, as nobody hears
 * what it says. What they find within Assimp, an error message to us, is not reported. */
#define _GNU_SOURCE
#include "fuzz_import.h"

#include "../../tools/common/memory.h"
#include "../../tools/import/child.h"
#include "../../tools/import/sandbox.h"
#include "../../tools/import/serve.h"
#include "../../tools/kiln_bake.h"
#include "../support/sound.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const fuzz_import_formats[] = {
    "gltf",    "glb",  "dae", "fbx",  "3ds", "3mf", "x",   "x3d",     "lwo", "lws",
    "ase",     "ac",   "b3d", "ms3d", "dxf", "ifc", "nff", "md2",     "md3", "mdl",
    "smd",     "ogex", "amf", "xgl",  "raw", "m3d", "cob", "md5mesh", "hmp", "blend",
    "irrmesh", "3d",   "iqm", "q3o",  "stp", "ter", "csm", "bvh",     NULL};

enum { MODEL_MAX = 1 << 15, REPORT_SIZE = 1 << 13 };

/* ---------------------------------------------------------------------------- from the child -- */

/* Where the compiler counts, null where it does not. In assembly, since a C declaration of these
 * names takes them from the code that clang adds to announce the counters. */
__asm__(".pushsection .data\n"
        ".balign 8\n"
        ".weak __start___sancov_cntrs\n"
        ".weak __stop___sancov_cntrs\n"
        ".globl fuzz_counters\n"
        "fuzz_counters: .quad __start___sancov_cntrs, __stop___sancov_cntrs\n"
        ".popsection\n");
extern uint8_t *fuzz_counters[2];

extern void __asan_set_error_report_callback(void (*)(const char *)) __attribute__((weak));
void __ubsan_on_report(void);

/* Both processes see it. */
typedef struct {
    bool found;
    char report[REPORT_SIZE];
} word;

static word *left;
static uint8_t *shared; /* whole pages around the counters */
static size_t shared_size;
static int shared_file = -1;
static pid_t parent;

/* Within Assimp, or where it asks for more memory than there is. Nothing names functions here: the
 * child can't start what would look for names. */
static bool is_of_assimp(const char *report)
{
    const char *stack = strstr(report, "    #0 ");
    const char *end = stack != NULL ? strstr(stack, "    #4 ") : NULL;
    const char *library = stack != NULL ? strstr(stack, "libassimp") : NULL;
    return strstr(report, "allocation-size-too-big") != NULL ||
           strstr(report, "out-of-memory") != NULL ||
           (library != NULL && (end == NULL || library < end));
}

static void hear_of_error(const char *report)
{
    if (left != NULL && getpid() != parent && !left->found && !is_of_assimp(report)) {
        snprintf(left->report, sizeof left->report, "%s", report);
        left->found = true;
    }
}

/* Of undefined behaviour, for which only our own code is looked at. */
void __ubsan_on_report(void)
{
    hear_of_error("undefined behaviour");
}

static uintptr_t page_of(const void *address)
{
    return (uintptr_t)address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Byte by byte: what lies around the counters is a sanitizer's. */
__attribute__((no_sanitize_address)) static void
copy_plainly(volatile uint8_t *to, const volatile uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
}

/* In the child, right after the fork. */
static void share_counters(void)
{
    uint8_t *own = (uint8_t *)page_of(fuzz_counters[0]);
    copy_plainly(shared, own, shared_size);
    if (mmap(own, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared_file, 0) ==
        MAP_FAILED) {
        _exit(1);
    }
}

static void take_counters(void)
{
    const uint8_t *of_child = shared + (fuzz_counters[0] - (uint8_t *)page_of(fuzz_counters[0]));
    uint8_t *own = fuzz_counters[0];
    for (size_t i = 0; own + i < fuzz_counters[1]; i++) {
        own[i] = of_child[i] > own[i] ? of_child[i] : own[i];
    }
}

static void prepare(void)
{
    left = mmap(NULL, sizeof *left, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    parent = getpid();
    if (left == MAP_FAILED) {
        sound_fail("no shared memory", "");
    }
    if (&__asan_set_error_report_callback != NULL) {
        __asan_set_error_report_callback(hear_of_error);
    }
    if (fuzz_counters[0] == fuzz_counters[1]) {
        return;
    }
    shared_size =
        page_of(fuzz_counters[1] - 1) + (size_t)sysconf(_SC_PAGESIZE) - page_of(fuzz_counters[0]);
    shared_file = memfd_create("counters", MFD_CLOEXEC);
    if (shared_file < 0 || ftruncate(shared_file, (off_t)shared_size) != 0) {
        sound_fail("no shared memory", "for counters");
    }
    shared = mmap(NULL, shared_size, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, 0);
    if (shared == MAP_FAILED) {
        sound_fail("no shared memory", "for counters");
    }
}

/* -------------------------------------------------------------------------------- the target -- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Noreturn void be_child(const kiln_child *child, int pipe)
{
    const int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++) {
        (void)dup2(nowhere, i);
    }
    if (shared != NULL) {
        share_counters();
    }
    (void)kiln_sandbox_close();
    kiln_serve_scene(&kiln_importer_assimp, child->arguments, pipe, child->file);
    _exit(0);
}

/* In place of child.c. */
kiln_child_end kiln_child_run(const kiln_child *child, kiln_child_greeting *greeting, int *number)
{
    static uint8_t block[1 << 16];
    uint64_t address_space, before, resident;
    kiln_child_end end = KILN_CHILD_ENDED;
    int pipes[2], status = 0;
    *number = 0;
    memset(greeting, 0, sizeof *greeting);
    (void)snprintf(greeting->library, sizeof greeting->library, "%s",
                   kiln_importer_assimp.library());
    if (strcmp(child->arguments[2], "--greet") == 0) {
        return KILN_CHILD_ENDED;
    }
    (void)kiln_resident_of(getpid(), &address_space, &before);
    if (pipe(pipes) != 0) {
        sound_fail("no pipe", "");
    }
    const double give_up = seconds_now() + child->seconds;
    const pid_t process = fork();
    if (process == 0) {
        close(pipes[0]);
        be_child(child, pipes[1]);
    }
    close(pipes[1]);
    while (end == KILN_CHILD_ENDED) {
        struct pollfd ready = {.fd = pipes[0], .events = POLLIN};
        const ssize_t got = poll(&ready, 1, 10) > 0 ? read(pipes[0], block, sizeof block) : -1;
        if (got == 0) {
            break;
        }
        if (got > 0 && !child->receive(child->receive_user, block, (size_t)got)) {
            end = KILN_CHILD_REFUSED;
        } else if (child->seconds > 0 && seconds_now() > give_up) {
            end = KILN_CHILD_OVER_TIME;
        } else if (kiln_resident_of(process, &address_space, &resident) &&
                   resident > before + child->memory) {
            end = KILN_CHILD_OVER_MEMORY;
        } else if (!child->progress(child->progress_user)) {
            end = KILN_CHILD_CANCELLED;
        }
    }
    close(pipes[0]);
    if (end != KILN_CHILD_ENDED) {
        (void)kill(process, SIGKILL);
    }
    (void)waitpid(process, &status, 0);
    *number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return end == KILN_CHILD_ENDED && WIFSIGNALED(status) ? KILN_CHILD_CRASHED : end;
}

static void judge_failure(kiln_bake_status status, const char *name, const kiln_bake_report *report)
{
    const size_t length = strlen(name);
    /* Without the programs, nothing is read, and nothing is tried. */
    if (strstr(report->error, "the program that reads it") != NULL) {
        sound_fail("the importers are not there", report->error);
    }
    if (status == KILN_BAKE_USAGE || strncmp(report->error, name, length) != 0 ||
        strncmp(report->error + length, ": ", 2) != 0 || report->error[length + 2] == '\0') {
        sound_fail("a bake ended badly", report->error);
    }
}

/* A few bytes can ask for a million triangles. */
static bool go_on(void *user, const char *stage, double part)
{
    const double *deadline = user;
    (void)stage;
    (void)part;
    return seconds_now() < *deadline;
}

/* KILN_FUZZ_TELL=1: what came of each, on standard error. */
static void tell(const char *name, kiln_bake_status status, const kiln_bake_report *report)
{
    static int wanted = -1;
    if (wanted < 0) {
        wanted = getenv("KILN_FUZZ_TELL") != NULL;
    }
    if (wanted != 0) {
        fprintf(stderr, "told: %d %s\n", (int)status,
                status == KILN_BAKE_OK ? name : report->error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { FORMATS = sizeof fuzz_import_formats / sizeof fuzz_import_formats[0] - 1 };
    if (size < 2 || size > MODEL_MAX) {
        return 0;
    }
    if (left == NULL) {
        prepare();
    }
    char name[32];
    const char *format = fuzz_import_formats[data[0] % FORMATS];
    snprintf(name, sizeof name, "model.%s", format);
    kiln_bake_options options = kiln_bake_options_default();
    options.threads = 1;
    options.import_memory = 256 << 20;
    options.import_seconds = 5;
    double deadline = seconds_now() + 2;
    options.progress = go_on;
    options.progress_user = &deadline;
    options.split = (data[0] / FORMATS) % 2 != 0 ? KILN_SPLIT_NODE : KILN_SPLIT_NONE;
    const kiln_bake_input input = {
        .path = name, .data = data + 1, .size = size - 1, .format = format};
    kiln_bake_report report;
    void *file = NULL;
    size_t file_size = 0;
    left->found = false;
    const kiln_bake_status status =
        kiln_bake_to_memory(&input, &options, &file, &file_size, &report);
    if (shared != NULL) {
        take_counters();
    }
    if (left->found) {
        sound_fail("the child was found at error", left->report);
    }
    tell(name, status, &report);
    if (status == KILN_BAKE_OK) {
        sound_or_fail(file, file_size);
        free(file);
    } else {
        judge_failure(status, name, &report);
    }
    kiln_bake_report_free(&report);
    return 0;
}
