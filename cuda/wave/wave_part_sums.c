/*
 * Receivers of parts (wave/part_sums.h). A part sums those of which it has recorded all nodes in a
 * step, on the device, and hands over the nodes of others: with receivers everywhere those that lie
 * across a cut, which slides with the towers.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core/cuda_check.h"
#include "cuda/wave/wave_cuda.h"
#include "cuda/wave/wave_solver.h"

static const char reading[] = "reading samples";

torre_status torre_cuda_part_receivers(torre_cuda_program *program)
{
    torre_receiver_tables *t = &program->receivers;
    return torre_part_receivers(program->base.setup, &t->count, &t->number);
}

/* --- Room for those that are here in part --- */

/* Memory of the device for them, unless those of one step may need more. */
static const int64_t room_bytes = 32 << 20;

/* Nodes that a receiver of the part has at most. */
static int64_t most_nodes(const torre_cuda_program *program)
{
    const torre_receiver_tables *t = &program->receivers;
    int64_t most = 1;
    for (int64_t r = 0; r < t->count; r++) {
        const int *count = t->sums[r].count;
        const int64_t nodes = (int64_t)count[0] * count[1] * count[2];
        if (nodes > most) most = nodes;
    }
    return most;
}

void torre_cuda_part_room(torre_cuda_program *program)
{
    const int64_t receivers = program->receivers.count,
                  width = (int64_t)program->turned.problem.precision,
                  values = most_nodes(program) * width;
    int64_t room = receivers * torre_cuda_launch_rows(program);
    if (receivers == 0) return;
    if (room > room_bytes / values) room = room_bytes / values;
    if (room < receivers) room = receivers;
    program->bytes[TORRE_PIECE_PART_COUNT] = sizeof(int);
    program->bytes[TORRE_PIECE_PART_WHICH] = (size_t)room * 2 * sizeof(int);
    program->bytes[TORRE_PIECE_PART_VALUES] = (size_t)(room * values);
}

static torre_part_room room_of(const torre_cuda_solver *s)
{
    const size_t room = s->program->bytes[TORRE_PIECE_PART_WHICH] / (2 * sizeof(int)),
                 values = s->program->bytes[TORRE_PIECE_PART_VALUES] / room;
    return (torre_part_room){.count = s->memory[TORRE_PIECE_PART_COUNT],
                             .room = room < INT_MAX ? (int)room : INT_MAX,
                             .which = s->memory[TORRE_PIECE_PART_WHICH],
                             .values = s->memory[TORRE_PIECE_PART_VALUES],
                             .nodes = (int64_t)(values / (size_t)s->setup->problem->precision)};
}

/* --- After a pass --- */

void torre_cuda_use_sums(torre_wave_solver *solver, torre_part_sums *sums, int64_t first)
{
    torre_part_pass *part = &((torre_cuda_solver *)solver)->part;
    part->sums = sums;
    part->first = first;
}

/* Page-locked memory for what comes at once, kept for the next time. */
static torre_status take_records(torre_cuda_solver *s, int64_t bytes)
{
    if (s->record_bytes >= bytes) return TORRE_OK;
    if (s->records) torre_cuda_free_host(s->records, s->record_bytes);
    s->records = NULL;
    s->record_bytes = 0;
    TORRE_TRY(torre_cuda_take_host(bytes, &s->records));
    if (!s->records) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for samples");
    s->record_bytes = bytes;
    return TORRE_OK;
}

/* Some bytes of the device, behind those that have come; beside what it computes. */
static torre_status fetch(torre_cuda_solver *s, const void *from, size_t bytes, size_t *come)
{
    TORRE_CUDA_TRY(
        cudaMemcpyAsync((char *)s->records + *come, from, bytes, cudaMemcpyDeviceToHost, s->copies),
        reading);
    *come += bytes;
    return TORRE_OK;
}

