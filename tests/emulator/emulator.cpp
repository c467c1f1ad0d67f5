/* Fibers, warps, barriers and blocks (emulator.h). */
#include "emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <vector>

namespace emulator
{

place *now;
dim3 grid_size, block_size;
unsigned cluster_size;

namespace
{

enum {
    WARP = 32,
    STACK = 256 << 10,
    GUARD = 4096,
    COLOUR = 832, /* stacks begin at different lines of the cache */
    BARRIERS = 16,
    BLOCK_MOST = 1024,
    PLACE_BITS = 24 /* of a shared address; blocks of a cluster above */
};
const long SPINS_MOST = 400000000;

struct team;
struct fiber : place {
    void *stack_pointer;
    team *in;
    int number; /* in its team */
    uint64_t value, result;
    int argument, width;
    size_t cluster_barriers; /* passed */
};

/* Lanes that wait for each other: a mask is in one at a time. */
struct gathering {
    meeting what;
    uint32_t mask, arrived;
};

struct warp {
    uint32_t live, ready;
    std::vector<gathering> gatherings;
};

struct gate {
    int wanted; /* threads; 0: all of the team */
    std::vector<int> waiting;
};

struct team { /* a block that has started */
    std::vector<fiber> fibers;
    std::vector<warp> warps;
    gate gates[BARRIERS];
    uint3 index;
    int live;
    uint32_t ready_warps;
    char *stacks = nullptr, *shared = nullptr;
};

struct launch_state {
    const char *name;
    void (*call)(const void *, void *const *);
    const void *kernel;
    void *const *arguments;
    size_t shared;
    std::vector<unsigned> order; /* of blocks */
    std::vector<team *> present; /* started, not finished */
    size_t started;
    void *home; /* stack pointer of who launched */
    long spins;
    std::vector<size_t> clusters; /* threads that have come to barriers of each, so far */
} state;

std::vector<team *> unused;
uint64_t random_state;

uint32_t random_number()
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

fiber *running() { return static_cast<fiber *>(now); }

} // namespace

void fault(const char *what)
{
    const place *p = now;
    fprintf(stderr, "emulator: %s: block (%u %u %u), thread (%u %u %u): %s\n", state.name,
            p->block.x, p->block.y, p->block.z, p->thread.x, p->thread.y, p->thread.z, what);
    abort();
}

namespace
{

/* Save the registers that a function keeps on the stack, and go on where another stack was left. */
extern "C" void emulator_switch(void **save, void *load);
asm(R"(
.text
.type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emulator_switch, .-emulator_switch
)");

void go_to(fiber *to)
{
    fiber *from = running();
    if (from == to) return;
    now = to;
    emulator_switch(&from->stack_pointer, to->stack_pointer);
}

void make_ready(team *b, int number)
{
    b->warps[number / WARP].ready |= 1u << number % WARP;
    b->ready_warps |= 1u << number / WARP;
}

void take_ready(team *b, int number)
{
    warp &w = b->warps[number / WARP];
    w.ready &= ~(1u << number % WARP);
    if (!w.ready) b->ready_warps &= ~(1u << number / WARP);
}

/* The first bit of a mask that is not 0, from bit `from` on, in a circle; any with a seed. */
int next_bit(uint32_t mask, int from)
{
    if (random_state) from = (int)(random_number() % WARP);
    const uint32_t above = from < WARP ? mask >> from << from : 0;
    return __builtin_ctz(above ? above : mask);
}

/* A fiber of the block that can go on, after the one with this number; NULL: none. */
fiber *ready_fiber(team *b, int after)
{
    if (!b->ready_warps) return nullptr;
    int w = after / WARP;
    if (after >= 0 && (b->ready_warps >> w & 1) && !random_state)
        return &b->fibers[(size_t)(w * WARP +
                                   next_bit(b->warps[(size_t)w].ready, after % WARP + 1))];
    w = next_bit(b->ready_warps, after < 0 ? 0 : w + 1);
    return &b->fibers[(size_t)(w * WARP + next_bit(b->warps[(size_t)w].ready, 0))];
}

/* The next of those after it that can; NULL: none up to the last of the block. */
fiber *turn_of(team *b, int after)
{
    for (int w = after / WARP, from = after % WARP + 1; w < (int)b->warps.size(); w++, from = 0) {
        const uint32_t ready = b->warps[(size_t)w].ready, rest = from < WARP ? ready >> from : 0;
        if (rest) return &b->fibers[(size_t)(w * WARP + from + __builtin_ctz(rest))];
    }
    return nullptr;
}

void enter();

char *new_stacks()
{
    const size_t bytes = (size_t)BLOCK_MOST * STACK;
    char *stacks = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        fprintf(stderr, "emulator: no memory for stacks\n");
        abort();
    }
    for (size_t i = 0; i < BLOCK_MOST; i++) mprotect(stacks + i * STACK, GUARD, PROT_NONE);
    return stacks;
}

void start_fiber(team *b, int number)
{
    fiber &f = b->fibers[(size_t)number];
    const unsigned n = (unsigned)number;
    f.thread = {n % block_size.x, n / block_size.x % block_size.y, n / block_size.x / block_size.y};
    f.block = b->index;
    f.lane = number % WARP;
    f.in = b;
    f.number = number;
    f.cluster_barriers = 0;
    char *top = b->stacks + (size_t)(number + 1) * STACK - (size_t)(number * COLOUR % (STACK / 8));
    void **stack = (void **)((uintptr_t)top / 64 * 64);
    *--stack = nullptr; /* so that it is aligned as after a call */
    *--stack = (void *)enter;
    stack -= 6;
    f.stack_pointer = stack;
}

/* The next block of the launch; NULL: all were started. */
team *start_block()
{
    if (state.started == state.order.size()) return nullptr;
    const unsigned which = state.order[state.started++];
    team *b;
    if (unused.empty()) {
        b = new team;
        b->stacks = new_stacks();
    } else {
        b = unused.back();
        unused.pop_back();
    }
    const int threads = (int)(block_size.x * block_size.y * block_size.z);
    b->index = {which % grid_size.x, which / grid_size.x % grid_size.y,
                which / grid_size.x / grid_size.y};
    b->live = threads;
    b->ready_warps = 0;
    b->fibers.resize((size_t)threads);
    b->warps.resize((size_t)((threads + WARP - 1) / WARP));
    for (warp &w : b->warps) {
        w.live = w.ready = 0;
        w.gatherings.clear();
    }
    for (int i = 0; i < threads; i++) {
        start_fiber(b, i);
        b->warps[(size_t)(i / WARP)].live |= 1u << i % WARP;
        make_ready(b, i);
    }
    /* of the size that was asked for, so that an address sanitizer sees who goes beyond, and with
     * not-a-numbers */
    b->shared = (char *)aligned_alloc(1024, (state.shared + 1023) / 1024 * 1024 + 1024);
    memset(b->shared, 0xff, (state.shared + 1023) / 1024 * 1024 + 1024);
    state.present.push_back(b);
    return b;
}

void tell_where_all_wait()
{
    for (const team *b : state.present)
        for (size_t w = 0; w < b->warps.size(); w++) {
            for (const gathering &g : b->warps[w].gatherings)
                fprintf(stderr, "emulator: block %u, warp %zu: lanes %08x of %08x at function %d\n",
                        b->index.x, w, g.arrived, g.mask, (int)g.what);
            if (w == 0)
                for (int k = 0; k < BARRIERS; k++)
                    if (!b->gates[k].waiting.empty())
                        fprintf(stderr, "emulator: block %u: %zu threads of %d at barrier %d\n",
                                b->index.x, b->gates[k].waiting.size(), b->live, k);
        }
}

/* Go on with whoever can, when this fiber cannot. */
void go_on()
{
    fiber *me = running();
    fiber *next = ready_fiber(me->in, me->number);
    for (size_t i = 0; !next && i < state.present.size(); i++)
        next = ready_fiber(state.present[i], -1);
    if (!next)
        if (team *b = start_block()) next = ready_fiber(b, -1);
    if (!next) {
        tell_where_all_wait();
        fault("all threads wait");
    }
    go_to(next);
}

uint64_t shuffled(const team *b, const gathering &g, int first, const fiber &me)
{
    const int start = me.lane / me.width * me.width;
    int from = me.lane;
    if (g.what == SHUFFLE) from = start + (me.argument & (me.width - 1));
    if (g.what == SHUFFLE_UP && me.lane - me.argument >= start) from = me.lane - me.argument;
    if (g.what == SHUFFLE_DOWN && me.lane + me.argument < start + me.width)
        from = me.lane + me.argument;
    if (g.what == SHUFFLE_XOR) from = me.lane ^ me.argument;
    const bool there = from < WARP && g.arrived >> from & 1;
    return there ? b->fibers[(size_t)(first + from)].value : ~(uint64_t)0; /* no number */
}

/* All have come: what each gets. */
void conclude(team *b, int first, const gathering &g)
{
    uint64_t all = 0;
    if (g.what == MIN) all = (uint32_t)INT32_MAX;
    for (uint32_t left = g.arrived; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t value = b->fibers[(size_t)(first + lane)].value;
        if (g.what == MIN)
            all = (int32_t)value < (int32_t)all ? (uint32_t)value : all;
        else if (g.what == OR)
            all |= value;
        else if (value)
            all |= 1u << lane;
    }
    if (g.what == ANY) all = all != 0;
    if (g.what == ALL) all = all == g.arrived;
    for (uint32_t left = g.arrived; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        fiber &f = b->fibers[(size_t)(first + lane)];
        f.result = g.what <= SHUFFLE_XOR ? shuffled(b, g, first, f) : all;
        make_ready(b, first + lane);
    }
    state.spins = 0;
}

/* Conclude gatherings that nobody is missing in, with lanes that have ended counted out. */
void look_at_gatherings(team *b, int number)
{
    warp &w = b->warps[(size_t)(number / WARP)];
    for (size_t i = 0; i < w.gatherings.size();) {
        const gathering g = w.gatherings[i];
        if ((g.mask & w.live & ~g.arrived) == 0) {
            w.gatherings.erase(w.gatherings.begin() + (long)i);
            conclude(b, number / WARP * WARP, g);
        } else
            i++;
    }
}

void look_at_gates(team *b)
{
    for (gate &g : b->gates) {
        const int wanted = g.wanted ? g.wanted : b->live;
        if (g.waiting.empty() || (int)g.waiting.size() < wanted) continue;
        for (int number : g.waiting) make_ready(b, number);
        g.waiting.clear();
        state.spins = 0;
    }
}

/* The life of a fiber. */
void enter()
{
    state.call(state.kernel, state.arguments);
    fiber *me = running();
    team *b = me->in;
    take_ready(b, me->number);
    b->warps[(size_t)(me->number / WARP)].live &= ~(1u << me->lane);
    b->live--;
    state.spins = 0;
    look_at_gatherings(b, me->number);
    look_at_gates(b);
    if (b->live == 0) {
        for (size_t i = 0; i < state.present.size(); i++)
            if (state.present[i] == b) {
                state.present.erase(state.present.begin() + (long)i);
                break;
            }
        free(b->shared);
        unused.push_back(b); /* nobody starts in it before this fiber has gone */
        fiber *next = nullptr;
        for (size_t i = 0; !next && i < state.present.size(); i++)
            next = ready_fiber(state.present[i], -1);
        if (!next && state.present.empty() && state.started == state.order.size()) {
            void *nowhere;
            emulator_switch(&nowhere, state.home);
        }
        if (!next) { /* not in the stacks of this team */
            unused.pop_back();
            team *more = start_block();
            unused.push_back(b);
            if (!more) {
                tell_where_all_wait();
                fault("all threads wait");
            }
            next = ready_fiber(more, -1);
        }
        void *nowhere;
        now = next;
        emulator_switch(&nowhere, next->stack_pointer);
    }
    go_on();
    abort(); /* nobody comes back here */
}

} // namespace

