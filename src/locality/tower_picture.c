#include "locality/tower_picture.h"

#include <math.h>
#include <stdlib.h>

#include "io/png_image.h"

#define PICTURE_SIDE 1000 /* pixels aimed at */

typedef struct point {
    double x, y;
} point;

typedef struct canvas {
    torre_image image;
    double scale;
    point shift; /* pixel of the projected origin */
} canvas;

/* A cube or a square of one cell, where it is drawn. */
typedef struct block {
    double x, y, z; /* lowest corner: right, into the depth, up */
    double rgb[3];
} block;

static bool is_flat(const torre_tower_view *v)
{
    return v->kind != TORRE_VIEW_STENCIL && v->kind != TORRE_VIEW_CONES &&
           v->kind != TORRE_VIEW_TOWER && v->kind != TORRE_VIEW_NEIGHBOURS;
}

/* --- colours --- */

/* Blue, cyan, green, yellow, red for t = 0 .. 1. */
static void rainbow(double t, double rgb[3])
{
    static const double knots[5][3] = {
        {60, 80, 200}, {60, 170, 210}, {90, 180, 100}, {240, 190, 60}, {215, 60, 50}};
    double x = fmin(fmax(t, 0), 1) * 4;
    int i = x >= 4 ? 3 : (int)x;
    for (int k = 0; k < 3; k++) rgb[k] = knots[i][k] + (x - i) * (knots[i + 1][k] - knots[i][k]);
}

/* Those of the source where it names them: influence orange, dependence red, a tower purple, what
 * it waits for green, what waits for it yellow, what is independent red. */
static void label_colour(torre_tower_view_kind kind, int64_t value, double rgb[3])
{
    static const double table[][4][3] = {
        {{120, 120, 120}, {90, 150, 210}, {215, 60, 50}},                /* parts */
        {{245, 165, 60}, {205, 70, 60}, {150, 80, 170}},                 /* cones */
        {{150, 80, 170}, {90, 170, 90}, {240, 200, 60}, {205, 70, 60}}}; /* relations */
    int row = kind == TORRE_VIEW_STENCIL ? 0 : kind == TORRE_VIEW_CONES ? 1 : 2;
    for (int k = 0; k < 3; k++) rgb[k] = table[row][value][k];
}

static void colour_of(const torre_tower_view *v, const torre_tower_cell *c, int64_t most,
                      double rgb[3])
{
    if (v->labels) {
        label_colour(v->kind, c->value, rgb);
        return;
    }
    rainbow(most > 0 ? (double)c->value / (double)most : 1, rgb);
    if (v->kind == TORRE_VIEW_STAGES && (c->s & 1)) /* odd stages paler */
        for (int k = 0; k < 3; k++) rgb[k] += 0.45 * (255 - rgb[k]);
}

/* --- shapes --- */

static void set_pixel(canvas *c, int x, int y, const double rgb[3], double shade)
{
    if (x < 0 || y < 0 || x >= c->image.width || y >= c->image.height) return;
    uint8_t *pixel = torre_image_at(&c->image, x, y);
    for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)(rgb[k] * shade + 0.5);
}

/* Fill a convex quadrangle (pixels whose centres lie inside). */
static void fill(canvas *c, const point q[4], const double rgb[3], double shade)
{
    double low = q[0].y, high = q[0].y;
    for (int i = 1; i < 4; i++) {
        low = fmin(low, q[i].y);
        high = fmax(high, q[i].y);
    }
    for (int y = (int)floor(low); y <= (int)ceil(high); y++) {
        double at = y + 0.5, x0 = INFINITY, x1 = -INFINITY;
        for (int i = 0; i < 4; i++) {
            point a = q[i], b = q[(i + 1) % 4];
            if ((a.y > at) == (b.y > at)) continue;
            double x = a.x + (at - a.y) / (b.y - a.y) * (b.x - a.x);
            x0 = fmin(x0, x);
            x1 = fmax(x1, x);
        }
        for (int x = (int)ceil(x0 - 0.5); x < x1 - 0.5; x++) set_pixel(c, x, y, rgb, shade);
    }
}

/* A face with a darker edge. */
static void draw_face(canvas *c, const point q[4], const double rgb[3], double shade)
{
    point inner[4], centre = {(q[0].x + q[2].x) / 2, (q[0].y + q[2].y) / 2};
    double keep = 1 - fmin(0.3, 2.2 / c->scale);
    for (int i = 0; i < 4; i++)
        inner[i] =
            (point){centre.x + keep * (q[i].x - centre.x), centre.y + keep * (q[i].y - centre.y)};
    fill(c, q, rgb, 0.6 * shade);
    fill(c, inner, rgb, shade);
}

/* Right, into the depth, up: where on paper, in cells, y downwards. */
static point project(double x, double y, double z) { return (point){x + 0.5 * y, -0.32 * y - z}; }

static point to_pixel(const canvas *c, double x, double y, double z)
{
    point p = project(x, y, z);
    return (point){p.x * c->scale + c->shift.x, p.y * c->scale + c->shift.y};
}

