/* What a signal is called, for messages. */
#ifndef KILN_SIGNAL_TEXT_H
#define KILN_SIGNAL_TEXT_H

/* "Segmentation error"; "signal of another kind" for what ends no process by itself. As strsignal, which may
 * write to a buffer that threads share. Any thread. */
const char *kiln_signal_text(int number);

#endif
