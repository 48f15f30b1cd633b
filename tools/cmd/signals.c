#define _XOPEN_SOURCE 700

#include "signals.h"

#include "../common/write_file.h"

#include <signal.h>
#include <string.h>

/* The handler was reset when it was entered, so the signal now ends the process as it would have. */
static void clean_and_end(int number)
{
    kiln_write_file_abandon();
    raise(number);
}

static void catch_signal(int number)
{
    struct sigaction action, before;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler == SIG_IGN) {
        return;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = clean_and_end;
    action.sa_flags = (int)SA_RESETHAND;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void signals_set(void)
{
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
    signal(SIGXFSZ, SIG_IGN);
}
