/* The sandbox of a process that reads a model. */
#ifndef KILN_IMPORT_SANDBOX_H
#define KILN_IMPORT_SANDBOX_H

#include <stdbool.h>

#include "../common/folders.h"

/* Closes the sandbox around the calling thread, for good. Afterwards starting a program, making or
 * using a socket, tracing, and changing mounts, namespaces or the kernel end the process (SIGSYS).
 * Opening a file for writing, making code executable and signalling another process fail with
 * EPERM. Whatever else a reader has no use for fails with ENOSYS. False where there is no sandbox:
 * not Linux on x86-64 or aarch64, a kernel without seccomp filters or under another's filter that
 * forbids them, a build for ThreadSanitizer. */
bool kiln_sandbox_close(void);

/* Lets the calling thread, for good, open files in the folders and below them only (Landlock); what
 * is open stays open. False where the kernel can't, or where the folders are all. */
bool kiln_sandbox_keep_in(const kiln_folders *folders);

#endif
