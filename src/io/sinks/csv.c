/* Tables of numbers with the names of the columns in the first line. */
#include <math.h>

#include "io/sink_format.h"

static torre_status write_head(torre_sink *sink)
{
    const torre_table_layout *t = &sink->data.table;
    for (int k = 0; k < t->columns; k++)
        torre_text_output_print(sink->text, "%s%s", t->name[k], k + 1 < t->columns ? "," : "\n");
    return TORRE_OK;
}

/* Counts in full, whatever their size; others with the digits that were asked for. */
static void write_number(torre_text_output *out, double value, int digits, char end)
{
    const bool whole = value == trunc(value) && fabs(value) < 1e15;
    if (whole)
        torre_text_output_print(out, "%.0f%c", value, end);
    else
        torre_text_output_print(out, "%.*g%c", digits, value, end);
}

static torre_status write_row(torre_sink *sink, const torre_frame *frame)
{
    const torre_table_layout *t = &sink->data.table;
    const double *number = frame->row;
    for (int k = 0; k < t->columns; k++) {
        const char end = k + 1 < t->columns ? ',' : '\n';
        if (k + 1 == t->text)
            torre_text_output_print(sink->text, "%s%c", frame->title, end);
        else
            write_number(sink->text, *number++, t->digits, end);
    }
    return t->log ? torre_text_output_publish(sink->text) : TORRE_OK;
}

const torre_sink_format torre_sink_csv = {
    .name = "csv",
    .ending = {".csv"},
    .kinds = TORRE_SINK_ROWS,
    .series = true,
    .grows = true,
    .text = true,
    .open = write_head,
    .frame = write_row,
};
