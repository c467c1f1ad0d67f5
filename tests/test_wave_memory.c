/* What solvers of the cpu backend allocate is what their programs say, to the byte: the sum of what
 * the library has allocated and not freed, before and after. The linker gives us its calls. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "wave/cpu/backend_cpu.h"
#include "wave_case.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
void __wrap_free(void *memory);

/* What is allocated. */
static struct {
    void *memory;
    int64_t bytes;
} piece[4096];
static int pieces;
static int64_t live;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *note(void *memory, size_t bytes)
{
    pthread_mutex_lock(&lock);
    CHECK(pieces < 4096, "more pieces than this test can count");
    piece[pieces].memory = memory;
    piece[pieces++].bytes = (int64_t)bytes;
    live += (int64_t)bytes;
    pthread_mutex_unlock(&lock);
    return memory;
}

static void forget(const void *memory)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < pieces; i++) {
        if (piece[i].memory != memory) continue;
        live -= piece[i].bytes;
        piece[i] = piece[--pieces];
        break;
    }
    pthread_mutex_unlock(&lock);
}

void *__wrap_malloc(size_t bytes) { return note(__real_malloc(bytes), bytes); }
void *__wrap_calloc(size_t count, size_t bytes)
{
    return note(__real_calloc(count, bytes), count * bytes);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return note(__real_aligned_alloc(alignment, bytes), bytes);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    const int failed = __real_posix_memalign(memory, alignment, bytes);
    if (!failed) note(*memory, bytes);
    return failed;
}
void __wrap_free(void *memory)
{
    if (memory) forget(memory);
    __real_free(memory);
}

enum { LENGTH = 150 }; /* steps: full passes and a lower one */

static void check_memory(const torre_wave_problem *p, const torre_wave_plan *plan, const char *name)
{
    torre_wave_setup *setup;
    torre_wave_program *program;
    torre_wave_solver *solver;
    CHECK_OK(torre_wave_setup_new(p, &setup));
    void *samples = calloc((size_t)(LENGTH * setup->sample_columns) + 1, (size_t)p->precision);
    const int64_t before = live;
    CHECK_OK(torre_wave_cpu.plan(setup, plan, &program));
    const int64_t planned = live, said = torre_wave_program_info(program)->memory_bytes;
    CHECK_OK(torre_wave_cpu.create(program, &solver));
    CHECK(live - planned == said, "%s: %lld bytes are taken, %lld announced", name,
          (long long)(live - planned), (long long)said);
    for (int64_t step = 0; step < p->steps; step += 50)
        CHECK_OK(torre_wave_cpu.advance(solver, 50, samples));
    CHECK(live - planned == said, "%s: %lld bytes after %lld steps, %lld announced", name,
          (long long)(live - planned), (long long)p->steps, (long long)said);
    torre_wave_cpu.destroy(solver);
    CHECK(live == before, "%s: %lld bytes are left", name, (long long)(live - before));
    free(samples);
    torre_wave_setup_free(setup);
}

static void announced(void **state)
{
    (void)state;
    static const torre_wave_plan plans[] = {
        {.engine = TORRE_REFERENCE},
        {.engine = TORRE_STEPWISE, .threads = 2},
        {.engine = TORRE_STEPWISE, .threads = 1, .axes = "zyx"},
        {.engine = TORRE_TORRE, .threads = 2},
        {.engine = TORRE_TORRE, .dts = 2, .tower_height = 32, .threads = 2, .axes = "yzx"},
        {.engine = TORRE_TORRE, .ordering = {.kind = TORRE_HILBERT}, .tower_height = 300}};
    static const torre_point points[] = {{.position = {40, 50, 60}, .amplitude = 1},
                                         {.position = {71, 33, 8}, .amplitude = 1},
                                         {.position = {22, 9, 90}, .amplitude = 1}};
    static const double wavelet[LENGTH];
    static float cells[13 * 17 * 14];
    const torre_array velocity = {TORRE_F32, {13, 17, 14}, cells};
    const torre_array rows = {TORRE_F32, {13, 1, 14}, cells};
    for (int i = 0; i < 13 * 17 * 14; i++) cells[i] = (float)(1500 + i % 100);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int kind = 0; kind < 32; kind++) {
            torre_wave_problem p = wave_case_problem(13, 17, 14, 4);
            char name[96];
            if (kind & 16) p.density_cells = kind & 1 ? &velocity : &rows; /* any numbers will do */
            wave_case_courant(&p, 0.4);
            p.steps = kind & 1 ? LENGTH : 0;
            p.precision = kind & 2 ? TORRE_F32 : TORRE_F64;
            p.velocity_cells = kind & 4 ? &velocity : NULL;
            p.absorbing_width = 3;
            p.absorbing = kind & 2 ? TORRE_PML : TORRE_SPONGE;
            p.face[0][1] = p.face[2][0] = kind & 8 ? TORRE_ABSORBING : TORRE_FREE;
            if (kind % 3) {
                p.sources = p.receivers = points;
                p.source_count = 1;
                p.receiver_count = 3;
                p.wavelet = wavelet;
            }
            snprintf(name, sizeof name, "%s %s, kind %d", torre_engine_name(plans[i].engine),
                     plans[i].axes, kind);
            check_memory(&p, &plans[i], name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(announced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
