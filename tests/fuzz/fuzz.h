/* What the fuzz targets share: input as a file, conditions that must hold, little memory. */
#ifndef TORRE_FUZZ_H
#define TORRE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The entry of a target, called with every input. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of this name holding the input, rewritten by every call; its path. */
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);

/* What a reader promises of what it accepts. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);             \
        abort();                                                                                   \
    } while (0)

#endif
