#include "run/wave_summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "core/tell.h"
#include "wave/boundary.h"
#include "wave/density.h"
#include "wave/driver.h"
#include "wave/rank_run.h"
#include "wave/time_dispersion.h"

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

static bool absorbs(const torre_wave_problem *p)
{
    return torre_axis_absorbs(p, 0) || torre_axis_absorbs(p, 1) || torre_axis_absorbs(p, 2);
}

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
    if (absorbs(p))
        fprintf(out, "; absorbing layers %d cells wide%s", p->absorbing_width,
                p->absorbing == TORRE_PML    ? ", perfectly matched"
                : p->absorbing == TORRE_CPML ? ", convolutional"
                                             : ", sponges");
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

static void print_grid(FILE *out, const torre_wave_problem *p)
{
    fputs("grid       ", out);
    for (int a = 0; a < 3; a++)
        if (!torre_wave_is_flat(p, a)) fprintf(out, "%s%" PRId64, a ? " x " : "", p->size[a]);
    fputs(" cells, ", out);
    for (int a = 0; a < (torre_wave_equal_spacing(p) ? 1 : 3); a++) {
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
        [TORRE_TOWERS_SLOWER] =
            " (towers would be slower here; " TORRE_PARAMETER("engine") " torre insists)"};
    fprintf(out, "scheme     order %d in %s, engine %s", p->order,
            p->precision == TORRE_F32 ? "f32" : "f64", torre_engine_name(plan->engine));
    torre_tell(out, "%s", reasons[info->reason]);
    if (plan->engine == TORRE_TORRE)
        fprintf(out, ", dts %d, tower height %" PRId64 ", %s", plan->dts, plan->tower_height,
                torre_ordering_write(&plan->ordering).text);
    if (info->measured) torre_tell(out, " (dts and height from roofline {tune})");
    if (info->why[0]) fprintf(out, "\nwhy        %s", info->why);
    fprintf(out, "\nkernel     %s\ndevice     %s: %s", info->kernel, torre_wave_run_backend(run),
            info->device);
    if (plan->threads > 0) fprintf(out, ", %d thread%s", plan->threads, plural(plan->threads));
    if (plan->axes[0] && strcmp(plan->axes, "xyz") != 0)
        fprintf(out, "\naxes       %c, %c, %c of the grid taken as x, y, z", plan->axes[0],
                plan->axes[1], plan->axes[2]);
    fputc('\n', out);
}

/* How a run goes through less memory than its fields take. */
static void print_windows(FILE *out, const torre_wave_run *run)
{
    const torre_wave_info *info = torre_wave_run_info(run);
    const char *axes = info->plan.axes[0] ? info->plan.axes : "x";
    char bytes[32];
    if (info->windows == 0) return;
    torre_format_bytes((double)info->streamed_bytes, bytes, sizeof bytes);
    fprintf(out,
            "windows    %" PRId64 " a pass of %" PRId64 " steps, of %" PRId64
            " planes across %c; %s through %s a pass\n",
            info->windows, info->plan.tower_height, info->window_planes, axes[0], bytes,
            info->plan.scratch ? info->plan.scratch : "memory of the host");
}

/* How ranks share a run. */
static void print_ranks(FILE *out, const torre_wave_run *run)
{
    const torre_ranks_told told = torre_wave_run_ranks(run);
    char bytes[32];
    if (told.ranks == 1) return;
    if (told.pass_bytes == 0) {
        fprintf(out, "%ss%*s%d, with %s\n", told.what, 10 - (int)strlen(told.what), "", told.ranks,
                told.transport);
        return;
    }
    torre_format_bytes((double)told.pass_bytes, bytes, sizeof bytes);
    fprintf(out,
            "%ss%*s%d, with %" PRId64 " planes that two of them have; %s by %s a pass of "
            "%" PRId64 " steps\n",
            told.what, 10 - (int)strlen(told.what), "", told.ranks, told.overlap_planes, bytes,
            told.transport, torre_wave_run_info(run)->plan.tower_height);
}

