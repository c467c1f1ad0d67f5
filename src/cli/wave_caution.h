/* What is legal in a run of `wave` but hardly meant. */
#ifndef TORRE_WAVE_CAUTION_H
#define TORRE_WAVE_CAUTION_H

#include "cli/wave_input.h"

/* Add a line to the warnings of the input; it is cut to the room there is. */
__attribute__((format(printf, 2, 3))) void wave_warn(wave_input *input, const char *format, ...);

/*
 * Warn of absorbing layers that leave less than their own width between them, of sources and
 * receivers in a layer, and of an axis of one cell whose faces pull it to zero. The problem must be
 * complete but for wavelet and dt.
 */
void wave_warn_of_faces(wave_input *input);

#endif
