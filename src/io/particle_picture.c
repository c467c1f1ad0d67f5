#include "io/particle_picture.h"

#include <math.h>
#include <stdlib.h>

#define LONG_SIDE 1000

/* Stops of the colour scale, sRGB, of steadily growing lightness. */
static const double stops[5][3] = {
    {38, 30, 92}, {46, 88, 140}, {42, 148, 134}, {130, 200, 90}, {250, 230, 70}};

/* Nearest sphere of each pixel: the height of its surface, and whose it is. */
typedef struct canvas {
    int width, height;
    double scale; /* pixels per length */
    float *top;
    int64_t *owner;
} canvas;

static void draw_sphere(canvas *c, const torre_md_particles *p, int64_t i, double radius)
{
    double x = p->position[0][i] * c->scale, r = fmax(radius * c->scale, 0.5);
    double y = (p->box[1] - p->position[1][i]) * c->scale, z = p->position[2][i] * c->scale;
    for (int v = (int)fmax(floor(y - r), 0); v <= y + r && v < c->height; v++) {
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

/* Colour of a point of a sphere: its speed, lit from the viewer's side, fading with depth. */
static void shade(const torre_md_particles *p, int64_t i, double facing, double speed,
                  uint8_t rgb[3])
{
    double v = 0, depth = p->position[2][i] / p->box[2];
    for (int a = 0; a < 3; a++) v += p->velocity[a][i] * p->velocity[a][i];
    double at = speed > 0 ? fmin(sqrt(v) / speed, 1) * 4 : 0;
    int low = at < 3 ? (int)at : 3;
    double light = 0.35 + 0.65 * facing, clear = 0.35 + 0.65 * depth;
    for (int k = 0; k < 3; k++) {
        double colour = stops[low][k] + (at - low) * (stops[low + 1][k] - stops[low][k]);
        rgb[k] = (uint8_t)(255 + clear * (fmin(colour * light, 255) - 255));
    }
}

torre_status torre_particle_picture(const torre_md_particles *p, double diameter, double speed,
                                    torre_image *image)
{
    double side = fmax(p->box[0], p->box[1]);
    canvas c = {.scale = LONG_SIDE / side};
    c.width = (int)fmax(1, ceil(p->box[0] * c.scale));
    c.height = (int)fmax(1, ceil(p->box[1] * c.scale));
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
    for (int64_t k = 0; k < pixels; k++) c.owner[k] = -1;
    for (int64_t i = 0; i < p->count; i++) draw_sphere(&c, p, i, diameter / 2);
    const double radius = fmax(diameter / 2 * c.scale, 0.5);
    for (int64_t k = 0; k < pixels; k++) {
        uint8_t *rgb = image->rgb + 3 * k;
        int64_t i = c.owner[k];
        if (i < 0) {
            rgb[0] = rgb[1] = rgb[2] = 255;
            continue;
        }
        double facing = (c.top[k] - p->position[2][i] * c.scale) / radius;
        shade(p, i, fmin(fmax(facing, 0), 1), speed, rgb);
    }
    free(c.top);
    free(c.owner);
    return TORRE_OK;
}
