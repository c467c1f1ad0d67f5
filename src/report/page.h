/*
 * A run as a page for a browser: one HTML file that needs no network. page.html has its words,
 * looks and drawing, and finds the data of the run in itself, as JSON:
 *
 *     {"command": ["wave", "--order", "8"],
 *      "report": {...},                                         (core/report.h)
 *      "pictures": {"of": 40, "every": 2, "list": [{"title", "step", "time", "png": base64}]},
 *      "traces": {"of": 280, "every": 9, "samples_of", "samples_every", "dt",
 *                 "receivers": [[x, y, z]],
 *                 "values": base64 of f32, little-endian, shape (receivers, samples),
 *                 "gather": {"shape": [w, h], "scale", "values": base64 of bytes, row after row}},
 *      "grid": {"size": [nx, ny, nz], "spacing": [hx, hy, hz]},  (of the model, metres)
 *      "model": {"low", "high",                                  (m/s)
 *                "planes": [{"axes": [0, 2], "across", "at",     (metres)
 *                            "shape": [w, h], "values": base64 of bytes, row after row}]},
 *      "sources": {"of", "every", "list": [[x, y, z]]}, "receivers": {...},
 *      "shots": [{"index", "name", "sources", "receivers", "traces"}],    (of a survey)
 *      "tables": [{"title", "of", "every", "rows": [{"r": 0.5, "g": 0}]}]}
 *
 * Pages stay small by leaving out: of pictures, all but every 2nd, 4th, ... back from the last
 * until the files of the others have no more than TORRE_PAGE_PICTURES bytes; of traces, all but
 * every n-th receiver until there are 32 at most, then all but every n-th sample until there are
 * TORRE_PAGE_SAMPLES values; of points and rows, all but every n-th until there are 500; of shots,
 * all but every n-th until there are TORRE_PAGE_SHOTS, each with a quarter of the values. The page
 * says so.
 * A gather is a picture of all traces, 127 for zero, of 400 columns and rows at most (of a shot of
 * several 200), whose pixels show the strongest of their samples.
 */
#ifndef TORRE_PAGE_H
#define TORRE_PAGE_H

#include "core/report.h"
#include "io/gather.h"

enum { TORRE_PAGE_PICTURES = 3000000, TORRE_PAGE_SAMPLES = 100000, TORRE_PAGE_SHOTS = 16 };

typedef struct torre_page torre_page;

/* Open the file, complete or absent as all (io/output_file.h). argv is the command to repeat. */
torre_status torre_page_open(const char *path, int argc, char *const *argv, torre_page **page);

/* A picture that the run has written; the file is read when the page ends. */
torre_status torre_page_picture(torre_page *page, const char *path, int64_t step, double time);

/* Traces whose rows are `row` samples apart, of which so many count; at most once. */
torre_status torre_page_traces(torre_page *page, const torre_gather *traces, int64_t row);

/* A shot of a survey, by its number of the list and its name; in any order. Every n-th shot of the
 * list should be there, as torre_page_shots_every says of so many. */
torre_status torre_page_shot(torre_page *page, int64_t index, const char *name,
                             const torre_gather *traces);
int64_t torre_page_shots_every(int64_t count);

/* A table of what was measured, values[rows][columns], whose first column is the abscissa of the
 * others. */
torre_status torre_page_table(torre_page *page, const char *title, int columns,
                              const char *const *name, int64_t rows, const double *values);

/* A plane of a model: bytes, 0 the slowest and 255 the fastest of it, width of them in a row, which
 * is along the first of axes (0, 1, 2). at: metres on the axis across it. */
typedef struct torre_page_plane {
    int axes[2], across;
    double at;
    int width, height;
    const uint8_t *values;
} torre_page_plane;

/* The most that width and height should be. */
enum { TORRE_PAGE_PLANE = 400 };

/* The grid of the model; at most once. */
torre_status torre_page_grid(torre_page *page, const int64_t size[3], const double spacing[3]);

/* The model in planes, low to high m/s; at most once. */
torre_status torre_page_model(torre_page *page, double low, double high,
                              const torre_page_plane *planes, int count);

/* Points of the model: "sources", "receivers"; each name at most once. */
torre_status torre_page_points(torre_page *page, const char *name, const torre_point *points,
                               int64_t count);

/* Write the page with a report, where status is TORRE_OK or TORRE_STOPPED, else leave none; *page
 * becomes NULL. Returns what it came to. */
torre_status torre_page_finish(torre_page **page, const torre_report *report, torre_status status);

/* Leave no page; NULL is fine. */
void torre_page_discard(torre_page *page);

#endif
