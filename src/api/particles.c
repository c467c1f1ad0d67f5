/* torre_particles (torre/particles.h) over problem, start and run of the particles. */
#include "torre/particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/sink.h"
#include "particles/granular.h"
#include "particles/md_run.h"
#include "run/pair_types.h"

struct torre_particles {
    torre_md_problem problem; /* points to the others */
    torre_md_types types;
    torre_md_particles now; /* the start, then what get and save copied last */
    double size;            /* sigma, or the diameter */
    double skin;            /* unless the plan says another */
    torre_particle_about about;
    torre_md_run *run; /* NULL before start */
};

/* Two Lennard-Jones particles nearer than this (in sigma) are a mistake of the file. */
static const double overlap = 0.1;

static double or_else(double value, double usual) { return value == 0 ? usual : value; }

/* Hand over what was made, or free it. */
static torre_status hand_over(torre_particles *p, torre_status status, torre_particles **particles)
{
    if (status)
        torre_particles_free(p);
    else
        *particles = p;
    return status;
}

static torre_status read_lj(const torre_lj *s, torre_particles *p)
{
    const torre_particle_wish wish = {.frame = -1};
    torre_particle_source source;
    TORRE_TRY(torre_particle_file_read(s->input, &wish, &p->now, &source));
    memcpy(p->about.origin, source.origin, sizeof source.origin);
    if (p->now.type) {
        TORRE_TRY(torre_type_table(&(torre_type_words){0}, p->now.types, &source, p->now.type_mass,
                                   &p->problem, &p->types));
        p->types.type = p->now.type;
    }
    if (!source.has_velocities) torre_md_start_velocities(&p->now, s->temperature, s->seed);
    return TORRE_OK;
}

static torre_status copy_lj(const torre_lj *s, torre_particles *p)
{
    const double *const *r = s->position, *const *v = s->velocity;
    const bool moving = v[0] && v[1] && v[2];
    if (!r[0] || !r[1] || !r[2])
        return torre_fail(TORRE_ERR_USAGE, "{position} must be given for each axis with {count}");
    if (!moving && (v[0] || v[1] || v[2]))
        return torre_fail(TORRE_ERR_USAGE, "{velocity} must be given for each axis, or for none");
    TORRE_TRY(torre_md_particles_new(s->count, &p->now));
    memcpy(p->now.box, s->box, sizeof s->box);
    for (int a = 0; a < 3; a++) {
        memcpy(p->now.position[a], r[a], (size_t)s->count * sizeof(double));
        if (moving) memcpy(p->now.velocity[a], v[a], (size_t)s->count * sizeof(double));
    }
    if (!moving) torre_md_start_velocities(&p->now, s->temperature, s->seed);
    return TORRE_OK;
}

static torre_status make_lj(const torre_lj *s, torre_particles *p)
{
    for (int a = 0; a < 3; a++)
        if (s->cells[a] < 1)
            return torre_fail(TORRE_ERR_USAGE, "{cells} must be at least 1 (got %lld)",
                              (long long)s->cells[a]);
    if (s->density < 0)
        return torre_fail(TORRE_ERR_USAGE, "{density} must be above 0 (got %g)", s->density);
    TORRE_TRY(torre_md_start_fcc(s->cells, or_else(s->density, 0.8442), &p->now));
    torre_md_start_velocities(&p->now, s->temperature, s->seed);
    return TORRE_OK;
}

torre_status torre_particles_lj(const torre_lj *s, torre_particles **particles)
{
    torre_particles *p = calloc(1, sizeof *p);
    if (!p) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    p->size = or_else(s->sigma, 1);
    p->skin = 0.3 * p->size;
    p->about.units = "lj";
    p->problem = (torre_md_problem){.model = TORRE_PAIR_lj,
                                    .pair.lj = {or_else(s->epsilon, 1), p->size, s->shift},
                                    .cutoff = or_else(s->cutoff, 2.5),
                                    .dt = or_else(s->dt, 0.005),
                                    .precision = s->precision,
                                    .ensemble = s->ensemble,
                                    .temperature = s->temperature,
                                    .damping_time = or_else(s->damping_time, 1),
                                    .couple_every = s->couple_every,
                                    .seed = s->seed,
                                    .pressure = s->pressure,
                                    .pressure_damping = or_else(s->pressure_damping, 1),
                                    .pressure_axes = s->pressure_axes};
    torre_status status =
        s->temperature >= 0 && isfinite(s->temperature)
            ? TORRE_OK
            : torre_fail(TORRE_ERR_USAGE, "{temperature} must be at least 0 (got %g)",
                         s->temperature);
    if (!status) status = s->input ? read_lj(s, p) : s->count ? copy_lj(s, p) : make_lj(s, p);
    if (!status) torre_md_problem_set_particles(&p->problem, &p->now);
    if (!status) status = torre_md_problem_check(&p->problem);
    if (!status && (s->input || s->count)) /* a lattice has no such particles */
        status = torre_md_start_check_overlap(&p->now, overlap * p->size);
    return hand_over(p, status, particles);
}

