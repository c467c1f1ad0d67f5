#include "run/fluid_boxes.h"

#include <string.h>

#include "core/numbers.h"

/* "x,y,z:x,y,z" */
static bool read_box(const char *text, int dims, torre_mps_box *box)
{
    char end[64];
    double *to[2] = {box->low, box->high};
    for (int k = 0; k < 2; k++) {
        int numbers = 0;
        if (!text || !torre_text_item(text, ':', end, &text)) return false;
        if (!torre_parse_reals(end, ',', 3, to[k], &numbers) || numbers != dims) return false;
    }
    return !text;
}

torre_status torre_fluid_boxes_read(const char *option, const char *text,
                                    const torre_mps_tank *tank, torre_mps_box box[TORRE_MPS_BOXES],
                                    int *count)
{
    char one[160];
    *count = 0;
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, ";");
        const bool fits = length < sizeof one && *count < TORRE_MPS_BOXES;
        memcpy(one, at, fits ? length : 0);
        one[fits ? length : 0] = 0;
        if (!fits || !read_box(one, tank->dims, &box[*count]))
            return torre_fail(TORRE_ERR_USAGE,
                              "{%s} must be at most %d boxes, each two corners of %d numbers, %s "
                              "in metres (got %s)",
                              option, TORRE_MPS_BOXES, tank->dims,
                              tank->dims == 2 ? "X0,Y0:X1,Y1" : "X0,Y0,Z0:X1,Y1,Z1", text);
        ++*count;
        at += length + (at[length] == ';');
    }
    return TORRE_OK;
}

torre_status torre_fluid_gate_read(const char *text, torre_mps_gate *gate)
{
    double number[3] = {0, 0, 0};
    int count = 0;
    if (!text || !*text) return TORRE_OK;
    if (!torre_parse_reals(text, ':', 3, number, &count) || count < 2 || !(number[0] > 0))
        return torre_fail(TORRE_ERR_USAGE,
                          "{gate} must be X:T or X:T:SPEED: m, above 0, s and m/s (got %s)", text);
    *gate = (torre_mps_gate){.x = number[0], .opens = number[1], .speed = number[2]};
    return TORRE_OK;
}
