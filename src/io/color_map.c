#include "io/color_map.h"

#include <math.h>
#include <string.h>

typedef struct lab {
    double l, a, b;
} lab;

/* OKLab to sRGB (0 .. 255, cut to the gamut). */
static void to_srgb(lab c, uint8_t rgb[3])
{
    double l = c.l + 0.3963377774 * c.a + 0.2158037573 * c.b;
    double m = c.l - 0.1055613458 * c.a - 0.0638541728 * c.b;
    double s = c.l - 0.0894841775 * c.a - 1.2914855480 * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    const double linear[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                              -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                              -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
    for (int i = 0; i < 3; i++) {
        double v = linear[i] < 0 ? 0 : linear[i] > 1 ? 1 : linear[i];
        v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
        rgb[i] = (uint8_t)lrint(255 * v);
    }
}

/* Lightness, chroma and hue (degrees). */
static lab lch(double l, double c, double h)
{
    double r = h * 3.14159265358979323846 / 180;
    return (lab){l, c * cos(r), c * sin(r)};
}

static lab mix(lab x, lab y, double t)
{
    return (lab){x.l + t * (y.l - x.l), x.a + t * (y.a - x.a), x.b + t * (y.b - x.b)};
}

/* Stops at |v| = 1/3, 2/3 and 1, equally light on both sides. */
static lab stop_color(int side, int stop)
{
    static const double lightness[3] = {0.78, 0.55, 0.30};
    static const double chroma[2][3] = {{0.10, 0.15, 0.11}, {0.12, 0.18, 0.12}};
    static const double hue[2][3] = {{235, 252, 265}, {62, 36, 22}};
    return lch(lightness[stop], chroma[side][stop], hue[side][stop]);
}

static lab signed_color(double v, lab background)
{
    int side = v > 0;
    double x = 3 * fabs(v);
    if (x <= 1) return mix(background, stop_color(side, 0), x);
    if (x <= 2) return mix(stop_color(side, 0), stop_color(side, 1), x - 1);
    return mix(stop_color(side, 1), stop_color(side, 2), x - 2);
}

void torre_color_map_make(torre_color_map *map)
{
    for (int g = 0; g < 32; g++) {
        lab background = lch(0.985 - 0.34 * g / 31, 0.004, 90); /* white to middle grey, warm */
        for (int v = 0; v < 511; v++)
            to_srgb(signed_color((v - 255) / 255.0, background), map->rgb[g][v]);
    }
}

void torre_color_map_pixel(const torre_color_map *map, double v, double g, uint8_t rgb[3])
{
    v = v > 1 ? 1 : v > -1 ? v : -1; /* a NaN becomes -1 */
    g = g > 1 ? 1 : g > 0 ? g : 0;
    memcpy(rgb, map->rgb[lrint(31 * g)][lrint(255 + 255 * v)], 3);
}
