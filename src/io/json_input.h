/* As much of JSON as it takes to get texts out of a report (core/report.h). */
#ifndef TORRE_JSON_INPUT_H
#define TORRE_JSON_INPUT_H

#include "core/status.h"
#include "io/text_input.h"

/* A member of the object; where is its line, "run.json:17". Another status ends the reading. */
typedef torre_status torre_json_member(void *context, const char *name, const char *text,
                                       const char *where);

/*
 * Read a JSON object that begins in `line`, the one that `in` gave last, and call `found` for every
 * member of the object that its member `name` is, all of which must be strings. What else there is
 * is passed over. TORRE_ERR_INPUT, with the line, on what is not JSON, and where there is no such
 * member.
 */
torre_status torre_json_strings(torre_text_input *in, char *line, const char *name,
                                torre_json_member *found, void *context);

#endif
