/* The cpu backend: C11, OpenMP, vectorised; engines reference, stepwise and torre. */
#ifndef TORRE_BACKEND_CPU_H
#define TORRE_BACKEND_CPU_H

#include "wave/backend.h"

extern const torre_wave_backend torre_wave_cpu;

#endif
