/*
 * Building neighbour lists, for one precision and one instruction set (part of md_state_*.c).
 */
#include <math.h>
#include <omp.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "particles/cpu/md_stage.h"

typedef float search_lanes __attribute__((vector_size(TORRE_LANES * sizeof(TORRE_REAL))));
enum { SEARCH_LANES = sizeof(search_lanes) / sizeof(float) };

/*
 * Square of the radius searched: larger than reach by what rounding takes away. Staged coordinates
 * lie within the bins of the stencil, so within reach and an edge and a half of the centre, and
 * each is off by 2^-24 of that; squares and their sum are off by 4 units of 2^-24.
 */
static float search_radius_sq(const torre_bins *bins)
{
    const double unit = 1.0 / (1 << 24);
    const double *size = bins->grid.edge;
    double edge = fmax(size[0], fmax(size[1], size[2]));
    double reach = bins->reach + 2 * sqrt(3) * unit * (bins->reach + 1.5 * edge);
    return (float)(reach * reach * (1 + 8 * unit));
}

/*
 * Append the members of the stage within reach of (x, y, z) to list, which has room for all of them
 * and a vector more; half: only those in later places than self. Returns their number.
 */
#ifdef __AVX512F__
/* Entries are packed in a register: the instruction that packs into memory is slow on Zen 4. */
static int32_t append_near(const torre_stage *stage, float x, float y, float z, float reach_sq,
                           bool half, int32_t self, float *rsq, int32_t *list)
{
    (void)rsq;
    int32_t length = 0;
    for (int64_t k = 0; k < stage->count; k += SEARCH_LANES) {
        search_lanes dx = x - *(search_lanes *)(stage->x + k);
        search_lanes dy = y - *(search_lanes *)(stage->y + k);
        search_lanes dz = z - *(search_lanes *)(stage->z + k);
        __m512 square = (__m512)(dx * dx + dy * dy + dz * dz);
        unsigned mask = _mm512_cmp_ps_mask(square, _mm512_set1_ps(reach_sq), _CMP_LT_OQ);
        __m512i member = _mm512_load_si512(stage->member + k);
        if (half) mask &= _mm512_cmpgt_epi32_mask(member, _mm512_set1_epi32(self));
        member = _mm512_maskz_compress_epi32((__mmask16)mask, member);
        _mm512_storeu_si512(list + length, member);
        length += __builtin_popcount(mask);
    }
    return length;
}
#else
/* Distances are computed for whole vectors (into rsq), then members appended without a branch:
 * every one is written, only near ones advance. */
static int32_t append_near(const torre_stage *stage, float x, float y, float z, float reach_sq,
                           bool half, int32_t self, float *rsq, int32_t *list)
{
    for (int64_t k = 0; k < stage->count; k += SEARCH_LANES) {
        search_lanes dx = x - *(search_lanes *)(stage->x + k);
        search_lanes dy = y - *(search_lanes *)(stage->y + k);
        search_lanes dz = z - *(search_lanes *)(stage->z + k);
        *(search_lanes *)(rsq + k) = dx * dx + dy * dy + dz * dz;
    }
    const int32_t least = half ? self : INT32_MIN; /* places of others may be below 0 */
    int32_t length = 0;
    for (int64_t k = 0; k < stage->count; k++) {
        list[length] = stage->member[k];
        length += (rsq[k] < reach_sq) & (stage->member[k] > least);
    }
    return length;
}
#endif

/* What one thread makes lists with. */
typedef struct lister {
    const torre_md_store *store;
    const torre_bins *bins;
    torre_md_lists *lists;
    torre_md_arena *arena;
    torre_stage stage;
    float *rsq, reach_sq;
    bool half;
    double total; /* of their lengths */
} lister;

/* That list, of particle i of the staged bin. */
static bool list_particle(lister *l, int64_t i, int64_t number)
{
    torre_stage *stage = &l->stage;
    int32_t *list = torre_md_arena_room(l->arena, stage->count + TORRE_LIST_PAD);
    if (!list) return false;
    const float x = stage->x[i];
    stage->x[i] = stage->x[stage->count]; /* not its own neighbour */
    int32_t length = append_near(stage, x, stage->y[i], stage->z[i], l->reach_sq, l->half,
                                 stage->member[i], l->rsq, list);
    stage->x[i] = x;
    for (int pad = 0; pad < TORRE_LIST_PAD; pad++) list[length + pad] = stage->member[stage->count];
    torre_md_arena_take(l->arena, length);
    l->lists->start[number] = list;
    l->lists->length[number] = length;
    l->lists->wraps[number] = stage->wraps;
    l->total += length;
    return true;
}

/* Lists of the own particles of a bin. */
static bool list_bin(lister *l, int64_t rank)
{
    const torre_bins *bins = l->bins;
    bool staged = false;
    for (int64_t m = bins->start[rank]; m < bins->start[rank + 1]; m++) {
        const int32_t self = bins->member[m];
        if (!torre_md_has_list(l->lists, self, l->store->id[self])) continue;
        if (!staged) torre_stage_fill(l->store, l->store->hold, bins, rank, &l->stage);
        staged = true;
        if (!list_particle(l, m - bins->start[rank], self)) return false;
    }
    return true;
}

/* Lists of given particles, from number k on, that are in the bin of the first. */
static bool list_given(lister *l, int64_t k)
{
    const torre_md_lists *lists = l->lists;
    const int64_t rank = l->bins->rank_of[lists->given[k]];
    torre_stage_fill(l->store, l->store->hold, l->bins, rank, &l->stage);
    for (int64_t i = 0; i < l->stage.own && k < lists->given_count; i++)
        if (l->stage.member[i] == lists->given[k] && !list_particle(l, i, l->store->count + k++))
            return false;
    return true;
}

/* Whether given particles of a bin begin. */
static bool begins_bin(const torre_bins *bins, const int32_t *given, int64_t k)
{
    return k == 0 || bins->rank_of[given[k]] != bins->rank_of[given[k - 1]];
}

static torre_status state_build(const torre_md_store *store, const torre_bins *bins, bool half,
                                torre_md_lists *lists)
{
    const float reach_sq = search_radius_sq(bins);
    double total = 0;
    int failed = 0;
#pragma omp parallel num_threads(store->threads) reduction(+ : total) reduction(| : failed)
    {
        lister l = {.store = store, .bins = bins, .lists = lists, .half = half};
        const bool ready = torre_stage_make(bins, &l.stage);
        l.reach_sq = reach_sq;
        l.arena = &lists->arena[omp_get_thread_num()];
        if (ready)
            l.rsq = aligned_alloc(64, ((size_t)l.stage.capacity * sizeof *l.rsq + 63) / 64 * 64);
        if (!l.rsq) failed = 1;
        torre_md_arena_rewind(l.arena);
#pragma omp for schedule(dynamic, 8) nowait
        for (int64_t rank = bins->own[0]; rank < bins->own[1]; rank++)
            if (!failed && !list_bin(&l, rank)) failed = 1;
#pragma omp for schedule(dynamic, 64)
        for (int64_t k = 0; k < lists->given_count; k++)
            if (!failed && begins_bin(bins, lists->given, k) && !list_given(&l, k)) failed = 1;
        total += l.total;
        free(l.rsq);
        if (ready) torre_stage_free(&l.stage);
    }
    if (failed)
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for the neighbour lists of %lld particles",
                          (long long)store->count);
    lists->builds++;
    lists->mean_length = (half ? 2 : 1) * total / (double)(store->count > 0 ? store->count : 1);
    return TORRE_OK;
}
