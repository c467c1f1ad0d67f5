#include "survey/survey.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/memory.h"
#include "figure/figure.h"
#include "io/source.h"
#include "run/wave_identity.h"
#include "survey/survey_private.h"
#include "wave/time_dispersion.h"

/* Failures to write, one after the other, after which no other shot is tried. */
enum { WRITE_FAILURES = 3 };

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a survey");
}

torre_status torre_survey_read(const torre_survey_wish *wish, const torre_wave_spec *spec,
                               const torre_wave_input *input, torre_survey *s)
{
    char velocity[PATH_MAX], density[PATH_MAX];
    const char *const inputs[] = {wish->path, torre_source_path(spec->velocity, velocity),
                                  spec->density ? torre_source_path(spec->density, density) : NULL,
                                  NULL};
    s->wish = *wish;
    s->spec = spec;
    s->input = input;
    TORRE_TRY(torre_aperture_check(&wish->aperture, &input->problem));
    TORRE_TRY(torre_shot_list_read(wish->path, input, wish->receivers, spec->wavelet, &s->shots));
    for (int64_t i = 0; i < s->shots.count; i++) {
        int64_t cells;
        TORRE_TRY(torre_shot_problem_check(spec, input, &wish->aperture, wish->path,
                                           &s->shots.shot[i], &cells));
        s->updates += (double)cells * (double)input->problem.steps;
        if (cells > s->most_cells) s->most_cells = cells;
    }
    s->manifest_path =
        wish->manifest ? strdup(wish->manifest) : torre_shot_files_beside(&s->files, ".jsonl");
    const torre_survey_output others[] = {
        {"json", wish->report}, {"manifest", s->manifest_path}, {NULL, NULL}};
    TORRE_TRY(torre_shot_files_new(&s->files, &s->shots, &input->problem, inputs, others,
                                   &s->shot_files));
    const char *lacking;
    s->shot_files.picture_scale = torre_picture_scale(spec->picture_style, &lacking);
    s->done = calloc((size_t)s->shots.count, sizeof *s->done);
    s->to_do = malloc((size_t)s->shots.count * sizeof *s->to_do);
    return s->manifest_path && s->done && s->to_do ? TORRE_OK : no_memory();
}

/* --- What is planned --- */

static bool on_gpu(const torre_survey *s)
{
    return strcmp(torre_wave_run_backend(s->run), "cpu") != 0;
}

/* Bytes of the host for a worker: its solver, or what that streams, and traces that are recorded,
 * wait to be written, and are. */
static int64_t worker_bytes(const torre_survey *s)
{
    const torre_wave_info *info = torre_wave_run_info(s->run);
    return (on_gpu(s) ? info->scratch_bytes : info->memory_bytes) +
           3 * torre_wave_run_trace_bytes(s->run);
}

/*
 * Shots at once where nothing else is asked for: as many as there are threads, each with one, since
 * threads that share a shot wait for each other at its ends; as long as all have work for nine
 * tenths of the time, and four fifths of the memory is enough.
 */
static int64_t choose_at_once(const torre_survey *s, int64_t threads)
{
    const int64_t bytes = worker_bytes(s), room = torre_memory_available() / 5 * 4;
    const int64_t shots = s->to_do_count;
    for (int64_t n = threads; n > 1; n--) {
        const int64_t rounds = (shots + n - 1) / n;
        if (n <= shots && 10 * shots >= 9 * rounds * n && room / n > bytes) return n;
    }
    return 1;
}

/* Of a GPU: two short shots, so that one is computed while the host begins or ends the other, where
 * there is memory for both. */
static const double short_shot = 1e11; /* updates of cells, a tenth to a third of a second */

static torre_status choose_on_gpu(const torre_survey *s, int64_t *count)
{
    const torre_wave_problem *first = torre_wave_run_problem(s->run);
    const double bytes = (double)torre_wave_run_info(s->run)->memory_bytes * (double)s->most_cells /
                         (double)torre_wave_cells(first);
    const double fit = (double)s->room / bytes;
    *count = s->wish.at_once;
    if (*count == 0) *count = fit >= 2 && s->updates < short_shot * (double)s->shots.count ? 2 : 1;
    if (*count == 1 || (double)*count <= fit) return TORRE_OK;
    return torre_fail(TORRE_ERR_RESOURCE,
                      "{shots_at_once} %" PRId64 " take %.2f GB of a GPU, of which %.2f GB are "
                      "free; at most %.0f fit",
                      *count, 1e-9 * bytes * (double)*count, 1e-9 * (double)s->room,
                      fmax(floor(fit), 1));
}

