#include "figure/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double left = 84, top = 68, bottom = 64, right = 30; /* margins */
static const double bar_room = 104, bar_width = 15, bar_gap = 26, bar_least = 150;
static const double narrowest = 460; /* sheet, so that titles have room */
static const torre_canvas_words tick_words = {.size = 14, .color = TORRE_FRAME_DARK};

double torre_frame_fit(double width, double height)
{
    return fmin(TORRE_FRAME_WIDTH / width, TORRE_FRAME_HEIGHT / height);
}

static double larger(double a, double b) { return a > b ? a : b; }

void torre_frame_sheet(const double data[2], int bars, double sheet[2])
{
    sheet[0] = ceil(larger(left + data[0] + (bars ? bars * bar_room : right), narrowest));
    sheet[1] = ceil(top + larger(data[1], bars ? bar_least : 0) + bottom);
}

torre_status torre_frame_begin(const double data[2], int bars, double scale, const char *title,
                               const char *detail, torre_figure_frame *f)
{
    double sheet[2];
    torre_frame_sheet(data, bars, sheet);
    *f = (torre_figure_frame){.at = {left, top}, .size = {data[0], data[1]}};
    TORRE_TRY(torre_canvas_new(sheet[0], sheet[1], scale, &f->canvas));
    const torre_canvas_words large = {.size = 18, .color = TORRE_FRAME_DARK, .bold = true};
    const torre_canvas_words small = {.size = 14, .color = TORRE_FRAME_PALE};
    torre_canvas_text(f->canvas, left, 30, &large, title);
    if (detail) torre_canvas_text(f->canvas, left, 53, &small, detail);
    return TORRE_OK;
}

double torre_frame_round(double value)
{
    const double ten = pow(10, floor(log10(value) + 1e-12)), digit = value / ten * (1 + 1e-12);
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * ten;
}

double torre_frame_unit(const char *unit, double most, char *name, size_t size)
{
    static const struct {
        const char *prefix;
        double factor;
    } list[] = {{"k", 1e3}, {"", 1}, {"m", 1e-3}, {"\302\265", 1e-6}, {"n", 1e-9}};
    const bool prefixed = unit && (strcmp(unit, "m") == 0 || strcmp(unit, "s") == 0);
    size_t i = prefixed && unit[0] == 'm' && most >= 1e4 ? 0 : 1;
    while (prefixed && i > 0 && i < 4 && most > 0 && most < 0.5 * list[i].factor) i++;
    snprintf(name, size, "%s%s", list[i].prefix, unit ? unit : "");
    return list[i].factor;
}

/* Digits after the point of multiples of a step. */
static int digits_of(double step)
{
    const double digits = -floor(log10(step) + 1e-9);
    return digits > 0 ? (int)digits : 0;
}

/* A tick from a point of an edge, upright or level, its middle there. */
static void draw_tick(const torre_figure_frame *f, double x, double y, double length, bool upright)
{
    const double from = length < 0 ? length : 0, size = fabs(length);
    torre_canvas_box(f->canvas,
                     (const double[]){upright ? x - 0.5 : x + from, upright ? y + from : y - 0.5},
                     (const double[]){upright ? 1 : size, upright ? size : 1}, TORRE_FRAME_DARK);
}

void torre_frame_axis(const torre_figure_frame *f, int which, const torre_figure_axis *a)
{
    char name[16], label[80];
    const double most = fmax(fabs(a->low), fabs(a->high));
    const double unit = torre_frame_unit(a->unit, most, name, sizeof name);
    const double length = f->size[which], span = (a->to - a->from) / unit;
    const double room = which ? 46 : 88, edge[2] = {f->at[0], f->at[1] + f->size[1]};
    if (!(fabs(span) > 0) || !isfinite(span)) return;
    double step = torre_frame_round(fabs(span) * room / length);
    if (step * length / fabs(span) < room) /* the next of 1, 2, 5 */
        step = torre_frame_round(step * 2.5);
    const double low = fmin(a->low, a->high) / unit, high = fmax(a->low, a->high) / unit;
    const bool plain = most / unit < 1e5 && step > 1e-4;
    for (double n = ceil(low / step - 1e-6); n * step <= high + 1e-6 * step; n++) {
        const double value = n == 0 ? 0 : n * step, at = (value - a->from / unit) / span * length;
        char text[32];
        snprintf(text, sizeof text, plain ? "%.*f" : "%.*g", plain ? digits_of(step) : 6, value);
        torre_canvas_words w = tick_words;
        w.side = which ? TORRE_END : TORRE_MIDDLE;
        const double x = which ? edge[0] : edge[0] + at, y = which ? f->at[1] + at : edge[1];
        draw_tick(f, x, y, which ? -6 : 6, !which);
        torre_canvas_text(f->canvas, which ? x - 10 : x, which ? y + 5 : y + 22, &w, text);
    }
    snprintf(label, sizeof label, name[0] ? "%s, %s" : "%s", a->label, name);
    const torre_canvas_words w = {
        .size = 15, .color = TORRE_FRAME_DARK, .side = TORRE_MIDDLE, .upwards = which};
    if (which)
        torre_canvas_text(f->canvas, 24, f->at[1] + length / 2, &w, label);
    else
        torre_canvas_text(f->canvas, f->at[0] + length / 2, edge[1] + 48, &w, label);
}

