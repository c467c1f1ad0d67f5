#include "locality/hit_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "io/point_list.h"

static torre_status out_of_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for this {size} and {filling}");
}

/* Positions from a file instead of a gas. */
static torre_status read_particles(torre_hit_series *s)
{
    torre_point_list list = {0};
    TORRE_TRY(torre_csv_points_read(s->plan.particles, (torre_point_rule){3, false, false}, &list));
    s->gas.position = malloc((size_t)(list.count + 1) * sizeof *s->gas.position);
    s->gas.count = list.count;
    for (int64_t p = 0; s->gas.position && p < list.count; p++)
        memcpy(s->gas.position[p], list.points[p].position, sizeof *s->gas.position);
    for (int64_t p = 0; s->gas.position && p < list.count; p++)
        torre_bin_grid_wrap(&s->plan.bins, s->gas.position[p]);
    torre_point_list_free(&list);
    return s->gas.position ? TORRE_OK : out_of_memory();
}

static torre_status make_particles(torre_hit_series *s)
{
    if (s->plan.particles) return read_particles(s);
    torre_gas_plan gas = s->plan.gas;
    memcpy(gas.length, s->plan.bins.box, sizeof gas.length);
    return torre_gas_new(&gas, &s->gas);
}

/* Any order whatever: a random permutation (Fisher and Yates). */
static void shuffle(int64_t *slot, int64_t count, uint64_t seed)
{
    for (int64_t p = 0; p < count; p++) slot[p] = p;
    for (int64_t p = count - 1; p > 0; p--) {
        int64_t q = (int64_t)(torre_random_at(~seed, (uint64_t)p) % (uint64_t)(p + 1));
        int64_t kept = slot[p];
        slot[p] = slot[q];
        slot[q] = kept;
    }
}

static torre_status reorder(torre_hit_series *s)
{
    for (int i = 0; i < s->plan.orders; i++) {
        s->slot[i] = malloc((size_t)(s->gas.count + 1) * sizeof *s->slot[i]);
        s->sample[i] = calloc((size_t)s->samples, sizeof *s->sample[i]);
        if (!s->slot[i] || !s->sample[i]) return out_of_memory();
        if (!s->plan.order[i])
            shuffle(s->slot[i], s->gas.count, s->plan.gas.seed);
        else if (!torre_block_hits_sort(&s->bins, s->plan.order[i], s->slot[i]))
            return out_of_memory();
    }
    return TORRE_OK;
}

static void count(const torre_hit_series *s, int order, torre_block_hits *hits)
{
    torre_block_hits_count(&s->bins, (const double(*)[3])s->gas.position, s->slot[order],
                           s->plan.cache, s->plan.contacts ? 1 : 0, hits);
}

static torre_status check(const torre_hit_plan *p)
{
    if (p->gas.kind != TORRE_GRANULAR_IDEAL && p->gas.speed > TORRE_GAS_MAX_SPEED)
        return torre_fail(TORRE_ERR_USAGE,
                          "{speed} must be from 0 to %g where spheres collide (got %g)",
                          TORRE_GAS_MAX_SPEED, p->gas.speed);
    if (p->particles && p->steps)
        return torre_fail(TORRE_ERR_USAGE, "{particles} has no velocities: {steps} must be 0 then");
    return TORRE_OK;
}

torre_status torre_hit_series_make(const torre_hit_plan *plan, torre_hit_series *s)
{
    *s = (torre_hit_series){.plan = *plan, .samples = plan->steps / plan->every + 1};
    TORRE_TRY(check(plan));
    TORRE_TRY(make_particles(s));
    TORRE_TRY(torre_block_hits_bins(&plan->bins, s->gas.count, &s->bins));
    for (int64_t sample = 0; sample < s->samples; sample++) {
        if (sample > 0) TORRE_TRY(torre_gas_advance(&s->gas, plan->every));
        torre_block_hits_fill((const double(*)[3])s->gas.position, &s->bins);
        if (sample == 0) TORRE_TRY(reorder(s));
        for (int i = 0; i < plan->orders; i++) count(s, i, &s->sample[i][sample]);
    }
    return TORRE_OK;
}