uint64_t meet(meeting what, uint32_t mask, uint64_t value, int argument, int width)
{
    fiber *me = running();
    team *b = me->in;
    warp &w = b->warps[(size_t)(me->number / WARP)];
    const uint32_t bit = 1u << me->lane;
    if (!(mask & bit)) fault("the mask of a function of a warp is without the caller");
    me->value = value;
    me->argument = argument;
    me->width = width;
    gathering *found = nullptr;
    for (gathering &g : w.gatherings)
        if (g.mask & mask & w.live) {
            if (g.mask != mask) fault("lanes of a warp meet with different masks");
            if (g.what != what) fault("lanes of a warp are at different functions");
            found = &g;
        }
    if (!found) {
        w.gatherings.push_back({what, mask, 0});
        found = &w.gatherings.back();
    }
    found->arrived |= bit;
    if ((mask & w.live & ~found->arrived) == 0)
        look_at_gatherings(b, me->number);
    else {
        take_ready(b, me->number);
        go_on();
    }
    return me->result;
}

void barrier(int which, int threads)
{
    fiber *me = running();
    team *b = me->in;
    gate &g = b->gates[which];
    if (!g.waiting.empty() && g.wanted != threads) fault("a barrier of two sizes");
    g.wanted = threads;
    g.waiting.push_back(me->number);
    take_ready(b, me->number);
    look_at_gates(b);
    if (!(b->warps[(size_t)(me->number / WARP)].ready >> me->lane & 1)) go_on();
}

