/* The particle backends of this build; the only file that knows whether CUDA is there. */
#include <string.h>

#include "md/md.h"
#include "md/md_cpu.h"
#include "md/md_reference.h"

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
    bool any = strcmp(name, "auto") == 0;
    for (int i = 0; torre_md_backends[i]; i++) {
        if (!any && strcmp(name, torre_md_backends[i]->name) != 0) continue;
        if (torre_md_backends[i]->available(plan, why, sizeof why)) {
            *backend = torre_md_backends[i];
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
    return torre_fail(TORRE_ERR_USAGE, "--backend must be auto, cpu, cuda or reference (got %s)",
                      name);
}
