#include "run/wave_snapshots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array_value.h"
#include "core/numbers.h"
#include "io/output_file.h"

static const char mark[] = "{step}";

enum { MARK = sizeof mark - 1 };

/* All axes of the grid but `without`, those that there are. */
static torre_field_layout layout_without(const torre_wave_problem *p, int without)
{
    torre_field_layout layout = {.precision = p->precision};
    for (int a = 0; a < 3; a++) {
        if (a == without || torre_wave_is_flat(p, a)) continue;
        layout.shape[layout.dims] = p->size[a];
        layout.axis[layout.dims] = a;
        layout.spacing[layout.dims++] = p->spacing[a];
    }
    return layout;
}

torre_field_layout torre_wave_layout(const torre_wave_problem *p) { return layout_without(p, -1); }

torre_field_layout torre_wave_layout_plane(const torre_wave_problem *p, int axis, int64_t index)
{
    torre_field_layout layout = layout_without(p, axis);
    if (!torre_wave_is_flat(p, axis)) layout.origin[axis] = (double)index * p->spacing[axis];
    return layout;
}

void torre_wave_plane_velocity(const torre_wave_problem *p, int axis, int64_t index,
                               double *velocity)
{
    int64_t low[3] = {0, 0, 0}, high[3] = {p->size[0], p->size[1], p->size[2]}, i = 0;
    low[axis] = index;
    high[axis] = index + 1;
    for (int64_t x = low[0]; x < high[0]; x++)
        for (int64_t y = low[1]; y < high[1]; y++)
            for (int64_t z = low[2]; z < high[2]; z++)
                velocity[i++] = torre_wave_velocity_at(p, x, y, z);
}

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the snapshots");
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- What is wanted --- */

/* Several steps, so that a file without the step in its name has many frames. */
static bool is_series(const torre_snapshots *s, const torre_snapshot *t)
{
    return s->spec->snapshot_every > 0 && !t->single;
}

static torre_sink_kind kind_of(const torre_snapshots *s, const torre_snapshot *t)
{
    const char *part = t->part ? t->part : s->spec->snapshot_plane;
    return strcmp(part, "volume") == 0 ? TORRE_SINK_FIELD : TORRE_SINK_PLANE;
}

static torre_status choose_format(const torre_snapshots *s, torre_snapshot *t)
{
    const torre_sink_kind kind = kind_of(s, t);
    const bool series = is_series(s, t);
    if (series && !torre_sink_by_ending(t->name, kind, true) &&
        torre_sink_by_ending(t->name, kind, false))
        return torre_fail(TORRE_ERR_USAGE,
                          "{snapshot} %.80s would hold one step alone: put %s in its name, for a "
                          "file each",
                          t->name, mark);
    return torre_sink_choose("snapshot", t->name, kind, series, &t->format);
}

static torre_status bad_names(const torre_snapshots *s)
{
    return torre_fail(
        TORRE_ERR_USAGE,
        "{snapshot} must be 1 to %d files, FILE or FILE,PLANE, and for .h5 FILE,zfp=E "
        "or FILE,PLANE,zfp=E with the largest error E > 0 (got %.80s)",
        TORRE_SNAPSHOTS, s->spec->snapshot);
}

/* What stands behind the name: a plane, and how it is compressed, in any order. */
static torre_status parse_rest(const torre_snapshots *s, char *rest, torre_snapshot *t)
{
    static const char zfp[] = "zfp=";
    while (rest) {
        char *next = strchr(rest, ',');
        if (next) *next++ = 0;
        if (strncmp(rest, zfp, sizeof zfp - 1) == 0) {
            double *tolerance = &t->loss.tolerance;
            if (*tolerance > 0 || !torre_parse_real(rest + sizeof zfp - 1, tolerance) ||
                !(*tolerance > 0))
                return bad_names(s);
        } else if (t->part || !*rest) {
            return bad_names(s);
        } else {
            t->part = rest;
        }
        rest = next;
    }
    return TORRE_OK;
}

/* Cut the text at its semicolons and commas. */
static torre_status parse_names(torre_snapshots *s)
{
    for (char *name = s->text; name;) {
        char *next = strchr(name, ';');
        if (next) *next++ = 0;
        char *rest = strchr(name, ',');
        if (rest) *rest++ = 0;
        if (s->count == TORRE_SNAPSHOTS || !*name) return bad_names(s);
        torre_snapshot *t = &s->item[s->count++];
        t->name = name;
        TORRE_TRY(parse_rest(s, rest, t));
        t->single = strstr(file_name(name), mark);
        TORRE_TRY(choose_format(s, t));
        name = next;
    }
    return TORRE_OK;
}

