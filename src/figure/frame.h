/*
 * What stands around the data of a figure: title, axes with ticks and units, colour bars, marks.
 * The data fill a rectangle of the sheet, its place is at, its size size (canvas.h: units).
 */
#ifndef TORRE_FRAME_H
#define TORRE_FRAME_H

#include "figure/canvas.h"

/* Room for the data: what is larger is shrunk to it. */
enum { TORRE_FRAME_WIDTH = 900, TORRE_FRAME_HEIGHT = 640 };

enum { TORRE_FRAME_DARK = 0x222222, TORRE_FRAME_PALE = 0x666666 }; /* of words and lines */

typedef struct torre_figure_frame {
    torre_canvas *canvas;
    double at[2], size[2];
} torre_figure_frame;

/* An axis: the values at its beginning (left, top) and end, in a unit; ticks lie between low and
 * high alone. */
typedef struct torre_figure_axis {
    double from, to, low, high;
    const char *label; /* "x" */
    const char *unit;  /* "m", which becomes km or mm where that is shorter; NULL: a plain number */
} torre_figure_axis;

/* A colour bar: colours from 0, its lower end, to 1, and where some values lie. */
typedef struct torre_figure_bar {
    void (*color)(const void *context, double t, uint8_t rgb[3]);
    const void *context;
    const char *label;
    int ticks;
    double at[9];
    char text[9][24];
} torre_figure_bar;

typedef enum torre_figure_mark { TORRE_MARK_SOURCE, TORRE_MARK_RECEIVER } torre_figure_mark;

/* Units, so that a rectangle of these sides fits into the room for data, as large as may be. */
double torre_frame_fit(double width, double height);

/* The size of the sheet around data. */
void torre_frame_sheet(const double data[2], int bars, double sheet[2]);

/*
 * A sheet with a title of two lines (the second may be NULL) for data of that size and so many
 * colour bars. TORRE_ERR_RESOURCE; on success the canvas is to be finished.
 */
torre_status torre_frame_begin(const double data[2], int bars, double scale, const char *title,
                               const char *detail, torre_figure_frame *frame);

/* The axis along the lower edge (0) or the left one (1), and the edges of the data. */
void torre_frame_axis(const torre_figure_frame *frame, int which, const torre_figure_axis *axis);
void torre_frame_edges(const torre_figure_frame *frame);

/* Colour bar number i, from the left. */
void torre_frame_bar(const torre_figure_frame *frame, int i, const torre_figure_bar *bar);

/* Marks on the data at shares (0 .. 1) of both sides; what they mean, above the data on the right:
 * bits of 1 << mark. */
void torre_frame_mark(const torre_figure_frame *frame, torre_figure_mark mark, double x, double y);
void torre_frame_legend(const torre_figure_frame *frame, unsigned marks);

/* The prefix that makes most short: unit "m" and 12000 give "km" and 1000. */
double torre_frame_unit(const char *unit, double most, char *name, size_t size);

/* The largest of 1, 2, 5, 10, 20, ... (times powers of ten) not above value > 0. */
double torre_frame_round(double value);

#endif