torre_status torre_particles_granular(const torre_granular *s, double dt,
                                      torre_md_precision precision, torre_particles **particles)
{
    TORRE_TRY(torre_granular_check(s));
    torre_particles *p = calloc(1, sizeof *p);
    if (!p) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    p->size = s->diameter;
    p->skin = 0.1 * p->size;
    p->about.units = "si";
    p->about.diameter = s->diameter;
    p->about.wall[s->dimensions - 1] = s->walls;
    for (int a = 0; a < s->dimensions - 1; a++) p->about.wall[a] = s->side_walls;
    p->problem.precision = precision;
    torre_status status = torre_granular_problem(s, p->skin, dt, &p->problem);
    if (!status) status = torre_granular_start(s, &p->problem, &p->now);
    if (!status) torre_md_problem_set_particles(&p->problem, &p->now);
    if (!status) status = torre_md_problem_check(&p->problem);
    return hand_over(p, status, particles);
}

int64_t torre_particles_count(const torre_particles *p) { return p->problem.count; }

void torre_particles_box(const torre_particles *p, double box[3])
{
    memcpy(box, p->problem.box, sizeof p->problem.box);
    if (p->run) torre_md_solver_box(p->run->solver, &p->problem, box);
}

torre_status torre_particles_start(torre_particles *p, const char *backend,
                                   const torre_md_plan *wish)
{
    torre_md_plan plan = wish ? *wish : (torre_md_plan){0};
    if (plan.skin == 0) plan.skin = p->skin;
    if (p->run) return torre_fail(TORRE_ERR_USAGE, "these particles have been started");
    torre_status status = torre_md_run_new(&p->problem, backend, &plan, &p->run);
    if (!status) status = torre_md_run_start(p->run, NULL);
    if (status) {
        torre_md_run_free(p->run);
        p->run = NULL;
    }
    return status;
}

static torre_status not_started(void)
{
    return torre_fail(TORRE_ERR_USAGE, "these particles have not been started");
}

/* The caller's functions, which know the particles, behind those of the run. */
typedef struct watcher {
    const torre_particles_watch *watch;
    torre_particles *particles;
} watcher;

static torre_status on_frame(void *context, torre_md_run *run)
{
    const watcher *w = context;
    (void)run;
    return w->watch->frame(w->watch->context, w->particles);
}

static bool on_stop(void *context)
{
    const watcher *w = context;
    return w->watch->stop(w->watch->context);
}

torre_status torre_particles_advance(torre_particles *p, int64_t steps,
                                     const torre_particles_watch *watch)
{
    if (!p->run) return not_started();
    if (steps < 0)
        return torre_fail(TORRE_ERR_USAGE, "{steps} must be at least 0 (got %lld)",
                          (long long)steps);
    if (watch && watch->every < 0)
        return torre_fail(TORRE_ERR_USAGE, "{every} must be at least 0 (got %lld)",
                          (long long)watch->every);
    watcher w = {watch, p};
    const torre_md_watch inner = {.row_every = watch ? watch->every : 0,
                                  .frame_every = watch && watch->frame ? watch->every : 0,
                                  .frame = watch && watch->frame ? on_frame : NULL,
                                  .stop = watch && watch->stop ? on_stop : NULL,
                                  .context = &w};
    return torre_md_run_advance(p->run, steps, &inner);
}

int64_t torre_particles_step(const torre_particles *p) { return p->run ? p->run->step : 0; }

const torre_md_thermo *torre_particles_row(const torre_particles *p)
{
    return p->run && p->run->rows > 0 ? &p->run->row[p->run->rows - 1] : NULL;
}

const torre_md_info *torre_particles_info(const torre_particles *p)
{
    return p->run ? p->run->info : NULL;
}

double torre_particles_rate(const torre_particles *p)
{
    return p->run ? torre_md_run_rate(p->run) : 0;
}

torre_status torre_particles_get(torre_particles *p, double *const position[3],
                                 double *const velocity[3])
{
    torre_md_particles to = p->now; /* straight to the caller's arrays, where there are some */
    for (int a = 0; a < 3; a++) {
        const size_t bytes = (size_t)p->now.count * sizeof(double);
        if (position && position[a]) to.position[a] = position[a];
        if (velocity && velocity[a]) to.velocity[a] = velocity[a];
        if (p->run) continue;
        memmove(to.position[a], p->now.position[a], bytes);
        memmove(to.velocity[a], p->now.velocity[a], bytes);
    }
    return p->run ? torre_md_run_particles(p->run, &to) : TORRE_OK;
}

torre_status torre_particles_get_grains(torre_particles *p, double *radius, double *const spin[3])
{
    const size_t bytes = (size_t)p->now.count * sizeof(double);
    if (!p->now.spin[0])
        return torre_fail(TORRE_ERR_USAGE, "these particles do not spin: rough grains do, those "
                                           "with {friction}, {sizes} or {side_walls}");
    TORRE_TRY(torre_particles_get(p, NULL, NULL));
    if (radius) memcpy(radius, p->now.radius, bytes);
    for (int a = 0; spin && a < 3; a++)
        if (spin[a]) memcpy(spin[a], p->now.spin[a], bytes);
    return TORRE_OK;
}

torre_status torre_particles_save(torre_particles *p, const char *path)
{
    const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES,
                                  .particles = {.about = p->about, .size = p->size}};
    const torre_frame frame = {.step = torre_particles_step(p),
                               .time = (double)torre_particles_step(p) * p->problem.dt,
                               .particles = &p->now};
    const torre_sink_format *format;
    TORRE_TRY(torre_sink_choose("path", path, TORRE_SINK_PARTICLES, false, &format));
    TORRE_TRY(torre_particles_get(p, NULL, NULL));
    return torre_sink_write(format, &data, path, &frame);
}

void torre_particles_free(torre_particles *p)
{
    if (!p) return;
    torre_md_run_free(p->run);
    torre_md_particles_free(&p->now);
    free(p);
}
