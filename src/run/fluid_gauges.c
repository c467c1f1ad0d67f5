#include "run/fluid_gauges.h"

#include <stdio.h>
#include <string.h>

#include "core/numbers.h"
#include "particles/mps_probe.h"

static double pressure(const torre_mps_dam *dam, const torre_mps_measure *m, const double at[3])
{
    double point[3];
    for (int a = 0; a < 3; a++) point[a] = dam->layout.origin[a] + at[a];
    return torre_mps_gauge(m, point);
}

static torre_mps_region around(const torre_mps_dam *dam, const torre_md_problem *p,
                               const double at[3])
{
    double point[3];
    for (int a = 0; a < 3; a++) point[a] = dam->layout.origin[a] + at[a];
    return torre_mps_gauge_region(p, point);
}

typedef struct about {
    const char *name, *option, *file;
    char symbol;
    int axis[3]; /* of the numbers of a place in 3-D; of those that are no less than 0 */
    double (*value)(const torre_mps_dam *dam, const torre_mps_measure *m, const double at[3]);
    torre_mps_region (*region)(const torre_mps_dam *dam, const torre_md_problem *p,
                               const double at[3]); /* that it needs */
} about;

static const about kinds[TORRE_GAUGE_KINDS] = {
    [TORRE_GAUGE_PRESSURE] = {"gauges", "gauges", "gauges.csv", 'p', {0, 1, 2}, pressure, around},
    [TORRE_GAUGE_PROBE] = {"probes",
                           "pressure_probes",
                           "probes.csv",
                           'p',
                           {0, 1, 2},
                           torre_mps_probe,
                           torre_mps_probe_region},
    [TORRE_GAUGE_HEIGHT] = {"heights",
                            "height_gauges",
                            "heights.csv",
                            'h',
                            {0, 2, -1},
                            torre_mps_dam_height,
                            torre_mps_dam_height_region}};

const char *torre_gauge_name(torre_gauge_kind kind) { return kinds[kind].name; }

torre_status torre_fluid_gauges_read(torre_gauge_kind kind, const char *list,
                                     const torre_mps_tank *tank, torre_fluid_gauges *gauges)
{
    const about *k = &kinds[kind];
    char text[256], form[8] = "";
    *gauges = (torre_fluid_gauges){.kind = kind};
    for (int n = 0; n < 3 && k->axis[n] >= 0 && k->axis[n] < tank->dims; n++) {
        if (n) strcat(form, ",");
        strncat(form, &"xyz"[k->axis[n]], 1);
        gauges->numbers++;
    }
    for (const char *at = list; at && *at;) {
        const size_t length = strcspn(at, ";");
        int numbers = 0;
        const bool fits = length < sizeof text && gauges->count < TORRE_FLUID_GAUGES;
        memcpy(text, at, fits ? length : 0);
        text[fits ? length : 0] = 0;
        double *point = gauges->at[fits ? gauges->count : 0];
        if (!fits || !torre_parse_reals(text, ',', 3, point, &numbers) ||
            numbers != gauges->numbers)
            return torre_fail(TORRE_ERR_USAGE,
                              "{%s} must be at most %d points of %d number%s, %s;... (got %s)",
                              k->option, TORRE_FLUID_GAUGES, gauges->numbers,
                              gauges->numbers == 1 ? "" : "s", form, list);
        for (int n = 0; n < numbers; n++)
            if (!(point[n] >= 0 && point[n] <= tank->size[k->axis[n]]))
                return torre_fail(TORRE_ERR_USAGE,
                                  "{%s}: %s is outside the tank, 0 to %g m along %c", k->option,
                                  text, tank->size[k->axis[n]], "xyz"[k->axis[n]]);
        gauges->count++;
        at += length + (at[length] == ';');
    }
    return TORRE_OK;
}

torre_status torre_fluid_probes_check(const torre_fluid_gauges *gauges, const torre_mps_dam *dam)
{
    for (int k = 0; k < gauges->count; k++) {
        const double *at = gauges->at[k], off = torre_mps_probe_distance(dam, at);
        if (off >= dam->tank.spacing)
            return torre_fail(TORRE_ERR_USAGE,
                              "{pressure_probes} must be less than a spacing, %g m, off a face of "
                              "the tank or an obstacle (%g,%g,%g is %g m off)",
                              dam->tank.spacing, at[0], at[1], at[2], off);
    }
    return TORRE_OK;
}

/* "p(0.4 0.01 0)", "h(0.4 0)" */
static void write_name(const about *k, const torre_fluid_gauges *g, int number, char name[48])
{
    const int numbers = k->axis[2] < 0 ? 2 : 3; /* in 2-D, too */
    int length = snprintf(name, 48, "%c(", k->symbol);
    for (int n = 0; n < numbers && length < 48; n++)
        length += snprintf(name + length, (size_t)(48 - length), "%g%s", g->at[number][n],
                           n + 1 < numbers ? " " : ")");
}

torre_status torre_gauge_table_open(const torre_particle_wishes *wishes,
                                    const torre_fluid_gauges *gauges, torre_gauge_table *table)
{
    const about *k = &kinds[gauges->kind];
    table->gauges = gauges;
    if (gauges->count == 0) return TORRE_OK;
    table->column[0] = "t";
    for (int i = 0; i < gauges->count; i++) {
        write_name(k, gauges, i, table->name[i]);
        table->column[1 + i] = table->name[i];
    }
    TORRE_TRY(torre_particle_path(wishes, "output", k->file, table->path));
    return torre_particle_table_open(
        table->path,
        &(torre_table_layout){
            .columns = 1 + gauges->count, .name = table->column, .digits = 9, .log = true},
        &table->sink);
}

torre_status torre_gauges_fetch(const torre_gauge_table tables[TORRE_GAUGE_KINDS],
                                const torre_mps_dam *dam, const torre_md_run *run)
{
    torre_mps_region region[TORRE_GAUGE_KINDS * TORRE_FLUID_GAUGES];
    int count = 0;
    for (int k = 0; k < TORRE_GAUGE_KINDS; k++)
        for (int i = 0; tables[k].sink && i < tables[k].gauges->count; i++)
            region[count++] = kinds[k].region(dam, run->fluid->problem, tables[k].gauges->at[i]);
    return count ? torre_mps_measure_fetch_near(run->fluid, region, count) : TORRE_OK;
}

torre_status torre_gauge_table_row(torre_gauge_table *t, const torre_mps_dam *dam,
                                   const torre_md_run *run)
{
    const torre_mps_row *row = &run->fluid->row;
    double value[1 + TORRE_FLUID_GAUGES] = {row->time};
    if (!t->sink) return TORRE_OK;
#pragma omp parallel for schedule(dynamic) /* each looks at all that are there */
    for (int i = 0; i < t->gauges->count; i++)
        value[1 + i] = kinds[t->gauges->kind].value(dam, run->fluid, t->gauges->at[i]);
    return torre_sink_frame(t->sink,
                            &(torre_frame){.step = row->step, .time = row->time, .row = value});
}
