#include "core/backend.h"

#include <string.h>

bool torre_backend_is_auto(const char *name, int device)
{
    return device <= 0 && strcmp(name, "auto") == 0;
}

bool torre_backend_available(const torre_backend *backend, int device, char *why, size_t why_size)
{
    return !backend->available || backend->available(device, why, why_size);
}

torre_status torre_backend_find(const char *name, int device, torre_backend_offers *offers,
                                const char *legal, const torre_backend **backend)
{
    char why[256] = "no backend in this build";
    const bool any = torre_backend_is_auto(name, device);
    if (strcmp(name, "auto") == 0 && !any) name = "cuda";
    bool met = any;
    for (const torre_backend *b = torre_backends; b->name; b++) {
        if (!offers(b) || (!any && strcmp(name, b->name) != 0)) continue;
        met = true;
        if (!torre_backend_available(b, device, why, sizeof why)) continue;
        *backend = b;
        return TORRE_OK;
    }
    if (met) return torre_fail(TORRE_ERR_RESOURCE, "{backend} %s is not available: %s", name, why);
    if (strcmp(name, "cuda") == 0)
        return torre_fail(
            TORRE_ERR_RESOURCE,
            "no GPU can be used ({backend} cuda, {device}): CUDA is not in this build; "
            "configure with -DTORRE_CUDA=ON where the CUDA toolkit is installed, or "
            "use {backend} cpu alone");
    return torre_fail(TORRE_ERR_USAGE, "{backend} must be %s (got %s)", legal, name);
}
