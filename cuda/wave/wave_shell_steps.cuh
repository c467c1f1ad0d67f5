/*
 * Steps in boxes of the grid, the same as those of the stepwise kernel that goes through the L1
 * cache. Included by wave_stepwise.cuh. Tiles of a box are as long along z as the box needs, up to
 * a warp, and have as many rows as that leaves threads.
 */
constexpr int SHELL_CHUNK = 16; /* cells along x that a block marches over */

struct shell_tiles {
    torre_boxes boxes;
    int lanes[TORRE_BOXES], across[TORRE_BOXES][2]; /* tiles along y and z */
    int first[TORRE_BOXES + 1];                     /* blocks of earlier boxes */
};

template <class T, int R, bool MODEL, bool BOUND>
__global__ void __launch_bounds__(THREADS, stepwise_blocks(R))
    shell_kernel(const __grid_constant__ torre_wave_args g,
                 const __grid_constant__ stencil_weights<T> c,
                 const __grid_constant__ shell_tiles t)
{
    int box = 0, lanes = t.lanes[0];
    while (blockIdx.x >= t.first[box + 1]) lanes = t.lanes[++box];
    const int *low = t.boxes.low[box], *high = t.boxes.high[box], *across = t.across[box];
    const int number = blockIdx.x - t.first[box], rows = THREADS / lanes;
    const int x_first = low[0] + number / across[1] / across[0] * SHELL_CHUNK;
    const int y = low[1] + number / across[1] % across[0] * rows + threadIdx.x / lanes;
    const int z = low[2] + (number % across[1] * lanes + threadIdx.x % lanes) * cells<T>::n;
    if (y >= high[1] || z >= high[2]) return;
    march<T, R, MODEL, BOUND>(g, c, x_first, min(x_first + SHELL_CHUNK, high[0]), y, z);
}

/* See torre_step_kernel. */
template <class T, int R>
cudaError_t shell_launch(const torre_wave_args *args, const torre_boxes *boxes, cudaStream_t stream)
{
    if constexpr (R > TORRE_TOWER_HALF_WIDTH) {
        return cudaErrorInvalidValue; /* beside towers alone */
    } else {
        shell_tiles t = {*boxes};
        for (int i = 0; i < boxes->count; i++) {
            int size[3], lanes = 1;
            for (int a = 0; a < 3; a++) size[a] = boxes->high[i][a] - boxes->low[i][a];
            while (lanes < NARROW_LANES && lanes * cells<T>::n < size[2]) lanes *= 2;
            const int rows = THREADS / lanes, planes = lanes * cells<T>::n;
            t.lanes[i] = lanes;
            t.across[i][0] = (size[1] + rows - 1) / rows;
            t.across[i][1] = (size[2] + planes - 1) / planes;
            t.first[i + 1] = t.first[i] + (size[0] + SHELL_CHUNK - 1) / SHELL_CHUNK *
                                              t.across[i][0] * t.across[i][1];
        }
        const int blocks = t.first[boxes->count];
        if (blocks == 0) return cudaSuccess;
        const stencil_weights<T> c(*args);
        if (args->binding)
            shell_kernel<T, R, true, true><<<blocks, THREADS, 0, stream>>>(*args, c, t);
        else if (args->k)
            shell_kernel<T, R, true, false><<<blocks, THREADS, 0, stream>>>(*args, c, t);
        else
            shell_kernel<T, R, false, false><<<blocks, THREADS, 0, stream>>>(*args, c, t);
        return cudaGetLastError();
    }
}
