/*
 * What is known of GPUs: every measured number by which plans of waves choose, a row for each kind
 * of GPU. Needs nothing of CUDA.
 *
 * A GPU that was measured has a row of its own. Others of the same compute capability 9.0 take its
 * numbers as they are: they run the same kernels, and rates are compared with each other alone.
 * All other GPUs take the last row, which knows no rates: rules stand in for them (wave_axes.h).
 * Which tile is best on the machine at hand `roofline --tune` measures: its tiles are of the type
 * of those here, and go before them (wave/wave_tile.h).
 *
 * To add a GPU: a row in gpu_data.c. Numbers come from bench/bench_wave_cuda, whose cases are
 * ORDER:ENGINE:DTS:HEIGHT:NXxNYxNZ (engine t: towers, s: one step at a time); bench/gpu_check.sh
 * builds it. The command is given with each number; GRID is 1024x1024x512. Rates are Gcells/s.
 */
#ifndef TORRE_CUDA_GPU_DATA_H
#define TORRE_CUDA_GPU_DATA_H

#include <stdint.h>

#include "cuda/wave/tower_kinds.h"
#include "wave/wave_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Orders 2, 4, .. that towers have. */
enum { TORRE_TOWER_ORDERS = TORRE_TOWER_HALF_WIDTH, TORRE_TOWER_SIZES = TORRE_TOWER_DENSE + 1 };

/* What the grid costs towers: fitted to rates of 20 to 50 grids an order (those of
 * tests/test_wave_axes.c): bench_wave_cuda ORDER:t:0:0:NXxNYxNZ ... */
typedef struct torre_tower_cost {
    double x, x_tower; /* cells that x faces cost, and more of them per tower at work */
    double y, y_tower;
    double cut;    /* more of them where nx or ny is no multiple of the half-width */
    double empty;  /* time of a step with no planes, of that with all */
    double least;  /* time of a step with few planes, likewise */
    double speed;  /* rate of full blocks for each dts, f32, constant velocity */
    double points; /* share of that with 100 sources and 10,000 receivers (option :points) */
} torre_tower_cost;

typedef struct torre_tower_rates {
    torre_tower_cost whole, half; /* register towers, in blocks of more than 128 planes, of 128 */
    torre_tower_cost block[TORRE_TOWER_ORDERS]; /* block towers */
    double f64[TORRE_TOWER_ORDERS];             /* share in f64: option :f64 */
    double array[TORRE_TOWER_ORDERS];   /* share with a velocity for each cell: option :model */
    double density[TORRE_TOWER_ORDERS]; /* and of that with a density, too: :model:density */
    /* shares of register towers, whose edges go through main memory: */
    double parts, parts_each; /* parts + parts_each / number, of more than two parts */
    double many_parts;        /* of more than 16, beside that */
    double periodic_y;        /* option :py; no strips */
    double periodic_z;        /* share of any towers: option :pz */
    double short_lines;       /* of block towers where nz <= 4 */
    /* Beside a shell (wave_shell.c): steps that a pass takes beside its own (ORDER:t:0:12:GRID and
     * ORDER:t:0:128:GRID); what a cell of the shell takes in a step, and one of which both levels
     * are handed over, of the time of a cell one step at a time (wave --boundary absorbing --engine
     * torre --tower-height N --size GRID, N 8 to 24, beside those); and by how much it must be the
     * better by these estimates */
    double pass[TORRE_TOWER_ORDERS], shell[TORRE_TOWER_ORDERS], handed, shell_gain;
} torre_tower_rates;

/* The same of one step at a time: bench_wave_cuda ORDER:s:0:0:NXxNYxNZ ... */
typedef struct torre_step_rates {
    double speed, speed_f64; /* rates of large grids with constant velocity */
    double array;            /* share of that with a velocity array */
    double density;          /* and of that with a density array, too: nothing is copied ahead */
    double periodic;         /* likewise with periodic y or z: nothing is copied ahead */
    double few;              /* likewise with up to 8 cells along y: nothing either */
    double launch;           /* microseconds that a step takes beside its cells */
    double idle;             /* time of rows of a tile beyond the grid, of that of others */
    double ends;             /* cells that z faces cost; 8 times as many where they cut vectors */
} torre_step_rates;