void torre_frame_edges(const torre_figure_frame *f)
{
    torre_canvas_frame(f->canvas, f->at, f->size, 1, TORRE_FRAME_DARK);
}

void torre_frame_bar(const torre_figure_frame *f, int i, const torre_figure_bar *bar)
{
    enum { SHADES = 256 };
    uint8_t shades[3 * SHADES];
    torre_image ramp = {.width = 1, .height = SHADES, .rgb = shades};
    const double height = fmin(fmax(f->size[1], bar_least), 360);
    const double at[2] = {f->at[0] + f->size[0] + bar_gap + i * bar_room, f->at[1]};
    const double size[2] = {bar_width, height};
    for (int k = 0; k < SHADES; k++)
        bar->color(bar->context, 1 - (k + 0.5) / SHADES, torre_image_at(&ramp, 0, k));
    torre_canvas_picture(f->canvas, &ramp, at, size);
    torre_canvas_frame(f->canvas, at, size, 1, TORRE_FRAME_DARK);
    for (int k = 0; k < bar->ticks; k++) {
        const double y = at[1] + (1 - bar->at[k]) * height, x = at[0] + bar_width;
        draw_tick(f, x, y, 4, false);
        const torre_canvas_words w = {.size = 12.5, .color = TORRE_FRAME_DARK};
        torre_canvas_text(f->canvas, x + 7, y + 4.5, &w, bar->text[k]);
    }
    const torre_canvas_words w = {
        .size = 13, .color = TORRE_FRAME_DARK, .side = TORRE_MIDDLE, .upwards = true};
    torre_canvas_text(f->canvas, at[0] - 7, at[1] + height / 2, &w, bar->label);
}

static void draw_mark(torre_canvas *canvas, torre_figure_mark mark, double x, double y)
{
    enum { STAR = 10 };
    double points[2 * STAR];
    if (mark == TORRE_MARK_SOURCE) {
        for (int k = 0; k < STAR; k++) {
            const double r = k % 2 ? 3.6 : 9, angle = M_PI * (k / 5.0 - 0.5);
            points[2 * k] = x + r * cos(angle);
            points[2 * k + 1] = y + r * sin(angle);
        }
        torre_canvas_shape(canvas, points, STAR, 0xffd400, 1.2, 0x000000);
        return;
    }
    const double down[6] = {x - 5, y - 8, x + 5, y - 8, x, y};
    torre_canvas_shape(canvas, down, 3, 0x00a087, 1, 0x000000);
}

void torre_frame_mark(const torre_figure_frame *f, torre_figure_mark mark, double x, double y)
{
    draw_mark(f->canvas, mark, f->at[0] + x * f->size[0], f->at[1] + y * f->size[1]);
}

void torre_frame_legend(const torre_figure_frame *f, unsigned marks)
{
    static const char *const name[] = {"source", "receiver"};
    const torre_canvas_words w = {.size = 13, .color = TORRE_FRAME_DARK};
    double x = f->at[0];
    const double y = f->at[1] + f->size[1] + 48;
    for (int m = 0; m < 2; m++) {
        if (!(marks & 1u << m)) continue;
        draw_mark(f->canvas, (torre_figure_mark)m, x + 9, m ? y : y - 5);
        x += 22 + torre_canvas_text(f->canvas, x + 22, y, &w, name[m]) + 18;
    }
}
