/*
 * What towers are told to record and how that is summed, without a GPU: the tables of programs,
 * read here by what wave_args.h says of them, give the sums of traces.h from a field of random
 * numbers, in their bits. What only the kernels do is the matter of test_wave_cuda (check_sums).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"
#include "tests/wave_case.h"
#include "wave/traces.h"

enum { RECEIVERS = 60 };

/* A program of a problem, with a field in the caller's axes. */
typedef struct planned {
    torre_wave_problem p;
    torre_wave_setup *setup;
    torre_wave_program *program;
    float *field;
} planned;

static torre_point receiver[RECEIVERS];

/* A third of them on nodes, a third between them along some axes, and some close to each other. */
static void scatter(const torre_wave_problem *p)
{
    for (int i = 0; i < RECEIVERS; i++)
        for (int a = 0; a < 3; a++) {
            const double u = torre_random_uniform(7, 1, (uint64_t)(3 * (i - i % 10 / 8) + a));
            double cell = u * (double)(p->size[a] - 1);
            if (i % 3 == 0 || (i % 3 == 1 && a == i % 2)) cell = floor(cell);
            receiver[i].position[a] = cell * p->spacing[a];
        }
}

/* False where the GPU cannot do that. */
static bool make_plan(planned *q, torre_engine engine, const char *axes)
{
    torre_wave_plan wish = {.engine = engine, .tower_height = 8};
    const int64_t cells = q->p.size[0] * q->p.size[1] * q->p.size[2];
    snprintf(wish.axes, sizeof wish.axes, "%s", axes);
    CHECK_OK(torre_wave_setup_new(&q->p, &q->setup));
    if (torre_wave_cuda.plan(q->setup, &wish, &q->program)) {
        torre_wave_setup_free(q->setup);
        return false;
    }
    q->field = malloc((size_t)cells * sizeof *q->field);
    CHECK(q->field, "no memory");
    for (int64_t i = 0; i < cells; i++)
        q->field[i] = (float)(2 * torre_random_uniform(3, 0, (uint64_t)i) - 1);
    return true;
}

static void free_plan(planned *q)
{
    torre_wave_program_free(q->program);
    torre_wave_setup_free(q->setup);
    free(q->field);
}

/* The value at a cell in the solver's axes; not a number outside the grid. */
static float value_at(const planned *q, const int64_t at[3])
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    int64_t caller[3];
    for (int a = 0; a < 3; a++) {
        if (at[a] < 0 || at[a] >= program->turned.problem.size[a]) return NAN;
        caller[program->turned.axis[a]] = at[a];
    }
    return q->field[(caller[0] * q->p.size[1] + caller[1]) * q->p.size[2] + caller[2]];
}

/* The cell where unit number `bit` of a block begins. */
static void unit_cell(const torre_cuda_program *program, int64_t block, int bit, int64_t at[3])
{
    const int64_t v = 16 / (int64_t)program->turned.problem.precision,
                  parts = program->points.parts, width = program->shape.block_x,
                  all = (torre_cuda_planes(program) + v - 1) / v,
                  units = (program->shape.planes + TORRE_UNIT - 1) / TORRE_UNIT,
                  groups = program->shape.mark_groups, vectors = groups ? units / groups : 1;
    const int64_t part = block % parts, columns = width * width,
                  column = groups ? bit % columns : bit / units,
                  unit = groups ? bit / columns : bit % units;
    at[0] = block / parts / program->points.columns * width + column / width;
    at[1] = block / parts % program->points.columns * width + column % width;
    at[2] = all * part / parts * v + (unit % vectors * groups + unit / vectors) * TORRE_UNIT;
    const int64_t next = all * (part + 1) / parts * v;
    CHECK(at[2] < next, "a unit at %lld begins in the next part, at %lld", (long long)at[2],
          (long long)next);
}

static void take_unit(const planned *q, int64_t at[3], float *to)
{
    for (int i = 0; i < TORRE_UNIT; i++, at[2]++) to[i] = value_at(q, at);
}

