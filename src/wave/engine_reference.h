/*
 * The reference engine of the cpu backend: dense arrays, one core, no tricks. It has the shape of a
 * backend; backend_cpu.c hands over to it when the plan asks for engine `reference`.
 */
#ifndef TORRE_ENGINE_REFERENCE_H
#define TORRE_ENGINE_REFERENCE_H

#include "wave/backend.h"

extern const torre_wave_backend torre_wave_reference;

#endif
