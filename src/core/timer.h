/* Wall-clock time. */
#ifndef TORRE_TIMER_H
#define TORRE_TIMER_H

/* Seconds since some fixed moment, monotonic, at least microseconds fine. */
double torre_time_now(void);

#endif
