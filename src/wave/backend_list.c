/* The backends of this build; the only file that knows whether CUDA is there. */
#include <stdio.h>
#include <string.h>

#include "wave/backend_cpu.h"
#include "wave/wave.h"

#ifdef TORRE_HAVE_CUDA
extern const torre_wave_backend torre_wave_cuda;
#endif

const torre_wave_backend *const torre_wave_backends[] = {
#ifdef TORRE_HAVE_CUDA
    &torre_wave_cuda,
#endif
    &torre_wave_cpu,
    NULL,
};

torre_status torre_wave_backend_find(const char *name, const torre_wave_plan *plan,
                                     const torre_wave_backend **backend)
{
    char why[256] = "no backend in this build";
    bool any = strcmp(name, "auto") == 0;
    for (int i = 0; torre_wave_backends[i]; i++) {
        if (!any && strcmp(name, torre_wave_backends[i]->name) != 0) continue;
        if (torre_wave_backends[i]->available(plan, why, sizeof why)) {
            *backend = torre_wave_backends[i];
            return TORRE_OK;
        }
        if (!any)
            return torre_fail(TORRE_ERR_RESOURCE, "--backend %s is not available: %s", name, why);
    }
    if (any) return torre_fail(TORRE_ERR_RESOURCE, "no backend is available: %s", why);
    if (strcmp(name, "cuda") == 0)
        return torre_fail(TORRE_ERR_RESOURCE,
                          "--backend cuda is not in this build; configure with -DTORRE_CUDA=ON "
                          "where the CUDA toolkit is installed, or use --backend cpu");
    return torre_fail(TORRE_ERR_USAGE, "--backend must be auto, cpu or cuda (got %s)", name);
}
