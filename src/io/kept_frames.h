/*
 * Pictures of planes in one scale that suits all of them, as a movie wants it: their values are
 * kept in a scratch file (scratch_file.h) and drawn when the last of them is known.
 */
#ifndef TORRE_KEPT_FRAMES_H
#define TORRE_KEPT_FRAMES_H

#include "io/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct torre_kept_frames torre_kept_frames;

/* Room on the disk of a directory for up to so many frames of a plane of that layout. */
torre_status torre_kept_frames_new(const char *directory, const torre_field_layout *plane,
                                   int64_t frames, torre_kept_frames **kept);

/* Keep a frame: step, time, title and values, and the path of its picture. */
torre_status torre_kept_frames_put(torre_kept_frames *kept, const char *path,
                                   const torre_frame *frame);

/*
 * Write all pictures, in the order in which they were put; none are kept afterwards. data says what
 * they are, its scale does not count: full colour is the value below which TORRE_PLANE_COLORED of
 * all values that were kept lie, zeros left out, or a larger one, so that in no frame more than
 * TORRE_FRAME_FULL of the cells are stronger. values: room for a frame.
 */
#define TORRE_FRAME_FULL 0.02
torre_status torre_kept_frames_draw(torre_kept_frames *kept, const torre_sink_format *format,
                                    const torre_sink_data *data, void *values);

/* That value; 0 where there is none. */
double torre_kept_frames_scale(const torre_kept_frames *kept);

/* NULL is fine. */
void torre_kept_frames_free(torre_kept_frames *kept);

#ifdef __cplusplus
}
#endif

#endif
