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
    if (d->nccl_text[0])
        fprintf(out, "            between ranks: %s%s\n", d->nccl ? "" : "no NCCL: ", d->nccl_text);
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

static const torre_sweep_point *find_rate(const torre_doctor_rates *r, int order,
                                          torre_engine engine)
{
    for (int i = 0; i < r->count; i++)
        if (r->point[i].order == order && r->point[i].plan.engine == engine &&
            r->point[i].state == TORRE_POINT_TIMED)
            return &r->point[i];
    return NULL;
}

static void print_rate(FILE *out, const torre_sweep_point *p)
{
    if (p)
        fprintf(out, "  %8.2f %8.2f %4.0f %%", p->gcells_per_s, p->bound.gcells_per_s,
                100 * p->fraction);
    else
        fprintf(out, "  %8s %8s %6s", "-", "-", "-");
}

static void print_rates(FILE *out, const torre_doctor_rates *r)
{
    if (r->count == 0) {
        fprintf(out, "\nrates of %s: not measured: %s\n", r->backend, r->missing);
        return;
    }
    fprintf(out, "\n%-8s %5s  %-24s  towers\n", r->backend, "", "one step at a time");
    fprintf(out, "Gcells/s %5s", "order");
    for (int e = 0; e < 2; e++) fprintf(out, "  %8s %8s %6s", "measured", "expected", "share");
    fputs("  limit of the towers\n", out);
    for (int order = 2; order <= 8; order += 2) {
        const torre_sweep_point *towers = find_rate(r, order, TORRE_TORRE);
        fprintf(out, "%8s %5d", "", order);
        print_rate(out, find_rate(r, order, TORRE_STEPWISE));
        print_rate(out, towers);
        fprintf(out, "  %s\n", towers ? torre_ceiling_title(towers->bound.ceiling) : "-");
    }
    fprintf(out,
            "(%lldx%lldx%lld cells, %s; expected: what the ceilings of this machine, as measured a "
            "moment ago,\nallow; roofline has them all, and every tile)\n",
            (long long)r->size[0], (long long)r->size[1], (long long)r->size[2],
            r->precision == TORRE_F32 ? "f32" : "f64");
    if (r->missing[0]) fprintf(out, "(not all were measured: %s)\n", r->missing);
}

/* Words from column `left` on, no line longer than a page is wide. */
static void print_wrapped(FILE *out, const char *text, int left)
{
    enum { WIDTH = 100 };
    int column = left;
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column > left && column + 1 + word > WIDTH) {
            fprintf(out, "\n%*s", left, "");
            column = left;
        }
        column += fprintf(out, "%s%.*s", column > left ? " " : "", word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

static void print_advice(FILE *out, const torre_diagnosis *d)
{
    static const char *const heading[] = {"to do more here", "to go faster here"};
    if (d->advices == 0) fputs("\nnothing to advise: all is installed and set\n", out);
    for (int i = 0; i < d->advices; i++) {
        const torre_advice *a = &d->advice[i];
        if (i == 0 || a->faster != d->advice[i - 1].faster)
            fprintf(out, "\n%s\n", heading[a->faster]);
        fprintf(out, "  %-10s", a->about);
        print_wrapped(out, a->text, 12);
    }
}

void torre_diagnosis_table(FILE *out, const torre_diagnosis *d)
{
    fprintf(out, "torre %s\n%s\n\n", torre_version_text(), torre_build_text());
    print_cpu(out, d);
    print_gpu(out, d);
    print_checks(out, d);
    for (int b = 0; b < TORRE_DOCTOR_BACKENDS; b++)
        if (d->rates[b].backend[0]) print_rates(out, &d->rates[b]);
    print_advice(out, d);
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
