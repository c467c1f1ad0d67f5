/* Pictures: 8-bit RGB, written as PNG. (libpng stays inside png_image.c.) */
#ifndef TORRE_PNG_IMAGE_H
#define TORRE_PNG_IMAGE_H

#include <stdint.h>

#include "core/status.h"
#include "io/output_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows from top to bottom, pixels from left to right, 3 bytes each (sRGB). */
typedef struct torre_image {
    int width, height; /* 1 .. 32767 */
    uint8_t *rgb;      /* 3 * width * height bytes */
    int per_metre;     /* pixels on paper, said in the file (pHYs); 0: nothing said */
} torre_image;

/* Allocate a black picture, without a size on paper; TORRE_ERR_RESOURCE when there is no memory. */
torre_status torre_image_new(int width, int height, torre_image *image);

/* Free the pixels and zero the struct. */
void torre_image_free(torre_image *image);

/* The pixel in column x, row y (inside the picture). */
static inline uint8_t *torre_image_at(const torre_image *image, int x, int y)
{
    return image->rgb + 3 * ((int64_t)y * image->width + x);
}

/*
 * Write as PNG, grey where no pixel has a colour, into an opened output, which stays the caller's
 * to commit or discard. title (may be NULL) is stored as the PNG text "Title". torre_fail_errno
 * with the path when it cannot be written.
 */
torre_status torre_png_encode(const torre_image *image, const char *title, torre_output *out);

/* Write the file path: open, encode, commit. Nothing is left behind on failure. */
torre_status torre_png_write(const torre_image *image, const char *title, const char *path);

#ifdef __cplusplus
}
#endif

#endif
