#include "io/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options.h"
#include "core/phase.h"
#include "io/file_ending.h"
#include "io/sink_format.h"
#include "io/sink_list.h"

#define DECLARE(name) extern const torre_sink_format torre_sink_##name;
#define ADDRESS(name) &torre_sink_##name,

TORRE_SINK_LIST(DECLARE)
static const torre_sink_format *const formats[] = {TORRE_SINK_LIST(ADDRESS) NULL};

_Static_assert(sizeof formats / sizeof formats[0] <= TORRE_SINK_NAMES, "TORRE_SINK_NAMES is small");

const torre_sink_format *torre_sink_by_name(const char *name)
{
    int i = 0;
    while (formats[i] && strcmp(formats[i]->name, name) != 0) i++;
    return formats[i];
}

static bool takes(const torre_sink_format *f, torre_sink_kind kind, bool series)
{
    return (f->kinds & kind) && (f->series || !series);
}

const torre_sink_format *torre_sink_by_ending(const char *path, torre_sink_kind kind, bool series)
{
    for (int i = 0; formats[i]; i++)
        if (takes(formats[i], kind, series) &&
            torre_file_ending(path, formats[i]->ending, formats[i]->text) >= 0)
            return formats[i];
    return NULL;
}

/* All endings of the formats that would do, NULL after the last; whether all of them are text. */
typedef struct ending_list {
    const char *ending[TORRE_SINK_NAMES * TORRE_SINK_ENDINGS];
    bool text;
} ending_list;

static ending_list endings_of(torre_sink_kind kind, bool series)
{
    ending_list list = {.text = true};
    int count = 0;
    for (int i = 0; formats[i]; i++) {
        if (!takes(formats[i], kind, series)) continue;
        for (int k = 0; formats[i]->ending[k]; k++) list.ending[count++] = formats[i]->ending[k];
        list.text = list.text && formats[i]->text;
    }
    return list;
}

torre_status torre_sink_choose(const char *option, const char *path, torre_sink_kind kind,
                               bool series, const torre_sink_format **format)
{
    *format = torre_sink_by_ending(path, kind, series);
    if (*format) return TORRE_OK;
    const ending_list list = endings_of(kind, series);
    TORRE_TRY(torre_file_ending_check(option, path, list.ending, list.text));
    int first = 0;
    while (!takes(formats[first], kind, series)) first++;
    *format = formats[first];
    return TORRE_OK;
}

void torre_sink_names(torre_sink_kind kind, const char *names[TORRE_SINK_NAMES])
{
    int count = 0;
    for (int i = 0; formats[i]; i++)
        if (takes(formats[i], kind, false)) names[count++] = formats[i]->name;
    names[count] = NULL;
}

void torre_sink_endings(torre_sink_kind kind, bool series, char *text, size_t size)
{
    const ending_list list = endings_of(kind, series);
    torre_join_choices(list.ending, text, size);
}

const char *torre_sink_name(const torre_sink_format *format) { return format->name; }

const char *torre_sink_ending(const torre_sink_format *format) { return format->ending[0]; }

bool torre_sink_is_picture(const torre_sink_format *format) { return format->picture; }

bool torre_sink_whole_microseconds(const torre_sink_format *format)
{
    return format->whole_microseconds;
}

static const char *kind_text(torre_sink_kind kind)
{
    switch (kind) {
    case TORRE_SINK_FIELD:
        return "fields";
    case TORRE_SINK_PLANE:
        return "planes";
    case TORRE_SINK_TRACES:
        return "traces";
    case TORRE_SINK_PARTICLES:
        return "particles";
    case TORRE_SINK_ROWS:
        return "tables";
    }
    return "such data";
}

torre_status torre_sink_check(const torre_sink_format *f, const torre_sink_data *data)
{
    if (!takes(f, data->kind, data->series)) {
        char list[256];
        torre_sink_endings(data->kind, data->series, list, sizeof list);
        return torre_fail(TORRE_ERR_USAGE, "%s files do not hold %s%s; %s files do", f->ending[0],
                          data->series ? "many frames of " : "", kind_text(data->kind), list);
    }
    const bool field = data->kind & (TORRE_SINK_FIELD | TORRE_SINK_PLANE);
    if (field && data->field.loss && !f->compresses)
        return torre_fail(TORRE_ERR_USAGE, "%s files are not compressed by zfp; .h5 files are",
                          f->ending[0]);
    return f->check ? f->check(data) : TORRE_OK;
}

int64_t torre_sink_bytes(const torre_sink_format *f, const torre_sink_data *data)
{
    return f->bytes ? f->bytes(data) : 0;
}

torre_status torre_sink_open(const torre_sink_format *f, const torre_sink_data *data,
                             const char *path, torre_sink **result)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    TORRE_TRY(torre_sink_check(f, data));
    torre_sink *sink = calloc(1, sizeof *sink);
    if (!sink) return torre_fail(TORRE_ERR_RESOURCE, "%s: no memory to write it", path);
    sink->format = f;
    sink->data = *data;
    torre_status status =
        f->text ? torre_text_output_open(path, &sink->text) : torre_output_open(path, &sink->file);
    if (!status && sink->file && data->durable) torre_output_make_durable(sink->file);
    if (!status && f->open) status = f->open(sink);
    if (!status && sink->text) torre_text_output_flush(sink->text);
    if (!status)
        sink->head = sink->marked =
            torre_output_position(sink->text ? torre_text_output_file(sink->text) : sink->file);
    if (status) {
        torre_sink_discard(sink);
        return status;
    }
    *result = sink;
    return TORRE_OK;
}

torre_status torre_sink_frame(torre_sink *sink, const torre_frame *frame)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    TORRE_TRY(sink->format->frame(sink, frame));
    sink->frames++;
    return TORRE_OK;
}

int64_t torre_sink_frames(const torre_sink *sink) { return sink ? sink->frames : 0; }

torre_status torre_sink_finish(torre_sink **at, torre_status status)
{
    TORRE_PHASE(TORRE_PHASE_OUTPUT);
    torre_sink *sink = *at;
    *at = NULL;
    if (!sink) return status;
    if (!status && sink->format->commit) status = sink->format->commit(sink);
    if (!status && sink->text) {
        torre_text_output *text = sink->text;
        sink->text = NULL;
        status = torre_text_output_commit(text);
    } else if (!status) {
        status = torre_output_finish(&sink->file, TORRE_OK);
    }
    torre_sink_discard(sink);
    return status;
}

void torre_sink_discard(torre_sink *sink)
{
    if (!sink) return;
    torre_text_output_discard(sink->text);
    torre_output_discard(sink->file);
    if (sink->format->discard) sink->format->discard(sink);
    free(sink);
}

torre_status torre_sink_write(const torre_sink_format *f, const torre_sink_data *data,
                              const char *path, const torre_frame *frame)
{
    torre_sink *sink = NULL;
    TORRE_TRY(torre_sink_open(f, data, path, &sink));
    return torre_sink_finish(&sink, torre_sink_frame(sink, frame));
}