void spin()
{
    fiber *me = running();
    if (++state.spins > SPINS_MOST) {
        tell_where_all_wait();
        fault("threads wait for what nobody does");
    }
    fiber *next = nullptr;
    if (random_state) { /* of any block, or of one more */
        const size_t which = random_number() % (state.present.size() + 1);
        team *b = which < state.present.size() ? state.present[which] : start_block();
        if (b) next = ready_fiber(b, -1);
        if (!next) next = me;
    } else
        next = turn_of(me->in, me->number);
    if (!next) { /* once through the team */
        size_t at = 0;
        while (state.present[at] != me->in) at++;
        if (state.present.size() > at + 1)
            next = ready_fiber(state.present[at + 1], -1);
        else if (team *more = start_block())
            next = ready_fiber(more, -1);
        for (size_t i = 0; !next && i < state.present.size(); i++)
            next = ready_fiber(state.present[i], -1);
    }
    go_to(next);
}

char *shared_memory() { return running()->in->shared; }

uint32_t shared_number(const void *address)
{
    const fiber *me = running();
    const ptrdiff_t at = (const char *)address - me->in->shared;
    if (at < 0 || (size_t)at > state.shared) fault("an address is not in shared memory");
    return (uint32_t)at | (me->block.x % cluster_size) << PLACE_BITS;
}

