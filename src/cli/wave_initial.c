/* The initial fields of a run of `wave`. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/wave_input.h"
#include "io/npy.h"
#include "wave/initial.h"

int64_t wave_input_initial_bytes(const wave_input *in)
{
    if (!in->initial[0] && !in->noise) return 0;
    int64_t bytes = torre_wave_cells(&in->problem) * (int64_t)in->problem.precision;
    return 2 * bytes;
}

/* A dense field of the problem's precision from a file; refuses values that are not finite. */
static torre_status read_field(const char *path, const torre_wave_problem *p, void **cells)
{
    torre_array a;
    TORRE_TRY(torre_npy_read(path, &a, NULL));
    int64_t count = torre_wave_cells(p);
    bool same = a.precision == p->precision;
    void *to = same ? a.data : malloc((size_t)count * (size_t)p->precision);
    torre_status status =
        to ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for %s", path);
    for (int64_t i = 0; i < count && !status; i++) {
        double v = torre_value(a.precision, a.data, i);
        if (!isfinite(v) || (p->precision == TORRE_F32 && !isfinite((float)v)))
            status = torre_fail(TORRE_ERR_INPUT,
                                "%s: value at cell (%" PRId64 ", %" PRId64 ", %" PRId64
                                ") is %g; it must be finite in the chosen precision",
                                path, i / p->size[2] / p->size[1], i / p->size[2] % p->size[1],
                                i % p->size[2], v);
        if (!same) torre_value_set(p->precision, to, i, v);
    }
    if (!same) free(a.data);
    if (status) {
        if (same)
            free(a.data);
        else
            free(to);
        return status;
    }
    *cells = to;
    return TORRE_OK;
}

torre_status wave_input_initial(const wave_settings *s, const wave_input *in, void **now,
                                void **previous)
{
    const torre_wave_problem *p = &in->problem;
    size_t bytes = (size_t)torre_wave_cells(p) * (size_t)p->precision;
    *now = *previous = NULL;
    if (!in->initial[0] && !in->noise) return TORRE_OK;
    torre_status status = TORRE_OK;
    if (in->noise) {
        *now = malloc(bytes);
        if (*now) torre_wave_noise(p, (uint64_t)s->seed, *now);
    } else {
        status = read_field(in->initial[0], p, now);
    }
    if (!status && in->initial[1]) {
        status = read_field(in->initial[1], p, previous);
    } else if (!status) {
        *previous = malloc(bytes);
        if (*now && *previous) torre_wave_rest_level(p, *now, *previous);
    }
    if (!status && (!*now || !*previous))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for the initial field");
    if (status) {
        free(*now);
        free(*previous);
        *now = *previous = NULL;
    }
    return status;
}