void torre_hit_series_free(torre_hit_series *s)
{
    for (int i = 0; i < TORRE_HIT_ORDERS; i++) {
        free(s->slot[i]);
        free(s->sample[i]);
    }
    torre_bins_free(&s->bins);
    torre_gas_free(&s->gas);
}

double torre_hit_series_ratio(const torre_hit_series *s, int order, int64_t sample)
{
    return torre_block_hits_ratio(&s->sample[order][sample]);
}

double torre_hit_series_speedup(const torre_hit_series *s, int order, int64_t sample)
{
    return torre_block_hits_speedup(torre_hit_series_ratio(s, order, sample), s->plan.cost);
}

double torre_hit_series_interval(const torre_hit_series *s, int order)
{
    double sum = 0, before = 0, best = INFINITY;
    double reorder = s->plan.reorder_cost * s->plan.cost * (double)s->gas.count;
    int64_t steps = 0;
    if (s->samples < 2 || !s->plan.order[order]) return NAN;
    for (int64_t k = 0; k < s->samples; k++) {
        const torre_block_hits *h = &s->sample[order][k];
        double now = (double)h->hits + s->plan.cost * (double)(h->reads - h->hits);
        if (k > 0) {
            sum += (before + now) / 2 * (double)s->plan.every;
            double mean = (sum + reorder) / (double)(k * s->plan.every);
            if (mean < best) {
                best = mean;
                steps = k * s->plan.every;
            }
        }
        before = now;
    }
    return (double)steps;
}

/* Hit ratio around a column of bins, over so many columns to every side that few are empty. */
static double map_ratio(const int64_t n[3], const torre_block_hits *hits, int64_t x, int64_t y)
{
    enum { AROUND = 2 };
    int64_t reads = 0, found = 0;
    for (int64_t i = x - AROUND; i <= x + AROUND; i++) {
        for (int64_t j = y - AROUND; j <= y + AROUND; j++) {
            int64_t row = (i + n[0] * AROUND) % n[0];
            int64_t column = (row * n[1] + (j + n[1] * AROUND) % n[1]) * n[2];
            for (int64_t k = 0; k < n[2]; k++) {
                reads += hits->bin_reads[column + k];
                found += hits->bin_hits[column + k];
            }
        }
    }
    return reads ? (double)found / (double)reads : 0;
}

torre_status torre_hit_map_check(const torre_bin_grid *bins)
{
    if (bins->n[0] <= 8192 && bins->n[1] <= 8192) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{map}: at most 8192x8192 bins can be drawn");
}

static void draw_columns(const int64_t n[3], const torre_block_hits *hits, int square,
                         torre_image *image)
{
    for (int64_t x = 0; x < n[0]; x++) {
        for (int64_t y = 0; y < n[1]; y++) {
            double p = map_ratio(n, hits, x, y);
            for (int i = 0; i < square * square; i++) {
                uint8_t *pixel = torre_image_at(image, (int)y * square + i % square,
                                                (int)x * square + i / square);
                pixel[0] = (uint8_t)(255 - 235 * p);
                pixel[1] = (uint8_t)(255 - 195 * p);
                pixel[2] = (uint8_t)(255 - 75 * p);
            }
        }
    }
}

torre_status torre_hit_map_draw(const torre_hit_series *s, int order, torre_image *image)
{
    const int64_t *n = s->bins.grid.n;
    int square = (int)fmax(1, floor(1024.0 / (double)(n[0] > n[1] ? n[0] : n[1])));
    TORRE_TRY(torre_image_new((int)n[1] * square, (int)n[0] * square, image));
    torre_block_hits hits = {0};
    hits.bin_reads = calloc((size_t)s->bins.bins, sizeof *hits.bin_reads);
    hits.bin_hits = calloc((size_t)s->bins.bins, sizeof *hits.bin_hits);
    bool ok = hits.bin_reads && hits.bin_hits;
    if (ok) count(s, order, &hits);
    if (ok) draw_columns(n, &hits, square, image);
    free(hits.bin_reads);
    free(hits.bin_hits);
    if (ok) return TORRE_OK;
    torre_image_free(image);
    return out_of_memory();
}
