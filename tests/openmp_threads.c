/*
 * OpenMP on POSIX threads, just as much of it as libtorre uses: for ThreadSanitizer, which does not
 * see how GCC's own library forks, joins and waits (it is not instrumented), and would report every
 * pair of parallel regions as a race. Here a region starts its threads and joins them.
 * Only in builds with TORRE_SANITIZE=THREADS.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A loop with schedule(dynamic) that threads of a team are in. */
typedef struct loop {
    long next, end, step, chunk;
    struct loop *following;
} loop;

typedef struct team {
    unsigned threads;
    pthread_barrier_t barrier;
    pthread_mutex_t mutex; /* of what follows */
    unsigned long singles; /* single sections entered by their first thread */
    loop *loops;           /* all that the region has had */
} team;

/* What a thread of a team knows of itself. */
typedef struct member {
    team *team;
    int number;
    unsigned long singles; /* single sections passed */
    loop **loop;           /* where the pointer to the next loop is, or will be */
    loop *current;
    void (*region)(void *);
    void *data;
} member;

static _Thread_local member *me;
static pthread_mutex_t atomic_mutex = PTHREAD_MUTEX_INITIALIZER;

int omp_get_thread_num(void) { return me ? me->number : 0; }
int omp_get_num_threads(void) { return me ? (int)me->team->threads : 1; }
static _Thread_local int usual_threads;
void omp_set_num_threads(int threads) { usual_threads = threads; }
int omp_get_max_threads(void)
{
    if (usual_threads > 0) return usual_threads;
    const char *wish = getenv("OMP_NUM_THREADS");
    int threads = wish ? atoi(wish) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return threads > 0 ? threads : 1;
}

static void *run_member(void *argument)
{
    member *outer = me;
    me = argument;
    me->region(me->data);
    me = outer;
    return NULL;
}

void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    team t = {.threads = threads ? threads : (unsigned)omp_get_max_threads()};
    if (me) t.threads = 1; /* nested regions are serial, as by default */
    member *members = calloc(t.threads, sizeof *members);
    pthread_t *handles = calloc(t.threads, sizeof *handles);
    if (!members || !handles) abort();
    pthread_barrier_init(&t.barrier, NULL, t.threads);
    pthread_mutex_init(&t.mutex, NULL);
    for (unsigned i = 0; i < t.threads; i++) {
        members[i] = (member){&t, (int)i, 0, &t.loops, NULL, region, data};
        if (i > 0 && pthread_create(&handles[i], NULL, run_member, &members[i])) abort();
    }
    run_member(&members[0]);
    for (unsigned i = 1; i < t.threads; i++) pthread_join(handles[i], NULL);
    while (t.loops) {
        loop *following = t.loops->following;
        free(t.loops);
        t.loops = following;
    }
    pthread_mutex_destroy(&t.mutex);
    pthread_barrier_destroy(&t.barrier);
    free(members);
    free(handles);
}

void GOMP_barrier(void);
void GOMP_barrier(void)
{
    if (me) pthread_barrier_wait(&me->team->barrier);
}

bool GOMP_single_start(void);
bool GOMP_single_start(void)
{
    if (!me) return true;
    pthread_mutex_lock(&me->team->mutex);
    bool first = me->team->singles == me->singles++;
    if (first) me->team->singles++;
    pthread_mutex_unlock(&me->team->mutex);
    return first;
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *start, long *end);
bool GOMP_loop_nonmonotonic_dynamic_next(long *start, long *end)
{
    loop *l = me->current;
    pthread_mutex_lock(&me->team->mutex);
    bool more = l->step > 0 ? l->next < l->end : l->next > l->end;
    long stop = l->next + l->chunk * l->step;
    if (l->step > 0 ? stop > l->end : stop < l->end) stop = l->end;
    *start = l->next;
    *end = stop;
    if (more) l->next = stop;
    pthread_mutex_unlock(&me->team->mutex);
    return more;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *from,
                                          long *to);
bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *from,
                                          long *to)
{
    pthread_mutex_lock(&me->team->mutex);
    if (!*me->loop) {
        *me->loop = malloc(sizeof **me->loop);
        if (!*me->loop) abort();
        **me->loop = (loop){start, end, step, chunk, NULL};
    }
    me->current = *me->loop;
    me->loop = &me->current->following;
    pthread_mutex_unlock(&me->team->mutex);
    return GOMP_loop_nonmonotonic_dynamic_next(from, to);
}

void GOMP_loop_end_nowait(void);
void GOMP_loop_end_nowait(void) {}
void GOMP_loop_end(void);
void GOMP_loop_end(void) { GOMP_barrier(); }
void GOMP_atomic_start(void);
void GOMP_atomic_start(void) { pthread_mutex_lock(&atomic_mutex); }
void GOMP_atomic_end(void);
void GOMP_atomic_end(void) { pthread_mutex_unlock(&atomic_mutex); }
