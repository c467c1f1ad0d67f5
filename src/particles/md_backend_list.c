/* The particle backends of this build; the only file that knows whether CUDA is there. */
#include <string.h>

#include "core/backend_name.h"
#include "particles/cpu/md_cpu.h"
#include "particles/md.h"
#include "particles/md_reference.h"

#ifdef TORRE_HAVE_CUDA_MD
extern const torre_md_backend torre_md_cuda;
#endif

const torre_md_backend *const torre_md_backends[] = {
#ifdef TORRE_HAVE_CUDA_MD
    &torre_md_cuda,
#endif
    &torre_md_cpu,
    &torre_md_reference,
    NULL,
};

torre_status torre_md_backend_find(const char *name, const torre_md_plan *plan,
                                   const torre_md_backend **backend)
{
    char why[256] = "no backend in this build";
    name = torre_backend_wanted(name, plan ? plan->device : 0);
    const bool any = strcmp(name, "auto") == 0;
    bool met = any;
    for (int i = 0; torre_md_backends[i]; i++) {
        if (!any && strcmp(name, torre_md_backends[i]->name) != 0) continue;
        met = true;
        if (!torre_md_backends[i]->available(plan, why, sizeof why)) continue;
        *backend = torre_md_backends[i];
        return TORRE_OK;
    }
    return torre_backend_refuse(name, "auto, cpu, cuda or reference", met ? why : NULL);
}
