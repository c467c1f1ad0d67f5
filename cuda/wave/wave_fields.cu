/* Small kernels around the fields: sources of the stepwise engine, receivers, planes, norms. */
#include "wave/interpolation.h"
#include "wave_args.h"

constexpr int THREADS = 256;

static int blocks_for(int64_t count)
{
    const int64_t b = (count + THREADS - 1) / THREADS;
    return (int)(b < 1 ? 1 : b > 4096 ? 4096 : b);
}
#define FOR_EACH(i, count)                                                                         \
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (count);                  \
         i += (int64_t)gridDim.x * blockDim.x)

template <class T>
__global__ void source_values(T *values, const double *weight, int64_t sources,
                              const double *wavelet, int64_t steps)
{
    FOR_EACH(i, sources * steps) values[i] = (T)(weight[i % sources] * wavelet[i / sources]);
}
__device__ __forceinline__ bool is_in(const torre_span &span, int64_t at)
{
    return at >= span.first && at < span.end;
}
template <class T>
__global__ void add_sources(T *field, torre_span span, const int64_t *cell, const T *value,
                            int64_t count)
{
    FOR_EACH(i, count)
    if (is_in(span, cell[i])) field[cell[i]] += value[i]; /* cells are distinct */
}
/*
 * Receivers as traces.c adds them up, one rounding after the other: written again, since the
 * compiler would join these products and sums. A test compares the bits (check_sums). Eight threads
 * take one step of a receiver: a tap along z each, or a node where there are few.
 */
template <class T> struct receiver_values {
    const T *from;
    const int *slots;    /* of the receiver, or NULL */
    const double *scale; /* of its nodes, or NULL */
    __device__ double pressure(T u, int node) const
    {
        return scale ? (double)(T)__dmul_rn((double)u, scale[node]) : (double)u;
    }
    __device__ double at(int64_t offset, int node)
    {
        return pressure(
            from[slots ? (int64_t)slots[offset / TORRE_UNIT] * TORRE_UNIT + offset % TORRE_UNIT
                       : offset],
            node);
    }
};

/* All ones. */
__device__ __forceinline__ bool is_nothing(float u) { return __float_as_uint(u) == ~0u; }
__device__ __forceinline__ bool is_nothing(double u) { return __double_as_longlong(u) == -1; }
template <class T> __device__ T nothing();
template <> __device__ __forceinline__ float nothing<float>() { return __int_as_float(-1); }
template <> __device__ __forceinline__ double nothing<double>() { return __longlong_as_double(-1); }

/* Those of a part, which may be elsewhere. */
template <class T> struct part_values : receiver_values<T> {
    bool single;
    unsigned met; /* bit 0: some that are there, bit 1: some that are not */
    __device__ T value(int64_t offset) const
    {
        const int slot = this->slots[single ? offset : offset / TORRE_UNIT];
        if (slot < 0) return nothing<T>();
        return this->from[single ? slot : (int64_t)slot * TORRE_UNIT + offset % TORRE_UNIT];
    }
    __device__ double at(int64_t offset, int node)
    {
        const T u = value(offset);
        met |= is_nothing(u) ? 2 : 1;
        return this->pressure(u, node);
    }
};

/* What thread `lane` contributes: the product of a node. */
template <class VALUES>
__device__ double plain_product(const torre_device_sum &q, const torre_device_tap *x,
                                VALUES &values, int lane)
{
    const torre_device_tap *y = x + q.count[0], *z = y + q.count[1];
    if (lane >= q.count[0] * q.count[1] * q.count[2]) return 0;
    const int line = lane / q.count[2], i = line / q.count[1], j = line % q.count[1],
              k = lane % q.count[2];
    const double weight = __dmul_rn(__dmul_rn(x[i].weight, y[j].weight), z[k].weight);
    return __dmul_rn(weight, values.at(x[i].offset + y[j].offset + z[k].offset, lane));
}
/* The same of all nodes of a tap along z. */
template <class VALUES>
__device__ double nested_product(const torre_device_sum &q, const torre_device_tap *x,
                                 VALUES &values, int lane)
{
    const torre_device_tap *y = x + q.count[0], *z = y + q.count[1];
    double all = 0;
    if (lane >= q.count[2]) return 0;
    for (int i = 0; i < q.count[0]; i++) {
        const int64_t offset = x[i].offset + z[lane].offset;
        double plane = 0;
#pragma unroll 8
        for (int j = 0; j < q.count[1]; j++)
            plane = __dadd_rn(
                plane, __dmul_rn(y[j].weight, values.at(offset + y[j].offset,
                                                        (i * q.count[1] + j) * q.count[2] + lane)));
        all = __dadd_rn(all, __dmul_rn(x[i].weight, plane));
    }
    return __dmul_rn(z[lane].weight, all);
}

