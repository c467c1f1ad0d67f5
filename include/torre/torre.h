/*
 * libtorre in one include, from C and from C++.
 *
 *     torre_status      what can go wrong, and why              torre/status.h
 *     torre_array       dense arrays                            torre/array.h
 *     torre_wave_run    acoustic waves                          torre/wave.h
 *     torre_wave_spec   a run of them, said in full             torre/wave_spec.h
 *     torre_particles   Lennard-Jones particles, granular gas   torre/particles.h
 *     torre_fluid       a fluid of moving particles             torre/fluid.h
 *     torre_ordering    orderings of tiles and particles        torre/ordering.h
 *     torre_npy_read    files in and out                        torre/files.h
 *
 *     cc program.c $(pkg-config --cflags --libs torre)
 */
#ifndef TORRE_PUBLIC_TORRE_H
#define TORRE_PUBLIC_TORRE_H

#include "torre/array.h"
#include "torre/files.h"
#include "torre/fluid.h"
#include "torre/ordering.h"
#include "torre/particles.h"
#include "torre/status.h"
#include "torre/wave.h"
#include "torre/wave_spec.h"

#endif
