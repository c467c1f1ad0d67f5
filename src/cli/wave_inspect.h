/* `wave --inspect`: what is in a file of traces. */
#ifndef TORRE_WAVE_INSPECT_H
#define TORRE_WAVE_INSPECT_H

#include "core/status.h"

/* Tell it on standard output. TORRE_ERR_INPUT: the file; TORRE_ERR_USAGE: its ending. */
torre_status wave_inspect(const char *path);

#endif
