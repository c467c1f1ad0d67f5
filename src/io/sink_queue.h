/*
 * Files of one frame each, written by threads of their own while the caller goes on: pictures take
 * long beside the steps between them. What holds for sinks holds here: files are complete or not
 * there; several threads may end them in another order than they were put. The first failure is
 * told by whatever is called next; no file is begun after it.
 */
#ifndef TORRE_SINK_QUEUE_H
#define TORRE_SINK_QUEUE_H

#include "io/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Frames that may wait, each with its values; a caller that is faster waits itself. */
enum { TORRE_SINK_QUEUE_FRAMES = 8 };

typedef struct torre_sink_queue torre_sink_queue;

/* For frames of so many bytes of values, with 1 .. TORRE_SINK_QUEUE_FRAMES threads, which share so
 * many cores: where there are more, each draws and writes by several threads. */
torre_status torre_sink_queue_new(size_t bytes, int threads, int cores, torre_sink_queue **queue);

/* Memory for the values of the next frame; waits until there is some. */
torre_status torre_sink_queue_room(torre_sink_queue *queue, void **values);

/*
 * Have those values written, as torre_sink_write does. frame: step, time and title; the title and
 * path are copied. What data points to must stay until all has been written.
 */
torre_status torre_sink_queue_put(torre_sink_queue *queue, const torre_sink_format *format,
                                  const torre_sink_data *data, const char *path,
                                  const torre_frame *frame);

/* Wait until all has been written. NULL is fine. */
torre_status torre_sink_queue_settle(torre_sink_queue *queue);

/* Wait for all of it, too, and free. NULL is fine. */
void torre_sink_queue_free(torre_sink_queue *queue);

#ifdef __cplusplus
}
#endif

#endif
