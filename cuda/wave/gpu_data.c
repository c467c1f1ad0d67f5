/* The table of GPUs. */
#include "cuda/wave/gpu_data.h"

#include <stddef.h>
#include <string.h>

static const torre_gpu_rates h200 = {
    .towers = {.whole = {22, 0.5, 10, 0.2, 0, 0.43, 0.54, 238, 0.92},
               .half = {22, 0.5, 10, 0.2, 0, 0.43, 0.76, 238, 0.72},
               .block = {{40, 0, 20, 0, 0, 0.45, 0, 64, 0.97},
                         {24, 0, 20, 0, 8, 0.45, 0, 187, 0.97},
                         {44, 0, 39, 0, 5, 0.88, 0, 139, 0.97},
                         {46, 0, 20, 0, 40, 0.88, 0, 113, 0.97}},
               .f64 = {0.66, 0.35, 0.29, 0.25},
               .array = {0.77, 0.78, 0.86, 0.82},
               .density = {0.86, 0.79, 0.8, 0.97},
               .parts = 0.75,
               .parts_each = 0.5,
               .many_parts = 0.93,
               .periodic_y = 0.86,
               .periodic_z = 0.3,
               .short_lines = 0.5,
               .pass = {6, 3.2, 3.2, 3.2},
               .shell = {1.25, 1.55, 1.6, 1.6},
               .handed = 6,
               .shell_gain = 1.1},
    .step = {{330, 150, 0.78, 0.73, 1, 0.88, 8, 0.2, 4},
             {294, 143, 0.81, 0.64, 0.79, 0.62, 11, 0.4, 8},
             {283, 67.5, 0.83, 0.56, 0.62, 0.51, 14, 0.7, 14},
             {271, 57.6, 0.85, 0.5, 0.58, 0.43, 26, 1.6, 20}},
    .step_points = 9,
    .step_faces = 8,
    .cached = 40e6,
    .cached_gain = 1.7,
    .layers = 2750};

/* dts 5 of order 2 is for density that varies alone. Zero at the end. */
static const torre_tile tiles[36 + 1] = {
    {2, TORRE_F32, 6, 128, 0}, {2, TORRE_F32, 5, 128, 0}, {2, TORRE_F32, 4, 128, 0},
    {2, TORRE_F32, 3, 128, 0}, {2, TORRE_F32, 2, 128, 0}, {2, TORRE_F32, 1, 128, 0},
    {4, TORRE_F32, 4, 128, 0}, {4, TORRE_F32, 8, 128, 0}, {4, TORRE_F32, 3, 128, 0},
    {4, TORRE_F32, 2, 128, 0}, {4, TORRE_F32, 1, 128, 0}, {6, TORRE_F32, 4, 128, 0},
    {6, TORRE_F32, 2, 128, 0}, {6, TORRE_F32, 3, 128, 0}, {6, TORRE_F32, 1, 128, 0},
    {8, TORRE_F32, 4, 128, 0}, {8, TORRE_F32, 2, 128, 0}, {8, TORRE_F32, 3, 128, 0},
    {8, TORRE_F32, 1, 128, 0}, {2, TORRE_F64, 3, 128, 0}, {2, TORRE_F64, 4, 128, 0},
    {2, TORRE_F64, 2, 128, 0}, {2, TORRE_F64, 1, 128, 0}, {4, TORRE_F64, 4, 128, 0},
    {4, TORRE_F64, 8, 128, 0}, {4, TORRE_F64, 3, 128, 0}, {4, TORRE_F64, 2, 128, 0},
    {4, TORRE_F64, 1, 128, 0}, {6, TORRE_F64, 4, 128, 0}, {6, TORRE_F64, 2, 128, 0},
    {6, TORRE_F64, 3, 128, 0}, {6, TORRE_F64, 1, 128, 0}, {8, TORRE_F64, 4, 128, 0},
    {8, TORRE_F64, 2, 128, 0}, {8, TORRE_F64, 3, 128, 0}, {8, TORRE_F64, 1, 128, 0},
};

/* All but the rates was measured on an H200, too, and suits others as far as is known. */
#define ROW(NAME, MAJOR, RATES)                                                                    \
    {                                                                                              \
        .name = NAME, .major = MAJOR, .tiles = tiles, .pace = {1, 0.68, 0.6, 1},                   \
        .strip = {8, 32, 12, 12}, .strip_half = 12, .strip_low = {4, 16}, .strip_square = {7, 15}, \
        .stages_at_work = 2, .stages_height = 1024, .rare_towers = 100, .cluster_share = {7, 8},   \
        .chunk_least = 16, .chunk_most = 64, .long_grid = 256, .blocks_enough = 1024,              \
        .copied_cells = INT64_C(1) << 27, .copied_fill = 0.6, .turn_cells = INT64_C(1) << 22,      \
        .thin = 8, .thin_cells = INT64_C(1) << 16, .turn_gain = 1.05, .link = 32, .copy = 4000,    \
        .peer = 390, .tower_rate = {1230, 700, 450, 365}, .pass_cells = 8e6,                       \
        .reserve = INT64_C(256) << 20, .rates = RATES,                                             \
    }

static const torre_gpu_data gpus[] = {
    ROW("H200", 9, &h200),
    ROW("", 9, &h200),
    ROW("", 0, NULL),
};

const torre_gpu_data *torre_gpu_data_of(const char *name, int major)
{
    const torre_gpu_data *gpu = gpus;
    while (!strstr(name, gpu->name) || (gpu->major && gpu->major != major)) gpu++;
    return gpu;
}
