/* Files that a thread writes: all of them, in order, as they are written without it; and what
 * becomes of a failure. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "io/npy.h"
#include "io/sink_queue.h"
#include "scratch.h"

enum { NX = 30, NZ = 40, CELLS = NX * NZ, FRAMES = 3 * TORRE_SINK_QUEUE_FRAMES };

static const torre_sink_data plane = {
    .kind = TORRE_SINK_PLANE,
    .field = {.precision = TORRE_F32, .dims = 2, .shape = {NX, NZ}, .spacing = {5, 5}}};

/* Frame number n, to a file of that number. */
static torre_status put(torre_sink_queue *queue, int n)
{
    char path[64], title[32];
    void *values;
    TORRE_TRY(torre_sink_queue_room(queue, &values));
    for (int i = 0; i < CELLS; i++) ((float *)values)[i] = (float)(n * CELLS + i);
    snprintf(path, sizeof path, "frame_%d.npy", n);
    snprintf(title, sizeof title, "frame %d", n);
    const torre_frame frame = {.step = n, .title = title};
    torre_status status =
        torre_sink_queue_put(queue, torre_sink_by_name("npy"), &plane, path, &frame);
    memset(path, 0, sizeof path); /* they are copied */
    memset(title, 0, sizeof title);
    return status;
}

static void check_file(int n)
{
    char path[64];
    torre_array a;
    snprintf(path, sizeof path, "frame_%d.npy", n);
    int dims;
    CHECK_OK(torre_npy_read(path, &a, &dims));
    for (int i = 0; i < CELLS; i++)
        CHECK(((float *)a.data)[i] == (float)(n * CELLS + i), "frame %d, cell %d", n, i);
    free(a.data);
}

static void remove_file(int n)
{
    char path[64];
    snprintf(path, sizeof path, "frame_%d.npy", n);
    CHECK(unlink(path) == 0, "%s is not there", path);
}

static void all_frames_are_written(void **state)
{
    (void)state;
    torre_sink_queue *queue;
    for (int threads = 1; threads <= TORRE_SINK_QUEUE_FRAMES; threads++) {
        CHECK_OK(torre_sink_queue_new(CELLS * sizeof(float), threads, threads + 2, &queue));
        for (int n = 0; n < FRAMES; n++) CHECK_OK(put(queue, n));
        CHECK_OK(torre_sink_queue_settle(queue));
        for (int n = 0; n < FRAMES; n++) check_file(n);
        CHECK_OK(put(queue, FRAMES)); /* what nobody waits for, free does */
        torre_sink_queue_free(queue);
        check_file(FRAMES);
        for (int n = 0; n <= FRAMES; n++) remove_file(n);
    }
}

static void a_failure_is_told_later(void **state)
{
    (void)state;
    torre_sink_queue *queue;
    torre_status status = TORRE_OK;
    CHECK_OK(torre_sink_queue_new(CELLS * sizeof(float), 1, 1, &queue));
    CHECK_OK(put(queue, 0));
    CHECK_OK(torre_sink_queue_settle(queue));
    CHECK(mkdir("frame_1.npy", 0700) == 0, "no folder");
    for (int n = 1; n < FRAMES && !status; n++) status = put(queue, n);
    if (!status) status = torre_sink_queue_settle(queue);
    CHECK(status == TORRE_ERR_INPUT && strstr(torre_error_text(), "frame_1.npy"), "status %d: %s",
          (int)status, torre_error_text());
    CHECK(torre_sink_queue_settle(queue) == status, "a failure is forgotten");
    torre_sink_queue_free(queue);
    check_file(0);
    CHECK(scratch_entries() == 2, "%d entries: files are written after a failure",
          scratch_entries());
    remove_file(0);
    CHECK(rmdir("frame_1.npy") == 0, "the folder has gone");
}

static void nothing_is_fine(void **state)
{
    (void)state;
    CHECK_OK(torre_sink_queue_settle(NULL));
    torre_sink_queue_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_frames_are_written),
        cmocka_unit_test(a_failure_is_told_later),
        cmocka_unit_test(nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
