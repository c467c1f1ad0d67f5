/* What faces towers can have, and what an order of the axes is worth. */
#include "cuda/wave/wave_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tiling/diamond.h"
#include "wave/pml.h"

torre_status torre_towers_fit(const torre_turned *t, int dts, const char *advice)
{
    const torre_wave_problem *p = &t->problem;
    char x = (char)('x' + t->axis[0]), y = (char)('x' + t->axis[1]), z = (char)('x' + t->axis[2]);
    if (p->face[0][0] == TORRE_PERIODIC)
        return torre_fail(
            TORRE_ERR_USAGE,
            "{engine} torre cannot have periodic %c faces (towers slide along %c); %s", x, x,
            advice);
    if (p->face[1][0] == TORRE_PERIODIC &&
        !torre_tower_grid_can_wrap(p->size[1], p->order / 2, dts))
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre with periodic %c faces needs n%c to be a multiple of %d "
                          "(got %lld) for {dts} %d; %s",
                          y, y, dts * p->order, (long long)p->size[1], dts, advice);
    int v = 16 / (int)p->precision;
    if (p->face[2][0] == TORRE_PERIODIC && (p->size[2] % v != 0 || p->size[2] < 2 * p->order))
        return torre_fail(TORRE_ERR_USAGE,
                          "{engine} torre with periodic %c faces needs n%c to be a multiple of %d "
                          "and at least %d (got %lld); %s",
                          z, z, v, 2 * p->order, (long long)p->size[2], advice);
    return TORRE_OK;
}

const char torre_no_block_towers[] = "block towers hardly pay but on compute capability 9";

/* Share of a rate that arrays of the medium leave. Beside density kernels read k in any case. */
static double share_of_medium(const torre_wave_problem *p, double array, double density)
{
    if (p->density_cells) return array * density;
    return p->velocity_cells ? array : 1;
}

double torre_tower_rate(const torre_gpu_rates *gpu, const torre_wave_problem *p,
                        const torre_tower_room *room)
{
    const torre_tower_rates *r = &gpu->towers;
    const torre_tower_cost *c = &r->block[p->order / 2 - 1];
    if (room->in_registers) c = room->planes > 128 ? &r->whole : &r->half;
    const int64_t *n = p->size, v = 16 / (int64_t)p->precision, most = room->planes / v,
                  parts = ((n[2] + v - 1) / v + most - 1) / most;
    double towers = (double)room->blocks / (double)parts;
    double full = (double)n[2] / (double)(parts * room->planes);
    double rate = c->speed * room->dts * full / fmax(c->least, c->empty + (1 - c->empty) * full);
    if (room->in_registers) { /* edges that go through main memory */
        if (parts > 2) rate *= r->parts + r->parts_each / (double)parts;
        if (parts > 16) rate *= r->many_parts;
    } else { /* whole towers are at work */
        rate *= sqrt(floor(towers) / towers);
        if (n[2] <= 4) rate *= r->short_lines; /* of memory, hardly filled */
    }
    int R = p->order / 2;
    double x = c->x + c->x_tower * towers + (n[0] % R ? c->cut : 0);
    double y = c->y + c->y_tower * towers + (n[1] % R ? c->cut : 0);
    if (p->face[2][0] == TORRE_PERIODIC) rate *= r->periodic_z;
    if (p->face[1][0] == TORRE_PERIODIC) { /* no faces, but no strips either */
        y = 0;
        if (room->in_registers) rate *= r->periodic_y;
    }
    if (room->points) rate *= c->points;
    if (p->precision == TORRE_F64) rate *= r->f64[R - 1];
    rate *= share_of_medium(p, r->array[R - 1], r->density[R - 1]);
    return rate * (double)n[0] / ((double)n[0] + x) * (double)n[1] / ((double)n[1] + y);
}

double torre_stepwise_rate(const torre_gpu_rates *gpu, const torre_wave_problem *p, bool points)
{
    const int R = p->order / 2;
    const torre_step_rates *c = &gpu->step[(R < TORRE_TOWER_ORDERS ? R : TORRE_TOWER_ORDERS) - 1];
    const int64_t *n = p->size, v = 16 / (int64_t)p->precision, rows = 22; /* of a tile */
    double cells = (double)torre_wave_cells(p),
           launch = c->launch + (points ? gpu->step_points : 0);
    double speed = p->precision == TORRE_F64 ? c->speed_f64 : c->speed;
    speed *= share_of_medium(p, c->array, c->density);
    if (p->face[1][0] == TORRE_PERIODIC || p->face[2][0] == TORRE_PERIODIC) speed *= c->periodic;
    if (n[1] <= 8) {
        speed *= c->few;
    } else {
        double all = (double)((n[1] + rows - 1) / rows * rows);
        speed /= 1 + c->idle * (all / (double)n[1] - 1);
    }
    double ends = c->ends * (n[2] % v ? 8 : 1);
    speed *= (double)n[0] / ((double)n[0] + gpu->step_faces) * (double)n[2] / ((double)n[2] + ends);
    const int arrays = 2 + (p->velocity_cells != NULL) + (p->density_cells != NULL);
    if (cells * arrays * (int)p->precision <= gpu->cached) speed *= gpu->cached_gain;
    return 1e-9 * cells / (1e-9 * cells / speed + 1e-6 * launch);
}

