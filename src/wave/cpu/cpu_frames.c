#include "wave/cpu/cpu_frames.h"

#include "wave/box.h"
#include "wave/cpu/cpu_solver.h"

/* Cells of a plane across the caller's axis. */
static int64_t plane_cells(const torre_wave_problem *p, int axis)
{
    return torre_wave_cells(p) / p->size[axis];
}

/* As long as the frames of a pass take little beside the fields. (Values of parts are not all here.
 * One step at a time there is nothing to go on with.) */
int64_t torre_cpu_frames_cells(const torre_wave_program *program)
{
    const torre_wave_setup *setup = program->setup;
    const torre_wave_problem *p = setup->problem;
    const torre_wave_plan *plan = &program->info.plan;
    const torre_frame_planes *planes = &setup->planes;
    int64_t cells = 0;
    if (plan->engine != TORRE_TORRE || setup->region) return 0;
    for (int i = 0; i < planes->count; i++) cells += plane_cells(p, planes->at[i].axis);
    if (cells == 0) return 0;
    const int64_t frames = plan->tower_height / planes->every + 1;
    return cells < torre_wave_cells(p) / 2 / frames ? cells : 0;
}

torre_cpu_frames torre_cpu_frames_of(const torre_wave_program *program)
{
    const char *axes = program->info.plan.axes;
    torre_cpu_frames frames = {.planes = program->setup->planes, .cells = program->planes};
    for (int a = 0; a < 3; a++) frames.axis[a] = axes[0] ? axes[a] - 'x' : a;
    return frames;
}

void torre_cpu_frames_begin(torre_cpu_frames *frames, int64_t n, char *values)
{
    frames->values = values;
    if (values) frames->first = (n / frames->planes.every + 1) * frames->planes.every;
}

/* The cells of a run in plane x that lie in a plane across an axis of the solver. */
static torre_box cells_in(const torre_run *run, int64_t x, int axis, int64_t index)
{
    torre_box box = {.low = {x, run->y0, run->z0 > run->z_low ? run->z0 : run->z_low},
                     .high = {x + 1, run->y1, run->z1 < run->z_high ? run->z1 : run->z_high}};
    if (box.low[axis] < index) box.low[axis] = index;
    if (box.high[axis] > index + 1) box.high[axis] = index + 1;
    return box;
}

/* Steps along the axes of the solver in a dense plane across one of them, which lies as the caller
 * has its axes. */
static void plane_strides(const torre_cpu_solver *s, int axis, int64_t stride[3])
{
    const int *of = s->frames.axis;
    torre_box plane = {.low = {0}};
    int64_t callers[3];
    for (int a = 0; a < 3; a++) plane.high[of[a]] = a == axis ? 1 : s->field.size[a];
    torre_box_strides(&plane, callers);
    for (int a = 0; a < 3; a++) stride[a] = a == axis ? 0 : callers[of[a]];
}

static void record_plane(const torre_cpu_solver *s, int64_t step, const torre_run *run, int64_t x,
                         int axis, int64_t index, char *plane)
{
    const int64_t width = (int64_t)s->field.precision;
    const int64_t pitch[3] = {s->field.plane_pitch, s->field.row_pitch, 1};
    const torre_box box = cells_in(run, x, axis, index);
    int64_t stride[3], first = 0;
    for (int a = 0; a < 3; a++)
        if (box.low[a] >= box.high[a]) return;
    plane_strides(s, axis, stride);
    for (int a = 0; a < 3; a++) first += box.low[a] * stride[a];
    torre_box_copy(&box, (size_t)width, plane + first * width, stride,
                   torre_cpu_row(s, step, box.low[0], box.low[1]) + box.low[2] * width, pitch, 1);
}

void torre_cpu_frames_record(const torre_cpu_solver *s, int64_t step, const torre_run *run,
                             int64_t x)
{
    const torre_cpu_frames *f = &s->frames;
    const int64_t width = (int64_t)s->field.precision, *n = s->field.size;
    char *plane = f->values + (step - f->first) / f->planes.every * f->cells * width;
    for (int i = 0; i < f->planes.count; i++) {
        int axis = 0;
        while (f->axis[axis] != f->planes.at[i].axis) axis++;
        record_plane(s, step, run, x, axis, f->planes.at[i].index, plane);
        plane += n[0] * n[1] * n[2] / n[axis] * width;
    }
}
