#include "core/backend_name.h"

#include <string.h>

const char *torre_backend_wanted(const char *name, int device)
{
    return device > 0 && strcmp(name, "auto") == 0 ? "cuda" : name;
}

torre_status torre_backend_refuse(const char *name, const char *legal, const char *why)
{
    if (why) return torre_fail(TORRE_ERR_RESOURCE, "{backend} %s is not available: %s", name, why);
    if (strcmp(name, "cuda") == 0)
        return torre_fail(
            TORRE_ERR_RESOURCE,
            "no GPU can be used ({backend} cuda, {device}): CUDA is not in this build; "
            "configure with -DTORRE_CUDA=ON where the CUDA toolkit is installed, or "
            "use {backend} cpu alone");
    return torre_fail(TORRE_ERR_USAGE, "{backend} must be %s (got %s)", legal, name);
}
