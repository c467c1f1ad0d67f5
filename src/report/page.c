#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/output_file.h"
#include "report/page_data.h"

enum { POINTS = 500, ROWS = 500 };
enum { SHOT_POINTS = 100, SHOT_SAMPLES = 25000 }; /* of a shot of several */
enum { COLUMNS = 400, SHOT_COLUMNS = 200 };       /* of the picture of a gather, and its rows */

extern const unsigned char torre_page_html[]; /* page.html */
extern const size_t torre_page_html_size;
static const char place[] = "@DATA@"; /* where it wants the data */

typedef struct page_picture {
    char *path;
    int64_t step;
    double time;
} page_picture;

/* Elements of an array of the JSON object so far; out NULL before the first. */
typedef struct page_list {
    char *data;
    size_t size;
    int64_t count;
    FILE *out;
} page_list;

struct torre_page {
    torre_output *file;
    int argc;
    char *const *argv;
    page_picture *picture;
    int64_t pictures;
    char *data; /* members of the JSON object so far, each with a comma after it */
    size_t data_size;
    FILE *out; /* of data */
    page_list shots, tables;
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

static torre_status next_of(page_list *list, FILE **out)
{
    if (!list->out && !(list->out = open_memstream(&list->data, &list->size))) return no_memory();
    if (list->count++) fputs(",\n", list->out);
    *out = list->out;
    return TORRE_OK;
}

static void free_list(page_list *list)
{
    if (list->out) fclose(list->out);
    free(list->data);
}

/* The member of that name, where there is an element. */
static torre_status write_array(page_list *list, const char *name, FILE *out)
{
    if (!list->out) return TORRE_OK;
    const bool failed = fclose(list->out) != 0;
    list->out = NULL;
    if (failed || !list->data) return no_memory();
    fprintf(out, "\"%s\": [", name);
    fwrite(list->data, 1, list->size, out);
    fputs("],\n", out);
    return TORRE_OK;
}

void torre_page_discard(torre_page *p)
{
    if (!p) return;
    torre_output_discard(p->file);
    for (int64_t i = 0; i < p->pictures; i++) free(p->picture[i].path);
    free(p->picture);
    if (p->out) fclose(p->out);
    free(p->data);
    free_list(&p->shots);
    free_list(&p->tables);
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

static void write_plane(const torre_page_plane *plane, FILE *out)
{
    torre_base64 at = {.count = 0};
    fprintf(out,
            "{\"axes\": [%d, %d], \"across\": %d, \"at\": %.9g, \"shape\": [%d, %d], "
            "\"values\": \"",
            plane->axes[0], plane->axes[1], plane->across, plane->at, plane->width, plane->height);
    torre_page_write_base64(&at, plane->values, (size_t)plane->width * (size_t)plane->height, out);
    torre_page_end_base64(&at, out);
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

torre_status torre_page_grid(torre_page *p, const int64_t size[3], const double spacing[3])
{
    fprintf(p->out,
            "\"grid\": {\"size\": [%" PRId64 ", %" PRId64 ", %" PRId64
            "], \"spacing\": [%.9g, %.9g, %.9g]},\n",
            size[0], size[1], size[2], spacing[0], spacing[1], spacing[2]);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_points(torre_page *p, const char *name, const torre_point *points,
                               int64_t count)
{
    torre_page_write_list(name, points, count, POINTS, p->out);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_traces(torre_page *p, const torre_gather *t, int64_t row)
{
    TORRE_TRY(torre_page_write_traces(t, row, TORRE_PAGE_SAMPLES, COLUMNS, p->out));
    fputs(",\n", p->out);
    return ferror(p->out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_shot(torre_page *p, int64_t index, const char *name, const torre_gather *t)
{
    FILE *out = NULL;
    TORRE_TRY(next_of(&p->shots, &out));
    fprintf(out, "{\"index\": %" PRId64 ", \"name\": ", index);
    torre_page_write_text(name, out);
    fputs(", ", out);
    torre_page_write_list("sources", &t->source, 1, 1, out);
    torre_page_write_list("receivers", t->receivers, t->traces, SHOT_POINTS, out);
    TORRE_TRY(torre_page_write_traces(t, t->samples, SHOT_SAMPLES, SHOT_COLUMNS, out));
    fputs("}", out);
    return ferror(out) ? no_memory() : TORRE_OK;
}

torre_status torre_page_table(torre_page *p, const char *title, int columns,
                              const char *const *name, int64_t rows, const double *values)
{
    FILE *out = NULL;
    const int64_t every = torre_page_every(rows, ROWS);
    TORRE_TRY(next_of(&p->tables, &out));
    fputs("{\"title\": ", out);
    torre_page_write_text(title, out);
    fprintf(out, ", \"of\": %" PRId64 ", \"every\": %" PRId64 ", \"rows\": [", rows, every);
    for (int64_t k = 0; k < rows; k += every) {
        fputs(k ? ",\n{" : "{", out);
        for (int c = 0; c < columns; c++) {
            const double v = values[k * columns + c];
            fprintf(out, isfinite(v) ? "%s\"%s\": %.9g" : "%s\"%s\": null", c ? ", " : "", name[c],
                    v);
        }
        fputs("}", out);
    }
    fputs("]}", out);
    return ferror(out) ? no_memory() : TORRE_OK;
}

int64_t torre_page_shots_every(int64_t count) { return torre_page_every(count, TORRE_PAGE_SHOTS); }

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
    torre_base64 at = {.count = 0};
    size_t count;
    FILE *in = fopen(picture->path, "rb");
    if (!in) return torre_fail_errno("%s", picture->path);
    fputs("{\"title\": ", out);
    torre_page_write_text(picture->path, out);
    fprintf(out, ", \"step\": %" PRId64 ", \"time\": %.9g, \"png\": \"", picture->step,
            picture->time);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        torre_page_write_base64(&at, bytes, count, out);
    torre_page_end_base64(&at, out);
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
        torre_page_write_text(p->argv[i], out);
    }
    fputs("],\n", out);
    const bool failed = fclose(p->out) != 0;
    p->out = NULL;
    if (failed || !p->data) return no_memory();
    fwrite(p->data, 1, p->data_size, out);
    TORRE_TRY(write_array(&p->shots, "shots", out));
    TORRE_TRY(write_array(&p->tables, "tables", out));
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
