#include "cli/roofline_picture.h"

#include <errno.h>
#include <string.h>

torre_status roofline_picture_check(const roofline_settings *s)
{
    size_t length = s->plot ? strlen(s->plot) : 0;
    if (!s->plot) return TORRE_OK;
    if (length < 5 || strcmp(s->plot + length - 4, ".png") != 0)
        return torre_fail(TORRE_ERR_USAGE, "--plot must end in .png (got %s)", s->plot);
    if (s->no_plot) return torre_fail(TORRE_ERR_USAGE, "--plot and --no-plot exclude each other");
    return TORRE_OK;
}

torre_status roofline_picture_open(const roofline_settings *s, torre_output **picture)
{
    *picture = NULL;
    return s->plot ? torre_output_open(s->plot, picture) : TORRE_OK;
}

static torre_status copy(const char *path, torre_output *picture)
{
    char bytes[1 << 14];
    FILE *in = fopen(path, "rb");
    if (!in) return torre_fail_errno("cannot read %s", path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        torre_output_write(picture, bytes, n);
    torre_status status = TORRE_OK;
    if (ferror(in)) status = torre_fail(TORRE_ERR_INPUT, "cannot read %s", path);
    fclose(in);
    return status;
}

torre_status roofline_picture_copy(const char *directory, const char *name, bool drawn,
                                   torre_output **picture)
{
    char path[4096 + 64];
    torre_output *out = *picture;
    *picture = NULL;
    if (!out) return TORRE_OK;
    snprintf(path, sizeof path, "%s/%s.png", directory, name);
    torre_status status = drawn ? copy(path, out) : TORRE_OK;
    if (drawn && !status) return torre_output_commit(out);
    if (!drawn)
        fprintf(stderr,
                "roofline: %s was not drawn: run gnuplot on %s/%s.gp where it is installed\n",
                torre_output_path(out), directory, name);
    torre_output_discard(out);
    return status;
}
