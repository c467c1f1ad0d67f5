#include "run/wave_page.h"

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

torre_status torre_wave_page(torre_page *page, const torre_wave_output *out,
                             const torre_wave_run *run)
{
    const torre_wave_problem *p = torre_wave_run_problem(run);
    const torre_snapshot *picture = picture_of(out);
    const torre_array *traces = torre_wave_run_traces(run);
    const int64_t step = torre_wave_run_step(run);
    if (picture && picture->written && out->spec->snapshot_every < 0)
        TORRE_TRY(torre_page_picture(page, picture->last, step, (double)step * p->dt));
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
