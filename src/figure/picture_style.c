#include <string.h>

#include "figure/figure.h"

const char *const torre_picture_styles[] = {"figure", "page", "raw", NULL};

int torre_picture_per_metre(double scale)
{
    const double page = 2, inch = 0.0254; /* 300 dots an inch */
    return scale < page ? 0 : (int)(300 / inch * scale / page + 0.5);
}

double torre_picture_scale(const char *style, const char **lacking)
{
    *lacking = NULL;
    if (strcmp(style, "raw") == 0) return 0;
#ifdef TORRE_HAVE_FREETYPE
    return strcmp(style, "page") == 0 ? 2 : 1;
#else
    *lacking =
        "pictures are bare rasters, for this build has no FreeType: install libfreetype-dev and "
        "build again, or ask for raw ones";
    return 0;
#endif
}
