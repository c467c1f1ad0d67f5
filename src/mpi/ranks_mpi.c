#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/rank_meet.h"
#include "core/shared_memory.h"
#include "core/timer.h"
#include "mpi/rank_watch.h"
#include "mpi/ranks_start.h"

/* MPI is entered by one thread at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { TAG = 23, TAG_BEAT, TAG_FAILED, PIECE = 1 << 30 };

/* What was sent to a rank and may not have gone yet. */
typedef struct posted {
    MPI_Request *piece;
    int count, room;
} posted;

static struct {
    const char *program;
    torre_rank_watch watch;
    posted *to; /* [ranks] */
    pthread_t watcher;
    bool watching;                     /* there is that thread, */
    atomic_bool end;                   /* which is to end */
    void (*_Atomic enter)(int device); /* of messages in memory of a device */
    int device;
    int *leader;                          /* [ranks], of torre_ranks */
    bool trying;                          /* whether MPI takes memory of devices, */
    char tried[MPI_MAX_ERROR_STRING + 8]; /* and what it says */
} all;

bool torre_ranks_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    bool several = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *size = getenv(names[i]);
        several = several || (size && atoi(size) > 1);
    }
    return several;
}

/* --- Failures --- */

/* Keep what went wrong here; of a trial (use_device) until that is over. With the lock. */
static void keep(const char *text)
{
    if (all.trying)
        snprintf(all.tried, sizeof all.tried, "%s", text);
    else
        torre_rank_watch_failed(&all.watch, -1, TORRE_ERR_RESOURCE, text);
}

/* What MPI says of itself. With the lock. */
static void check(int code)
{
    char text[MPI_MAX_ERROR_STRING + 8] = "MPI: ";
    int length;
    if (code == MPI_SUCCESS) return;
    if (MPI_Error_string(code, text + 5, &length))
        snprintf(text, sizeof text, "MPI: error %d", code);
    keep(text);
}

/* With the lock. */
static torre_status state(void)
{
    if (all.trying && all.tried[0]) {
        const torre_status status = torre_fail(TORRE_ERR_RESOURCE, "%s", all.tried);
        all.tried[0] = '\0'; /* said once: other messages go on */
        return status;
    }
    return all.watch.status ? torre_fail(all.watch.status, "%s", all.watch.text) : TORRE_OK;
}

/* --- The thread that watches --- */

/* How a rank says that it has failed. */
typedef struct failure {
    int status;
    char text[512];
} failure;

/* Say that this rank is there, and hear who else is. With the lock. */
static void exchange_beats(void)
{
    for (int i = 0; i < all.watch.count; i++) {
        MPI_Request request;
        if (i == all.watch.rank || !torre_ranks_speak(i, all.watch.rank)) continue;
        if (!MPI_Isend(NULL, 0, MPI_BYTE, i, TAG_BEAT, MPI_COMM_WORLD, &request))
            MPI_Request_free(&request);
    }
    torre_rank_watch_second(&all.watch);
}

