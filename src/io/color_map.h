/*
 * Colours of a signed field over a grey background.
 *
 * Colours are mixed in the OKLab space (Ottosson, A perceptual color space for image processing,
 * 2020), in which equal steps look equally large. A value v in -1 .. 1 goes from the background
 * (v = 0) through a light to a dark colour: blues below zero, oranges and reds above, of the same
 * lightness on both sides, so that the sign shows in hue alone and prints in grey as magnitude.
 */
#ifndef TORRE_COLOR_MAP_H
#define TORRE_COLOR_MAP_H

#include <stdint.h>

/* Precomputed tables; make one with torre_color_map_make, read it from any number of threads. */
typedef struct torre_color_map {
    uint8_t rgb[32][511][3]; /* [background][255 + 255 v] in sRGB */
} torre_color_map;

/* Fill the tables. */
void torre_color_map_make(torre_color_map *map);

/*
 * Pixel (sRGB) of value v over background g. v is cut to -1 .. 1; g in 0 .. 1 goes from white
 * (nothing to show) to the darkest grey in use, and is cut likewise.
 */
void torre_color_map_pixel(const torre_color_map *map, double v, double g, uint8_t rgb[3]);

#endif
