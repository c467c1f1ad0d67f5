#include "survey/shot_geometry.h"

#include <inttypes.h>
#include <string.h>

#include "io/file_ending.h"

static const char *const endings[] = {".sgy", ".segy", ".su", NULL};

bool torre_shot_geometry_is(const char *path)
{
    return torre_file_ending(path, endings, false) >= 0;
}

static torre_status read_head(torre_shot_geometry *g)
{
    if (g->next == g->reader.traces) return TORRE_OK;
    return torre_segy_reader_fields(&g->reader, g->next, g->head);
}

torre_status torre_shot_geometry_open(const char *path, torre_shot_geometry *g)
{
    memset(g, 0, sizeof *g);
    TORRE_TRY(
        torre_segy_reader_open(path, torre_file_ending(path, endings, false) == 2, &g->reader));
    if (g->reader.feet)
        return torre_fail(TORRE_ERR_INPUT, "%s: its coordinates are feet, not metres", path);
    return read_head(g);
}

static int64_t number_of(const torre_shot_geometry *g)
{
    const double *h = g->head;
    return (int64_t)(h[TORRE_SEGY_fldr] != 0 ? h[TORRE_SEGY_fldr] : h[TORRE_SEGY_ep]);
}

static torre_point source_of(const torre_shot_geometry *g)
{
    const double *h = g->head;
    return (torre_point){.position = {h[TORRE_SEGY_sx], h[TORRE_SEGY_sy],
                                      h[TORRE_SEGY_sdepth] - h[TORRE_SEGY_selev]},
                         .amplitude = 1};
}

static torre_status bad(const torre_shot_geometry *g, const char *what)
{
    return torre_fail(TORRE_ERR_INPUT, "%s: trace %" PRId64 ": %s", g->reader.path, g->next + 1,
                      what);
}

/* What the header of a trace of a shot must be. */
static torre_status check_head(const torre_shot_geometry *g)
{
    const torre_point source = source_of(g);
    if (g->number < 1)
        return bad(g, "it names no shot: fldr and ep must be the number of one, from 1 on");
    if (g->head[TORRE_SEGY_counit] > 1)
        return bad(g, "its coordinates are no lengths: counit must be 0 or 1");
    if (memcmp(source.position, g->source.position, sizeof source.position) != 0)
        return bad(g, "its source lies elsewhere than that of the trace before, of the same shot");
    return TORRE_OK;
}

torre_status torre_shot_geometry_next(torre_shot_geometry *g, bool *more)
{
    *more = g->next < g->reader.traces;
    if (!*more) return TORRE_OK;
    g->number = number_of(g);
    g->trace = g->next + 1;
    g->source = source_of(g);
    g->delay = 0 - 1e-3 * g->head[TORRE_SEGY_delrt]; /* no -0 */
    while (g->next < g->reader.traces && number_of(g) == g->number) {
        const double *h = g->head;
        const torre_point receiver = {
            .position = {h[TORRE_SEGY_gx], h[TORRE_SEGY_gy], 0 - h[TORRE_SEGY_gelev]},
            .amplitude = 1};
        TORRE_TRY(check_head(g));
        TORRE_TRY(torre_point_list_add(&g->receivers, &receiver));
        g->next++;
        TORRE_TRY(read_head(g));
    }
    return TORRE_OK;
}

void torre_shot_geometry_close(torre_shot_geometry *g)
{
    torre_point_list_free(&g->receivers);
    torre_segy_reader_close(&g->reader);
}