constexpr int SUM_LANES = 8;
static_assert(TORRE_TAPS == SUM_LANES, "a thread for each tap along z");

/* What the lanes of a sum make of it, by all of them. */
template <class VALUES>
__device__ double sum_of(const torre_sums &s, const torre_device_sum &q, VALUES &values, int lane,
                         unsigned together)
{
    const torre_device_tap *x = s.taps + q.tap;
    const double product =
        s.plain ? plain_product(q, x, values, lane) : nested_product(q, x, values, lane);
    const int count = s.plain ? q.count[0] * q.count[1] * q.count[2] : q.count[2];
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = __dadd_rn(sum, __shfl_sync(together, product, i, SUM_LANES));
    return sum;
}
__device__ __forceinline__ unsigned sum_lanes()
{
    return 0xffu << threadIdx.x % 32 / SUM_LANES * SUM_LANES;
}

template <class T> __global__ void sum_receivers(torre_sums s, const T *from, int64_t steps, T *out)
{
    const int lane = threadIdx.x % SUM_LANES;
    const unsigned together = sum_lanes();
    const int64_t all = s.receivers * steps, stride = (int64_t)gridDim.x * blockDim.x / SUM_LANES;
    for (int64_t n = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / SUM_LANES; n < all;
         n += stride) {
        const int64_t r = n / steps, step = n % steps;
        const torre_device_sum q = s.sums[r];
        receiver_values<T> values = {from + step * s.units * TORRE_UNIT,
                                     s.slots ? s.slots + q.slot : nullptr,
                                     s.scales ? s.scales + q.node : nullptr};
        const double sum = sum_of(s, q, values, lane, together);
        if (lane == 0) {
            if (s.number)
                out[step * s.columns + s.number[r]] = (T)sum;
            else
                out[step * s.receivers + r] = (T)sum;
        }
    }
}

