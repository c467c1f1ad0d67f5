#include "survey/shot_files.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output_file.h"

static const char mark[] = "{shot}";

bool torre_shot_files_single(const char *name) { return strstr(name, mark); }

/* The name with every {shot} replaced. */
static torre_status expand(const char *name, const char *shot, char path[PATH_MAX])
{
    const size_t length = strlen(shot);
    size_t n = 0;
    while (*name && n + length + 64 < PATH_MAX) {
        if (strncmp(name, mark, sizeof mark - 1) == 0) {
            memcpy(path + n, shot, length);
            n += length;
            name += sizeof mark - 1;
        } else {
            path[n++] = *name++;
        }
    }
    path[n] = 0;
    return *name ? torre_fail(TORRE_ERR_USAGE, "{traces}: a name that is too long") : TORRE_OK;
}

char *torre_shot_files_beside(const torre_trace_files *files, const char *ending)
{
    char path[PATH_MAX];
    if (expand(files->name[0], "survey", path)) return NULL;
    char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (dot) *dot = 0;
    char *name = malloc(strlen(path) + strlen(ending) + 1);
    if (name) sprintf(name, "%s%s", path, ending);
    return name;
}

/* The file of a shot by the name numbered i of the list, or, i == count, the one that waits; false:
 * by that name there is none of a single shot. */
static bool path_of(const torre_shot_files *f, int i, int64_t shot, char path[PATH_MAX])
{
    const char *name = f->list->shot[shot].name;
    if (i < f->files->count)
        return torre_shot_files_single(f->files->name[i]) &&
               expand(f->files->name[i], name, path) == TORRE_OK;
    if (!f->folder || f->joined) return false;
    snprintf(path, PATH_MAX, "%s/%s.npy", f->folder, name);
    return true;
}

static const torre_sink_format *format_of(const torre_shot_files *f, int i)
{
    return i < f->files->count ? f->files->format[i] : torre_sink_by_name("npy");
}

torre_gather torre_shot_files_gather(const torre_shot_files *f, int64_t shot,
                                     torre_point *receivers)
{
    const torre_shot *s = &f->list->shot[shot];
    const int64_t count = s->receivers->list.count;
    for (int64_t i = 0; i < count; i++) receivers[i] = torre_shot_receiver(s, i);
    return (torre_gather){.traces = count,
                          .samples = f->model->steps + 1,
                          .dt = f->model->dt,
                          .precision = f->model->precision,
                          .receivers = receivers,
                          .source = s->source,
                          .shot = torre_shot_number(f->list, shot),
                          .delay = s->delay};
}

static torre_sink_data data_of(const torre_shot_files *f, const torre_gather *gather, bool all)
{
    return (torre_sink_data){.kind = TORRE_SINK_TRACES,
                             .series = all,
                             .durable = true,
                             .frames = all ? f->list->count : 1,
                             .traces = *gather};
}

/* What the formats have to say to the shots, before anything is computed. */
static torre_status check_formats(const torre_shot_files *f)
{
    torre_point *receivers = malloc((size_t)f->list->receivers_most * sizeof *receivers);
    torre_status status =
        receivers ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for receivers");
    for (int64_t shot = 0; shot < f->list->count && !status; shot++) {
        const torre_gather gather = torre_shot_files_gather(f, shot, receivers);
        for (int i = 0; i < f->files->count && !status; i++) {
            const bool all = !torre_shot_files_single(f->files->name[i]);
            torre_sink_data data = data_of(f, &gather, all);
            data.ragged = all && f->list->receivers_least != f->list->receivers_most;
            status = torre_sink_check(f->files->format[i], &data);
            if (status)
                status = torre_fail(status, "%s, shot %s: %s", f->files->name[i],
                                    f->list->shot[shot].name, torre_error_text());
        }
    }
    free(receivers);
    return status;
}

/* The files that a survey reads. */
typedef struct input_files {
    struct stat *file;
    const char **name;
    int64_t count;
} input_files;

static torre_status keep_input(input_files *in, const char *path)
{
    struct stat file;
    if (!path || stat(path, &file)) return TORRE_OK; /* texts that are no files, too */
    if ((in->count & (in->count - 1)) == 0) {
        const size_t capacity = in->count ? 2 * (size_t)in->count : 1;
        struct stat *files = realloc(in->file, capacity * sizeof *files);
        if (files) in->file = files;
        const char **names = realloc(in->name, capacity * sizeof *names);
        if (names) in->name = names;
        if (!files || !names) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    }
    in->file[in->count] = file;
    in->name[in->count++] = path;
    return TORRE_OK;
}

static torre_status check_target(const input_files *in, const char *option, const char *path)
{
    struct stat file;
    if (stat(path, &file)) return TORRE_OK;
    for (int64_t i = 0; i < in->count; i++)
        if (in->file[i].st_dev == file.st_dev && in->file[i].st_ino == file.st_ino)
            return torre_fail(TORRE_ERR_USAGE, "{%s} would write over %s, which the survey reads",
                              option, in->name[i]);
    return TORRE_OK;
}

