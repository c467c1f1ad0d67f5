#include "roofline/doctor_advice.h"

#include "core/status.h"
#include <stdarg.h>

typedef struct advice_list {
    torre_advice *advice;
    int count;
} advice_list;

__attribute__((format(printf, 4, 5))) static void add(advice_list *list, bool faster,
                                                      const char *about, const char *format, ...)
{
    va_list values;
    torre_advice *a = &list->advice[list->count++];
    a->faster = faster;
    a->about = about;
    va_start(values, format);
    torre_text_list(a->text, sizeof a->text, format, values);
    va_end(values);
}

static void advise_gpu(const torre_surroundings *s, advice_list *list)
{
    if (s->cuda == TORRE_CUDA_WORKS) return;
    if (s->no_cuda && s->driver)
        add(list, true, "gpu",
            "an NVIDIA GPU and its driver are here, and this build does without: install the CUDA "
            "toolkit and build the preset cuda");
    else if (s->on_bus && !s->driver)
        add(list, true, "gpu",
            "an NVIDIA GPU is here without its driver: install that (Debian: apt install "
            "nvidia-driver)%s",
            s->no_cuda ? ", then the CUDA toolkit, and build the preset cuda" : "");
    else if (!s->no_cuda && s->driver)
        add(list, true, "gpu", "the GPU is not used: see above why, and how to mend it");
}

static void advise_speed(const torre_surroundings *s, advice_list *list)
{
    advise_gpu(s, list);
    if (!s->optimised)
        add(list, true, "build",
            "this build is not optimised: build the preset cpu or cuda, or "
            "-DCMAKE_BUILD_TYPE=Release");
    if (s->threads < s->hardware_threads)
        add(list, true, "threads",
            "runs take %d of %d threads: unset OMP_NUM_THREADS, or give {threads} %d", s->threads,
            s->hardware_threads, s->hardware_threads);
    else if (s->threads > s->hardware_threads)
        add(list, true, "threads",
            "runs take %d threads, and there are %d: towers wait for threads that do not run; set "
            "OMP_NUM_THREADS=%d",
            s->threads, s->hardware_threads, s->hardware_threads);
    if (s->memory_nodes > 1 && !s->bound)
        add(list, true, "binding",
            "memory has %d parts, each near to some of the threads, which may move away from "
            "theirs: set OMP_PROC_BIND=true",
            s->memory_nodes);
    if (s->no_huge_pages)
        add(list, true, "pages",
            "the kernel gives no huge pages: as root, echo madvise "
            ">/sys/kernel/mm/transparent_hugepage/enabled");
    if (s->load > 0.25 * s->hardware_threads)
        add(list, true, "load",
            "the machine was busy in the last minute (load %.1f, %d threads): rates are lower than "
            "they could be, and vary",
            s->load, s->hardware_threads);
    if (s->tune_off)
        add(list, true, "tiles",
            "TORRE_TUNE=off: wave ignores the tiles that roofline {tune} found best");
    else if (s->tune)
        add(list, true, "tiles",
            "no tile was timed on this device: roofline {tune} {backend} %s does it in some "
            "minutes, and wave takes the best from then on",
            s->tune);
}

static void advise_more(const torre_surroundings *s, advice_list *list)
{
    if (s->no_freetype)
        add(list, false, "FreeType",
            "not in this build: pictures have no axes and titles; apt install libfreetype-dev, and "
            "build again");
    if (s->no_segyio)
        add(list, false, "segyio",
            "not in this build: no SEG-Y and SU files; apt install libsegyio-dev, and build again");
    if (s->no_hdf5)
        add(list, false, "HDF5",
            "not in this build: no fields for ParaView (.vtkhdf), no models in .h5; apt install "
            "libhdf5-dev, and build again");
    if (s->no_mpi)
        add(list, false, "MPI",
            "not in this build: runs take one machine, not several (mpirun); apt install "
            "libopenmpi-dev, and build again");
    if (s->no_ffmpeg)
        add(list, false, "ffmpeg", "not on the PATH: no movies ({movie}); apt install ffmpeg");
    if (s->no_gnuplot)
        add(list, false, "gnuplot",
            "not on the PATH: roofline and locality leave scripts and no plots; apt install "
            "gnuplot-nox");
}

int torre_advise(const torre_surroundings *around, torre_advice advice[TORRE_ADVICE_LIMIT])
{
    advice_list list = {advice, 0};
    advise_speed(around, &list);
    advise_more(around, &list);
    return list.count;
}
