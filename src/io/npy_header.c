/* The header of a .npy file: a Python dictionary in a fixed form, read strictly. */
#include <errno.h>
#include <string.h>

#include "io/npy_private.h"

enum { MAX_HEADER = 65536 }; /* what we write has 118 bytes; names of record fields can be long */

static torre_status bad(const char *path, const char *why)
{
    return torre_fail(TORRE_ERR_INPUT, "%s is not a readable .npy file: %s", path, why);
}

static void skip_space(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r') ++*at;
}

static bool take(const char **at, const char *token)
{
    skip_space(at);
    size_t length = strlen(token);
    if (strncmp(*at, token, length) != 0) return false;
    *at += length;
    return true;
}

/* 'text' or "text" of fewer than size bytes. */
static bool take_string(const char **at, char *text, size_t size)
{
    skip_space(at);
    char quote = **at;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(*at + 1, quote);
    if (!end || (size_t)(end - *at) > size) return false;
    size_t length = (size_t)(end - *at - 1);
    memcpy(text, *at + 1, length);
    text[length] = 0;
    *at = end + 1;
    return true;
}

/* (3,), (3, 4), (3, 4, 5): at most three sizes are kept, all are counted. */
static bool take_shape(const char **at, torre_npy_header *h)
{
    if (!take(at, "(")) return false;
    h->dims = 0;
    while (!take(at, ")")) {
        int64_t n = 0;
        const char *start = *at;
        while (**at >= '0' && **at <= '9') {
            if (n > (INT64_MAX - 9) / 10) return false;
            n = 10 * n + (**at - '0');
            ++*at;
        }
        if (*at == start) return false;
        if (h->dims < 3) h->shape[h->dims] = n;
        h->dims++;
        bool comma = take(at, ",");
        skip_space(at);
        if (!comma && **at != ')') return false;
    }
    return true;
}

/* Returns NULL, or what is wrong. */
static const char *parse_dictionary(const char *at, torre_npy_header *h, char descr[64])
{
    bool have_descr = false, have_order = false, have_shape = false;
    if (!take(&at, "{")) return "the header is not a dictionary";
    while (!take(&at, "}")) {
        char key[32];
        if (!take_string(&at, key, sizeof key) || !take(&at, ":")) return "the header is damaged";
        if (strcmp(key, "descr") == 0) {
            if (take(&at, "[")) return "it holds records; save one plain array";
            if (!take_string(&at, descr, 64)) return "the header is damaged at 'descr'";
            have_descr = true;
        } else if (strcmp(key, "fortran_order") == 0) {
            h->fortran_order = take(&at, "True");
            if (!h->fortran_order && !take(&at, "False"))
                return "the header is damaged at 'fortran_order'";
            have_order = true;
        } else if (strcmp(key, "shape") == 0) {
            if (!take_shape(&at, h)) return "the header is damaged at 'shape'";
            have_shape = true;
        } else {
            return "the header has an unknown key";
        }
        take(&at, ",");
    }
    skip_space(&at);
    if (*at) return "the header is damaged";
    return have_descr && have_order && have_shape ? NULL : "the header is incomplete";
}

static torre_status check_type(const char *path, const char *descr, torre_npy_header *h)
{
    static const unsigned short probe = 1;
    bool host_big = *(const unsigned char *)&probe == 0;
    char order = descr[0], size = descr[0] ? descr[1] ? descr[2] : 0 : 0;
    if (!strchr("<>=", order) || descr[1] != 'f' || (size != '4' && size != '8') || descr[3])
        return torre_fail(TORRE_ERR_INPUT,
                          "%s holds values of type '%s'; save it as float32 or float64 "
                          "(numpy: a.astype('float32'))",
                          path, descr);
    h->precision = size == '4' ? TORRE_F32 : TORRE_F64;
    h->big_endian = order == '>' || (order == '=' && host_big);
    return TORRE_OK;
}

static torre_status check_shape(const char *path, torre_npy_header *h)
{
    if (h->dims < 1 || h->dims > 3)
        return torre_fail(TORRE_ERR_INPUT, "%s has %d axes; 1 to 3 can be used", path, h->dims);
    h->values = 1;
    for (int a = 0; a < 3; a++) {
        if (a >= h->dims) h->shape[a] = 1;
        if (h->shape[a] < 1)
            return torre_fail(TORRE_ERR_INPUT, "%s holds no values: axis %d has size 0", path, a);
        if (h->shape[a] > INT64_MAX / 16 / h->values)
            return torre_fail(TORRE_ERR_INPUT, "%s: the shape in the header overflows", path);
        h->values *= h->shape[a];
    }
    return TORRE_OK;
}

torre_status torre_npy_header_scan(FILE *in, const char *path, torre_npy_header *h)
{
    unsigned char start[12];
    char text[MAX_HEADER + 1], descr[64] = "";
    memset(h, 0, sizeof *h);
    errno = 0;
    if (fread(start, 1, 10, in) != 10) {
        if (ferror(in)) return torre_fail_errno("cannot read %s", path);
        return bad(path, "it is shorter than a header");
    }
    if (memcmp(start, "\x93NUMPY", 6) != 0) return bad(path, "it does not begin with \\x93NUMPY");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return torre_fail(TORRE_ERR_INPUT,
                          "%s is a .npy file of version %d.%d; 1.0 to 3.0 are known", path,
                          start[6], start[7]);
    size_t length = start[8] | (size_t)start[9] << 8, prefix = 10;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, in) != 2) return bad(path, "it is shorter than a header");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        prefix = 12;
    }
    if (length > MAX_HEADER) return bad(path, "the header is longer than any sensible one");
    if (fread(text, 1, length, in) != length) return bad(path, "it ends within the header");
    text[length] = 0;
    if (strlen(text) != length) return bad(path, "the header is damaged");
    const char *why = parse_dictionary(text, h, descr);
    if (why) return bad(path, why);
    h->data_start = (int64_t)(prefix + length);
    TORRE_TRY(check_type(path, descr, h));
    return check_shape(path, h);
}
