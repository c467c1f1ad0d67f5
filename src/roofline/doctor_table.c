#include "roofline/doctor_table.h"

#include <string.h>

#include "core/numbers.h"

static void print_cpu(FILE *out, const torre_diagnosis *d)
{
    char memory[32], cache[3][32];
    torre_format_bytes((double)d->memory_available, memory, sizeof memory);
    for (int l = 0; l < 3; l++)
        torre_format_bytes((double)d->cache[l + 1], cache[l], sizeof cache[l]);
    fprintf(out, "cpu    yes  %s, %s of memory available\n", d->cpu, memory);
    fprintf(out, "            caches: L1 %s, L2 %s, L3 %s\n", cache[0], cache[1], cache[2]);
}

static void print_gpu(FILE *out, const torre_diagnosis *d)
{
    const torre_cuda_probe *c = &d->cuda;
    bool usable = c->state == TORRE_CUDA_WORKS && d->wave_cuda;
    fprintf(out, "cuda   %s  %s%s%s\n", usable ? "yes" : "no ",
            c->state == TORRE_CUDA_WORKS ? "" : torre_cuda_state_name(c->state),
            c->state == TORRE_CUDA_WORKS ? "" : ": ", c->text);
    if (c->uuid[0]) fprintf(out, "            %s\n", c->uuid);
    if (c->state == TORRE_CUDA_WORKS && !d->wave_cuda)
        fprintf(out, "            wave cannot use it: %s\n", d->wave_cuda_reason);
}

static void print_checks(FILE *out, const torre_diagnosis *d)
{
    fprintf(out, "\n%-8s %-8s %5s %4s  %11s %11s\n", "backend", "engine", "order", "", "difference",
            "allowed");
    for (int i = 0; i < d->checks; i++) {
        const torre_doctor_check *c = &d->check[i];
        fprintf(out, "%-8s %-8s %5d %4s  ", c->backend, torre_engine_name(c->engine), c->order,
                c->precision == TORRE_F32 ? "f32" : "f64");
        if (!c->offered)
            fprintf(out, "not offered: %s\n", c->text);
        else if (c->text[0])
            fprintf(out, "FAILED: %s\n", c->text);
        else
            fprintf(out, "%11.2e %11.2e%s\n", c->difference, c->allowed,
                    c->passed ? "" : "  WRONG");
    }
    fputs("(from the reference engine on the CPU, relative to the start, after 21 steps of noise;\n"
          "allowed: what rounding can explain in the worst case)\n",
          out);
}

void torre_diagnosis_table(FILE *out, const torre_diagnosis *d)
{
    fprintf(out, "torre %s\n%s\n\n", torre_version_text(), torre_build_text());
    print_cpu(out, d);
    print_gpu(out, d);
    print_checks(out, d);
}

torre_status torre_diagnosis_verdict(const torre_diagnosis *d, const char *backend)
{
    if (!d->sound)
        return torre_fail(TORRE_ERR_RESOURCE, "an engine differs from the reference by more than "
                                              "rounding, or could not run");
    if (strcmp(backend, "cuda") != 0) return TORRE_OK;
    if (d->cuda.state != TORRE_CUDA_WORKS)
        return torre_fail(TORRE_ERR_RESOURCE, "no GPU can be used: %s: %s",
                          torre_cuda_state_name(d->cuda.state), d->cuda.text);
    if (!d->wave_cuda)
        return torre_fail(TORRE_ERR_RESOURCE, "no GPU can be used: %s", d->wave_cuda_reason);
    return TORRE_OK;
}
