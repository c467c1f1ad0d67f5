#include "particles/mps_probe.h"

#include <math.h>

/* A rectangle across an axis, m from the tank's inner corner. */
typedef struct face {
    int axis;
    double at, normal;      /* on the axis; 1 or -1, towards the water */
    double low[3], high[3]; /* along the other axes; infinite where the tank is periodic */
} face;

static double distance_to(const face *f, int dims, const double at[3])
{
    double square = pow(at[f->axis] - f->at, 2);
    for (int a = 0; a < dims; a++)
        if (a != f->axis) square += pow(fmax(0, fmax(f->low[a] - at[a], at[a] - f->high[a])), 2);
    return sqrt(square);
}

/* Take the face of a box (in spacings, with water outside or inside) across an axis if it is nearer
 * than the one found so far. */
static void try_face(const torre_mps_dam *dam, const torre_mps_places *box, int axis, bool upper,
                     bool inside, const double at[3], face *found, double *least)
{
    const torre_mps_layout *l = &dam->layout;
    const double spacing = dam->tank.spacing;
    face f = {.axis = axis,
              .at = spacing * (double)(upper ? box->high[axis] : box->low[axis]),
              .normal = upper != inside ? 1 : -1};
    for (int a = 0; a < 3; a++) {
        const bool endless = a == 2 && !l->sides && box->low[2] == 0 && box->high[2] == l->cells[2];
        f.low[a] = endless ? -INFINITY : spacing * (double)box->low[a];
        f.high[a] = endless ? INFINITY : spacing * (double)box->high[a];
    }
    const double distance = distance_to(&f, dam->tank.dims, at);
    if (distance >= *least) return;
    *least = distance;
    *found = f;
}

/* The nearest face that water can be in front of; of several, obstacles come first. */
static double find_face(const torre_mps_dam *dam, const double at[3], face *found)
{
    const torre_mps_layout *l = &dam->layout;
    const torre_mps_places tank = {.high = {l->cells[0], l->cells[1], l->cells[2]}};
    const int dims = dam->tank.dims;
    double least = INFINITY;
    for (int k = 0; k < l->obstacles; k++) {
        const torre_mps_places *box = &l->obstacle[k];
        for (int a = 0; a < dims; a++) {
            if (box->low[a] > 0) try_face(dam, box, a, false, false, at, found, &least);
            if (box->high[a] < l->cells[a]) try_face(dam, box, a, true, false, at, found, &least);
        }
    }
    for (int a = 0; a < (l->sides ? 3 : 2); a++) {
        try_face(dam, &tank, a, false, true, at, found, &least);
        try_face(dam, &tank, a, true, true, at, found, &least);
    }
    return least;
}

double torre_mps_probe_distance(const torre_mps_dam *dam, const double at[3])
{
    face f;
    return find_face(dam, at, &f);
}

/* What is solid around a probe. It stands on one lattice, or of a gate another, of which a probe
 * reaches 4 + 1 + 2 * 4 spacings along its face and less across it: no more than this. */
enum { SOLIDS = 2 * 14 * 14 * 14 };

typedef struct probe {
    const torre_md_problem *problem;
    const torre_mps_measure *measure;
    torre_mps_constants constants;
    face face;
    double patch[3][2]; /* along the axes of the face */
    double area;
    double centre[3]; /* m from the box */
    int solids;
    int64_t solid[SOLIDS];
} probe;

/* r_i - point along an axis, to the nearest image. */
static double separation(const probe *b, int64_t i, int axis, double point)
{
    const double edge = b->problem->box[axis];
    const double d = b->measure->now.position[axis][i] - point;
    return d - edge * rint(d / edge);
}

static void find_solids(probe *b)
{
    const torre_md_problem *p = b->problem;
    const double reach = 2.5 * p->mps.spacing + p->cutoff, across = 2 * p->cutoff;
    const int64_t there = torre_mps_there(b->measure);
    for (int64_t k = torre_mps_there_fluid(b->measure); k < there && b->solids < SOLIDS; k++) {
        const int64_t i = torre_mps_there_id(b->measure, k);
        bool near = true;
        for (int a = 0; a < p->dimensions && near; a++)
            near = fabs(separation(b, i, a, b->centre[a])) < (a == b->face.axis ? across : reach);
        if (near) b->solid[b->solids++] = i;
    }
}

