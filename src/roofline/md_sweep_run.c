#include "roofline/md_sweep_run.h"

#include <errno.h>
#include <inttypes.h>

#include "core/phase.h"
#include "io/gnuplot.h"
#include "io/output_file.h"
#include "torre/status.h"

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

double torre_md_point_fraction(const torre_md_point *p)
{
    return p->bound > 0 ? p->matom_steps_per_s / p->bound : 0;
}

static torre_status append_csv(FILE *csv, const char *path, const torre_md_point *p)
{
    fprintf(csv, "%s,%s,%s,%.6g,%.6g,%.6g,%d,%" PRId64 ",%.4g,%.4g,%.4g,%s,%.4g,%.4f,%.3e,\"%s\"\n",
            torre_neighbor_name(p->plan.neighbor), torre_md_point_ordering(p).text,
            torre_point_state_name(p->state), p->matom_steps_per_s, p->low, p->high, p->repetitions,
            p->steps, p->neighbors, p->operations_per_step, p->bytes_per_step,
            torre_ceiling_name(p->ceiling), p->bound, torre_md_point_fraction(p),
            p->check_difference, p->remark);
    if (fflush(csv) == 0 && !ferror(csv)) return TORRE_OK;
    return torre_fail_errno("cannot write %s", path);
}

torre_status torre_md_sweep_run(const torre_md_sweep_setting *s, torre_md_point *points, int count,
                                const char *directory, const torre_md_sweep_watch *watch, int *done,
                                int *wrong)
{
    TORRE_PHASE(TORRE_PHASE_LOOP);
    char path[4096];
    snprintf(path, sizeof path, "%s/md-sweep.csv", directory);
    FILE *csv = fopen(path, "w");
    *done = *wrong = 0;
    if (!csv) return torre_fail_errno("cannot write %s", path);
    write_csv_head(csv, s);
    torre_status status = TORRE_OK;
    for (; *done < count && !status && !watch->stop(watch->context); (*done)++) {
        torre_md_point *p = &points[*done];
        watch->before(watch->context, *done, count);
        status = torre_md_sweep_measure(s, p);
        if (status) break;
        *wrong += p->state == TORRE_POINT_WRONG;
        watch->after(watch->context, p);
        status = append_csv(csv, path, p);
    }
    if (fclose(csv) != 0 && !status) status = torre_fail_errno("cannot write %s", path);
    return status;
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

torre_status torre_md_sweep_draw(const char *directory, const torre_md_sweep_setting *s,
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
