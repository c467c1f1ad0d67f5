#include "run/wave_report.h"

#include "core/memory.h"
#include "wave/boundary.h"
#include "wave/density.h"
#include "wave/driver.h"
#include "wave/rank_run.h"
#include "wave/time_dispersion.h"

static void report_memory(torre_report *r, const torre_wave_memory *m)
{
    torre_report *list = torre_report_object(r, "memory_bytes");
    torre_report_integer(list, "host", m->host);
    torre_report_integer(list, "fields_and_tables", m->solver);
    torre_report_integer(list, "velocity", m->velocity);
    torre_report_integer(list, "density", m->density);
    torre_report_integer(list, "initial", m->initial);
    torre_report_integer(list, "traces", m->traces);
    torre_report_integer(list, "output", m->output);
}

/* Of a run that streams. */
static void report_windows(torre_report *r, const torre_wave_run *run, bool dry)
{
    const torre_wave_info *info = torre_wave_run_info(run);
    if (info->windows == 0) return;
    torre_report_integer(r, "windows", info->windows);
    torre_report_integer(r, "window_planes", info->window_planes);
    torre_report_integer(r, "scratch_bytes", info->scratch_bytes);
    torre_report_integer(r, "streamed_bytes",
                         dry ? torre_wave_run_will_stream(run) : torre_wave_run_streamed(run));
}

/* Of a run by several processes. */
static void report_ranks(torre_report *r, const torre_wave_run *run, bool dry)
{
    const torre_ranks_told told = torre_wave_run_ranks(run);
    if (told.ranks == 1) return;
    torre_report_integer(r, "ranks", told.ranks);
    torre_report_text(r, "transport", told.transport);
    if (told.transport_why[0]) torre_report_text(r, "transport_why", told.transport_why);
    torre_report *devices = told.device ? torre_report_array(r, "devices") : NULL;
    for (int i = 0; i < told.ranks && devices; i++)
        torre_report_text(devices, NULL, told.device[i]);
    torre_report_integer(r, "overlap_planes", told.overlap_planes);
    torre_report_integer(r, "linked_bytes_a_pass", told.pass_bytes);
    if (dry) return;
    torre_report_integer(r, "linked_bytes", told.linked_bytes);
    torre_report_reals(r, "link_wait_s", told.waited_s, told.ranks);
}

static void report_files(torre_report *r, const torre_wave_output *o)
{
    torre_report *list = torre_report_array(r, "files");
    for (int i = 0; i < o->snapshots.count; i++)
        if (o->snapshots.item[i].written > 0)
            torre_report_text(list, NULL, o->snapshots.item[i].last);
    for (int i = 0; i < o->traces.count; i++) torre_report_text(list, NULL, o->traces.name[i]);
    if (o->spec->field) torre_report_text(list, NULL, o->spec->field);
}

/* What compression made of snapshots. */
static void report_losses(torre_report *r, const torre_wave_output *o)
{
    torre_report *list = NULL;
    for (int i = 0; i < o->snapshots.count; i++) {
        const torre_snapshot *t = &o->snapshots.item[i];
        if (t->loss.tolerance == 0) continue;
        if (!list) list = torre_report_array(r, "compressed");
        torre_report *item = torre_report_object(list, NULL);
        torre_report_text(item, "file", t->name);
        torre_report_real(item, "tolerance", t->loss.tolerance);
        torre_report_real(item, "error", t->loss.error);
        torre_report_real(item, "largest_value", t->loss.largest);
    }
}

/* Frame i of the field is that of the time i * field_interval_s. */
static void report_frames(torre_report *r, const torre_wave_output *o, double dt)
{
    const int64_t every = o->spec->field_every;
    if (every == 0) return;
    torre_report_integer(r, "field_frames", o->field_frames);
    torre_report_real(r, "field_interval_s", (double)every * dt);
}

