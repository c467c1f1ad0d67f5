#include <math.h>
#include <string.h>

#include "particles/mps.h"

/* Visit the neighbours of a lattice point: body sees dx, dy, dz and r, in units of the lattice. */
#define FOR_LATTICE(dims, reach, body)                                                             \
    for (int i = -(int)(reach), z = (dims) == 3 ? (int)(reach) : 0; i <= (int)(reach); i++)        \
        for (int j = -(int)(reach); j <= (int)(reach); j++)                                        \
            for (int k = -z; k <= z; k++) {                                                        \
                double r = sqrt((double)(i * i + j * j + k * k));                                  \
                if (r > 0 && r < (reach)) body                                                     \
            }

torre_mps_norms torre_mps_norms_of(int dims, double spacing, double influence)
{
    torre_mps_norms n = {0};
    const double reach = influence / spacing;
    FOR_LATTICE(dims, reach, {
        double w = TORRE_MPS_WEIGHT(reach, 1 / r);
        n.n0 += w;
        n.lambda0 += r * r * w;
        n.n_grad += TORRE_MPS_GRADIENT_WEIGHT(reach, 1 / r);
    })
    n.lambda0 *= spacing * spacing / n.n0;
    return n;
}

torre_mps_constants torre_mps_constants_of(const torre_md_problem *p)
{
    torre_mps_norms n = torre_mps_norms_of(p->dimensions, p->mps.spacing, p->cutoff);
    return (torre_mps_constants){
        .influence = p->cutoff,
        .viscosity_factor = p->mps.viscosity * 2 * p->dimensions / (n.lambda0 * n.n0),
        .gravity = p->mps.gravity,
        .n0 = n.n0,
        .stiffness = p->mps.sound_speed * p->mps.sound_speed * p->mps.density,
        .gradient_factor = p->dimensions / (p->mps.density * n.n_grad),
        .collision_distance = TORRE_MPS_COLLISION_DISTANCE * p->mps.spacing,
        .collision_factor = pow(p->mps.sound_speed / p->mps.spacing, 2),
        .dt = p->dt};
}

/*
 * Largest omega l0 / c of a lattice wave. A displacement e exp(i k r) changes n by
 * i D(k) e exp(i k r), D = sum of w'(r) r/|r| sin(k r), and the force of the energy U
 * (mps_weight.h) gives omega^2 = c^2 d/(n_grad n0) |D|^2.
 */
static double largest_frequency(int dims, double reach, const torre_mps_norms *n)
{
    enum { PARTS = 16 };
    double most = 0;
    for (int a = 0; a <= PARTS; a++) {
        for (int b = 0; b <= a; b++) {
            for (int c = 0; c <= (dims == 3 ? b : 0); c++) {
                double d[3] = {0};
                FOR_LATTICE(dims, reach, {
                    double s = sin(M_PI / PARTS * (a * i + b * j + c * k)) * reach / (r * r * r);
                    d[0] += i * s;
                    d[1] += j * s;
                    d[2] += k * s;
                })
                double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if (square > most) most = square;
            }
        }
    }
    return sqrt(most * dims / (n->n_grad * n->n0));
}

double torre_mps_dt_limit(const torre_md_problem *p)
{
    torre_mps_norms n = torre_mps_norms_of(p->dimensions, p->mps.spacing, p->cutoff);
    const double crossing = p->mps.spacing / p->mps.sound_speed; /* of a spacing by sound, s */
    double omega = largest_frequency(p->dimensions, p->cutoff / p->mps.spacing, &n);
    double sound = 0.25 * sqrt(4.0 / 3) / omega * crossing;
    double colliding_square = 2 * (p->dimensions == 2 ? 6.0 / 2 : 12.0 / 3);
    double collision = sqrt(4.0 / 3 / (omega * omega + colliding_square)) * crossing;
    double viscous =
        p->mps.viscosity > 0 ? n.lambda0 / (2 * p->dimensions * p->mps.viscosity) : INFINITY;
    return fmin(fmin(sound, collision), viscous);
}

static torre_status check_positive(const char *what, double value)
{
    if (value > 0 && isfinite(value)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "%s must be a positive number (got %g)", what, value);
}

static torre_status check_particles(const torre_md_problem *p)
{
    for (int a = 0; a < 3; a++) {
        for (int64_t i = 0; i < p->count; i++) {
            double r = p->position[a][i], v = p->velocity[a][i];
            if (!(r >= 0 && r < p->box[a]) || !isfinite(v))
                return torre_fail(TORRE_ERR_INPUT,
                                  "particle %lld: position %.17g along axis %d is outside the box "
                                  "[0, %.17g), or its velocity %g is not finite",
                                  (long long)i + 1, r, a, p->box[a], v);
        }
    }
    return TORRE_OK;
}

