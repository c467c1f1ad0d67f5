#include "particles/granular.h"

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "particles/pair_granular.h"

static const double pi = 3.14159265358979323846;

static int height_axis(const torre_granular *g) { return g->dimensions - 1; }

static torre_status check_positive(const char *option, double value)
{
    if (value > 0 && isfinite(value)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{%s} must be a number above 0 (got %g)", option, value);
}

static torre_status check_not_negative(const char *option, double value)
{
    if (value >= 0 && isfinite(value)) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{%s} must be a number of at least 0 (got %g)", option,
                      value);
}

static torre_status check_restitution(const char *option, double e)
{
    if (e > 0 && e <= 1) return TORRE_OK;
    return torre_fail(TORRE_ERR_USAGE, "{%s} must be a number above 0 and at most 1 (got %g)",
                      option, e);
}

bool torre_granular_is_rough(const torre_granular *g)
{
    return g->friction != 0 || g->wall_friction != 0 || g->rolling_friction != 0 || g->side_walls ||
           g->sizes != TORRE_GRANULAR_ONE_SIZE || g->incline != 0;
}

static torre_status check_rough(const torre_granular *g)
{
    TORRE_TRY(check_not_negative("friction", g->friction));
    TORRE_TRY(check_not_negative("wall_friction", g->wall_friction));
    TORRE_TRY(check_not_negative("rolling_friction", g->rolling_friction));
    TORRE_TRY(check_not_negative("tangential_stiffness", g->tangential_stiffness));
    if (g->tangential_restitution != 0)
        TORRE_TRY(check_restitution("tangential_restitution", g->tangential_restitution));
    if ((unsigned)g->sizes > TORRE_GRANULAR_UNIFORM_SIZES)
        return torre_fail(TORRE_ERR_USAGE, "{sizes} must be one, two or uniform (got %d)",
                          (int)g->sizes);
    if (g->sizes != TORRE_GRANULAR_ONE_SIZE && !(g->size_ratio >= 0.25 && g->size_ratio <= 1))
        return torre_fail(TORRE_ERR_USAGE,
                          "{size_ratio} must be a number of at least 0.25 and at most 1 (got %g)",
                          g->size_ratio);
    if (!(g->incline >= 0 && g->incline <= 90))
        return torre_fail(TORRE_ERR_USAGE, "{incline} must be 0 to 90 degrees (got %g)",
                          g->incline);
    if (g->incline > 0 && g->gravity == 0)
        return torre_fail(TORRE_ERR_USAGE, "{incline} needs {gravity}");
    if (!g->walls && (g->side_walls || g->wall_friction > 0))
        return torre_fail(TORRE_ERR_USAGE, "{%s} needs {walls}",
                          g->side_walls ? "side_walls" : "wall_friction");
    for (int a = 0; g->side_walls && a < height_axis(g); a++)
        if (g->size[a] < 3 * g->diameter)
            return torre_fail(TORRE_ERR_USAGE,
                              "{size}: {side_walls} must be at least 3 diameters apart (got %g)",
                              g->size[a] / g->diameter);
    if (torre_granular_is_rough(g) && g->gas == TORRE_GRANULAR_IDEAL)
        return torre_fail(
            TORRE_ERR_USAGE,
            "{gas} ideal has no {friction}, {sizes} or {side_walls}: its particles do "
            "not touch each other");
    return TORRE_OK;
}

