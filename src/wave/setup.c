/* Everything an engine needs beside the fields: source and receiver nodes, damping profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wave/boundary.h"
#include "wave/setup.h"
#include "wave/time_dispersion.h"

static int compare_cells(const void *a, const void *b)
{
    int64_t x = ((const torre_node *)a)->cell, y = ((const torre_node *)b)->cell;
    return (x > y) - (x < y);
}

/* Trilinear nodes of a position: 8 entries, those of weight 0 included (same cell as a neighbour's
 * when the position lies on the last node of an axis). */
static void trilinear(const torre_wave_problem *p, const double position[3], torre_node node[8])
{
    int64_t cell[3];
    double frac[3];
    for (int a = 0; a < 3; a++) {
        double x = position[a] / p->spacing[a], whole = nearbyint(x);
        if (fabs(x - whole) < 1e-9) x = whole; /* a node up to the rounding of k * h / h */
        cell[a] = (int64_t)floor(x);
        if (cell[a] > p->size[a] - 1) cell[a] = p->size[a] - 1;
        frac[a] = x - (double)cell[a];
        if (frac[a] < 0 || cell[a] == p->size[a] - 1) frac[a] = 0;
    }
    for (int l = 0; l < 8; l++) {
        double w = 1;
        int64_t c[3];
        for (int a = 0; a < 3; a++) {
            bool up = l >> (2 - a) & 1;
            c[a] = cell[a] + (up && frac[a] > 0);
            w *= up ? frac[a] : 1 - frac[a];
        }
        node[l].column = 0;
        node[l].cell = (c[0] * p->size[1] + c[1]) * p->size[2] + c[2];
        node[l].weight = w;
    }
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
    for (int a = 0; a < 3; a++) {
        if (!torre_axis_is_damped(s->problem, a)) continue;
        s->damping[a] = malloc((size_t)s->problem->size[a] * sizeof(double));
        if (!s->damping[a]) return no_memory();
        torre_damping_profile(s->problem, a, s->damping[a]);
    }
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
    s->source_nodes = malloc((size_t)(8 * p->source_count + 1) * sizeof *s->source_nodes);
    if (!s->source_nodes) return no_memory();
    const double scale = torre_wave_source_scale(p);
    for (int64_t i = 0; i < p->source_count; i++) {
        torre_node *node = s->source_nodes + 8 * i;
        trilinear(p, p->sources[i].position, node);
        for (int l = 0; l < 8; l++)
            node[l].weight *=
                p->sources[i].amplitude * scale / (1 + damping_at(s, node[l].cell) * p->dt);
    }
    s->source_node_count = merge_nodes(s->source_nodes, 8 * p->source_count);
    return TORRE_OK;
}

static torre_status make_receivers(torre_wave_setup *s)
{
    const torre_wave_problem *p = s->problem;
    size_t all = (size_t)(8 * p->receiver_count);
    s->receiver_nodes = malloc((all + 1) * sizeof *s->receiver_nodes);
    s->receiver_index = malloc((all + 1) * sizeof *s->receiver_index);
    s->receiver_weight = malloc((all + 1) * sizeof *s->receiver_weight);
    torre_node *wanted = malloc((all + 1) * sizeof *wanted);
    if (!s->receiver_nodes || !s->receiver_index || !s->receiver_weight || !wanted) {
        free(wanted);
        return no_memory();
    }
    for (int64_t r = 0; r < p->receiver_count; r++)
        trilinear(p, p->receivers[r].position, wanted + 8 * r);
    memcpy(s->receiver_nodes, wanted, all * sizeof *wanted);
    s->receiver_node_count = merge_nodes(s->receiver_nodes, (int64_t)all);
    s->sample_columns = s->receiver_node_count;
    for (int64_t i = 0; i < s->sample_columns; i++) s->receiver_nodes[i].column = i;
    for (size_t i = 0; i < all; i++) {
        const torre_node *found =
            bsearch(&wanted[i], s->receiver_nodes, (size_t)s->receiver_node_count,
                    sizeof *s->receiver_nodes, compare_cells);
        s->receiver_index[i] = found ? found - s->receiver_nodes : 0; /* weight 0: any node does */
        s->receiver_weight[i] = wanted[i].weight;
    }
    free(wanted);
    return TORRE_OK;
}

torre_status torre_wave_setup_new(const torre_wave_problem *problem, torre_wave_setup **setup)
{
    torre_wave_setup *s = calloc(1, sizeof *s);
    if (!s) return no_memory();
    s->problem = problem;
    torre_status status = make_damping(s);
    if (!status) status = make_wavelet(s);
    if (!status) status = make_sources(s);
    if (!status) status = make_receivers(s);
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
    free(s->warped);
    free(s->source_nodes);
    free(s->receiver_nodes);
    free(s->receiver_index);
    free(s->receiver_weight);
    free(s);
}
