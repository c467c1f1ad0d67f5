/*
 * Traces: what receivers record. Engines sample grid nodes; here the samples are staged chunk by
 * chunk and interpolated (always in the same order, so equal fields give equal traces). Where the
 * backend does the latter, too (torre_wave_program_sums), what is staged is `summed`.
 *
 * The order, in f64, each product and sum rounded: for sinc
 *     sum_k z_k (sum_i x_i (sum_j y_j u_ijk)),
 * one axis after the other from the lowest tap to the highest, starting at zero, which takes eight
 * neighbours along z at once; with few nodes (torre_traces_plain) sum_ijk ((x_i y_j) z_k) u_ijk in
 * the order of the nodes.
 */
#ifndef TORRE_TRACES_H
#define TORRE_TRACES_H

#include "wave/setup.h"

/* Whether receivers have so few nodes that they are summed one after the other. */
static inline bool torre_traces_plain(const torre_wave_problem *problem)
{
    return problem->interpolation == TORRE_TRILINEAR;
}

/* Values of a step that are staged: of receivers if summed, else of their nodes. */
int64_t torre_traces_columns(const torre_wave_setup *setup, bool summed);

/* Allocate zeros of shape (receivers, steps + 1, 1); data stays NULL without receivers. */
torre_status torre_traces_new(const torre_wave_problem *problem, torre_array *traces);

/* Bytes of the traces and of the staging buffer together; -1 on overflow. least: as below. */
int64_t torre_traces_bytes(const torre_wave_setup *setup, bool summed, int64_t least);

/* How many steps the staging buffer holds, >= 1, and at least `least` (the height of towers, which
 * shorter passes would cut, or more) where the run has as many; INT64_MAX where nothing is
 * recorded. */
int64_t torre_traces_chunk(const torre_wave_setup *setup, bool summed, int64_t least);

/* Allocate the staging buffer (chunk, receiver nodes, or receivers if summed); NULL where nothing
 * is recorded. */
torre_status torre_traces_staging(const torre_wave_setup *setup, bool summed, int64_t chunk,
                                  void **staging);

/* Receiver r from the samples of its nodes at one step, in f64. */
double torre_traces_value(const torre_wave_setup *setup, int64_t r, const double *samples);

/* The same from the values of its nodes alone, in the problem's precision, row-major by its taps
 * along x, y and z, as pressure. */
double torre_traces_nodes(const torre_wave_setup *setup, int64_t r, const void *values);

/* Column 0 from the initial field u[0], dense. */
void torre_traces_start(const torre_wave_setup *setup, const void *now, torre_array *traces);

/* Samples of so many steps that nobody has computed: all ones. NULL is fine. */
void torre_traces_blank(const torre_wave_setup *setup, bool summed, int64_t steps, void *samples);

/* Samples of so many steps at the nodes, as solvers have them, made pressure in their place. */
void torre_traces_weigh(const torre_wave_setup *setup, void *staging, int64_t steps);

/* Columns step + 1 .. step + steps from what is staged of these steps. */
void torre_traces_record(const torre_wave_setup *setup, bool summed, const void *staging,
                         int64_t step, int64_t steps, torre_array *traces);

#endif
