/* What is drawn around the data of a picture (figure/figure.h does it). */
#ifndef TORRE_FIGURE_ABOUT_H
#define TORRE_FIGURE_ABOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "torre/wave.h"

/* What a figure says beside its data; texts and points are the caller's. */
typedef struct torre_figure_about {
    double scale;        /* pixels a unit of length of the sheet (torre_picture_scale) */
    const char *subject; /* what is shown, the first line */
    const char *detail;  /* ends the second line; NULL: nothing */
    /* planes and traces */
    int across;                           /* axis of the grid that a plane is across: 0, 1, 2 */
    const torre_point *source, *receiver; /* marks */
    int64_t source_count, receiver_count;
    /* particles: axes to the right and upwards, seen along the third; whose position 0 is origin */
    int right, up;
    double origin[3];
    bool flat; /* one layer of them */
    bool si;   /* else Lennard-Jones units */
} torre_figure_about;

#endif
