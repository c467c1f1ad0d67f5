#include "wave/cpu/cpml_rows.h"

#include <stdbool.h>
#include <stddef.h>

/* The same operations in every cell, however the compiler makes vectors of them: products and sums
 * are not contracted (the flags of the build). */
#define CELLS(name, real)                                                                          \
    void name(const torre_cpml_scheme *s, const torre_cpml_cells *c, int64_t z)                    \
    {                                                                                              \
        const int W = s->width, R = s->half_width, r = c->r, axis = c->axis;                       \
        const int64_t pitch = s->pitch[axis], along = axis == 2 ? 0 : z, step = c->step;           \
        const real *now = (const real *)c->now + z, *a = s->a, *b = s->b;                          \
        const real *factor = c->factor ? (const real *)c->factor + z : NULL;                       \
        const real *old = (const real *)c->old + along;                                            \
        real *next = (real *)c->next + z, *made = (real *)c->made + along;                         \
        const real a_here = r < 0 ? 0 : a[r + 1], b_here = r < 0 ? 0 : b[r + 1];                   \
        const real steep = r < -1 ? 0 : (b[r + 2] - (r < 0 ? 0 : b[r])) / 2;                       \
        for (int64_t k = 0; k < c->count; k++) {                                                   \
            real bend = 0, slope = 0, beyond = 0, zeta = 0;                                        \
            for (int m = 1; m <= R; m++) {                                                         \
                const real low = now[k - m * step], high = now[k + m * step];                      \
                const int up = r + m, down = r - m;                                                \
                const bool ahead = up >= 0 && up < W;                                              \
                const real after = ahead ? a[up + 1] * old[up * pitch + k] : 0;                    \
                const real before = down >= 0 ? a[down + 1] * old[down * pitch + k] : 0;           \
                bend += (real)s->bend[m] * ((low - now[k]) + (high - now[k]));                     \
                slope += (real)s->slope[m] * (high - low);                                         \
                beyond += (real)s->slope[m] * (after - before);                                    \
            }                                                                                      \
            beyond += b_here * bend + steep * slope;                                               \
            if (r >= 0) {                                                                          \
                zeta = a_here * old[(W + r) * pitch + k] + b_here * (bend + beyond);               \
                made[r * pitch + k] = a_here * old[r * pitch + k] + b_here * slope;                \
                made[(W + r) * pitch + k] = zeta;                                                  \
            }                                                                                      \
            const real factor_here = factor ? factor[k] : (real)s->factor;                         \
            next[k] += factor_here * (real)s->axis[axis] * (beyond + zeta);                        \
        }                                                                                          \
    }
CELLS(torre_cpml_cells_f32, float)
CELLS(torre_cpml_cells_f64, double)
