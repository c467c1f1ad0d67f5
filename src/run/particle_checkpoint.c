#include "run/particle_checkpoint.h"

#include <inttypes.h>
#include <string.h>

#include "core/orderings.h"
#include "core/phase.h"
#include "io/crc32c.h"
#include "io/sink_mark.h"
#include "particles/grains.h"
#include "run/checkpoint_identity.h"

/* --- Of which run it is --- */

static uint32_t particles_checksum(const torre_md_problem *p)
{
    uint32_t sum = 0;
    for (int a = 0; a < 3; a++) {
        sum = torre_crc32c(sum, p->position[a], (size_t)p->count * sizeof(double));
        sum = torre_crc32c(sum, p->velocity[a], (size_t)p->count * sizeof(double));
    }
    return sum;
}

static uint32_t parameters_checksum(const torre_md_problem *p)
{
    uint32_t sum = 0;
    if (p->model == TORRE_MODEL_MPS) return torre_crc32c(0, &p->mps, sizeof p->mps);
    for (const torre_pair_parameter *r = torre_pair_about_model(p->model)->parameters; r->name; r++)
        sum = torre_crc32c(sum, (const char *)&p->pair + r->offset,
                           r->kind == TORRE_PARAMETER_FLAG ? sizeof(bool) : sizeof(double));
    return sum;
}

/* Of rough grains: their parameters, radii and spins at the start. */
static uint32_t grains_checksum(const torre_md_problem *p)
{
    const torre_granular_parameters *g = &p->pair.granular;
    const double number[] = {g->friction,
                             g->wall_friction,
                             g->rolling_friction,
                             g->tangential_stiffness,
                             g->tangential_restitution,
                             g->least_radius,
                             g->incline,
                             g->side_low,
                             g->side_high[0],
                             g->side_high[1]};
    uint32_t sum = torre_crc32c(0, number, sizeof number);
    const size_t bytes = (size_t)p->count * sizeof(double);
    if (p->radius) sum = torre_crc32c(sum, p->radius, bytes);
    for (int a = 0; a < 3; a++)
        if (p->spin[a]) sum = torre_crc32c(sum, p->spin[a], bytes);
    return sum;
}

/* Masses, parameters and cutoffs, and the types of all particles. */
static uint32_t types_checksum(const torre_md_problem *p)
{
    const torre_md_types *t = p->types;
    uint32_t sum = torre_crc32c(0, t->mass, (size_t)t->count * sizeof *t->mass);
    for (int a = 0; a < t->count; a++) {
        for (int b = a; b < t->count; b++) {
            const torre_md_problem between = torre_md_problem_between(p, a, b);
            const uint32_t own = parameters_checksum(&between);
            sum = torre_crc32c(sum, &own, sizeof own);
            sum = torre_crc32c(sum, &between.cutoff, sizeof between.cutoff);
        }
    }
    return torre_crc32c(sum, t->type, (size_t)p->count);
}

static void add_problem(const torre_md_problem *p, torre_record *r)
{
    torre_record_add(r, "model", "%s", torre_pair_model_name(p->model));
    torre_record_add(r, "particles", "%" PRId64, p->count);
    torre_record_add(r, "box", "%.17g,%.17g,%.17g", p->box[0], p->box[1], p->box[2]);
    torre_record_add(r, "dimensions", "%d", p->dimensions);
    torre_record_add(r, "mass", "%.17g", p->mass);
    torre_record_add(r, "cutoff", "%.17g", p->cutoff);
    torre_record_add(r, "time_step", "%.17g", p->dt);
    torre_record_add(r, "precision", "%s", torre_md_precision_name(p->precision));
    torre_record_add(r, "ensemble", "%s", torre_md_ensembles[p->ensemble]);
    if (p->ensemble != TORRE_NVE && p->ensemble != TORRE_FIRE)
        torre_record_add(r, "thermostat",
                         "temperature %.17g, time %.17g, seed %" PRIu64 ", every %" PRId64 " steps",
                         p->temperature, p->damping_time, p->seed, torre_md_couple_every(p));
    if (p->ensemble == TORRE_NPT)
        torre_record_add(r, "barostat", "pressure %.17g, time %.17g, %s", p->pressure,
                         p->pressure_damping, torre_md_pressure_names[p->pressure_axes]);
    if (p->pressure_steps)
        torre_record_add(r, "pressure_ramp", "to %.17g in %" PRId64 " steps", p->pressure_to,
                         p->pressure_steps);
    if (p->ramp_steps)
        torre_record_add(r, "ramp", "to %.17g in %" PRId64 " steps", p->ramp_to, p->ramp_steps);
    if (p->types)
        torre_record_add(r, "types", "%d, checksum %08x", p->types->count, types_checksum(p));
    torre_record_add(r, "parameters", "checksum %08x", parameters_checksum(p));
    if (torre_md_is_rough(p)) torre_record_add(r, "grains", "checksum %08x", grains_checksum(p));
    torre_record_add(r, "start", "checksum %08x", particles_checksum(p));
}

