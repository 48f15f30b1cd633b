/* Where the importing programs are.
 *
 * Three programs read models, since those that load Assimp, or what decompresses glTF, take several
 * times as long to start: a model of another format is not to wait for that. They lie in
 * libexec/kiln below the prefix of an installed tree, and of a build folder. The running program is
 * the command in PREFIX/bin, a test deep in the build folder, or any program with libkilnbake in
 * it: so libexec/kiln is looked for in the folder of the running program and in some above it, and
 * last where `make install` has put it. An installed tree may be moved as a whole.
 *
 * Folders above a program may be those that everybody writes to, such as /tmp. There only a file of
 * the user, of who owns the running program, or of root is taken, from folders of theirs. */
#define _GNU_SOURCE
#include "program.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "child.h"
#include "mesh.h"

/* How many folders above that of the running program are looked in. */
enum { FOLDERS_ABOVE = 3 };

/* Set where this source is compiled for an installed libkilnbake.a. */
#ifndef KILN_LIBEXECDIR
#define KILN_LIBEXECDIR ""
#endif

static bool is_trusted(const struct stat *facts, const struct stat *owner)
{
    return (facts->st_uid == owner->st_uid || facts->st_uid == geteuid() || facts->st_uid == 0) &&
           (S_ISLNK(facts->st_mode) || (facts->st_mode & S_IWOTH) == 0);
}

/* Is a program there? Unless the owner is NULL, nobody but him, the user and root may have put it
 * there, or may put another in its place: so the file, its link, and the folders libexec/kiln and
 * libexec are looked at. Writers of a group are those that its owner has let in. */
static bool is_there(const char *path, const struct stat *owner)
{
    struct stat facts;
    char folder[PATH_MAX];
    bool trusted;

    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    if (owner == NULL)
        return true;
    trusted = is_trusted(&facts, owner) && lstat(path, &facts) == 0 && is_trusted(&facts, owner) &&
              snprintf(folder, sizeof folder, "%s", path) < (int)sizeof folder;
    for (int i = 0; i < 2 && trusted; i++) {
        *strrchr(folder, '/') = '\0';
        trusted = stat(folder, &facts) == 0 && is_trusted(&facts, owner) &&
                  lstat(folder, &facts) == 0 && is_trusted(&facts, owner);
    }
    return trusted;
}

/* Appends ", TEXT" to a list in new memory. */
static void append(char **list, const char *text)
{
    char *longer = NULL;

    if (asprintf(&longer, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? ", " : "", text) <
        0)
        return;
    free(*list);
    *list = longer;
}

char *kiln_importer_path(const char *importer, const char *name, char **looked)
{
    char self[PATH_MAX] = "", *path = NULL, *slash;
    struct stat owner;
    ssize_t length;

    *looked = NULL;
    if (importer != NULL) {
        if (asprintf(&path, "%s/%s", importer, name) < 0)
            return NULL;
        if (is_there(path, NULL))
            return path;
        append(looked, importer);
        free(path);
        return NULL;
    }

    length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    slash = stat(self, &owner) == 0 ? strrchr(self, '/') : NULL;
    for (int i = 0; i <= FOLDERS_ABOVE && slash != NULL; i++) {
        *slash = '\0';
        if (asprintf(&path, "%s/libexec/kiln/%s", self, name) < 0)
            return NULL;
        if (is_there(path, &owner))
            return path;
        *strrchr(path, '/') = '\0';
        append(looked, path);
        free(path);
        slash = strrchr(self, '/');
    }
    if (KILN_LIBEXECDIR[0] == '\0' || asprintf(&path, "%s/kiln/%s", KILN_LIBEXECDIR, name) < 0)
        return NULL;
    if (is_there(path, NULL))
        return path;
    append(looked, KILN_LIBEXECDIR "/kiln");
    free(path);
    return NULL;
}

