/* The files that a run of a pair model writes: opened before it starts, completed after it. */
#ifndef TORRE_PAIR_FILES_H
#define TORRE_PAIR_FILES_H

#include "particles/granular.h"
#include "particles/md_run.h"
#include "run/pair_measures.h"

/* Zero before open. */
typedef struct torre_pair_files {
    const torre_particle_wishes *wishes;
    torre_sink *dump, *csv, *profile, *picture;
    torre_granular_slice *slice; /* [profile_slices], of the profile */
    int64_t samples;
    torre_pair_measures measures;
    char picture_path[TORRE_PATH]; /* "": none */
    torre_figure_about figure;     /* around pictures */
    double diameter;               /* in pictures */
    torre_md_particles now;        /* for frames */
    struct {
        int64_t rows, frames; /* written so far; frames: pictures on the way */
        double speed;         /* in the colour of the fastest, of all of those */
    } done;
} torre_pair_files;

/* Write the start where asked for, and open everything else. layout: of the particles, size in
 * pictures. wishes and the problem of the run must outlive the files. */
torre_status torre_pair_files_open(const torre_particle_wishes *wishes, const torre_md_run *run,
                                   const torre_particle_layout *layout,
                                   const torre_md_particles *start, torre_pair_files *files);

/* At multiples of how many steps they want frames; 0: never. */
int64_t torre_pair_files_every(const torre_pair_files *files);

/* Append a row of the thermo table to the CSV, where a failure is kept for torre_pair_files_finish,
 * and write the picture that is due with it. */
torre_status torre_pair_files_row(torre_pair_files *files, torre_md_run *run,
                                  const torre_md_thermo *row);

/* Append a frame to the dump and a sample to profile and measurements where they are due. */
torre_status torre_pair_files_frame(torre_pair_files *files, torre_md_run *run);

/*
 * Complete dump, profile, picture and measurements, and end the CSV. After a run that
 * failed: only frames and rows that were computed before, no picture.
 */
torre_status torre_pair_files_finish(torre_pair_files *files, torre_md_run *run, bool failed);

/* Close what is open, leaving nothing incomplete behind, and free. */
void torre_pair_files_close(torre_pair_files *files);

#endif