/* OUTPUT/snapshot_{step}.png */
static torre_status make_name(torre_snapshots *s)
{
    const torre_wave_spec *spec = s->spec;
    const bool here = strcmp(spec->output, ".") == 0;
    torre_snapshot *t = &s->item[s->count++];
    t->format = torre_sink_by_name(spec->snapshot_format);
    const char *ending = torre_sink_ending(t->format);
    const size_t bytes = strlen(spec->output) + strlen(ending) + 32;
    s->text = malloc(bytes);
    if (!s->text) return no_memory();
    snprintf(s->text, bytes, "%s%ssnapshot_%s%s", here ? "" : spec->output, here ? "" : "/", mark,
             ending);
    t->name = s->text;
    t->single = true;
    return TORRE_OK;
}

torre_status torre_snapshots_plan(const torre_wave_spec *spec, torre_snapshots *s)
{
    s->spec = spec;
    if (spec->snapshot_every == 0) return TORRE_OK;
    if (!spec->snapshot) return make_name(s);
    s->text = strdup(spec->snapshot);
    return s->text ? parse_names(s) : no_memory();
}

/* One number for all axes, or one for each that there is. */
static torre_status read_stride(torre_snapshots *s)
{
    const torre_wave_problem *p = &s->input->problem;
    const int64_t *wish = s->spec->snapshot_stride;
    const bool plane = torre_wave_is_flat(p, 1);
    const int numbers = wish[0] == 0 ? 0 : wish[1] == 0 ? 1 : wish[2] == 0 ? 2 : 3;
    for (int a = 0; a < 3; a++) s->stride[a] = numbers == 0 ? 1 : wish[numbers == 1 ? 0 : a];
    if (plane) s->stride[1] = 1;
    if (plane && numbers == 2) s->stride[2] = wish[1];
    if (numbers > 1 && (numbers == 2) != plane)
        return torre_fail(TORRE_ERR_USAGE,
                          "{snapshot_stride} in %d dimensions must be %s (got %d numbers)",
                          plane ? 2 : 3, plane ? "N or NXxNZ" : "N or NXxNYxNZ", numbers);
    for (int a = 0; a < 3; a++)
        if (s->stride[a] < 1 || (s->stride[a] > p->size[a] && !torre_wave_is_flat(p, a)))
            return torre_fail(TORRE_ERR_USAGE,
                              "{snapshot_stride} along %c must be 1 to %" PRId64 " (got %" PRId64
                              ")",
                              "xyz"[a], p -> size[a], s -> stride[a]);
    return TORRE_OK;
}

static void lay_out(const torre_snapshots *s, torre_snapshot *t)
{
    const torre_wave_problem *p = &s->input->problem;
    torre_field_layout *l = &t->layout;
    *l = t->axis < 0 ? torre_wave_layout(p) : torre_wave_layout_plane(p, t->axis, t->index);
    for (int a = 0; a < l->dims; a++) {
        const int64_t stride = s->stride[l->axis[a]];
        l->shape[a] = (l->shape[a] + stride - 1) / stride;
        l->spacing[a] *= (double)stride;
    }
    l->velocity_range[0] = s->input->time.velocity_min;
    l->velocity_range[1] = s->input->time.velocity_max;
    l->scale = s->spec->snapshot_scale;
    l->loss = t->loss.tolerance > 0 ? &t->loss : NULL;
}

static void say_figure(const torre_snapshots *s, torre_snapshot *t)
{
    static const char *const plane[] = {"y-z", "x-z", "x-y"};
    const torre_wave_problem *p = &s->input->problem;
    t->figure.across = t->axis < 0 ? 0 : t->axis;
    t->figure.subject = t->subject;
    if (t->axis < 0 || torre_wave_is_flat(p, t->axis))
        snprintf(t->subject, sizeof t->subject, "Wave field u");
    else
        snprintf(t->subject, sizeof t->subject, "Wave field u in the %s plane at %c = %g m",
                 plane[t->axis], "xyz"[t->axis], (double)t -> index * p -> spacing[t->axis]);
}

