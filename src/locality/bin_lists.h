/*
 * Particles sorted into the bins of a periodic box.
 */
#ifndef TORRE_BIN_LISTS_H
#define TORRE_BIN_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A periodic box of bins. Planes have size[2] = 1 and any width[2]. */
typedef struct torre_bin_box {
    int64_t size[3]; /* bins along each axis, >= 1 */
    double width[3]; /* of a bin, > 0; the box is size * width long */
} torre_bin_box;

/* The particles of bin b are member[start[b]] .. member[start[b + 1] - 1], in ascending order. */
typedef struct torre_bin_lists {
    int64_t *start;  /* [bins + 1] */
    int64_t *member; /* [count] */
} torre_bin_lists;

int64_t torre_bin_box_bins(const torre_bin_box *box);

/* Row-major index of the bin at a (finite) position; positions are taken modulo the box. */
int64_t torre_bin_box_find(const torre_bin_box *box, const double position[3]);

/*
 * The distinct bins adjacent to a bin, itself included; axes of one or two bins wrap onto fewer
 * than three. Returns their number.
 */
int torre_bin_box_adjacent(const torre_bin_box *box, int64_t bin, int64_t adjacent[27]);

/* Vector from p to the nearest image of q. */
void torre_bin_box_nearest(const torre_bin_box *box, const double p[3], const double q[3],
                           double d[3]);

/* Sort count particles into lists, to be freed by torre_bin_lists_free; false: out of memory. */
bool torre_bin_lists_make(const torre_bin_box *box, int64_t count, const double (*position)[3],
                          torre_bin_lists *lists);
void torre_bin_lists_free(torre_bin_lists *lists);

#ifdef __cplusplus
}
#endif

#endif
