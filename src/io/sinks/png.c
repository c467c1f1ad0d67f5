/* Pictures: planes of a wave in colours, traces as a seismogram, particles as spheres. */
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

static int64_t bytes(const torre_sink_data *data)
{
    if (data->kind == TORRE_SINK_TRACES) return torre_seismogram_bytes(data->traces.traces);
    if (data->kind != TORRE_SINK_PLANE) return 0;
    const torre_plane plane = plane_of(&data->field, NULL);
    return torre_plane_picture_bytes(&plane);
}

static torre_status draw_plane(const torre_field_layout *l, const torre_frame *frame,
                               torre_image *image)
{
    const torre_plane plane = plane_of(l, frame->values);
    double scale = l->scale;
    if (scale <= 0) TORRE_TRY(torre_plane_scale(&plane, &scale));
    return torre_plane_draw(&plane, scale, image);
}

static torre_status draw(const torre_sink_data *data, const torre_frame *frame, torre_image *image)
{
    if (data->kind == TORRE_SINK_PLANE) return draw_plane(&data->field, frame, image);
    if (data->kind == TORRE_SINK_PARTICLES)
        return torre_particle_picture(frame->particles, data->particles.size, frame->speed, image);
    torre_gather gather = data->traces;
    gather.values = frame->values;
    gather.samples = frame->samples;
    return torre_seismogram_draw(&gather, image);
}

static torre_status write_picture(torre_sink *sink, const torre_frame *frame)
{
    torre_image image;
    TORRE_TRY(draw(&sink->data, frame, &image));
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
