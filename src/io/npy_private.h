/* Shared by npy.c and npy_header.c only. */
#ifndef TORRE_NPY_PRIVATE_H
#define TORRE_NPY_PRIVATE_H

#include <stdio.h>

#include "io/npy.h"

/* Read the header from the beginning of a stream; path is for messages. */
torre_status torre_npy_header_scan(FILE *in, const char *path, torre_npy_header *header);

#endif
