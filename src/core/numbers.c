#include "core/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool torre_parse_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-');
    size_t length = strlen(digits);
    if (length == 0 || strspn(digits, "0123456789") != length) return false;
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    if (errno) return false;
    *value = v;
    return true;
}

bool torre_parse_real(const char *text, double *value)
{
    /* the letters of nan, inf and 0x are not among these; neither is leading white space */
    size_t length = strlen(text);
    if (length == 0 || strspn(text, "+-.0123456789eE") != length) return false;
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end != text + length || errno || !isfinite(v)) return false;
    *value = v;
    return true;
}

bool torre_text_item(const char *text, char separator, char item[64], const char **next)
{
    const char *end = strchr(text, separator);
    size_t length = end ? (size_t)(end - text) : strlen(text);
    if (length > 63) return false;
    memcpy(item, text, length);
    item[length] = 0;
    *next = end ? end + 1 : NULL;
    return true;
}

bool torre_parse_integers(const char *text, char separator, int limit, int64_t *values, int *count)
{
    char item[64];
    int n = 0;
    while (text) {
        if (n == limit || !torre_text_item(text, separator, item, &text) ||
            !torre_parse_integer(item, &values[n++]))
            return false;
    }
    *count = n;
    return true;
}

bool torre_parse_reals(const char *text, char separator, int limit, double *values, int *count)
{
    char item[64];
    int n = 0;
    while (text) {
        if (n == limit || !torre_text_item(text, separator, item, &text) ||
            !torre_parse_real(item, &values[n++]))
            return false;
    }
    *count = n;
    return true;
}

char *torre_text_begin(char *text)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    return strncmp(text, byte_order_mark, 3) == 0 ? text + 3 : text;
}

char *torre_line_content(char *line)
{
    line[strcspn(line, "#")] = 0;
    line += strspn(line, " \t\r\n");
    for (size_t n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]); n--) line[n - 1] = 0;
    return line;
}

void torre_format_real(double value, char *buffer, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
}

void torre_format_bytes(double bytes, char *buffer, size_t size)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    while (bytes >= 1024 && u < 6) {
        bytes /= 1024;
        u++;
    }
    snprintf(buffer, size, "%.*f %s",
             u == 0        ? 0
             : bytes < 10  ? 2
             : bytes < 100 ? 1
                           : 0,
             bytes, unit[u]);
}

void torre_format_seconds(double s, char *buffer, size_t size)
{
    if (s < 1)
        snprintf(buffer, size, "%.0f ms", s * 1e3);
    else if (s < 60)
        snprintf(buffer, size, "%.1f s", s);
    else if (s < 3600)
        snprintf(buffer, size, "%d min %02d s", (int)(s / 60), (int)fmod(s, 60));
    else if (s < 100 * 3600)
        snprintf(buffer, size, "%d h %02d min", (int)(s / 3600), (int)fmod(s / 60, 60));
    else
        snprintf(buffer, size, "%.1f days", s / 86400);
}