torre_status torre_granular_check(const torre_granular *g)
{
    if (g->dimensions != 2 && g->dimensions != 3)
        return torre_fail(TORRE_ERR_USAGE, "there must be 2 or 3 dimensions (got %d)",
                          g->dimensions);
    if ((unsigned)g->gas > TORRE_GRANULAR_IDEAL)
        return torre_fail(TORRE_ERR_USAGE, "{gas} must be inelastic, elastic or ideal (got %d)",
                          (int)g->gas);
    if (g->sweeps < 0)
        return torre_fail(TORRE_ERR_USAGE, "{sweeps} must be at least 0 (got %lld)",
                          (long long)g->sweeps);
    for (int a = 0; a < g->dimensions; a++) TORRE_TRY(check_positive("size", g->size[a]));
    TORRE_TRY(check_positive("diameter", g->diameter));
    TORRE_TRY(check_positive("mass", g->mass));
    TORRE_TRY(check_positive("stiffness", g->stiffness));
    TORRE_TRY(check_positive("filling", g->filling));
    TORRE_TRY(check_not_negative("temperature", g->temperature));
    TORRE_TRY(check_not_negative("gravity", g->gravity));
    TORRE_TRY(check_not_negative("shake_amplitude", g->shake_amplitude));
    TORRE_TRY(check_not_negative("shake_frequency", g->shake_frequency));
    TORRE_TRY(check_restitution("restitution", g->restitution));
    TORRE_TRY(check_restitution("wall_restitution", g->wall_restitution));
    TORRE_TRY(check_rough(g));
    double packing = g->dimensions == 2 ? TORRE_GRANULAR_PACKING_2D : TORRE_GRANULAR_PACKING_3D;
    if (g->gas != TORRE_GRANULAR_IDEAL && g->filling > packing)
        return torre_fail(TORRE_ERR_USAGE,
                          "{filling} must be at most %.4f, the closest packing of %s (got %g)",
                          packing, g->dimensions == 2 ? "discs" : "spheres", g->filling);
    if (!g->walls && (g->shake_amplitude > 0 || g->gravity > 0))
        return torre_fail(TORRE_ERR_USAGE, "{%s} needs {walls}",
                          g->gravity > 0 ? "gravity" : "shake_amplitude");
    if (g->walls && g->size[height_axis(g)] <= g->diameter)
        return torre_fail(TORRE_ERR_USAGE,
                          "{size}: walls must be more than a diameter apart (got %g diameters)",
                          g->size[height_axis(g)] / g->diameter);
    return TORRE_OK;
}

double torre_granular_contact_time(bool hertz, double stiffness, double reduced_mass,
                                   double restitution, double speed)
{
    double l = log(restitution), softness = reduced_mass / stiffness;
    if (!hertz) return sqrt((pi * pi + l * l) * softness);
    /* 2.94328 is twice the integral of 1/sqrt(1 - x^(5/2)) from 0 to 1 */
    return 2.94328 * pow(1.25 * softness, 0.4) * pow(speed, -0.2);
}

double torre_granular_shortest_contact(const torre_granular *g)
{
    double e = g->gas == TORRE_GRANULAR_INELASTIC ? g->restitution : 1, m = g->mass / 2;
    if (g->sizes != TORRE_GRANULAR_ONE_SIZE) m *= pow(g->size_ratio, 3);
    double speed = 6 * sqrt(2 * g->temperature) + 4 * pi * g->shake_amplitude * g->shake_frequency;
    if (g->walls) speed += sqrt(2 * g->gravity * g->size[height_axis(g)]);
    double slow = sqrt(0.8 * g->stiffness / m) * pow(g->diameter / 100, 1.25);
    return torre_granular_contact_time(g->hertz, g->stiffness, m, e, fmax(speed, slow));
}

double torre_granular_size(const torre_granular *g, int64_t id)
{
    if (g->sizes == TORRE_GRANULAR_ONE_SIZE) return 1;
    const double u = torre_random_uniform(g->seed, TORRE_STREAM_TYPES, (uint64_t)id);
    if (g->sizes == TORRE_GRANULAR_TWO_SIZES) return u < 0.5 ? g->size_ratio : 1;
    return g->size_ratio + u * (1 - g->size_ratio);
}

/* Mean volume (area) of a particle over that of the largest. */
static double mean_volume(const torre_granular *g)
{
    const double q = g->size_ratio;
    const int power = g->dimensions;
    if (g->sizes == TORRE_GRANULAR_ONE_SIZE || q == 1) return 1;
    if (g->sizes == TORRE_GRANULAR_TWO_SIZES) return (1 + pow(q, power)) / 2;
    return (1 - pow(q, power + 1)) / ((power + 1) * (1 - q));
}

int64_t torre_granular_count(const torre_granular *g)
{
    double one = pi / 4 * g->diameter * g->diameter, room = g->size[0] * g->size[1];
    if (g->dimensions == 3) {
        one *= g->diameter / 1.5;
        room *= g->size[2];
    }
    one *= mean_volume(g);
    return (int64_t)fmin(g->filling * room / one * (1 + 1e-12), 1e15);
}

