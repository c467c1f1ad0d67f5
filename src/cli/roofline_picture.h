/* --plot of `roofline`: the picture of its folder of results, once more under a name of one's own.
 */
#ifndef TORRE_ROOFLINE_PICTURE_H
#define TORRE_ROOFLINE_PICTURE_H

#include "cli/roofline_settings.h"
#include "io/output_file.h"

/* Check --plot beside the other options. TORRE_ERR_USAGE. */
torre_status roofline_picture_check(const roofline_settings *settings);

/* Open the file, or set *picture to NULL where none is wanted. TORRE_ERR_INPUT. */
torre_status roofline_picture_open(const roofline_settings *settings, torre_output **picture);

/*
 * Copy directory/name.png to *picture, close that and set it to NULL; says so on standard error,
 * and leaves no file, where the picture was not drawn. NULL is fine.
 */
torre_status roofline_picture_copy(const char *directory, const char *name, bool drawn,
                                   torre_output **picture);

#endif