/* How long they waited. */
static void print_waits(FILE *out, const torre_wave_run *run)
{
    const torre_ranks_told told = torre_wave_run_ranks(run);
    if (told.ranks == 1 || torre_wave_run_seconds(run) <= 0) return;
    double sum = 0;
    for (int i = 0; i < told.ranks; i++) sum += told.waited_s[i];
    fprintf(out, "links      %ss waited for each other for %.2g %% of that\n", told.what,
            100 * sum / told.ranks / torre_wave_run_seconds(run));
}

void torre_wave_summary_setup(FILE *out, const torre_wave_input *in, const torre_wave_run *run)
{
    const torre_wave_problem *p = &in->problem;
    print_grid(out, p);
    if (in->velocity.data)
        fprintf(out, "velocity   %.6g to %.6g m/s\n", in->time.velocity_min, in->time.velocity_max);
    else
        fprintf(out, "velocity   %.6g m/s everywhere\n", p->velocity);
    if (in->problem.density_cells) {
        double low, high;
        torre_density_range(p, &low, &high);
        fprintf(out, "density    %.6g to %.6g kg/m^3\n", low, high);
    }
    print_faces(out, p);
    print_waves(out, in);
    fprintf(out,
            "time       %" PRId64 " step%s of %.6g s, %.4g s in all; Courant number %.4g of %.4g\n",
            p->steps, plural(p->steps), p->dt, (double)p->steps * p->dt, in->time.courant,
            in->time.courant_limit);
    print_choices(out, p, run);
    print_windows(out, run);
    print_ranks(out, run);
}

static void print_bytes(FILE *out, const char *what, int64_t bytes)
{
    char text[32];
    if (bytes == 0) return;
    torre_format_bytes((double)bytes, text, sizeof text);
    fprintf(out, "           %-10s %s\n", text, what);
}

/* Bytes in a second. */
static void format_rate(double bytes_per_s, char *text, size_t size)
{
    torre_format_bytes(bytes_per_s, text, size);
    strncat(text, "/s", size - strlen(text) - 1);
}

/* What links must carry for ranks of that rate together never to wait for them. */
static void print_links(FILE *out, const torre_wave_run *run, double gcells_per_s)
{
    const torre_ranks_told told = torre_wave_run_ranks(run);
    const double cells = (double)torre_wave_cells(torre_wave_run_problem(run));
    const double steps = (double)torre_wave_run_info(run)->plan.tower_height;
    const double pass_s = cells * steps * 1e-9 / gcells_per_s;
    char text[40];
    if (told.pass_bytes == 0) {
        fprintf(out, "           if all %d %ss are as fast as this one alone\n", told.ranks,
                told.what);
        return;
    }
    format_rate((double)told.pass_bytes / 2 / (told.ranks - 1) / pass_s, text, sizeof text);
    fprintf(
        out,
        "           if all %d %ss are as fast as this one alone and a link carries %s each way\n",
        told.ranks, told.what, text);
}

/* How long it takes, and by what that is known. */
static void print_time(FILE *out, const torre_wave_run *run, double updates,
                       const torre_wave_rates *rates)
{
    const int ranks = torre_wave_run_ranks(run).ranks;
    const double rate = rates->gcells_per_s * ranks,
                 streamed = (double)torre_wave_run_will_stream(run);
    const double computing = updates * 1e-9 / rate;
    const double streaming = rates->scratch > 0 ? streamed / rates->scratch : 0;
    char text[40];
    torre_format_seconds(computing + streaming, text, sizeof text);
    fprintf(out, "           about %s at %.3g Gcells/s, ", text,
            updates * 1e-9 / (computing + streaming));
    if (streamed == 0) {
        fputs("as a short trial of this engine ran\n", out);
        if (ranks > 1) print_links(out, run, rate);
        return;
    }
    if (rates->scratch == 0) {
        format_rate(streamed / 2 / computing, text, sizeof text);
        fprintf(out,
                "as a short trial of this engine ran,\n"
                "           if so large windows are as fast and the link carries %s each way\n",
                text);
        return;
    }
    format_rate(rates->scratch, text, sizeof text);
    fprintf(out,
            "if the system keeps none of the file in memory:\n"
            "           %.3g Gcells/s in memory, and %s through %s, in short trials of both\n",
            rate, text, torre_wave_run_info(run)->plan.scratch);
}