/* What register towers record of the field: each unit is in the lists of all strips near it. */
static float *record_strips(const planned *q)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const torre_receiver_tables *t = &program->receivers;
    const torre_strip_node *nodes = t->nodes;
    const int64_t units = program->args.points.units, nx = program->args.n[0],
                  ny = program->args.n[1], D = program->base.info.plan.dts;
    float *samples = malloc((size_t)(units * TORRE_UNIT) * sizeof *samples);
    int *seen = calloc((size_t)units, sizeof *seen);
    CHECK(samples && seen, "no memory");
    for (int64_t list = 0; list < program->points.lists; list++)
        for (int n = t->first[list]; n < t->first[list + 1]; n++) {
            const int64_t m = list / nx / program->points.parts, row = nodes[n].row,
                          part = list / nx % program->points.parts;
            int64_t at[] = {nodes[n].x, (D * m + row + ny) % ny, nodes[n].z};
            CHECK(nodes[n].x == list % nx && row > -D && row < D, "list %lld has x %d, row %d",
                  (long long)list, nodes[n].x, nodes[n].row);
            CHECK(torre_cuda_part_of(program, at[2]) == part, "plane %d is not of part %lld",
                  nodes[n].z, (long long)part);
            seen[nodes[n].slot] += row ? 1 : 2;
            take_unit(q, at, samples + (int64_t)nodes[n].slot * TORRE_UNIT);
        }
    for (int64_t i = 0; i < units; i++)
        CHECK(seen[i] == 2, "unit %lld is not in all lists", (long long)i);
    free(seen);
    return samples;
}

/* Takes what stays in the diamonds of all places, whose lists have each unit 2 D - 2 times, or once
 * more in the middle of a strip. */
static void record_places(const planned *q, float *samples)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const torre_receiver_tables *t = &program->receivers;
    const torre_point_plan *b = &program->points;
    const int64_t ny = program->args.n[1], units = program->args.points.units;
    const int D = program->base.info.plan.dts;
    int *seen = calloc((size_t)units, sizeof *seen);
    CHECK(seen && b->places == program->args.n[0] + 2 * D - 2, "places");
    for (int64_t list = 0; list < b->places * b->parts * b->columns; list++) {
        const torre_place_run *run = t->place_runs + t->place_first[list];
        const int64_t m = list / b->places / b->parts, part = list / b->places % b->parts,
                      length = t->place_first[list + 1] - t->place_first[list];
        uint32_t warps = 0, said = length ? run->what : 0;
        CHECK(length % 2 == 0 && (length == 0 || length == (run->slot + 2) / 2 * 2),
              "list %lld has %lld entries", (long long)list, (long long)length);
        for (int n = length ? run->slot : 0; n > 0; n--) {
            run++;
            const int column = run->what & 0xff, plane = (int)(run->what >> 8 & 0xff) * TORRE_UNIT;
            int i = 0; /* column (u, v) = (i / 2 D, i % 2 D) */
            while (i < 4 * D * D &&
                   (i / (2 * D) == 0 || i % (2 * D) == 0 || (i / (2 * D) + i) % 2 ||
                    TORRE_KEPT(D, i / (2 * D), i % (2 * D)) != column))
                i++;
            const int u = i / (2 * D), v = i % (2 * D);
            CHECK(i < 4 * D * D, "no column is number %d", column);
            int64_t at[] = {list % b->places - (2 * D - 1) + (u + v) / 2,
                            (D * m + (u - v) / 2 + ny) % ny,
                            torre_cuda_part_first(program, part) + plane};
            warps |= 1u << plane / TORRE_WARP_PLANES;
            for (int j = 0; j < (int)(run->what >> 16); j++) {
                seen[run->slot + j]++;
                take_unit(q, at, samples + (int64_t)(run->slot + j) * TORRE_UNIT);
            }
        }
        CHECK(warps == said, "list %lld is of warps %x", (long long)list, warps);
    }
    for (int64_t i = 0; i < units; i++)
        CHECK(seen[i] == 2 * D - 1 || seen[i] == 2 * D - 2, "unit %lld is in other lists",
              (long long)i);
    free(seen);
}

