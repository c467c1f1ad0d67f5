#include "core/orderings.h"

#include <string.h>

torre_status torre_ordering_refuse(const char *parameter, const char *text, const char *why)
{
    return torre_fail(TORRE_ERR_USAGE,
                      "{%s} %.80s: %s; legal are %s, with axes as NAME:kji, "
                      "hybrid:INNER/OUTER/TILE, and for towers strips:WIDTH",
                      parameter, text, why, torre_ordering_names());
}

torre_status torre_ordering_read(const char *parameter, const char *text,
                                 torre_ordering_spec *ordering)
{
    const char *why;
    if (torre_ordering_parse(text, ordering, &why)) return TORRE_OK;
    return torre_ordering_refuse(parameter, text, why);
}

torre_status torre_orderings_read(const char *parameter, const char *text, int limit,
                                  torre_ordering_spec *ordering, int *count)
{
    *count = 0;
    for (const char *at = text, *comma = text; comma; at = comma + 1) {
        torre_ordering_words name; /* long enough for whatever is legal */
        comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (*count == limit)
            return torre_fail(TORRE_ERR_USAGE, "{%s} lists more than %d orderings (got %.80s)",
                              parameter, limit, text);
        if (length >= sizeof name.text)
            return torre_ordering_refuse(parameter, at, "this name is too long");
        memcpy(name.text, at, length);
        name.text[length] = 0;
        TORRE_TRY(torre_ordering_read(parameter, name.text, &ordering[*count]));
        for (int i = 0; i < *count; i++)
            if (torre_ordering_same(&ordering[i], &ordering[*count]))
                return torre_fail(TORRE_ERR_USAGE, "{%s} lists %s twice", parameter, name.text);
        (*count)++;
    }
    return TORRE_OK;
}
