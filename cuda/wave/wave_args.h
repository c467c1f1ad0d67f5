/*
 * What the kernels of the wave backend are given: plain data shared by host C and device code.
 *
 * Fields live on the device as (nx, ny, nz) with z fastest, rows of z padded to whole 128-byte
 * lines. Two arrays hold the even and the odd time levels; field[1] is u[n] and field[0] is u[n-1]
 * at the start of a launch, and step t of the launch (t = 0, 1, ...) reads field[(t + 1) & 1] and
 * overwrites field[t & 1].
 *
 * Per cell all kernels do the same arithmetic in the same order (wave_cell.cuh).
 */
#ifndef TORRE_WAVE_ARGS_H
#define TORRE_WAVE_ARGS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cuda/tower/tower_launch.h"
#include "cuda/wave/gpu_data.h"
#include "wave/boundary.h"
#include "wave/stencil.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the values outside one axis come from: entry i of side 0 (1) is the cell -1 - i (n + i;
 * along z in block towers, the i-th beyond the last whole vector, see torre_cuda_planes). */
typedef struct torre_mirror {
    int source[2][TORRE_TOWER_HALF_WIDTH];
    int sign[2][TORRE_TOWER_HALF_WIDTH];
} torre_mirror;

/* A node of a source. */
typedef struct torre_point_node {
    int line; /* i * block_x + j of its column inside the block */
    int z;    /* cell index along z */
    int slot; /* column of the source values */
} torre_point_node;

/* The same where the lanes of a block share them out, in the order of the values. */
typedef struct torre_part_node {
    int16_t line;
    int16_t plane; /* along z, of those of the part */
} torre_part_node;

/* A node in a strip: the towers (s, m) of one m; or a unit, which begins there. */
typedef struct torre_strip_node {
    int x, row; /* row: cells along y from the middle of the strip, y = D m */
    int z, slot;
} torre_strip_node;

/* Where there are many: a run of nodes or units that follow each other along z in the planes of one
 * warp, as their slots do. */
enum { TORRE_RUN = 8, TORRE_WARP_PLANES = 32 };
typedef struct torre_strip_run {
    int x;
    int16_t row, count;
    int z, slot; /* of the first */
} torre_strip_run;

/* The same, of units in a column that stays in a diamond. what: number of the column in bits 0 to 7
 * (TORRE_KEPT of column (u, v), u, v > 0), unit of the part in bits 8 to 15, units from bit 16.
 * A unit of a block: number of the block in bits 0 to 7 (torre_row_start), unit of the part in bits
 * 8 to 15, column in the block from bit 16. */
typedef struct torre_place_run {
    uint32_t what;
    int slot;
} torre_place_run;
#define TORRE_KEPT(D, u, v) (((u)-1) / 2 * (2 * (D)-1) + ((u)&1 ? 0 : (D)) + ((v)-1) / 2)

/* Block (X, y) of a diamond of half-size D, in blocks, has number torre_row_start(D, y) + X. */
static inline TORRE_HD int torre_row_start(int D, int y)
{
    return (y <= 0 ? (y + D - 1) * (y + D) : 2 * D * D - (D - y) * (D - y + 1)) - abs(y);
}

/* Cells along z that are recorded together, counted from the first plane of a part. */
enum { TORRE_UNIT = 4 };

/*
 * Sources sorted by block: a block is block_x by block_x columns of cells times `planes` cells
 * along z. node[first[b]] .. node[first[b + 1] - 1] are those of block b = (X * blocks_y + Y) *
 * parts + part; first is NULL where there are neither sources nor receivers.
 * Register towers have them sorted by strip instead, so that what a diamond may have lies together:
 * b = (m * parts + part) * nx + x. Most nodes are in two strips.
 *
 * Receivers are summed of what towers record: samples of units (wave_receivers.c), those that some
 * receiver takes. marked[b] is the number of the marks of block b; -1 where nothing is recorded.
 * Marks are torre_mark_words of `marks`: which unit is recorded first, then a bit for each unit of
 * the block, along z and then column after column: units are numbered in this order.
 * At order 8 they come by the threads that hold them: unit u of a column belongs to group u %
 * mark_groups of lanes; groups follow each other, in them units along z, of each of these all
 * columns.
 * Register towers have units sorted by strip, as sources are; slot is the number of the unit.
 *
 * Where there are many, register towers have runs of both in strips, sorted by where a diamond that
 * goes along x leaves them: b = (m * parts + part) * (nx + D - 1) + x - |row| + D - 1. And what
 * stays in a diamond whose column (0, 0) lies at x > -2 D is in list (m * parts + part) * (nx + 2 D
 * - 2) + x + 2 D - 1 of places. One that is not empty begins with an entry more, whose slot is how
 * many there are, and `what` a bit for each warp that has some; its length is even.
 * Block towers then have no marks, but a list for each place of a diamond, too, of all units in it:
 * (m * parts + part) * (X + 2 D - 1) + x + 2 D - 1, where the grid has X blocks along x and block
 * (0, 0) of the diamond, whose half-size is D blocks, is number x.
 *
 * Values have one row per step of the launch, samples one for each level that is recorded
 * (torre_sample_row).
 */
