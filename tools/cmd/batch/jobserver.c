/* A client of the jobserver of GNU make, in its two forms: a named fifo, and a pipe whose two
 * descriptors are inherited.
 *
 * Reading a token must not block, since a thread that waits for one also has to notice signals. The
 * descriptors that make hands on are shared with it and all of its children, so none of them may be
 * made non-blocking; a pipe is opened anew for that, by its name in /proc. */
#define _XOPEN_SOURCE 700

#include "jobserver.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of the last "--jobserver-auth=", or of the older name, up to a blank; NULL: there is
 * none. */
static const char *find_flag(const char *flags, size_t *length)
{
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    const char *found = NULL;
    for (size_t i = 0; i < 2; i++) {
        const char *at = flags;
        while ((at = strstr(at, names[i])) != NULL) {
            at += strlen(names[i]);
            found = found == NULL || at > found ? at : found;
        }
    }
    *length = found != NULL ? strcspn(found, " ") : 0;
    return found;
}

/* A jobserver that is named but can't be opened is not the same as none: make has then decided that
 * this process is one job. */
void jobserver_open(jobserver *server)
{
    const char *flags = getenv("MAKEFLAGS");
    size_t length = 0;
    const char *where = flags != NULL ? find_flag(flags, &length) : NULL;
    memset(server, 0, sizeof *server);
    server->from = -1;
    if (where == NULL) {
        return;
    }
    server->state = JOBSERVER_SHUT;
    char name[4096];
    int from, to;
    struct stat facts;
    if (length > 5 && strncmp(where, "fifo:", 5) == 0) {
        if (length - 5 >= sizeof name) {
            return;
        }
        snprintf(name, sizeof name, "%.*s", (int)(length - 5), where + 5);
        server->from = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        server->to = server->from;
    } else if (sscanf(where, "%d,%d", &from, &to) == 2 && from >= 0 && to >= 0 &&
               fcntl(to, F_GETFD) >= 0 && fstat(from, &facts) == 0 && S_ISFIFO(facts.st_mode)) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", from);
        server->from = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        server->to = to;
    }
    if (server->from >= 0) {
        server->state = JOBSERVER_OPEN;
    }
}

void jobserver_close(jobserver *server)
{
    while (server->held > 0) {
        jobserver_give(server);
    }
    if (server->from >= 0) {
        close(server->from);
    }
    server->from = -1;
    server->state = JOBSERVER_NONE;
}

bool jobserver_take(jobserver *server)
{
    char token;
    KILN_ASSERT(server->state == JOBSERVER_OPEN);
    if (server->held == JOBSERVER_TOKENS_MAX || read(server->from, &token, 1) != 1) {
        return false;
    }
    server->tokens[server->held++] = token;
    return true;
}

/* The same byte goes back: make gives bytes a meaning when a job of it fails. */
void jobserver_give(jobserver *server)
{
    KILN_ASSERT(server->held > 0 && server->held <= JOBSERVER_TOKENS_MAX);
    const char *token = &server->tokens[--server->held];
    while (write(server->to, token, 1) < 0 && errno == EINTR) {
    }
}

void jobserver_wait(const jobserver *server, int milliseconds)
{
    struct pollfd ready = {.fd = server->from, .events = POLLIN, .revents = 0};
    (void)poll(&ready, 1, milliseconds);
}