static int rank_count(const torre_survey *s) { return s->wish.ranks ? s->wish.ranks->count : 1; }

/* What worker i of this process is to plan, and for which backend. Of ranks each has one, which
 * takes the GPU of its number on its machine. */
static torre_wave_plan plan_of(const torre_survey *s, int64_t i)
{
    torre_wave_plan plan = *torre_wave_input_plan(s->input);
    plan.devices = NULL; /* each computes shots of its own */
    if (rank_count(s) > 1) i = s->wish.ranks->local;
    if (s->devices.count > 0) plan.device = s->devices.device[i % s->devices.count];
    return plan;
}

static const char *backend_of(const torre_survey *s)
{
    return s->devices.count > 0 ? "cuda" : s->spec->backend;
}

/* Every GPU can compute the first shot, not only the first of them. */
static torre_status check_devices(torre_survey *s)
{
    torre_status status = TORRE_OK;
    for (int i = 1; i < s->devices.count && rank_count(s) == 1 && !status; i++) {
        const torre_wave_plan plan = plan_of(s, i);
        torre_wave_run *run = NULL;
        status = torre_wave_run_new(&s->first->problem, "cuda", &plan, &run);
        if (!status) status = torre_wave_run_check_memory(run);
        if (!status && torre_wave_run_room(run) < s->room) s->room = torre_wave_run_room(run);
        if (status)
            status = torre_fail(status, "GPU %d: %s", s->devices.device[i], torre_error_text());
        torre_wave_run_free(run);
    }
    return status;
}

/* Ranks take all GPUs that there are unless others are named. */
static torre_status choose_devices(torre_survey *s)
{
    const char *backend = s->spec->backend;
    if (s->spec->devices || rank_count(s) == 1)
        return torre_device_list_read(s->spec->devices, backend, &s->devices);
    return torre_device_list_of_ranks(backend, s->spec->device, &s->devices);
}

torre_status torre_survey_plan(torre_survey *s)
{
    TORRE_TRY(choose_devices(s));
    if (rank_count(s) > 1 && s->wish.at_once > 0)
        return torre_fail(TORRE_ERR_USAGE,
                          "{shots_at_once} belongs to one process; of ranks each takes a shot");
    const torre_wave_plan plan = plan_of(s, 0);
    TORRE_TRY(
        torre_shot_problem_new(s->spec, s->input, &s->wish.aperture, &s->shots.shot[0], &s->first));
    TORRE_TRY(torre_wave_run_new(&s->first->problem, backend_of(s), &plan, &s->run));
    TORRE_TRY(torre_wave_run_check_memory(s->run));
    s->room = torre_wave_run_room(s->run);
    return check_devices(s);
}

/* Threads that all shots together have; those of a GPU are its own. */
static int64_t thread_count(const torre_survey *s)
{
    if (on_gpu(s)) return 1;
    const int64_t wish = torre_wave_input_plan(s->input)->threads;
    return wish > 0 ? wish : omp_get_max_threads();
}

/* --- The manifest --- */

static uint32_t checksum(const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc32(0, NULL, 0), bytes, count);
}

/* What all shots have in common and their traces depend on. */
static void make_head(const torre_survey *s, torre_record *r)
{
    const torre_aperture *aperture = &s->wish.aperture;
    memset(r, 0, sizeof *r);
    torre_record_add(r, "survey", "1");
    torre_wave_identity_model(s->input, s->run, r);
    torre_record_add(r, "amplitude", "%.17g", s->spec->amplitude);
    torre_record_add(r, "peak_frequency", "%.17g Hz", s->input->peak_frequency);
    if (aperture->wanted)
        torre_record_add(r, "aperture", "%.17g,%.17g m", aperture->x, aperture->y);
    else
        torre_record_add(r, "aperture", "none");
}

