#include "wave/time_step.h"

#include <math.h>
#include <stdio.h>

static double digits_of(double x, double (*whole)(double))
{
    double unit = pow(10, floor(log10(x)) - 3);
    return whole(x / unit) * unit;
}

double torre_round_down(double x) { return digits_of(x, floor); }

double torre_round_up(double x) { return digits_of(x, ceil); }

/* With a Courant number neither spacing nor velocity matter, but the order does. */
static torre_status refuse_courant(const torre_wave_problem *p, const torre_time_step_wish *wish,
                                   const torre_time_step *t)
{
    const double smallest = torre_wave_spacing_min(p);
    char other[32] = "";
    torre_wave_problem lower = *p;
    for (lower.order = p->order - 2; lower.order >= 2 && !other[0]; lower.order -= 2) {
        double limit;
        TORRE_TRY(torre_wave_problem_dt_limit(&lower, &limit));
        if (t->velocity_max * limit >= wish->courant * smallest)
            torre_text(other, sizeof other, ", or {order} %d", lower.order);
    }
    return torre_fail(
        TORRE_ERR_USAGE,
        "{courant} %g gives Courant number %.4g, unstable above %.4g at order %d: use "
        "{courant} %.4g or less%s (or {force})",
        wish->courant, t->courant, t->courant_limit, p->order, torre_round_down(t->courant_limit),
        other);
}

static torre_status refuse_unstable(const torre_wave_problem *p, const torre_time_step_wish *wish,
                                    const torre_time_step *t)
{
    const double excess = t->dt / t->dt_limit, smallest = torre_wave_spacing_min(p);
    char spacing[64];
    if (wish->courant > 0) return refuse_courant(p, wish, t);
    if (smallest == torre_wave_spacing_max(p))
        snprintf(spacing, sizeof spacing, "spacing >= %.4g m", torre_round_up(smallest * excess));
    else
        snprintf(spacing, sizeof spacing, "spacings %.4g times as large", torre_round_up(excess));
    return torre_fail(
        TORRE_ERR_USAGE,
        "{dt} %g gives Courant number %.4g, unstable above %.4g at order %d: use dt <= "
        "%.4g s, or %s, or velocities <= %.4g m/s (or {force})",
        wish->dt, t->courant, t->courant_limit, p->order, torre_round_down(t->dt_limit), spacing,
        torre_round_down(t->velocity_max / excess));
}

torre_status torre_time_step_choose(const torre_wave_problem *p, const torre_time_step_wish *wish,
                                    torre_cautions *cautions, torre_time_step *t)
{
    const double smallest = torre_wave_spacing_min(p);
    torre_wave_velocity_range(p, &t->velocity_min, &t->velocity_max);
    TORRE_TRY(torre_wave_problem_dt_limit(p, &t->dt_limit));
    if (!(wish->dt >= 0) || !(wish->courant >= 0))
        return torre_fail(TORRE_ERR_USAGE, "{dt} and {courant} must be at least 0 (got %g, %g)",
                          wish->dt, wish->courant);
    if (wish->dt > 0 && wish->courant > 0)
        return torre_fail(TORRE_ERR_USAGE, "{dt} and {courant} exclude each other; give one");
    if (wish->dt > 0)
        t->dt = wish->dt;
    else if (wish->courant > 0)
        t->dt = wish->courant * smallest / t->velocity_max;
    else
        t->dt = 0.9 * t->dt_limit;
    if (wish->whole_microseconds && wish->dt == 0 && t->dt >= 1e-6)
        t->dt = floor(t->dt * 1e6) / 1e6;
    t->courant = t->velocity_max * t->dt / smallest;
    t->courant_limit = t->velocity_max * t->dt_limit / smallest;
    bool unstable = t->dt > t->dt_limit * (1 + 1e-9); /* the limit itself, once printed, is fine */
    if (unstable && !wish->force) return refuse_unstable(p, wish, t);
    if (unstable)
        torre_caution(cautions,
                      "Courant number %.4g is above the limit %.4g: expect the field to blow up",
                      t->courant, t->courant_limit);
    if (t->velocity_max < 20)
        torre_caution(cautions, "the largest velocity is %.3g m/s; is the model in km/s?",
                      t->velocity_max);
    return TORRE_OK;
}
