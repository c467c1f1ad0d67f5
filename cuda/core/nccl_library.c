#include "cuda/core/nccl_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { LEAST_VERSION = 21800, NEXT_MAJOR = 30000 };

static struct {
    pthread_mutex_t lock;
    bool looked;
    torre_nccl functions;
    char why[160]; /* empty: they are there */
} library = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The name of a function, and where its address goes. */
typedef struct symbol {
    const char *name;
    void **to;
} symbol;

/* Functions and data have addresses of one kind (POSIX), whatever C says. */
#define SYMBOL(name, member)                                                                       \
    {                                                                                              \
        name, (void **)(void *)&n->member                                                          \
    }

static bool find(void *handle, torre_nccl *n, const char **lacking)
{
    const symbol symbols[] = {SYMBOL("ncclGetVersion", get_version),
                              SYMBOL("ncclGetUniqueId", get_unique_id),
                              SYMBOL("ncclCommInitRankConfig", comm_init),
                              SYMBOL("ncclCommGetAsyncError", comm_state),
                              SYMBOL("ncclCommAbort", comm_abort),
                              SYMBOL("ncclGroupStart", group_start),
                              SYMBOL("ncclGroupEnd", group_end),
                              SYMBOL("ncclSend", send),
                              SYMBOL("ncclRecv", receive),
                              SYMBOL("ncclGetErrorString", error_string)};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *symbols[i].to = dlsym(handle, symbols[i].name);
        *lacking = symbols[i].name;
        if (!*symbols[i].to) return false;
    }
    return true;
}

/* It stays loaded: its threads may outlive what it is for. */
static void load(void)
{
    const char *lacking;
    torre_nccl *n = &library.functions;
    void *handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(library.why, sizeof library.why, "%s", dlerror());
        return;
    }
    if (!find(handle, n, &lacking))
        snprintf(library.why, sizeof library.why, "libnccl.so.2 has no %s", lacking);
    else if (n->get_version(&n->version) != TORRE_NCCL_OK)
        snprintf(library.why, sizeof library.why, "libnccl.so.2 does not say its version");
    else if (n->version < LEAST_VERSION || n->version >= NEXT_MAJOR)
        snprintf(library.why, sizeof library.why,
                 "libnccl.so.2 is version %d.%d.%d, 2.18 or a later 2.x is needed",
                 n->version / 10000, n->version / 100 % 100, n->version % 100);
}

const torre_nccl *torre_nccl_library(char *why, size_t why_size)
{
    pthread_mutex_lock(&library.lock);
    if (!library.looked) load();
    library.looked = true;
    pthread_mutex_unlock(&library.lock);
    if (!library.why[0]) return &library.functions;
    snprintf(why, why_size, "%s", library.why);
    return NULL;
}

torre_nccl_config torre_nccl_config_of(int most_ctas)
{
    return (torre_nccl_config){.size = sizeof(torre_nccl_config),
                               .magic = 0xcafebeef,
                               .version = LEAST_VERSION,
                               .blocking = 0,
                               .cga_cluster_size = INT_MIN, /* INT_MIN: not set */
                               .least_ctas = INT_MIN,
                               .most_ctas = most_ctas,
                               .split_share = INT_MIN};
}