void torre_wave_summary_cost(FILE *out, const torre_wave_input *in, const torre_wave_run *run,
                             const torre_wave_memory *m, const torre_wave_rates *rates)
{
    char text[32];
    torre_format_bytes((double)m->host, text, sizeof text);
    fprintf(out, "memory     %s on the host, %" PRId64 " bytes\n", text, m->host);
    print_bytes(out, m->solver_host ? "fields and tables" : "fields and tables, on the device",
                m->solver);
    print_bytes(out, "velocity model", m->velocity);
    print_bytes(out, "density model, and planes of it for a moment", m->density);
    print_bytes(out, "initial fields, for a moment", m->initial);
    print_bytes(out, "traces", m->traces);
    print_bytes(out, "output, for a moment", m->output);
    print_bytes(out, m->planes ? "fields, in memory of the host" : "scratch file, on the disk",
                torre_wave_run_info(run)->scratch_bytes);
    print_bytes(out, "through it in all", torre_wave_run_will_stream(run));
    double updates = (double)torre_wave_cells(&in->problem) * (double)in->problem.steps;
    double traffic = updates * torre_wave_run_info(run)->model_bytes_per_update;
    torre_format_bytes(traffic, text, sizeof text);
    fprintf(out, "cost       %.4g Gcell updates; about %s through memory at %.3g bytes each\n",
            updates * 1e-9, text, torre_wave_run_info(run)->model_bytes_per_update);
    /* not even for a trial is there memory */
    if (rates->gcells_per_s > 0) print_time(out, run, updates, rates);
}

static void print_snapshot(FILE *out, const torre_snapshot *t)
{
    const char *what = torre_sink_is_picture(t->format) ? "picture"
                       : t->axis < 0                    ? "volume"
                                                        : "plane";
    if (t->written == 1) fprintf(out, "%-10s %s\n", what, t->last);
    if (t->written > 1 && t->single)
        fprintf(out, "%ss%*s%" PRId64 ", the last one %s\n", what, 10 - (int)strlen(what), "",
                t->written, t->last);
    if (t->one_scale > 0)
        fprintf(out, "scale      %.4g in full colour in all of them\n", t->one_scale);
    if (t->written > 1 && !t->single)
        fprintf(out, "%ss%*s%s, %" PRId64 " frames\n", what, 10 - (int)strlen(what), "", t->last,
                t->written);
    if (t->written && t->loss.tolerance > 0)
        fprintf(out,
                "%-10s by zfp: no value is off by more than %.3g (asked for: %.3g; the largest is "
                "%.3g)\n",
                "", t->loss.error, t->loss.tolerance, t->loss.largest);
}

static void print_files(FILE *out, const torre_wave_output *o)
{
    const torre_wave_spec *s = o->spec;
    for (int i = 0; i < o->snapshots.count; i++) print_snapshot(out, &o->snapshots.item[i]);
    for (int i = 0; i < o->traces.count; i++) fprintf(out, "traces     %s\n", o->traces.name[i]);
    if (s->field) fprintf(out, "field      %s", s->field);
    if (s->field && s->field_every) fprintf(out, ", %" PRId64 " frames", o->field_frames);
    if (s->field) fprintf(out, "\n");
    const char *report = o->beside.report;
    if (report && strcmp(report, "-") != 0) fprintf(out, "report     %s\n", report);
}

void torre_wave_summary_result(FILE *out, const torre_wave_output *o, const torre_wave_run *run)
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
    print_waits(out, run);
}
