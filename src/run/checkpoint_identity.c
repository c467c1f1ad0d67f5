#include "run/checkpoint_identity.h"

static const char identity_name[] = "problem";

void torre_checkpoint_identity_write(torre_checkpoint_writer *writer, const torre_record *record)
{
    char line[TORRE_RECORD_LINE];
    torre_checkpoint_chunk(writer, identity_name, line, (int64_t)torre_record_encode(record, line));
}

torre_status torre_checkpoint_identity_check(torre_checkpoint *c, const char *path,
                                             const torre_record *wanted)
{
    torre_record found;
    char line[TORRE_RECORD_LINE];
    const int64_t bytes = torre_checkpoint_bytes(c, identity_name);
    if (bytes < 1 || bytes >= TORRE_RECORD_LINE)
        return torre_fail(TORRE_ERR_INPUT, "%s does not say what it is of", path);
    TORRE_TRY(torre_checkpoint_read(c, identity_name, line, bytes));
    line[bytes - 1] = 0;
    if (!torre_record_decode(line, &found))
        return torre_fail(TORRE_ERR_INPUT, "%s does not say what it is of", path);
    const char *name = torre_record_differs(wanted, &found);
    if (!name) name = torre_record_differs(&found, wanted); /* types, where there are none now */
    if (!name) return TORRE_OK;
    const char *value = torre_record_get(&found, name), *now = torre_record_get(wanted, name);
    return torre_fail(TORRE_ERR_INPUT,
                      "%s is of a run with another %s: %.200s, now it is %.200s; only the same run "
                      "can go on from it",
                      path, name, value ? value : "none", now ? now : "none");
}
