#include "figure/canvas.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct torre_canvas {
    FT_Library library;
    FT_Face face;
    torre_image image;
    double scale;
    uint8_t rgb[3]; /* what is drawn with */
    bool failed;
};

/* The letters are part of the library (text.ttf): pictures look the same on every machine. */
extern const unsigned char torre_figure_letters[];
extern const size_t torre_figure_letters_size;

static int pixels(double units, double scale) { return (int)ceil(units * scale - 1e-6); }

int64_t torre_canvas_bytes(double width, double height, double scale)
{
    return (int64_t)3 * pixels(width, scale) * pixels(height, scale);
}

torre_status torre_canvas_new(double width, double height, double scale, torre_canvas **canvas)
{
    torre_canvas *c = calloc(1, sizeof *c);
    if (!c) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    c->scale = scale;
    c->failed = FT_Init_FreeType(&c->library) ||
                FT_New_Memory_Face(c->library, torre_figure_letters,
                                   (FT_Long)torre_figure_letters_size, 0, &c->face);
    torre_status status = torre_image_new(pixels(width, scale), pixels(height, scale), &c->image);
    if (status || c->failed) return torre_canvas_finish(c, status, NULL);
    memset(c->image.rgb, 255, (size_t)3 * (size_t)c->image.width * (size_t)c->image.height);
    *canvas = c;
    return TORRE_OK;
}

static void set_color(torre_canvas *c, uint32_t color)
{
    for (int k = 0; k < 3; k++) c->rgb[k] = (uint8_t)(color >> (16 - 8 * k));
}

/* Spans of one row that an outline covers by so many 255th; rows count upwards. */
static void blend(int y, int count, const FT_Span *spans, void *user)
{
    torre_canvas *c = user;
    for (int s = 0; s < count; s++) {
        uint8_t *pixel = torre_image_at(&c->image, spans[s].x, c->image.height - 1 - y);
        for (int i = 0; i < 3 * spans[s].len; i++) {
            const int ink = c->rgb[i % 3], cover = spans[s].coverage;
            pixel[i] = (uint8_t)((pixel[i] * (255 - cover) + ink * cover + 127) / 255);
        }
    }
}

/* Fill an outline in 64ths of a pixel, y upwards from the lower edge of the sheet. */
static void fill(torre_canvas *c, FT_Outline *outline)
{
    FT_Raster_Params how = {.source = outline,
                            .flags =
                                FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP,
                            .gray_spans = blend,
                            .user = c,
                            .clip_box = {0, 0, c->image.width, c->image.height}};
    if (FT_Outline_Render(c->library, outline, &how)) c->failed = true;
}

/* Polygons of so many corners each, one after the other, filled together. */
enum { CORNERS = 160, POLYGONS = 32 };
typedef struct shape {
    FT_Vector at[CORNERS];
    char tag[CORNERS];
    short end[POLYGONS];
    short corners, polygons;
} shape;

static void add_corner(const torre_canvas *c, shape *s, double x, double y)
{
    if (s->corners == CORNERS) return;
    s->tag[s->corners] = FT_CURVE_TAG_ON;
    s->at[s->corners++] =
        (FT_Vector){lrint(64 * x * c->scale), lrint(64 * (c->image.height - y * c->scale))};
}

static void end_polygon(shape *s)
{
    if (s->polygons < POLYGONS) s->end[s->polygons++] = (short)(s->corners - 1);
}

static void fill_shape(torre_canvas *c, shape *s, uint32_t color)
{
    FT_Outline outline = {.n_contours = s->polygons,
                          .n_points = s->corners,
                          .points = s->at,
                          .tags = s->tag,
                          .contours = s->end};
    set_color(c, color);
    fill(c, &outline);
}

/* A line of that width with a round joint at its end; all turn the same way, so that together they
 * cover what any of them does. */
static void add_line(const torre_canvas *c, shape *s, const double a[2], const double b[2],
                     double width)
{
    enum { JOINT = 8 };
    const double length = hypot(b[0] - a[0], b[1] - a[1]), r = width / 2;
    if (length <= 0) return;
    const double x = (b[0] - a[0]) / length * r, y = (b[1] - a[1]) / length * r;
    add_corner(c, s, a[0] - y, a[1] + x);
    add_corner(c, s, a[0] + y, a[1] - x);
    add_corner(c, s, b[0] + y, b[1] - x);
    add_corner(c, s, b[0] - y, b[1] + x);
    end_polygon(s);
    for (int k = 0; k < JOINT; k++) {
        const double angle = 2 * M_PI * k / JOINT;
        add_corner(c, s, b[0] + r * cos(angle), b[1] + r * sin(angle));
    }
    end_polygon(s);
}

void torre_canvas_shape(torre_canvas *c, const double *points, int count, uint32_t color,
                        double edge, uint32_t edge_color)
{
    shape inner = {.corners = 0}, edges = {.corners = 0};
    for (int i = 0; i < count; i++) {
        add_corner(c, &inner, points[2 * i], points[2 * i + 1]);
        add_line(c, &edges, points + 2 * i, points + 2 * ((i + 1) % count), edge);
    }
    end_polygon(&inner);
    fill_shape(c, &inner, color);
    if (edge > 0) fill_shape(c, &edges, edge_color);
}

