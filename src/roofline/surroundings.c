#include <ctype.h>
#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/search_path.h"
#include "roofline/doctor_advice.h"
#include "roofline/sweep.h"
#include "torre/status.h"
#include "wave/cpu/backend_cpu.h"
#include "wave/tune_file.h"

/* The first line of a file; "" where there is none. */
static void read_line(const char *path, char *line, int size)
{
    line[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f) return;
    if (!fgets(line, size, f)) line[0] = 0;
    fclose(f);
}

/* Nodes of NUMA. */
static int count_memory_nodes(void)
{
    int nodes = 0;
    DIR *folder = opendir("/sys/devices/system/node");
    if (!folder) return 1;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder))
        nodes += strncmp(e->d_name, "node", 4) == 0 && isdigit((unsigned char)e->d_name[4]);
    closedir(folder);
    return nodes > 0 ? nodes : 1;
}

/* A display or 3-D controller of NVIDIA among the PCI devices. */
static bool nvidia_on_bus(void)
{
    bool found = false;
    DIR *folder = opendir("/sys/bus/pci/devices");
    if (!folder) return false;
    for (struct dirent *e = readdir(folder); e && !found; e = readdir(folder)) {
        char path[320], vendor[16], class[16];
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", e->d_name);
        read_line(path, vendor, sizeof vendor);
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", e->d_name);
        read_line(path, class, sizeof class);
        found = strncmp(vendor, "0x10de", 6) == 0 && strncmp(class, "0x03", 4) == 0;
    }
    closedir(folder);
    return found;
}

static bool lacks(const char *part)
{
    char text[32];
    snprintf(text, sizeof text, "without %s", part);
    return strstr(torre_build_text(), text) != NULL;
}

void torre_surroundings_find(int threads, torre_surroundings *s)
{
    char line[128];
    double load;
    *s = (torre_surroundings){
        .hardware_threads = torre_cpu_get()->threads,
        .threads = threads > 0 ? threads : omp_get_max_threads(),
        .memory_nodes = count_memory_nodes(),
        .bound = omp_get_proc_bind() != omp_proc_bind_false,
        .optimised = strncmp(torre_build_text(), "Rel", 3) == 0, /* Release, RelWithDebInfo */
        .no_cuda = lacks("CUDA"),
        .no_mpi = lacks("MPI"),
        .no_segyio = lacks("SEGYIO"),
        .no_hdf5 = lacks("HDF5"),
        .no_freetype = lacks("FREETYPE"),
        .no_ffmpeg = !torre_path_has("ffmpeg"),
        .no_gnuplot = !torre_path_has("gnuplot"),
        .on_bus = nvidia_on_bus(),
    };
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    s->no_huge_pages = strstr(line, "[never]") != NULL;
    read_line("/proc/loadavg", line, sizeof line);
    if (sscanf(line, "%lf", &load) == 1) s->load = load;
}

torre_status torre_surroundings_tuned(int threads, int device, bool cuda, torre_surroundings *s)
{
    static const char *const backends[] = {"cpu", "cuda"};
    const torre_wave_plan plan = {.threads = threads, .device = device};
    char path[4096], name[sizeof((torre_wave_info *)0)->device];
    torre_sweep_setting setting = {.precision = TORRE_F32, .size = {64, 64, 64}};
    torre_tile tile;
    s->tune_off = !torre_tune_path(path, sizeof path) && getenv("TORRE_TUNE");
    s->tune = NULL;
    torre_status status = torre_wave_backend_find(backends[cuda], &plan, &setting.backend);
    if (!status) status = torre_sweep_device(&setting, &plan, name, sizeof name);
    if (status) return status == TORRE_ERR_RESOURCE ? status : TORRE_OK;
    for (int order = 2; order <= 8; order += 2)
        if (torre_tune_tiles(name, order, TORRE_F32, &plan, &tile, 1)) return TORRE_OK;
    s->tune = backends[cuda];
    return TORRE_OK;
}
