#include "cli/wave_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/program.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/report.h"
#include "wave/boundary.h"
#include "wave/time_dispersion.h"

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static void print_faces(FILE *out, const torre_wave_problem *p)
{
    bool same = true;
    for (int f = 1; f < 6; f++)
        same = same && (torre_wave_is_flat(p, f / 2) || p->face[f / 2][f % 2] == p->face[0][0]);
    fprintf(out, "faces      ");
    if (same) {
        fprintf(out, "%s", torre_face_name(p->face[0][0]));
    } else {
        for (int f = 0; f < 6; f++)
            if (!torre_wave_is_flat(p, f / 2))
                fprintf(out, "%s%c%c %s", f ? ", " : "", "xyz"[f / 2], "-+"[f % 2],
                        torre_face_name(p->face[f / 2][f % 2]));
    }
    bool damped = false;
    for (int a = 0; a < 3; a++) damped = damped || torre_axis_is_damped(p, a);
    if (damped) fprintf(out, "; absorbing layers %d cells wide", p->absorbing_width);
    fputc('\n', out);
}

static void print_waves(FILE *out, const torre_wave_input *in)
{
    const torre_wave_problem *p = &in->problem;
    if (p->source_count == 0)
        fprintf(out, "sources    none\n");
    else if (in->peak_frequency > 0)
        fprintf(out, "sources    %" PRId64 ", peak frequency %.4g Hz, %.3g cells per wavelength\n",
                p->source_count, in->peak_frequency, in->points_per_wavelength);
    else
        fprintf(out, "sources    %" PRId64 ", silent\n", p->source_count);
    if (p->receiver_count > 0)
        fprintf(out, "receivers  %" PRId64 ", time dispersion %s\n", p->receiver_count,
                torre_dispersion_corrects(p) ? "corrected" : "left as computed");
    if (in->noise) fprintf(out, "start      noise\n");
    if (in->initial[0])
        fprintf(out, "start      %s%s%s\n", in->initial[0], in->initial[1] ? " and " : ", at rest",
                in->initial[1] ? in->initial[1] : "");
}

/* Whether one number tells the spacing. */
static bool equal_spacing(const torre_wave_problem *p)
{
    return p->spacing[0] == p->spacing[2] &&
           (torre_wave_is_flat(p, 1) || p->spacing[0] == p->spacing[1]);
}

static void print_grid(FILE *out, const torre_wave_problem *p)
{
    fputs("grid       ", out);
    for (int a = 0; a < 3; a++)
        if (!torre_wave_is_flat(p, a)) fprintf(out, "%s%" PRId64, a ? " x " : "", p->size[a]);
    fputs(" cells, ", out);
    for (int a = 0; a < (equal_spacing(p) ? 1 : 3); a++) {
        char h[32];
        torre_format_real(p->spacing[a], h, sizeof h);
        if (!torre_wave_is_flat(p, a)) fprintf(out, "%s%s", a ? " x " : "", h);
    }
    fprintf(out, " m apart%s\n", torre_wave_is_flat(p, 1) ? ", two dimensions" : "");
}

/* What was decided about the run, and why. */
static void print_choices(FILE *out, const torre_wave_problem *p, const torre_wave_run *run)
{
    const torre_wave_info *info = torre_wave_run_info(run);
    const torre_wave_plan *plan = &info->plan;
    static const char *const reasons[] = {
        [TORRE_NO_REASON] = "",
        [TORRE_TOWERS_REFUSED] = " (there are no towers for this problem)",
        [TORRE_TOWERS_SLOWER] = " (towers would be slower here; --engine torre insists)"};
    fprintf(out, "scheme     order %d in %s, engine %s%s", p->order,
            p->precision == TORRE_F32 ? "f32" : "f64", torre_engine_name(plan->engine),
            reasons[info->reason]);
    if (plan->engine == TORRE_TORRE)
        fprintf(out, ", dts %d, tower height %" PRId64 ", %s", plan->dts, plan->tower_height,
                torre_ordering_write(&plan->ordering).text);
    if (info->measured) fputs(" (dts and height from roofline --tune)", out);
    if (info->why[0]) fprintf(out, "\nwhy        %s", info->why);
    fprintf(out, "\nkernel     %s\ndevice     %s: %s", info->kernel, torre_wave_run_backend(run),
            info->device);
    if (plan->threads > 0) fprintf(out, ", %d thread%s", plan->threads, plural(plan->threads));
    if (plan->axes[0] && strcmp(plan->axes, "xyz") != 0)
        fprintf(out, "\naxes       %c, %c, %c of the grid taken as x, y, z", plan->axes[0],
                plan->axes[1], plan->axes[2]);
    fputc('\n', out);
}

void wave_text_setup(FILE *out, const torre_wave_input *in, const torre_wave_run *run)
{
    const torre_wave_problem *p = &in->problem;
    print_grid(out, p);
    if (in->velocity.data)
        fprintf(out, "velocity   %.6g to %.6g m/s\n", in->time.velocity_min, in->time.velocity_max);
    else
        fprintf(out, "velocity   %.6g m/s everywhere\n", p->velocity);
    print_faces(out, p);
    print_waves(out, in);
    fprintf(out,
            "time       %" PRId64 " step%s of %.6g s, %.4g s in all; Courant number %.4g of %.4g\n",
            p->steps, plural(p->steps), p->dt, (double)p->steps * p->dt, in->time.courant,
            in->time.courant_limit);
    print_choices(out, p, run);
}

static void print_bytes(FILE *out, const char *what, int64_t bytes)
{
    char text[32];
    if (bytes == 0) return;
    torre_format_bytes((double)bytes, text, sizeof text);
    fprintf(out, "           %-10s %s\n", text, what);
}