/* All values of a receiver of which a part has some. */
template <class T>
__device__ void keep_record(const torre_sums &s, const torre_device_sum &q,
                            const part_values<T> &values, T *to, int lane)
{
    const torre_device_tap *x = s.taps + q.tap, *y = x + q.count[0], *z = y + q.count[1];
    const int plane = q.count[1] * q.count[2];
    for (int node = lane; node < q.count[0] * plane; node += SUM_LANES) {
        const T u = values.value(x[node / plane].offset + y[node % plane / q.count[2]].offset +
                                 z[node % q.count[2]].offset);
        to[node] = is_nothing(u) ? u : (T)values.pressure(u, node);
    }
}
template <class T>
__global__ void sum_parts(torre_sums s, torre_part_room room, const T *from, int64_t first,
                          int64_t steps, T *out)
{
    const int lane = threadIdx.x % SUM_LANES;
    const unsigned together = sum_lanes();
    const int64_t all = s.receivers * steps, stride = (int64_t)gridDim.x * blockDim.x / SUM_LANES,
                  row = s.units * (s.single ? 1 : TORRE_UNIT);
    for (int64_t n = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / SUM_LANES; n < all;
         n += stride) {
        const int64_t r = n / steps, step = first + n % steps;
        const torre_device_sum q = s.sums[r];
        part_values<T> values = {
            {from + step * row, s.slots + q.slot, s.scales ? s.scales + q.node : nullptr},
            s.single,
            0};
        const double sum = sum_of(s, q, values, lane, together);
        unsigned met = 0;
        for (int i = 0; i < SUM_LANES; i++) met |= __shfl_sync(together, values.met, i, SUM_LANES);
        if (lane == 0) out[step * s.receivers + r] = met == 1 ? (T)sum : nothing<T>();
        if (met != 3) continue;
        int record = lane == 0 ? atomicAdd(room.count, 1) : 0;
        record = __shfl_sync(together, record, 0, SUM_LANES);
        if (record >= room.room) continue;
        if (lane == 0) {
            room.which[2 * record] = (int)r;
            room.which[2 * record + 1] = (int)step;
        }
        keep_record(s, q, values, (T *)room.values + record * room.nodes, lane);
    }
}
__device__ __forceinline__ int64_t offset_of(const torre_sums &s, const torre_device_sum &q)
{
    const torre_device_tap *tap = s.taps + q.tap; /* one along each axis */
    return tap[0].offset + tap[1].offset + tap[2].offset;
}
template <class T> __global__ void pick_samples(torre_sums s, const T *from, int64_t steps, T *out)
{
    FOR_EACH(n, s.receivers * steps)
    {
        const torre_device_sum q = s.sums[n % s.receivers];
        const int64_t offset = offset_of(s, q);
        const T *row = from + n / s.receivers * s.units * TORRE_UNIT;
        out[n] =
            row[(int64_t)s.slots[q.slot + offset / TORRE_UNIT] * TORRE_UNIT + offset % TORRE_UNIT];
    }
}
template <class T>
__global__ void pick_cells(const int64_t *cell, int64_t count, const T *from, torre_span span,
                           T *out)
{
    FOR_EACH(i, count)
    if (is_in(span, cell[i])) out[i] = from[cell[i]];
}
template <class T>
__global__ void move_rows(T *array, int64_t stride_x, int64_t stride_y, int64_t stride_z, T *rows,
                          int64_t first, int64_t count, int64_t size_y, int64_t size_z,
                          bool to_array)
{
    FOR_EACH(i, count * size_z)
    {
        const int64_t row = first + i / size_z;
        T *cell = array + row / size_y * stride_x + row % size_y * stride_y + i % size_z * stride_z;
        if (to_array)
            *cell = rows[i];
        else
            rows[i] = *cell;
    }
}

/* blockIdx.z: the box. As few lanes as a line of it along z needs, up to a warp; a thread has
 * several lines on the way at once, since most of them are short. */
constexpr int COPY_THREADS = 256, COPY_LINES = 4;
constexpr int COPY_BLOCKS_X = 64, COPY_BLOCKS_Y = 32;
template <class T> struct copied_levels {
    const T *from[2];
    T *to[2];
};
template <class T>
__global__ void __launch_bounds__(COPY_THREADS)
    copy_boxes(const __grid_constant__ torre_boxes b, const copied_levels<T> f, int64_t stride_x,
               int64_t stride_y)
{
    const int *low = b.low[blockIdx.z], *high = b.high[blockIdx.z];
    int lanes = 32;
    while (lanes > 1 && lanes / 2 >= high[2] - low[2]) lanes /= 2;
    const int rows = COPY_THREADS / lanes, lane = threadIdx.x % lanes, row = threadIdx.x / lanes;
    const int stride = gridDim.y * rows * COPY_LINES;
    for (int x = low[0] + blockIdx.x; x < high[0]; x += gridDim.x)
        for (int y = low[1] + blockIdx.y * rows * COPY_LINES + row; y < high[1]; y += stride)
            for (int z = low[2] + lane; z < high[2]; z += lanes) {
                const int64_t first = x * stride_x + y * stride_y + z;
                T value[COPY_LINES][2] = {};
#pragma unroll
                for (int i = 0; i < COPY_LINES; i++)
                    if (y + i * rows < high[1]) {
                        value[i][0] = f.from[0][first + i * rows * stride_y];
                        value[i][1] = f.from[1][first + i * rows * stride_y];
                    }
#pragma unroll
                for (int i = 0; i < COPY_LINES; i++)
                    if (y + i * rows < high[1]) {
                        f.to[0][first + i * rows * stride_y] = value[i][0];
                        f.to[1][first + i * rows * stride_y] = value[i][1];
                    }
            }
}