static int64_t frames_of(const torre_snapshots *s)
{
    const int64_t every = s->spec->snapshot_every;
    return every > 0 ? s->input->problem.steps / every + 1 : 1;
}

static torre_sink_data data_of(const torre_snapshots *s, const torre_snapshot *t)
{
    torre_sink_data data = {.kind = kind_of(s, t),
                            .series = is_series(s, t),
                            .frames = is_series(s, t) ? frames_of(s) : 1,
                            .figure = &t->figure,
                            .field = t->layout};
    data.field.velocity = t->velocity;
    return data;
}

torre_status torre_snapshots_check(torre_snapshots *s, const torre_wave_input *in,
                                   const torre_figure_about *figure)
{
    s->input = in;
    TORRE_TRY(read_stride(s));
    for (int i = 0; i < s->count; i++) {
        torre_snapshot *t = &s->item[i];
        t->axis = in->plane_axis;
        t->index = in->plane_index;
        if (t->part)
            TORRE_TRY(torre_wave_part_read("snapshot", t->part, &in->problem, &t->axis, &t->index));
        lay_out(s, t);
        t->figure = *figure;
        say_figure(s, t);
        const torre_sink_data data = data_of(s, t);
        TORRE_TRY(torre_sink_check(t->format, &data));
    }
    if (s->spec->snapshot && s->spec->snapshot_scale > 0 && !torre_snapshots_draw(s))
        return torre_fail(TORRE_ERR_USAGE,
                          "{snapshot_scale} belongs to pictures, and {snapshot} makes none");
    return TORRE_OK;
}

torre_frame_planes torre_snapshots_planes(torre_snapshots *s)
{
    torre_frame_planes planes = {.at = s->plane_at, .every = s->spec->snapshot_every};
    const torre_frame_planes none = {0};
    if (planes.every <= 0 || planes.every == s->spec->field_every) return none;
    for (int i = 0; i < s->count; i++) {
        const torre_plane_at at = {s->item[i].axis, s->item[i].index};
        int same = 0;
        if (at.axis < 0) return none;
        while (same < planes.count &&
               (s->plane_at[same].axis != at.axis || s->plane_at[same].index != at.index))
            same++;
        s->plane_at[same] = at;
        if (same == planes.count) planes.count++;
    }
    return planes;
}

/* The file of a step. */
static void path_of(const torre_snapshot *t, int64_t step, char path[4096])
{
    const char *at = strstr(file_name(t->name), mark);
    if (at)
        snprintf(path, 4096, "%.*s%06" PRId64 "%s", (int)(at - t->name), t->name, step, at + MARK);
    else
        snprintf(path, 4096, "%s", t->name);
}

/* Whether one with the step in its name would be that file, which has then such a name, too. */
static bool replaces(const torre_snapshots *s, const torre_snapshot *t, int64_t steps,
                     const char *file)
{
    char path[4096];
    const int64_t every = s->spec->snapshot_every;
    int64_t step;
    const char *last = file_name(t->name), *at = strstr(last, mark), *name = file_name(file);
    if (!at) return false; /* the caller compares whole names */
    if (strncmp(name, last, (size_t)(at - last)) != 0) return false;
    if (sscanf(name + (at - last), "%" SCNd64, &step) != 1 || step < 0 || step > steps)
        return false;
    if ((every > 0 ? step % every : steps - step) != 0) return false;
    path_of(t, step, path);
    return torre_output_same(path, file);
}

bool torre_snapshots_replace(const torre_snapshots *s, int64_t steps, const char *file)
{
    bool over = false;
    for (int i = 0; i < s->count; i++) over = over || replaces(s, &s->item[i], steps, file);
    return over;
}

bool torre_snapshots_draw(const torre_snapshots *s)
{
    bool draws = false;
    for (int i = 0; i < s->count; i++) draws = draws || torre_sink_is_picture(s->item[i].format);
    return draws;
}

/* --- Memory --- */

static int64_t cells_of(const torre_snapshot *t)
{
    int64_t cells = 1;
    for (int a = 0; a < t->layout.dims; a++) cells *= t->layout.shape[a];
    return cells;
}

/* Whether cells are left out of a snapshot, which is then read plane by plane. */
static bool is_thinned(const torre_snapshots *s)
{
    return s->stride[0] > 1 || s->stride[1] > 1 || s->stride[2] > 1;
}

