/* The engines by name. */
#include <string.h>

#include "torre/wave.h"

static const char *const engine_names[] = {"auto", "reference", "stepwise", "torre"};

const char *torre_engine_name(torre_engine engine)
{
    return (unsigned)engine <= TORRE_TORRE ? engine_names[engine] : NULL;
}

bool torre_engine_by_name(const char *name, torre_engine *engine)
{
    for (int e = TORRE_AUTO; e <= TORRE_TORRE; e++) {
        if (strcmp(name, engine_names[e]) == 0) {
            *engine = (torre_engine)e;
            return true;
        }
    }
    return false;
}
