/* What faces towers can have, and what an order of the axes is worth. */
#include "cuda/wave/wave_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tiling/diamond.h"

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

/* Numbers of an H200, see DESIGN.md. */
typedef struct rate_numbers {
    double x, x_tower; /* cells that x faces cost, and more of them per tower at work */
    double y, y_tower;
    double cut;    /* more of them where x or y is no multiple of the half-width */
    double empty;  /* time of a step with no planes, of that with all */
    double least;  /* time of a step with few planes */
    double speed;  /* of full blocks, Gcells/s for each dts, f32, constant velocity */
    double points; /* share of that with sources or receivers */
} rate_numbers;

static const rate_numbers register_numbers = {22, 0.5, 10, 0.2, 0, 0.43, 0.54, 238, 0.92};
static const rate_numbers half_numbers = {22,   0.5,  10,  0.2, 0,
                                          0.43, 0.76, 238, 0.72}; /* 128 planes */
static const rate_numbers block_numbers[] = {{40, 0, 20, 0, 0, 0.45, 0, 64, 0.97},
                                             {24, 0, 20, 0, 8, 0.45, 0, 187, 0.97},
                                             {44, 0, 39, 0, 5, 0.88, 0, 139, 0.97},
                                             {46, 0, 20, 0, 40, 0.88, 0, 113, 0.97}};
/* Shares of that, by the order: in f64, with a velocity array. */
static const double tower_f64[] = {0.66, 0.35, 0.29, 0.25};
static const double tower_array[] = {0.77, 0.78, 0.86, 0.82};

/* The same of one step at a time. */
typedef struct step_numbers {
    double speed, speed_f64; /* Gcells/s of large grids with constant velocity */
    double array;            /* share of that with a velocity array */
    double periodic;         /* likewise with periodic y or z: nothing is copied ahead */
    double few;              /* likewise with up to 8 cells along y: nothing either */
    double launch;           /* microseconds that a step takes beside its cells */
    double idle;             /* time of rows of a tile beyond the grid, of that of others */
    double ends;             /* cells that z faces cost; 8 times as many where they cut vectors */
} step_numbers;

/* Orders 2, 4, 6 and 8; the last serves higher ones, too, which were not measured and have no
 * towers to be compared with. */
static const step_numbers stepwise_numbers[4] = {{330, 150, 0.78, 1, 0.88, 8, 0.2, 4},
                                                 {294, 143, 0.81, 0.79, 0.62, 11, 0.4, 8},
                                                 {283, 67.5, 0.83, 0.62, 0.51, 14, 0.7, 14},
                                                 {271, 57.6, 0.85, 0.58, 0.43, 26, 1.6, 20}};

double torre_tower_rate(const torre_wave_problem *p, const torre_tower_room *room)
{
    const rate_numbers *c = &block_numbers[p->order / 2 - 1];
    if (room->in_registers) c = room->planes > 128 ? &register_numbers : &half_numbers;
    const int64_t *n = p->size, v = 16 / (int64_t)p->precision, most = room->planes / v,
                  parts = ((n[2] + v - 1) / v + most - 1) / most;
    double towers = (double)room->blocks / (double)parts;
    double full = (double)n[2] / (double)(parts * room->planes);
    double rate = c->speed * room->dts * full / fmax(c->least, c->empty + (1 - c->empty) * full);
    if (room->in_registers) { /* edges that go through main memory */
        if (parts > 2) rate *= 0.75 + 0.5 / (double)parts;
        if (parts > 16) rate *= 0.93;
    } else { /* whole towers are at work */
        rate *= sqrt(floor(towers) / towers);
        if (n[2] <= 4) rate *= 0.5; /* lines of memory that are hardly filled */
    }
    int R = p->order / 2;
    double x = c->x + c->x_tower * towers + (n[0] % R ? c->cut : 0);
    double y = c->y + c->y_tower * towers + (n[1] % R ? c->cut : 0);
    if (p->face[2][0] == TORRE_PERIODIC) rate *= 0.3;
    if (p->face[1][0] == TORRE_PERIODIC) { /* no faces, but no strips either */
        y = 0;
        if (room->in_registers) rate *= 0.86;
    }
    if (room->points) rate *= c->points;
    if (p->precision == TORRE_F64) rate *= tower_f64[R - 1];
    if (p->velocity_cells) rate *= tower_array[R - 1];
    return rate * (double)n[0] / ((double)n[0] + x) * (double)n[1] / ((double)n[1] + y);
}

double torre_stepwise_rate(const torre_wave_problem *p, bool points)
{
    const step_numbers *c = &stepwise_numbers[p->order < 8 ? p->order / 2 - 1 : 3];
    const int64_t *n = p->size, v = 16 / (int64_t)p->precision, rows = 22; /* of a tile */
    double cells = (double)torre_wave_cells(p), launch = c->launch + (points ? 9 : 0);
    double speed = p->precision == TORRE_F64 ? c->speed_f64 : c->speed;
    if (p->velocity_cells) speed *= c->array;
    if (p->face[1][0] == TORRE_PERIODIC || p->face[2][0] == TORRE_PERIODIC) speed *= c->periodic;
    if (n[1] <= 8) {
        speed *= c->few;
    } else {
        double all = (double)((n[1] + rows - 1) / rows * rows);
        speed /= 1 + c->idle * (all / (double)n[1] - 1);
    }
    double ends = c->ends * (n[2] % v ? 8 : 1);
    speed *= (double)n[0] / ((double)n[0] + 8) * (double)n[2] / ((double)n[2] + ends);
    if (cells * (p->velocity_cells ? 3 : 2) * (int)p->precision <= 40e6) speed *= 1.7; /* L2 */
    return 1e-9 * cells / (1e-9 * cells / speed + 1e-6 * launch);
}

bool torre_stepwise_pays(const torre_wave_problem *p, const torre_tower_room *room, int major,
                         char *why, size_t why_size)
{
    if (major != 9) { /* block towers hardly pay without TMA */
        if (!room->in_registers)
            snprintf(why, why_size, "block towers hardly pay but on compute capability 9");
        return !room->in_registers;
    }
    const double stepwise = torre_stepwise_rate(p, room->points),
                 towers = torre_tower_rate(p, room);
    snprintf(why, why_size, "estimates: %.0f Gcells/s one step at a time, %.0f in towers", stepwise,
             towers);
    return stepwise > towers;
}

double torre_axes_worth(const torre_wave_problem *p, const torre_tower_room *room, bool points)
{
    double stepwise = torre_stepwise_rate(p, points);
    return room ? fmax(stepwise, torre_tower_rate(p, room)) : stepwise / 2;
}

bool torre_axes_offer(torre_axes_choice *choice, const char *axes, const torre_turned *turned,
                      const torre_tower_room *room, bool every_dts)
{
    double worth = !room ? 0 : every_dts ? 2 : 1;
    if (choice->for_rate) worth = torre_axes_worth(&turned->problem, room, turned->points);
    if (worth > choice->worth) {
        const bool first = strcmp(axes, torre_axis_orders[0]) == 0;
        choice->worth = choice->for_rate && first ? 1.05 * worth : worth; /* the caller's own */
        strcpy(choice->axes, axes);
    }
    return !choice->for_rate && choice->worth == 2;
}
