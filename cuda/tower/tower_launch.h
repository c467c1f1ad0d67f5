/*
 * What a launch of towers is told of its pass, whatever they compute: plain data shared by host C
 * and device code.
 */
#ifndef TORRE_TOWER_LAUNCH_H
#define TORRE_TOWER_LAUNCH_H

/* Most blocks of a cluster. */
enum { TORRE_CLUSTER_MOST = 8 };

/* One launch of a tower kernel (one pass of `steps` steps). */
typedef struct torre_tower_launch {
    int steps;       /* NT */
    int half_size;   /* D */
    const int *list; /* towers in traversal order: s, m */
    int tower_count;
    int s_min, s_max, m_min, m_max;
    int parts;     /* blocks along z that share a tower */
    int cluster;   /* so many of them at a time are a cluster; 1: none are */
    int *progress; /* [slots][parts] completed steps; zero at launch */
    char *mailbox; /* [blocks][2 turns][2 sides][2 parities][mailbox_bytes]; zero at launch */
    int *next;     /* items taken so far, by kernels that take them when they are free */
    int *taken;    /* [groups][tower_count + 2] by groups of `parts` blocks, the last one how many
                    * of them but the first are there; zero at launch */
    int blocks;    /* persistent blocks, all co-resident */
} torre_tower_launch;

#endif
