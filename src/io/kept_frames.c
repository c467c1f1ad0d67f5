#include "io/kept_frames.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/field_picture.h"
#include "io/percentile.h"
#include "io/scratch_file.h"

typedef struct kept_frame {
    int64_t step;
    double time;
    char *path, title[128];
} kept_frame;

struct torre_kept_frames {
    torre_precision precision;
    int64_t cells, count, room;
    torre_scratch *values;
    torre_magnitudes *magnitudes; /* of all frames */
    double least;                 /* scale that the strongest frame needs */
    kept_frame frame[];
};

static int64_t frame_bytes(const torre_kept_frames *k) { return k->cells * (int64_t)k->precision; }

torre_status torre_kept_frames_new(const char *directory, const torre_field_layout *plane,
                                   int64_t frames, torre_kept_frames **kept)
{
    torre_kept_frames *k = calloc(1, sizeof *k + (size_t)frames * sizeof k->frame[0]);
    if (!k) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the pictures");
    k->precision = plane->precision;
    k->cells = plane->shape[0] * plane->shape[1];
    k->room = frames;
    torre_status status = torre_magnitudes_new(&k->magnitudes);
    if (!status) status = torre_scratch_new(directory, frames * frame_bytes(k), &k->values);
    if (status)
        torre_kept_frames_free(k);
    else
        *kept = k;
    return status;
}

/* What a frame needs, so that not too much of it is in full colour. */
static torre_status raise_scale(torre_kept_frames *k, const void *values)
{
    torre_magnitudes *m;
    TORRE_TRY(torre_magnitudes_new(&m));
    const torre_status status = torre_magnitudes_add(m, k->precision, values, k->cells);
    const int64_t full = (int64_t)(TORRE_FRAME_FULL * (double)k->cells);
    k->least = fmax(k->least, torre_magnitudes_above(m, full));
    torre_magnitudes_free(m);
    return status;
}

torre_status torre_kept_frames_put(torre_kept_frames *k, const char *path, const torre_frame *frame)
{
    if (k->count == k->room)
        return torre_fail(TORRE_ERR_RESOURCE, "no room for the picture %s", path);
    kept_frame *f = &k->frame[k->count];
    TORRE_TRY(torre_magnitudes_add(k->magnitudes, k->precision, frame->values, k->cells));
    TORRE_TRY(raise_scale(k, frame->values));
    TORRE_TRY(
        torre_scratch_write(k->values, k->count * frame_bytes(k), frame->values, frame_bytes(k)));
    f->path = strdup(path);
    if (!f->path) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the pictures");
    f->step = frame->step;
    f->time = frame->time;
    snprintf(f->title, sizeof f->title, "%s", frame->title);
    k->count++;
    return TORRE_OK;
}

double torre_kept_frames_scale(const torre_kept_frames *k)
{
    return fmax(k->least, torre_magnitudes_below(k->magnitudes, TORRE_PLANE_COLORED));
}

static void forget(torre_kept_frames *k)
{
    for (int64_t i = 0; i < k->count; i++) free(k->frame[i].path);
    k->count = 0;
}

torre_status torre_kept_frames_draw(torre_kept_frames *k, const torre_sink_format *format,
                                    const torre_sink_data *data, void *values)
{
    torre_status status = TORRE_OK;
    torre_sink_data all = *data;
    all.field.scale = torre_kept_frames_scale(k);
    for (int64_t i = 0; i < k->count && !status; i++) {
        const kept_frame *f = &k->frame[i];
        const torre_frame frame = {
            .step = f->step, .time = f->time, .title = f->title, .values = values};
        status = torre_scratch_read(k->values, i * frame_bytes(k), values, frame_bytes(k));
        if (!status) status = torre_sink_write(format, &all, f->path, &frame);
    }
    forget(k);
    return status;
}

void torre_kept_frames_free(torre_kept_frames *k)
{
    if (!k) return;
    forget(k);
    torre_scratch_free(k->values);
    torre_magnitudes_free(k->magnitudes);
    free(k);
}
