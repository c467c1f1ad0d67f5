#include "io/particle_picture.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SIDE 1000

/* Stops of the colour scale, sRGB, of steadily growing lightness. */
static const double stops[5][3] = {
    {38, 30, 92}, {46, 88, 140}, {42, 148, 134}, {130, 200, 90}, {250, 230, 70}};

/* Nearest sphere of each pixel: the height of its surface, and whose it is. */
typedef struct canvas {
    int width, height;
    torre_particle_view view;
    double scale;  /* pixels per length */
    double radius; /* pixels; of the largest */
    float *top;
    int64_t *owner;
} canvas;

/* How near to the eye a particle is, from 0 to the depth of the box. */
static double nearness(const torre_md_particles *p, const torre_particle_view *v, int64_t i)
{
    const int depth = 3 - v->right - v->up;
    const bool to_eye = (v->right + 1) % 3 == v->up;
    return to_eye ? p->position[depth][i] : p->box[depth] - p->position[depth][i];
}

static double radius_of(const canvas *c, const torre_md_particles *p, int64_t i)
{
    return p->radius ? c->radius * p->radius[i] / p->largest : c->radius;
}

/* What of a sphere lies in rows low .. high - 1. */
static void draw_sphere(const canvas *c, const torre_md_particles *p, int64_t i, int low, int high)
{
    const int up = c->view.up;
    const double y = (p->box[up] - p->position[up][i]) * c->scale;
    const double r = radius_of(c, p, i);
    if (y + r < low || y - r >= high) return;
    const double x = p->position[c->view.right][i] * c->scale;
    const double z = nearness(p, &c->view, i) * c->scale;
    for (int v = (int)fmax(floor(y - r), low); v <= y + r && v < high; v++) {
        for (int u = (int)fmax(floor(x - r), 0); u <= x + r && u < c->width; u++) {
            double du = u + 0.5 - x, dv = v + 0.5 - y, above = r * r - du * du - dv * dv;
            if (above < 0) continue;
            float top = (float)(z + sqrt(above));
            int64_t pixel = (int64_t)v * c->width + u;
            if (c->owner[pixel] >= 0 && c->top[pixel] >= top) continue;
            c->top[pixel] = top;
            c->owner[pixel] = i;
        }
    }
}

/* The colour of a share of the speed of the fastest, 0 .. 1. */
static void color_of(double share, double rgb[3])
{
    const double at = 4 * share;
    const int low = at < 3 ? (int)at : 3;
    for (int k = 0; k < 3; k++)
        rgb[k] = stops[low][k] + (at - low) * (stops[low + 1][k] - stops[low][k]);
}

void torre_particle_color(double share, uint8_t rgb[3])
{
    double color[3];
    color_of(fmin(fmax(share, 0), 1), color);
    for (int k = 0; k < 3; k++) rgb[k] = (uint8_t)lrint(color[k]);
}

/* Colour of a point of a sphere: its speed, lit from the viewer's side, fading with depth. */
static void shade(const torre_md_particles *p, const torre_particle_view *view, int64_t i,
                  double facing, double speed, uint8_t rgb[3])
{
    double v = 0, color[3], depth = nearness(p, view, i) / p->box[3 - view->right - view->up];
    for (int a = 0; a < 3; a++) v += p->velocity[a][i] * p->velocity[a][i];
    color_of(speed > 0 ? fmin(sqrt(v) / speed, 1) : 0, color);
    double light = 0.35 + 0.65 * facing, clear = view->flat ? 1 : 0.35 + 0.65 * depth;
    for (int k = 0; k < 3; k++)
        rgb[k] = (uint8_t)(255 + clear * (fmin(color[k] * light, 255) - 255));
}

/* Spheres in the order of the particles, so that of two as near the first is seen; each thread has
 * rows of its own. */
static void draw_all(const canvas *c, const torre_md_particles *p)
{
#pragma omp parallel
    {
        const int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
        const int low = (int)(c->height * me / threads),
                  high = (int)(c->height * (me + 1) / threads);
        for (int64_t k = (int64_t)low * c->width; k < (int64_t)high * c->width; k++)
            c->owner[k] = -1;
        for (int64_t i = 0; i < p->count; i++) draw_sphere(c, p, i, low, high);
    }
}

static void color_all(const canvas *c, const torre_md_particles *p, double speed, uint8_t *rgb)
{
#pragma omp parallel for
    for (int64_t k = 0; k < (int64_t)c->width * c->height; k++) {
        const int64_t i = c->owner[k];
        if (i < 0) {
            memset(rgb + 3 * k, 255, 3);
            continue;
        }
        const double facing =
            (c->top[k] - nearness(p, &c->view, i) * c->scale) / radius_of(c, p, i);
        shade(p, &c->view, i, fmin(fmax(facing, 0), 1), speed, rgb + 3 * k);
    }
}

torre_status torre_particle_picture(const torre_md_particles *p, double diameter, double speed,
                                    torre_particle_view view, torre_image *image)
{
    const double width = p->box[view.right], height = p->box[view.up];
    canvas c = {.view = view,
                .scale = view.scale > 0 ? view.scale : LONG_SIDE / fmax(width, height)};
    c.radius = fmax(diameter / 2 * c.scale, 0.5);
    c.width = (int)fmax(1, ceil(width * c.scale));
    c.height = (int)fmax(1, ceil(height * c.scale));
    TORRE_TRY(torre_image_new(c.width, c.height, image));
    int64_t pixels = (int64_t)c.width * c.height;
    c.top = calloc((size_t)pixels, sizeof *c.top);
    c.owner = malloc((size_t)pixels * sizeof *c.owner);
    if (!c.top || !c.owner) {
        free(c.top);
        free(c.owner);
        torre_image_free(image);
        return torre_fail(TORRE_ERR_RESOURCE, "no memory for a picture");
    }
    draw_all(&c, p);
    color_all(&c, p, speed, image->rgb);
    free(c.top);
    free(c.owner);
    return TORRE_OK;
}