template <class T>
__global__ void set_image(T *array, int64_t lines, int64_t size_y, int64_t stride_x,
                          int64_t stride_y, int64_t to, int64_t from, T sign)
{
    FOR_EACH(i, lines)
    {
        T *u = array + i / size_y * stride_x + i % size_y * stride_y;
        u[to] = sign != 0 ? sign * u[from] : 0;
    }
}

template <class T>
__global__ void field_norms(torre_wave_args g, const T *field, torre_device_norms *norms)
{
    double sum = 0, top = 0;
    unsigned long long bad = ~0ull;
    const int64_t rows = (int64_t)g.n[0] * g.n[1];
    for (int64_t row = blockIdx.x * (int64_t)blockDim.y + threadIdx.y; row < rows;
         row += (int64_t)gridDim.x * blockDim.y) {
        const T *u = field + row / g.n[1] * g.stride_x + row % g.n[1] * g.stride_y;
        for (int z = threadIdx.x; z < g.n[2]; z += blockDim.x) {
            const double v = u[z];
            if (isfinite(v)) {
                if (fabs(v) > top) top = fabs(v);
                sum += v * v;
            } else {
                bad = min(bad, (unsigned long long)(row * g.n[2] + z));
            }
        }
    }
    for (int d = 16; d; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        top = fmax(top, __shfl_down_sync(~0u, top, d));
        bad = min(bad, __shfl_down_sync(~0u, bad, d));
    }
    if (threadIdx.x == 0) {
        atomicAdd(&norms->sum, sum);
        atomicMax(&norms->top, (unsigned long long)__double_as_longlong(top));
        atomicMin(&norms->bad, bad);
    }
}

extern "C" cudaError_t torre_wave_probe(void)
{
    cudaFuncAttributes f;
    return cudaFuncGetAttributes(&f, (const void *)field_norms<float>);
}