typedef struct torre_points_args {
    const int *first;
    union {
        const torre_point_node *node;
        const torre_part_node *part_node;
        const torre_strip_node *strip_node;
        const torre_strip_run *strip_run;
    };
    const void *source_values; /* real [steps][source_count], each of: */
    const double *source_weight, *wavelet;
    int64_t source_count;
    int blocks_y;
    union {
        const int *marked;
        const int *strip_first_unit;
    };
    union {
        const uint32_t *marks;
        const torre_strip_node *strip_unit;
        const torre_strip_run *strip_unit_run;
    };
    bool many, rare;        /* rare: most towers meet none */
    const int *place_first; /* of many */
    const torre_place_run *place_runs;
    void *samples;                  /* real [rows][units][TORRE_UNIT] */
    int64_t units;                  /* 0: nothing is recorded */
    int record_first, record_every; /* levels t = first, first + every, .. */
} torre_points_args;

/* The row of the samples of level t = 1, 2, .. of the launch; -1: it is not recorded. */
static inline TORRE_HD int torre_sample_row(const torre_points_args *points, int t)
{
    const int after = t - points->record_first, row = after / points->record_every;
    return after >= 0 && row * points->record_every == after ? row : -1;
}

/* Words of the marks of `columns` columns, of which a block has so many planes. */
#define TORRE_MARK_BITS(columns, planes) ((columns) * (((planes) + TORRE_UNIT - 1) / TORRE_UNIT))
#define TORRE_MARK_WORDS(columns, planes)                                                          \
    ((1 + (TORRE_MARK_BITS(columns, planes) + 31) / 32 + 3) / 4 * 4)

typedef struct torre_wave_args {
    void *field[2];
    double unit;   /* of k: the weight along x at order 2, else 1; weights are divided by it */
    const void *k; /* (c dt)^2 per cell, m^2, times `unit`; NULL: k0 everywhere */
    int64_t k_stride_x, k_stride_y; /* in cells; 0 for a model that ignores x or y */
    double k0;
    double weight[3][TORRE_TOWER_HALF_WIDTH]; /* G_d / h_axis^2, d = 1 .. R */
    int n[3];
    int64_t stride_x, stride_y; /* in cells */
    torre_mirror mirror[3];
    int periodic[3];
    const void *damping[3]; /* s dt along each axis (real); all or none NULL */
    int clear[3][2];        /* cells lo <= i < hi of each axis are undamped */
    torre_points_args points;
    /* -(c dt)^2 q (density.h) per cell, beside k alone; NULL: density does not vary */
    const void *binding;
    int64_t binding_stride_x, binding_stride_y; /* in cells; 0 where there is none */
} torre_wave_args;

/* Weights and mirrors of any order of the table. */
typedef struct torre_wide_mirror {
    int source[2][TORRE_MAX_HALF_WIDTH];
    int sign[2][TORRE_MAX_HALF_WIDTH];
} torre_wide_mirror;

typedef struct torre_wide_stencil {
    double weight[3][TORRE_MAX_HALF_WIDTH];
    torre_wide_mirror mirror[3];
} torre_wide_stencil;

/*
 * The memory of perfectly matched layers (wave_layer_cell.cuh), or of such that convolve
 * (wave_layer_convolved.cuh): `old` of level n, `made` of n + 1, each one array of values. That of
 * a face begins at first[axis][side] (-1: it has no layer) with its first slot, of column 0; slots
 * lie slot[axis] values apart. Lines of columns of x (y) faces are outer[axis] values apart along y
 * (x), and along z one after the other; of z faces they are outer[2] apart along x, and along y one
 * after the other.
 */
typedef struct torre_layer_args {
    int width;      /* W; 0: there are none */
    bool convolves; /* they are those of wave/cpml.h */
    const void *old;
    void *made;
    const void *steps;                      /* real [2][W + 2]: a, then b */
    double weight[3][TORRE_MAX_HALF_WIDTH]; /* C_m / h_axis^2, over `unit` */
    double unit[3];                         /* 1 / h_axis^2, over `unit`; C_m, and D: */
    double bend[TORRE_MAX_HALF_WIDTH], slope[TORRE_MAX_HALF_WIDTH];
    int64_t first[3][2], slot[3], outer[3];
} torre_layer_args;

