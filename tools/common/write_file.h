/* Writing of whole files: the old or the new one is always complete. */
#ifndef KILN_WRITE_FILE_H
#define KILN_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define KILN_WRITE_MESSAGE_SIZE 256

/* Replaces the file `path` by the `size` bytes at `data`. They are written to a new file in the
 * same folder, flushed, checked at close, and only then renamed over `path`; after an error `path`
 * is what it was and the new file is gone. A symbolic link is followed; of a hard link only this
 * name is given the new bytes, so that copies made of links keep theirs. Devices such as /dev/null
 * and the process's own descriptors, by their names below /dev and /proc, are written directly;
 * named pipes, disks and sockets are refused. Permissions are those of the file that is replaced,
 * or of any new file under the umask. A new file that a killed process has left is removed by the
 * next that writes the same `path` on the same machine, until it is started again. On error
 * `message` says "what; why; what to do". The caller ignores SIGXFSZ if it wants a message from a
 * limit on file size. Any thread.
 */
bool kiln_write_file(const char *path, const void *data, size_t size,
                     char message[KILN_WRITE_MESSAGE_SIZE]);

/* Who has the last word on a rename: called in its place with the finished file `from`, it renames
 * it over `to`, or returns false, with a message or, by errno, without. */
typedef struct {
    bool (*move)(void *user, const char *from, const char *to,
                 char message[KILN_WRITE_MESSAGE_SIZE]);
    void *user;
} kiln_write_mover;

/* kiln_write_file with the rename left to `mover`; NULL: none. A file
 * that is written directly is not put to `mover`. */
bool kiln_write_file_by(const kiln_write_mover *mover, const char *path, const void *data,
                        size_t size, char message[KILN_WRITE_MESSAGE_SIZE]);

/* The same to an open descriptor such as standard output, which stays open. */
bool kiln_write_descriptor(int descriptor, const void *data, size_t size,
                           char message[KILN_WRITE_MESSAGE_SIZE]);

/* Could kiln_write_file succeed? Looks at the folder and the kind of file, before long work. */
bool kiln_write_file_possible(const char *path, char message[KILN_WRITE_MESSAGE_SIZE]);

/* "what; why; what to do" of an error number, as all of these say it. False, for `return`, with
 * errno set to it. */
bool kiln_write_explain(const char *what, int error, char message[KILN_WRITE_MESSAGE_SIZE]);

/* Removes the new file `path` that a process of this boot of this machine has left unfinished when
 * it was killed. False: it is another's, at work or not, or no such file. */
bool kiln_write_file_sweep(const char *path);

/* Would kiln_write_file_sweep remove it? */
bool kiln_write_file_is_orphan(const char *path);

/* Unlinks every new file that is not yet complete. For handlers of signals that end the process. */
void kiln_write_file_abandon(void);

#endif
