#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/numbers.h"

typedef struct unit_row {
    const char *name;
    int exponent;  /* the unit is `factor` times ten to this power of the first one */
    double factor; /* 1 but for minutes and hours */
} unit_row;

static const struct {
    const char *names;
    unit_row row[7];
} units[] = {
    [TORRE_UNIT_NONE] = {"", {{NULL, 0, 0}}},
    [TORRE_UNIT_SECOND] = {"s, ms, us, ns, min or h",
                           {{"s", 0, 1},
                            {"ms", -3, 1},
                            {"us", -6, 1},
                            {"ns", -9, 1},
                            {"min", 0, 60},
                            {"h", 0, 3600}}},
    [TORRE_UNIT_METRE] = {"m, km, cm, mm or um",
                          {{"m", 0, 1}, {"km", 3, 1}, {"cm", -2, 1}, {"mm", -3, 1}, {"um", -6, 1}}},
    [TORRE_UNIT_HERTZ] = {"Hz, kHz, MHz or GHz",
                          {{"Hz", 0, 1}, {"kHz", 3, 1}, {"MHz", 6, 1}, {"GHz", 9, 1}}},
};

enum { LONGEST = 40 }; /* characters of a number */

const char *torre_unit_names(torre_unit unit) { return units[unit].names; }

/* The number before the unit, and the unit: "" where there is none. False: too long. */
static bool split(const char *text, char number[LONGEST + 1], const char **unit)
{
    size_t length = strspn(text, "+-.0123456789");
    if (text[length] == 'e' || text[length] == 'E') { /* an exponent, if digits follow */
        const char next = text[length + 1];
        const size_t digits = length + 1 + (next == '+' || next == '-');
        const size_t count = strspn(text + digits, "0123456789");
        if (count) length = digits + count;
    }
    if (length > LONGEST) return false;
    memcpy(number, text, length);
    number[length] = 0;
    *unit = text + length;
    if (**unit == ' ' && (*unit)[1]) ++*unit;
    return true;
}

/* number times ten to a power, rounded once. */
static bool scaled(const char *number, int exponent, double *value)
{
    char text[2 * LONGEST];
    int64_t had = 0;
    const size_t mantissa = strcspn(number, "eE");
    if (exponent == 0) return torre_parse_real(number, value);
    if (number[mantissa]) {
        const char *digits = number + mantissa + 1;
        if (!torre_parse_integer(digits + (*digits == '+'), &had) || had < -400 || had > 400)
            return false;
    }
    snprintf(text, sizeof text, "%.*se%d", (int)mantissa, number, (int)had + exponent);
    return torre_parse_real(text, value);
}

bool torre_parse_quantity(const char *text, torre_unit unit, double *value)
{
    char number[LONGEST + 1];
    const char *name;
    double v;
    if (!split(text, number, &name)) return false;
    if (!*name) return torre_parse_real(text, value);
    for (const unit_row *row = units[unit].row; row->name; row++) {
        if (strcmp(name, row->name) != 0) continue;
        if (!scaled(number, row->exponent, &v) || !isfinite(v * row->factor)) return false;
        *value = v * row->factor;
        return true;
    }
    return false;
}

bool torre_parse_quantities(const char *text, torre_unit unit, char separator, int limit,
                            double *values, int *count)
{
    char item[64];
    int n = 0;
    while (text) {
        if (n == limit || !torre_text_item(text, separator, item, &text) ||
            !torre_parse_quantity(item, unit, &values[n++]))
            return false;
    }
    *count = n;
    return true;
}

bool torre_parse_seconds(const char *text, double *seconds)
{
    double value;
    const size_t length = strlen(text);
    const bool has_unit = length > 0 && strchr("snh", text[length - 1]);
    if (!has_unit || !torre_parse_quantity(text, TORRE_UNIT_SECOND, &value) || !(value > 0))
        return false;
    *seconds = value;
    return true;
}

/* "K", "KiB": 1024; "kB", "KB": 1000; and so on. 0: not a unit of bytes. */
static double bytes_of(const char *unit)
{
    static const char letters[] = "KMGT";
    if (!*unit) return 1;
    const char *letter = strchr(letters, *unit == 'k' ? 'K' : *unit);
    if (!letter) return 0;
    const int power = (int)(letter - letters) + 1;
    if (unit[1] && strcmp(unit + 1, "iB") != 0)
        return strcmp(unit + 1, "B") == 0 ? pow(1000, power) : 0;
    return *unit == 'k' ? 0 : ldexp(1, 10 * power);
}

bool torre_parse_bytes(const char *text, int64_t *bytes)
{
    char number[LONGEST + 1];
    const char *unit;
    int64_t whole;
    double value;
    if (!split(text, number, &unit) || bytes_of(unit) == 0) return false;
    if (torre_parse_integer(number, &whole)) { /* to the byte */
        const int64_t each = (int64_t)bytes_of(unit);
        if (whole < 1 || whole > (INT64_C(1) << 62) / each) return false;
        *bytes = whole * each;
        return true;
    }
    if (!*unit || !torre_parse_real(number, &value)) return false;
    value = floor(value * bytes_of(unit));
    if (!(value >= 1) || value > ldexp(1, 62)) return false;
    *bytes = (int64_t)value;
    return true;
}