static torre_status check_others(const torre_survey_output *others, const input_files *in)
{
    for (const torre_survey_output *o = others; o->option; o++) {
        if (o->path) TORRE_TRY(check_target(in, o->option, o->path));
        for (const torre_survey_output *p = others; p < o && o->path; p++)
            if (p->path && torre_output_same(o->path, p->path))
                return torre_fail(TORRE_ERR_USAGE, "{%s} and {%s} both write %s", p->option,
                                  o->option, o->path);
    }
    return TORRE_OK;
}

static torre_status check_traces(const torre_survey_output *others, const input_files *in,
                                 const char *path)
{
    for (const torre_survey_output *o = others; o->option; o++)
        if (o->path && torre_output_same(o->path, path))
            return torre_fail(TORRE_ERR_USAGE, "{%s} and {traces} both write %s", o->option, path);
    return check_target(in, "traces", path);
}

static torre_status check_targets(const torre_shot_files *f, const torre_survey_output *others,
                                  const input_files *in)
{
    char path[PATH_MAX];
    TORRE_TRY(check_others(others, in));
    for (int i = 0; i < f->files->count; i++) {
        for (int k = 0; k < i; k++)
            if (torre_output_same(f->files->name[i], f->files->name[k]))
                return torre_fail(TORRE_ERR_USAGE, "{traces} names %s twice", f->files->name[i]);
        if (!torre_shot_files_single(f->files->name[i]))
            TORRE_TRY(check_traces(others, in, f->files->name[i]));
        else
            TORRE_TRY(expand(f->files->name[i], f->list->shot[0].name, path));
    }
    for (int64_t shot = 0; shot < f->list->count; shot++)
        for (int i = 0; i <= f->files->count; i++)
            if (path_of(f, i, shot, path)) TORRE_TRY(check_traces(others, in, path));
    return TORRE_OK;
}

/* Texts of receivers and wavelets are those of files where there are such files. */
static torre_status check_inputs(const torre_shot_files *f, const char *const *inputs,
                                 const torre_survey_output *others)
{
    input_files in = {0};
    torre_status status = TORRE_OK;
    for (int i = 0; inputs[i] && !status; i++) status = keep_input(&in, inputs[i]);
    const void *receivers = NULL, *wavelet = NULL; /* those of the shot before */
    for (int64_t s = 0; s < f->list->count && !status; s++) {
        const torre_shot *shot = &f->list->shot[s];
        if (shot->receivers != receivers) status = keep_input(&in, shot->receivers->text);
        if (!status && shot->wavelet && shot->wavelet != wavelet)
            status = keep_input(&in, shot->wavelet->text);
        receivers = shot->receivers;
        wavelet = shot->wavelet;
    }
    if (!status) status = check_targets(f, others, &in);
    free(in.file);
    free(in.name);
    return status;
}

torre_status torre_shot_files_new(const torre_trace_files *files, const torre_shot_list *list,
                                  const torre_wave_problem *model, const char *const *inputs,
                                  const torre_survey_output *others, torre_shot_files *f)
{
    bool all = false;
    *f = (torre_shot_files){.files = files, .list = list, .model = model};
    for (int i = 0; i < files->count; i++) all = all || !torre_shot_files_single(files->name[i]);
    if (all) f->folder = torre_shot_files_beside(files, ".shots");
    if (all && !f->folder) return torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    TORRE_TRY(check_formats(f));
    return check_inputs(f, inputs, others);
}

void torre_shot_files_free(torre_shot_files *f)
{
    free(f->folder);
    memset(f, 0, sizeof *f);
}

static torre_status make_folder_of(const char *file)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", file);
    const char *folder = dirname(path);
    struct stat there;
    if (stat(folder, &there) == 0 && S_ISDIR(there.st_mode)) return TORRE_OK;
    return torre_output_directory(folder);
}

torre_status torre_shot_files_make_folders(const torre_shot_files *f, const char *manifest)
{
    char path[PATH_MAX];
    TORRE_TRY(make_folder_of(manifest));
    for (int i = 0; i <= f->files->count; i++) {
        if (i < f->files->count && !torre_shot_files_single(f->files->name[i]))
            TORRE_TRY(make_folder_of(f->files->name[i]));
        for (int64_t shot = 0; shot < f->list->count && path_of(f, i, shot, path); shot++) {
            TORRE_TRY(make_folder_of(path));
            const char *slash = strrchr(f->files->name[i < f->files->count ? i : 0], '/');
            const char *first = strstr(f->files->name[i < f->files->count ? i : 0], mark);
            if (i == f->files->count || !slash || first > slash) break; /* one folder for all */
        }
    }
    return TORRE_OK;
}

