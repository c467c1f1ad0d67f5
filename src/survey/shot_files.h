/*
 * Where the traces of a survey go: files of single shots, whose names have {shot} in them, and
 * files of all shots. The latter are made at the end; until then the traces of each shot wait in a
 * folder beside the manifest, as .npy files. Every file is complete or not there,
 * also if the power fails.
 */
#ifndef TORRE_SHOT_FILES_H
#define TORRE_SHOT_FILES_H

#include "io/trace_files.h"
#include "survey/shot_list.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_shot_files {
    const torre_trace_files *files;
    const torre_shot_list *list;
    const torre_wave_problem *model;
    char *folder;         /* where traces wait; NULL where no file is of all shots */
    double picture_scale; /* the caller's: of figures (torre_picture_scale) */
    bool joined; /* the caller's: the files of all shots are as they should be, nothing waits */
} torre_shot_files;

/* "shots/survey.sgy" and the like of the first name, with another ending: a name beside it. NULL
 * without memory; free() it. */
char *torre_shot_files_beside(const torre_trace_files *files, const char *ending);

/* Whether a name is that of a file of one shot. */
bool torre_shot_files_single(const char *name);

/* What a survey writes beside traces: a file (NULL: none), and the option that names it (NULL after
 * the last). */
typedef struct torre_survey_output {
    const char *option, *path;
} torre_survey_output;

/*
 * Check that the formats can hold the shots, that no two results go to one file, and that none
 * replaces one of the inputs (paths, NULL after the last): TORRE_ERR_USAGE. files, list and model
 * must outlive *shot_files, which is to be freed in any case.
 */
torre_status torre_shot_files_new(const torre_trace_files *files, const torre_shot_list *list,
                                  const torre_wave_problem *model, const char *const *inputs,
                                  const torre_survey_output *others, torre_shot_files *shot_files);
void torre_shot_files_free(torre_shot_files *files);

/* Make the folders that are missing, that of the manifest, too, and look whether files can be
 * written there. */
torre_status torre_shot_files_make_folders(const torre_shot_files *files, const char *manifest);

/* Whether all that torre_shot_files_write writes of a shot is there. */
bool torre_shot_files_there(const torre_shot_files *files, int64_t shot);

/* Remove what a killed process has left of files of this shot. */
void torre_shot_files_clean(const torre_shot_files *files, int64_t shot);

/* Write the traces of a shot, of shape (receivers, samples). */
torre_status torre_shot_files_write(const torre_shot_files *files, int64_t shot,
                                    const torre_array *traces);

/* A shot without its values; receivers: as many as it has, to fill in. */
torre_gather torre_shot_files_gather(const torre_shot_files *files, int64_t shot,
                                     torre_point *receivers);

/* Read back the traces of a shot from a .npy file of its own; data NULL where there is none by
 * {traces}, else free() it. */
torre_status torre_shot_files_read(const torre_shot_files *files, int64_t shot,
                                   const torre_gather *gather, torre_array *traces);

/* Make the files of all shots from the traces that wait. */
torre_status torre_shot_files_join(const torre_shot_files *files);

/* Whether the files of all shots are there. */
bool torre_shot_files_all_there(const torre_shot_files *files);

/* Remove what has waited: TORRE_ERR_INPUT where that cannot be. */
torre_status torre_shot_files_forget(const torre_shot_files *files);

#ifdef __cplusplus
}
#endif

#endif