torre_status torre_mps_influence_check(double spacing, double influence)
{
    if (influence >= 1.5 * spacing && influence <= 4 * spacing) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{influence} must be 1.5 to 4 spacings (got %g)",
                      influence / spacing);
}

double torre_mps_gate_lifted(const torre_mps_parameters *mps, double time)
{
    if (time < mps->gate_opens || mps->gate_count == 0) return 0;
    if (mps->gate_speed == 0) return mps->gate_lift;
    return fmin(mps->gate_lift, mps->gate_speed * (time - mps->gate_opens));
}

static torre_status check_gate(const torre_md_problem *p)
{
    const torre_mps_parameters *m = &p->mps;
    if (m->gate_count == 0) return TORRE_OK;
    if (!(m->gate_opens >= 0) || isinf(m->gate_opens))
        return torre_fail(TORRE_ERR_USAGE, "{gate} must open at 0 s or later (got %g s)",
                          m->gate_opens);
    if (!(m->gate_speed >= 0 && m->gate_speed < m->sound_speed))
        return torre_fail(TORRE_ERR_USAGE,
                          "{gate} must move at 0 to less than the sound speed, %g m/s (got %g m/s)",
                          m->sound_speed, m->gate_speed);
    if (m->gate >= m->fluid && m->gate_count > 0 && m->gate + m->gate_count <= p->count &&
        m->gate_lift >= 0 && m->gate_lift < p->box[1])
        return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE,
                      "a gate must be of particles %lld to %lld, lifted by 0 to %g m",
                      (long long)m->fluid, (long long)p->count, p->box[1]);
}

torre_status torre_mps_problem_check(const torre_md_problem *p)
{
    if (p->dimensions != 2 && p->dimensions != 3)
        return torre_fail(TORRE_ERR_USAGE, "{dimensions} must be 2 or 3 (got %d)", p->dimensions);
    if ((unsigned)p->precision > TORRE_MD_MIXED)
        return torre_fail(TORRE_ERR_USAGE, "{precision} must be f32, f64 or mixed (got %d)",
                          (int)p->precision);
    TORRE_TRY(check_positive(TORRE_PARAMETER("spacing"), p->mps.spacing));
    TORRE_TRY(check_positive(TORRE_PARAMETER("fluid_density"), p->mps.density));
    TORRE_TRY(check_positive(TORRE_PARAMETER("sound_speed"), p->mps.sound_speed));
    TORRE_TRY(check_positive(TORRE_PARAMETER("dt"), p->dt));
    TORRE_TRY(torre_mps_influence_check(p->mps.spacing, p->cutoff));
    if (!(p->mps.viscosity >= 0) || isinf(p->mps.viscosity))
        return torre_fail(TORRE_ERR_USAGE, "{viscosity} must be at least 0 (got %g)",
                          p->mps.viscosity);
    if (!(p->mps.gravity >= 0) || isinf(p->mps.gravity))
        return torre_fail(TORRE_ERR_USAGE, "{gravity} must be at least 0 (got %g)", p->mps.gravity);
    if (!(p->mps.surface > 0 && p->mps.surface <= 1))
        return torre_fail(TORRE_ERR_USAGE, "{surface} must be above 0 and at most 1 (got %g)",
                          p->mps.surface);
    double limit = torre_mps_dt_limit(p);
    if (p->dt > limit * (1 + 1e-9))
        return torre_fail(TORRE_ERR_UNSTABLE,
                          "dt = %.6g s is above the Courant limit %.6g s: use a smaller {dt}, a "
                          "larger {spacing} (%g m) or a lower {sound_speed} (%g m/s)",
                          p->dt, limit, p->mps.spacing, p->mps.sound_speed);
    if (p->mps.fluid < 1 || p->mps.wall < 0 || p->count < p->mps.fluid + p->mps.wall)
        return torre_fail(TORRE_ERR_USAGE, "there must be at least one fluid particle (got %lld)",
                          (long long)p->mps.fluid);
    for (int a = 0; a < 3; a++) TORRE_TRY(check_positive("box edge", p->box[a]));
    TORRE_TRY(check_gate(p));
    return p->position[0] ? check_particles(p) : TORRE_OK;
}
