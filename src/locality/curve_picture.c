#include "locality/curve_picture.h"

#include <math.h>
#include <stdlib.h>

#include "io/png_image.h"
#include "locality/curve_facts.h"

#define PICTURE_SIDE 1200 /* pixels aimed at */

typedef struct canvas {
    torre_image image;
    const torre_ordering *o;
    double scale;    /* pixels a cell */
    double shift[2]; /* pixel of the projected origin */
} canvas;

/* Where the axes lead on paper: crooked enough that few cells fall onto each other. */
static const double axis_on_paper[3][2] = {{-0.75, 0.40}, {0.95, 0.22}, {0, -1}};

/* Direction to the eye: what projects to (0, 0), i.e. the null vector of the matrix above. */
static const double towards_eye[3] = {1, 0.75 / 0.95, 0.40 + 0.22 * 0.75 / 0.95};

/* Projection of a cell onto the unit plane, y downwards. */
static void project(const torre_ordering *o, const double at[3], double p[2])
{
    for (int d = 0; d < 2; d++) {
        p[d] = at[1 - d]; /* a plane: rows downwards */
        if (o->dims == 3)
            p[d] = at[0] * axis_on_paper[0][d] + at[1] * axis_on_paper[1][d] +
                   at[2] * axis_on_paper[2][d];
    }
}

static void pixel_of(const canvas *c, int64_t index, double p[2])
{
    int64_t cell[3];
    torre_curve_cell(c->o, index, cell);
    project(c->o, (double[3]){(double)cell[0], (double)cell[1], (double)cell[2]}, p);
    for (int a = 0; a < 2; a++) p[a] = p[a] * c->scale + c->shift[a];
}

static torre_status canvas_make(const torre_ordering *o, canvas *c)
{
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, p[2];
    for (int corner = 0; corner < 8; corner++) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = corner >> a & 1 ? (double)o->size[a] - 1 : 0;
        project(o, at, p);
        for (int a = 0; a < 2; a++) {
            low[a] = fmin(low[a], p[a]);
            high[a] = fmax(high[a], p[a]);
        }
    }
    double extent = fmax(high[0] - low[0], high[1] - low[1]) + 2;
    c->o = o;
    c->scale = fmin(80, fmax(2, floor(PICTURE_SIDE / extent)));
    for (int a = 0; a < 2; a++) c->shift[a] = (1 - low[a]) * c->scale;
    double width = (high[0] - low[0] + 2) * c->scale, height = (high[1] - low[1] + 2) * c->scale;
    if (width > 32767 || height > 32767)
        return torre_fail(TORRE_ERR_USAGE,
                          "{plot}: a picture of this {size} would be %.0fx%.0f "
                          "pixels; at most 32767 are possible",
                          width, height);
    TORRE_TRY(torre_image_new((int)ceil(width), (int)ceil(height), &c->image));
    for (int64_t i = 0; i < (int64_t)3 * c->image.width * c->image.height; i++)
        c->image.rgb[i] = 255;
    return TORRE_OK;
}

/* Blue, cyan, green, yellow, red for t = 0 .. 1, dark enough on white. */
static void colour_at(double t, double rgb[3])
{
    static const double knots[5][3] = {
        {40, 60, 200}, {0, 150, 200}, {20, 160, 60}, {230, 160, 0}, {210, 30, 30}};
    double x = t * 4;
    int i = x >= 4 ? 3 : (int)x;
    for (int k = 0; k < 3; k++) rgb[k] = knots[i][k] + (x - i) * (knots[i + 1][k] - knots[i][k]);
}

static double distance_to_segment(double x, double y, const double p[2], const double q[2])
{
    double dx = q[0] - p[0], dy = q[1] - p[1], l2 = dx * dx + dy * dy;
    double t = l2 > 0 ? ((x - p[0]) * dx + (y - p[1]) * dy) / l2 : 0;
    t = fmin(1, fmax(0, t));
    return hypot(x - p[0] - t * dx, y - p[1] - t * dy);
}