/* The axis across the planes in which a snapshot is read. */
static int axis_of_planes(const torre_snapshot *t) { return t->axis < 0 ? 0 : t->axis; }

static int64_t plane_bytes(const torre_snapshots *s)
{
    const torre_wave_problem *p = &s->input->problem;
    int64_t most = 0;
    for (int i = 0; i < s->count && is_thinned(s); i++) {
        const int64_t cells = torre_wave_cells(p) / p->size[axis_of_planes(&s->item[i])];
        if (cells > most) most = cells;
    }
    return most * (int64_t)p->precision;
}

static bool wants_velocity(const torre_snapshots *s, const torre_snapshot *t)
{
    return s->input->problem.velocity_cells && torre_sink_is_picture(t->format);
}

/* Whether threads write it: pictures take long. */
static bool is_queued(const torre_snapshots *s, const torre_snapshot *t)
{
    return s->writers > 0 && !s->one_scale && t->single && torre_sink_is_picture(t->format);
}

/* Of a frame of the queue; 0: there is none. */
static int64_t queued_bytes(const torre_snapshots *s)
{
    int64_t most = 0;
    for (int i = 0; i < s->count; i++) {
        const torre_snapshot *t = &s->item[i];
        const int64_t bytes = cells_of(t) * (int64_t)t->layout.precision;
        if (is_queued(s, t) && bytes > most) most = bytes;
    }
    return most;
}

void torre_snapshots_bytes(const torre_snapshots *s, int64_t *kept, int64_t *most)
{
    *kept = *most = 0;
    for (int i = 0; i < s->count; i++) {
        const torre_snapshot *t = &s->item[i];
        const torre_sink_data data = data_of(s, t);
        const int64_t writers = is_queued(s, t) ? s->writers : 1;
        const int64_t bytes = writers * torre_sink_bytes(t->format, &data);
        const int64_t value = is_queued(s, t) ? 0 : (int64_t)t->layout.precision;
        *kept += cells_of(t) * (value + (wants_velocity(s, t) ? 8 : 0));
        if (bytes > *most) *most = bytes;
    }
    *kept += plane_bytes(s) + TORRE_SINK_QUEUE_FRAMES * queued_bytes(s);
}

/* --- Writing --- */

/* Velocities of the cells of a plane. */
static void fill_velocity(const torre_snapshots *s, torre_snapshot *t)
{
    const torre_wave_problem *p = &s->input->problem;
    int64_t low[3] = {0, 0, 0}, high[3] = {p->size[0], p->size[1], p->size[2]}, i = 0;
    low[t->axis] = t->index;
    high[t->axis] = t->index + 1;
    for (int64_t x = low[0]; x < high[0]; x += s->stride[0])
        for (int64_t y = low[1]; y < high[1]; y += s->stride[1])
            for (int64_t z = low[2]; z < high[2]; z += s->stride[2])
                t->velocity[i++] = torre_wave_velocity_at(p, x, y, z);
}

static void folder_of(const char *path, char folder[4096])
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, 4096, "%.*s", (int)(slash > path ? slash - path : 1), path);
    else
        snprintf(folder, 4096, ".");
}

static torre_status open_one(torre_snapshots *s, torre_snapshot *t)
{
    char folder[4096];
    folder_of(t->name, folder);
    TORRE_TRY(torre_output_directory(folder));
    if (!is_queued(s, t)) t->cells = malloc((size_t)cells_of(t) * (size_t)t->layout.precision);
    if (wants_velocity(s, t)) t->velocity = malloc((size_t)cells_of(t) * sizeof(double));
    if ((!is_queued(s, t) && !t->cells) || (wants_velocity(s, t) && !t->velocity))
        return no_memory();
    if (t->velocity) fill_velocity(s, t);
    if (s->one_scale && torre_sink_is_picture(t->format))
        return torre_kept_frames_new(folder, &t->layout, frames_of(s), &t->kept);
    if (t->single) return TORRE_OK;
    const torre_sink_data data = data_of(s, t);
    return torre_sink_open(t->format, &data, t->name, &t->sink);
}

torre_status torre_snapshots_open(torre_snapshots *s)
{
    if (plane_bytes(s) > 0 && !(s->plane = malloc((size_t)plane_bytes(s)))) return no_memory();
    for (int i = 0; i < s->count; i++) TORRE_TRY(open_one(s, &s->item[i]));
    return queued_bytes(s) ? torre_sink_queue_new((size_t)queued_bytes(s), s->writers,
                                                  s->writer_cores, &s->queue)
                           : TORRE_OK;
}

