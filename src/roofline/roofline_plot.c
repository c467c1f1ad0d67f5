#include "roofline/roofline_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/gnuplot.h"
#include "io/output_file.h"
#include "roofline/sweep_summary.h"
#include "wave/stencil.h"

enum { WIDTH = 1100, HEIGHT = 760, PATH = 4096, MANY = 64 };

/* Margins as fractions of the picture, fixed so that the angle of a diagonal is known. */
static const double left = 0.09, right = 0.975, bottom = 0.095, top = 0.91;

/* Okabe and Ito's palette, distinguishable for the colour-blind. */
static const char *colour(int half_width)
{
    static const char *const palette[] = {"#0072B2", "#009E73", "#E69F00", "#D55E00",
                                          "#CC79A7", "#56B4E9", "#F0E442"};
    return palette[(size_t)(half_width - 1) % (sizeof palette / sizeof *palette)];
}

static void write_row(FILE *out, const torre_sweep_point *p, double place)
{
    double operations = torre_model_operations(p->order);
    fprintf(out, "%.6g %.6g %.6g %.6g %.6g %d %lld %g \"%d/%d\"", p->bound.operations_per_byte,
            p->gcells_per_s * operations, p->gcells_per_s, p->low, p->high, p->plan.dts,
            (long long)p->plan.tower_height, place, p->order, p->plan.dts);
    if (p->measured_bytes > 0)
        fprintf(out, " %.6g\n", operations / p->measured_bytes);
    else
        fputs(" NaN\n", out);
}

/* What is drawn: one block per order and engine. */
typedef struct figure {
    const torre_machine *machine;
    torre_precision precision;
    const torre_sweep_point *points;
    int count;
    bool has[TORRE_MAX_HALF_WIDTH + 1][2]; /* [order / 2][stepwise, torre] */
    bool counted;                          /* a profiler's bytes are known for some points */
    double place[TORRE_MAX_HALF_WIDTH + 1]
                [2];      /* first and last place of an order on the axis of rates.gp */
    double x_low, x_high; /* of the points */
    double y_low, y_high;
} figure;

static void widen(figure *f, const torre_sweep_point *p)
{
    double x = p->bound.operations_per_byte, y = p->gcells_per_s * torre_model_operations(p->order);
    f->counted |= p->measured_bytes > 0;
    if (f->x_low == 0 || x < f->x_low) f->x_low = x;
    if (f->y_low == 0 || y < f->y_low) f->y_low = y;
    f->x_high = fmax(f->x_high, x);
    f->y_high = fmax(f->y_high, y);
}

static void write_order(FILE *out, figure *f, int order, double *place)
{
    int o = order / 2, dts[MANY];
    const torre_sweep_point *step = torre_sweep_best(f->points, f->count, order, TORRE_STEPWISE, 0);
    int n = torre_sweep_dts_values(f->points, f->count, order, dts, MANY);
    f->has[o][0] = step != NULL;
    f->has[o][1] = n > 0;
    if (!step && !n) return;
    f->place[o][0] = *place;
    f->place[o][1] = *place + (n > 0 ? n - 1 : 0);
    if (step) {
        fprintf(out, "# stepwise-%d\n", order);
        write_row(out, step, *place);
        widen(f, step);
        fputs("\n\n", out);
    }
    if (n) fprintf(out, "# torre-%d\n", order);
    for (int i = 0; i < n; i++) {
        const torre_sweep_point *p =
            torre_sweep_best(f->points, f->count, order, TORRE_TORRE, dts[i]);
        write_row(out, p, *place + i);
        widen(f, p);
    }
    if (n) fputs("\n\n", out);
    *place = f->place[o][1] + 2;
}

static void write_data(FILE *out, figure *f)
{
    double place = 1;
    fputs(
        "# operations/byte (modelled)  Gop/s  Gcells/s  lowest  highest  DTS  tower-height  place  "
        "label  operations/byte (counted bytes)\n",
        out);
    for (int order = 2; order <= TORRE_MAX_ORDER; order += 2) write_order(out, f, order, &place);
}

