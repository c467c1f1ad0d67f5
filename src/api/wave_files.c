/* What a run of waves leaves in files (torre/files.h), over the sinks. */
#include "torre/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/point_list.h"
#include "run/wave_output.h"
#include "wave/driver.h"
#include "wave/problem.h"

torre_status torre_points_read(const char *path, int dimensions, torre_point **points,
                               int64_t *count)
{
    torre_point_list list;
    if (dimensions != 2 && dimensions != 3)
        return torre_fail(TORRE_ERR_USAGE, "{dimensions} must be 2 or 3 (got %d)", dimensions);
    TORRE_TRY(torre_csv_points_read(path, (torre_point_rule){dimensions, true, true}, &list));
    *points = list.points;
    *count = list.count;
    return TORRE_OK;
}

/* Write one frame of the run to the format that path asks for. */
static torre_status save(const torre_wave_run *run, const torre_sink_data *data, const char *path,
                         torre_frame frame)
{
    const torre_sink_format *format;
    char title[80];
    frame.step = torre_wave_run_step(run);
    frame.time = (double)frame.step * torre_wave_run_problem(run)->dt;
    frame.title = title;
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", frame.step, frame.time);
    TORRE_TRY(torre_sink_choose("path", path, data->kind, false, &format));
    return torre_sink_write(format, data, path, &frame);
}

torre_status torre_wave_run_save_traces(const torre_wave_run *run, const char *path)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const torre_array *traces = torre_wave_run_traces(run);
    if (!traces->data)
        return torre_fail(TORRE_ERR_USAGE,
                          "%s: there are no traces: the run has no receivers, or "
                          "has not been started",
                          path);
    torre_sink_data data = {.kind = TORRE_SINK_TRACES,
                            .traces = {.traces = p->receiver_count,
                                       .samples = traces->shape[1],
                                       .dt = p->dt,
                                       .precision = p->precision,
                                       .receivers = p->receivers}};
    if (p->source_count > 0) data.traces.source = p->sources[0];
    return save(run, &data, path,
                (torre_frame){.values = traces->data, .samples = traces->shape[1]});
}

torre_status torre_wave_run_save_field(torre_wave_run *run, const char *path)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const torre_sink_data data = {.kind = TORRE_SINK_FIELD, .field = torre_wave_layout(p)};
    void *cells = malloc((size_t)torre_wave_cells(p) * (size_t)p->precision);
    if (!cells) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    torre_status status = torre_wave_run_field(run, 0, cells);
    if (!status) status = save(run, &data, path, (torre_frame){.values = cells});
    free(cells);
    return status;
}

/* Velocity in the plane, for the picture's background; NULL in a constant medium. */
static torre_status plane_velocity(const torre_wave_problem *p, int axis, int64_t index,
                                   double **velocity)
{
    *velocity = NULL;
    if (!p->velocity_cells) return TORRE_OK;
    *velocity = malloc((size_t)(torre_wave_cells(p) / p->size[axis]) * sizeof **velocity);
    if (!*velocity) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    torre_wave_plane_velocity(p, axis, index, *velocity);
    return TORRE_OK;
}

torre_status torre_wave_run_save_plane(torre_wave_run *run, int axis, int64_t index,
                                       const char *path)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    TORRE_TRY(torre_wave_run_check_plane(run, axis, index));
    torre_sink_data data = {.kind = TORRE_SINK_PLANE,
                            .field = torre_wave_layout_plane(p, axis, index)};
    torre_wave_velocity_range(p, &data.field.velocity_range[0], &data.field.velocity_range[1]);
    double *velocity;
    TORRE_TRY(plane_velocity(p, axis, index, &velocity));
    data.field.velocity = velocity;
    void *cells = malloc((size_t)(torre_wave_cells(p) / p->size[axis]) * (size_t)p->precision);
    torre_status status = cells ? torre_wave_run_plane(run, axis, index, cells)
                                : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    if (!status) status = save(run, &data, path, (torre_frame){.values = cells});
    free(cells);
    free(velocity);
    return status;
}
