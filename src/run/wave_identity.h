/* What the fields of a run depend on, in words: to tell whether results belong together. */
#ifndef TORRE_WAVE_IDENTITY_H
#define TORRE_WAVE_IDENTITY_H

#include "io/record.h"
#include "run/wave_input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Add to a record: grid, medium, time steps, faces, how points are interpolated, and the backend.
 * What engines of one backend compute alike is left out. */
void torre_wave_identity_model(const torre_wave_input *input, const torre_wave_run *run,
                               torre_record *record);

/* Add sources, wavelet, receivers, and what the run starts from. */
void torre_wave_identity_shot(const torre_wave_input *input, torre_record *record);

#ifdef __cplusplus
}
#endif

#endif
