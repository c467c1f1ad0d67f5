/* Pictures: planes of a wave in colours, traces as a seismogram, particles as spheres. */
#include "figure/figure.h"
#include "io/field_picture.h"
#include "io/particle_picture.h"
#include "io/png_image.h"
#include "io/seismogram.h"
#include "io/sink_format.h"

static torre_plane plane_of(const torre_field_layout *l, const void *cells)
{
    return (torre_plane){.size = {l->shape[0], l->shape[1]},
                         .spacing = {l->spacing[0], l->spacing[1]},
                         .precision = l->precision,
                         .cells = cells,
                         .velocity = l->velocity,
                         .velocity_range = {l->velocity_range[0], l->velocity_range[1]}};
}

/* Whether there is something around the data. */
static bool is_figure(const torre_sink_data *data)
{
    return data->figure && data->figure->scale > 0;
}

static int64_t bytes(const torre_sink_data *data)
{
    const torre_plane plane = plane_of(&data->field, NULL);
    if (data->kind == TORRE_SINK_TRACES)
        return is_figure(data) ? torre_figure_gather_bytes(data->figure, data->traces.traces)
                               : torre_seismogram_bytes(data->traces.traces, 0, 1);
    if (data->kind != TORRE_SINK_PLANE) return 0;
    return is_figure(data) ? torre_figure_plane_bytes(data->figure, &plane)
                           : torre_plane_picture_bytes(&plane);
}

static torre_figure_time time_of(const torre_frame *frame)
{
    return (torre_figure_time){.step = frame->step, .time = frame->time};
}

static torre_status draw_plane(const torre_sink_data *data, const torre_frame *frame,
                               torre_image *image)
{
    const torre_plane plane = plane_of(&data->field, frame->values);
    double scale = data->field.scale;
    if (scale <= 0) TORRE_TRY(torre_plane_scale(&plane, &scale));
    return is_figure(data) ? torre_figure_plane(data->figure, &plane, scale, time_of(frame), image)
                           : torre_plane_draw(&plane, scale, image);
}

static torre_status draw_particles(const torre_sink_data *data, const torre_frame *frame,
                                   torre_image *image)
{
    const double size = data->particles.size;
    return is_figure(data) ? torre_figure_particles(data->figure, frame->particles, size,
                                                    frame->speed, time_of(frame), image)
                           : torre_particle_picture(frame->particles, size, frame->speed,
                                                    torre_particle_view_above(), image);
}

static torre_status draw_traces(const torre_sink_data *data, const torre_frame *frame,
                                torre_image *image)
{
    double scale;
    torre_gather gather = data->traces;
    gather.values = frame->values;
    gather.samples = frame->samples;
    if (is_figure(data)) return torre_figure_gather(data->figure, &gather, image);
    TORRE_TRY(torre_seismogram_scale(&gather, &scale));
    return torre_seismogram_draw(&gather, scale, 0, 1, image);
}

static torre_status draw(const torre_sink_data *data, const torre_frame *frame, torre_image *image)
{
    if (data->kind == TORRE_SINK_PLANE) return draw_plane(data, frame, image);
    if (data->kind == TORRE_SINK_PARTICLES) return draw_particles(data, frame, image);
    return draw_traces(data, frame, image);
}

static torre_status write_picture(torre_sink *sink, const torre_frame *frame)
{
    torre_image image;
    TORRE_TRY(draw(&sink->data, frame, &image));
    if (is_figure(&sink->data)) image.per_metre = torre_picture_per_metre(sink->data.figure->scale);
    torre_status status = torre_png_encode(&image, frame->title, sink->file);
    torre_image_free(&image);
    return status;
}

const torre_sink_format torre_sink_png = {
    .name = "png",
    .ending = {".png"},
    .kinds = TORRE_SINK_PLANE | TORRE_SINK_TRACES | TORRE_SINK_PARTICLES,
    .picture = true,
    .bytes = bytes,
    .frame = write_picture,
};
