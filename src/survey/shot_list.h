/*
 * The shots of a survey, from a CSV file (io/csv_table.h) with a row for each:
 *
 *     shot,x,y,z[,amplitude][,component][,delay][,wavelet][,receivers]
 *     12,1200,0,20,1,,0.1,,"rel:-1000,0,0:1000,0,0:201"
 *
 * shot is a name of letters, digits, '-', '_' and '.'; x, y, z are metres (no y needed in two
 * dimensions); amplitude a factor (1); component p, or x, y, z of a force along that axis (p);
 * delay, in seconds, when the wavelet begins (0); wavelet a file or ricker; receivers a CSV file of
 * points, points or lines as an option has them (io/point_list.h), or rel: and points relative to
 * the source. What is left out is as in all shots. Everything is checked before anything is
 * computed.
 *
 * Or from the trace headers of a SEG-Y or SU file (shot_geometry.h), where lines are traces.
 */
#ifndef TORRE_SHOT_LIST_H
#define TORRE_SHOT_LIST_H

#include "io/point_list.h"
#include "run/wave_input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receivers as a text says them; many shots may share them. */
typedef struct torre_receiver_set {
    char *text;
    bool relative; /* to the source */
    torre_point_list list;
    double low[3], high[3]; /* the box around them */
    uint32_t checksum;
} torre_receiver_set;

/* The values of a wavelet file, as many as there are steps; shared, too. */
typedef struct torre_wavelet_set {
    char *text;
    double *values;
} torre_wavelet_set;

typedef struct torre_shot {
    char *name;   /* first: trees look at it */
    int64_t line; /* of the file, or its first trace */
    torre_point source;
    double delay; /* seconds */
    const torre_receiver_set *receivers;
    const torre_wavelet_set *wavelet; /* NULL: ricker */
} torre_shot;

typedef struct torre_shot_list {
    const char *path;
    bool geometry; /* of trace headers */
    torre_shot *shot;
    int64_t count;
    int64_t receivers_most, receivers_least;    /* of a shot */
    void *names, *receiver_sets, *wavelet_sets; /* trees of search.h */
} torre_shot_list;

/*
 * Read the shots of a survey of the model of *input. receivers and wavelet: what shots that name
 * none have, as a specification says them; receivers may be NULL, or relative. TORRE_ERR_INPUT
 * "FILE:LINE: column NAME ..." with the legal range; TORRE_ERR_USAGE for bad receivers of all
 * shots. Free in any case.
 */
torre_status torre_shot_list_read(const char *path, const torre_wave_input *input,
                                  const char *receivers, const char *wavelet,
                                  torre_shot_list *list);
void torre_shot_list_free(torre_shot_list *list);

/* Receiver i of a shot, in metres of the model. */
torre_point torre_shot_receiver(const torre_shot *shot, int64_t i);

/* The number of a shot in formats that know numbers only: its name, if that is one from 1 on, else
 * its place in the list, from 1 on. */
int64_t torre_shot_number(const torre_shot_list *list, int64_t shot);

#ifdef __cplusplus
}
#endif

#endif