torre_mps_region torre_mps_probe_region(const torre_mps_dam *dam, const torre_md_problem *p,
                                        const double at[3])
{
    /* solids as far as find_solids looks, from a face that is less than a spacing away */
    const double reach = 2.5 * p->mps.spacing + p->cutoff, across = 2 * p->cutoff;
    torre_mps_region r;
    for (int a = 0; a < 3; a++) {
        r.centre[a] = dam->layout.origin[a] + at[a];
        r.half[a] = a < p->dimensions ? fmax(reach, across) + 1.5 * p->mps.spacing : INFINITY;
    }
    return r;
}

/* How much of the cube of a particle is on the patch; 0 of one that is not in front of it. */
static double share_of(const probe *b, const torre_mps_dam *dam, int64_t i)
{
    const torre_md_problem *p = b->problem;
    const double spacing = p->mps.spacing;
    const double *origin = dam->layout.origin;
    const int axis = b->face.axis;
    const double depth =
        b->face.normal * (b->measure->now.position[axis][i] - origin[axis] - b->face.at);
    if (depth < -spacing || depth >= p->cutoff) return 0;
    double share = 1;
    for (int a = 0; a < p->dimensions && share > 0; a++) {
        if (a == axis) continue;
        double r = b->centre[a] - origin[a] + separation(b, i, a, b->centre[a]);
        const double length = (double)dam->layout.cells[a] * spacing;
        if (a < 2 || dam->layout.sides) r = fmin(fmax(r, spacing / 2), length - spacing / 2);
        share *=
            fmax(0, fmin(r + spacing / 2, b->patch[a][1]) - fmax(r - spacing / 2, b->patch[a][0])) /
            spacing;
    }
    return share;
}

/* The acceleration of a particle by what is solid, along the normal. */
static double push(const probe *b, int64_t j)
{
    const torre_mps_constants *c = &b->constants;
    const torre_mps_measure *m = b->measure;
    double sum = 0;
    for (int k = 0; k < b->solids; k++) {
        const int64_t i = b->solid[k];
        double square = 0, along = 0;
        for (int a = 0; a < b->problem->dimensions; a++) {
            const double d = separation(b, j, a, m->now.position[a][i]);
            square += d * d;
            if (a == b->face.axis) along = d * b->face.normal;
        }
        if (square >= c->influence * c->influence) continue;
        const double r = sqrt(square), overlap = fmax(0, c->collision_distance - r);
        sum += along / r *
               (c->gradient_factor * (m->pressure[i] + m->pressure[j]) / r *
                    TORRE_MPS_GRADIENT_WEIGHT(c->influence, 1 / r) +
                c->collision_factor * overlap);
    }
    return sum;
}

double torre_mps_probe(const torre_mps_dam *dam, const torre_mps_measure *m, const double at[3])
{
    const torre_md_problem *p = m->problem;
    const double spacing = p->mps.spacing, half = 2 * spacing;
    probe b = {.problem = p, .measure = m, .constants = torre_mps_constants_of(p), .area = 1};
    if (find_face(dam, at, &b.face) >= spacing) return NAN;
    for (int a = 0; a < p->dimensions; a++) {
        const double middle = a == b.face.axis ? b.face.at : at[a];
        b.centre[a] = dam->layout.origin[a] + middle;
        if (a == b.face.axis) continue;
        b.patch[a][0] = fmax(middle - half, b.face.low[a]);
        b.patch[a][1] = fmin(middle + half, b.face.high[a]);
        b.area *= b.patch[a][1] - b.patch[a][0];
    }
    find_solids(&b);
    const double mass = p->mps.density * pow(spacing, p->dimensions);
    double force = 0;
    for (int64_t k = 0; k < torre_mps_there_fluid(m); k++) {
        const int64_t j = torre_mps_there_id(m, k);
        const double share = share_of(&b, dam, j);
        if (share > 0) force += share * mass * push(&b, j);
    }
    return force / b.area;
}
