/*
 * The formats of this build, one line each: SINK(NAME) is torre_sink_NAME of a file in io/sinks.
 * That file and its line here are all there is to add (sink_format.h): options that take such data
 * accept the format from then on, and name it where they refuse another.
 *
 * Where a name says nothing about the format (a pipe), the first that takes the data is taken.
 */
#ifndef TORRE_SINK_LIST_H
#define TORRE_SINK_LIST_H

/* clang-format off */
#define TORRE_SINK_LIST(SINK) \
    SINK(npy) \
    SINK(h5) \
    SINK(segy) \
    SINK(su) \
    SINK(png) \
    SINK(csv) \
    SINK(lammps_dump) \
    SINK(extxyz) \
    SINK(lammps_data)
/* clang-format on */

#endif
