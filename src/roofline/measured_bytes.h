/*
 * Main-memory bytes per update that a profiler counted, from a CSV file with the line of names
 *
 *     order,engine,dts,tower_height,ordering,bytes_per_update
 *
 * (bench/ncu_bytes.sh writes it by running single points under Nsight Compute).
 */
#ifndef TORRE_MEASURED_BYTES_H
#define TORRE_MEASURED_BYTES_H

#include "roofline/sweep.h"

/*
 * Fill in measured_bytes of the points that the file knows. TORRE_ERR_INPUT, with the line, when it
 * cannot be read or is not as described.
 */
torre_status torre_measured_bytes_read(const char *path, torre_sweep_point *points, int count);

#endif
