#include "cli/locality_gas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/locality_random.h"
#include "tiling/bin_lists.h"

/* Tries per sphere; beyond the density of random sequential addition no number would do. */
#define PLACING_TRIES 2000

static const double pi = 3.14159265358979323846;

static double stiffness(const locality_gas_plan *plan)
{
    double mu = -log(plan->restitution) / LOCALITY_GAS_CONTACT_STEPS;
    double omega = pi / LOCALITY_GAS_CONTACT_STEPS;
    return (omega * omega + mu * mu) / 2;
}

/* Bins at least one diameter wide. */
static torre_bin_box collision_box(const locality_gas_plan *plan)
{
    torre_bin_box box;
    for (int a = 0; a < 3; a++) {
        box.size[a] = plan->length[a] < 1 ? 1 : (int64_t)plan->length[a];
        box.width[a] = plan->length[a] / (double)box.size[a];
    }
    return box;
}

static double squared(const double d[3]) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

static void draw_position(locality_gas *gas, locality_random *random, double position[3])
{
    for (int a = 0; a < 3; a++) position[a] = locality_random_unit(random) * gas->plan.length[a];
    if (gas->plan.planar) position[2] = 0.5;
}

/* Spheres placed so far, chained bin by bin. */
typedef struct placed {
    torre_bin_box box;
    int64_t *head, *next;
} placed;

static bool overlaps(const locality_gas *gas, const placed *done, const double position[3])
{
    int64_t adjacent[27];
    int n = torre_bin_box_adjacent(&done->box, torre_bin_box_find(&done->box, position), adjacent);
    for (int i = 0; i < n; i++) {
        for (int64_t p = done->head[adjacent[i]]; p >= 0; p = done->next[p]) {
            double d[3];
            torre_bin_box_nearest(&done->box, position, gas->position[p], d);
            if (squared(d) < 1) return true;
        }
    }
    return false;
}

/* Random sequential addition. */
static torre_status place(locality_gas *gas, locality_random *random)
{
    placed done = {.box = collision_box(&gas->plan)};
    int64_t bins = torre_bin_box_bins(&done.box);
    done.head = malloc((size_t)bins * sizeof *done.head);
    done.next = malloc((size_t)(gas->count + 1) * sizeof *done.next);
    torre_status status = TORRE_OK;
    if (!done.head || !done.next)
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld bins", (long long)bins);
    for (int64_t b = 0; !status && b < bins; b++) done.head[b] = -1;
    for (int64_t p = 0; !status && p < gas->count; p++) {
        int tries = 0;
        do draw_position(gas, random, gas->position[p]);
        while (gas->plan.collides && overlaps(gas, &done, gas->position[p]) &&
               ++tries < PLACING_TRIES);
        if (tries == PLACING_TRIES)
            status = torre_fail(TORRE_ERR_USAGE,
                                "--filling %g is too dense to place colliding spheres at random "
                                "(%lld of %lld placed): use at most 0.3, or --gas ideal",
                                gas->plan.filling, (long long)p, (long long)gas->count);
        int64_t bin = torre_bin_box_find(&done.box, gas->position[p]);
        done.next[p] = done.head[bin];
        done.head[bin] = p;
    }
    free(done.head);
    free(done.next);
    return status;
}

/* Gaussian velocities without drift, scaled to the wanted root mean square. */
static void set_velocities(locality_gas *gas, locality_random *random)
{
    double mean[3] = {0, 0, 0}, sum = 0;
    int dims = gas->plan.planar ? 2 : 3;
    for (int64_t p = 0; p < gas->count; p++) {
        for (int a = 0; a < dims; a++) {
            gas->velocity[p][a] = locality_random_normal(random);
            mean[a] += gas->velocity[p][a] / (double)gas->count;
        }
    }
    for (int64_t p = 0; p < gas->count; p++) {
        for (int a = 0; a < dims; a++) gas->velocity[p][a] -= mean[a];
        sum += squared(gas->velocity[p]);
    }
    double scale = sum > 0 ? gas->plan.speed / sqrt(sum / (double)gas->count) : 0;
    for (int64_t p = 0; p < gas->count; p++)
        for (int a = 0; a < dims; a++) gas->velocity[p][a] *= scale;
}

