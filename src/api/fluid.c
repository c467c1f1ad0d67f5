/* torre_fluid (torre/fluid.h) over tank, problem and run of the moving-particle method. */
#include "torre/fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "particles/mps_probe.h"
#include "run/fluid_files.h"

struct torre_fluid {
    torre_mps_dam dam;
    torre_md_particles start;
    torre_md_problem problem;
    torre_md_run *run; /* NULL before start */
};

static torre_status set_up(const torre_fluid_dam *wish, torre_fluid *f)
{
    TORRE_TRY(torre_mps_dam_make(wish, &f->dam, &f->problem));
    TORRE_TRY(torre_mps_tank_make(&f->dam.tank, &f->start));
    torre_md_problem_set_particles(&f->problem, &f->start);
    return torre_md_problem_check(&f->problem);
}

torre_status torre_fluid_new(const torre_fluid_dam *dam, torre_fluid **fluid)
{
    torre_fluid *f = calloc(1, sizeof *f);
    if (!f) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    torre_status status = set_up(dam, f);
    if (status)
        torre_fluid_free(f);
    else
        *fluid = f;
    return status;
}

int64_t torre_fluid_count(const torre_fluid *f) { return f->problem.count; }
int64_t torre_fluid_moving(const torre_fluid *f) { return f->problem.mps.fluid; }
double torre_fluid_dt(const torre_fluid *f) { return f->problem.dt; }

torre_status torre_fluid_start(torre_fluid *f, const char *backend, const torre_md_plan *wish)
{
    const torre_md_plan plan = wish ? *wish : (torre_md_plan){0};
    if (f->run) return torre_fail(TORRE_ERR_USAGE, "this fluid has been started");
    torre_status status = torre_md_run_new(&f->problem, backend, &plan, &f->run);
    if (!status) status = torre_md_run_start(f->run, NULL);
    if (status) {
        torre_md_run_free(f->run);
        f->run = NULL;
    }
    return status;
}

static torre_status not_started(void)
{
    return torre_fail(TORRE_ERR_USAGE, "this fluid has not been started");
}

/* The caller's functions, which know the fluid, behind those of the run. */
typedef struct watcher {
    const torre_fluid_watch *watch;
    torre_fluid *fluid;
} watcher;

static torre_status on_row(void *context, torre_md_run *run)
{
    const watcher *w = context;
    (void)run;
    return w->watch->frame(w->watch->context, w->fluid);
}

static bool on_stop(void *context)
{
    const watcher *w = context;
    return w->watch->stop(w->watch->context);
}

torre_status torre_fluid_advance(torre_fluid *f, int64_t steps, const torre_fluid_watch *watch)
{
    if (!f->run) return not_started();
    if (steps < 0)
        return torre_fail(TORRE_ERR_USAGE, "{steps} must be at least 0 (got %lld)",
                          (long long)steps);
    if (watch && watch->every < 0)
        return torre_fail(TORRE_ERR_USAGE, "{every} must be at least 0 (got %lld)",
                          (long long)watch->every);
    watcher w = {watch, f};
    const torre_md_watch inner = {.row_every = watch ? watch->every : 0,
                                  .row = watch && watch->frame ? on_row : NULL,
                                  .stop = watch && watch->stop ? on_stop : NULL,
                                  .context = &w};
    return torre_md_run_advance(f->run, steps, &inner);
}

const torre_mps_row *torre_fluid_row(const torre_fluid *f)
{
    return f->run ? &f->run->fluid->row : NULL;
}

void torre_fluid_origin(const torre_fluid *f, double origin[3])
{
    memcpy(origin, f->dam.layout.origin, sizeof f->dam.layout.origin);
}

torre_status torre_fluid_get(const torre_fluid *f, double *const position[3],
                             double *const velocity[3], double *pressure, double *number_density)
{
    const size_t bytes = (size_t)f->problem.count * sizeof(double);
    if (!f->run) return not_started();
    const torre_mps_measure *m = f->run->fluid;
    TORRE_TRY(torre_mps_measure_fetch(f->run->fluid));
    for (int a = 0; a < 3; a++) {
        if (position && position[a]) memcpy(position[a], m->now.position[a], bytes);
        if (velocity && velocity[a]) memcpy(velocity[a], m->now.velocity[a], bytes);
    }
    if (pressure) memcpy(pressure, m->pressure, bytes);
    if (number_density) memcpy(number_density, m->number_density, bytes);
    return TORRE_OK;
}

double torre_fluid_gauge(const torre_fluid *f, const double point[3])
{
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = point[a] + f->dam.layout.origin[a];
    if (!f->run) return 0;
    return torre_mps_measure_fetch(f->run->fluid) ? NAN : torre_mps_gauge(f->run->fluid, at);
}

double torre_fluid_probe(const torre_fluid *f, const double point[3])
{
    if (!f->run) return 0;
    return torre_mps_measure_fetch(f->run->fluid) ? NAN
                                                  : torre_mps_probe(&f->dam, f->run->fluid, point);
}

double torre_fluid_height(const torre_fluid *f, double x, double z)
{
    const double at[2] = {x, z};
    if (!f->run) return 0;
    return torre_mps_measure_fetch(f->run->fluid)
               ? NAN
               : torre_mps_dam_height(&f->dam, f->run->fluid, at);
}

double torre_fluid_rate(const torre_fluid *f) { return f->run ? torre_md_run_rate(f->run) : 0; }

torre_status torre_fluid_save(torre_fluid *f, const char *path)
{
    const torre_sink_format *format;
    const double *column[2];
    if (!f->run) return not_started();
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES,
                                  .particles = torre_fluid_layout(&f->problem, &f->dam)};
    torre_frame frame;
    TORRE_TRY(torre_fluid_frame(f->run, column, &frame));
    TORRE_TRY(torre_sink_choose("path", path, TORRE_SINK_PARTICLES, false, &format));
    return torre_sink_write(format, &data, path, &frame);
}

void torre_fluid_free(torre_fluid *f)
{
    if (!f) return;
    torre_md_run_free(f->run);
    torre_md_particles_free(&f->start);
    free(f);
}
