/* Block cache-hit ratio of particles after a reorder, and its decay. */
#include "io/file_ending.h"
#include "locality/hit_series.h"
#include "locality/studies.h"

const char *const torre_hits_gases[] = {"ideal", "elastic", "inelastic", NULL};
static const torre_granular_gas gas_kind[] = {TORRE_GRANULAR_IDEAL, TORRE_GRANULAR_ELASTIC,
                                              TORRE_GRANULAR_INELASTIC};
const char *const torre_hits_pairs[] = {"candidates", "contacts", NULL};

static torre_status write_csv(const torre_study *study, const torre_hit_series *h)
{
    for (int i = 0; i < study->count; i++)
        for (int64_t s = 0; s < h->samples; s++)
            TORRE_TRY(torre_study_row(study, study->list[i].name,
                                      (double[]){(double)(s * h->plan.every),
                                                 torre_hit_series_ratio(h, i, s),
                                                 torre_hit_series_speedup(h, i, s)}));
    return TORRE_OK;
}

static void report(torre_study *study, const torre_hit_series *h)
{
    torre_report_integer(study->report, "particles", h->gas.count);
    torre_report_integer(study->report, "cache", h->plan.cache);
    for (int i = 0; i < study->count; i++) {
        torre_report *at = torre_study_report_of(study, i);
        torre_report_integer(at, "reads", h->sample[i][0].reads);
        torre_report_integer(at, "hits", h->sample[i][0].hits);
        torre_report_real(at, "hit_ratio", torre_hit_series_ratio(h, i, 0));
        torre_report_real(at, "speedup", torre_hit_series_speedup(h, i, 0));
        torre_report_real(at, "best_interval", torre_hit_series_interval(h, i));
        torre_report *decay = torre_report_array(at, "decay");
        for (int64_t s = 0; s < h->samples; s++) {
            torre_report *entry = torre_report_object(decay, NULL);
            torre_report_integer(entry, "step", s * h->plan.every);
            torre_report_real(entry, "hit_ratio", torre_hit_series_ratio(h, i, s));
            torre_report_real(entry, "speedup", torre_hit_series_speedup(h, i, s));
        }
    }
}

static void print_table(const torre_study *study, const torre_hit_series *h)
{
    fprintf(study->table, "%lld particles, blocks of %lld, a miss costs %g hits\n",
            (long long)h->gas.count, (long long)h->plan.cache, h->plan.cost);
    fprintf(study->table, "%-28s %10s %10s", "ordering", "hit ratio", "speedup");
    if (h->samples > 1) fprintf(study->table, " %16s %20s", "after the last", "reorder best every");
    fprintf(study->table, "\n");
    for (int i = 0; i < study->count; i++) {
        fprintf(study->table, "%-28s %10.4f %10.2f", study->list[i].name,
                torre_hit_series_ratio(h, i, 0), torre_hit_series_speedup(h, i, 0));
        if (h->samples > 1)
            fprintf(study->table, " %16.4f", torre_hit_series_ratio(h, i, h->samples - 1));
        if (h->samples > 1 && !study->list[i].none)
            fprintf(study->table, " %14.0f steps", torre_hit_series_interval(h, i));
        fprintf(study->table, "\n");
    }
}

static torre_status draw_map(const torre_study *study, const char *path, const torre_hit_series *h)
{
    torre_image image;
    TORRE_TRY(torre_hit_map_draw(h, 0, &image));
    torre_status status = torre_png_write(&image, study->list[0].name, path);
    torre_image_free(&image);
    return status;
}

static torre_status check(torre_study *study)
{
    static const char *const pictures[] = {".png", NULL};
    torre_hits_study *o = study->options;
    torre_hit_plan *p = &o->plan;
    if (study->dims == 3 && o->height != 1)
        return torre_fail(TORRE_ERR_USAGE, "{height} is for bins of a plane ({size} MxN)");
    p->bins =
        torre_bin_grid_make(study->size, (const double[]){1, 1, study->dims == 2 ? o->height : 1});
    p->gas.planar = study->dims == 2 && o->height == 1;
    p->gas.kind = gas_kind[o->gas];
    p->gas.seed = (uint64_t)o->seed;
    p->contacts = o->pairs == 1;
    p->orders = study->count;
    for (int i = 0; i < study->count; i++)
        p->order[i] = study->list[i].none ? NULL : &study->list[i].ordering;
    if (!o->map) return TORRE_OK;
    TORRE_TRY(torre_hit_map_check(&p->bins));
    return torre_file_ending_check("map", o->map, pictures, false);
}

static torre_status run(torre_study *study)
{
    const torre_hits_study *o = study->options;
    torre_hit_series h;
    TORRE_TRY(torre_study_check_memory(study, 32));
    torre_status status = torre_hit_series_make(&o->plan, &h);
    if (!status) status = write_csv(study, &h);
    if (!status) report(study, &h);
    if (!status && study->table) print_table(study, &h);
    if (!status && o->map) status = draw_map(study, o->map, &h);
    torre_hit_series_free(&h);
    return status;
}

const torre_study_kind torre_study_hits = {.name = "hits",
                                           .ordering_limit = TORRE_STUDY_ORDERINGS,
                                           .allow_none = true,
                                           .column = {"step", "hit_ratio", "speedup"},
                                           .check = check,
                                           .run = run,
                                           .drawn = {"set xlabel 'steps since the reorder'\n"
                                                     "set ylabel 'hit ratio'\n"
                                                     "set yrange [0:1]\n",
                                                     1, 2, "linespoints", NULL}};
