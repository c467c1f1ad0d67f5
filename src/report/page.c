#include "report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/output_file.h"

enum { TRACES = 32, POINTS = 500 };

extern const unsigned char torre_page_html[]; /* page.html */
extern const size_t torre_page_html_size;
static const char place[] = "@DATA@"; /* where it wants the data */

typedef struct page_picture {
    char *path;
    int64_t step;
    double time;
} page_picture;

struct torre_page {
    torre_output *file;
    int argc;
    char *const *argv;
    page_picture *picture;
    int64_t pictures;
    char *data; /* members of the JSON object so far, each with a comma after it */
    size_t data_size;
    FILE *out; /* of data */
};

static torre_status no_memory(void)
{
    return torre_fail(TORRE_ERR_RESOURCE, "out of memory for the page of the run");
}

torre_status torre_page_open(const char *path, int argc, char *const *argv, torre_page **page)
{
    torre_page *p = calloc(1, sizeof *p);
    if (p) p->out = open_memstream(&p->data, &p->data_size);
    if (!p || !p->out) {
        free(p);
        return no_memory();
    }
    p->argc = argc;
    p->argv = argv;
    const torre_status status = torre_output_open(path, &p->file);
    if (status)
        torre_page_discard(p);
    else
        *page = p;
    return status;
}

void torre_page_discard(torre_page *p)
{
    if (!p) return;
    torre_output_discard(p->file);
    for (int64_t i = 0; i < p->pictures; i++) free(p->picture[i].path);
    free(p->picture);
    if (p->out) fclose(p->out);
    free(p->data);
    free(p);
}

torre_status torre_page_picture(torre_page *p, const char *path, int64_t step, double time)
{
    const int64_t n = p->pictures;
    if ((n & (n - 1)) == 0) { /* full at powers of two */
        page_picture *list = realloc(p->picture, (size_t)(n ? 2 * n : 1) * sizeof *list);
        if (!list) return no_memory();
        p->picture = list;
    }
    p->picture[n] = (page_picture){strdup(path), step, time};
    if (!p->picture[n].path) return no_memory();
    p->pictures++;
    return TORRE_OK;
}

/* As a JSON string, without what could end a script in HTML. */
static void write_text(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < 0x20 || strchr("\"\\<>&", c))
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

/* Bytes as base64, in pieces of any length; *kept are those that wait for the end of three. */
typedef struct base64 {
    uint8_t kept[3];
    int count;
} base64;

static void write_base64_group(const uint8_t b[3], int count, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
    for (int i = 0; i < 4; i++) putc(i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=', out);
}

static void write_base64(base64 *at, const uint8_t *bytes, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        at->kept[at->count++] = bytes[i];
        if (at->count < 3) continue;
        write_base64_group(at->kept, 3, out);
        at->count = 0;
    }
}

static void end_base64(base64 *at, FILE *out)
{
    if (at->count == 0) return;
    memset(at->kept + at->count, 0, (size_t)(3 - at->count));
    write_base64_group(at->kept, at->count, out);
}

/* The least n for which every n-th of so many are no more than most. */
static int64_t every_of(int64_t count, int64_t most)
{
    return count <= most ? 1 : (count + most - 1) / most;
}

/* [x, y, z] */
static void write_point(const torre_point *point, FILE *out)
{
    fprintf(out, "[%.9g, %.9g, %.9g]", point->position[0], point->position[1], point->position[2]);
}

static void write_points(const torre_point *points, int64_t count, int64_t every, FILE *out)
{
    putc('[', out);
    for (int64_t i = 0; i < count; i += every) {
        if (i) fputs(", ", out);
        write_point(&points[i], out);
    }
    putc(']', out);
}

static void write_plane(const torre_page_plane *plane, FILE *out)
{
    base64 at = {.count = 0};
    fprintf(out,
            "{\"axes\": [%d, %d], \"across\": %d, \"at\": %.9g, \"shape\": [%d, %d], "
            "\"values\": \"",
            plane->axes[0], plane->axes[1], plane->across, plane->at, plane->width, plane->height);
    write_base64(&at, plane->values, (size_t)plane->width * (size_t)plane->height, out);
    end_base64(&at, out);
    fputs("\"}", out);
}

