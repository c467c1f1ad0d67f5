/* The formats of models, one line each: SOURCE(NAME) is torre_source_NAME of io/sources. */
#ifndef TORRE_SOURCE_LIST_H
#define TORRE_SOURCE_LIST_H

/* clang-format off */
#define TORRE_SOURCE_LIST(SOURCE) \
    SOURCE(npy) \
    SOURCE(h5) \
    SOURCE(segy) \
    SOURCE(raw)
/* clang-format on */

#endif
