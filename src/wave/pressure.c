#include "wave/pressure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/box.h"

/* Bytes of the planes that pass at once, unless a single one is larger. */
static const int64_t slab_bytes = 16 << 20;

static int64_t plane_bytes(const torre_wave_problem *p, const torre_box *box)
{
    return (box->high[1] - box->low[1]) * (box->high[2] - box->low[2]) * (int64_t)p->precision;
}

/* Planes of a box that pass at once. */
static int64_t slab_planes(const torre_wave_problem *p, const torre_box *box)
{
    const int64_t bytes = plane_bytes(p, box), planes = bytes > 0 ? slab_bytes / bytes : 1;
    const int64_t all = box->high[0] - box->low[0], some = planes > 1 ? planes : 1;
    return some < all ? some : all;
}

int64_t torre_pressure_bytes(const torre_wave_setup *setup)
{
    const torre_box all = torre_wave_box_stored(setup);
    if (!setup->density.cells) return 0;
    return slab_planes(setup->problem, &all) * plane_bytes(setup->problem, &all);
}

/* What is done with the values of a slab, a dense array. */
typedef torre_status on_slab(const torre_pressure *way, int level, const torre_box *slab,
                             void *values, void *context);

static torre_status each_slab(const torre_pressure *way, int level, const torre_box *box,
                              on_slab *function, void *context)
{
    const torre_wave_problem *p = way->setup->problem;
    const int64_t planes = slab_planes(p, box);
    torre_box slab = *box;
    void *values = malloc((size_t)(planes * plane_bytes(p, box)) + 1);
    torre_status status =
        values ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for a slab of the field");
    for (int64_t x = box->low[0]; x < box->high[0] && !status; x = slab.high[0]) {
        slab.low[0] = x;
        slab.high[0] = x + planes < box->high[0] ? x + planes : box->high[0];
        status = function(way, level, &slab, values, context);
    }
    free(values);
    return status;
}

/* An array that the caller has of a box. */
typedef struct array {
    const torre_box *box;
    const int64_t *stride;
    const char *values;
} array;

static torre_status write_slab(const torre_pressure *way, int level, const torre_box *slab,
                               void *values, void *context)
{
    const array *from = context;
    const torre_precision precision = way->setup->problem->precision;
    const int64_t first = (slab->low[0] - from->box->low[0]) * from->stride[0];
    int64_t stride[3];
    torre_box_strides(slab, stride);
    torre_box_copy(slab, (size_t)precision, values, stride,
                   from->values + first * (int64_t)precision, from->stride, 1);
    torre_density_scale_box(&way->setup->density, TORRE_TIMES_SCALE, precision, slab, stride,
                            values);
    return way->backend->write_box(way->solver, level, slab, stride, values);
}

torre_status torre_pressure_write(const torre_pressure *way, int level, const torre_box *box,
                                  const int64_t stride[3], const void *values)
{
    if (!way->setup->density.cells || !values)
        return way->backend->write_box(way->solver, level, box, stride, values);
    array from = {box, stride, values};
    return each_slab(way, level, box, write_slab, &from);
}

torre_status torre_pressure_read(const torre_pressure *way, int level, const torre_box *box,
                                 const int64_t stride[3], void *values)
{
    TORRE_TRY(way->backend->read_box(way->solver, level, box, stride, values));
    torre_density_scale_box(&way->setup->density, TORRE_OVER_SCALE, way->setup->problem->precision,
                            box, stride, values);
    return TORRE_OK;
}

/* Plane by plane, so that the result does not depend on threads and slabs. */
static torre_status add_norms(const torre_pressure *way, int level, const torre_box *slab,
                              void *values, void *context)
{
    torre_wave_norms *norms = context;
    const torre_precision precision = way->setup->problem->precision;
    int64_t stride[3];
    torre_box_strides(slab, stride);
    TORRE_TRY(torre_pressure_read(way, level, slab, stride, values));
    for (int64_t x = 0; x < slab->high[0] - slab->low[0]; x++) {
        double top = 0, sum = 0;
        for (int64_t i = x * stride[0]; i < (x + 1) * stride[0]; i++) {
            const double v = torre_value(precision, values, i);
            top = fmax(top, fabs(v));
            sum += v * v;
        }
        norms->max_abs = fmax(norms->max_abs, top);
        norms->l2 += sum;
    }
    return TORRE_OK;
}

torre_status torre_pressure_norms(const torre_pressure *way, torre_wave_norms *norms)
{
    TORRE_TRY(way->backend->norms(way->solver, norms));
    if (!way->setup->density.cells || !norms->finite) return TORRE_OK;
    const torre_box all = torre_wave_box_stored(way->setup);
    norms->max_abs = norms->l2 = 0;
    TORRE_TRY(each_slab(way, 0, &all, add_norms, norms));
    norms->l2 = sqrt(norms->l2);
    return TORRE_OK;
}
