/* Messages from memory of a GPU and to it, where the library that carries them takes that. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/core/device_way.h"

static torre_status mpi_give(torre_rank_path *path, const torre_rank_piece *from, int pieces)
{
    for (int i = 0; i < pieces; i++)
        if (from[i].bytes > 0)
            TORRE_TRY(torre_rank_post(path->ranks, path->rank, from[i].at, from[i].bytes));
    return TORRE_OK;
}

static torre_status mpi_gone(torre_rank_path *path)
{
    return torre_rank_settle(path->ranks, path->rank);
}

static torre_status mpi_take(torre_rank_path *path, const torre_rank_piece *to, int pieces)
{
    for (int i = 0; i < pieces; i++)
        if (to[i].bytes > 0)
            TORRE_TRY(torre_rank_receive(path->ranks, path->rank, to[i].at, to[i].bytes));
    return TORRE_OK;
}

static void mpi_close(torre_rank_path *path) { free(path); }

static void enter(int device)
{
    if (cudaSetDevice(device) != cudaSuccess) cudaGetLastError(); /* the trial finds it */
}

static torre_status mpi_open(const torre_ranks *ranks, int rank, int device, torre_rank_path **path,
                             char why[TORRE_WAY_TEXT])
{
    torre_rank_path *made = calloc(1, sizeof *made);
    *path = NULL;
    if (!made) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for ranks");
    *made = (torre_rank_path){&torre_way_mpi, ranks, rank, device, 0, "MPI, from memory of GPUs"};
    if (!ranks->of_devices)
        snprintf(why, TORRE_WAY_TEXT, "it does not say that it takes memory of GPUs");
    torre_status status = torre_rank_agree(ranks, rank, why);
    if (status || why[0]) {
        mpi_close(made);
        return status;
    }
    ranks->use_device(ranks, enter, device, true);
    status = torre_way_opened(made, path, why);
    ranks->use_device(ranks, enter, device, false);
    return status;
}

const torre_rank_way torre_way_mpi = {.name = "mpi",
                                      .title = "MPI",
                                      .open = mpi_open,
                                      .give = mpi_give,
                                      .gone = mpi_gone,
                                      .take = mpi_take,
                                      .close = mpi_close};