/* The line of a shot, without what became of it. */
static void make_line(const torre_survey *s, int64_t shot, torre_record *r)
{
    const torre_shot *t = &s->shots.shot[shot];
    const double *x = t->source.position;
    memset(r, 0, sizeof *r);
    torre_record_add(r, "shot", "%s", t->name);
    torre_record_add(r, "source", "%.17g,%.17g,%.17g", x[0], x[1], x[2]);
    torre_record_add(r, "amplitude", "%.17g", t->source.amplitude);
    if (t->source.component != TORRE_PRESSURE)
        torre_record_add(r, "component", "%c", "pxyz"[t->source.component]);
    torre_record_add(r, "delay", "%.17g", t->delay);
    if (t->wavelet)
        torre_record_add(
            r, "wavelet", "checksum %08x",
            checksum(t->wavelet->values, (size_t)s->input->problem.steps * sizeof(double)));
    else
        torre_record_add(r, "wavelet", "ricker");
    torre_record_add(r, "receivers", "%" PRId64 "%s, checksum %08x", t->receivers->list.count,
                     t->receivers->relative ? " relative" : "", t->receivers->checksum);
}

/* All shots, in a few words, for the files of all of them. */
static void make_joined(const torre_survey *s, torre_record *r)
{
    uint32_t sum = (uint32_t)crc32(0, NULL, 0);
    for (int64_t i = 0; i < s->shots.count; i++) {
        const char *name = s->shots.shot[i].name;
        sum = (uint32_t)crc32(sum, (const unsigned char *)name, (unsigned)strlen(name) + 1);
    }
    memset(r, 0, sizeof *r);
    torre_record_add(r, "files", "of all shots");
    torre_record_add(r, "shots", "%" PRId64 ", checksum %08x", s->shots.count, sum);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const torre_shot *const *)a)->name, (*(const torre_shot *const *)b)->name);
}

/* Reading the manifest: the shots by their names. */
typedef struct reading {
    torre_survey *survey;
    const torre_shot **by_name;
    torre_record wanted;
} reading;

static torre_status read_line(void *context, const torre_record *found)
{
    reading *r = context;
    torre_survey *s = r->survey;
    if (torre_record_get(found, "files")) {
        make_joined(s, &r->wanted);
        s->shot_files.joined = !torre_record_differs(&r->wanted, found);
        return TORRE_OK;
    }
    const torre_shot key = {.name = (char *)(intptr_t)torre_record_get(found, "shot")};
    const torre_shot *const pointer = &key;
    const char *state = torre_record_get(found, "state");
    if (!key.name || !state) return TORRE_OK;
    const torre_shot *const *at =
        bsearch(&pointer, r->by_name, (size_t)s->shots.count, sizeof *r->by_name, by_name);
    if (!at) return TORRE_OK; /* it is no longer asked for */
    const int64_t shot = *at - s->shots.shot;
    s->done[shot] = strcmp(state, "done") == 0;
    if (!s->done[shot]) return TORRE_OK;
    make_line(s, shot, &r->wanted);
    const char *name = torre_record_differs(&r->wanted, found);
    if (!name) return TORRE_OK;
    return torre_fail(TORRE_ERR_INPUT,
                      "%s:%" PRId64 ": shot %s was done with another %s: %.120s, now it is %.120s; "
                      "give it another name, or another {manifest} and other {traces}",
                      s->shots.path, (*at)->line, (*at)->name, name,
                      torre_record_get(found, name) ? torre_record_get(found, name) : "none",
                      torre_record_get(&r->wanted, name));
}

static torre_status open_manifest(torre_survey *s)
{
    torre_record *head = malloc(sizeof *head);
    reading *r = calloc(1, sizeof *r);
    const torre_shot **sorted = malloc((size_t)s->shots.count * sizeof *sorted);
    torre_status status = head && r && sorted ? TORRE_OK : no_memory();
    if (!status) {
        for (int64_t i = 0; i < s->shots.count; i++) sorted[i] = &s->shots.shot[i];
        qsort(sorted, (size_t)s->shots.count, sizeof *sorted, by_name);
        r->survey = s;
        r->by_name = sorted;
        make_head(s, head);
        status = torre_manifest_open(s->manifest_path, head, read_line, r, &s->manifest);
    }
    free(head);
    free(r);
    free(sorted);
    return status;
}

