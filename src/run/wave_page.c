#include "run/wave_page.h"

#include <math.h>
#include <stdlib.h>

/* The snapshot that is a picture for each step, the first of them; NULL without. */
static const torre_snapshot *picture_of(const torre_wave_output *out)
{
    for (int i = 0; i < out->snapshots.count; i++) {
        const torre_snapshot *t = &out->snapshots.item[i];
        if (t->single && torre_sink_is_picture(t->format)) return t;
    }
    return NULL;
}

const char *torre_wave_page_picture(const torre_wave_output *out, const torre_wave_run *run)
{
    const torre_snapshot *picture = picture_of(out);
    const int64_t every = out->spec->snapshot_every;
    const bool due = every > 0 && torre_wave_run_step(run) % every == 0;
    return due && picture && picture->written > 0 ? picture->last : NULL;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Cells of the plane across an axis, as many as a page should have, as bytes. */
static torre_status thin_plane(const torre_wave_problem *p, const double range[2],
                               const double through[3], torre_page_plane *plane, uint8_t **values)
{
    int64_t cell[3], pixels[2];
    const int across = plane->across, *axes = plane->axes;
    const int64_t last = p->size[across] - 1;
    const double h = torre_wave_is_flat(p, across) ? 0 : p->spacing[across];
    cell[across] = h > 0 ? smaller(last, (int64_t)fmax(0, rint(through[across] / h))) : 0;
    plane->at = (double)cell[across] * h;
    for (int a = 0; a < 2; a++) pixels[a] = smaller(p->size[axes[a]], TORRE_PAGE_PLANE);
    plane->width = (int)pixels[0];
    plane->height = (int)pixels[1];
    plane->values = *values = malloc((size_t)(pixels[0] * pixels[1]));
    if (!*values) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the run");
    for (int64_t j = 0; j < pixels[1]; j++)
        for (int64_t i = 0; i < pixels[0]; i++) {
            cell[axes[0]] = (2 * i + 1) * p->size[axes[0]] / (2 * pixels[0]);
            cell[axes[1]] = (2 * j + 1) * p->size[axes[1]] / (2 * pixels[1]);
            const double v = torre_wave_velocity_at(p, cell[0], cell[1], cell[2]);
            const double share = fmin(fmax((v - range[0]) / (range[1] - range[0]), 0), 1);
            (*values)[j * pixels[0] + i] = (uint8_t)rint(255 * share);
        }
    return TORRE_OK;
}

torre_status torre_wave_page_model(torre_page *page, const torre_wave_problem *p, double low,
                                   double high, const double through[3])
{
    torre_page_plane plane[2] = {{.axes = {0, 2}, .across = 1}, {.axes = {0, 1}, .across = 2}};
    uint8_t *values[2] = {NULL, NULL};
    const double range[2] = {low, high};
    const int planes = torre_wave_is_flat(p, 1) ? 1 : 2;
    const double depth = torre_wave_is_flat(p, 1) ? 0 : p->spacing[1];
    const double spacing[3] = {p->spacing[0], depth, p->spacing[2]};
    TORRE_TRY(torre_page_grid(page, p->size, spacing));
    if (!(high > low)) return TORRE_OK;
    torre_status status = TORRE_OK;
    for (int i = 0; i < planes && !status; i++)
        status = thin_plane(p, range, through, &plane[i], &values[i]);
    if (!status) status = torre_page_model(page, low, high, plane, planes);
    for (int i = 0; i < planes; i++) free(values[i]);
    return status;
}

torre_status torre_wave_page(torre_page *page, const torre_wave_output *out,
                             const torre_wave_run *run)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const torre_snapshot *picture = picture_of(out);
    const torre_array *traces = torre_wave_run_traces(run);
    const int64_t step = torre_wave_run_step(run);
    if (picture && picture->written && out->spec->snapshot_every < 0)
        TORRE_TRY(torre_page_picture(page, picture->last, step, (double)step * p->dt));
    const double corner[3] = {0}; /* without a source: the first planes */
    TORRE_TRY(torre_wave_page_model(page, p, out->input->time.velocity_min,
                                    out->input->time.velocity_max,
                                    p->source_count ? p->sources[0].position : corner));
    TORRE_TRY(torre_page_points(page, "sources", p->sources, p->source_count));
    TORRE_TRY(torre_page_points(page, "receivers", p->receivers, p->receiver_count));
    if (p->receiver_count == 0) return TORRE_OK;
    /* files have closed the gaps that a run which was stopped leaves */
    const int64_t row = out->traces.count > 0 ? step + 1 : traces->shape[1];
    const torre_gather gather = {.traces = p->receiver_count,
                                 .samples = step + 1,
                                 .dt = p->dt,
                                 .precision = traces->precision,
                                 .values = traces->data,
                                 .receivers = p->receivers};
    return torre_page_traces(page, &gather, row);
}
