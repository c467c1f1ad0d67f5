/*
 * Orderings as users write them: one help text, one parser, one message, wherever a program takes
 * an ordering of tiles or bins (the grammar is that of torre_ordering_parse).
 */
#ifndef TORRE_ORDERINGS_H
#define TORRE_ORDERINGS_H

#include "core/status.h"
#include "tiling/ordering.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TORRE_ORDERING_LISTED(kind, name, motif2, motif3, text) ", " name

/* The help text of an option that takes orderings, and what there is to add, a string literal. */
#define TORRE_ORDERING_HELP(more)                                                                  \
    (&(TORRE_ORDERING_TABLE(                                                                       \
        TORRE_ORDERING_LISTED) "; NAME:AXES turns it (row-major:kji is "                           \
                               "column-major), hybrid:INNER/OUTER/TILE "                           \
                               "mixes two, strips:WIDTH is for towers" more)[2])

/* Read an ordering; parameter: the name of what is read, for the message of TORRE_ERR_USAGE. */
torre_status torre_ordering_read(const char *parameter, const char *text,
                                 torre_ordering_spec *ordering);

/*
 * The same for a list separated by commas, 1 .. limit orderings, each given once; *count of them
 * are written to ordering[limit].
 */
torre_status torre_orderings_read(const char *parameter, const char *text, int limit,
                                  torre_ordering_spec *ordering, int *count);

/* Refuse an ordering: why, and what is legal. TORRE_ERR_USAGE. */
torre_status torre_ordering_refuse(const char *parameter, const char *text, const char *why);

#ifdef __cplusplus
}
#endif

#endif
