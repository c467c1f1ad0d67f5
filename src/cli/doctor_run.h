/* The examination as `doctor` and `roofline --doctor` tell it. */
#ifndef TORRE_DOCTOR_RUN_H
#define TORRE_DOCTOR_RUN_H

#include "core/options.h"
#include "core/status.h"
#include "roofline/doctor.h"

/*
 * Examine the machine and print the findings; json may be NULL, "-" sends the tables to standard
 * error. backend: "auto" and "cpu" are content with the CPU, "cuda" is TORRE_ERR_RESOURCE where no
 * GPU can be used. TORRE_ERR_RESOURCE, too, when something computes wrong numbers.
 */
torre_status doctor_run(const char *program, const char *backend, torre_examination examination,
                        const char *json, bool quiet, const torre_option *table);

#endif
