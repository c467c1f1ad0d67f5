#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#include "bench/gather.h"
#include "core/cpu.h"
#include "core/timer.h"

typedef float float4 __attribute__((vector_size(16)));

/* Four bins at a time: four independent chains of additions, so that reading is what takes time. */
static float visit(const gather *g, const int32_t *index)
{
    const float4 *data = (const float4 *)g->data;
    int64_t quads = g->bin_floats / 4, s = 0;
    float4 a = {0}, b = {0}, c = {0}, d = {0};
    for (; s + 4 <= g->stencil; s += 4) {
        const float4 *pa = data + index[s] * quads, *pb = data + index[s + 1] * quads;
        const float4 *pc = data + index[s + 2] * quads, *pd = data + index[s + 3] * quads;
        for (int64_t f = 0; f < quads; f++) {
            a += pa[f];
            b += pb[f];
            c += pc[f];
            d += pd[f];
        }
    }
    for (; s < g->stencil; s++)
        for (int64_t f = 0; f < quads; f++) a += data[index[s] * quads + f];
    a += b + c + d;
    return a[0] + a[1] + a[2] + a[3];
}

/* Every thread takes one contiguous stretch of the path. */
static void gather_once(const gather *g, int threads, float *sums)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t v = 0; v < g->visited; v++) sums[v] = visit(g, g->index + v * g->visit_stride);
}

torre_status gather_run_cpu(const gather *g, int threads, int repeat, gather_result *result)
{
    const torre_cpu *cpu = torre_cpu_get();
    float *sums = malloc((size_t)g->visited * sizeof *sums);
    double *seconds = malloc((size_t)repeat * sizeof *seconds);
    if (!sums || !seconds) {
        free(sums);
        free(seconds);
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for %lld sums", (long long)g->visited);
    }
    gather_once(g, threads, sums);
    for (int r = 0; r < repeat; r++) {
        double start = torre_time_now();
        gather_once(g, threads, sums);
        seconds[r] = torre_time_now() - start;
    }
    gather_statistics(seconds, repeat, result);
    snprintf(result->device, sizeof result->device, "%s, %d thread%s", cpu->name, threads,
             threads > 1 ? "s" : "");
    for (int l = 0; l < 3; l++) result->cache[l] = cpu->cache[l + 1];
    result->line = 64;
    torre_status status = gather_check(g, sums);
    free(sums);
    free(seconds);
    return status;
}