void wave_text_cost(FILE *out, const torre_wave_input *in, const torre_wave_run *run,
                    const torre_wave_memory *m, double rate)
{
    char text[32];
    torre_format_bytes((double)m->host, text, sizeof text);
    fprintf(out, "memory     %s on the host, %" PRId64 " bytes\n", text, m->host);
    print_bytes(out, m->solver_host ? "fields and tables" : "fields and tables, on the device",
                m->solver);
    print_bytes(out, "velocity model", m->velocity);
    print_bytes(out, "initial fields, for a moment", m->initial);
    print_bytes(out, "traces", m->traces);
    print_bytes(out, "output, for a moment", m->output);
    double updates = (double)torre_wave_cells(&in->problem) * (double)in->problem.steps;
    double traffic = updates * torre_wave_run_info(run)->model_bytes_per_update;
    torre_format_bytes(traffic, text, sizeof text);
    fprintf(out, "cost       %.4g Gcell updates; about %s through memory at %.3g bytes each\n",
            updates * 1e-9, text, torre_wave_run_info(run)->model_bytes_per_update);
    if (rate == 0) return; /* not even for a trial is there memory */
    torre_format_seconds(updates * 1e-9 / rate, text, sizeof text);
    fprintf(out, "           about %s at %.3g Gcells/s, as a short trial of this engine ran\n",
            text, rate);
}

static void print_files(FILE *out, const torre_wave_output *o)
{
    const torre_wave_spec *s = o->spec;
    const char *what = torre_sink_is_picture(o->plane_format) ? "picture" : "plane";
    if (o->snapshots == 1) fprintf(out, "%-10s %s\n", what, o->last_snapshot);
    if (o->snapshots > 1)
        fprintf(out, "%ss%*s%" PRId64 ", the last one %s\n", what, 10 - (int)strlen(what), "",
                o->snapshots, o->last_snapshot);
    for (int i = 0; i < o->traces.count; i++) fprintf(out, "traces     %s\n", o->traces.name[i]);
    if (s->field) fprintf(out, "field      %s", s->field);
    if (s->field && s->field_every) fprintf(out, ", %" PRId64 " frames", o->field_frames);
    if (s->field) fprintf(out, "\n");
    const char *report = o->beside.report;
    if (report && strcmp(report, "-") != 0) fprintf(out, "report     %s\n", report);
}

void wave_text_result(FILE *out, const torre_wave_output *o, const torre_wave_run *run)
{
    char time[32];
    const double cells = (double)torre_wave_cells(torre_wave_run_problem(run));
    double updates = (double)torre_wave_run_step(run) * cells;
    print_files(out, o);
    fprintf(out, "amplitude  %.6g at most, %.6g in the root of the sum of squares\n",
            torre_wave_run_norms(run)->max_abs, torre_wave_run_norms(run)->l2);
    torre_format_seconds(torre_wave_run_seconds(run), time, sizeof time);
    fprintf(out, "speed      %.4g Gcell updates in %s: %.4g Gcells/s\n", updates * 1e-9, time,
            torre_wave_run_rate(run));
}

static void report_memory(torre_report *r, const torre_wave_memory *m)
{
    torre_report *list = torre_report_object(r, "memory_bytes");
    torre_report_integer(list, "host", m->host);
    torre_report_integer(list, "fields_and_tables", m->solver);
    torre_report_integer(list, "velocity", m->velocity);
    torre_report_integer(list, "initial", m->initial);
    torre_report_integer(list, "traces", m->traces);
    torre_report_integer(list, "output", m->output);
}

static void report_files(torre_report *r, const torre_wave_output *o)
{
    torre_report *list = torre_report_array(r, "files");
    if (o->last_snapshot[0]) torre_report_text(list, NULL, o->last_snapshot);
    for (int i = 0; i < o->traces.count; i++) torre_report_text(list, NULL, o->traces.name[i]);
    if (o->spec->field) torre_report_text(list, NULL, o->spec->field);
}

/* Frame i of the field is that of the time i * field_interval_s. */
static void report_frames(torre_report *r, const torre_wave_output *o, double dt)
{
    const int64_t every = o->spec->field_every;
    if (every == 0) return;
    torre_report_integer(r, "field_frames", o->field_frames);
    torre_report_real(r, "field_interval_s", (double)every * dt);
}

void wave_text_report_setup(torre_report *r, const torre_wave_input *in, const torre_wave_run *run)
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
    if (equal_spacing(p))
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

torre_report *wave_text_report(const torre_wave_output *o, const torre_wave_run *run,
                               const torre_wave_memory *m, bool dry, double wall_s)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    int64_t steps = dry ? p->steps : torre_wave_run_step(run);
    torre_report *r = torre_report_new("wave");
    wave_text_report_setup(r, o->input, run);
    torre_report_bool(r, "dry_run", dry);
    torre_report_integer(r, "steps", steps);
    torre_report_real(r, "cell_updates", (double)steps * (double)torre_wave_cells(p));
    report_memory(r, m);
    if (!dry) {
        torre_report_real(r, "wall_s", wall_s);
        torre_report_real(r, "compute_s", torre_wave_run_seconds(run));
        torre_report_real(r, "gcells_per_s", torre_wave_run_rate(run));
        torre_report_integer(r, "peak_memory_bytes", torre_memory_peak());
        torre_report_real(r, "max_abs", torre_wave_run_norms(run)->max_abs);
        torre_report_real(r, "l2_norm", torre_wave_run_norms(run)->l2);
        report_files(r, o);
        report_frames(r, o, p->dt);
    }
    torre_report *warnings = torre_report_array(r, "warnings");
    for (int i = 0; i < o->input->cautions.count; i++)
        torre_report_text(warnings, NULL, o->input->cautions.text[i]);
    return r;
}