torre_status torre_page_model(torre_page *p, double low, double high,
                              const torre_page_plane *planes, int count)
{
    fprintf(p->out, "\"model\": {\"low\": %.9g, \"high\": %.9g, \"planes\": [", low, high);
    for (int i = 0; i < count; i++) {
        if (i) fputs(",\n", p->out);
        write_plane(&planes[i], p->out);
    }
    fputs("]},\n", p->out);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_points(torre_page *p, const char *name, const torre_point *points,
                               int64_t count)
{
    const int64_t every = every_of(count, POINTS);
    fprintf(p->out, "\"%s\": {\"of\": %" PRId64 ", \"every\": %" PRId64 ", \"list\": ", name, count,
            every);
    write_points(points, count, every, p->out);
    fputs("},\n", p->out);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_traces(torre_page *p, const torre_gather *t, int64_t row)
{
    const int64_t every = every_of(t->traces, TRACES);
    const int64_t kept = (t->traces + every - 1) / every;
    const int64_t samples_every = every_of(t->samples, TORRE_PAGE_SAMPLES / (kept ? kept : 1));
    base64 at = {.count = 0};
    fprintf(p->out,
            "\"traces\": {\"of\": %" PRId64 ", \"every\": %" PRId64 ", \"samples_of\": %" PRId64
            ", \"samples_every\": %" PRId64 ", \"dt\": %.17g, \"receivers\": ",
            t->traces, every, t->samples, samples_every, t->dt);
    write_points(t->receivers, t->traces, every, p->out);
    fputs(", \"values\": \"", p->out);
    for (int64_t r = 0; r < t->traces; r += every)
        for (int64_t n = 0; n < t->samples; n += samples_every) {
            const int64_t i = r * row + n;
            const float value = t->precision == TORRE_F32 ? ((const float *)t->values)[i]
                                                          : (float)((const double *)t->values)[i];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            const uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                      (uint8_t)(bits >> 24)};
            write_base64(&at, bytes, 4, p->out);
        }
    end_base64(&at, p->out);
    fputs("\"},\n", p->out);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

/* The first of every n-th picture, of which the last is one. */
static int64_t first_picture(const torre_page *p, int64_t every)
{
    return p->pictures ? (p->pictures - 1) % every : 0;
}

/* Every n-th picture, n a power of two, so that they fit: n; -1 where one cannot be looked at. */
static int64_t choose_pictures(const torre_page *p)
{
    for (int64_t every = 1;; every *= 2) {
        int64_t bytes = 0, count = 0;
        for (int64_t i = first_picture(p, every); i < p->pictures; i += every) {
            struct stat info;
            if (stat(p->picture[i].path, &info)) {
                torre_fail_errno("%s", p->picture[i].path);
                return -1;
            }
            bytes += info.st_size;
            count++;
        }
        if (bytes <= TORRE_PAGE_PICTURES || count <= 1) return every;
    }
}

static torre_status write_picture(const page_picture *picture, FILE *out)
{
    uint8_t bytes[1 << 14];
    base64 at = {.count = 0};
    size_t count;
    FILE *in = fopen(picture->path, "rb");
    if (!in) return torre_fail_errno("%s", picture->path);
    fputs("{\"title\": ", out);
    write_text(picture->path, out);
    fprintf(out, ", \"step\": %" PRId64 ", \"time\": %.9g, \"png\": \"", picture->step,
            picture->time);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0) write_base64(&at, bytes, count, out);
    end_base64(&at, out);
    fputs("\"}", out);
    const torre_status status =
        ferror(in) ? torre_fail_errno("%s: cannot be read", picture->path) : TORRE_OK;
    fclose(in);
    return status;
}

static torre_status write_pictures(const torre_page *p, FILE *out)
{
    const int64_t every = choose_pictures(p);
    if (every < 0) return TORRE_ERR_INPUT;
    fprintf(out, "\"pictures\": {\"of\": %" PRId64 ", \"every\": %" PRId64 ", \"list\": [",
            p->pictures, every);
    const int64_t first = first_picture(p, every);
    for (int64_t i = first; i < p->pictures; i += every) {
        fputs(i > first ? ",\n" : "\n", out);
        TORRE_TRY(write_picture(&p->picture[i], out));
    }
    fputs("]},\n", out);
    return TORRE_OK;
}

/* The report as it is, but for what could end a script. */
static torre_status write_report(const torre_report *report, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return no_memory();
    torre_status status = torre_report_write(report, memory);
    const bool failed = fclose(memory) || !text; /* closing moves the text, which may fail */
    if (failed && !status) status = no_memory();
    fputs("\"report\": ", out);
    for (const char *c = text; c && *c; c++)
        if (strchr("<>&", *c)) /* in strings alone */
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    free(text);
    return status;
}

static torre_status write_data(torre_page *p, const torre_report *report, FILE *out)
{
    fputs("{\"command\": [", out);
    for (int i = 0; i < p->argc; i++) {
        if (i) fputs(", ", out);
        write_text(p->argv[i], out);
    }
    fputs("],\n", out);
    const bool failed = fclose(p->out) != 0;
    p->out = NULL;
    if (failed || !p->data) return no_memory();
    fwrite(p->data, 1, p->data_size, out);
    TORRE_TRY(write_pictures(p, out));
    TORRE_TRY(write_report(report, out));
    putc('}', out);
    return TORRE_OK;
}

static torre_status write_page(torre_page *p, const torre_report *report)
{
    const char *html = (const char *)torre_page_html, *at = strstr(html, place);
    FILE *out = torre_output_stream(p->file);
    fwrite(html, 1, (size_t)(at - html), out);
    TORRE_TRY(write_data(p, report, out));
    fputs(at + strlen(place), out);
    return TORRE_OK; /* what could not be written is told by the commit */
}

torre_status torre_page_finish(torre_page **page, const torre_report *report, torre_status status)
{
    torre_page *p = *page;
    *page = NULL;
    if (!p) return status;
    if (status == TORRE_OK || status == TORRE_STOPPED) {
        const torre_status written = torre_output_finish(&p->file, write_page(p, report));
        if (written) status = written;
    }
    torre_page_discard(p);
    return status;
}