char *shared_place(uint32_t number)
{
    const fiber *me = running();
    const uint32_t rank = number >> PLACE_BITS, at = number & ((1u << PLACE_BITS) - 1);
    if (at >= state.shared) fault("an address beyond shared memory");
    if (rank == me->block.x % cluster_size) return me->in->shared + at;
    const unsigned wanted = me->block.x / cluster_size * cluster_size + rank;
    for (team *b : state.present)
        if (b->index.x == wanted) return b->shared + at;
    fault("the block of a cluster has gone");
}

uint32_t shared_number_of(uint32_t number, int rank)
{
    return (number & ((1u << PLACE_BITS) - 1)) | (uint32_t)rank << PLACE_BITS;
}

void cluster_barrier()
{
    fiber *me = running();
    const size_t which = me->block.x / cluster_size;
    const size_t threads = (size_t)block_size.x * block_size.y * block_size.z * cluster_size;
    me->cluster_barriers++;
    state.clusters[which]++;
    state.spins = 0;
    while (state.clusters[which] < me->cluster_barriers * threads) spin();
}

void run(const char *name, void (*call)(const void *, void *const *), const void *kernel,
         void *const *arguments, dim3 grid, dim3 block_threads, unsigned cluster, size_t shared)
{
    const char *seed = getenv("EMULATOR_SEED");
    if (seed && !random_state) random_state = (uint64_t)atoll(seed);
    state.name = name;
    state.call = call;
    state.kernel = kernel;
    state.arguments = arguments;
    state.shared = shared;
    state.started = 0;
    state.spins = 0;
    grid_size = grid;
    block_size = block_threads;
    cluster_size = cluster;
    state.clusters.assign(grid.x / cluster + 1, 0);
    state.order.resize((size_t)grid.x * grid.y * grid.z);
    for (size_t i = 0; i < state.order.size(); i++) state.order[i] = (unsigned)i;
    for (size_t i = state.order.size(); random_state && cluster == 1 && i > 1; i--) {
        const size_t other = random_number() % i;
        const unsigned kept = state.order[i - 1];
        state.order[i - 1] = state.order[other];
        state.order[other] = kept;
    }
    now = ready_fiber(start_block(), -1);
    emulator_switch(&state.home, running()->stack_pointer);
    now = nullptr;
}

} // namespace emulator