/* A line with round ends and smooth edges, width in pixels. */
static void draw_line(canvas *c, const double p[2], const double q[2], double width,
                      const double rgb[3])
{
    int x0 = (int)fmax(0, fmin(p[0], q[0]) - width), y0 = (int)fmax(0, fmin(p[1], q[1]) - width);
    int x1 = (int)fmin(c->image.width - 1, fmax(p[0], q[0]) + width + 1);
    int y1 = (int)fmin(c->image.height - 1, fmax(p[1], q[1]) + width + 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            double cover = width / 2 + 0.5 - distance_to_segment(x, y, p, q);
            if (cover <= 0) continue;
            if (cover > 1) cover = 1;
            uint8_t *pixel = torre_image_at(&c->image, x, y);
            for (int k = 0; k < 3; k++)
                pixel[k] = (uint8_t)(pixel[k] + cover * (rgb[k] - pixel[k]) + 0.5);
        }
    }
}

/* A step rank -> rank + 1 and how near to the eye its middle is. */
typedef struct drawn_step {
    double near;
    int64_t rank;
} drawn_step;

static drawn_step step_of(const torre_ordering *o, const int64_t *path, int64_t rank)
{
    drawn_step s = {0, rank};
    int64_t a[3], b[3];
    torre_curve_cell(o, path[rank], a);
    torre_curve_cell(o, path[rank + 1], b);
    for (int k = 0; k < 3 && o->dims == 3; k++) s.near += (double)(a[k] + b[k]) * towards_eye[k];
    return s;
}

static int farthest_first(const void *a, const void *b)
{
    const drawn_step *s = a, *t = b;
    if (s->near != t->near) return s->near < t->near ? -1 : 1;
    return s->rank < t->rank ? -1 : 1;
}

static void draw_step(canvas *c, const int64_t *path, int64_t rank)
{
    static const double white[3] = {255, 255, 255}, grey[3] = {170, 170, 170};
    double p[2], q[2], rgb[3];
    int64_t a[3], b[3];
    pixel_of(c, path[rank], p);
    pixel_of(c, path[rank + 1], q);
    torre_curve_cell(c->o, path[rank], a);
    torre_curve_cell(c->o, path[rank + 1], b);
    double width = fmax(1, c->scale / 5);
    if (torre_curve_distance(a, b) > 1) {
        draw_line(c, p, q, fmax(0.7, width / 4), grey);
        return;
    }
    colour_at((double)rank / (double)(torre_ordering_cells(c->o) - 1), rgb);
    if (c->o->dims == 3) { /* lift it off what is behind, but not off its neighbours */
        double inner[2][2];
        for (int k = 0; k < 2; k++) {
            inner[0][k] = p[k] + (q[k] - p[k]) * 0.3;
            inner[1][k] = p[k] + (q[k] - p[k]) * 0.7;
        }
        draw_line(c, inner[0], inner[1], width * 1.8, white);
    }
    draw_line(c, p, q, width, rgb);
}

torre_status torre_curve_draw(const torre_ordering *o, const int64_t *path, const char *title,
                              const char *file)
{
    int64_t steps = torre_ordering_cells(o) - 1;
    if (steps >= TORRE_CURVE_DRAW_MAX)
        return torre_fail(TORRE_ERR_USAGE,
                          "{plot}: at most %lld bins can be drawn ({size} has %lld)",
                          (long long)TORRE_CURVE_DRAW_MAX, (long long)steps + 1);
    canvas c = {.o = o};
    TORRE_TRY(canvas_make(o, &c));
    drawn_step *sorted = malloc((size_t)(steps + 1) * sizeof *sorted);
    torre_status status = TORRE_OK;
    if (sorted) {
        for (int64_t r = 0; r < steps; r++) sorted[r] = step_of(o, path, r);
        qsort(sorted, (size_t)steps, sizeof *sorted, farthest_first);
        for (int64_t i = 0; i < steps; i++) draw_step(&c, path, sorted[i].rank);
        double first[2], blue[3], white[3] = {255, 255, 255};
        pixel_of(&c, path[0], first);
        colour_at(0, blue);
        draw_line(&c, first, first, c.scale / 2, blue);
        draw_line(&c, first, first, c.scale / 4, white);
        status = torre_png_write(&c.image, title, file);
    } else {
        status = torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture of %lld steps",
                            (long long)steps);
    }
    free(sorted);
    torre_image_free(&c.image);
    return status;
}