/* What bits depend on of how it is computed: the order in which forces are added. */
static void add_plan(const torre_md_plan *plan, torre_record *r)
{
    torre_record_add(r, "neighbor", "%s, skin %.17g", torre_neighbor_name(plan->neighbor),
                     plan->skin);
    torre_record_add(r, "rebuild_every", "%" PRId64 "%s", plan->rebuild_every,
                     plan->rebuild_check ? " if needed" : "");
    torre_record_add(r, "ordering", "%s, every %" PRId64,
                     torre_ordering_write(&plan->ordering).text, plan->sort_every);
    torre_record_add(r, "bins", "%.17g, stencil %d", plan->bin_size, (int)plan->bin_stencil);
    torre_record_add(r, "deterministic", "%s", plan->deterministic ? "yes" : "no");
}

static void identity(const torre_md_run *run, const torre_particle_extras *x, torre_record *r)
{
    memset(r, 0, sizeof *r);
    torre_record_add(r, "program", "md");
    torre_record_add(r, "backend", "%s", run->backend->name);
    add_problem(run->problem, r);
    add_plan(&run->info->plan, r);
    if (run->info->plan.block) /* of a GPU: its tiles are part of the order */
        torre_record_add(r, "kernel", "%s", run->info->kernel);
    torre_record_add(r, "intervals", "rows every %" PRId64 ", frames every %" PRId64, x->row_every,
                     x->frame_every);
    if (x->measured[0]) torre_record_add(r, "measurements", "%s", x->measured);
}

/* --- Writing --- */

torre_status torre_particle_checkpoint_check(const torre_particle_extras *x)
{
    for (int i = 0; i < x->files; i++) TORRE_TRY(torre_sink_mark_check(x->file[i].sink));
    return TORRE_OK;
}

static torre_status write_chunk(void *context, const char *name, void *data, int64_t bytes)
{
    torre_checkpoint_chunk(context, name, data, bytes);
    return TORRE_OK;
}

static torre_status write_files(torre_checkpoint_writer *to, const torre_particle_extras *x)
{
    torre_sink_mark mark;
    for (int i = 0; i < x->files; i++) {
        if (!x->file[i].sink) continue;
        TORRE_TRY(torre_sink_mark_set(x->file[i].sink, &mark));
        torre_checkpoint_chunk(to, x->file[i].name, &mark, sizeof mark);
    }
    for (int i = 0; i < x->blocks; i++)
        torre_checkpoint_chunk(to, x->block[i].name, x->block[i].data, x->block[i].bytes);
    return TORRE_OK;
}

torre_status torre_particle_checkpoint_write(const char *path, torre_md_run *run,
                                             const torre_particle_extras *x)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    torre_record record;
    torre_checkpoint_writer *to;
    TORRE_TRY(torre_checkpoint_create(path, &to));
    identity(run, x, &record);
    torre_checkpoint_identity_write(to, &record);
    torre_status status = torre_md_run_state(run, write_chunk, to);
    if (!status) status = write_files(to, x);
    TORRE_TRY(torre_checkpoint_finish(to, status));
    for (int i = 0; i < x->files; i++) torre_sink_mark_keep(x->file[i].sink);
    return TORRE_OK;
}

/* --- Reading --- */

static torre_status read_chunk(void *context, const char *name, void *data, int64_t bytes)
{
    return torre_checkpoint_read(context, name, data, bytes);
}

static torre_status read_files(torre_checkpoint *from, const torre_particle_extras *x)
{
    torre_sink_mark mark;
    for (int i = 0; i < x->files; i++) {
        if (!x->file[i].sink) continue;
        TORRE_TRY(torre_checkpoint_read(from, x->file[i].name, &mark, sizeof mark));
        TORRE_TRY(torre_sink_mark_go_on(x->file[i].sink, &mark));
    }
    for (int i = 0; i < x->blocks; i++)
        TORRE_TRY(
            torre_checkpoint_read(from, x->block[i].name, x->block[i].data, x->block[i].bytes));
    return TORRE_OK;
}

static torre_status start(torre_checkpoint *from, const char *path, torre_md_run *run,
                          const torre_particle_extras *x)
{
    torre_record wanted;
    identity(run, x, &wanted);
    TORRE_TRY(torre_checkpoint_identity_check(from, path, &wanted));
    TORRE_TRY(torre_md_run_start_from(run, read_chunk, from));
    return read_files(from, x);
}

torre_status torre_particle_checkpoint_start(const char *path, torre_md_run *run,
                                             const torre_particle_extras *x)
{
    torre_checkpoint *from = NULL;
    torre_status status = torre_checkpoint_open(path, &from);
    if (!status) status = start(from, path, run, x);
    torre_checkpoint_close(from);
    return status;
}
