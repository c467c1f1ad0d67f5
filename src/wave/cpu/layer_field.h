/*
 * The memory of perfectly matched layers (layer_kernel.h) of the engines stepwise and torre, two
 * levels of it for each face that has one, or one level, and the tables of coefficients.
 */
#ifndef TORRE_LAYER_FIELD_H
#define TORRE_LAYER_FIELD_H

#include "wave/cpu/cpml_rows.h"
#include "wave/cpu/layer_kernel.h"
#include "wave/cpu/padded_field.h"
#include "wave/pml.h"
#include "wave/setup.h"

typedef struct torre_layer_face {
    char *level[2];      /* memory of the first row of cells along the normal; NULL: no layer; where
                            the face has one level both are the same */
    bool in_place;       /* it has: z faces, and others whose lines of cells along the normal are
                            updated all at once; none that convolves */
    int64_t outer_pitch; /* values from that of a row along the normal to the next: of y at x
                            faces, of x at y faces, of y, and then of x, at z faces */
    int64_t values;      /* of a level */
    torre_layer_end end; /* of z faces */
} torre_layer_face;

typedef struct torre_layers {
    int half_width;
    int64_t size[3]; /* of the cells that are stored */
    int64_t low;     /* x of the first of them in the whole grid, */
    int64_t planes;  /* and cells along x of that */
    bool keeps;      /* setup.keeps_layers */
    bool cut;        /* of a part that lacks some planes */
    torre_precision precision;
    torre_layer_scheme scheme;
    torre_layer_face face[3][2];
    torre_layer_function kernel;
    torre_layer_stack_function stack_kernel;
    torre_layer_end_function end_kernel;
    bool convolves; /* the layers are those of cpml.h: */
    torre_cpml_scheme cpml;
    torre_cpml_function cpml_cells;
    int64_t bytes; /* of everything; 0: there are no layers */
    char *memory;
    torre_rank_team *team; /* as of torre_padded_field */
} torre_layers;

/* Everything but memory and coefficients. The problem must have been checked. Of a part that is
 * cut along x alone. */
void torre_layers_layout(const torre_wave_setup *setup, torre_layers *layers);
/* The same as parts of the setup have it, whatever they hold. */
void torre_layers_layout_part(const torre_wave_setup *setup, torre_layers *layers);

/* Allocate what has been laid out, with zero memory and the tables, all members of a team (NULL:
 * none), who write the same tables. TORRE_ERR_RESOURCE. Free with _free. */
torre_status torre_layers_alloc(const torre_wave_setup *setup, torre_rank_team *team, int threads,
                                torre_layers *layers);
/* Make the tables anew: steps, weights of the axes, k where it is the same everywhere. */
void torre_layers_tables(const torre_wave_setup *setup, torre_layers *layers);
void torre_layers_free(torre_layers *layers);

/* Become those of another part, which stores no more planes than the one that memory was allocated
 * for: what both store stays, and so do layers across x. */
void torre_layers_move(torre_layers *layers, const torre_wave_setup *setup);

/* Forget everything. */
void torre_layers_clear(torre_layers *layers);

/* The other level is the present one from now on. */
void torre_layers_swap(torre_layers *layers);

/* Copy a slice (pml.h) of a level from or to an array: `values` is its value of the first of the
 * planes low .. high - 1 across x, of those that are stored, stride[a] values lie between
 * neighbours along axis a. NULL writes zeros; a layer that is not there has no values. */
void torre_layers_write(torre_layers *layers, int level, const torre_layer_slice *slice,
                        int64_t low, int64_t high, const int64_t stride[3], const void *values);
void torre_layers_read(const torre_layers *layers, int level, const torre_layer_slice *slice,
                       int64_t low, int64_t high, const int64_t stride[3], void *values);

/* The value of a slice in the memory of a row of cells along the normal, at z faces of a column;
 * and how often it is repeated, so many values further on each time. */
int64_t torre_layers_slice_value(const torre_layers *layers, const torre_layer_slice *slice);
int64_t torre_layers_slice_copies(const torre_layers *layers, const torre_layer_slice *slice,
                                  int64_t *next);

/*
 * All that goes with planes low .. high - 1 across x, numbered as in the whole grid, one plane
 * after the other (layer_planes.c): of each level, first that of even (0) or of odd (1) steps, or
 * of the one there is. Bytes of it, of layers that are laid out; and copies of the planes, which
 * must be stored, also in the middle of a pass.
 */
int64_t torre_layers_planes_bytes(const torre_layers *layers, int64_t low, int64_t high);
void torre_layers_read_planes(const torre_layers *layers, int64_t low, int64_t high, int first,
                              void *values);
void torre_layers_write_planes(torre_layers *layers, int64_t low, int64_t high, int first,
                               const void *values);
/* Where a slice across y or z lies in that of a plane, of the first (0) or the second level. */
torre_layer_place torre_layers_place(const torre_layers *layers, const torre_layer_slice *slice,
                                     int level);

/* Whether a face has one level for both. */
static inline bool torre_layer_in_place(const torre_layer_face *face) { return face->in_place; }

/* Cells at a face across x or y that are to be updated all at once; 0: one by one. */
static inline int64_t torre_layers_held(const torre_layers *l, int axis, int side)
{
    const bool held = axis < 2 && l->face[axis][side].in_place;
    return held ? l->scheme.width + (int64_t)l->half_width - 1 : 0;
}

/* Cell at (0 .. W - 1, below that of the grid in front) of a layer, counted outwards. */
static inline int64_t torre_layer_depth(const torre_layers *l, int axis, int side, int64_t i)
{
    const int64_t W = l->scheme.width, n = axis == 0 ? l->planes : l->size[axis];
    if (axis == 0) i += l->low;
    return side ? i - (n - W) : W - 1 - i;
}

#endif