double torre_layered_rate(const torre_gpu_rates *gpu, const torre_wave_problem *p, bool points)
{
    const double rate = torre_stepwise_rate(gpu, p, points), W = (double)p->absorbing_width,
                 R = p->order / 2, slots = p->absorbing == TORRE_CPML ? 2 * W : R * (2 * W - 1),
                 values = 2 * slots + 3 * (W + R), cells = (double)torre_wave_cells(p);
    double bytes = 0;
    for (int a = 0; a < 3; a++) {
        const int faces = torre_pml_face(p, a, 0) + torre_pml_face(p, a, 1);
        bytes += faces * cells / (double)p->size[a] * values * (double)p->precision;
    }
    return cells / (cells / rate + bytes / gpu->layers);
}

/* Share of the cells that are nearer than `depth` to a face with a layer. */
static double share_of_shell(const torre_wave_problem *p, double depth)
{
    double inner = 1;
    for (int a = 0; a < 3; a++) {
        const int faces = torre_pml_face(p, a, 0) + torre_pml_face(p, a, 1);
        inner *= fmax(0, 1 - faces * depth / (double)p->size[a]);
    }
    return 1 - inner;
}

double torre_shell_rate(const torre_gpu_rates *gpu, const torre_wave_problem *p,
                        const torre_tower_room *room)
{
    const int R = p->order / 2;
    const double N = (double)room->height, W = (double)p->absorbing_width,
                 towers = torre_tower_rate(gpu, p, room),
                 steps = torre_stepwise_rate(gpu, p, room->points);
    const double handed = share_of_shell(p, W + 2 * R * N) - share_of_shell(p, W),
                 computed = share_of_shell(p, W + 1.5 * R * N);
    const torre_tower_rates *r = &gpu->towers;
    return 1 / ((1 + r->pass[R - 1] / N) / towers +
                (r->shell[R - 1] * computed + r->handed * handed / N) / steps);
}

int64_t torre_shell_height(const torre_gpu_rates *gpu, const torre_wave_problem *p,
                           const torre_tower_room *room)
{
    const int64_t most = 48;
    torre_tower_room its = *room;
    int64_t height = 16;
    double best = 0;
    for (its.height = 2; gpu && its.height <= most; its.height++) {
        const double rate = torre_shell_rate(gpu, p, &its);
        if (rate <= best) continue;
        best = rate;
        height = its.height;
    }
    return height;
}

bool torre_stepwise_pays(const torre_gpu_rates *gpu, const torre_wave_problem *p,
                         const torre_tower_room *room, char *why, size_t why_size)
{
    if (!gpu) {
        if (!room->in_registers) snprintf(why, why_size, "%s", torre_no_block_towers);
        if (room->height) snprintf(why, why_size, "towers beside layers were not measured");
        return !room->in_registers || room->height;
    }
    const double stepwise = torre_stepwise_rate(gpu, p, room->points),
                 towers =
                     room->height ? torre_shell_rate(gpu, p, room) : torre_tower_rate(gpu, p, room);
    snprintf(why, why_size, "estimates: %.0f Gcells/s one step at a time, %.0f in towers%s",
             stepwise, towers, room->height ? ", without what layers take" : "");
    return stepwise * (room->height ? gpu->towers.shell_gain : 1) > towers;
}

bool torre_axes_for_rate(const torre_gpu_data *gpu, const torre_wave_problem *p)
{
    const int64_t *n = p->size, cells = torre_wave_cells(p);
    bool layer = n[0] <= gpu->thin || n[1] <= gpu->thin || n[2] <= gpu->thin;
    return gpu->rates && cells >= (layer ? gpu->thin_cells : gpu->turn_cells);
}

double torre_axes_worth(const torre_gpu_rates *gpu, const torre_wave_problem *p,
                        const torre_tower_room *room, bool points)
{
    double stepwise = torre_stepwise_rate(gpu, p, points);
    return room ? fmax(stepwise, torre_tower_rate(gpu, p, room)) : stepwise / 2;
}

bool torre_axes_offer(torre_axes_choice *choice, const char *axes, const torre_turned *turned,
                      const torre_tower_room *room, bool every_dts)
{
    double worth = !room ? 0 : every_dts ? 2 : 1;
    if (choice->for_rate)
        worth = torre_axes_worth(choice->gpu->rates, &turned->problem, room, turned->points);
    if (worth > choice->worth) {
        const bool first = strcmp(axes, torre_axis_orders[0]) == 0;
        choice->worth = choice->for_rate && first ? choice->gpu->turn_gain * worth
                                                  : worth; /* the caller's own */
        strcpy(choice->axes, axes);
    }
    return !choice->for_rate && choice->worth == 2;
}
