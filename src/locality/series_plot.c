#include "locality/series_plot.h"

#include "io/output_file.h"

static void write_curves(FILE *f, const torre_series_style *s, const char *const *name, int count)
{
    fprintf(f, "plot ");
    for (int i = 0; i < count; i++) {
        fprintf(f, "%s\\\n    data ", i ? ", " : "");
        if (count > 1)
            fprintf(f, "using (strcol(1) eq '%s' ? $%d : NaN):%d", name[i], s->x + 1, s->y + 1);
        else
            fprintf(f, "using %d:%d", s->x, s->y);
        fprintf(f, " with %s title '%s'", s->style, name[i]);
    }
    fprintf(f, "\n");
}

torre_status torre_series_plot_write(const char *script, const char *data, const char *png,
                                     const torre_series_style *s, const char *const *name,
                                     int count)
{
    torre_output *out;
    TORRE_TRY(torre_output_open(script, &out));
    FILE *f = torre_output_stream(out);
    fprintf(f,
            "# gnuplot %s, in the folder where locality ran\n"
            "set terminal pngcairo size 1000,640\n"
            "set output '%s'\n"
            "set datafile separator ','\n"
            "set key top right\n"
            "set grid\n"
            "data = '%s'\n%s",
            script, png, data, s->settings);
    if (s->plot)
        fprintf(f, "%s\n", s->plot);
    else
        write_curves(f, s, name, count);
    return torre_output_commit(out);
}