/* What a block of the stepwise kernel covers. */
typedef struct torre_step_shape {
    int rows, planes; /* along y and z */
    int blocks;       /* persistent blocks that take tiles in turn; 0: one block a tile */
} torre_step_shape;

/* One launch of the stepwise kernel (one step). */
typedef struct torre_step_launch {
    torre_step_shape shape;
    const int *tiles; /* block (x, y, z) tile coordinates, three ints each, in traversal order */
    int tile_count;
    int chunk;     /* cells along x that a block marches over */
    int low, high; /* planes across x that are computed, by tiles from the first on; tiles that
                      have none of them do nothing */
} torre_step_launch;

/* Boxes of cells, none of which has cells of another. */
enum { TORRE_BOXES = 6 };
typedef struct torre_boxes {
    int count, low[TORRE_BOXES][3], high[TORRE_BOXES][3];
} torre_boxes;

/* Functions of one instance of stepwise (order, precision). */
typedef struct torre_step_kernel {
    int order, precision;
    /* Shape that suits the current device and the problem (n, periodic of the arguments). */
    cudaError_t (*shape)(const torre_wave_args *args, const torre_gpu_data *gpu,
                         torre_step_shape *shape);
    cudaError_t (*launch)(const torre_wave_args *args, const torre_wide_stencil *stencil,
                          const torre_step_launch *launch, cudaStream_t stream);
    /* The same step in these boxes alone, which begin and end with whole vectors along z (or the
     * last one). */
    cudaError_t (*shell)(const torre_wave_args *args, const torre_boxes *boxes,
                         cudaStream_t stream);
    /* What layers make of the step: field[0] and their memory. */
    cudaError_t (*layers)(const torre_wave_args *args, const torre_layer_args *layers,
                          cudaStream_t stream);
} torre_step_kernel;

/* Shape of a tower kernel, filled in by its instance; zero before. */
typedef struct torre_tower_shape {
    int planes;  /* cells along z that one block holds */
    int block_x; /* columns of a block of cells, along x and along y */
    int threads;
    int shared_bytes;
    int mailbox_bytes; /* one message to a z neighbour */
    int registers, spill_bytes, blocks_per_sm;
    /* blocks that are resident in clusters of 2, 3, ... */
    int cluster_blocks[TORRE_CLUSTER_MOST - 1];
    bool strips;                 /* sources are sorted by strip */
    bool many[2][2];             /* kernels for many points: without and with k, layers */
    int mark_words, mark_groups; /* of marks; no groups: along z */
} torre_tower_shape;

/* Functions of one instance (order, dts, precision, size). */
typedef struct torre_tower_kernel {
    int order, dts, precision;
    /* Shape for the current device; an error where no code or not enough shared memory fits. */
    cudaError_t (*shape)(bool periodic_z, torre_tower_shape *shape);
    cudaError_t (*launch)(const torre_wave_args *args, const torre_tower_launch *launch,
                          cudaStream_t stream);
    bool in_registers; /* a register tower: faster than block towers of any dts */
    torre_tower_size size;
} torre_tower_kernel;

/* NULL-terminated tables of the instances of this build (generated: wave_table.c). */
extern const torre_step_kernel *const torre_step_kernels[];
extern const torre_tower_kernel *const torre_tower_kernels[];

/* Small kernels around the fields (wave_fields.cu); all asynchronous on the stream. */

/* Whether this build holds machine code or PTX that the current device can run. */
cudaError_t torre_wave_probe(void);

/* values[step][i] = (real)(weight[i] * wavelet[step]), as setup.h says. */
cudaError_t torre_source_values(int precision, void *values, const double *weight,
                                int64_t source_count, const double *wavelet, int64_t steps,
                                cudaStream_t stream);
/* Values first .. end - 1 of a field. */
typedef struct torre_span {
    int64_t first, end;
} torre_span;
/* field[cell[i]] += value[i], of cells in the span. */
cudaError_t torre_add_sources(int precision, void *field, const torre_span *span,
                              const int64_t *cell, const void *value, int64_t count,
                              cudaStream_t stream);
/* A tap of an axis (setup.h); offset: see torre_sums. */
typedef struct torre_device_tap {
    double weight;
    int64_t offset;
} torre_device_tap;

/* A receiver: the first of its taps, of its slots and of the scales of its nodes; and how many taps
 * each axis has. */
typedef struct torre_device_sum {
    int64_t tap, slot, node;
    int count[3], unused;
} torre_device_sum;

