#include "locality/study.h"

#include <string.h>

#include "core/memory.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "io/file_ending.h"
#include "io/gnuplot.h"
#include "tiling/traversal.h"

const char *const torre_study_shapes[] = {"block", "spherical", NULL};

void torre_study_size_text(const torre_study *study, char *buffer, size_t size)
{
    const int64_t *n = study->size;
    if (study->dims == 3)
        snprintf(buffer, size, "%lldx%lldx%lld", (long long)n[0], (long long)n[1], (long long)n[2]);
    else
        snprintf(buffer, size, "%lldx%lld", (long long)n[0], (long long)n[1]);
}

static torre_status read_ordering(const torre_study *study, const char *name, size_t length,
                                  torre_study_ordering *read)
{
    const char *why;
    if (length >= sizeof read->name)
        return torre_ordering_refuse("ordering", name, "this name is too long");
    memcpy(read->name, name, length);
    read->name[length] = 0;
    read->none = study->kind->allow_none && strcmp(read->name, "none") == 0;
    if (!read->none) TORRE_TRY(torre_ordering_read("ordering", read->name, &read->spec));
    if (study->kind->of_towers ? !torre_traversal_exists(&read->spec, &why)
                               : !torre_ordering_make_spec(&read->spec, study->dims, study->size,
                                                           &read->ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "{ordering} %s: %s", read->name, why);
    if (study->exact && !read->none && !torre_ordering_is_exact(&read->ordering)) {
        char size[64];
        torre_study_size_text(study, size, sizeof size);
        return torre_fail(TORRE_ERR_USAGE,
                          "{size} %s is cut out of a larger curve, and {exact} was asked for: "
                          "%s is \"%s\"",
                          size, read->name, torre_ordering_text(read->spec.kind));
    }
    return TORRE_OK;
}

static torre_status read_orderings(torre_study *study)
{
    const char *at = study->ordering;
    while (at && study->kind->ordering_limit) {
        const char *comma = strchr(at, ',');
        if (study->count == study->kind->ordering_limit || study->count == TORRE_STUDY_ORDERINGS)
            return torre_fail(TORRE_ERR_USAGE, "{ordering}: %s takes at most %d (got %s)",
                              study->kind->name, study->kind->ordering_limit, study->ordering);
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        TORRE_TRY(read_ordering(study, at, length, &study->list[study->count]));
        study->count++;
        at = comma ? comma + 1 : NULL;
    }
    return TORRE_OK;
}

/* The path with its ending replaced. */
static torre_status with_ending(const char *path, const char *old, const char *new, char *result,
                                size_t size)
{
    size_t n = strlen(path), cut = strlen(old);
    if (n >= cut && strcmp(path + n - cut, old) == 0) n -= cut;
    if ((size_t)snprintf(result, size, "%.*s%s", (int)n, path, new) >= size)
        return torre_fail(TORRE_ERR_USAGE, "%s: this path is too long", path);
    return TORRE_OK;
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

static torre_status open_csv(torre_study *study)
{
    int columns = 0;
    torre_sink_data data = {.kind = TORRE_SINK_ROWS, .table = {.text = study->text, .digits = 9}};
    if (!study->text && study->count > 1) {
        data.table.text = 1;
        study->csv_column[columns++] = "ordering";
    }
    for (int k = 0; k < TORRE_STUDY_COLUMNS && study->column[k]; k++)
        study->csv_column[columns++] = study->column[k];
    data.table.columns = columns;
    data.table.name = study->csv_column;
    return torre_sink_open(torre_sink_by_name("csv"), &data, study->csv_path, &study->csv);
}

static torre_status open_outputs(torre_study *study)
{
    if (is_stdout(study->csv_file) && is_stdout(study->json_file))
        return torre_fail(TORRE_ERR_USAGE, "{csv} and {json} cannot both be standard output");
    size_t n = study->plot ? strlen(study->plot) : 0;
    if (study->plot && (n < 5 || strcmp(study->plot + n - 4, ".png") != 0))
        return torre_fail(TORRE_ERR_USAGE, "{plot} must end in .png (got %s)", study->plot);
    static const char *const packed[] = {".gz", NULL};
    if (study->csv_file && torre_file_ending(study->csv_file, packed, false) >= 0)
        return torre_fail(TORRE_ERR_USAGE, "{csv} is not compressed: leave .gz out (got %s)",
                          study->csv_file);
    bool plots = study->kind->drawn.settings && (study->plot || study->csv_file);
    if (plots && study->plot && is_stdout(study->csv_file))
        return torre_fail(TORRE_ERR_USAGE, "{plot} needs {csv} to be a file, not standard output");
    if (study->csv_file)
        TORRE_TRY(with_ending(study->csv_file, "", "", study->csv_path, sizeof study->csv_path));
    else if (plots) /* gnuplot needs a file to read */
        TORRE_TRY(
            with_ending(study->plot, ".png", ".csv", study->csv_path, sizeof study->csv_path));
    if (plots && !is_stdout(study->csv_path))
        TORRE_TRY(with_ending(study->csv_path, ".csv", ".gp", study->script_path,
                              sizeof study->script_path));
    if (study->csv_path[0]) TORRE_TRY(open_csv(study));
    if (study->json_file) TORRE_TRY(torre_output_open(study->json_file, &study->json));
    if (!is_stdout(study->csv_path) && !is_stdout(study->json_file)) study->table = study->people;
    return TORRE_OK;
}

static void start_report(torre_study *study)
{
    study->report = torre_report_new("locality");
    torre_report_text(study->report, "subcommand", study->kind->name);
    torre_report_integers(study->report, "size", study->size, study->dims);
    if (!study->kind->stencil) return;
    torre_report_text(study->report, "stencil", torre_study_shapes[study->shape]);
    torre_report_integer(study->report, "reach", study->reach);
    torre_report_bool(study->report, "half", study->half);
}

/* What was asked for, of all kinds. */
static torre_status prepare(torre_study *study)
{
    memcpy(study->column, study->kind->column, sizeof study->column);
    study->text = study->kind->text;
    study->dims = study->size[1] && !study->size[2] ? 2 : 3;
    if (!study->size[1]) study->size[1] = study->size[2] = study->size[0];
    if (!study->size[2]) study->size[2] = 1;
    study->stencil = torre_stencil_of_cubes((torre_bin_shape)study->shape, study->dims,
                                            study->reach, study->half);
    TORRE_TRY(read_orderings(study));
    return study->kind->check ? study->kind->check(study) : TORRE_OK;
}

static torre_status write_script(const torre_study *study)
{
    const char *name[TORRE_STUDY_ORDERINGS];
    char png[1024];
    const bool given = study->plot != NULL;
    TORRE_TRY(with_ending(given ? study->plot : study->csv_path, given ? "" : ".csv",
                          given ? "" : ".png", png, sizeof png));
    for (int i = 0; i < study->count; i++) name[i] = study->list[i].name;
    return torre_series_plot_write(study->script_path, study->csv_path, png, &study->kind->drawn,
                                   name, study->count);
}

torre_status torre_study_draw(const torre_study *study, bool *drawn)
{
    *drawn = true;
    if (!study->script_path[0]) return TORRE_OK;
    TORRE_TRY(write_script(study));
    return study->plot ? torre_gnuplot_run(".", study->script_path, drawn) : TORRE_OK;
}

torre_status torre_study_finish(torre_study *study, torre_status status)
{
    status = torre_sink_finish(&study->csv, status);
    if (!status) {
        torre_report_repeat(study->report, study->report_first);
        return TORRE_OK;
    }
    torre_output_discard(study->json);
    torre_report_free(study->report);
    study->json = NULL;
    study->report = NULL;
    return status;
}

torre_status torre_study_run(torre_study *study)
{
    TORRE_TRY(prepare(study));
    TORRE_TRY(open_outputs(study));
    start_report(study);
    torre_phase_enter(TORRE_PHASE_LOOP);
    torre_status status = study->kind->run(study);
    torre_phase_enter(TORRE_PHASE_OUTPUT);
    return status;
}

torre_status torre_study_check_reach(const torre_study *study)
{
    int64_t smallest = study->size[0];
    for (int a = 1; a < study->dims; a++)
        if (study->size[a] < smallest) smallest = study->size[a];
    if (smallest > 2 * study->reach) return TORRE_OK;
    if (smallest < 3)
        return torre_fail(TORRE_ERR_USAGE,
                          "{size} must be at least 3 along every axis to leave bins whose stencil "
                          "lies inside (got %lld)",
                          (long long)smallest);
    return torre_fail(TORRE_ERR_USAGE,
                      "{reach} must be from 1 to %lld for the smallest axis of {size}, %lld bins "
                      "(got %lld)",
                      (long long)(smallest - 1) / 2, (long long)smallest, (long long)study->reach);
}

torre_status torre_study_check_memory(const torre_study *study, int64_t bytes_per_bin)
{
    int64_t bins = study->size[0] * study->size[1] * study->size[2];
    bool fits = bins <= INT64_MAX / 2 / bytes_per_bin;
    return torre_memory_check("this " TORRE_PARAMETER("size"), fits ? bins * bytes_per_bin : -1);
}

torre_status torre_study_read_list(const char *parameter, const char *text, int64_t low,
                                   int64_t high, int64_t values[TORRE_STUDY_NUMBERS], int *count)
{
    bool ok = torre_parse_integers(text, ',', TORRE_STUDY_NUMBERS, values, count);
    for (int i = 0; ok && i < *count; i++) ok = values[i] >= low && values[i] <= high;
    if (ok) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "{%s} must be up to %d whole numbers from %lld to %lld separated by commas "
                      "(got %s)",
                      parameter, TORRE_STUDY_NUMBERS, (long long)low, (long long)high, text);
}

torre_report *torre_study_report_of(torre_study *study, int index)
{
    if (index == 0) study->report_list = torre_report_array(study->report, "orderings");
    torre_report *at = torre_report_object(study->report_list, NULL);
    if (index == 0) study->report_first = at;
    torre_report_text(at, "ordering", study->list[index].name);
    torre_report_bool(at, "exact", torre_ordering_is_exact(&study->list[index].ordering));
    return at;
}

torre_status torre_study_row(const torre_study *study, const char *word, const double *numbers)
{
    if (!study->csv) return TORRE_OK;
    return torre_sink_frame(study->csv, &(torre_frame){.title = word, .row = numbers});
}
