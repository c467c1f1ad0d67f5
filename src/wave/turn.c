/* Turned problems. */
#include "wave/turn.h"

#include <stdlib.h>
#include <string.h>

const char *const torre_axis_orders[TORRE_AXIS_ORDERS] = {"xyz", "yxz", "xzy", "zxy", "yzx", "zyx"};

bool torre_axes_known(const char *text)
{
    for (int i = 0; i < TORRE_AXIS_ORDERS; i++)
        if (strcmp(text, torre_axis_orders[i]) == 0) return true;
    return false;
}

torre_status torre_axes_check(const torre_wave_problem *caller, const char *axes)
{
    if (!torre_axes_known(axes))
        return torre_fail(TORRE_ERR_USAGE, "axes of the plan: not x, y and z in some order");
    if (torre_wave_is_flat(caller, axes[0] - 'x'))
        return torre_fail(TORRE_ERR_USAGE,
                          "axes of the plan: %s begins with the axis that two dimensions lack",
                          axes);
    return TORRE_OK;
}

void torre_turn_problem(const torre_wave_problem *caller, const char *axes, torre_turned *turned)
{
    torre_wave_problem *p = &turned->problem;
    memset(turned, 0, sizeof *turned);
    *p = *caller;
    turned->points = p->source_count > 0 || p->receiver_count > 0;
    p->sources = p->receivers = NULL;
    p->source_count = p->receiver_count = 0;
    turned->setup.problem = p;
    for (int a = 0; a < 3; a++) {
        int from = turned->axis[a] = axes[a] - 'x';
        p->size[a] = caller->size[from];
        p->spacing[a] = caller->spacing[from];
        memcpy(p->face[a], caller->face[from], sizeof p->face[a]);
        /* its weight is zero, and what is beyond the face of a constant field another such cell */
        if (torre_wave_is_flat(p, a)) p->face[a][0] = p->face[a][1] = TORRE_RIGID;
    }
    if (caller->velocity_cells) {
        turned->velocity.precision = caller->velocity_cells->precision;
        for (int a = 0; a < 3; a++) /* towers take planes z one beside the other */
            turned->velocity.shape[a] =
                a < 2 ? caller->velocity_cells->shape[turned->axis[a]] : p->size[a];
        p->velocity_cells = &turned->velocity;
    }
    if (caller->density_cells) {
        turned->density.precision = caller->density_cells->precision;
        for (int a = 0; a < 3; a++)
            turned->density.shape[a] =
                a == 1 ? caller->density_cells->shape[turned->axis[a]] : p->size[a];
        p->density_cells = &turned->density;
    }
}

void torre_turn_region(const torre_wave_setup *caller, const char *axes, torre_turned *turned)
{
    torre_turn_problem(caller->problem, axes, turned);
    turned->points = turned->points || caller->planes.count > 0;
    for (int a = 0; a < 3; a++)
        memcpy(turned->setup.layer[a], caller->layer[turned->axis[a]], sizeof caller->layer[a]);
    turned->setup.keeps_layers = caller->keeps_layers;
    if (!caller->region) return;
    const torre_region *from = caller->region;
    for (int a = 0; a < 3; a++) {
        const int b = turned->axis[a];
        turned->region.global[a] = from->global[b];
        turned->region.periodic[a] = from->periodic[b];
        turned->region.owned.low[a] = from->owned.low[b];
        turned->region.owned.high[a] = from->owned.high[b];
        turned->region.stored.low[a] = from->stored.low[b];
        turned->region.stored.high[a] = from->stored.high[b];
    }
    turned->setup.region = &turned->region;
}

static size_t nodes_bytes(int64_t count) { return (size_t)(count + 1) * sizeof(torre_node); }

int64_t torre_turned_bytes(const torre_wave_setup *caller)
{
    return (int64_t)(nodes_bytes(caller->source_node_count) +
                     nodes_bytes(caller->receiver_node_count));
}

static torre_status turn_nodes(const torre_turned *t, const torre_node *from, int64_t count,
                               torre_node **to)
{
    const int64_t *n = t->caller->problem->size, *size = t->problem.size;
    *to = malloc(nodes_bytes(count));
    if (!*to) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
#pragma omp parallel for if (count > 1 << 16)
    for (int64_t i = 0; i < count; i++) {
        int64_t cell = from[i].cell, at[3] = {cell / n[2] / n[1], cell / n[2] % n[1], cell % n[2]};
        (*to)[i] = from[i];
        (*to)[i].cell = (at[t->axis[0]] * size[1] + at[t->axis[1]]) * size[2] + at[t->axis[2]];
    }
    return TORRE_OK;
}

torre_status torre_turn_setup(const torre_wave_setup *caller, const char *axes,
                              torre_turned *turned)
{
    torre_turn_region(caller, axes, turned);
    torre_wave_setup *s = &turned->setup;
    turned->caller = caller;
    s->source_node_count = caller->source_node_count;
    s->receiver_node_count = caller->receiver_node_count;
    s->sample_columns = caller->sample_columns;
    s->wavelet = caller->wavelet;
    for (int a = 0; a < 3; a++) s->damping[a] = caller->damping[turned->axis[a]];
    s->density = torre_density_turn(&caller->density, turned->axis);
    s->pml_a = caller->pml_a;
    s->pml_b = caller->pml_b;
    TORRE_TRY(turn_nodes(turned, caller->source_nodes, s->source_node_count, &s->source_nodes));
    return turn_nodes(turned, caller->receiver_nodes, s->receiver_node_count, &s->receiver_nodes);
}

void torre_turned_free(torre_turned *turned)
{
    free(turned->setup.source_nodes);
    free(turned->setup.receiver_nodes);
}
