#include <string.h>

#include "cli/locality.h"
#include "cli/program.h"
#include "core/memory.h"
#include "core/numbers.h"
#include "core/phase.h"
#include "io/file_ending.h"
#include "io/gnuplot.h"
#include "tiling/traversal.h"

const char *const locality_shapes[] = {"block", "spherical", NULL};

void locality_size_text(const locality_job *job, char *buffer, size_t size)
{
    const int64_t *n = job->size;
    if (job->dims == 3)
        snprintf(buffer, size, "%lldx%lldx%lld", (long long)n[0], (long long)n[1], (long long)n[2]);
    else
        snprintf(buffer, size, "%lldx%lld", (long long)n[0], (long long)n[1]);
}

static torre_status read_ordering(const locality_job *job, const char *name, size_t length,
                                  locality_ordering *read)
{
    const char *why;
    if (length >= sizeof read->name)
        return torre_ordering_refuse("ordering", name, "this name is too long");
    memcpy(read->name, name, length);
    read->name[length] = 0;
    read->none = job->allow_none && strcmp(read->name, "none") == 0;
    if (!read->none) TORRE_TRY(torre_ordering_read("ordering", read->name, &read->spec));
    if (job->of_towers
            ? !torre_traversal_exists(&read->spec, &why)
            : !torre_ordering_make_spec(&read->spec, job->dims, job->size, &read->ordering, &why))
        return torre_fail(TORRE_ERR_USAGE, "--ordering %s: %s", read->name, why);
    if (job->exact && !read->none && !torre_ordering_is_exact(&read->ordering)) {
        char size[64];
        locality_size_text(job, size, sizeof size);
        return torre_fail(TORRE_ERR_USAGE,
                          "--size %s is cut out of a larger curve, and --exact was asked for: "
                          "%s is \"%s\"",
                          size, read->name, torre_ordering_text(read->spec.kind));
    }
    return TORRE_OK;
}

