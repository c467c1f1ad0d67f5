/* Places in the tank of a fluid where something is recorded at every row: kinds of gauges, each
 * with a table of its own, "t" and a column for every place. */
#ifndef TORRE_FLUID_GAUGES_H
#define TORRE_FLUID_GAUGES_H

#include "particles/md_run.h"
#include "particles/mps_dam.h"
#include "run/particle_files.h"

typedef enum {
    TORRE_GAUGE_PRESSURE, /* of the fluid around a point */
    TORRE_GAUGE_PROBE,    /* the pressure on a wall or an obstacle */
    TORRE_GAUGE_HEIGHT,   /* of the water over a place of the floor */
    TORRE_GAUGE_KINDS
} torre_gauge_kind;

enum { TORRE_FLUID_GAUGES = 64 };

/* The places of one kind. */
typedef struct torre_fluid_gauges {
    torre_gauge_kind kind;
    double at[TORRE_FLUID_GAUGES][3]; /* m, from the tank's inner corner; of heights x and z */
    int numbers, count;               /* of a place; of places */
} torre_fluid_gauges;

/* Read "x,y,z;x,y,z" (2-D: "x,y"), of heights "x,z;x,z" ("x"); NULL: none. TORRE_ERR_USAGE. */
torre_status torre_fluid_gauges_read(torre_gauge_kind kind, const char *list,
                                     const torre_mps_tank *tank, torre_fluid_gauges *gauges);

/* Refuse probes that no wall or obstacle is near. TORRE_ERR_USAGE. */
torre_status torre_fluid_probes_check(const torre_fluid_gauges *gauges, const torre_mps_dam *dam);

/* Where their values go; zero before open. */
typedef struct torre_gauge_table {
    const torre_fluid_gauges *gauges; /* the caller's */
    torre_sink *sink;                 /* NULL: there are no such gauges */
    char path[TORRE_PATH];            /* "": likewise */
    char name[TORRE_FLUID_GAUGES][48];
    const char *column[1 + TORRE_FLUID_GAUGES];
} torre_gauge_table;

/* What the option, the sink in a checkpoint, and so on are called: "gauges", "probes". */
const char *torre_gauge_name(torre_gauge_kind kind);

/* Open the table where there are gauges of the kind; discard the sink in the end. */
torre_status torre_gauge_table_open(const torre_particle_wishes *wishes,
                                    const torre_fluid_gauges *gauges, torre_gauge_table *table);

/* Have what all tables need of the last row's state. */
torre_status torre_gauges_fetch(const torre_gauge_table tables[TORRE_GAUGE_KINDS],
                                const torre_mps_dam *dam, const torre_md_run *run);

/* A row of the state that is there; no sink: nothing. */
torre_status torre_gauge_table_row(torre_gauge_table *table, const torre_mps_dam *dam,
                                   const torre_md_run *run);

#endif
