/*
 * What kernels of particles tell the host: how many steps are done (md_control), which it waits
 * for, and particles that stay where they are and in the order of their ids. So nothing goes too
 * far, no table is too small, and no sequence stops early. With FAKE_CUDA_NAN=D:N the N-th launch
 * of towers of waves on device D, in f32, leaves a value that is no number in the middle of its
 * field.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/particles/mps_device.h"
#include "cuda/wave/wave_args.h"
#include "fake_cuda.h"

static bool is_for(const char *name, const char *kernel) { return strstr(name, kernel) != NULL; }

static bool stopped(const md_control *control, int ahead)
{
    return control->error || ahead > control->last;
}

/* Particles to another buffer, as they are. */
static void keep(void *to, const void *from, int count, size_t bytes)
{
    if (to && from && to != from) memcpy(to, from, (size_t)count * bytes);
}

/* Bytes of a position: by the precision of the file, or by the first template argument. */
static size_t position_bytes(const char *name, const char *kernel)
{
    const char *argument = strstr(name, kernel) + strlen(kernel);
    if (is_for(name, "_f32_cu_") || strncmp(argument, "If", 2) == 0) return 4 * sizeof(float);
    return 4 * sizeof(double);
}

static void step_done(const md_force_args *a)
{
    if (!stopped(a->tiles.control, a->ahead)) a->tiles.control->done++;
}

static void step_at_rest(const md_force_args *a, size_t bytes)
{
    if (a->forces_only) return;
    keep(a->x_out, a->x_in, a->count, bytes);
    keep(a->v_out, a->v, a->count, bytes);
    step_done(a);
}

static void sorted_by_id(const md_sort_args *a, size_t bytes)
{
    keep(a->x_out, a->x_in, a->count, bytes);
    keep(a->v_out, a->v_in, a->count, bytes);
    keep(a->id_out, a->id_in, a->count, sizeof *a->id_in);
}

static void sweep_at_rest(const mps_sweep_args *a, size_t bytes)
{
    keep(a->x_out, a->x_in, a->fluid + a->wall, bytes);
    keep(a->v_out, a->v_in, a->fluid + a->wall, bytes);
}

/* Of no particle, so that none has gone through a wall. */
static void row_at_rest(mps_row_sums *sums)
{
    sums[MPS_ROW_BLOCKS] = (mps_row_sums){.excursion = -1};
}

static void lists_begin(const md_sort_args *a)
{
    md_control *control = a->tiles.control;
    control->moved = 0;
    control->built = control->done;
    control->last = MD_NO_STOP;
}

static void sequence_done(md_control *control, int steps)
{
    int last = steps - 1 < control->last ? steps - 1 : control->last;
    if (!control->error) control->clock += (uint64_t)(last + 1);
}

/* The last template argument of a kernel, a digit. */
static int last_argument(const char *name)
{
    const char *end = strstr(name, "EEv");
    return end && end > name ? end[-1] - '0' : 0;
}

/* The first quarter of the bricks holds particles. */
static void find_active(const md_tiles *t, int *active, uint32_t *count)
{
    for (int i = 0; i < t->brick_count; i++) active[i] = i;
    *count = (uint32_t)t->brick_count / 4;
}

/* Parameters of tower kernels begin with their arguments. */
static void spoil(const torre_wave_args *a)
{
    static atomic_int launches;
    const char *when = getenv("FAKE_CUDA_NAN");
    int here, device, launch;
    if (!when || sscanf(when, "%d:%d", &device, &launch) != 2) return;
    if (cudaGetDevice(&here) || here != device || atomic_fetch_add(&launches, 1) + 1 != launch)
        return;
    const int64_t middle = a->n[0] / 2 * a->stride_x + a->n[1] / 2 * a->stride_y + a->n[2] / 2;
    for (int i = 0; i < 2; i++) ((float *)a->field[i])[middle] = NAN;
}

void fake_kernel_effects(const char *name, void *const *arguments)
{
    if (is_for(name, "tower_kernel")) spoil(arguments[0]);
    if (is_for(name, "md_settle_kernel"))
        sorted_by_id(arguments[0], position_bytes(name, "md_settle_kernel"));
    if (is_for(name, "md_stage_kernel")) lists_begin(arguments[0]);
    if (is_for(name, "md_drift_kernel") || is_for(name, "md_move_kernel") ||
        is_for(name, "md_relax_move_kernel") || is_for(name, "md_stretch_kernel") ||
        is_for(name, "md_glide_kernel"))
        step_done(arguments[0]);
    if (is_for(name, "md_clock_kernel"))
        sequence_done(*(md_control **)arguments[0], *(int *)arguments[1]);
    if (is_for(name, "md_force_kernel") && last_argument(name) <= MD_FORCE_NOISE)
        step_at_rest(arguments[0], position_bytes(name, "md_force_kernel"));
    if (is_for(name, "md_half_move_kernel") && !last_argument(name)) /* no sums */
        step_at_rest(arguments[0], position_bytes(name, "md_half_move_kernel"));
    if (is_for(name, "md_active_kernel"))
        find_active(arguments[0], *(int **)arguments[1], *(uint32_t **)arguments[2]);
    if (is_for(name, "mps_sweep_kernel"))
        sweep_at_rest(arguments[0], position_bytes(name, "mps_sweep_kernel"));
    if (is_for(name, "mps_row_total")) row_at_rest(*(mps_row_sums **)arguments[0]);
}
