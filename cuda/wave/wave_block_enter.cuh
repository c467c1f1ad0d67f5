/*
 * How a block tower enters the grid, as if the step before its first had just ended, and leaves it
 * after its last. Included by wave_block_tower.cuh.
 */

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::load_block(vec (&to)[ZV][NL], const T *field,
                                                                int x, int y)
{
    const int vectors = h.vectors, z_part = h.z_part;
#pragma unroll
    for (int v = 0; v < ZV; v++) {
        const int at = lane() + v * lanes;
        const T *p = field + x * g.stride_x + y * g.stride_y + z_part + at * V;
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
            for (int j = 0; j < R; j++) {
                to[v][i * R + j] = uniform_cells(T(0));
                if (column_inside(x + i, y + j) && at < vectors)
                    to[v][i * R + j] = load_global(p + i * g.stride_x + j * g.stride_y);
            }
    }
}

template <class Kernel>
template <bool CHECKED>
__device__ __forceinline__ void block_tower<Kernel>::store_block(const vec (&from)[ZV][NL],
                                                                 void *field, int x, int y)
{
    if (idle()) return;
    const int64_t step_x = g.stride_x * sizeof(T), step_y = g.stride_y * sizeof(T);
    char *corner =
        (char *)field + x * step_x + y * step_y + (h.z_part + lane() * V) * (int64_t)sizeof(T);
#pragma unroll
    for (int i = 0; i < R; i++) {
        char *line = corner;
#pragma unroll
        for (int j = 0; j < R; j++) {
#pragma unroll
            for (int v = 0; v < ZV; v++)
                if (lane() + v * lanes < h.vectors && (!CHECKED || column_inside(x + i, y + j)))
                    store_vector(line + v * lanes * 16, from[v][i * R + j]);
            line += step_y;
        }
        corner += step_x;
    }
}

template <class Kernel>
template <class Waits>
__device__ __forceinline__ void block_tower<Kernel>::enter(vec (&A)[ZV][NL], vec (&C)[ZV][NL],
                                                           int t, Waits &waits)
{
    const place p = my_place();
    const int x = h.x_tower + R * (t - 1), y = p.y;
    const int block = p.own_row() + X * S::block_bytes;
    const int next = position_after(p, X);
    vec edges[EDGES];
    load_edges(edges, (const T *)g.field[1], x + R * X, y);
    load_block(C, (const T *)g.field[1], x + R * X, y);
    load_block(A, (const T *)g.field[0], x + R + R * next, y);
    waits.own_is_free(*this);
    publish_block(C, block);
    /* edges lie where threads without planes have just written */
    if (WIDE)
        barrier_among<S::active>();
    else
        __syncwarp();
    publish_edges(edges, block);
    if (at_z_face()) {
        if (reverses_vectors())
            mirror_vectors(C, block);
        else
            mirror_lines(block);
    }
    X = next;
    find_sources(x + R + R * X, y);
    if (RACECHECK) sources_found();
    model_fetched(); /* of a block that did not come */
    fetch_model(x + R + R * X, y);
    fetch_damped_lines(x + R + R * X);
    if constexpr (STEADY) {
        if constexpr (HOLDS_K) hold_model(C, x + R + R * X, y);
        find_rows_beside(p, X, t);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::find_rows_beside(const place &p, int X,
                                                                      int t) const
{
    if (!leads()) return;
    place &to = ((place *)(shared() + S::places))[slot()];
    if (p.row + 1 < DB) to.own_up = steady_place(X + 1, p.row + 1, t - h.first_step);
    if (p.row - 1 > -DB) to.own_down = steady_place(X + 1, p.row - 1, t - h.first_step);
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::edge_number(int n, int *side, int *d,
                                                                 int *line)
{
    const int number = lane_of(read_thread()) + n * lanes;
    *side = number / (PV * NL);
    *d = number / NL % PV;
    *line = number % NL;
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::load_edges(vec (&edges)[EDGES], const T *field,
                                                                int x, int y)
{
#pragma unroll
    for (int n = 0; n < EDGES; n++) {
        int side, d, line;
        edge_number(n, &side, &d, &line);
        const int i = line / R, j = line % R;
        int z = h.z_part + (side ? h.vectors + d : d - PV) * V;
        if (z < 0) z += g.n[2];
        if (z >= g.n[2]) z -= g.n[2];
        edges[n] = uniform_cells(T(0));
        if (side < 2 && beside(side) >= 0 && column_inside(x + i, y + j))
            edges[n] = load_global(field + (x + i) * g.stride_x + (y + j) * g.stride_y + z);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::publish_edges(const vec (&edges)[EDGES],
                                                                   int block)
{
#pragma unroll
    for (int n = 0; n < EDGES; n++) {
        int side, d, line;
        edge_number(n, &side, &d, &line);
        if (side < 2 && beside(side) >= 0 && !idle())
            store_shared(block + S::edge_at(side, h.vectors) + d * 16 + line * S::line, edges[n]);
    }
}

template <class Kernel>
__device__ __forceinline__ void block_tower<Kernel>::leave(const vec (&C)[ZV][NL],
                                                           const vec (&A)[ZV][NL], int t)
{
    sources_found(); /* of a block that will not come */
    const place p = my_place();
    refresh();
    const int at = X - p.reach(), x = h.x_tower + R * t + R * X, y = p.y;
    store_block<true>(C, g.field[t & 1], x, y);
    if (at >= 1 && at + 1 < p.length()) store_block<true>(A, g.field[1 - (t & 1)], x, y);
}
