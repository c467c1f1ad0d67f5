#include "cli/roofline_md.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"
#include "cli/program_stop.h"
#include "cli/roofline_run.h"
#include "io/gnuplot.h"
#include "particles/md_start.h"
#include "torre/status.h"

torre_status roofline_md_prepare(const roofline_settings *s, const torre_option *table,
                                 torre_md_sweep_setting *setting)
{
    static const char *const wave_only[] = {"order", "dts",    "tower-height", "engine",
                                            "size",  "resume", "measured",     "tune"};
    torre_md_plan plan = {.threads = (int)s->threads, .device = (int)s->device};
    for (size_t i = 0; i < sizeof wave_only / sizeof wave_only[0]; i++)
        if (torre_options_given(table, wave_only[i]))
            return torre_fail(TORRE_ERR_USAGE, "--%s does not go with --program md", wave_only[i]);
    memset(setting, 0, sizeof *setting);
    TORRE_TRY(torre_md_backend_find(s->backend, &plan, &setting->backend));
    TORRE_TRY(torre_program_idle("roofline", table, "threads", "cpu", s->backend,
                                 setting->backend->name, s->quiet));
    setting->precision = s->precision ? TORRE_MD_F64 : TORRE_MD_F32;
    setting->threads = plan.threads;
    setting->device = plan.device;
    /* 32,000 particles as in LAMMPS's benchmark, 256,000 of them; on a GPU 2 million */
    setting->cells = strcmp(setting->backend->name, "cuda") == 0 ? 80 : s->quick ? 20 : 40;
    setting->seconds = s->quick ? 0.6 : 1.5;
    return TORRE_OK;
}

static void write_csv_head(FILE *csv, const torre_md_sweep_setting *s)
{
    fprintf(csv, "# torre %s, %s\n# Lennard-Jones melt, %lld particles, %s\n", torre_version_text(),
            s->machine->device, 4 * (long long)(s->cells * s->cells * s->cells),
            torre_md_precision_name(s->precision));
    fputs("neighbor,ordering,state,matom_steps_per_s,low,high,repetitions,steps,neighbors,"
          "operations_per_atom_step,modelled_bytes_per_atom_step,governing_ceiling,bound,fraction,"
          "check_difference,remark\n",
          csv);
}

static double fraction_of(const torre_md_point *p)
{
    return p->bound > 0 ? p->matom_steps_per_s / p->bound : 0;
}

static torre_status append_csv(FILE *csv, const char *path, const torre_md_point *p)
{
    fprintf(csv, "%s,%s,%s,%.6g,%.6g,%.6g,%d,%" PRId64 ",%.4g,%.4g,%.4g,%s,%.4g,%.4f,%.3e,\"%s\"\n",
            torre_neighbor_name(p->plan.neighbor), torre_md_point_ordering(p).text,
            torre_point_state_name(p->state), p->matom_steps_per_s, p->low, p->high, p->repetitions,
            p->steps, p->neighbors, p->operations_per_step, p->bytes_per_step,
            torre_ceiling_name(p->ceiling), p->bound, fraction_of(p), p->check_difference,
            p->remark);
    if (fflush(csv) == 0 && !ferror(csv)) return TORRE_OK;
    return torre_fail_errno("cannot write %s", path);
}

static void print_point(FILE *out, const torre_md_point *p)
{
    fprintf(out, "%-5s %-10s ", torre_neighbor_name(p->plan.neighbor),
            torre_md_point_ordering(p).text);
    if (p->state != TORRE_POINT_TIMED)
        fprintf(out, "%s: %s\n", torre_point_state_name(p->state), p->remark);
    else
        fprintf(out, "%10.2f %8.2f-%-8.2f %6.1f %8.0f %8.0f %5.1f %% %s\n", p->matom_steps_per_s,
                p->low, p->high, p->neighbors, p->operations_per_step, p->bytes_per_step,
                100 * fraction_of(p), torre_ceiling_title(p->ceiling));
}

static void report_point(torre_report *list, const torre_md_point *p)
{
    torre_report *at = torre_report_object(list, NULL);
    torre_report_text(at, "neighbor", torre_neighbor_name(p->plan.neighbor));
    torre_report_text(at, "ordering", torre_md_point_ordering(p).text);
    torre_report_text(at, "state", torre_point_state_name(p->state));
    if (p->remark[0]) torre_report_text(at, "remark", p->remark);
    torre_report_real(at, "check_difference", p->check_difference);
    if (p->state != TORRE_POINT_TIMED) return;
    torre_report_real(at, "matom_steps_per_s", p->matom_steps_per_s);
    torre_report_real(at, "lowest", p->low);
    torre_report_real(at, "highest", p->high);
    torre_report_integer(at, "repetitions", p->repetitions);
    torre_report_integer(at, "steps", p->steps);
    torre_report_real(at, "neighbors", p->neighbors);
    torre_report_real(at, "operations_per_atom_step", p->operations_per_step);
    torre_report_real(at, "modelled_bytes_per_atom_step", p->bytes_per_step);
    torre_report_text(at, "governing_ceiling", torre_ceiling_name(p->ceiling));
    torre_report_real(at, "bound", p->bound);
    torre_report_real(at, "fraction", fraction_of(p));
}