static void write_terminal(FILE *out, const char *name, const char *extension)
{
    if (strcmp(extension, "png") == 0)
        fprintf(out, "set terminal pngcairo size %d,%d font 'sans,12'\n", WIDTH, HEIGHT);
    else
        fprintf(out, "set terminal svg size %d,%d font 'sans,14' background 'white'\n", WIDTH,
                HEIGHT);
    fprintf(out, "set output '%s.%s'\n", name, extension);
}

/* Both formats of what the last plot command drew. */
static void write_formats(FILE *out, const char *name)
{
    fputs("\n", out);
    write_terminal(out, name, "svg");
    fputs("replot\nset output\n", out);
}

static void write_head(FILE *out, const figure *f, const char *name, const char *what)
{
    const torre_machine *m = f->machine;
    fprintf(out, "# gnuplot %s.gp, in this folder\n", name);
    write_terminal(out, name, "png");
    fprintf(out,
            "set lmargin at screen %g\nset rmargin at screen %g\n"
            "set bmargin at screen %g\nset tmargin at screen %g\n",
            left, right, bottom, top);
    fprintf(out, "set title \"%s\\n%s, %s\" noenhanced\n", what, m->device,
            f->precision == TORRE_F32 ? "f32" : "f64");
    fputs("set border lc rgb '#404040'\nset tics nomirror\n", out);
}

static void diagonal(FILE *out, const figure *f, torre_ceiling_id id, double x_low, double x_high,
                     double angle, double roof, bool bold)
{
    double rate = f->machine->ceiling[id].high;
    if (rate <= 0) return;
    double end = fmin(x_high, roof / rate), at = x_low * 1.06;
    if (end <= x_low) return;
    fprintf(out, "set arrow from %g,%g to %g,%g nohead lc rgb '%s' lw %g\n", x_low, x_low * rate,
            end, end * rate, bold ? "#000000" : "#a0a0a0", bold ? 2.5 : 1.2);
    fprintf(out,
            "set label '%s  %.0f GB/s' at %g,%g rotate by %.1f offset -0.4,0.9 font ',10' tc rgb "
            "'%s'\n",
            torre_ceiling_title(id), rate, at, at * rate, angle, bold ? "#000000" : "#707070");
}

static void horizontal(FILE *out, const figure *f, torre_ceiling_id id, torre_ceiling_id slope,
                       double x_low, double x_high, bool bold)
{
    double rate = f->machine->ceiling[id].high, widest = f->machine->ceiling[slope].high;
    if (rate <= 0 || widest <= 0) return;
    fprintf(out, "set arrow from %g,%g to %g,%g nohead lc rgb '%s' lw %g\n",
            fmax(rate / widest, x_low), rate, x_high, rate, bold ? "#000000" : "#a0a0a0",
            bold ? 2.5 : 1.2);
    fprintf(out,
            "set label '%s  %.*f Gop/s' at %g,%g right offset -0.5,0.6 font ',10' tc rgb '%s'\n",
            torre_ceiling_title(id), rate < 1000, rate, x_high, rate, bold ? "#000000" : "#707070");
}

/* The widest bandwidth that is drawn: where horizontal ceilings begin. */
static torre_ceiling_id widest(const torre_machine *m)
{
    torre_ceiling_id best = TORRE_DRAM_MIX;
    const torre_ceiling_id drawn[] = {TORRE_LLC_MIX, TORRE_MID_MIX, TORRE_NEAR_MIX};
    for (int i = 0; i < 3; i++)
        if (m->ceiling[drawn[i]].high > m->ceiling[best].high) best = drawn[i];
    return best;
}