void torre_canvas_box(torre_canvas *c, const double at[2], const double size[2], uint32_t color)
{
    const double x = at[0] + size[0], y = at[1] + size[1];
    const double points[8] = {at[0], at[1], x, at[1], x, y, at[0], y};
    torre_canvas_shape(c, points, 4, color, 0, 0);
}

void torre_canvas_frame(torre_canvas *c, const double at[2], const double size[2], double width,
                        uint32_t color)
{
    for (int side = 0; side < 4; side++) {
        double from[2] = {at[0] - width, at[1] - width};
        double room[2] = {size[0] + 2 * width, size[1] + 2 * width};
        if (side & 1) from[side / 2] = at[side / 2] + size[side / 2];
        room[side / 2] = width;
        torre_canvas_box(c, from, room, color);
    }
}

/* The next character of a UTF-8 text, which is well formed; 0 at its end. */
static uint32_t next_character(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    const int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
    uint32_t character = more ? *at & (0x3fu >> more) : *at;
    for (int k = 1; k <= more && at[k]; k++) character = character << 6 | (at[k] & 0x3fu);
    if (*at) *text += 1 + more;
    return character;
}

static bool load(torre_canvas *c, uint32_t character)
{
    const bool loaded =
        FT_Load_Char(c->face, character, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) == 0;
    c->failed |= !loaded;
    return loaded;
}

/* How far the pen moves by a text, in pixels. */
static double advance_of(torre_canvas *c, const char *text)
{
    double sum = 0;
    for (uint32_t character; (character = next_character(&text));)
        if (load(c, character)) sum += (double)c->face->glyph->linearHoriAdvance / 65536;
    return sum;
}

double torre_canvas_text(torre_canvas *c, double x, double y, const torre_canvas_words *w,
                         const char *text)
{
    static const FT_Matrix upwards = {0, -0x10000, 0x10000, 0};
    if (FT_Set_Char_Size(c->face, 0, lrint(64 * w->size * c->scale), 72, 72)) {
        c->failed = true;
        return 0;
    }
    const double width = advance_of(c, text);
    double pen = -width * (w->side == TORRE_BEGIN ? 0 : w->side == TORRE_MIDDLE ? 0.5 : 1);
    set_color(c, w->color);
    for (uint32_t character; (character = next_character(&text));) {
        if (!load(c, character)) continue;
        FT_Outline *outline = &c->face->glyph->outline;
        const double up = c->image.height - y * c->scale, right = x * c->scale;
        if (w->bold) FT_Outline_Embolden(outline, lrint(64 * w->size * c->scale / 24));
        if (w->upwards) FT_Outline_Transform(outline, &upwards);
        FT_Outline_Translate(outline, lrint(64 * (right + (w->upwards ? 0 : pen))),
                             lrint(64 * (up + (w->upwards ? pen : 0))));
        fill(c, outline);
        pen += (double)c->face->glyph->linearHoriAdvance / 65536;
    }
    return width / c->scale;
}

/* How much of pixel i lies between two places. */
static double within(int i, double from, double to)
{
    return (i + 1 < to ? i + 1 : to) - (i > from ? i : from);
}

/* What of a picture an area covers, from and to in its pixels: the mean. */
static void average(const torre_image *image, const double from[2], const double to[2],
                    uint8_t rgb[3])
{
    double sum[3] = {0, 0, 0}, area = 0;
    for (int y = (int)from[1]; y < to[1] && y < image->height; y++) {
        const double high = within(y, from[1], to[1]);
        for (int x = (int)from[0]; x < to[0] && x < image->width; x++) {
            const double share = high * within(x, from[0], to[0]);
            const uint8_t *pixel = torre_image_at(image, x, y);
            for (int k = 0; k < 3; k++) sum[k] += share * pixel[k];
            area += share;
        }
    }
    for (int k = 0; k < 3 && area > 0; k++) rgb[k] = (uint8_t)lrint(sum[k] / area);
}

void torre_canvas_picture(torre_canvas *c, const torre_image *image, const double at[2],
                          const double size[2])
{
    int low[2], high[2];
    double step[2];
    for (int a = 0; a < 2; a++) {
        const int most = a ? c->image.height : c->image.width;
        low[a] = (int)lrint(at[a] * c->scale);
        high[a] = (int)lrint((at[a] + size[a]) * c->scale);
        step[a] = (double)(a ? image->height : image->width) / (high[a] - low[a]);
        if (high[a] > most) high[a] = most;
    }
#pragma omp parallel for schedule(static)
    for (int y = low[1]; y < high[1]; y++) {
        if (step[0] == 1 && step[1] == 1) { /* the mean of a pixel is what it is */
            memcpy(torre_image_at(&c->image, low[0], y), torre_image_at(image, 0, y - low[1]),
                   3 * (size_t)(high[0] - low[0]));
            continue;
        }
        for (int x = low[0]; x < high[0]; x++) {
            const double from[2] = {(x - low[0]) * step[0], (y - low[1]) * step[1]};
            const double to[2] = {from[0] + step[0], from[1] + step[1]};
            average(image, from, to, torre_image_at(&c->image, x, y));
        }
    }
}

torre_status torre_canvas_finish(torre_canvas *c, torre_status status, torre_image *image)
{
    if (c->failed && !status)
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for the letters of a picture");
    if (c->face) FT_Done_Face(c->face);
    if (c->library) FT_Done_FreeType(c->library);
    if (status)
        torre_image_free(&c->image);
    else
        *image = c->image;
    free(c);
    return status;
}
