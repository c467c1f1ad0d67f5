/*
 * The cpu backend: bins, sorted storage and neighbour lists (or staged tiles), OpenMP over parts of
 * the particles, vectors over the neighbours of one.
 */
#ifndef TORRE_MD_CPU_H
#define TORRE_MD_CPU_H

#include "particles/md.h"

extern const torre_md_backend torre_md_cpu;

#endif
