/*
 * A movie of pictures that a run has written, made by the program ffmpeg: .mp4 (H.264), .gif or
 * .webp, complete or absent as all files (output_file.h). ffmpeg runs at the end, and reads the
 * pictures through a socket.
 */
#ifndef TORRE_MOVIE_H
#define TORRE_MOVIE_H

#include "core/status.h"

typedef struct torre_movie torre_movie;

/* TORRE_ERR_USAGE for other endings, and where there is no ffmpeg, before anything is computed. */
torre_status torre_movie_open(const char *path, torre_movie **movie);

/* The next picture, a PNG file; all are of one size. */
torre_status torre_movie_picture(torre_movie *movie, const char *path);

/* Make the movie where status is TORRE_OK, else leave none; *movie becomes NULL. Returns what it
 * came to. */
torre_status torre_movie_finish(torre_movie **movie, torre_status status);

/* Leave none; NULL is fine. */
void torre_movie_discard(torre_movie *movie);

#endif