/* Bars in groups: one group a way to find pairs, one colour an ordering. */
static void write_plot(FILE *out, const torre_md_sweep_setting *s, const torre_md_point *points,
                       int count)
{
    int orderings = 0;
    while (orderings < count && points[orderings].plan.neighbor == points[0].plan.neighbor)
        orderings++;
    fprintf(out,
            "# gnuplot md-rates.gp, in this folder\nset terminal pngcairo size 900,600 font "
            "'sans,12'\nset output 'md-rates.png'\nset title \"Lennard-Jones melt, %lld particles, "
            "%s\\n%s\" noenhanced\nset style data histograms\nset style fill solid 0.85\n"
            "set boxwidth 0.9\nset grid ytics lc rgb '#d4d4d4'\nset yrange [0:*]\n"
            "set ylabel 'million atom-steps/s'\nset key outside right\n$rates << EOD\nneighbor",
            4 * (long long)(s->cells * s->cells * s->cells), torre_md_precision_name(s->precision),
            s->machine->device);
    for (int o = 0; o < orderings; o++)
        fprintf(out, " %s", torre_md_point_ordering(&points[o]).text);
    for (int i = 0; i < count; i++) {
        if (i % orderings == 0) fprintf(out, "\n%s", torre_neighbor_name(points[i].plan.neighbor));
        fprintf(out, " %.6g", points[i].matom_steps_per_s);
    }
    fprintf(out,
            "\nEOD\nplot for [c=2:%d] $rates using c:xtic(1) title columnheader(c)\n"
            "set terminal svg size 900,600 font 'sans,14' background 'white'\n"
            "set output 'md-rates.svg'\nreplot\nset output\n",
            orderings + 1);
}

static torre_status draw(const char *directory, const torre_md_sweep_setting *s,
                         const torre_md_point *points, int count, bool *drawn)
{
    char path[4096];
    torre_output *out;
    snprintf(path, sizeof path, "%s/md-rates.gp", directory);
    TORRE_TRY(torre_output_open(path, &out));
    write_plot(torre_output_stream(out), s, points, count);
    TORRE_TRY(torre_output_commit(out));
    return torre_gnuplot_run(directory, "md-rates.gp", drawn);
}

static torre_status measure(const roofline_settings *settings, const torre_md_sweep_setting *s,
                            torre_md_point *points, int count, const char *directory, FILE *out,
                            torre_report *list, bool *drawn)
{
    char path[4096];
    bool terminal = !settings->quiet && isatty(fileno(stderr));
    snprintf(path, sizeof path, "%s/md-sweep.csv", directory);
    FILE *csv = fopen(path, "w");
    if (!csv) return torre_fail_errno("cannot write %s", path);
    write_csv_head(csv, s);
    torre_status status = TORRE_OK;
    int wrong = 0, done = 0;
    for (int i = 0; i < count && !status && !torre_program_stop(NULL); i++, done++) {
        if (terminal) fprintf(stderr, "\r\033[Kpoint %d of %d", i + 1, count);
        status = torre_md_sweep_measure(s, &points[i]);
        if (terminal) fputs("\r\033[K", stderr);
        if (status) break;
        wrong += points[i].state == TORRE_POINT_WRONG;
        if (out) print_point(out, &points[i]);
        report_point(list, &points[i]);
        status = append_csv(csv, path, &points[i]);
    }
    if (fclose(csv) != 0 && !status) status = torre_fail_errno("cannot write %s", path);
    TORRE_TRY(status);
    if (!settings->no_plot) TORRE_TRY(draw(directory, s, points, done, drawn));
    if (torre_program_stop(NULL))
        return torre_fail(TORRE_STOPPED, "stopped by a signal after %d of %d points", done, count);
    if (wrong)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "%d points differ from the reference by more than rounding: see %s",
                          wrong, path);
    return TORRE_OK;
}

torre_status roofline_md_run(const roofline_settings *settings, const torre_md_sweep_setting *s,
                             const char *directory, FILE *out, torre_report *report, bool *drawn)
{
    torre_sweep_axes axes;
    torre_md_point *points;
    int count;
    const char *names = settings->ordering ? settings->ordering : "row-major,morton,hilbert";
    memset(&axes, 0, sizeof axes);
    TORRE_TRY(torre_axes_read_orderings(&axes, "ordering", names));
    TORRE_TRY(torre_md_sweep_list(s, axes.ordering, axes.orderings, &points, &count));
    if (out)
        fprintf(out,
                "\nLennard-Jones melt, %lld particles, %s\n%-5s %-10s %10s %17s %6s %8s %8s   of "
                "the governing ceiling\n",
                4 * (long long)(s->cells * s->cells * s->cells),
                torre_md_precision_name(s->precision), "pairs", "ordering", "Mstep/s", "range     ",
                "neigh.", "op/step", "B/step");
    torre_status status = measure(settings, s, points, count, directory, out,
                                  torre_report_array(report, "points"), drawn);
    if (out)
        fputs(
            "(million atom-steps per second; operations counted, bytes of main memory modelled)\n",
            out);
    free(points);
    return status;
}
