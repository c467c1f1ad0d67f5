/*
 * make_model: velocity models as .npy files for wave --velocity.
 *
 *     make_model --kind layers --size 300x1x150 --spacing 10 --output velocity.npy
 *                                                                        shape (nx, nz)
 *     make_model --kind salt --size 300x120x150 --spacing 10 --output velocity.npy
 *                                                                        shape (nx, ny, nz)
 *     make_model --kind thin --input model.npy --every 2 --output velocity.npy
 *                                                                        every second value
 *     make_model --kind info --input model.npy                           prints 1601x401
 *     make_model --kind difference --input a.npy --other b.npy           prints 1.2 %
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array_value.h"
#include "core/options.h"
#include "io/npy.h"
#include "model_shapes.h"

enum { LAYERS, SALT, THIN, INFO, DIFFERENCE };
static const char *const kinds[] = {"layers", "salt", "thin", "info", "difference", NULL};

typedef struct model_settings {
    int kind;
    int64_t size[3], every;
    double spacing;
    const char *input, *other, *output;
    bool help;
} model_settings;

static torre_status generate(const model_settings *s)
{
    bool flat = s->kind == LAYERS; /* nothing changes along y: leave the axis out */
    int64_t n[3] = {s->size[0], flat ? 1 : s->size[1], s->size[2]}, i = 0;
    double extent[3];
    for (int a = 0; a < 3; a++) extent[a] = s->spacing * (double)n[a];
    float *v = malloc((size_t)(n[0] * n[1] * n[2]) * sizeof *v);
    if (!v) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the model");
    for (int64_t x = 0; x < n[0]; x++)
        for (int64_t y = 0; y < n[1]; y++)
            for (int64_t z = 0; z < n[2]; z++) {
                double at[3] = {((double)x + 0.5) * s->spacing, ((double)y + 0.5) * s->spacing,
                                ((double)z + 0.5) * s->spacing};
                v[i++] = (float)(flat ? model_layers(at, extent) : model_salt(at, extent));
            }
    int64_t shape[3] = {n[0], flat ? n[2] : n[1], n[2]};
    torre_status status = torre_npy_write(s->output, TORRE_F32, flat ? 2 : 3, shape, v);
    free(v);
    return status;
}

/* Every s->every-th value along both axes of a model (nx, nz). */
static torre_status thin(const model_settings *s)
{
    torre_array a;
    int dims;
    TORRE_TRY(torre_npy_read(s->input, &a, &dims));
    int64_t shape[2] = {(a.shape[0] + s->every - 1) / s->every,
                        (a.shape[1] + s->every - 1) / s->every};
    float *v = malloc((size_t)(shape[0] * shape[1]) * sizeof *v);
    torre_status status = v ? TORRE_OK : torre_fail(TORRE_ERR_RESOURCE, "out of memory");
    if (!status && dims != 2)
        status = torre_fail(TORRE_ERR_INPUT, "%s has %d axes; two are needed", s->input, dims);
    for (int64_t i = 0; i < shape[0] * shape[1] && !status; i++)
        v[i] = (float)torre_value(a.precision, a.data,
                                  i / shape[1] * s->every * a.shape[1] + i % shape[1] * s->every);
    if (!status) status = torre_npy_write(s->output, TORRE_F32, 2, shape, v);
    free(v);
    free(a.data);
    return status;
}

static torre_status info(const model_settings *s)
{
    torre_npy_header h;
    TORRE_TRY(torre_npy_header_read(s->input, &h));
    for (int a = 0; a < h.dims; a++) printf("%s%" PRId64, a ? "x" : "", h.shape[a]);
    printf("\n");
    return TORRE_OK;
}

/* Root of the sum of squares of a - b, of that of b. */
static torre_status difference(const model_settings *s)
{
    torre_array a, b = {.data = NULL};
    double apart = 0, all = 0;
    TORRE_TRY(torre_npy_read(s->input, &a, NULL));
    torre_status status = torre_npy_read(s->other, &b, NULL);
    if (!status && memcmp(a.shape, b.shape, sizeof a.shape) != 0)
        status = torre_fail(TORRE_ERR_INPUT, "%s and %s have different shapes", s->input, s->other);
    for (int64_t i = 0; !status && i < a.shape[0] * a.shape[1] * a.shape[2]; i++) {
        const double v = torre_value(b.precision, b.data, i);
        apart += pow(torre_value(a.precision, a.data, i) - v, 2);
        all += v * v;
    }
    if (!status) printf("%.2g %%\n", 100 * sqrt(apart / all));
    free(a.data);
    free(b.data);
    return status;
}

static torre_status run(const model_settings *s)
{
    const bool reads = s->kind == THIN || s->kind == INFO || s->kind == DIFFERENCE;
    const bool writes = s->kind != INFO && s->kind != DIFFERENCE;
    if (reads && !s->input)
        return torre_fail(TORRE_ERR_USAGE, "--kind %s needs --input", kinds[s->kind]);
    if (s->kind == DIFFERENCE && !s->other)
        return torre_fail(TORRE_ERR_USAGE, "--kind difference needs --other");
    if (writes && !s->output)
        return torre_fail(TORRE_ERR_USAGE, "--kind %s needs --output", kinds[s->kind]);
    switch (s->kind) {
    case THIN:
        return thin(s);
    case INFO:
        return info(s);
    case DIFFERENCE:
        return difference(s);
    default:
        return generate(s);
    }
}

int main(int argc, char **argv)
{
    model_settings s = {.size = {300, 120, 150}, .spacing = 10, .every = 1};
    torre_option table[] = {
        {.name = "Options", .kind = TORRE_OPTION_GROUP},
        {.name = "kind",
         .kind = TORRE_OPTION_CHOICE,
         .value = &s.kind,
         .choices = kinds,
         .help = "what to make; thin leaves values of an existing model out, info shows its shape, "
                 "difference how far two files are apart"},
        {.name = "size",
         .kind = TORRE_OPTION_SIZE,
         .value = s.size,
         .low = 1,
         .high = 100000,
         .help = "cells along x, y and z"},
        {.name = "spacing",
         .kind = TORRE_OPTION_REAL,
         .value = &s.spacing,
         .low = 0,
         .above_low = true,
         .high = 1e6,
         .help = "metres between cells"},
        {.name = "input",
         .kind = TORRE_OPTION_TEXT,
         .value = &s.input,
         .metavar = "FILE.npy",
         .help = "file to read (thin, info, difference)"},
        {.name = "other",
         .kind = TORRE_OPTION_TEXT,
         .value = &s.other,
         .metavar = "FILE.npy",
         .help = "file to compare with (difference)"},
        {.name = "every",
         .kind = TORRE_OPTION_INTEGER,
         .value = &s.every,
         .low = 1,
         .high = 1000,
         .help = "distance of the values that are kept (thin)"},
        {.name = "output",
         .kind = TORRE_OPTION_TEXT,
         .value = &s.output,
         .metavar = "FILE.npy",
         .help = "model to write"},
        {.name = "help",
         .kind = TORRE_OPTION_FLAG,
         .value = &s.help,
         .stops = true,
         .help = "show this help"},
        {0}};
    torre_status status = torre_options_parse(table, argc, argv, NULL, 0, NULL);
    if (!status && s.help) {
        puts("Usage: make_model [OPTION]...\nMake velocity models for wave --velocity.");
        torre_options_help(table, stdout);
    } else if (!status) {
        status = run(&s);
    }
    if (status) fprintf(stderr, "make_model: %s\n", torre_error_text());
    return (int)status;
}
