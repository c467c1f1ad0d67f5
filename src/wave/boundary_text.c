/* Faces as text: "absorbing,z-=free" (boundary.h). */
#include <stdio.h>
#include <string.h>

#include "wave/boundary.h"

/* The faces that "x-", "x+" or "x" (both) means: axis and sides[2]; false for anything else. */
static bool name_faces(const char *name, size_t length, int *axis, bool sides[2])
{
    static const char axes[] = "xyz";
    const char *at = length ? strchr(axes, name[0]) : NULL;
    if (!at || length > 2 || (length == 2 && name[1] != '-' && name[1] != '+')) return false;
    *axis = (int)(at - axes);
    sides[0] = length == 1 || name[1] == '-';
    sides[1] = length == 1 || name[1] == '+';
    return true;
}

/* One item: KIND, or FACE=KIND. */
static bool set_faces(torre_wave_problem *p, const char *item, bool first, bool seen[3][2])
{
    const char *equals = strchr(item, '=');
    torre_face face;
    int axis;
    bool sides[2];
    if (!torre_face_by_name(equals ? equals + 1 : item, &face)) return false;
    if (!equals) {
        for (int a = 0; a < 3; a++)
            if (!torre_wave_is_flat(p, a)) p->face[a][0] = p->face[a][1] = face;
        return first;
    }
    if (!name_faces(item, (size_t)(equals - item), &axis, sides)) return false;
    if (torre_wave_is_flat(p, axis)) return false;
    for (int side = 0; side < 2; side++) {
        if (!sides[side]) continue;
        if (seen[axis][side]) return false;
        seen[axis][side] = true;
        p->face[axis][side] = face;
    }
    return true;
}

torre_status torre_boundary_parse(const char *text, torre_wave_problem *p)
{
    bool seen[3][2] = {{false}};
    const char *item = text;
    for (int i = 0;; i++) {
        char word[32];
        size_t length = strcspn(item, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, item);
        if (length >= sizeof word || !set_faces(p, word, i == 0, seen))
            return torre_fail(TORRE_ERR_USAGE,
                              "{boundary} must be free, rigid, absorbing or periodic, or a list "
                              "like absorbing,z-=free with each of %s at most once (got %.80s)",
                              torre_wave_is_flat(p, 1)
                                  ? "x-, x+, z-, z+ (or x, z for both; a plane has no y)"
                                  : "x-, x+, y-, y+, z-, z+ (or x, y, z for both)",
                              text);
        if (!item[length]) return TORRE_OK;
        item += length + 1;
    }
}
