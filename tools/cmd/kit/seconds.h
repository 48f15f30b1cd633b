/* A clock that only runs forward. */
#ifndef KILN_CMD_SECONDS_H
#define KILN_CMD_SECONDS_H

double seconds_now(void);

#endif