static torre_status choose_count(torre_survey *s)
{
    const int64_t threads = thread_count(s), wish = s->wish.at_once;
    if (rank_count(s) > 1) {
        s->at_once = rank_count(s);
    } else if (on_gpu(s)) {
        TORRE_TRY(choose_on_gpu(s, &s->at_once));
        if (s->devices.count > 0) s->at_once *= s->devices.count;
    } else {
        s->at_once = wish > 0 ? wish : choose_at_once(s, threads);
        if (s->at_once > threads) s->at_once = threads;
    }
    return TORRE_OK;
}

torre_status torre_survey_open(torre_survey *s)
{
    TORRE_TRY(torre_shot_files_make_folders(&s->shot_files, s->manifest_path));
    TORRE_TRY(open_manifest(s));
    if (!torre_shot_files_all_there(&s->shot_files)) s->shot_files.joined = false;
    for (int64_t shot = 0; shot < s->shots.count; shot++) {
        s->done[shot] = s->done[shot] && torre_shot_files_there(&s->shot_files, shot);
        if (s->done[shot]) continue;
        torre_shot_files_clean(&s->shot_files, shot);
        s->to_do[s->to_do_count++] = shot;
    }
    TORRE_TRY(choose_count(s));
    const int64_t here = rank_count(s) > 1 ? 1 : s->at_once;
    return torre_memory_check("computing shots at once", here * worker_bytes(s));
}

/* --- Computing --- */

/* What the steps of the queue share; only the thread that delivers changes the survey. */
typedef struct survey_steps {
    torre_survey *survey;
    const torre_survey_watch *watch;
    int write_failures; /* in a row */
    atomic_bool broken; /* there is no way on */
} survey_steps;

static bool wants_stop(const torre_survey_watch *watch)
{
    return watch->stop && watch->stop(watch->context);
}

torre_status torre_shot_item_new(const torre_survey *s, int64_t shot, torre_shot_item **result)
{
    torre_shot_item *item = calloc(1, sizeof *item);
    if (!item) return no_memory();
    item->shot = shot;
    torre_status status = torre_shot_problem_new(s->spec, s->input, &s->wish.aperture,
                                                 &s->shots.shot[shot], &item->problem);
    if (status)
        free(item);
    else
        *result = item;
    return status;
}

static torre_status prepare(void *context, int64_t shot, void **result)
{
    torre_shot_item *item = NULL;
    TORRE_TRY(torre_shot_item_new(((survey_steps *)context)->survey, shot, &item));
    *result = item;
    return TORRE_OK;
}

/* Begin a shot with the worker's solver; the first makes it. */
static torre_status begin(torre_run_worker *w, torre_shot_item *item)
{
    torre_shot_problem *problem = item->problem;
    torre_status status = TORRE_OK;
    if (w->run) {
        torre_wave_setup *setup = problem->setup;
        problem->setup = NULL;
        status = torre_wave_run_restart(w->run, setup, w->survey->wish.aperture.wanted);
    } else {
        status = torre_wave_run_new(&problem->problem, backend_of(w->survey), &w->plan, &w->run);
        if (!status) status = torre_wave_run_start(w->run, NULL, NULL);
    }
    torre_shot_problem_free(w->last);
    w->last = problem; /* the run looks at it until the next one */
    item->problem = NULL;
    if (status && w->run && torre_wave_run_step(w->run) == 0) { /* nothing to begin anew with */
        torre_wave_run_free(w->run);
        w->run = NULL;
    }
    return status;
}

/* Whether the traces end with the correction of time dispersion, which takes nothing but them: then
 * the worker has no part in it. */
static bool corrected_alone(const torre_wave_problem *p)
{
    for (int64_t r = 0; r < p->receiver_count; r++)
        if (p->receivers[r].component != TORRE_PRESSURE) return false;
    return torre_dispersion_corrects(p);
}

