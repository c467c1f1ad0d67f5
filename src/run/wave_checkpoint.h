/*
 * Checkpoints of a run of waves (io/checkpoint_file.h): all that the run needs to go on, with the
 * bits of one that was never stopped. wave_checkpoint.c has the table of what is in them.
 */
#ifndef TORRE_WAVE_CHECKPOINT_H
#define TORRE_WAVE_CHECKPOINT_H

#include "io/checkpoint_file.h"
#include "run/wave_output.h"

/* Write the state of a run, whose last advance went well and that has steps to go. */
torre_status torre_wave_checkpoint_write(const char *path, torre_wave_output *output,
                                         torre_wave_run *run);

/* Open a checkpoint, look at every byte of it, and refuse one of another problem: TORRE_ERR_INPUT
 * says what differs. Close it in any case. */
torre_status torre_wave_checkpoint_open(const char *path, const torre_wave_output *output,
                                        const torre_wave_input *input, const torre_wave_run *run,
                                        torre_checkpoint **checkpoint);

/* Start a run from it, in place of torre_wave_input_start; the output has been opened. */
torre_status torre_wave_checkpoint_start(torre_checkpoint *checkpoint, torre_wave_output *output,
                                         torre_wave_run *run);

#endif
