/* The rates that doctor measures, beside what the machine's ceilings let one expect. */
#ifndef TORRE_DOCTOR_RATES_H
#define TORRE_DOCTOR_RATES_H

#include "roofline/doctor.h"

/*
 * Fill in diagnosis->rates for every backend whose checks passed: its ceilings, then orders 2, 4,
 * 6 and 8 with both engines, tiles and heights as plans choose them by themselves. What cannot be
 * measured is told there.
 */
void torre_doctor_measure(const torre_examination *examination, torre_diagnosis *diagnosis);

#endif
