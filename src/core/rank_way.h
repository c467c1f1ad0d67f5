/*
 * Ways for bytes from memory of a device to that of another rank (ranks.h), past copies on the
 * host. A path is such a way between two ranks that have tried it: both are open, or none is.
 */
#ifndef TORRE_RANK_WAY_H
#define TORRE_RANK_WAY_H

#include "core/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_WAY_TEXT = 200 };

typedef struct torre_rank_way torre_rank_way;

/* Bytes in memory of a device. */
typedef struct torre_rank_piece {
    char *at;
    int64_t bytes;
} torre_rank_piece;

enum { TORRE_WAY_PIECES = 4 }; /* that go together, at most */

/* Every path starts with this; the rest is private to its way. */
typedef struct torre_rank_path {
    const torre_rank_way *way;
    const torre_ranks *ranks;
    int rank;     /* the other */
    int device;   /* this one's */
    int patience; /* seconds in which the other takes what was given; 0: while it lives */
    char text[TORRE_WAY_TEXT]; /* how bytes go, in words */
} torre_rank_path;

/*
 * All functions of both ranks in turn: what one gives the other takes, in pieces of as many bytes,
 * one after another.
 */
struct torre_rank_way {
    const char *name;  /* as TORRE_TRANSPORT of the environment has it: "nccl" */
    const char *title; /* in sentences: "NCCL" */
    bool meets;        /* the device computes nothing while bytes wait for the other rank */
    /* Whether the library that it is of is on this machine; which, or why not. NULL: only a trial
     * tells. */
    bool (*here)(char text[TORRE_WAY_TEXT]);
    /* Try it with a few bytes, with the rank that does the same; NULL, and why, where they do not
     * go that way. TORRE_ERR_RESOURCE: not even messages go. */
    torre_status (*open)(const torre_ranks *ranks, int rank, int device, torre_rank_path **path,
                         char why[TORRE_WAY_TEXT]);
    /* Where bytes that the other gives are to go from now on; NULL: nowhere, and memory that was
     * the place can be freed once both are back. NULL, the function: take says it. */
    torre_status (*place)(torre_rank_path *path, char *const here[2]);
    /* Set off with bytes, which stay as they are until the other has taken them; and wait until
     * what was given has gone. With a place: two pieces. */
    torre_status (*give)(torre_rank_path *path, const torre_rank_piece *from, int pieces);
    torre_status (*gone)(torre_rank_path *path);
    torre_status (*take)(torre_rank_path *path, const torre_rank_piece *to, int pieces);
    /*
     * Both NULL, or in the order of what the device does, for which nobody waits. show: what is in
     * these pieces when the stream has come this far is for the other to look at. It stays so until
     * the stream has come behind the look at what the other shows next, and the memory until the
     * path is closed. look: the stream waits until what the other shows is there, and reads it at
     * these addresses (bytes 0: nowhere). Each show is followed by a look, and before the next one
     * by gone.
     */
    torre_status (*show)(torre_rank_path *path, void *stream, const torre_rank_piece *from,
                         int pieces);
    torre_status (*look)(torre_rank_path *path, void *stream, torre_rank_piece *at, int pieces);
    void (*close)(torre_rank_path *path); /* also after a failure of either; NULL is fine */
};

/* Both ranks: whether either has something against it, `why` (empty: it has not); then it is why of
 * both. */
torre_status torre_rank_agree(const torre_ranks *ranks, int rank, char why[TORRE_WAY_TEXT]);

/* Both: bytes of each to the other. */
torre_status torre_rank_swap(const torre_ranks *ranks, int rank, const void *own, void *other,
                             int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
