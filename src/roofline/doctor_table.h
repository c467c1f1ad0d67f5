/* What doctor found, as a table for people and as a status. */
#ifndef TORRE_DOCTOR_TABLE_H
#define TORRE_DOCTOR_TABLE_H

#include <stdio.h>

#include "core/status.h"
#include "roofline/doctor.h"

void torre_diagnosis_table(FILE *out, const torre_diagnosis *diagnosis);

/* TORRE_ERR_RESOURCE where something computes wrong numbers or, for the backend "cuda", no GPU can
 * be used; "auto" and "cpu" are content with the CPU. */
torre_status torre_diagnosis_verdict(const torre_diagnosis *diagnosis, const char *backend);

#endif