/* What a pass has recorded of receivers that are here in part, to those of all parts. */
static torre_status hand_over(torre_cuda_solver *s, const torre_part_pass *pass)
{
    const torre_part_room room = room_of(s);
    const int64_t *number = s->program->receivers.number;
    const size_t row = (size_t)room.nodes * (size_t)s->setup->problem->precision,
                 which = (size_t)pass->count * sizeof(torre_part_record),
                 values = (size_t)pass->count * row;
    size_t come = 0;
    if (pass->count == 0) return TORRE_OK;
    TORRE_TRY(take_records(s, (int64_t)(values + which)));
    TORRE_TRY(fetch(s, room.values, values, &come));
    TORRE_TRY(fetch(s, room.which, which, &come));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->copies), reading);
    torre_part_record *record = (torre_part_record *)((char *)s->records + values);
    for (int i = 0; i < pass->count; i++) {
        record[i].receiver = (int32_t)number[record[i].receiver];
        record[i].step += (int32_t)pass->first;
    }
    const torre_part_records records = {pass->count, (int64_t)row, record, s->records};
    return torre_part_sums_add(pass->sums, &records);
}

/* And the sums of those that are here. */
static torre_status bring_sums(torre_cuda_solver *s, const torre_part_pass *pass)
{
    const torre_receiver_tables *t = &s->program->receivers;
    const size_t bytes = (size_t)(pass->steps * t->count) * (size_t)s->setup->problem->precision;
    size_t come = 0;
    TORRE_TRY(take_records(s, (int64_t)bytes));
    TORRE_TRY(fetch(s, s->memory[TORRE_PIECE_SUMS + pass->turn], bytes, &come));
    TORRE_CUDA_TRY(cudaStreamSynchronize(s->copies), reading);
    const torre_part_rows rows = {pass->first, pass->steps, t->count, t->number, s->records};
    return torre_part_sums_put(pass->sums, &rows);
}

/* Add up some steps from number `first` on; how many records there would be to *count. */
static torre_status sum_steps(torre_cuda_solver *s, int64_t first, int64_t steps, int *count)
{
    const torre_sums sums = torre_cuda_sums(s);
    const torre_part_room room = room_of(s);
    TORRE_CUDA_TRY(cudaMemsetAsync(room.count, 0, sizeof *count, s->stream), reading);
    TORRE_CUDA_TRY(torre_sum_parts((int)s->setup->problem->precision, &sums, &room,
                                   s->memory[TORRE_PIECE_SAMPLES], first, steps,
                                   s->memory[TORRE_PIECE_SUMS + s->turn], s->stream),
                   "adding up samples");
    TORRE_CUDA_TRY(
        cudaMemcpyAsync(count, room.count, sizeof *count, cudaMemcpyDeviceToHost, s->stream),
        reading);
    return torre_cuda_status(cudaStreamSynchronize(s->stream), reading);
}

torre_status torre_cuda_part_sum(torre_cuda_solver *s, int64_t steps, bool wanted)
{
    torre_part_pass pass = s->part;
    pass.steps = steps;
    pass.turn = s->turn;
    if (!torre_cuda_recorded(s->program)) return TORRE_OK;
    if (!pass.sums && wanted)
        return torre_fail(TORRE_ERR_USAGE, "a part records receivers where use_sums says so");
    if (!pass.sums) return TORRE_OK;
    const int room = room_of(s).room;
    TORRE_TRY(sum_steps(s, 0, steps, &pass.count));
    if (pass.count > room) /* of some steps after the other */
        for (int64_t done = 0, now = (steps + 1) / 2; done < steps; done += now) {
            if (now > steps - done) now = steps - done;
            for (;; now = (now + 1) / 2) {
                TORRE_TRY(sum_steps(s, done, now, &pass.count));
                if (pass.count <= room) break;
            }
            TORRE_TRY(hand_over(s, &pass));
            pass.count = 0;
        }
    s->kept = pass;
    return TORRE_OK;
}

torre_status torre_cuda_part_settle(torre_cuda_solver *s)
{
    const torre_part_pass pass = s->kept;
    s->kept.steps = 0;
    if (pass.steps == 0) return TORRE_OK;
    TORRE_TRY(hand_over(s, &pass));
    return bring_sums(s, &pass);
}

torre_status torre_cuda_settle_sums(torre_wave_solver *solver)
{
    torre_cuda_solver *s = (torre_cuda_solver *)solver;
    TORRE_CUDA_TRY(cudaSetDevice(s->program->base.info.plan.device), "choosing the device");
    return torre_cuda_part_settle(s);
}