/*
 * Spring and dashpot between overlapping spheres: forces into gas->force, or the energy of the
 * springs into *energy where it is not NULL.
 */
static torre_status collide(const locality_gas *gas, double *energy)
{
    double k = stiffness(&gas->plan), mu = -log(gas->plan.restitution) / LOCALITY_GAS_CONTACT_STEPS;
    torre_bin_box box = collision_box(&gas->plan);
    torre_bin_lists lists;
    if (!energy) memset(gas->force, 0, (size_t)gas->count * sizeof *gas->force);
    if (!gas->plan.collides) return TORRE_OK;
    if (!torre_bin_lists_make(&box, gas->count, (const double(*)[3])gas->position, &lists))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld particles",
                          (long long)gas->count);
    for (int64_t bin = 0; bin < torre_bin_box_bins(&box); bin++) {
        int64_t adjacent[27];
        if (lists.start[bin] == lists.start[bin + 1]) continue;
        int bins = torre_bin_box_adjacent(&box, bin, adjacent);
        for (int n = 0; n < bins; n++) {
            for (int64_t i = lists.start[bin]; i < lists.start[bin + 1]; i++) {
                int64_t p = lists.member[i];
                for (int64_t m = lists.start[adjacent[n]]; m < lists.start[adjacent[n] + 1]; m++) {
                    int64_t q = lists.member[m];
                    double d[3];
                    if (q <= p) continue; /* each pair once */
                    torre_bin_box_nearest(&box, gas->position[p], gas->position[q], d);
                    double r2 = squared(d), r = sqrt(r2);
                    if (r2 >= 1 || r2 == 0) continue;
                    if (energy) {
                        *energy += k * (1 - r) * (1 - r) / 2;
                        continue;
                    }
                    double separation = 0;
                    for (int a = 0; a < 3; a++)
                        separation += (gas->velocity[q][a] - gas->velocity[p][a]) * d[a] / r;
                    double push = k * (1 - r) - mu * separation;
                    for (int a = 0; a < 3; a++) {
                        gas->force[p][a] -= push * d[a] / r;
                        gas->force[q][a] += push * d[a] / r;
                    }
                }
            }
        }
    }
    torre_bin_lists_free(&lists);
    return TORRE_OK;
}

torre_status locality_gas_new(const locality_gas_plan *plan, locality_gas *gas)
{
    double volume = plan->length[0] * plan->length[1] * (plan->planar ? 1 : plan->length[2]);
    *gas = (locality_gas){.plan = *plan};
    gas->count = (int64_t)llround(plan->filling * volume * 6 / pi);
    size_t bytes = (size_t)(gas->count + 1) * sizeof *gas->position;
    gas->position = malloc(bytes);
    gas->velocity = calloc(1, bytes);
    gas->force = calloc(1, bytes);
    locality_random random = {plan->seed};
    torre_status status = TORRE_OK;
    if (!gas->position || !gas->velocity || !gas->force)
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld particles",
                            (long long)gas->count);
    if (!status) status = place(gas, &random);
    if (!status) {
        set_velocities(gas, &random);
        status = collide(gas, NULL);
    }
    if (status) locality_gas_free(gas);
    return status;
}

void locality_gas_free(locality_gas *gas)
{
    free(gas->position);
    free(gas->velocity);
    free(gas->force);
    *gas = (locality_gas){0};
}

torre_status locality_gas_advance(locality_gas *gas, int64_t steps)
{
    for (int64_t step = 0; step < steps; step++) {
        for (int64_t p = 0; p < gas->count; p++) {
            for (int a = 0; a < 3; a++) {
                gas->velocity[p][a] += gas->force[p][a] / 2;
                double x = gas->position[p][a] + gas->velocity[p][a];
                gas->position[p][a] = x - gas->plan.length[a] * floor(x / gas->plan.length[a]);
            }
        }
        TORRE_TRY(collide(gas, NULL));
        for (int64_t p = 0; p < gas->count; p++)
            for (int a = 0; a < 3; a++) gas->velocity[p][a] += gas->force[p][a] / 2;
    }
    return TORRE_OK;
}

torre_status locality_gas_energy(const locality_gas *gas, double *energy)
{
    *energy = 0;
    for (int64_t p = 0; p < gas->count; p++) *energy += squared(gas->velocity[p]) / 2;
    return collide(gas, energy);
}