/* What register towers record of many. */
static float *record_runs(const planned *q)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const torre_receiver_tables *t = &program->receivers;
    const torre_strip_run *runs = t->nodes;
    const int64_t units = program->args.points.units, ny = program->args.n[1],
                  D = program->base.info.plan.dts, lines = program->args.n[0] + D - 1;
    float *samples = malloc((size_t)(units * TORRE_UNIT) * sizeof *samples);
    int *seen = calloc((size_t)units, sizeof *seen);
    CHECK(samples && seen, "no memory");
    for (int64_t list = 0; list < program->points.lists; list++)
        for (int n = t->first[list]; n < t->first[list + 1]; n++) {
            const torre_strip_run *run = runs + n;
            const int64_t m = list / lines / program->points.parts, row = run->row,
                          part = list / lines % program->points.parts,
                          plane = run->z - torre_cuda_part_first(program, part);
            int64_t at[] = {run->x, (D * m + row + ny) % ny, run->z};
            CHECK(run->x - llabs(row) + D - 1 == list % lines && row > -D && row < D,
                  "list %lld has x %d, row %d", (long long)list, run->x, run->row);
            CHECK(torre_cuda_part_of(program, at[2]) == part, "plane %d is not of part %lld",
                  run->z, (long long)part);
            CHECK(run->count > 0 && run->count <= TORRE_RUN &&
                      plane % TORRE_WARP_PLANES + run->count * TORRE_UNIT <= TORRE_WARP_PLANES,
                  "a run of %d from plane %lld on", run->count, (long long)plane);
            for (int i = 0; i < run->count; i++) {
                seen[run->slot + i] += row ? 1 : 2;
                take_unit(q, at, samples + (int64_t)(run->slot + i) * TORRE_UNIT);
            }
        }
    for (int64_t i = 0; i < units; i++)
        CHECK(seen[i] == 2, "unit %lld is not in all lists", (long long)i);
    free(seen);
    record_places(q, samples);
    return samples;
}

/* What block towers record of many: each unit is in the lists of all places that have its block. */
static float *record_block_places(const planned *q)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const torre_receiver_tables *t = &program->receivers;
    const torre_point_plan *b = &program->points;
    const int64_t ny = program->args.n[1], units = program->args.points.units,
                  R = program->shape.block_x;
    const int D = program->base.info.plan.dts;
    float *samples = malloc((size_t)(units * TORRE_UNIT) * sizeof *samples);
    int *seen = calloc((size_t)units, sizeof *seen);
    CHECK(samples && seen && b->places == b->lines + 2 * D - 1, "places");
    for (int64_t list = 0; list < b->places * b->parts * b->strips; list++)
        for (int n = t->place_first[list]; n < t->place_first[list + 1]; n++) {
            const torre_place_run *run = t->place_runs + n;
            const int64_t m = list / b->places / b->parts, part = list / b->places % b->parts;
            const int number = run->what & 0xff, plane = (int)(run->what >> 8 & 0xff) * TORRE_UNIT,
                      column = (int)(run->what >> 16);
            int Y = 1 - D;
            while (Y + 1 < D && number >= torre_row_start(D, Y + 1) + abs(Y + 1)) Y++;
            const int X = number - torre_row_start(D, Y);
            int64_t at[] = {(list % b->places - (2 * D - 1) + X) * R + column / R,
                            ((D * m + Y) * R + column % R + ny) % ny,
                            torre_cuda_part_first(program, part) + plane};
            CHECK(X >= abs(Y) && X < 2 * D - abs(Y) && column < R * R, "no block is number %d",
                  number);
            CHECK(torre_cuda_part_of(program, at[2]) == part, "plane %d is not of part %lld", plane,
                  (long long)part);
            seen[run->slot]++;
            take_unit(q, at, samples + (int64_t)run->slot * TORRE_UNIT);
        }
    for (int64_t i = 0; i < units; i++)
        CHECK(seen[i] == 2 * D, "unit %lld is in %d lists", (long long)i, seen[i]);
    free(seen);
    return samples;
}

/* What block towers record of the field. */
static float *record(const planned *q)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const torre_receiver_tables *t = &program->receivers;
    const int64_t units = program->args.points.units, blocks = program->points.lists;
    float *samples = malloc((size_t)(units * TORRE_UNIT) * sizeof *samples);
    int64_t slot = 0;
    CHECK(samples, "no memory");
    for (int64_t b = 0; b < blocks; b++) {
        if (t->marked[b] < 0) continue;
        const uint32_t *marks = t->marks + (int64_t)t->marked[b] * program->shape.mark_words;
        CHECK(marks[0] == slot, "block %lld begins with unit %u, not %lld", (long long)b, marks[0],
              (long long)slot);
        for (int bit = 0; bit < 32 * (program->shape.mark_words - 1); bit++) {
            int64_t at[3];
            if (!(marks[1 + bit / 32] >> bit % 32 & 1)) continue;
            unit_cell(program, b, bit, at);
            take_unit(q, at, samples + slot * TORRE_UNIT);
            slot++;
        }
    }
    CHECK(slot == units, "%lld units are marked, %lld counted", (long long)slot, (long long)units);
    return samples;
}

