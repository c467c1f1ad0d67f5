/*
 * NCCL, found when a program runs: what of it is used, declared here by its documentation (versions
 * 2.18 to 2.x), so that a build does not need it.
 */
#ifndef TORRE_NCCL_LIBRARY_H
#define TORRE_NCCL_LIBRARY_H

#include <stddef.h>

#include <cuda_runtime_api.h>

typedef struct ncclComm *torre_nccl_comm;
typedef struct torre_nccl_id {
    char internal[128];
} torre_nccl_id;

/* As NCCL 2.18 has it; later ones take what they have beside it as not set. */
typedef struct torre_nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking, cga_cluster_size, least_ctas, most_ctas;
    const char *net_name;
    int split_share;
} torre_nccl_config;

enum { TORRE_NCCL_OK = 0, TORRE_NCCL_UNDERWAY = 7, TORRE_NCCL_BYTE = 1 };

typedef struct torre_nccl {
    int version; /* 22809: 2.28.9 */
    int (*get_version)(int *version);
    int (*get_unique_id)(torre_nccl_id *id);
    int (*comm_init)(torre_nccl_comm *comm, int ranks, torre_nccl_id id, int rank,
                     torre_nccl_config *config);
    int (*comm_state)(torre_nccl_comm comm, int *state);
    int (*comm_abort)(torre_nccl_comm comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, torre_nccl_comm comm,
                cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int peer, torre_nccl_comm comm,
                   cudaStream_t stream);
    const char *(*error_string)(int result);
} torre_nccl;

/* The library, loaded once; NULL where there is none that will do, and why. */
const torre_nccl *torre_nccl_library(char *why, size_t why_size);

/* A configuration whose calls do not wait. */
torre_nccl_config torre_nccl_config_of(int most_ctas);

#endif
