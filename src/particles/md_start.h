/* Particles on the host: memory, lattices and initial velocities. */
#ifndef TORRE_MD_START_H
#define TORRE_MD_START_H

#include "core/status.h"
#include "particles/md_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A set of particles that owns its arrays; what the problem's pointers point to. */
typedef struct torre_md_particles {
    int64_t count;
    double box[3];
    double mass;
    double *position[3]; /* [axis][id] */
    double *velocity[3];
    int types;                        /* of the particles, with ... */
    uint8_t *type;                    /* [id] ... theirs, from 0, and ... */
    double type_mass[TORRE_MD_TYPES]; /* ... the mass of each; NULL: all of type 0, of mass */
    double *radius;                   /* [id] of rough grains (grains.h), and ... */
    double largest;  /* ... that of a particle of `mass`; others have that density, too */
    double *spin[3]; /* [axis][id] ... angular velocities; NULL: there are none */
} torre_md_particles;

/* Allocate count particles, all zero, mass 1. TORRE_ERR_RESOURCE with the bytes needed. */
torre_status torre_md_particles_new(int64_t count, torre_md_particles *particles);

void torre_md_particles_free(torre_md_particles *particles);

/* Room for types, all 0, where there is none yet. TORRE_ERR_RESOURCE. */
torre_status torre_md_particles_add_types(torre_md_particles *particles, int types);

/* Types and their masses, and radii, of those (which may have none); room for spins where they have
 * some. TORRE_ERR_RESOURCE. */
torre_status torre_md_particles_take_types(torre_md_particles *particles,
                                           const torre_md_particles *from);

/* Room for radii, all the largest, and spins, all 0, where there is none yet. TORRE_ERR_RESOURCE.
 * */
torre_status torre_md_particles_add_grains(torre_md_particles *particles, double largest);

static inline double torre_md_particle_mass(const torre_md_particles *p, int64_t id)
{
    if (p->radius) {
        const double ratio = p->radius[id] / p->largest;
        return p->mass * ratio * ratio * ratio;
    }
    return p->type ? p->type_mass[p->type[id]] : p->mass;
}

/* Point the problem at the particles (count, box, mass, arrays); they must outlive its use. */
void torre_md_problem_set_particles(torre_md_problem *problem, const torre_md_particles *particles);

/*
 * Face-centred cubic lattice of cells[0] x cells[1] x cells[2] unit cells, 4 particles each, at
 * density particles per volume (> 0): lattice constant (4 / density)^(1/3). Particle 4 c + b is
 * basis b of cell c (C order): (0,0,0), (1/2,1/2,0), (1/2,0,1/2), (0,1/2,1/2). Velocities zero.
 */
torre_status torre_md_start_fcc(const int64_t cells[3], double density,
                                torre_md_particles *particles);

/* Number of particles, box and mass (1) of that lattice, without making it. */
torre_status torre_md_start_fcc_size(const int64_t cells[3], double density, int64_t *count,
                                     double box[3], double *mass);

/*
 * Maxwell velocities: three normal deviates per particle (torre_random_normal3, stream 0), over
 * the root of its mass where there are types, less the velocity of the centre of mass, scaled to
 * the temperature 2 K / (3N - 3) exactly (to rounding). Every particle's
 * velocity depends on the seed, its id and the number of particles only.
 */
void torre_md_start_velocities(torre_md_particles *particles, double temperature, uint64_t seed);

/*
 * Refuse particles closer than distance (of grains, that of the largest; others may be as much
 * closer as they are smaller), naming the two ids and their distance: forces there would
 * be astronomic, so this is TORRE_ERR_UNSTABLE, as a time step that is too large (a file with such
 * particles can be read well). O(N).
 */
torre_status torre_md_start_check_overlap(const torre_md_particles *particles, double distance);

#ifdef __cplusplus
}
#endif

#endif
