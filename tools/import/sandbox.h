/* The system calls that the process which reads a model may make: memory, time, files for reading. */
#ifndef KILN_IMPORT_SANDBOX_H
#define KILN_IMPORT_SANDBOX_H

#include <stdbool.h>

/* Closes the sandbox around the calling thread, for good. Afterwards starting a program, making or using
 * a socket, tracing, and changing mounts, namespaces or the kernel end the process (SIGSYS); opening a
 * file for writing, making code executable and signalling another process fail with EPERM; whatever
 * else a reader has no use for fails with ENOSYS. False where there is no sandbox: not Linux on x86-64 or
 * aarch64, a kernel without seccomp filters or under another's filter that forbids them, a build for
 * ThreadSanitizer. */
bool kiln_sandbox_close(void);

#endif
