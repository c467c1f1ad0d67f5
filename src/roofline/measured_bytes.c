#include "roofline/measured_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "roofline/sweep_csv.h"

static bool read_line(const char *text, torre_sweep_point *p)
{
    char engine[16], ordering[64], rest;
    memset(p, 0, sizeof *p);
    int n = sscanf(text, "%d,%15[^,],%d,%" SCNd64 ",%63[^,],%lf %c", &p->order, engine,
                   &p->plan.dts, &p->plan.tower_height, ordering, &p->measured_bytes, &rest);
    return n == 6 && torre_engine_by_name(engine, &p->plan.engine) &&
           p->plan.engine != TORRE_AUTO &&
           torre_ordering_parse(ordering, &p->plan.ordering, NULL) && p->measured_bytes > 0;
}

torre_status torre_measured_bytes_read(const char *path, torre_sweep_point *points, int count)
{
    char text[256];
    int line = 0;
    torre_status status = TORRE_OK;
    FILE *in = fopen(path, "r");
    if (!in) return torre_fail_errno("cannot read %s", path);
    while (!status && fgets(text, sizeof text, in)) {
        torre_sweep_point known;
        if (line++ == 0 || text[0] == '#') continue;
        if (!read_line(text, &known))
            status = torre_fail(TORRE_ERR_INPUT,
                                "%s: line %d is not order,engine,dts,tower_height,ordering,"
                                "bytes_per_update",
                                path, line);
        for (int i = 0; i < count && !status; i++)
            if (torre_sweep_same_point(&known, &points[i]))
                points[i].measured_bytes = known.measured_bytes;
    }
    fclose(in);
    return status;
}
