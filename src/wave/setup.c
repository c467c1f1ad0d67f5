/* Everything an engine needs beside the fields: source and receiver nodes, damping profiles. */
#include <math.h>
#include <stdlib.h>

#include "wave/boundary.h"
#include "wave/cpml.h"
#include "wave/interpolation.h"
#include "wave/particle_velocity.h"
#include "wave/pml.h"
#include "wave/receivers.h"
#include "wave/setup.h"
#include "wave/time_dispersion.h"

static int compare_cells(const void *a, const void *b)
{
    int64_t x = ((const torre_node *)a)->cell, y = ((const torre_node *)b)->cell;
    return (x > y) - (x < y);
}

/* The nodes of a point with the products of its taps: up to 512 entries. Returns how many. */
static int64_t point_nodes(const torre_wave_problem *p, const torre_point *point, torre_node *node)
{
    torre_taps taps[3];
    int64_t count = 0;
    torre_taps_find(p, point, taps);
    for (int i = 0; i < taps[0].count; i++)
        for (int j = 0; j < taps[1].count; j++)
            for (int k = 0; k < taps[2].count; k++)
                node[count++] = (torre_node){
                    .cell = (taps[0].cell[i] * p->size[1] + taps[1].cell[j]) * p->size[2] +
                            taps[2].cell[k],
                    .weight = taps[0].weight[i] * taps[1].weight[j] * taps[2].weight[k]};
    return count;
}

/* How many nodes points have together. */
static int64_t count_nodes(const torre_wave_problem *p, const torre_point *points, int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        torre_taps taps[3];
        torre_taps_find(p, &points[i], taps);
        sum += taps[0].count * taps[1].count * taps[2].count;
    }
    return sum;
}

/* Sort by cell and add up equal cells; entries of weight 0 are dropped. Returns the new count. */
static int64_t merge_nodes(torre_node *node, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (node[i].weight != 0) node[kept++] = node[i];
    qsort(node, (size_t)kept, sizeof *node, compare_cells);
    int64_t out = 0;
    for (int64_t i = 0; i < kept; i++) {
        if (out > 0 && node[out - 1].cell == node[i].cell)
            node[out - 1].weight += node[i].weight;
        else
            node[out++] = node[i];
    }
    return out;
}

static double damping_at(const torre_wave_setup *s, int64_t cell)
{
    const int64_t *n = s->problem->size;
    int64_t at[3] = {cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]};
    double sum = 0;
    for (int a = 0; a < 3; a++)
        if (s->damping[a]) sum += s->damping[a][at[a]];
    return sum;
}

static torre_status no_memory(void) { return torre_fail(TORRE_ERR_RESOURCE, "out of memory"); }

static torre_status make_damping(torre_wave_setup *s)
{
    for (int a = 0; a < 3 && s->problem->absorbing == TORRE_SPONGE; a++) {
        if (!torre_axis_absorbs(s->problem, a)) continue;
        s->damping[a] = malloc((size_t)s->problem->size[a] * sizeof(double));
        if (!s->damping[a]) return no_memory();
        torre_damping_profile(s->problem, a, s->damping[a]);
    }
    return TORRE_OK;
}

static torre_status make_layers(torre_wave_setup *s)
{
    if (!torre_pml_any(s->problem)) return TORRE_OK;
    for (int f = 0; f < 6; f++) s->layer[f / 2][f % 2] = torre_pml_face(s->problem, f / 2, f % 2);
    const size_t steps = (size_t)s->problem->absorbing_width + 2;
    s->pml_a = malloc(steps * sizeof *s->pml_a);
    s->pml_b = malloc(steps * sizeof *s->pml_b);
    if (!s->pml_a || !s->pml_b) return no_memory();
    if (s->problem->absorbing == TORRE_CPML)
        torre_cpml_profile(s->problem, s->pml_a, s->pml_b);
    else
        torre_pml_steps(s->problem, s->pml_a, s->pml_b);
    return TORRE_OK;
}

static torre_status make_wavelet(torre_wave_setup *s)
{
    const torre_wave_problem *p = s->problem;
    s->wavelet = p->wavelet;
    if (!torre_dispersion_corrects(p) || p->source_count == 0 || p->steps == 0) return TORRE_OK;
    TORRE_TRY(torre_dispersion_wavelet(p->wavelet, p->steps, &s->warped));
    s->wavelet = s->warped;
    return torre_wave_wavelet_check(p, s->warped);
}

static torre_status make_sources(torre_wave_setup *s)
{
    const torre_wave_problem *p = s->problem;
    const double scale = torre_wave_source_scale(p);
    int64_t all = 0;
    s->source_nodes =
        malloc((size_t)(count_nodes(p, p->sources, p->source_count) + 1) * sizeof *s->source_nodes);
    if (!s->source_nodes) return no_memory();
    for (int64_t i = 0; i < p->source_count; i++) {
        torre_node *node = s->source_nodes + all;
        const int64_t count = point_nodes(p, &p->sources[i], node);
        for (int64_t l = 0; l < count; l++)
            node[l].weight *= p->sources[i].amplitude * scale *
                              torre_force_factor(p, &s->density, &p->sources[i], node[l].cell) /
                              (1 + damping_at(s, node[l].cell) * p->dt);
        for (int64_t l = 0; l < count && s->density.cells; l++)
            node[l].weight *= torre_density_scale(&s->density, node[l].cell);
        all += count;
    }
    s->source_node_count = merge_nodes(s->source_nodes, all);
    return TORRE_OK;
}

torre_status torre_wave_setup_new(const torre_wave_problem *problem, torre_wave_setup **setup)
{
    torre_wave_setup *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->problem = problem;
    s->density = torre_density_of(problem);
    torre_status status = make_damping(s);
    if (!status) status = make_layers(s);
    if (!status) status = make_wavelet(s);
    if (!status) status = make_sources(s);
    if (!status) status = torre_receivers_make(s);
    if (status) {
        torre_wave_setup_free(s);
        return status;
    }
    *setup = s;
    return TORRE_OK;
}

void torre_wave_setup_free(torre_wave_setup *s)
{
    if (!s) return;
    for (int a = 0; a < 3; a++) free(s->damping[a]);
    free(s->pml_a);
    free(s->pml_b);
    free(s->warped);
    free(s->source_nodes);
    free(s->receiver_nodes);
    free(s->sums);
    free(s->taps);
    free(s->segments);
    free(s);
}