size_t kiln_programs_of(const char *importer, const char *path, const char *format,
                        char *programs[KILN_PROGRAMS_MAX])
{
    const char *dot = strrchr(path, '.'), *slash;
    const char *extension = format != NULL ? format : dot != NULL ? dot + 1 : "";
    char self[PATH_MAX], lower[16] = "", *looked = NULL;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    size_t count = 0;

    for (size_t i = 0; extension[i] != '\0' && i < sizeof lower - 1; i++)
        lower[i] = extension[i] >= 'A' && extension[i] <= 'Z' ? (char)(extension[i] - 'A' + 'a')
                                                              : extension[i];
    programs[count] = length > 0 ? strndup(self, (size_t)length) : NULL;
    count += programs[count] != NULL;
    programs[count] = kiln_importer_path(importer, kiln_importer_name(lower), &looked);
    free(looked);
    if (programs[count] == NULL)
        return count;
    slash = strrchr(programs[count], '/');
    KILN_ASSERT(slash != NULL);
    count++;
    programs[count] = strndup(programs[count - 1], (size_t)(slash - programs[count - 1]));
    count += programs[count] != NULL && programs[count][0] != '\0';
    return count;
}

/* -- the library's version -- */

/* A process may live for days, in which a program is replaced: the version is that of a file, known
 * by what the system says of it, and not of a path. A shared library that is replaced below the
 * same program is noticed by the next import, whose greeting has its version. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *known_path; /* of the program that was started last */
static struct stat known_facts;
static char known_version[KILN_LIBRARY_VERSION_SIZE];

static bool is_known(const char *path, const struct stat *facts)
{
    return known_path != NULL && strcmp(known_path, path) == 0 &&
           known_facts.st_dev == facts->st_dev && known_facts.st_ino == facts->st_ino &&
           known_facts.st_size == facts->st_size &&
           known_facts.st_mtim.tv_sec == facts->st_mtim.tv_sec &&
           known_facts.st_mtim.tv_nsec == facts->st_mtim.tv_nsec;
}

/* Only the greeting is wanted. */
static bool receive_nothing(void *user, const uint8_t *data, size_t size)
{
    (void)user, (void)data, (void)size;
    return false;
}

/* With the lock held. */
static void note(const char *path, const struct stat *facts,
                 const char version[KILN_LIBRARY_VERSION_SIZE])
{
    char *copy = strdup(path);

    free(known_path);
    known_path = copy;
    known_facts = *facts;
    memcpy(known_version, version, sizeof known_version);
}

void kiln_importer_note(const char *path, const char version[KILN_LIBRARY_VERSION_SIZE])
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return;
    (void)pthread_mutex_lock(&lock);
    if (version[0] != '\0')
        note(path, &facts, version);
    (void)pthread_mutex_unlock(&lock);
}

/* The key of every bake has it, so it is found once for a program. The file is
 * looked at before it is started: a newer one than that which answered counts as another. */
void kiln_importer_library(const char *importer, const char *format,
                           char version[KILN_LIBRARY_VERSION_SIZE])
{
    char *looked = NULL, *path;
    struct stat facts;

    memset(version, 0, KILN_LIBRARY_VERSION_SIZE);
    if (kiln_format_trust(format) == KILN_TRUST_OWN || strcmp(format, kiln_mesh_format) == 0)
        return;
    path = kiln_importer_path(importer, kiln_importer_name(format), &looked);
    free(looked);
    if (path == NULL || stat(path, &facts) != 0) {
        free(path);
        return;
    }
    (void)pthread_mutex_lock(&lock);
    if (!is_known(path, &facts)) {
        char *const arguments[] = {path, "--serve=" KILN_CHILD_VERSION, "--greet", NULL};
        /* A limit against what hangs, such as a disk that is away. */
        const kiln_child child = {.program = path,
                                  .arguments = arguments,
                                  .file = -1,
                                  .receive = receive_nothing,
                                  .seconds = 60};
        kiln_child_greeting greeting;
        int number;

        /* A program that fails is started again by the next who asks, and reported by an import. */
        if (kiln_child_run(&child, &greeting, &number) == KILN_CHILD_ENDED)
            note(path, &facts, greeting.library);
    }
    if (is_known(path, &facts))
        memcpy(version, known_version, sizeof known_version);
    (void)pthread_mutex_unlock(&lock);
    free(path);
}