/* Front, top and right side of a cube; only the front of a square. */
static void draw_block(canvas *c, const block *b, bool flat)
{
    point corner[2][2][2];
    for (int i = 0; i < 8; i++)
        corner[i & 1][i >> 1 & 1][i >> 2] =
            to_pixel(c, b->x + (i & 1), b->y + (i >> 1 & 1), b->z + (i >> 2));
    const point front[4] = {corner[0][0][0], corner[1][0][0], corner[1][0][1], corner[0][0][1]};
    const point top[4] = {corner[0][0][1], corner[1][0][1], corner[1][1][1], corner[0][1][1]};
    const point right[4] = {corner[1][0][0], corner[1][1][0], corner[1][1][1], corner[1][0][1]};
    draw_face(c, front, b->rgb, flat ? 1 : 0.88);
    if (flat) return;
    draw_face(c, right, b->rgb, 0.7);
    draw_face(c, top, b->rgb, 1);
}

static void draw_line(canvas *c, point a, point b, double width)
{
    static const double black[3] = {20, 20, 20};
    double length = hypot(b.x - a.x, b.y - a.y);
    if (length <= 0) return;
    double nx = (b.y - a.y) / length * width / 2, ny = (a.x - b.x) / length * width / 2;
    const point q[4] = {
        {a.x + nx, a.y + ny}, {b.x + nx, b.y + ny}, {b.x - nx, b.y - ny}, {a.x - nx, a.y - ny}};
    fill(c, q, black, 1);
}

/* --- the picture --- */

/* Where a cell is drawn; false: it is cut away. */
static bool place(const torre_tower_view *v, const torre_tower_pass *p, const torre_tower_cell *c,
                  block *b)
{
    double gap = (double)(p->dts * p->half_width) / 2;
    *b = (block){(double)c->x, (double)c->y, (double)c->t, {0}};
    if (v->kind == TORRE_VIEW_CONES && c->y < 0) return false;
    if (v->kind == TORRE_VIEW_STENCIL) b->z *= 2.5;
    if (v->kind == TORRE_VIEW_NEIGHBOURS) { /* the own tower is (2, 4) */
        b->x += gap * (double)(c->s - 2);
        b->y += gap * (double)(c->m - 4);
    }
    if (v->kind == TORRE_VIEW_STAGES || v->kind == TORRE_VIEW_LEVELS) {
        b->z = b->y;
        b->y = 0;
    }
    return true;
}

/* The farthest first, then from below and from the left. */
static int farthest_first(const void *a, const void *b)
{
    const block *p = a, *q = b;
    if (p->y != q->y) return p->y > q->y ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

static torre_status canvas_make(const block *blocks, int64_t count, bool flat, canvas *c)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < count; i++) {
        for (int corner = 0; corner < 8; corner++) {
            point p =
                project(blocks[i].x + (corner & 1), flat ? 0 : blocks[i].y + (corner >> 1 & 1),
                        blocks[i].z + (corner >> 2));
            low[0] = fmin(low[0], p.x), high[0] = fmax(high[0], p.x);
            low[1] = fmin(low[1], p.y), high[1] = fmax(high[1], p.y);
        }
    }
    double width = high[0] - low[0] + 1, height = high[1] - low[1] + 1;
    c->scale = fmin(40, fmax(3, floor(PICTURE_SIDE / fmax(width, height))));
    c->shift = (point){(0.5 - low[0]) * c->scale, (0.5 - low[1]) * c->scale};
    if (fmax(width, height) * c->scale > 32767)
        return torre_fail(TORRE_ERR_USAGE, "{plot}: %.0fx%.0f cells are too many to draw", width,
                          height);
    TORRE_TRY(torre_image_new((int)(width * c->scale), (int)(height * c->scale), &c->image));
    for (int64_t i = 0; i < (int64_t)3 * c->image.width * c->image.height; i++)
        c->image.rgb[i] = 255;
    return TORRE_OK;
}

/* The line through the middles of the tiles at the first step, those outside of the plane too. */
static void draw_path(canvas *c, const torre_tower_view *v, const torre_tower_pass *p)
{
    double D = (double)(p->dts * p->half_width);
    for (int64_t i = 0; i + 1 < v->path_count; i++) {
        torre_tower a = v->path[i], b = v->path[i + 1];
        draw_line(c, to_pixel(c, D * (double)(a.s + 1), 0, D * (double)a.m + 0.5),
                  to_pixel(c, D * (double)(b.s + 1), 0, D * (double)b.m + 0.5),
                  fmax(1, c->scale / 8));
    }
}

torre_status torre_tower_view_draw(const torre_tower_view *v, const torre_tower_pass *p,
                                   const char *title, const char *file)
{
    canvas c = {.scale = 1};
    block *blocks = malloc((size_t)(v->count + 1) * sizeof *blocks);
    if (!blocks) return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the picture");
    int64_t count = 0, most = 0;
    bool flat = is_flat(v);
    for (int64_t i = 0; i < v->count; i++)
        if (v->cell[i].value > most) most = v->cell[i].value;
    if (v->kind == TORRE_VIEW_LEVELS) most = p->height;
    for (int64_t i = 0; i < v->count; i++) {
        if (!place(v, p, &v->cell[i], &blocks[count])) continue;
        colour_of(v, &v->cell[i], most, blocks[count].rgb);
        count++;
    }
    torre_status status = canvas_make(blocks, count, flat, &c);
    if (!status) {
        qsort(blocks, (size_t)count, sizeof *blocks, farthest_first);
        for (int64_t i = 0; i < count; i++) draw_block(&c, &blocks[i], flat);
        draw_path(&c, v, p);
        status = torre_png_write(&c.image, title, file);
        torre_image_free(&c.image);
    }
    free(blocks);
    return status;
}
