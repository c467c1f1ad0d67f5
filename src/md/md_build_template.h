/*
 * Building neighbour lists, for one precision and one instruction set (part of md_state_*.c).
 */
#include <omp.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "md/md_stage.h"

/*
 * Append the members of the stage within reach of (x, y, z) to list, which has room for all of them
 * and a vector more; half: only those in later places than self. Returns their number.
 */
#ifdef __AVX512F__
/* Entries are packed in a register: the instruction that packs into memory is slow on Zen 4. */
static int32_t append_near(const torre_stage *stage, TORRE_REAL x, TORRE_REAL y, TORRE_REAL z,
                           TORRE_REAL reach_sq, bool half, int32_t self, TORRE_REAL *rsq,
                           int32_t *list)
{
    (void)rsq;
    int32_t length = 0;
    for (int64_t k = 0; k < stage->count; k += TORRE_LANES) {
        torre_lanes dx = x - *(torre_lanes *)(stage->x + k);
        torre_lanes dy = y - *(torre_lanes *)(stage->y + k);
        torre_lanes dz = z - *(torre_lanes *)(stage->z + k);
        torre_mask near = dx * dx + dy * dy + dz * dz < reach_sq;
#if TORRE_LANES == 8
        unsigned mask = _mm512_movepi64_mask((__m512i)near);
        __m256i member = _mm256_load_si256((const __m256i *)(stage->member + k));
        if (half) mask &= _mm256_cmpgt_epi32_mask(member, _mm256_set1_epi32(self));
        member = _mm256_maskz_compress_epi32((__mmask8)mask, member);
        _mm256_storeu_si256((__m256i *)(list + length), member);
#else
        unsigned mask = _mm512_movepi32_mask((__m512i)near);
        __m512i member = _mm512_load_si512(stage->member + k);
        if (half) mask &= _mm512_cmpgt_epi32_mask(member, _mm512_set1_epi32(self));
        member = _mm512_maskz_compress_epi32((__mmask16)mask, member);
        _mm512_storeu_si512(list + length, member);
#endif
        length += __builtin_popcount(mask);
    }
    return length;
}
#else
/* Distances are computed for whole vectors (into rsq), then members appended without a branch:
 * every one is written, only near ones advance. */
static int32_t append_near(const torre_stage *stage, TORRE_REAL x, TORRE_REAL y, TORRE_REAL z,
                           TORRE_REAL reach_sq, bool half, int32_t self, TORRE_REAL *rsq,
                           int32_t *list)
{
    for (int64_t k = 0; k < stage->count; k += TORRE_LANES) {
        torre_lanes dx = x - *(torre_lanes *)(stage->x + k);
        torre_lanes dy = y - *(torre_lanes *)(stage->y + k);
        torre_lanes dz = z - *(torre_lanes *)(stage->z + k);
        *(torre_lanes *)(rsq + k) = dx * dx + dy * dy + dz * dz;
    }
    const int32_t least = half ? self : -1;
    int32_t length = 0;
    for (int64_t k = 0; k < stage->count; k++) {
        list[length] = stage->member[k];
        length += (rsq[k] < reach_sq) & (stage->member[k] > least);
    }
    return length;
}
#endif

/* Lists of the own particles of a staged bin. */
static bool list_bin(torre_stage *stage, TORRE_REAL reach_sq, bool half, TORRE_REAL *rsq,
                     torre_md_arena *arena, torre_md_lists *lists, double *total)
{
    for (int64_t i = 0; i < stage->own; i++) {
        int32_t *list = torre_md_arena_room(arena, stage->count + TORRE_LIST_PAD);
        if (!list) return false;
        const TORRE_REAL x = stage->x[i];
        const int32_t self = stage->member[i];
        stage->x[i] = stage->x[stage->count]; /* not its own neighbour */
        int32_t length =
            append_near(stage, x, stage->y[i], stage->z[i], reach_sq, half, self, rsq, list);
        stage->x[i] = x;
        for (int pad = 0; pad < TORRE_LIST_PAD; pad++)
            list[length + pad] = stage->member[stage->count];
        torre_md_arena_take(arena, length);
        lists->start[self] = list;
        lists->length[self] = length;
        lists->wraps[self] = stage->wraps;
        *total += length;
    }
    return true;
}

static torre_status state_build(const torre_md_store *store, const torre_bins *bins, bool half,
                                torre_md_lists *lists)
{
    const TORRE_REAL reach_sq = (TORRE_REAL)(bins->reach * bins->reach);
    double total = 0;
    int failed = 0;
#pragma omp parallel num_threads(store->threads) reduction(+ : total) reduction(| : failed)
    {
        torre_stage stage;
        torre_md_arena *arena = &lists->arena[omp_get_thread_num()];
        bool ready = torre_stage_make(bins, &stage);
        TORRE_REAL *rsq = NULL;
        if (ready) rsq = aligned_alloc(64, ((size_t)stage.capacity * sizeof *rsq + 63) / 64 * 64);
        if (!rsq) failed = 1;
        torre_md_arena_rewind(arena);
#pragma omp for schedule(dynamic, 8)
        for (int64_t rank = 0; rank < bins->bins; rank++) {
            if (failed || bins->start[rank] == bins->start[rank + 1]) continue;
            torre_stage_fill(store, bins, rank, &stage);
            if (!list_bin(&stage, reach_sq, half, rsq, arena, lists, &total)) failed = 1;
        }
        free(rsq);
        if (ready) torre_stage_free(&stage);
    }
    if (failed)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for the neighbour lists of %lld particles",
                          (long long)store->count);
    lists->mean_length = (half ? 2 : 1) * total / (double)store->count;
    return TORRE_OK;
}