/* Marks at 1, 2 and 5 times powers of ten. */
static void write_marks(FILE *out, char axis, double low, double high)
{
    const char *glue = "";
    fprintf(out, "set %ctics (", axis);
    for (double power = pow(10, floor(log10(low))); power <= high; power *= 10) {
        const double mark[] = {1, 2, 5};
        for (int i = 0; i < 3; i++) {
            if (mark[i] * power < low || mark[i] * power > high) continue;
            fprintf(out, "%s'%g' %g", glue, mark[i] * power, mark[i] * power);
            glue = ", ";
        }
    }
    fputs(")\n", out);
}

static double decades(double low, double high) { return log10(high / low); }

static void write_ceilings(FILE *out, const figure *f)
{
    const torre_ceiling *c = f->machine->ceiling;
    bool single = f->precision == TORRE_F32;
    torre_ceiling_id fma = single ? TORRE_F32_FMA : TORRE_F64_FMA;
    torre_ceiling_id stencil = single ? TORRE_F32_STENCIL : TORRE_F64_STENCIL;
    double roof = fmax(c[fma].high, c[stencil].high);
    double x_low = f->x_low / 2.5, x_high = f->x_high * 3;
    double y_low = fmin(f->y_low / 2.5, x_low * c[TORRE_DRAM_MIX].high * 2);
    /* room for the label of the steepest diagonal */
    double y_high = fmax(fmax(roof, f->y_high) * 2, 4 * x_low * c[widest(f->machine)].high);
    double angle = atan2((top - bottom) * HEIGHT / decades(y_low, y_high),
                         (right - left) * WIDTH / decades(x_low, x_high)) *
                   180 / 3.14159265358979;
    fprintf(out, "set xrange [%g:%g]\nset yrange [%g:%g]\n", x_low, x_high, y_low, y_high);
    write_marks(out, 'x', x_low, x_high);
    write_marks(out, 'y', y_low, y_high);
    const torre_ceiling_id cache[] = {TORRE_LLC_MIX, TORRE_MID_MIX, TORRE_NEAR_MIX};
    for (int i = 0; i < 3;
         i++) /* a cache that others use up is as slow as memory: no line of its own */
        if (c[cache[i]].high > 1.2 * c[TORRE_DRAM_MIX].high)
            diagonal(out, f, cache[i], x_low, x_high, angle, roof, false);
    diagonal(out, f, TORRE_DRAM_MIX, x_low, x_high, angle, roof, true);
    horizontal(out, f, fma, widest(f->machine), x_low, x_high, c[fma].high >= c[stencil].high);
    horizontal(out, f, stencil, widest(f->machine), x_low, x_high, c[stencil].high > c[fma].high);
}

static void write_roofline(FILE *out, const figure *f)
{
    write_head(out, f, "roofline", "Towers and the roofline");
    fputs("set logscale xy\nset grid lc rgb '#d4d4d4'\n"
          "set xlabel 'operations per byte of main memory (counted; bytes modelled)'\n"
          "set ylabel 'Gop/s' offset 1\n"
          "set key bottom right box lc rgb '#c0c0c0' opaque samplen 2 spacing 1.15\n",
          out);
    write_ceilings(out, f);
    fputs("plot \\\n", out);
    for (int o = 1; o <= TORRE_MAX_HALF_WIDTH; o++) {
        if (f->has[o][1])
            fprintf(out,
                    "  'points.dat' index 'torre-%d' using 1:2 with linespoints lw 2 pt 7 ps 1.3 "
                    "lc rgb '%s' title 'towers, order %d', \\\n"
                    "  '' index 'torre-%d' using 1:2:(sprintf('%%d', $6)) with labels offset "
                    "0,0.9 font ',10' tc rgb '%s' notitle, \\\n",
                    2 * o, colour(o), 2 * o, 2 * o, colour(o));
        if (f->has[o][0])
            fprintf(out,
                    "  'points.dat' index 'stepwise-%d' using 1:2 with points pt 4 ps 1.8 lw 2.5 "
                    "lc rgb '%s' notitle, \\\n",
                    2 * o, colour(o));
    }
    if (f->counted)
        fputs("  'points.dat' using 10:2 with points pt 2 ps 1.2 lw 2 lc rgb '#000000' title "
              "'same rate, bytes counted by a profiler', \\\n",
              out);
    fputs("  1/0 with points pt 4 ps 1.8 lw 2.5 lc rgb '#606060' title 'stepwise, same colours', "
          "\\\n"
          "  1/0 with points pt -1 title 'numbers: DTS'\n",
          out);
    write_formats(out, "roofline");
}

