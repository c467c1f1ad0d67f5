#include "report/page_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array_value.h"
#include "io/percentile.h"

enum { TRACES = 32 };

void torre_page_write_text(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || strchr("\"\\<>&", c))
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void write_base64_group(const uint8_t b[3], int count, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
    for (int i = 0; i < 4; i++) putc(i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=', out);
}

void torre_page_write_base64(torre_base64 *at, const uint8_t *bytes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        at->kept[at->count++] = bytes[i];
        if (at->count < 3) continue;
        write_base64_group(at->kept, 3, out);
        at->count = 0;
    }
}

void torre_page_end_base64(torre_base64 *at, FILE *out)
{
    if (at->count == 0) return;
    memset(at->kept + at->count, 0, (size_t)(3 - at->count));
    write_base64_group(at->kept, at->count, out);
}

int64_t torre_page_every(int64_t count, int64_t most)
{
    return count <= most ? 1 : (count + most - 1) / most;
}

/* [x, y, z] */
static void write_point(const torre_point *point, FILE *out)
{
    fprintf(out, "[%.9g, %.9g, %.9g]", point->position[0], point->position[1], point->position[2]);
}

static void write_points(const torre_point *points, int64_t count, int64_t every, FILE *out)
{
    putc('[', out);
    for (int64_t i = 0; i < count; i += every) {
        if (i) fputs(", ", out);
        write_point(&points[i], out);
    }
    putc(']', out);
}

void torre_page_write_list(const char *name, const torre_point *points, int64_t count, int64_t most,
                           FILE *out)
{
    const int64_t every = torre_page_every(count, most);
    fprintf(out, "\"%s\": {\"of\": %" PRId64 ", \"every\": %" PRId64 ", \"list\": ", name, count,
            every);
    write_points(points, count, every, out);
    fputs("},\n", out);
}

static double value_at(const torre_gather *t, int64_t row, int64_t trace, int64_t sample)
{
    return torre_value(t->precision, t->values, trace * row + sample);
}

/* The sample of greatest magnitude in each pixel of so many columns (traces) and rows (time):
 * weak ones beside it would not be seen, and no wave is lost between rows. */
static void thin_gather(const torre_gather *t, int64_t row, const int64_t pixels[2], double *strong)
{
    for (int64_t j = 0; j < pixels[1]; j++)
        for (int64_t i = 0; i < pixels[0]; i++) {
            const int64_t trace = (2 * i + 1) * t->traces / (2 * pixels[0]);
            const int64_t end = (j + 1) * t->samples / pixels[1];
            double most = 0;
            for (int64_t n = j * t->samples / pixels[1]; n < end; n++) {
                const double v = value_at(t, row, trace, n);
                if (fabs(v) > fabs(most)) most = v;
            }
            strong[j * pixels[0] + i] = most;
        }
}

/* The picture of a gather: 0 to 254 are -scale to scale, the 98 % point of what it shows. */
static torre_status write_gather(const torre_gather *t, int64_t row, int64_t most, FILE *out)
{
    const int64_t pixels[2] = {t->traces < most ? t->traces : most,
                               t->samples < most ? t->samples : most};
    const int64_t count = pixels[0] * pixels[1];
    double *strong = malloc((size_t)count * sizeof *strong), scale;
    torre_base64 at = {.count = 0};
    if (!strong) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the run");
    thin_gather(t, row, pixels, strong);
    const torre_status status = torre_percentile(TORRE_F64, strong, count, 0.98, &scale);
    if (!status) {
        fprintf(out,
                "\"gather\": {\"shape\": [%" PRId64 ", %" PRId64 "], \"scale\": %.9g, "
                "\"values\": \"",
                pixels[0], pixels[1], scale);
        for (int64_t i = 0; i < count; i++) {
            const double share = scale > 0 ? fmin(fmax(strong[i] / scale, -1), 1) : 0;
            const uint8_t byte = (uint8_t)(127 + rint(127 * share));
            torre_page_write_base64(&at, &byte, 1, out);
        }
        torre_page_end_base64(&at, out);
        fputs("\"}", out);
    }
    free(strong);
    return status;
}

torre_status torre_page_write_traces(const torre_gather *t, int64_t row, int64_t most,
                                     int64_t columns, FILE *out)
{
    const int64_t every = torre_page_every(t->traces, TRACES);
    const int64_t kept = (t->traces + every - 1) / every;
    const int64_t samples_every = torre_page_every(t->samples, most / (kept ? kept : 1));
    torre_base64 at = {.count = 0};
    fprintf(out,
            "\"traces\": {\"of\": %" PRId64 ", \"every\": %" PRId64 ", \"samples_of\": %" PRId64
            ", \"samples_every\": %" PRId64 ", \"dt\": %.17g, \"receivers\": ",
            t->traces, every, t->samples, samples_every, t->dt);
    write_points(t->receivers, t->traces, every, out);
    fputs(", \"values\": \"", out);
    for (int64_t r = 0; r < t->traces; r += every)
        for (int64_t n = 0; n < t->samples; n += samples_every) {
            const float value = (float)value_at(t, row, r, n);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                      (uint8_t)(bits >> 24)};
            torre_page_write_base64(&at, bytes, 4, out);
        }
    torre_page_end_base64(&at, out);
    fputs("\", ", out);
    TORRE_TRY(write_gather(t, row, columns, out));
    fputs("}", out);
    return ferror(out) ? torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the run")
                       : TORRE_OK;
}
