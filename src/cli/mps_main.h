/* The part of the program `md` that runs a fluid (--model mps). */
#ifndef TORRE_MPS_MAIN_H
#define TORRE_MPS_MAIN_H

#include <stdbool.h>

/* Whether the command line asks for --model mps: its options are others than those of pairs. */
bool mps_main_wanted(int argc, char *const *argv);

/* Exit code of the program. */
int mps_main(int argc, char **argv);

#endif
