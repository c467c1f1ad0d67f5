/* The backends of this build; the only file that knows whether CUDA and particles are there. */
#include "core/backend.h"
#include "wave/backend.h"
#include "wave/cpu/backend_cpu.h"
#ifdef TORRE_WAVE_ONLY /* cmake/gpu */
#define PARTICLES(backend) NULL
#else
#include "particles/cpu/md_cpu.h"
#include "particles/md_reference.h"
#define PARTICLES(backend) &(backend)
#endif

#ifdef TORRE_HAVE_CUDA
extern const torre_wave_backend torre_wave_cuda;
extern const struct torre_md_backend torre_md_cuda;
#endif

const torre_backend torre_backends[] = {
#ifdef TORRE_HAVE_CUDA
    {"cuda", torre_cuda_available, &torre_wave_cuda, PARTICLES(torre_md_cuda)},
#endif
    {"cpu", NULL, &torre_wave_cpu, PARTICLES(torre_md_cpu)},
    {"reference", NULL, NULL, PARTICLES(torre_md_reference)},
    {0},
};

static bool offers_waves(const torre_backend *b) { return b->wave; }

torre_status torre_wave_backend_find(const char *name, const torre_wave_plan *plan,
                                     const torre_wave_backend **backend)
{
    const torre_backend *found;
    TORRE_TRY(torre_backend_find(name, plan ? plan->device : 0, offers_waves, "auto, cpu or cuda",
                                 &found));
    *backend = found->wave;
    return TORRE_OK;
}

#ifndef TORRE_WAVE_ONLY
static bool offers_particles(const torre_backend *b) { return b->particles; }

torre_status torre_md_backend_find(const char *name, const torre_md_plan *plan,
                                   const torre_md_backend **backend)
{
    const torre_backend *found;
    if (plan && plan->devices && strcmp(name, "auto") == 0) name = "cuda";
    TORRE_TRY(torre_backend_find(name, plan ? plan->device : 0, offers_particles,
                                 "auto, cpu, cuda or reference", &found));
    *backend = found->particles;
    return TORRE_OK;
}
#endif
