#include "roofline/cuda_probe.h"

#include <stdio.h>
#include <string.h>

#ifdef TORRE_HAVE_CUDA
void torre_cuda_probe_device(int device,
                             torre_cuda_probe *probe); /* cuda/roofline/ceilings_probe.cu */
#endif

const char *torre_cuda_state_name(torre_cuda_state state)
{
    static const char *const name[] = {
        "works",          "not built",          "no driver",         "driver too old", "no device",
        "no such device", "wrong architecture", "too little memory", "broken"};
    return name[state];
}

#ifndef TORRE_HAVE_CUDA
/* The driver's version from "NVRM version: NVIDIA UNIX ... Kernel Module  550.54.14  ...". */
static int driver_version(char *version)
{
    char line[256];
    int found = 0;
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (!f) return 0;
    if (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "Module");
        found = at && sscanf(at + 6, "%31s", version) == 1;
    }
    fclose(f);
    return found;
}
#endif

void torre_cuda_probe_run(int device, torre_cuda_probe *probe)
{
    memset(probe, 0, sizeof *probe);
#ifdef TORRE_HAVE_CUDA
    torre_cuda_probe_device(device, probe);
    probe->here = probe->state != TORRE_CUDA_NO_DRIVER;
#else
    char version[32];
    (void)device;
    probe->state = TORRE_CUDA_NOT_BUILT;
    probe->here = driver_version(version);
    if (probe->here)
        snprintf(probe->text, sizeof probe->text,
                 "not in this build, but NVIDIA driver %s is here: install the CUDA toolkit and "
                 "configure with -DTORRE_CUDA=ON to use the GPU",
                 version);
    else
        snprintf(probe->text, sizeof probe->text,
                 "not in this build, and no NVIDIA driver is here (-DTORRE_CUDA=ON builds it where "
                 "the CUDA toolkit is installed)");
#endif
}