static torre_status compute(torre_shot_worker *worker, void *data)
{
    torre_run_worker *w = (torre_run_worker *)worker;
    torre_shot_item *item = data;
    const torre_wave_watch watch = {.stop = w->watch->stop, .context = w->watch->context};
    if (w->plan.threads > 0) omp_set_num_threads(w->plan.threads); /* beside advancing, too */
    if (wants_stop(w->watch)) return torre_fail(TORRE_STOPPED, "stopped");
    TORRE_TRY(begin(w, item));
    const int64_t steps = torre_wave_run_problem(w->run)->steps;
    TORRE_TRY(torre_wave_run_record(w->run, steps, &watch));
    item->compute_s = torre_wave_run_seconds(w->run);
    if (torre_wave_run_step(w->run) < steps) return torre_fail(TORRE_STOPPED, "stopped");
    item->open = corrected_alone(torre_wave_run_problem(w->run));
    if (!item->open) TORRE_TRY(torre_wave_run_end_traces(w->run));
    item->traces = torre_wave_run_take_traces(w->run);
    return TORRE_OK;
}

torre_status torre_shot_item_end(torre_shot_item *item)
{
    if (!item->open) return TORRE_OK;
    item->open = false;
    return torre_dispersion_traces(&item->traces, item->traces.shape[1]);
}

/* The failure of the first shot of the list that failed, or what ends all, is what the survey ends
 * with. */
static void keep_failure(torre_survey *s, torre_status status)
{
    s->first_failure = status;
    snprintf(s->failure_text, sizeof s->failure_text, "%s", torre_error_text());
}

static void end_all(survey_steps *steps, torre_status status)
{
    if (!atomic_load(&steps->broken)) keep_failure(steps->survey, status);
    atomic_store(&steps->broken, true);
}

/* Note in the manifest what became of a shot. */
static void note_shot(survey_steps *steps, int64_t shot, const torre_shot_item *item,
                      torre_status status)
{
    torre_survey *s = steps->survey;
    torre_record *record = malloc(sizeof *record);
    if (!record) {
        end_all(steps, no_memory());
        return;
    }
    make_line(s, shot, record);
    torre_record_add(record, "state", status ? "failed" : "done");
    if (status)
        torre_record_add(record, "reason", "%s", torre_error_text());
    else
        torre_record_add(record, "seconds", "%.3f", item->compute_s);
    const torre_status added = torre_manifest_add(s->manifest, record);
    free(record);
    if (added) end_all(steps, added);
    if (added || status) return;
    s->done[shot] = true;
    s->computed++;
    s->compute_s += item->compute_s;
}

void torre_shot_item_free(torre_shot_item *item)
{
    if (!item) return;
    torre_shot_problem_free(item->problem);
    free(item->traces.data);
    free(item);
}

static void deliver(void *context, int64_t shot, void *item, torre_status status)
{
    survey_steps *steps = context;
    torre_survey *s = steps->survey;
    const torre_survey_watch *watch = steps->watch;
    if (!status) status = torre_shot_item_end(item);
    if (!status) {
        status = torre_shot_files_write(&s->shot_files, shot, &((torre_shot_item *)item)->traces);
        steps->write_failures = status ? steps->write_failures + 1 : 0;
        if (!status && watch->written)
            status = watch->written(watch->context, shot, &((torre_shot_item *)item)->traces);
    }
    if (status && status != TORRE_STOPPED) {
        if (!s->failed++ || shot < s->first_failed) {
            s->first_failed = shot;
            keep_failure(s, status);
        }
        if (watch->failed) watch->failed(watch->context, &s->shots.shot[shot], torre_error_text());
        if (steps->write_failures == WRITE_FAILURES) end_all(steps, status);
    }
    if (status != TORRE_STOPPED) note_shot(steps, shot, item, status);
    torre_shot_item_free(item);
    if (watch->progress) watch->progress(watch->context, s->computed + s->failed, s->to_do_count);
}

static bool stop(void *context)
{
    const survey_steps *steps = context;
    return wants_stop(steps->watch) || atomic_load(&steps->broken);
}