static void set_box(const torre_granular *g, double room, torre_md_problem *p)
{
    const int axis = height_axis(g);
    for (int a = 0; a < 3; a++) p->box[a] = g->size[a];
    if (g->dimensions == 2) p->box[2] = 2.001 * (g->diameter + room);
    if (!g->walls) return;
    double low = g->shake_amplitude + g->diameter / 2;
    p->box[axis] += 2 * low;
    /* bins need a box of twice their reach, however low the room */
    p->box[axis] = fmax(p->box[axis], 2.001 * (g->diameter + room));
    p->pair.granular.wall_low = low;
    p->pair.granular.wall_high = low + g->size[axis];
    for (int a = 0; g->side_walls && a < axis; a++) {
        p->box[a] = g->size[a] + g->diameter;
        p->pair.granular.side_low = g->diameter / 2;
        p->pair.granular.side_high[a] = g->diameter / 2 + g->size[a];
    }
}

static void add_rough(const torre_granular *g, torre_granular_parameters *p)
{
    p->rough = true;
    p->friction = g->friction;
    p->wall_friction = g->wall_friction;
    p->rolling_friction = g->rolling_friction;
    p->tangential_stiffness = g->tangential_stiffness > 0 ? g->tangential_stiffness : 2.0 / 7;
    p->tangential_restitution = g->tangential_restitution > 0 ? g->tangential_restitution : 0.44;
    p->least_radius = g->diameter / 2;
    if (g->sizes != TORRE_GRANULAR_ONE_SIZE) p->least_radius *= g->size_ratio;
    p->incline = g->incline;
    p->side_walls = g->side_walls;
}

torre_status torre_granular_problem(const torre_granular *g, double room, double dt,
                                    torre_md_problem *p)
{
    TORRE_TRY(torre_granular_check(g));
    double contact = torre_granular_shortest_contact(g);
    if (!(dt >= 0)) return torre_fail(TORRE_ERR_USAGE, "{dt} must be at least 0 (got %g)", dt);
    if (dt > contact / 20)
        return torre_fail(
            TORRE_ERR_UNSTABLE,
            "{dt} %g is above a twentieth of the contact time %g: use at most %g (auto "
            "is %g), or a smaller {stiffness}",
            dt, contact, contact / 20, contact / 50);
    p->model = TORRE_PAIR_granular;
    p->pair.granular = (torre_granular_parameters){
        .hertz = g->hertz,
        .stiffness = g->stiffness,
        .restitution = g->gas == TORRE_GRANULAR_INELASTIC ? g->restitution : 1,
        .ideal = g->gas == TORRE_GRANULAR_IDEAL,
        .walls = g->walls,
        .wall_restitution = g->wall_restitution,
        .shake_amplitude = g->shake_amplitude,
        .shake_frequency = g->shake_frequency,
        .gravity = g->gravity};
    if (torre_granular_is_rough(g)) add_rough(g, &p->pair.granular);
    set_box(g, room, p);
    p->cutoff = g->diameter;
    p->mass = g->mass;
    p->dimensions = g->dimensions;
    p->count = torre_granular_count(g);
    p->dt = dt > 0 ? dt : contact / 50;
    return TORRE_OK;
}

void torre_granular_profile(const torre_md_problem *p, const torre_md_particles *particles, int n,
                            torre_granular_slice *slices)
{
    const int axis = p->dimensions == 2 ? 1 : 2;
    for (int64_t i = 0; i < particles->count; i++) {
        int k = (int)(particles->position[axis][i] / p->box[axis] * n);
        torre_granular_slice *slice = &slices[k < 0 ? 0 : k < n ? k : n - 1];
        slice->count++;
        for (int a = 0; a < 3; a++) {
            double v = particles->velocity[a][i];
            slice->velocity[a] += v;
            slice->velocity_sq[a] += v * v;
        }
    }
}

double torre_granular_temperature(const torre_md_problem *p, const torre_md_thermo *row)
{
    double n = (double)p->count, drift = 0;
    int dimensions = p->dimensions == 2 ? 2 : 3;
    for (int a = 0; a < dimensions; a++) drift += row->momentum[a] * row->momentum[a];
    double freedom = dimensions * (n - 1), kinetic = row->temperature * freedom;
    if (!(freedom > 0)) return 0;
    return (kinetic / p->mass - drift / (p->mass * p->mass * n)) / freedom;
}
