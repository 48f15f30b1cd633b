/* The main program of a table of verbs. */
#ifndef KILN_CMD_PROGRAM_H
#define KILN_CMD_PROGRAM_H

#include "verb.h"

/* Runs the verb of this_program that the arguments name, or the option in its place; returns the
 * exit status. */
int program_main(int argc, char **argv);

#endif