torre_run_worker torre_run_worker_new(const torre_survey *s, const torre_survey_watch *watch, int i,
                                      int count)
{
    torre_run_worker worker = {
        .base = {compute}, .survey = s, .watch = watch, .plan = plan_of(s, i)};
    const int64_t threads = thread_count(s);
    if (!on_gpu(s)) worker.plan.threads = (int)(threads / count + (i < threads % count));
    return worker;
}

void torre_run_worker_end(torre_run_worker *worker)
{
    torre_wave_run_free(worker->run);
    torre_shot_problem_free(worker->last);
}

/* All workers, those of this process first, through all shots. */
static torre_status compute_all(torre_survey *s, survey_steps *steps)
{
    const int count = (int)s->at_once, ranks = rank_count(s), here = count - (ranks - 1);
    torre_run_worker *worker = calloc((size_t)here, sizeof *worker);
    torre_rank_worker *elsewhere = calloc((size_t)ranks, sizeof *elsewhere);
    torre_shot_worker **list = malloc((size_t)count * sizeof *list);
    torre_status status = worker && elsewhere && list ? TORRE_OK : no_memory();
    for (int i = 0; i < here && !status; i++) {
        worker[i] = torre_run_worker_new(s, steps->watch, i, here);
        list[i] = &worker[i].base;
    }
    for (int i = 1; i < ranks && !status; i++) {
        elsewhere[i] = torre_rank_worker_new(s->wish.ranks, i);
        list[here + i - 1] = &elsewhere[i].base;
    }
    const torre_shot_steps functions = {prepare, deliver, stop, steps,
                                        /* of GPUs all but those of their workers are free */
                                        on_gpu(s) ? (int)(omp_get_max_threads() - s->at_once) : 1};
    const int usual = omp_get_max_threads(); /* of this thread, the first worker */
    if (!status) status = torre_shot_queue_run(&functions, s->to_do, s->to_do_count, list, count);
    omp_set_num_threads(usual);
    for (int i = 0; i < here && worker; i++) torre_run_worker_end(&worker[i]);
    free(worker);
    free(elsewhere);
    free(list);
    return status;
}

/* Make the files of all shots, now that all are done. */
static torre_status join(torre_survey *s)
{
    if (!s->shot_files.folder) return TORRE_OK;
    if (s->shot_files.joined) return torre_shot_files_forget(&s->shot_files); /* left by a kill */
    torre_record *record = malloc(sizeof *record);
    if (!record) return no_memory();
    make_joined(s, record);
    torre_status status = torre_shot_files_join(&s->shot_files);
    if (!status) status = torre_manifest_add(s->manifest, record);
    if (!status) status = torre_shot_files_forget(&s->shot_files);
    free(record);
    return status;
}

torre_status torre_survey_run(torre_survey *s, const torre_survey_watch *watch)
{
    survey_steps steps = {.survey = s, .watch = watch};
    if (s->to_do_count > 0) TORRE_TRY(compute_all(s, &steps));
    const int64_t left = s->to_do_count - s->computed;
    if (atomic_load(&steps.broken))
        return torre_fail(s->first_failure,
                          "%s; the survey ends with %" PRId64 " of %" PRId64
                          " shots to do, the same command goes on",
                          s->failure_text, left, s->shots.count);
    if (left > s->failed)
        return torre_fail(TORRE_STOPPED,
                          "stopped with %" PRId64 " of %" PRId64
                          " shots to do; the same command goes on",
                          left, s->shots.count);
    if (s->failed > 0)
        return torre_fail(s->first_failure,
                          "%" PRId64 " of %" PRId64
                          " shots failed, the first with: %s; the same command tries them again",
                          s->failed, s->shots.count, s->failure_text);
    return join(s);
}

void torre_survey_clear(torre_survey *s)
{
    torre_manifest_close(s->manifest);
    torre_wave_run_free(s->run);
    torre_shot_problem_free(s->first);
    torre_shot_files_free(&s->shot_files);
    torre_trace_files_free(&s->files);
    torre_shot_list_free(&s->shots);
    free(s->manifest_path);
    free(s->done);
    free(s->to_do);
    memset(s, 0, sizeof *s);
}
