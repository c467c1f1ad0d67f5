/* What ranks of a run (rank_run.h) have in common, and what rank 0 asks the others for. */
#ifndef TORRE_RANK_PROGRAM_H
#define TORRE_RANK_PROGRAM_H

#include "core/rank_meet.h"
#include "core/ranks.h"
#include "wave/part.h"
#include "wave/planes.h"
#include "wave/program.h"
#include "wave/rank_run.h"

typedef struct torre_rank_program {
    torre_wave_program base;
    const torre_ranks *ranks;
    const torre_wave_backend *backend; /* computes the slabs */
    torre_plane_layout layout;
    int slab, slabs;           /* this rank's, of so many: one for ranks that are a team */
    int64_t below, above;      /* planes that a slab stores beside those it owns */
    int64_t ends;              /* planes that slabs at the ends own at least (end_planes) */
    int64_t shift;             /* cuts lie so much lower than even ones, as towers move up */
    torre_wave_part *part;     /* this rank's, */
    torre_wave_program *inner; /* and the program of its solver; NULL when there is that */
    char (*device)[TORRE_RANK_DEVICE]; /* rank 0: [ranks], when they have gathered, */
    torre_rank_met met;                /* and what they say then */
    torre_rank_path *path[2]; /* past the host, to the rank below, above; NULL: there is none */
} torre_rank_program;

/* The first rank of a slab, which speaks for it; of slab `slabs` the count of all. */
int torre_rank_first(const torre_rank_program *program, int slab);
/* The first plane that a slab owns; of slab `slabs` the end. */
int64_t torre_rank_cut(const torre_rank_program *program, int slab);
torre_region torre_rank_region(const torre_rank_program *program, int slab);
/* What is a rank's own of the planes of its slab. */
torre_planes torre_rank_planes(const torre_rank_program *program, int rank);

/* Requests of rank 0; what follows each and what comes back. */
typedef enum torre_rank_request_kind {
    TORRE_RANK_END = 1,
    TORRE_RANK_MEET,        /* back: torre_rank_met of the link to the rank below */
    TORRE_RANK_START,       /* back: int64_t columns of samples that are its own, then which */
    TORRE_RANK_SET_STEP,    /* steps: which */
    TORRE_RANK_ADVANCE,     /* back: torre_rank_advanced, then samples (steps, its columns). Of
                               processes that sum receivers and have some: of each pass before
                               that, while it is in the next one, torre_rank_summed, sums (steps,
                               its columns), and records: which, then values (part_sums.h) */
    TORRE_RANK_READ,        /* back: the values of the box, dense */
    TORRE_RANK_WRITE,       /* values of the box, unless they are zero */
    TORRE_RANK_READ_LAYER,  /* the same of a slice of a layer, in a box of the thickness 1; */
    TORRE_RANK_WRITE_LAYER, /* zero: of all layers */
    TORRE_RANK_NORMS        /* back: torre_wave_norms with first_bad alone, sums of its planes */
} torre_rank_request_kind;

typedef struct torre_rank_request {
    int64_t kind, level, steps, zero, samples;
    torre_box box;
    torre_layer_slice slice;
    torre_part_sums *sums; /* where all put what they have in part; of one process */
} torre_rank_request;

typedef struct torre_rank_summed {
    int64_t first, steps, records;
} torre_rank_summed;

typedef struct torre_rank_advanced {
    double waited_s;    /* for neighbours, since the start */
    int64_t sent_bytes; /* to them */
} torre_rank_advanced;

/* What rank 0 has of all: create, and the functions of its solver. */
extern const torre_wave_backend torre_wave_rank_solver;

#endif
