/* The nodes that receivers take and how they are summed, for a setup whose problem is there. */
#ifndef TORRE_WAVE_RECEIVERS_H
#define TORRE_WAVE_RECEIVERS_H

#include "wave/setup.h"

/* Make taps, sums, segments and receiver_nodes; what was made is freed with the setup. */
torre_status torre_receivers_make(torre_wave_setup *setup);

#endif
