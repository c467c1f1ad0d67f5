/* The backends of this build; the only file that knows whether CUDA is there. */
#include <string.h>

#include "core/backend_name.h"
#include "wave/backend.h"
#include "wave/cpu/backend_cpu.h"

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
    name = torre_backend_wanted(name, plan ? plan->device : 0);
    const bool any = strcmp(name, "auto") == 0;
    bool met = any;
    for (int i = 0; torre_wave_backends[i]; i++) {
        if (!any && strcmp(name, torre_wave_backends[i]->name) != 0) continue;
        met = true;
        if (!torre_wave_backends[i]->available(plan, why, sizeof why)) continue;
        *backend = torre_wave_backends[i];
        return TORRE_OK;
    }
    return torre_backend_refuse(name, "auto, cpu or cuda", met ? why : NULL);
}