void torre_report_wave_setup(torre_report *r, const torre_wave_input *in, const torre_wave_run *run)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const torre_wave_info *info = torre_wave_run_info(run);
    const torre_wave_plan *plan = &info->plan;
    const bool plane = torre_wave_is_flat(p, 1);
    const double spacing[3] = {p->spacing[0], plane ? p->spacing[2] : p->spacing[1], p->spacing[2]};
    torre_report_text(r, "backend", torre_wave_run_backend(run));
    torre_report_text(r, "device", info->device);
    torre_report_text(r, "engine", torre_engine_name(plan->engine));
    torre_report_text(r, "why", info->why);
    torre_report_text(r, "kernel", info->kernel);
    torre_report_integer(r, "order", p->order);
    torre_report_integer(r, "dts", plan->dts);
    torre_report_text(r, "ordering", torre_ordering_write(&plan->ordering).text);
    torre_report_text(r, "precision", p->precision == TORRE_F32 ? "f32" : "f64");
    torre_report_integer(r, "dimensions", torre_wave_dimensions(p));
    torre_report_integers(r, "size", p->size, 3);
    if (torre_wave_equal_spacing(p))
        torre_report_real(r, "spacing_m", p->spacing[0]);
    else
        torre_report_reals(r, "spacing_m", spacing, torre_wave_dimensions(p));
    torre_report_real(r, "dt_s", p->dt);
    torre_report_real(r, "courant", in->time.courant);
    torre_report_real(r, "courant_limit", in->time.courant_limit);
    torre_report_integer(r, "tower_height", plan->tower_height);
    torre_report_integer(r, "threads", plan->threads);
    if (plan->axes[0]) torre_report_text(r, "axes", plan->axes);
    torre_report_real(r, "velocity_min", in->time.velocity_min);
    torre_report_real(r, "velocity_max", in->time.velocity_max);
    if (p->density_cells) {
        double low, high;
        torre_density_range(p, &low, &high);
        torre_report_real(r, "density_min", low);
        torre_report_real(r, "density_max", high);
    }
    if (torre_axis_absorbs(p, 0) || torre_axis_absorbs(p, 1) || torre_axis_absorbs(p, 2)) {
        torre_report_text(r, "absorbing", torre_absorbing_name(p->absorbing));
        torre_report_integer(r, "absorbing_width", p->absorbing_width);
    }
    torre_report_integer(r, "sources", p->source_count);
    torre_report_integer(r, "receivers", p->receiver_count);
    if (p->source_count + p->receiver_count > 0)
        torre_report_text(r, "interpolation",
                          p->interpolation == TORRE_SINC ? "sinc" : "trilinear");
    if (p->receiver_count > 0)
        torre_report_text(r, "time_dispersion",
                          torre_dispersion_corrects(p) ? "corrected" : "left");
    if (in->peak_frequency > 0) {
        torre_report_real(r, "peak_frequency_hz", in->peak_frequency);
        torre_report_real(r, "points_per_wavelength", in->points_per_wavelength);
    }
    torre_report_real(r, "model_bytes_per_update", info->model_bytes_per_update);
}

void torre_report_cautions(torre_report *r, const torre_cautions *cautions)
{
    torre_report *warnings = torre_report_array(r, "warnings");
    for (int i = 0; i < cautions->count; i++) torre_report_text(warnings, NULL, cautions->text[i]);
}

torre_report *torre_report_wave_run(const torre_wave_output *o, const torre_wave_run *run,
                                    const torre_wave_memory *m, bool dry, double wall_s)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    int64_t steps = dry ? p->steps : torre_wave_run_step(run);
    torre_report *r = torre_report_new("wave");
    torre_report_wave_setup(r, o->input, run);
    torre_report_bool(r, "dry_run", dry);
    torre_report_integer(r, "steps", steps);
    torre_report_real(r, "cell_updates", (double)steps * (double)torre_wave_cells(p));
    report_memory(r, m);
    report_windows(r, run, dry);
    report_ranks(r, run, dry);
    if (!dry) {
        torre_report_real(r, "wall_s", wall_s);
        torre_report_real(r, "compute_s", torre_wave_run_seconds(run));
        torre_report_real(r, "gcells_per_s", torre_wave_run_rate(run));
        torre_report_integer(r, "peak_memory_bytes", torre_memory_peak());
        torre_report_real(r, "max_abs", torre_wave_run_norms(run)->max_abs);
        torre_report_real(r, "l2_norm", torre_wave_run_norms(run)->l2);
        report_files(r, o);
        report_losses(r, o);
        report_frames(r, o, p->dt);
    }
    torre_report_cautions(r, &o->input->cautions);
    return r;
}
