#define _GNU_SOURCE
#include "core/cpu.h"

#include <ctype.h>
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/timer.h"

static torre_cpu cpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_name(void)
{
    char line[512];
    snprintf(cpu.name, sizeof cpu.name, "CPU");
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value) continue;
        value++;
        while (isspace((unsigned char)*value)) value++;
        size_t n = strcspn(value, "\n");
        snprintf(cpu.name, sizeof cpu.name, "%.*s", (int)n, value);
        break;
    }
    fclose(f);
}

/* First line of a file below cpu0/cache; "" when there is none. */
static void read_line(int index, const char *entry, char *line, int size)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, entry);
    line[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f) return;
    if (!fgets(line, size, f)) line[0] = 0;
    fclose(f);
}

/* Members of a list such as "0-3,8". */
static int count_list(const char *text)
{
    int total = 0, low, high, used;
    while (sscanf(text, "%d%n", &low, &used) == 1) {
        text += used;
        high = low;
        if (*text == '-' && sscanf(text + 1, "%d%n", &high, &used) == 1) text += 1 + used;
        total += high - low + 1;
        if (*text != ',') break;
        text++;
    }
    return total > 0 ? total : 1;
}

static void find_caches(void)
{
    static const int names[4] = {0, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                 _SC_LEVEL3_CACHE_SIZE};
    for (int level = 1; level <= 3; level++) {
        long bytes = sysconf(names[level]);
        cpu.cache[level] = bytes > 0 ? bytes : 0;
        cpu.cache_shared[level] = level == 3 ? cpu.threads : 1;
    }
    for (int index = 0; index < 8; index++) {
        char type[64], level[64], size[64], list[256];
        int64_t kib;
        read_line(index, "type", type, sizeof type);
        read_line(index, "level", level, sizeof level);
        read_line(index, "size", size, sizeof size);
        read_line(index, "shared_cpu_list", list, sizeof list);
        int l = level[0] - '0';
        if (strncmp(type, "Instruction", 11) == 0 || l < 1 || l > 3) continue;
        if (sscanf(size, "%" SCNd64, &kib) == 1 && kib > 0) cpu.cache[l] = kib * 1024;
        cpu.cache_shared[l] = count_list(list);
    }
}

static void find(void)
{
    cpu_set_t set;
    cpu.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof set, &set) == 0) cpu.threads = CPU_COUNT(&set);
    if (cpu.threads < 1) cpu.threads = 1;
    find_name();
    find_caches();
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        cpu.isa = TORRE_ISA_AVX2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
            cpu.isa = TORRE_ISA_AVX512;
    }
#endif
}

const torre_cpu *torre_cpu_get(void)
{
    pthread_once(&once, find);
    return &cpu;
}

void torre_cpu_use_threads(int threads) { omp_set_num_threads(threads); }

const char *torre_isa_name(torre_isa isa)
{
    static const char *const name[] = {"base", "avx2", "avx512"};
    return name[isa];
}

double torre_cpu_clock(void)
{
#if defined(__x86_64__)
    enum { CHAIN = 16 };
    int64_t turns = 200000;
    double best = 0;
    for (int attempt = 0; attempt < 5; attempt++) {
        uint64_t x = 1;
        double start = torre_time_now();
        for (int64_t i = 0; i < turns; i++)
            __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                             "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                             "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                             "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                             : "+r"(x)
                             :
                             : "cc");
        double ghz = (double)CHAIN * (double)turns / (torre_time_now() - start) / 1e9;
        if (ghz > best) best = ghz;
    }
    return best;
#else
    return 0;
#endif
}
