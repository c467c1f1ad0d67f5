/* The update of a run of rows: kernel, sources, receivers, frames, ghosts. */
#include "wave/cpu/cpu_solver.h"

/* First entry of nodes[count] (sorted by cell) with cell >= the given one. */
static int64_t first_node(const torre_node *nodes, int64_t count, int64_t cell)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (nodes[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_sources(const torre_cpu_solver *s, int64_t n, char *row, int64_t begin, int64_t end,
                        int64_t row_cell)
{
    const torre_node *nodes = s->setup->source_nodes;
    int64_t count = s->setup->source_node_count;
    for (int64_t i = first_node(nodes, count, begin); i < count && nodes[i].cell < end; i++) {
        double q = nodes[i].weight * s->setup->wavelet[n];
        int64_t z = nodes[i].cell - row_cell;
        if (s->field.precision == TORRE_F32)
            ((float *)row)[z] += (float)q;
        else
            ((double *)row)[z] += q;
    }
}

/* Nodes from .. to - 1 of a row into their columns of a step's samples. */
#define RECORD(name, real)                                                                         \
    static void name(const torre_cpu_solver *s, int64_t from, int64_t to, const real *row,         \
                     real *samples)                                                                \
    {                                                                                              \
        const torre_node *node = s->setup->receiver_nodes;                                         \
        for (int64_t i = from; i < to; i++)                                                        \
            samples[s->in_columns ? i : node[i].column] = row[s->receiver_z[i]];                   \
    }
RECORD(record_f32, float)
RECORD(record_f64, double)

/* Those at z0 <= z < z1. */
static void record_receivers(const torre_cpu_solver *s, int64_t n, const char *row, int64_t number,
                             int64_t z0, int64_t z1)
{
    const int64_t first = (n - s->samples_start) * s->setup->sample_columns;
    int64_t from = s->receiver_first[number], to = s->receiver_first[number + 1];
    while (from < to && s->receiver_z[from] < z0) from++;
    while (from < to && s->receiver_z[to - 1] >= z1) to--;
    if (s->field.precision == TORRE_F32)
        record_f32(s, from, to, (const float *)row, (float *)s->samples + first);
    else
        record_f64(s, from, to, (const double *)row, (double *)s->samples + first);
}

static void row_events(const torre_cpu_solver *s, int64_t n, torre_run run, int64_t x)
{
    const torre_padded_field *f = &s->field;
    const int64_t z0 = run.z0 > run.z_low ? run.z0 : run.z_low;
    const int64_t z1 = run.z1 < run.z_high ? run.z1 : run.z_high;
    for (int64_t y = run.y0; y < run.y1; y++) {
        int flags = s->row_flags[x * f->size[1] + y];
        if (!flags) continue;
        char *row = torre_cpu_row(s, n + 1, x, y);
        const int64_t number = x * f->size[1] + y, first = number * f->size[2];
        if (flags & TORRE_ROW_SOURCES) add_sources(s, n, row, first + z0, first + z1, first);
        if (flags & TORRE_ROW_RECEIVERS) record_receivers(s, n, row, number, z0, z1);
    }
}

/* The kernel on a run, all of it damped or none. */
static void kernel_call(const torre_cpu_solver *s, int64_t n, torre_run run, bool damped,
                        torre_fetch fetch)
{
    if (run.z0 >= run.z1) return;
    const int64_t width = (int64_t)s->field.precision, block = s->field.block;
    const int64_t offset = run.z0 * width;
    torre_line line = {
        .next = torre_cpu_row(s, n + 1, run.x, run.y0) + offset,
        .now = torre_cpu_row(s, n, run.x, run.y0) + offset,
        .factor = s->field.factor ? torre_cpu_factor_row(s, run.x, run.y0) + offset : NULL,
        .potential = s->field.potential ? torre_cpu_potential_row(s, run.x, run.y0) + offset : NULL,
        .planes = run.planes,
        .rows = run.y1 - run.y0,
        .blocks = (run.z1 - run.z0 + block - 1) / block,
        .fetch = fetch.row,
        .fetches = fetch.count,
        .fetch_offset = offset,
    };
    if (damped) {
        line.damping_x = s->damping[0] + run.x * width;
        line.damping_y = s->damping[1] + run.y0 * width;
        line.damping_z = s->damping[2] + offset;
    }
    s->line(&s->scheme, &line);
}

/* The same of more planes than the kernel takes. */
static void kernel_calls(const torre_cpu_solver *s, int64_t n, torre_run run, bool damped,
                         torre_fetch fetch)
{
    const int most = torre_line_planes((int)s->field.half_width);
    for (int done = 0; done < run.planes; done += most) {
        torre_run some = run;
        some.x += done;
        some.planes = run.planes - done < most ? run.planes - done : most;
        kernel_call(s, n, some, damped, fetch);
        fetch.count = 0;
    }
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

void torre_cpu_update_rows(const torre_cpu_solver *s, int64_t n, torre_run run, torre_fetch fetch)
{
    bool any = s->damping[0];
    torre_cpu_fetch_layers(s, &run);
    if (any && run.x >= s->damped_low[0] && run.x + run.planes <= s->damped_high[0] &&
        run.y0 >= s->damped_low[1] && run.y1 <= s->damped_high[1]) {
        /* damped at most at its ends along z */
        torre_run low = run, middle = run, high = run;
        low.z1 = middle.z0 = clamp(s->damped_low[2], run.z0, run.z1);
        middle.z1 = high.z0 = clamp(s->damped_high[2], middle.z0, run.z1);
        kernel_calls(s, n, low, true, fetch);
        kernel_calls(s, n, middle, false, fetch);
        kernel_calls(s, n, high, true, fetch);
    } else {
        kernel_calls(s, n, run, any, fetch);
    }
}

void torre_cpu_finish_rows(const torre_cpu_solver *s, int64_t n, torre_run run)
{
    torre_cpu_update_layers(s, n, &run);
    for (int64_t x = run.x; x < run.x + run.planes; x++) {
        if (s->row_flags) row_events(s, n, run, x);
        if (torre_cpu_frames_want(&s->frames, n + 1)) torre_cpu_frames_record(s, n + 1, &run, x);
        torre_padded_refresh(&s->field, (int)((n + 1) & 1), x, run.y0, run.y1, run.z0, run.z1);
    }
}

void torre_cpu_update(const torre_cpu_solver *s, int64_t n, torre_run run, torre_fetch fetch)
{
    torre_cpu_update_rows(s, n, run, fetch);
    torre_cpu_finish_rows(s, n, run);
}
