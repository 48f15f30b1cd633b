#define _XOPEN_SOURCE 700

#include "signal_text.h"

#include <signal.h>
#include <stddef.h>

const char *kiln_signal_text(int number)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {{SIGABRT, "Aborted"},
                 {SIGBUS, "Bus error"},
                 {SIGFPE, "Floating point exception"},
                 {SIGHUP, "Hangup"},
                 {SIGILL, "Illegal instruction"},
                 {SIGINT, "Interrupt"},
                 {SIGKILL, "Killed"},
                 {SIGPIPE, "Broken pipe"},
                 {SIGQUIT, "Quit"},
                 {SIGSEGV, "Segmentation error"},
                 {SIGSYS, "Bad system call"},
                 {SIGTERM, "Terminated"},
                 {SIGTRAP, "Trace/breakpoint trap"},
                 {SIGXCPU, "CPU time limit exceeded"},
                 {SIGXFSZ, "File size limit exceeded"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].number == number) {
            return texts[i].text;
        }
    }
    return "signal of another kind";
}