static torre_status read_orderings(locality_job *job)
{
    const char *at = job->ordering;
    while (at && job->ordering_limit) {
        const char *comma = strchr(at, ',');
        if (job->count == job->ordering_limit || job->count == LOCALITY_ORDERINGS)
            return torre_fail(TORRE_ERR_USAGE, "--ordering: %s takes at most %d (got %s)",
                              job->subcommand, job->ordering_limit, job->ordering);
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        TORRE_TRY(read_ordering(job, at, length, &job->list[job->count]));
        job->count++;
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

static torre_status open_csv(locality_job *job)
{
    int columns = 0;
    torre_sink_data data = {.kind = TORRE_SINK_ROWS, .table = {.text = job->text, .digits = 9}};
    if (!job->text && job->count > 1) {
        data.table.text = 1;
        job->csv_column[columns++] = "ordering";
    }
    for (int k = 0; k < LOCALITY_COLUMNS && job->column[k]; k++)
        job->csv_column[columns++] = job->column[k];
    data.table.columns = columns;
    data.table.name = job->csv_column;
    return torre_sink_open(torre_sink_by_name("csv"), &data, job->csv_path, &job->csv);
}

static torre_status open_outputs(locality_job *job)
{
    if (is_stdout(job->csv_option) && is_stdout(job->json_option))
        return torre_fail(TORRE_ERR_USAGE, "--csv and --json cannot both be standard output");
    size_t n = job->plot ? strlen(job->plot) : 0;
    if (job->plot && (n < 5 || strcmp(job->plot + n - 4, ".png") != 0))
        return torre_fail(TORRE_ERR_USAGE, "--plot must end in .png (got %s)", job->plot);
    static const char *const packed[] = {".gz", NULL};
    if (job->csv_option && torre_file_ending(job->csv_option, packed, false) >= 0)
        return torre_fail(TORRE_ERR_USAGE, "--csv is not compressed: leave .gz out (got %s)",
                          job->csv_option);
    bool plots = job->drawn.settings && (job->plot || job->csv_option);
    if (plots && job->plot && is_stdout(job->csv_option))
        return torre_fail(TORRE_ERR_USAGE, "--plot needs --csv to be a file, not standard output");
    if (job->csv_option)
        TORRE_TRY(with_ending(job->csv_option, "", "", job->csv_path, sizeof job->csv_path));
    else if (plots) /* gnuplot needs a file to read */
        TORRE_TRY(with_ending(job->plot, ".png", ".csv", job->csv_path, sizeof job->csv_path));
    if (plots && !is_stdout(job->csv_path))
        TORRE_TRY(
            with_ending(job->csv_path, ".csv", ".gp", job->script_path, sizeof job->script_path));
    if (job->csv_path[0]) TORRE_TRY(open_csv(job));
    if (job->json_option) TORRE_TRY(torre_output_open(job->json_option, &job->json));
    job->table = !job->quiet && !is_stdout(job->csv_path) && !is_stdout(job->json_option);
    return TORRE_OK;
}

static void start_report(locality_job *job, const torre_option *table)
{
    job->report = torre_report_new("locality");
    torre_report_text(job->report, "subcommand", job->subcommand);
    if (torre_options_find(table, "size"))
        torre_report_integers(job->report, "size", job->size, job->dims);
    if (torre_options_find(table, "reach")) {
        torre_report_text(job->report, "stencil", locality_shapes[job->shape]);
        torre_report_integer(job->report, "reach", job->reach);
        torre_report_bool(job->report, "half", job->half);
    }
}

/* What the options say, for all subcommands. */
static torre_status prepare(locality_job *job)
{
    job->dims = job->size[1] && !job->size[2] ? 2 : 3;
    if (!job->size[1]) job->size[1] = job->size[2] = job->size[0];
    if (!job->size[2]) job->size[2] = 1;
    job->stencil =
        torre_stencil_of_cubes((torre_bin_shape)job->shape, job->dims, job->reach, job->half);
    TORRE_TRY(read_orderings(job));
    return job->check ? job->check(job) : TORRE_OK;
}

static torre_status write_script(const locality_job *job)
{
    const char *name[LOCALITY_ORDERINGS];
    char png[1024];
    const bool given = job->plot != NULL;
    TORRE_TRY(with_ending(given ? job->plot : job->csv_path, given ? "" : ".csv",
                          given ? "" : ".png", png, sizeof png));
    for (int i = 0; i < job->count; i++) name[i] = job->list[i].name;
    return torre_series_plot_write(job->script_path, job->csv_path, png, &job->drawn, name,
                                   job->count);
}

/* Draw with gnuplot; without it the script remains, and the user is told. */
static torre_status run_script(const locality_job *job)
{
    bool found;
    TORRE_TRY(torre_gnuplot_run(".", job->script_path, &found));
    if (!found && !job->quiet)
        fprintf(stderr,
                "locality: gnuplot is not installed, so %s was not drawn; the script is %s\n",
                job->plot, job->script_path);
    return TORRE_OK;
}

/* Complete the outputs, or leave none of them. */
static torre_status finish(locality_job *job, torre_status status)
{
    status = torre_sink_finish(&job->csv, status);
    if (status) {
        torre_output_discard(job->json);
        torre_report_free(job->report);
        return status;
    }
    torre_report_repeat(job->report, job->report_first);
    torre_program_keep_report(job->report, &job->json);
    if (job->script_path[0]) {
        status = write_script(job);
        if (!status && job->plot) status = run_script(job);
    }
    return status;
}

torre_status locality_job_run(locality_job *job, torre_option *table, int argc, char **argv)
{
    const torre_program program = {"locality", job->usage, NULL};
    bool done;
    TORRE_TRY(torre_program_options(&program, table, argc, argv, &done));
    if (done) return TORRE_OK;
    TORRE_TRY(prepare(job));
    torre_status status = open_outputs(job);
    if (!status) {
        start_report(job, table);
        torre_phase_enter(TORRE_PHASE_LOOP);
        status = job->run(job);
        torre_phase_enter(TORRE_PHASE_OUTPUT);
        torre_report_options(job->report, table);
    }
    return finish(job, status);
}

torre_status locality_check_reach(const locality_job *job)
{
    int64_t smallest = job->size[0];
    for (int a = 1; a < job->dims; a++)
        if (job->size[a] < smallest) smallest = job->size[a];
    if (smallest > 2 * job->reach) return TORRE_OK;
    if (smallest < 3)
        return torre_fail(TORRE_ERR_USAGE,
                          "--size must be at least 3 along every axis to leave bins whose stencil "
                          "lies inside (got %lld)",
                          (long long)smallest);
    return torre_fail(TORRE_ERR_USAGE,
                      "--reach must be from 1 to %lld for the smallest axis of --size, %lld bins "
                      "(got %lld)",
                      (long long)(smallest - 1) / 2, (long long)smallest, (long long)job->reach);
}

torre_status locality_check_memory(const locality_job *job, int64_t bytes_per_bin)
{
    int64_t bins = job->size[0] * job->size[1] * job->size[2];
    bool fits = bins <= INT64_MAX / 2 / bytes_per_bin;
    return torre_memory_check("this --size", fits ? bins * bytes_per_bin : -1);
}

torre_status locality_read_list(const char *option, const char *text, int64_t low, int64_t high,
                                int64_t values[LOCALITY_NUMBERS], int *count)
{
    bool ok = torre_parse_integers(text, ',', LOCALITY_NUMBERS, values, count);
    for (int i = 0; ok && i < *count; i++) ok = values[i] >= low && values[i] <= high;
    if (ok) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "%s must be up to %d whole numbers from %lld to %lld separated by commas "
                      "(got %s)",
                      option, LOCALITY_NUMBERS, (long long)low, (long long)high, text);
}

torre_report *locality_report_of(locality_job *job, int index)
{
    if (index == 0) job->report_list = torre_report_array(job->report, "orderings");
    torre_report *at = torre_report_object(job->report_list, NULL);
    if (index == 0) job->report_first = at;
    torre_report_text(at, "ordering", job->list[index].name);
    torre_report_bool(at, "exact", torre_ordering_is_exact(&job->list[index].ordering));
    return at;
}

torre_status locality_csv_row(const locality_job *job, const char *word, const double *numbers)
{
    if (!job->csv) return TORRE_OK;
    return torre_sink_frame(job->csv, &(torre_frame){.title = word, .row = numbers});
}
