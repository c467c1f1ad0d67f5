#include "io/png_image.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

torre_status torre_image_new(int width, int height, torre_image *image)
{
    image->width = width;
    image->height = height;
    image->rgb = calloc((size_t)width * (size_t)height, 3);
    if (!image->rgb)
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture of %dx%d pixels", width,
                          height);
    return TORRE_OK;
}

void torre_image_free(torre_image *image)
{
    free(image->rgb);
    memset(image, 0, sizeof *image);
}

/* Keep the first error text instead of printing it; libpng wants a jump, not a return. */
static void on_error(png_structp png, png_const_charp text)
{
    char *kept = png_get_error_ptr(png);
    snprintf(kept, 128, "%s", errno ? strerror(errno) : text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

/* Everything between setjmp and longjmp, in a function without locals that could be clobbered. */
static int encode(png_structp png, png_infop info, const torre_image *image, const char *title,
                  FILE *stream)
{
    if (setjmp(png_jmpbuf(png))) return -1;
    errno = 0;
    png_init_io(png, stream);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (title) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)"Title",
                         .text = (char *)title,
                         .text_length = strlen(title)};
        png_set_text(png, info, &text, 1);
    }
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++) png_write_row(png, torre_image_at(image, 0, y));
    png_write_end(png, NULL);
    return 0;
}

torre_status torre_png_encode(const torre_image *image, const char *title, torre_output *out)
{
    char text[128] = "libpng could not be started";
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, text, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int failed = !info || encode(png, info, image, title, torre_output_stream(out));
    if (png) png_destroy_write_struct(&png, &info);
    if (failed)
        return torre_fail(TORRE_ERR_INPUT, "cannot write %s: %s", torre_output_path(out), text);
    return TORRE_OK;
}

torre_status torre_png_write(const torre_image *image, const char *title, const char *path)
{
    torre_output *out;
    TORRE_TRY(torre_output_open(path, &out));
    torre_status status = torre_png_encode(image, title, out);
    if (status) {
        torre_output_discard(out);
        return status;
    }
    return torre_output_commit(out);
}