/*
 * How receivers are summed (traces.h). The value at taps i, j, k of receiver r lies at offset o =
 * offset_i + offset_j + offset_k of a field, or, where there are slots, in unit slots[slot + o /
 * TORRE_UNIT] of a row of samples, in place o % TORRE_UNIT. Where density varies it is multiplied
 * by the scale of node (i, j, k), row-major, which makes pressure of it. The sum is number r of a
 * row of out, or number[r] of `columns`. Of steps that slide units are one cell (`single`).
 */
typedef struct torre_sums {
    int64_t receivers, units;
    bool plain, single;
    const torre_device_sum *sums;
    const torre_device_tap *taps;
    const int *slots;     /* or NULL */
    const double *scales; /* or NULL */
    const int *number;    /* or NULL */
    int64_t columns;
} torre_sums;
/* out[step][number] from samples of so many steps, or from the one field, in the bits of the
 * host. */
cudaError_t torre_sum_receivers(int precision, const torre_sums *sums, const void *from,
                                int64_t steps, void *out, cudaStream_t stream);
/*
 * The same of a part, from samples: all ones are of others, as are slots below 0. The sum is all
 * ones where not all values are there. Where some are, it is a record: what its number is in
 * which[], first the receiver, then the step; all its values, as pressure. *count says how many
 * there would be with room for all.
 */
typedef struct torre_part_room {
    int *count, room;
    int *which;   /* [room][2] */
    void *values; /* [room][nodes] */
    int64_t nodes;
} torre_part_room;
cudaError_t torre_sum_parts(int precision, const torre_sums *sums, const torre_part_room *room,
                            const void *from, int64_t first, int64_t steps, void *out,
                            cudaStream_t stream);
/* out[step][receiver], of receivers of one tap along each axis, from samples: the bits as they are.
 */
cudaError_t torre_pick_samples(int precision, const torre_sums *sums, const void *from,
                               int64_t steps, void *out, cudaStream_t stream);
/* out[i] = from[cell[i]] of cells in the span; others stay. */
cudaError_t torre_pick_cells(int precision, const int64_t *cell, int64_t count, const void *from,
                             const torre_span *span, void *out, cudaStream_t stream);
/* Rows of a dense array of shape (any, size_y, size_z), from number first on, to a device array
 * with these strides (in cells), or back. */
cudaError_t torre_move_rows(int precision, void *array, const int64_t stride[3], void *rows,
                            int64_t first, int64_t count, int64_t size_y, int64_t size_z,
                            bool to_array, cudaStream_t stream);
/* Cells of both levels in boxes, from fields with the strides of the arguments to others. */
cudaError_t torre_copy_boxes(int precision, const torre_wave_args *args, const torre_boxes *boxes,
                             void *const from[2], void *const to[2], cudaStream_t stream);
/* Planes `to` of an array of size[0] by size[1] lines with these strides (in cells) become sign
 * times planes `from` (0: zero). */
cudaError_t torre_set_image(int precision, void *array, const int64_t size[2],
                            const int64_t stride[2], int64_t to, int64_t from, int sign,
                            cudaStream_t stream);

/*
 * A field at rest (wave_rest.cu): u[0] at `now` in rows of z, u[-1] to `previous`. Axes of the
 * caller, in whose order sums go: `own` is the solver's axis, along which cells are `stride` apart;
 * ghosts[side][d - 1] stands for the cell d beyond the first (side 0) or last one.
 */
typedef struct torre_rest_axis {
    int own, n;
    int64_t stride;
    double square; /* of the spacing */
    torre_ghost ghosts[2][TORRE_MAX_HALF_WIDTH];
} torre_rest_axis;

typedef struct torre_rest_args {
    torre_rest_axis axis[3];
    int n[3]; /* of the solver */
    int64_t stride_x, stride_y;
    int reach;
    double weight[TORRE_MAX_HALF_WIDTH + 1]; /* of the stencil, at [0] twice that */
    double velocity, dt;
    bool cells; /* `previous` has the velocity of each */
} torre_rest_args;

/* field = torre_wave_noise of the seed. */
cudaError_t torre_fill_noise(int precision, const torre_rest_args *args, void *field, uint64_t seed,
                             cudaStream_t stream);
cudaError_t torre_make_rest(int precision, const torre_rest_args *args, const void *now,
                            void *previous, cudaStream_t stream);

typedef struct torre_device_norms {
    double sum;             /* of squares */
    unsigned long long top; /* bits of the largest |u| as double (ordered like integers) */
    unsigned long long bad; /* dense index of the first cell that is not finite; ~0 for none */
} torre_device_norms;
cudaError_t torre_field_norms(int precision, const torre_wave_args *args, const void *field,
                              torre_device_norms *norms, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
