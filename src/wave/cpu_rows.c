/* The update of a run of rows: kernel, sources, receivers, ghosts. */
#include "wave/cpu_solver.h"

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
        double q = nodes[i].weight * s->setup->problem->wavelet[n];
        int64_t z = nodes[i].cell - row_cell;
        if (s->field.precision == TORRE_F32)
            ((float *)row)[z] += (float)q;
        else
            ((double *)row)[z] += q;
    }
}

static void record_receivers(const torre_cpu_solver *s, int64_t n, const char *row, int64_t begin,
                             int64_t end, int64_t row_cell)
{
    const torre_node *nodes = s->setup->receiver_nodes;
    int64_t count = s->setup->receiver_node_count, first = (n - s->samples_start) * count;
    for (int64_t i = first_node(nodes, count, begin); i < count && nodes[i].cell < end; i++) {
        int64_t z = nodes[i].cell - row_cell;
        if (s->field.precision == TORRE_F32)
            ((float *)s->samples)[first + i] = ((const float *)row)[z];
        else
            ((double *)s->samples)[first + i] = ((const double *)row)[z];
    }
}

static void row_events(const torre_cpu_solver *s, int64_t n, int64_t x, int64_t y0, int64_t y1,
                       int64_t z0, int64_t z1)
{
    const torre_padded_field *f = &s->field;
    for (int64_t y = y0; y < y1; y++) {
        int flags = s->row_flags[x * f->size[1] + y];
        if (!flags) continue;
        char *row = f->level[(n + 1) & 1] + torre_padded_index(f, x, y, 0) * (int64_t)f->precision;
        int64_t row_cell = (x * f->size[1] + y) * f->size[2];
        if (flags & TORRE_ROW_SOURCES)
            add_sources(s, n, row, row_cell + z0, row_cell + z1, row_cell);
        if (flags & TORRE_ROW_RECEIVERS)
            record_receivers(s, n, row, row_cell + z0, row_cell + z1, row_cell);
    }
}

/* The kernel on cells z0 .. z1-1, all of them damped or none. */
static void kernel_call(const torre_cpu_solver *s, int64_t n, int64_t x, int64_t y0, int64_t y1,
                        int64_t z0, int64_t z1, bool damped)
{
    const torre_padded_field *f = &s->field;
    const int64_t width = (int64_t)f->precision, at = torre_padded_index(f, x, y0, z0) * width;
    torre_line line = {
        .next = f->level[(n + 1) & 1] + at,
        .now = f->level[n & 1] + at,
        .rows = y1 - y0,
        .blocks = (z1 - z0 + f->block - 1) / f->block,
    };
    if (f->factor)
        line.factor =
            f->factor + (x * f->factor_plane_pitch + y0 * f->factor_row_pitch + z0) * width;
    if (damped) {
        line.damping_x = s->damping[0] + x * width;
        line.damping_y = s->damping[1] + y0 * width;
        line.damping_z = s->damping[2] + z0 * width;
    }
    s->line(&s->scheme, &line);
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

void torre_cpu_update(const torre_cpu_solver *s, int64_t n, int64_t x, int64_t y0, int64_t y1,
                      int64_t z0, int64_t z1)
{
    bool damped = s->damping[0] && (x < s->damped_low[0] || x >= s->damped_high[0] ||
                                    y0 < s->damped_low[1] || y1 > s->damped_high[1]);
    if (damped || !s->damping[0]) {
        kernel_call(s, n, x, y0, y1, z0, z1, damped);
    } else {
        int64_t low = clamp(s->damped_low[2], z0, z1), high = clamp(s->damped_high[2], low, z1);
        if (z0 < low) kernel_call(s, n, x, y0, y1, z0, low, true);
        if (low < high) kernel_call(s, n, x, y0, y1, low, high, false);
        if (high < z1) kernel_call(s, n, x, y0, y1, high, z1, true);
    }
    if (s->row_flags) row_events(s, n, x, y0, y1, z0, z1);
    torre_padded_refresh(&s->field, (int)((n + 1) & 1), x, y0, y1, z0, z1);
}
