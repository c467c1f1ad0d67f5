/* The problem of one shot of a survey: that of the model with the shot's points and wavelet. */
#ifndef TORRE_SHOT_PROBLEM_H
#define TORRE_SHOT_PROBLEM_H

#include "survey/shot_list.h"
#include "wave/setup.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What of the model a shot needs: along x and y the cells up to so many metres beyond its source
 * and receivers, and as many more as absorbing layers have, which stand where the model is cut.
 */
typedef struct torre_aperture {
    bool wanted;
    double x, y; /* metres */
} torre_aperture;

/* Everything that it points to is its own; not to be moved. */
typedef struct torre_shot_problem {
    torre_wave_problem problem;
    torre_wave_setup *setup; /* of the problem; NULL once a run has taken it */
    torre_point source, *receivers;
    double *wavelet;
    torre_array velocity,
        density; /* with an aperture, where they are arrays: of the cells cut out */
} torre_shot_problem;

/* Refuse an aperture of a model that is periodic where it would be cut: TORRE_ERR_USAGE. */
torre_status torre_aperture_check(const torre_aperture *aperture, const torre_wave_problem *model);

/*
 * Refuse a shot whose source or receivers the model cannot have there, or whose source is too
 * strong: TORRE_ERR_INPUT "FILE:LINE: ...". path: the file of the list; *cells: those of its grid.
 */
torre_status torre_shot_problem_check(const torre_wave_spec *spec, const torre_wave_input *input,
                                      const torre_aperture *aperture, const char *path,
                                      const torre_shot *shot, int64_t *cells);

/* Of a shot that was checked. TORRE_ERR_RESOURCE. The input must outlive it. */
torre_status torre_shot_problem_new(const torre_wave_spec *spec, const torre_wave_input *input,
                                    const torre_aperture *aperture, const torre_shot *shot,
                                    torre_shot_problem **problem);
void torre_shot_problem_free(torre_shot_problem *problem); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
