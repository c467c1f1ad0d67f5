#include "survey/survey_summary.h"

#include <inttypes.h>

#include "core/memory.h"
#include "core/numbers.h"
#include "run/wave_report.h"
#include "run/wave_summary.h"

void torre_survey_summary_setup(FILE *out, const torre_survey *s)
{
    torre_wave_summary_setup(out, s->input, s->run);
    fprintf(out, "survey     %" PRId64 " shots of %s", s->shots.count, s->shots.path);
    if (s->wish.aperture.wanted) {
        char cells[80];
        const torre_wave_problem *p = torre_wave_run_problem(s->run);
        torre_size_text(p->size, torre_wave_is_flat(p, 1), cells, sizeof cells);
        fprintf(out, ", %s cells of the model for the first", cells);
    }
    fputc('\n', out);
}

void torre_survey_summary_cost(FILE *out, const torre_survey *s, double rate)
{
    char text[32];
    fprintf(out, "cost       %.4g Gcell updates, all shots\n", s->updates * 1e-9);
    if (rate == 0) return;
    torre_format_seconds(s->updates * 1e-9 / rate, text, sizeof text);
    fprintf(
        out,
        "           about %s at %.3g Gcells/s, as a short trial ran, one shot after the other\n",
        text, rate);
}

void torre_survey_summary_result(FILE *out, const torre_survey *s, double seconds)
{
    char loops[32], all[32];
    torre_format_seconds(s->compute_s, loops, sizeof loops);
    torre_format_seconds(seconds, all, sizeof all);
    fprintf(out,
            "shots      %" PRId64 " done now, %" PRId64 " before, %" PRId64 " failed; %" PRId64
            " at once\n",
            s->computed, s->shots.count - s->to_do_count, s->failed, s->at_once);
    for (int i = 0; i < s->files.count; i++) fprintf(out, "traces     %s\n", s->files.name[i]);
    fprintf(out, "manifest   %s\n", s->manifest_path);
    if (s->computed > 0) fprintf(out, "time       %s, time loops %s in all\n", all, loops);
}

torre_report *torre_report_survey(const torre_survey *s, bool dry, double wall_s, double survey_s)
{
    torre_report *r = torre_report_new("wave");
    torre_report_wave_setup(r, s->input, s->run);
    torre_report_bool(r, "dry_run", dry);
    torre_report_integer(r, "steps", s->input->problem.steps);
    torre_report *list = torre_report_object(r, "survey");
    torre_report_integer(list, "shots", s->shots.count);
    torre_report_real(list, "cell_updates", s->updates);
    torre_report *devices = s->devices.count > 0 ? torre_report_array(list, "devices") : NULL;
    for (int i = 0; i < s->devices.count; i++)
        torre_report_integer(devices, NULL, s->devices.device[i]);
    if (!dry) {
        torre_report_integer(list, "done_before", s->shots.count - s->to_do_count);
        torre_report_integer(list, "done_now", s->computed);
        torre_report_integer(list, "failed", s->failed);
        torre_report_integer(list, "at_once", s->at_once);
        torre_report_text(list, "manifest", s->manifest_path);
        torre_report_real(r, "wall_s", wall_s);
        torre_report_real(r, "survey_s", survey_s);
        torre_report_real(r, "compute_s", s->compute_s);
        torre_report_integer(r, "peak_memory_bytes", torre_memory_peak());
    }
    torre_report_cautions(r, &s->input->cautions);
    return r;
}