static void write_rates(FILE *out, const figure *f)
{
    double places = 0;
    for (int o = 1; o <= TORRE_MAX_HALF_WIDTH; o++) places = fmax(places, f->place[o][1]);
    bool narrow = places > 24; /* bars */
    write_head(out, f, "rates", "Rate of the best towers for each order/DTS");
    if (narrow) fputs("set xtics font ',8'\n", out);
    fputs("set grid ytics lc rgb '#e0e0e0'\nset boxwidth 0.8\nset style fill solid 0.85\n"
          "set xlabel 'order / DTS'\nset ylabel 'Gcells/s' offset 1\nset yrange [0:*]\nset offsets "
          "0,0,graph 0.06,0\n"
          "set xrange [0:*]\nset key top right samplen 2\nset xtics ()\nplot \\\n",
          out);
    for (int o = 1; o <= TORRE_MAX_HALF_WIDTH; o++) {
        if (f->has[o][1])
            fprintf(
                out,
                "  'points.dat' index 'torre-%d' using 8:3:xtic(9) with boxes lc rgb '%s' "
                "title 'towers, order %d', \\\n"
                "  '' index 'torre-%d' using 8:4:(0):($5-$4) with vectors nohead lc rgb '#404040' "
                "notitle, \\\n"
                "  '' index 'torre-%d' using 8:5:(sprintf('%%.4g', $3)) with labels offset "
                "0,0.7 font ',%d' notitle, \\\n",
                2 * o, colour(o), 2 * o, 2 * o, 2 * o, narrow ? 7 : 10);
        if (f->has[o][0])
            fprintf(out,
                    "  'points.dat' index 'stepwise-%d' using (%g):3:(%g):(0) with vectors nohead "
                    "lw 3 lc rgb '#000000' notitle, \\\n",
                    2 * o, f->place[o][0] - 0.5, f->place[o][1] - f->place[o][0] + 1);
    }
    fputs("  1/0 with lines lw 3 lc rgb '#000000' title 'stepwise'\n", out);
    write_formats(out, "rates");
}

typedef void write_function(FILE *out, const figure *f);

static torre_status write_file(const char *directory, const char *name, write_function *write,
                               const figure *f)
{
    char path[PATH];
    torre_output *out;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    TORRE_TRY(torre_output_open(path, &out));
    write(torre_output_stream(out), f);
    return torre_output_commit(out);
}

static torre_status write_points(const char *directory, figure *f)
{
    char path[PATH];
    torre_output *out;
    snprintf(path, sizeof path, "%s/points.dat", directory);
    TORRE_TRY(torre_output_open(path, &out));
    write_data(torre_output_stream(out), f);
    return torre_output_commit(out);
}

torre_status torre_roofline_draw(const char *directory, const torre_machine *machine,
                                 torre_precision precision, const torre_sweep_point *points,
                                 int count, bool *drawn)
{
    figure f = {.machine = machine, .precision = precision, .points = points, .count = count};
    *drawn = false;
    bool any = false;
    for (int i = 0; i < count; i++) any |= points[i].repetitions > 0;
    if (!any) return TORRE_OK;
    TORRE_TRY(write_points(directory, &f));
    TORRE_TRY(write_file(directory, "roofline.gp", write_roofline, &f));
    TORRE_TRY(write_file(directory, "rates.gp", write_rates, &f));
    TORRE_TRY(torre_gnuplot_run(directory, "roofline.gp", drawn));
    if (*drawn) TORRE_TRY(torre_gnuplot_run(directory, "rates.gp", drawn));
    return TORRE_OK;
}
