/* Signals that end the command: unfinished outputs are removed first, and a batch may end in good
 * order.
 *
 * An output is written under another name and renamed when it is whole. A signal in between would
 * leave that file in its folder, so the handler abandons it, sets the default action again and
 * raises the signal once more: the caller sees a process that died by it, as the shell expects. A
 * batch asks for the first signal to be noted only, polls it between two assets, and dies by it at
 * its end. A signal that was ignored when the command began, as by nohup, stays ignored. The
 * handler uses nothing that is not async-signal-safe: atomics, unlink, signal and raise. */
#define _XOPEN_SOURCE 700

#include "signals.h"

#include "../../../formats/assert.h"
#include "../../common/write_file.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* Atomics without locks, which a handler may use: is the first signal only noted, and which was
 * it? */
static atomic_bool only_note;
static atomic_int noted;

/* The exchange lets one thread note the first signal; every later one, on any thread, takes the
 * other branch. */
static void take_signal(int number)
{
    int none = 0;
    if (atomic_load(&only_note) && atomic_compare_exchange_strong(&noted, &none, number)) {
        return;
    }
    kiln_write_file_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that was ignored when the command began stays ignored, as under nohup. */
static void catch_signal(int number)
{
    struct sigaction action, before;
    KILN_ASSERT(number > 0);
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) {
        return;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = take_signal;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask); /* no second signal while files are being removed */
    sigaction(number, &action, NULL);
}

void signals_note(void)
{
    atomic_store(&only_note, true);
}

int signals_noted(void)
{
    return atomic_load(&noted);
}

/* The default action is set again, so that the process ends by the signal itself. */
void signals_end(void)
{
    const int number = signals_noted();
    if (number != 0) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* A write beyond the limit on file size then fails with EFBIG, which is reported like a full
 * disk. */
void signals_set(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    signal(SIGXFSZ, SIG_IGN);
}
