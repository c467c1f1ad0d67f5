/* Backends by name, as the lists of those of waves, particles and fluids find them. */
#ifndef TORRE_BACKEND_NAME_H
#define TORRE_BACKEND_NAME_H

#include "core/status.h"

/* The name to look for: auto is cuda where `device`, above 0, names a GPU. */
const char *torre_backend_wanted(const char *name, int device);

/*
 * Fails. With `why`, where one of that name is there but cannot be used; otherwise it is cuda in a
 * build without it (TORRE_ERR_RESOURCE), or no name of a backend (TORRE_ERR_USAGE; legal: "auto,
 * cpu or cuda").
 */
torre_status torre_backend_refuse(const char *name, const char *legal, const char *why);

#endif
