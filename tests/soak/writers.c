/* Opens files that another process writes to meanwhile: writers OPENS.
 *
 * Five files in turn: a packed model, the same raw with KILN_OPEN_COPY, the packed one as it
 * arrives, a packed filled-bins table and weights, all of them mapped by kiln or shared with the
 * writer. The other process writes numbers into header, section table and block tables and puts
 * them back, as fast as it can, so that many are read in a moment between. What opens answers
 * queries. Nothing may be read or written outside the memory of a file: the sanitizers judge,
 * and the process lives. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/ask.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"
#include "../support/quick_bins.h"
#include "../support/quick_weights.h"
#include "../support/scratch.h"

enum { MODEL, RAW, ARRIVING, TABLE, WEIGHTS, KINDS };

typedef struct {
    char path[SCRATCH_PATH_SIZE];
    uint8_t *shared; /* the file, mapped by both processes */
    uint8_t *whole;  /* its bytes */
    size_t size;
    unsigned long opened, refused;
} target;

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

static target make_target(const char *folder, int kind, void *bytes, size_t size)
{
    target t = {.whole = bytes, .size = size};
    (void)snprintf(t.path, sizeof t.path, "%s/%d.kiln", folder, kind);
    const int file = open(t.path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) {
        stop(t.path);
    }
    t.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (t.shared == MAP_FAILED || close(file) != 0) {
        stop(t.path);
    }
    return t;
}

/* ---------------------------------------------------------------- the writer -- */

/* Where numbers are that decide about memory, or anywhere. */
static size_t draw_place(const target *t, uint64_t *state)
{
    kiln_format_header header;
    memcpy(&header, t->whole, sizeof header);
    const size_t table = header.section_count * sizeof(kiln_format_section);
    if (random_below(state, 4) == 0) {
        return random_below(state, (uint32_t)(sizeof header + table));
    }
    const kiln_format_section entry =
        edit_get_entry(t->whole, random_below(state, header.section_count));
    const uint32_t size = (uint32_t)entry.stored_size;
    const uint32_t most = random_below(state, 2) == 0 && size > 48 ? 48 : size;
    return most == 0 ? 0 : (size_t)entry.offset + random_below(state, most);
}

static void write_for_ever(const target *targets)
{
    uint64_t state = 5;
    for (;;) {
        const target *t = &targets[random_below(&state, KINDS)];
        for (int i = 0; i < 64; i++) {
            volatile uint8_t *shared = t->shared;
            const size_t at = draw_place(t, &state), left = t->size - at;
            const size_t size = left < 4 ? left : 4;
            const uint64_t with = random_next(&state) >> random_below(&state, 64);
            for (size_t k = 0; k < size; k++) {
                shared[at + k] = (uint8_t)(with >> 8 * k);
            }
            for (uint32_t wait = random_below(&state, 2000); wait > 0; wait--) {
                (void)shared[at];
            }
            for (size_t k = 0; k < size; k++) {
                shared[at + k] = t->whole[at + k];
            }
        }
    }
}

/* ---------------------------------------------------------------- the reader -- */

static void ask(kiln_file *file)
{
    (void)ask_files(file, file, 200, 20000);
    kiln_close(file);
}

static kiln_status open_one(const target *t, int kind)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    kiln_bins *table = NULL;
    kiln_status status;
    options.memory_limit = (uint64_t)1 << 28;
    switch (kind) {
    case MODEL:
    case RAW:
        options.flags = kind == RAW ? KILN_OPEN_COPY : 0;
        status = kiln_open(t->path, &options, &file);
        if (status == KILN_OK) {
            ask(file);
        }
        return status;
    case ARRIVING:
        status = kiln_open_partial(t->shared, t->size / 2, &options, &file);
        if (status == KILN_OK) {
            status = kiln_file_advance(file, t->shared, t->size, NULL);
            ask(file);
        }
        return status;
    case TABLE:
        status = kiln_bins_open(t->path, &options, &table);
        if (status == KILN_OK) {
            double p[4];
            (void)kiln_bins_probabilities(table, 9, 5, 3, 3, p);
        }
        kiln_bins_close(table);
        return status;
    default: {
        kiln_adb_fitted rows[4];
        uint32_t count;
        return kiln_adb_read_weights(t->path, &options, rows, 4, &count);
    }
    }
}

int main(int argc, char **argv)
{
    char folder[SCRATCH_SIZE], *end;
    const unsigned long opens = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (argc != 2 || *end != '\0' || opens == 0) {
        (void)fprintf(stderr, "usage: writers OPENS\n");
        return 2;
    }
    if (!scratch_make(folder, "writers")) {
        stop("a scratch folder");
    }
    mesh m = mesh_torus(40, 30, 0.1);
    target targets[KINDS];
    size_t size;
    for (int kind = 0; kind < KINDS; kind++) {
        void *bytes = kind == TABLE ? quick_bins(KILN_BINS_EXACT, KILN_BINS_DOWN, 20, 3, 1,
                                                 KILN_LAYOUT_PACKED, &size)
                      : kind == WEIGHTS
                          ? quick_weights(true, &size)
                          : quick_bake(&m, QUICK_ALL_KINDS, 4,
                                       kind == RAW ? KILN_LAYOUT_RAW : KILN_LAYOUT_PACKED, &size);
        targets[kind] = make_target(folder, kind, bytes, size);
    }
    const pid_t writer = fork();
    if (writer < 0) {
        stop("fork");
    }
    if (writer == 0) {
        write_for_ever(targets);
    }
    for (unsigned long i = 0; i < opens; i++) {
        target *t = &targets[i % KINDS];
        if (open_one(t, (int)(i % KINDS)) == KILN_OK) {
            t->opened++;
        } else {
            t->refused++;
        }
    }
    int status;
    (void)kill(writer, SIGKILL);
    if (waitpid(writer, &status, 0) != writer || !WIFSIGNALED(status) ||
        WTERMSIG(status) != SIGKILL) {
        (void)fprintf(stderr, "writers: the writer ended before the opens did\n");
        return 1;
    }
    static const char *const names[] = {"packed", "raw, copied", "arriving", "table", "weights"};
    for (int kind = 0; kind < KINDS; kind++) {
        (void)printf("%s: %lu opened, %lu refused\n", names[kind], targets[kind].opened,
                     targets[kind].refused);
        (void)munmap(targets[kind].shared, targets[kind].size);
        free(targets[kind].whole);
    }
    mesh_free(&m);
    return scratch_remove(folder) ? 0 : 2;
}