bool torre_shot_files_there(const torre_shot_files *f, int64_t shot)
{
    char path[PATH_MAX];
    for (int i = 0; i <= f->files->count; i++)
        if (path_of(f, i, shot, path) && access(path, F_OK)) return false;
    return true;
}

void torre_shot_files_clean(const torre_shot_files *f, int64_t shot)
{
    char path[PATH_MAX];
    for (int i = 0; i <= f->files->count; i++)
        if (path_of(f, i, shot, path)) torre_output_remove_stale(path);
}

torre_status torre_shot_files_write(const torre_shot_files *f, int64_t shot,
                                    const torre_array *traces)
{
    char path[PATH_MAX], title[128];
    torre_point *receivers = malloc((size_t)traces->shape[0] * sizeof *receivers);
    if (!receivers) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for receivers");
    const torre_gather gather = torre_shot_files_gather(f, shot, receivers);
    const torre_figure_about figure = {
        .scale = f->picture_scale, .subject = title, .source_count = 1};
    torre_sink_data data = data_of(f, &gather, false);
    data.figure = &figure;
    snprintf(title, sizeof title, "Shot %s", f->list->shot[shot].name);
    const torre_frame frame = {
        .title = title, .values = traces->data, .samples = traces->shape[1], .gather = &gather};
    torre_status status = TORRE_OK;
    for (int i = 0; i <= f->files->count && !status; i++)
        if (path_of(f, i, shot, path))
            status = torre_sink_write(format_of(f, i), &data, path, &frame);
    free(receivers);
    return status;
}

static torre_status read_traces(const char *path, const torre_gather *gather, torre_array *traces)
{
    int dims;
    const torre_status status = torre_npy_read(path, traces, &dims);
    if (status) {
        traces->data = NULL; /* it may have been there and gone */
        return status;
    }
    if (dims == 2 && traces->shape[0] == gather->traces && traces->shape[1] == gather->samples &&
        traces->precision == gather->precision)
        return TORRE_OK;
    free(traces->data);
    traces->data = NULL;
    return torre_fail(TORRE_ERR_INPUT, "%s does not hold the traces of its shot", path);
}

torre_status torre_shot_files_read(const torre_shot_files *f, int64_t shot,
                                   const torre_gather *gather, torre_array *traces)
{
    char path[PATH_MAX];
    *traces = (torre_array){.data = NULL};
    for (int i = 0; i < f->files->count; i++)
        if (format_of(f, i) == torre_sink_by_name("npy") && path_of(f, i, shot, path))
            return read_traces(path, gather, traces);
    return TORRE_OK;
}

/* The traces of a shot that wait. */
static torre_status add_waiting(const torre_shot_files *f, int64_t shot, torre_point *receivers,
                                torre_sink *sink)
{
    char path[PATH_MAX];
    torre_array traces;
    path_of(f, f->files->count, shot, path);
    const torre_gather gather = torre_shot_files_gather(f, shot, receivers);
    torre_status status = read_traces(path, &gather, &traces);
    const torre_frame frame = {.values = traces.data, .samples = gather.samples, .gather = &gather};
    if (!status) status = torre_sink_frame(sink, &frame);
    free(traces.data);
    return status;
}

static torre_status join_file(const torre_shot_files *f, int i, torre_point *receivers)
{
    const torre_gather gather = torre_shot_files_gather(f, 0, receivers);
    const torre_sink_data data = data_of(f, &gather, true);
    torre_sink *sink = NULL;
    torre_output_remove_stale(f->files->name[i]);
    torre_status status = torre_sink_open(f->files->format[i], &data, f->files->name[i], &sink);
    for (int64_t shot = 0; shot < f->list->count && !status; shot++)
        status = add_waiting(f, shot, receivers, sink);
    return torre_sink_finish(&sink, status);
}

torre_status torre_shot_files_join(const torre_shot_files *f)
{
    if (!f->folder) return TORRE_OK;
    torre_point *receivers = malloc((size_t)f->list->receivers_most * sizeof *receivers);
    torre_status status =
        receivers ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory for receivers");
    for (int i = 0; i < f->files->count && !status; i++)
        if (!torre_shot_files_single(f->files->name[i])) status = join_file(f, i, receivers);
    free(receivers);
    return status;
}

bool torre_shot_files_all_there(const torre_shot_files *f)
{
    for (int i = 0; i < f->files->count; i++)
        if (!torre_shot_files_single(f->files->name[i]) && access(f->files->name[i], F_OK))
            return false;
    return true;
}

torre_status torre_shot_files_forget(const torre_shot_files *f)
{
    char path[PATH_MAX];
    if (!f->folder) return TORRE_OK;
    for (int64_t shot = 0; shot < f->list->count; shot++) {
        snprintf(path, sizeof path, "%s/%s.npy", f->folder, f->list->shot[shot].name);
        if (unlink(path) && errno != ENOENT) return torre_fail_errno("cannot remove %s", path);
    }
    rmdir(f->folder); /* what else is there is not ours */
    return TORRE_OK;
}