/* The field as the device has it. */
static float *padded(const planned *q)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const int64_t *n = program->turned.problem.size;
    float *field = malloc((size_t)(n[0] * program->args.stride_x) * sizeof *field);
    CHECK(field, "no memory");
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t z = 0; z < n[2]; z++)
                field[x * program->args.stride_x + y * program->args.stride_y + z] =
                    value_at(q, (const int64_t[]){x, y, z});
    return field;
}

/* The value at an offset, see torre_sums. */
static double lookup(const torre_receiver_tables *t, const torre_device_sum *sum, const float *from,
                     int64_t offset)
{
    if (!t->slots) return from[offset];
    return from[(int64_t)t->slots[sum->slot + offset / TORRE_UNIT] * TORRE_UNIT +
                offset % TORRE_UNIT];
}

static double sum_of(const planned *q, int64_t r, const float *from)
{
    const torre_receiver_tables *t = &((const torre_cuda_program *)q->program)->receivers;
    const torre_device_sum *s = &t->sums[r];
    const torre_device_tap *x = t->taps + s->tap, *y = x + s->count[0], *z = y + s->count[1];
    volatile double sum = 0, product; /* each is rounded */
    for (int i = 0; i < s->count[0] && torre_traces_plain(&q->p); i++)
        for (int j = 0; j < s->count[1]; j++)
            for (int k = 0; k < s->count[2]; k++) {
                product = x[i].weight * y[j].weight;
                product = product * z[k].weight;
                product = product * lookup(t, s, from, x[i].offset + y[j].offset + z[k].offset);
                sum = sum + product;
            }
    for (int k = 0; k < s->count[2] && !torre_traces_plain(&q->p); k++) {
        volatile double all = 0;
        for (int i = 0; i < s->count[0]; i++) {
            volatile double plane = 0;
            for (int j = 0; j < s->count[1]; j++) {
                product = y[j].weight * lookup(t, s, from, x[i].offset + y[j].offset + z[k].offset);
                plane = plane + product;
            }
            product = x[i].weight * plane;
            all = all + product;
        }
        product = z[k].weight * all;
        sum = sum + product;
    }
    return sum;
}

static void check_plan(planned *q, const char *what)
{
    const torre_cuda_program *program = (const torre_cuda_program *)q->program;
    const bool strips = program->shape.strips;
    float *from = !program->kernel            ? padded(q)
                  : program->args.points.many ? strips ? record_runs(q) : record_block_places(q)
                  : strips ? record_strips(q)
                                              : record(q);
    torre_array traces;
    CHECK_OK(torre_traces_new(&q->p, &traces));
    torre_traces_start(q->setup, q->field, &traces);
    for (int64_t r = 0; r < RECEIVERS; r++) {
        const float found = (float)sum_of(q, r, from),
                    wanted = ((float *)traces.data)[r * traces.shape[1]];
        CHECK(found == wanted, "%s: receiver %lld sums to %.9g, not %.9g", what, (long long)r,
              (double)found, (double)wanted);
    }
    free(traces.data);
    free(from);
}

static void tables_give_the_sums_of_the_host(void **state)
{
    (void)state;
    static const char *const axes[] = {"xyz", "yzx", "zxy"};
    int plans = 0;
    for (int order = 2; order <= 8; order += 2)
        for (int k = 0; k < 24; k++) {
            planned q = {.p = wave_case_problem(33, 29, 310, order)};
            char what[80];
            q.p.precision = TORRE_F32;
            q.p.steps = 20;
            q.p.interpolation = k / 3 % 2 ? TORRE_SINC : TORRE_TRILINEAR;
            if (k / 12) q.p.face[2][0] = q.p.face[2][1] = TORRE_PERIODIC;
            scatter(&q.p);
            q.p.receivers = receiver;
            q.p.receiver_count = RECEIVERS;
            if (!make_plan(&q, k / 6 % 2 ? TORRE_TORRE : TORRE_STEPWISE, axes[k % 3])) continue;
            snprintf(what, sizeof what, "order %d, case %d", order, k);
            check_plan(&q, what);
            free_plan(&q);
            plans++;
        }
    CHECK(plans > 20, "%d plans", plans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_give_the_sums_of_the_host)};
    setenv("FAKE_CUDA_DEVICE", "h200", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