/* Every so many cells of both axes of a plane, which is in s->plane. */
static char *thin_plane(const torre_snapshots *s, int axis, char *to)
{
    const torre_wave_problem *p = &s->input->problem;
    const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    const size_t width = (size_t)p->precision;
    for (int64_t i = 0; i < p->size[first]; i += s->stride[first])
        for (int64_t k = 0; k < p->size[second]; k += s->stride[second], to += width)
            memcpy(to, (const char *)s->plane + (size_t)(i * p->size[second] + k) * width, width);
    return to;
}

static torre_status read_cells(const torre_snapshots *s, const torre_snapshot *t,
                               torre_wave_run *run, void *cells)
{
    const bool all = t->axis < 0;
    if (!is_thinned(s))
        return all ? torre_wave_run_field(run, 0, cells)
                   : torre_wave_run_plane(run, t->axis, t->index, cells);
    char *to = cells;
    const int64_t end = all ? s->input->problem.size[0] : t->index + 1;
    for (int64_t i = all ? 0 : t->index; i < end; i += all ? s->stride[0] : 1) {
        TORRE_TRY(torre_wave_run_plane(run, axis_of_planes(t), i, s->plane));
        to = thin_plane(s, axis_of_planes(t), to);
    }
    return TORRE_OK;
}

static torre_status write_one(torre_snapshots *s, torre_snapshot *t, torre_wave_run *run)
{
    char title[80];
    void *cells = t->cells;
    const int64_t step = torre_wave_run_step(run);
    if (is_queued(s, t)) TORRE_TRY(torre_sink_queue_room(s->queue, &cells));
    const torre_frame frame = {.step = step,
                               .time = (double)step * torre_wave_run_problem(run)->dt,
                               .title = title,
                               .values = cells};
    snprintf(title, sizeof title, "u at step %" PRId64 ", %g s", frame.step, frame.time);
    path_of(t, step, t->last);
    TORRE_TRY(read_cells(s, t, run, cells));
    const torre_sink_data data = data_of(s, t);
    if (t->kept)
        TORRE_TRY(torre_kept_frames_put(t->kept, t->last, &frame));
    else if (is_queued(s, t))
        TORRE_TRY(torre_sink_queue_put(s->queue, t->format, &data, t->last, &frame));
    else
        TORRE_TRY(t->sink ? torre_sink_frame(t->sink, &frame)
                          : torre_sink_write(t->format, &data, t->last, &frame));
    t->written++;
    return TORRE_OK;
}

torre_status torre_snapshots_write(torre_snapshots *s, torre_wave_run *run, bool zero)
{
    for (int i = 0; i < s->count; i++)
        if (!zero || !s->item[i].single) TORRE_TRY(write_one(s, &s->item[i], run));
    return TORRE_OK;
}

bool torre_snapshots_are_frames(const torre_snapshots *s, int i)
{
    return is_series(s, &s->item[i]);
}

torre_status torre_snapshots_settle(torre_snapshots *s)
{
    return torre_sink_queue_settle(s->queue);
}

/* The pictures of one scale, all of which are known now. */
static torre_status draw_kept(torre_snapshots *s, torre_snapshot *t)
{
    if (!t->kept) return TORRE_OK;
    const torre_sink_data data = data_of(s, t);
    t->one_scale = torre_kept_frames_scale(t->kept);
    return torre_kept_frames_draw(t->kept, t->format, &data, t->cells);
}

torre_status torre_snapshots_finish(torre_snapshots *s)
{
    torre_status failed = torre_snapshots_settle(s); /* one file must not cost the others */
    for (int i = 0; i < s->count; i++) {
        torre_status status = torre_sink_finish(&s->item[i].sink, TORRE_OK);
        if (!status) status = draw_kept(s, &s->item[i]);
        if (status) failed = status;
    }
    return failed;
}

void torre_snapshots_close(torre_snapshots *s)
{
    torre_sink_queue_free(s->queue);
    for (int i = 0; i < s->count; i++) {
        torre_sink_discard(s->item[i].sink);
        torre_kept_frames_free(s->item[i].kept);
        free(s->item[i].cells);
        free(s->item[i].velocity);
    }
    free(s->plane);
    free(s->text);
    memset(s, 0, sizeof *s);
}
