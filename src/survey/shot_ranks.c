/*
 * A shot on its way to another rank and back: its number, then a reply and, where all went well,
 * the values of its traces. Before the first shot a rank says whether it could prepare; number -1
 * ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "survey/survey_private.h"

/* What a rank says. */
typedef struct reply {
    int64_t status;
    double compute_s;
    char text[512];
} reply;

static const int64_t no_more = -1;

/* A survey goes on with what its manifest has, but not without a rank. */
static void must(const torre_ranks *ranks, torre_status status)
{
    if (status) ranks->give_up(ranks);
}

static void send(const torre_ranks *ranks, int to, const void *bytes, int64_t count)
{
    must(ranks, torre_rank_send(ranks, to, bytes, count));
}

static void receive(const torre_ranks *ranks, int from, void *bytes, int64_t count)
{
    must(ranks, torre_rank_receive(ranks, from, bytes, count));
}

static int64_t bytes_of(const torre_array *traces)
{
    return traces->shape[0] * traces->shape[1] * (int64_t)traces->precision;
}

/* Room for the traces before they are on their way. */
static torre_status make_room(torre_shot_item *item)
{
    const torre_wave_problem *p = &item->problem->problem;
    item->traces =
        (torre_array){.precision = p->precision, .shape = {p->receiver_count, p->steps + 1, 1}};
    item->traces.data = malloc((size_t)bytes_of(&item->traces));
    return item->traces.data ? TORRE_OK
                             : torre_fail(TORRE_ERR_RESOURCE, "out of memory for traces");
}

static torre_status compute_there(torre_shot_worker *worker, void *data)
{
    const torre_rank_worker *w = (const torre_rank_worker *)worker;
    torre_shot_item *item = data;
    reply r;
    TORRE_TRY(make_room(item));
    send(w->ranks, w->rank, &item->shot, sizeof item->shot);
    receive(w->ranks, w->rank, &r, sizeof r);
    if (r.status) return torre_fail((torre_status)r.status, "%s", r.text);
    item->compute_s = r.compute_s;
    receive(w->ranks, w->rank, item->traces.data, bytes_of(&item->traces));
    return TORRE_OK;
}

torre_rank_worker torre_rank_worker_new(const torre_ranks *ranks, int rank)
{
    return (torre_rank_worker){.base = {compute_there}, .ranks = ranks, .rank = rank};
}

static reply reply_of(torre_status status)
{
    reply r = {.status = status};
    if (status) snprintf(r.text, sizeof r.text, "%s", torre_error_text());
    return r;
}

torre_status torre_survey_gather(const torre_ranks *ranks, torre_status status)
{
    char text[sizeof((reply *)NULL)->text + 32];
    if (status) snprintf(text, sizeof text, "%s", torre_error_text());
    for (int i = 1; i < ranks->count; i++) {
        reply r;
        receive(ranks, i, &r, sizeof r);
        if (!r.status || status) continue;
        status = (torre_status)r.status;
        snprintf(text, sizeof text, "rank %d: %s", i, r.text);
    }
    return status ? torre_fail(status, "%s", text) : TORRE_OK;
}

void torre_survey_dismiss(const torre_ranks *ranks)
{
    for (int i = 1; i < ranks->count; i++) send(ranks, i, &no_more, sizeof no_more);
}

/* Compute a shot, of whose item only the traces are left. */
static torre_status compute_here(torre_run_worker *worker, int64_t shot, torre_shot_item **item)
{
    *item = NULL;
    TORRE_TRY(torre_shot_item_new(worker->survey, shot, item));
    TORRE_TRY(worker->base.compute(&worker->base, *item));
    return torre_shot_item_end(*item);
}

static void answer(const torre_ranks *ranks, torre_status status, const torre_shot_item *item)
{
    reply r = reply_of(status);
    if (!status) r.compute_s = item->compute_s;
    send(ranks, 0, &r, sizeof r);
    if (!status) send(ranks, 0, item->traces.data, bytes_of(&item->traces));
}

void torre_survey_serve(const torre_survey *s, const torre_ranks *ranks,
                        const torre_survey_watch *watch, torre_status status)
{
    torre_run_worker worker = {.survey = s};
    const reply ready = reply_of(status);
    int64_t shot;
    send(ranks, 0, &ready, sizeof ready);
    if (!status) worker = torre_run_worker_new(s, watch, 0, 1);
    for (;;) {
        torre_shot_item *item;
        receive(ranks, 0, &shot, sizeof shot);
        if (shot < 0) break;
        status = compute_here(&worker, shot, &item);
        answer(ranks, status, item);
        torre_shot_item_free(item);
    }
    torre_run_worker_end(&worker);
}