typedef struct torre_gpu_rates {
    torre_tower_rates towers;
    torre_step_rates step[TORRE_TOWER_ORDERS]; /* the last for higher orders, too */
    double step_points; /* microseconds more a step with sources or receivers: :points */
    double step_faces;  /* cells that x faces cost one step at a time */
    double cached;      /* bytes up to which fields and model of a step stay in the L2 cache */
    double cached_gain; /* factor on the rate then: bench_wave_cuda 2:s:0:0:128x128x128 */
    double layers;      /* bytes a nanosecond that layers move: the table of bench/WAVE.md */
} torre_gpu_rates;

typedef struct torre_gpu_data {
    const char *name; /* part of the name that CUDA gives the device; "": any */
    int major;        /* of its compute capability; 0: any */

    /* Tiles to try, for each order and precision the best first; ends with dts 0: roofline --tune,
     * or bench_wave_cuda ORDER:t:DTS:HEIGHT:GRID for all of them. */
    const torre_tile *tiles;
    /* Rate of a block of a size (torre_tower_size), of that of a usual one:
     * TORRE_CUDA_PLANES=N bench_wave_cuda 8:t:4:0:512x512x2560, 2:t:6:0:1024x1024x128. */
    double pace[TORRE_TOWER_SIZES];

    /* Passes. Towers of a strip, by order; of half blocks with all of z: TORRE_CUDA_STRIP=N
     * bench_wave_cuda ORDER:t:0:0:GRID. Where order 2 has several parts, the largest width whose
     * square is at most strip_square[0] / strip_square[1] of the towers at work: ...1024x1024x2048.
     */
    int64_t strip[TORRE_TOWER_ORDERS], strip_half, strip_square[2];
    /* Strips of low register towers in whole blocks are so wide that width times height is
     * strip_low[0] times the towers at work; of those lower than strip_low[1] as of this height:
     * TORRE_CUDA_STRIP=N bench_wave_cuda 2:t:6:8:GRID, and 16 and 32 high, and 1024x1024x256. */
    int64_t strip_low[2];
    /* Register towers go by whole stages where so many have room at work at a time: each takes what
     * the one before has left while that is in the cache, and strips have more ends. Then towers
     * may be so high, too: TORRE_CUDA_STRIP=1000 bench_wave_cuda 2:t:6:HEIGHT:NxNx256, N 256 to
     * 512, and 512x512x512. */
    int64_t stages_at_work, stages_height;
    /* Of so many towers of order 2 one may meet sources or receivers for the others to have the
     * code of runs without any: bench_wave_cuda 2:t:6:0:1024x1024x512:between=1,0. Where more do,
     * multiprocessors that run different code hold each other up. */
    int64_t rare_towers;
    /* Share of the blocks that clusters must keep at work to be worth it, as a fraction:
     * TORRE_CUDA_CLUSTER=N bench_wave_cuda 2:t:6:0:512x512xNZ, NZ from 512 to 2048. */
    int64_t cluster_share[2];

    /* One step at a time: bench_wave_cuda ORDER:s:0:0:NXxNYxNZ. Cells along x that a block marches
     * over: least, and most where there are as many cells as `long_grid`; it is halved until there
     * are enough blocks. */
    int64_t chunk_least, chunk_most, long_grid, blocks_enough;
    int64_t copied_cells; /* order 2, f32: cells up to which planes are copied ahead */
    double copied_fill;   /* tiles of planes copied ahead may be filled by this share of others */

    /* Axes are turned for the rate where a grid has so many cells, or so few along an axis and
     * thin_cells in all; another order must be so much better. bench_wave_cuda ORDER:a:0:0:NXxNYxNZ
     * with TORRE_CUDA_AXES=xyz, yxz, ... */
    int64_t turn_cells, thin, thin_cells;
    double turn_gain;

    /* Windows (wave/ring.h) and slabs, in bytes or cells a nanosecond: a link to the host each way
     * while the other is busy and towers climb, what windows wait for before they come included
     * (wave --size 4096x2048x2304 --order 2 --steps 1336 --tower-height 268; 50 alone,
     * bench/WAVE.md), copies on the device, and from one GPU to another of a host
     * (bench/SCALING.md), towers by order, f32 (GRID); and cells of which a pass could do as many
     * steps while it begins and ends: bench_wave_cuda 2:t:0:0:256x256x256 */
    double link, copy, peer, tower_rate[TORRE_TOWER_ORDERS], pass_cells;

    int64_t reserve;              /* bytes of free memory left to the driver: nvidia-smi */
    const torre_gpu_rates *rates; /* NULL: not measured */
} torre_gpu_data;

/* The row of a GPU by the name that CUDA gives it and its compute capability, major.x. */
const torre_gpu_data *torre_gpu_data_of(const char *name, int major);

#ifdef __cplusplus
}
#endif

#endif