/* With the lock. */
static void hear(void)
{
    MPI_Status from;
    int there;
    while (!MPI_Iprobe(MPI_ANY_SOURCE, TAG_BEAT, MPI_COMM_WORLD, &there, &from) && there) {
        MPI_Recv(NULL, 0, MPI_BYTE, from.MPI_SOURCE, TAG_BEAT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        all.watch.of[from.MPI_SOURCE].silent = 0;
    }
    while (!MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILED, MPI_COMM_WORLD, &there, &from) && there) {
        failure f;
        char text[sizeof f.text + 8];
        MPI_Recv(&f, sizeof f, MPI_BYTE, from.MPI_SOURCE, TAG_FAILED, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        snprintf(text, sizeof text, "failed: %s", f.text);
        if (from.MPI_SOURCE == 0) /* it knows of another, and says so */
            torre_rank_watch_failed(&all.watch, -1, (torre_status)f.status, f.text);
        else
            torre_rank_watch_failed(&all.watch, from.MPI_SOURCE, (torre_status)f.status, text);
    }
}

/* Of the first rank: the others that compute are not to miss it when it has said what is wrong, and
 * ends. Who is gone need not know. With the lock. */
static void tell_others(void)
{
    static failure f;
    f.status = (int)all.watch.status;
    snprintf(f.text, sizeof f.text, "%.511s", all.watch.text);
    for (int i = 1; i < all.watch.count; i++) {
        MPI_Request request;
        if (i != all.watch.lost &&
            !MPI_Isend(&f, sizeof f, MPI_BYTE, i, TAG_FAILED, MPI_COMM_WORLD, &request))
            MPI_Request_free(&request);
    }
}

/* Who says that something went wrong: the first rank, or the second where the first is missing. */
static bool speaks(void) { return all.watch.rank == (all.watch.lost == 0 ? 1 : 0); }

/*
 * Something went wrong, and whoever waits for a rank knows it. A launcher may kill all a second
 * later: one that goes on computing is ended before.
 */
static void end_soon(double failed_at)
{
    const double seconds = torre_time_now() - failed_at;
    const double grace = !speaks() ? all.watch.limit : all.watch.rank == 0 ? 0.3 : 0;
    if (seconds < grace || atomic_load(&all.end)) return;
    if (speaks()) fprintf(stderr, "%s: %s\n", all.program, all.watch.text);
    exit(TORRE_ERR_RESOURCE); /* which removes what is not complete (torre_program_start) */
}

/* Whether something is on its way from here. With the lock. */
static bool posts(void)
{
    int left = 0;
    for (int i = 0; i < all.watch.count && !all.watch.status; i++) {
        int gone = 0;
        if (all.to[i].count == 0) continue;
        check(MPI_Testall(all.to[i].count, all.to[i].piece, &gone, MPI_STATUSES_IGNORE));
        if (gone) all.to[i].count = 0;
        left += all.to[i].count;
    }
    return left > 0;
}

/* The device of messages is that of the thread that looks after them, too. */
static void enter_device(bool *entered)
{
    void (*enter)(int) = atomic_load(&all.enter);
    if (*entered || !enter) return;
    enter(all.device);
    *entered = true;
}

/* A moment, short while something is on its way, which goes on when somebody looks. */
static void rest(bool on_its_way)
{
    const struct timespec moment = {.tv_nsec = on_its_way ? 50000 : 2000000};
    nanosleep(&moment, NULL);
}

/* Often enough for what is on its way to go on while this rank computes. */
static void *watch_ranks(void *unused)
{
    torre_waking clock = torre_waking_start(torre_time_now());
    double failed_at = 0, look_at = 0, beat_at = 0;
    bool entered = false;
    while (!atomic_load(&all.end)) {
        enter_device(&entered);
        const double now = torre_waking_seconds(&clock, torre_time_now());
        pthread_mutex_lock(&lock);
        if (!all.watch.status) hear(); /* else what is on its way may be gone */
        if (now >= look_at) torre_rank_watch_look(&all.watch);
        if (now >= beat_at && !all.watch.status) exchange_beats();
        if (all.watch.status && failed_at == 0) {
            failed_at = torre_time_now();
            if (all.watch.rank == 0) tell_others();
        }
        const bool some = posts();
        pthread_mutex_unlock(&lock);
        if (now >= look_at) look_at = now + 0.02;
        if (now >= beat_at) beat_at += 1;
        if (failed_at > 0) end_soon(failed_at);
        rest(some);
    }
    return unused;
}

/* --- Messages --- */

/* Seconds after which what a rank has posted is rather not taken yet than on its way. */
static const double eager_s = 0.02;

/* Seconds in which a rank that waits looks all the time: most that it waits for comes soon. */
static const double soon_s = 0.002;

/* Seconds that a message of a trial takes at most. */
static const double trial_s = 20;

/* Look now and then rather than wait in MPI, which would keep a core busy that others need; but
 * what is on its way goes on with every look. */
static void nap(bool on_its_way)
{
    const struct timespec moment = {.tv_nsec = 200000};
    if (on_its_way)
        sched_yield();
    else
        nanosleep(&moment, NULL);
}

/* A trial whose messages do not go through. With the lock. */
static void end_trial(double start, bool through)
{
    if (!all.trying || through || torre_time_now() - start < trial_s || all.tried[0]) return;
    keep("MPI: messages do not arrive");
}

static bool make_room(posted *p, int pieces)
{
    if (p->count + pieces <= p->room) return true;
    MPI_Request *piece = realloc(p->piece, (size_t)(p->count + pieces) * sizeof *piece);
    if (!piece) return false;
    p->piece = piece;
    p->room = p->count + pieces;
    return true;
}

static torre_status post(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    posted *p = &all.to[to];
    const char *at = bytes;
    (void)self;
    pthread_mutex_lock(&lock);
    torre_status status = state();
    if (!status && !make_room(p, (int)(count / PIECE + 1)))
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for messages");
    for (; count > 0 && !status; count -= PIECE, at += PIECE) {
        const int now = count < PIECE ? (int)count : PIECE;
        check(MPI_Isend(at, now, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &p->piece[p->count]));
        status = state();
        p->count += !status;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static torre_status settle(const torre_ranks *self, int to)
{
    posted *p = &all.to[to];
    torre_status status = TORRE_OK;
    (void)self;
    const double start = torre_time_now();
    for (int gone = 0; !gone && !status;) {
        pthread_mutex_lock(&lock);
        gone = p->count == 0; /* the watcher looks, too */
        if (!gone) check(MPI_Testall(p->count, p->piece, &gone, MPI_STATUSES_IGNORE));
        if (gone) p->count = 0;
        end_trial(start, gone);
        status = state();
        pthread_mutex_unlock(&lock);
        if (!gone && !status) nap(torre_time_now() - start < eager_s);
    }
    return status;
}

static torre_status send(const torre_ranks *self, int to, const void *bytes, int64_t count)
{
    TORRE_TRY(post(self, to, bytes, count));
    return settle(self, to);
}

/* Whether the next message is what is waited for; another comes where one was not sent, and stays.
 * With the lock. */
static bool fits(const MPI_Status *next, int from, int count)
{
    char text[96];
    int bytes;
    MPI_Get_count(next, MPI_BYTE, &bytes);
    if (bytes == count) return true;
    snprintf(text, sizeof text, "MPI: rank %d sends %d bytes in place of %d", from, bytes, count);
    keep(text);
    return false;
}

/* Never in a call that waits: the sender may be gone in the middle of it. */
static torre_status receive_piece(int from, void *bytes, int count)
{
    MPI_Request request = MPI_REQUEST_NULL;
    torre_status status = TORRE_OK;
    MPI_Status next;
    int begun = 0, there = 0;
    const double start = torre_time_now();
    while (!there && !status) {
        pthread_mutex_lock(&lock);
        if (request == MPI_REQUEST_NULL)
            check(MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &begun, &next));
        if (begun && request == MPI_REQUEST_NULL) begun = fits(&next, from, count);
        if (begun && request == MPI_REQUEST_NULL)
            check(MPI_Irecv(bytes, count, MPI_BYTE, from, TAG, MPI_COMM_WORLD, &request));
        if (begun) check(MPI_Test(&request, &there, MPI_STATUS_IGNORE));
        end_trial(start, there);
        status = state();
        pthread_mutex_unlock(&lock);
        if (!there && !status) nap(begun || torre_time_now() - start < soon_s);
    }
    return status;
}

static torre_status receive(const torre_ranks *self, int from, void *bytes, int64_t count)
{
    char *at = bytes;
    (void)self;
    for (; count > 0; count -= PIECE, at += PIECE)
        TORRE_TRY(receive_piece(from, at, count < PIECE ? (int)count : PIECE));
    return TORRE_OK;
}

static torre_status look(const torre_ranks *self)
{
    (void)self;
    pthread_mutex_lock(&lock);
    const torre_status status = state();
    pthread_mutex_unlock(&lock);
    return status;
}

static torre_status failed(const torre_ranks *self, torre_status status)
{
    failure f = {.status = (int)status};
    MPI_Request request;
    (void)self;
    snprintf(f.text, sizeof f.text, "%s", torre_error_text());
    pthread_mutex_lock(&lock);
    if (!all.watch.status) {
        if (all.watch.rank > 0 &&
            !MPI_Isend(&f, sizeof f, MPI_BYTE, 0, TAG_FAILED, MPI_COMM_WORLD, &request))
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        torre_rank_watch_failed(&all.watch, -1, status, f.text);
    }
    pthread_mutex_unlock(&lock);
    return torre_fail(status, "%s", f.text);
}

/* --- Memory of devices --- */

/* Whether MPI says that it takes it. */
static bool takes_devices(void)
{
#ifdef MPIX_CUDA_AWARE_SUPPORT /* 0 or 1 of where this was built: the library knows better */
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* What is said where it does not, and dies of it. */
static char dies[256];

static void die(int number)
{
    (void)number;
    /* nothing helps where that fails, too */
    const ssize_t written = write(STDERR_FILENO, dies, strlen(dies));
    (void)written;
    _exit(TORRE_ERR_RESOURCE);
}

static void use_device(const torre_ranks *self, void (*enter)(int device), int device, bool trial)
{
    static const int number[2] = {SIGSEGV, SIGBUS};
    static struct sigaction before[2];
    struct sigaction telling = {.sa_handler = die};
    snprintf(dies, sizeof dies,
             "%s: rank %d: the MPI library says that it takes memory of GPUs, and dies of it: set "
             "TORRE_TRANSPORT=host in the environment\n",
             all.program, self->rank);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2 && trial != all.trying; i++)
        sigaction(number[i], trial ? &telling : &before[i], trial ? &before[i] : NULL);
    all.trying = trial;
    all.tried[0] = '\0';
    all.device = device;
    atomic_store(&all.enter, enter);
    pthread_mutex_unlock(&lock);
}

/* --- Beginning and end --- */

/* Whether ranks of a machine can have memory in common: all try it, with some of the first. */
static bool share_memory(MPI_Comm machine, bool first)
{
    enum { BYTES = 64 };
    struct {
        torre_shared_name name;
        int there;
        char mark[BYTES];
    } offer = {.there = 0};
    char *memory = NULL;
    bool good = torre_rank_meet_shares();
    if (first && good) offer.there = torre_shared_new(BYTES, &memory, &offer.name) == TORRE_OK;
    if (first && offer.there) {
        snprintf(offer.mark, BYTES, "%d %.9f", (int)getpid(), torre_time_now());
        memcpy(memory, offer.mark, BYTES);
    }
    if (MPI_Bcast(&offer, sizeof offer, MPI_BYTE, 0, machine)) good = false;
    good = good && offer.there;
    if (good && !first) good = torre_shared_open(&offer.name, BYTES, &memory) == TORRE_OK;
    good = good && memcmp(memory, offer.mark, BYTES) == 0;
    int own = good, all_of_them = 0;
    if (MPI_Allreduce(&own, &all_of_them, 1, MPI_INT, MPI_MIN, machine)) all_of_them = 0;
    torre_shared_free(memory, BYTES);
    if (first && offer.there) torre_shared_close(&offer.name);
    return all_of_them;
}

/* Leaders of all ranks: those of a machine that share memory have the same first one, `own`. */
static void find_leaders(torre_ranks *ranks, int own)
{
    if (MPI_Allgather(&own, 1, MPI_INT, all.leader, 1, MPI_INT, MPI_COMM_WORLD)) return;
    for (int i = ranks->count - 1; i > 0; i--) /* in a row alone */
        if (all.leader[i] != all.leader[i - 1]) all.leader[i] = i;
    for (int i = 1; i < ranks->count; i++)
        if (all.leader[i] != i) all.leader[i] = all.leader[i - 1];
    all.leader[0] = 0;
    ranks->leader = all.leader;
}

/* Who is on this machine. */
static void meet_neighbours(torre_ranks *ranks)
{
    MPI_Comm machine;
    const long long mine[2] = {ranks->rank, getpid()};
    long long(*there)[2];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &ranks->local);
    MPI_Comm_size(machine, &ranks->locals);
    there = calloc((size_t)ranks->locals, sizeof *there);
    long long nobody[2];
    MPI_Allgather(mine, 2, MPI_LONG_LONG, there ? *there : nobody, there ? 2 : 0, MPI_LONG_LONG,
                  machine);
    for (int i = 0; i < ranks->locals && there; i++)
        torre_rank_watch_process(&all.watch, (int)there[i][0], there[i][1]);
    int first = ranks->rank;
    const bool shared = share_memory(machine, ranks->local == 0);
    if (MPI_Bcast(&first, 1, MPI_INT, 0, machine) || !shared) first = ranks->rank;
    find_leaders(ranks, first);
    free(there);
    MPI_Comm_free(&machine);
}

/*
 * Where something went wrong. The first rank ends all, once it has said so, or the second one where
 * the first is missing; others give it time.
 */
static void end_all(int code)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    const double until = torre_time_now() + all.watch.limit;
    while (!speaks() && torre_time_now() < until) nanosleep(&moment, NULL);
    if (speaks() && all.watch.rank > 0) fprintf(stderr, "%s: %s\n", all.program, all.watch.text);
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void give_up(const torre_ranks *self)
{
    (void)self;
    if (all.watch.rank == 0) fprintf(stderr, "%s: %s\n", all.program, torre_error_text());
    end_all(TORRE_ERR_RESOURCE);
}

torre_status torre_ranks_start(const char *program, torre_ranks *ranks)
{
    int level;
    all.program = program;
    *ranks = (torre_ranks){.count = 1,
                           .locals = 1,
                           .transport = "MPI, through buffers on the host",
                           .who = "ranks of MPI",
                           .what = "rank",
                           .send = send,
                           .receive = receive,
                           .post = post,
                           .settle = settle,
                           .look = look,
                           .use_device = use_device,
                           .failed = failed,
                           .give_up = give_up};
    if (!torre_ranks_started()) return TORRE_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) || level < MPI_THREAD_SERIALIZED)
        return torre_fail(TORRE_ERR_RESOURCE, "this MPI does not go together with threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    all.to = calloc((size_t)ranks->count, sizeof *all.to);
    all.leader = calloc((size_t)ranks->count, sizeof *all.leader);
    if (!all.to || !all.leader || !torre_rank_watch_start(&all.watch, ranks->rank, ranks->count))
        MPI_Abort(MPI_COMM_WORLD, TORRE_ERR_RESOURCE);
    meet_neighbours(ranks);
    ranks->limit_s = all.watch.limit;
    ranks->of_devices = takes_devices();
    all.watching = ranks->count > 1 && pthread_create(&all.watcher, NULL, watch_ranks, NULL) == 0;
    if (ranks->count > 1 && !all.watching) MPI_Abort(MPI_COMM_WORLD, TORRE_ERR_RESOURCE);
    return TORRE_OK;
}

void torre_ranks_end(int code)
{
    int begun, ended;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended) return;
    atomic_store(&all.end, true);
    if (all.watching) pthread_join(all.watcher, NULL);
    if (all.watch.status && all.watch.rank > 0) code = TORRE_ERR_RESOURCE;
    if (all.watch.status && code) end_all(code);
    MPI_Finalize();
    for (int i = 0; i < all.watch.count && all.to; i++) free(all.to[i].piece);
    free(all.to);
    free(all.leader);
    torre_rank_watch_end(&all.watch);
}