extern "C" cudaError_t torre_source_values(int precision, void *values, const double *weight,
                                           int64_t source_count, const double *wavelet,
                                           int64_t steps, cudaStream_t stream)
{
    const int blocks = blocks_for(source_count * steps);
    if (precision == 4)
        source_values<<<blocks, THREADS, 0, stream>>>((float *)values, weight, source_count,
                                                      wavelet, steps);
    else
        source_values<<<blocks, THREADS, 0, stream>>>((double *)values, weight, source_count,
                                                      wavelet, steps);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_add_sources(int precision, void *field, const torre_span *span,
                                         const int64_t *cell, const void *value, int64_t count,
                                         cudaStream_t stream)
{
    if (precision == 4)
        add_sources<<<blocks_for(count), THREADS, 0, stream>>>((float *)field, *span, cell,
                                                               (const float *)value, count);
    else
        add_sources<<<blocks_for(count), THREADS, 0, stream>>>((double *)field, *span, cell,
                                                               (const double *)value, count);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_sum_receivers(int precision, const torre_sums *sums, const void *from,
                                           int64_t steps, void *out, cudaStream_t stream)
{
    const int blocks = blocks_for(sums->receivers * steps * SUM_LANES);
    if (precision == 4)
        sum_receivers<<<blocks, THREADS, 0, stream>>>(*sums, (const float *)from, steps,
                                                      (float *)out);
    else
        sum_receivers<<<blocks, THREADS, 0, stream>>>(*sums, (const double *)from, steps,
                                                      (double *)out);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_sum_parts(int precision, const torre_sums *sums,
                                       const torre_part_room *room, const void *from, int64_t first,
                                       int64_t steps, void *out, cudaStream_t stream)
{
    const int blocks = blocks_for(sums->receivers * steps * SUM_LANES);
    if (precision == 4)
        sum_parts<<<blocks, THREADS, 0, stream>>>(*sums, *room, (const float *)from, first, steps,
                                                  (float *)out);
    else
        sum_parts<<<blocks, THREADS, 0, stream>>>(*sums, *room, (const double *)from, first, steps,
                                                  (double *)out);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_pick_samples(int precision, const torre_sums *sums, const void *from,
                                          int64_t steps, void *out, cudaStream_t stream)
{
    const int blocks = blocks_for(sums->receivers * steps);
    if (precision == 4)
        pick_samples<<<blocks, THREADS, 0, stream>>>(*sums, (const float *)from, steps,
                                                     (float *)out);
    else
        pick_samples<<<blocks, THREADS, 0, stream>>>(*sums, (const double *)from, steps,
                                                     (double *)out);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_pick_cells(int precision, const int64_t *cell, int64_t count,
                                        const void *from, const torre_span *span, void *out,
                                        cudaStream_t stream)
{
    const int blocks = blocks_for(count);
    if (precision == 4)
        pick_cells<<<blocks, THREADS, 0, stream>>>(cell, count, (const float *)from, *span,
                                                   (float *)out);
    else
        pick_cells<<<blocks, THREADS, 0, stream>>>(cell, count, (const double *)from, *span,
                                                   (double *)out);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_move_rows(int precision, void *array, const int64_t stride[3],
                                       void *rows, int64_t first, int64_t count, int64_t size_y,
                                       int64_t size_z, bool to_array, cudaStream_t stream)
{
    const int blocks = blocks_for(count * size_z);
    if (precision == 4)
        move_rows<<<blocks, THREADS, 0, stream>>>((float *)array, stride[0], stride[1], stride[2],
                                                  (float *)rows, first, count, size_y, size_z,
                                                  to_array);
    else
        move_rows<<<blocks, THREADS, 0, stream>>>((double *)array, stride[0], stride[1], stride[2],
                                                  (double *)rows, first, count, size_y, size_z,
                                                  to_array);
    return cudaGetLastError();
}

template <class T>
static void launch_copy(const torre_wave_args *g, const torre_boxes *boxes, void *const from[2],
                        void *const to[2], cudaStream_t stream)
{
    const copied_levels<T> levels = {{(const T *)from[0], (const T *)from[1]},
                                     {(T *)to[0], (T *)to[1]}};
    copy_boxes<<<dim3(COPY_BLOCKS_X, COPY_BLOCKS_Y, boxes->count), COPY_THREADS, 0, stream>>>(
        *boxes, levels, g->stride_x, g->stride_y);
}
extern "C" cudaError_t torre_copy_boxes(int precision, const torre_wave_args *args,
                                        const torre_boxes *boxes, void *const from[2],
                                        void *const to[2], cudaStream_t stream)
{
    if (boxes->count == 0) return cudaSuccess;
    if (precision == 4)
        launch_copy<float>(args, boxes, from, to, stream);
    else
        launch_copy<double>(args, boxes, from, to, stream);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_set_image(int precision, void *array, const int64_t size[2],
                                       const int64_t stride[2], int64_t to, int64_t from, int sign,
                                       cudaStream_t stream)
{
    const int64_t lines = size[0] * size[1];
    const int blocks = blocks_for(lines);
    if (precision == 4)
        set_image<<<blocks, THREADS, 0, stream>>>((float *)array, lines, size[1], stride[0],
                                                  stride[1], to, from, (float)sign);
    else
        set_image<<<blocks, THREADS, 0, stream>>>((double *)array, lines, size[1], stride[0],
                                                  stride[1], to, from, (double)sign);
    return cudaGetLastError();
}

extern "C" cudaError_t torre_field_norms(int precision, const torre_wave_args *args,
                                         const void *field, torre_device_norms *norms,
                                         cudaStream_t stream)
{
    const torre_device_norms start = {0, 0, ~0ull};
    cudaError_t e = cudaMemcpyAsync(norms, &start, sizeof start, cudaMemcpyHostToDevice, stream);
    if (e) return e;
    const dim3 block(32, 8);
    if (precision == 4)
        field_norms<<<1024, block, 0, stream>>>(*args, (const float *)field, norms);
    else
        field_norms<<<1024, block, 0, stream>>>(*args, (const double *)field, norms);
    return cudaGetLastError();
}
