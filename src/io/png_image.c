#include "io/png_image.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

torre_status torre_image_new(int width, int height, torre_image *image)
{
    image->width = width;
    image->height = height;
    image->per_metre = 0;
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

/* Why libpng gave up: what the system said last, or else libpng itself. */
typedef struct png_failure {
    int reason; /* errno or 0 */
    char text[128];
} png_failure;

/* Keep the first error instead of printing it; libpng wants a jump, not a return. */
static void on_error(png_structp png, png_const_charp text)
{
    png_failure *kept = png_get_error_ptr(png);
    kept->reason = errno;
    snprintf(kept->text, sizeof kept->text, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

/* Whether no pixel has a colour: one byte of each then tells all, and takes a third of the time. */
static bool is_grey(const torre_image *image)
{
    const int64_t pixels = (int64_t)image->width * image->height;
    bool grey = true;
#pragma omp parallel for schedule(static) reduction(&& : grey)
    for (int64_t k = 0; k < pixels; k++) {
        const uint8_t *rgb = image->rgb + 3 * k;
        grey = grey && rgb[0] == rgb[1] && rgb[0] == rgb[2];
    }
    return grey;
}

/* row: room for a row of grey pixels; NULL: write all three bytes of each. */
static void write_rows(png_structp png, const torre_image *image, uint8_t *row)
{
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; row && x < image->width; x++) row[x] = torre_image_at(image, x, y)[0];
        png_write_row(png, row ? row : torre_image_at(image, 0, y));
    }
}

/* Everything between setjmp and longjmp, in a function without locals that could be clobbered. */
static int encode(png_structp png, png_infop info, const torre_image *image, uint8_t *row,
                  const char *title, FILE *stream)
{
    if (setjmp(png_jmpbuf(png))) return -1;
    png_init_io(png, stream);
    png_set_compression_level(png, 4); /* 6 takes longer than drawing */
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 row ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (image->per_metre > 0)
        png_set_pHYs(png, info, (png_uint_32)image->per_metre, (png_uint_32)image->per_metre,
                     PNG_RESOLUTION_METER);
    if (title) {
        png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)"Title",
                         .text = (char *)title,
                         .text_length = strlen(title)};
        png_set_text(png, info, &text, 1);
    }
    png_write_info(png, info);
    write_rows(png, image, row);
    png_write_end(png, NULL);
    return 0;
}

torre_status torre_png_encode(const torre_image *image, const char *title, torre_output *out)
{
    png_failure why = {0, "libpng could not be started"};
    uint8_t *row = NULL;
    if (is_grey(image) && !(row = malloc((size_t)image->width)))
        return torre_fail(TORRE_ERR_RESOURCE, "out of memory for a picture");
    errno = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &why, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) why.reason = errno;
    bool failed = !info || encode(png, info, image, row, title, torre_output_stream(out));
    if (png) png_destroy_write_struct(&png, &info);
    free(row);
    if (!failed) return TORRE_OK;
    errno = why.reason;
    return errno ? torre_fail_errno("cannot write %s", torre_output_path(out))
                 : torre_fail(TORRE_ERR_INPUT, "cannot write %s: %s", torre_output_path(out),
                              why.text);
}

torre_status torre_png_write(const torre_image *image, const char *title, const char *path)
{
    torre_output *out;
    TORRE_TRY(torre_output_open(path, &out));
    return torre_output_finish(&out, torre_png_encode(image, title, out));
}
