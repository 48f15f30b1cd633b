#define _POSIX_C_SOURCE 200809L
#include "assimp_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    struct aiFile file;
    kiln_reading *reading;
    kiln_model bytes;
    uint64_t at;
    bool owned; /* the descriptor is ours to close */
} open_file;

static open_file *self(struct aiFile *file)
{
    return (open_file *)(void *)file->UserData;
}

static size_t read_some(struct aiFile *file, char *to, size_t size, size_t count)
{
    open_file *f = self(file);
    size_t got;

    if (size == 0 || count > SIZE_MAX / size)
        return 0;
    got = kiln_model_read(&f->bytes, f->at, to, size * count);
    f->at += got;
    return got / size;
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return (size_t)self(file)->at;
}

static size_t size_of(struct aiFile *file)
{
    return (size_t)self(file)->bytes.size;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    open_file *f = self(file);
    uint64_t from = origin == aiOrigin_CUR ? f->at : origin == aiOrigin_END ? f->bytes.size : 0;
    uint64_t to = from + offset; /* going back wraps around, as it is meant to */

    if (to > f->bytes.size)
        return aiReturn_FAILURE;
    f->at = to;
    return aiReturn_SUCCESS;
}

static void flush_nothing(struct aiFile *file)
{
    (void)file;
}

static void close_one(struct aiFileIO *files, struct aiFile *file)
{
    open_file *f;

    (void)files;
    if (file == NULL)
        return;
    f = self(file);
    if (f->owned)
        close(f->bytes.file);
    free(f);
}

/* Opens a regular file for reading, and nothing else. It is recorded at once: that it is there may
 * count, even if it is not read. */
static bool open_beside(open_file *f, const char *name)
{
    struct stat status, model;
    int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (file < 0)
        return false;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return false;
    }
    f->bytes.file = file;
    f->bytes.size = (uint64_t)status.st_size;
    f->owned = true;
    if (f->reading->model.file < 0 || fstat(f->reading->model.file, &model) != 0 ||
        model.st_dev != status.st_dev || model.st_ino != status.st_ino)
        kiln_read_side_file(f->reading, name);
    return true;
}

static struct aiFile *open_one(struct aiFileIO *files, const char *name, const char *mode)
{
    kiln_reading *reading = (kiln_reading *)(void *)files->UserData;
    open_file *f =
        strchr(mode, 'w') == NULL && strchr(mode, 'a') == NULL ? calloc(1, sizeof *f) : NULL;

    if (f == NULL)
        return NULL;
    f->reading = reading;
    if (strcmp(name, reading->name) == 0) {
        f->bytes = reading->model;
    } else if (!open_beside(f, name)) {
        kiln_read_absent_file(reading, name);
        free(f);
        return NULL;
    }
    f->file = (struct aiFile){.ReadProc = read_some,
                              .WriteProc = write_nothing,
                              .TellProc = tell,
                              .FileSizeProc = size_of,
                              .SeekProc = seek,
                              .FlushProc = flush_nothing,
                              .UserData = (aiUserData)(void *)f};
    return &f->file;
}

struct aiFileIO kiln_assimp_files(kiln_reading *reading)
{
    return (struct aiFileIO){
        .OpenProc = open_one, .CloseProc = close_one, .UserData = (aiUserData)(void *)reading};
}
