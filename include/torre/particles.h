/*
 * Particles: Lennard-Jones particles and granular gases, from their start to the results.
 *
 *     m d2r_i/dt2 = sum over j of F(r_i - r_j),   |r_i - r_j| < r_c, nearest periodic image
 *
 * in a rectangular periodic box [0, Lx) x [0, Ly) x [0, Lz), integrated by velocity Verlet.
 *
 *     torre_lj melt = {.cells = {20, 20, 20}, .temperature = 1.44};
 *     torre_particles *p;
 *     TORRE_TRY(torre_particles_lj(&melt, &p));
 *     status = torre_particles_start(p, "auto", NULL);
 *     if (!status) status = torre_particles_advance(p, 1000, NULL);
 *     ... torre_particles_row(p), torre_particles_get(p, position, velocity) ...
 *     torre_particles_free(p);
 *
 * Particles are known by their id 0 .. count - 1, whatever the order in which they are stored.
 * Arrays are f64, one of count values for each axis, [axis][id], the caller's. An object is used by
 * one thread at a time; it starts threads of its own.
 */
#ifndef TORRE_PUBLIC_PARTICLES_H
#define TORRE_PUBLIC_PARTICLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "torre/ordering.h"
#include "torre/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum torre_md_precision {
    TORRE_MD_F32,
    TORRE_MD_F64,
    TORRE_MD_MIXED /* positions, velocities and force sums f64, the arithmetic of a pair f32, on
                      separations that are as exact far from the origin as near it; f32 alone
                      resolves 2^-24 of the box */
} torre_md_precision;

/* Constant energy, a thermostat, or no dynamics but the way to a minimum of the energy. */
typedef enum torre_md_ensemble {
    TORRE_NVE,
    TORRE_LANGEVIN,    /* friction and noise after each step */
    TORRE_BERENDSEN,   /* velocities relax; not canonical */
    TORRE_BAOAB,       /* friction and noise in the middle of each step */
    TORRE_BUSSI,       /* stochastic velocity rescaling */
    TORRE_NOSE_HOOVER, /* a chain of three thermostats */
    TORRE_FIRE,        /* minimisation from rest, whatever the velocities */
    TORRE_NPT          /* constant pressure: a barostat, and chains of three thermostats on it and
                          on the particles */
} torre_md_ensemble;

/* What a barostat changes of the box. */
typedef enum torre_md_pressure_axes {
    TORRE_PRESSURE_ISOTROPIC, /* its volume */
    TORRE_PRESSURE_AXES       /* each edge, by the pressure along it */
} torre_md_pressure_axes;

/*
 * Lennard-Jones particles, V(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) below the cutoff; lengths
 * in sigma, energies in epsilon, masses in that of a particle, k_B = 1. Zero means what stands in
 * brackets.
 */
typedef struct torre_lj {
    const char *input; /* start from this file (LAMMPS data or dump, extended XYZ, also .gz) ... */
    int64_t count;     /* ... or, above 0, from so many particles of the caller's, not needed
                          afterwards, in a box of these edges */
    const double *position[3]; /* [axis][id], 0 <= r < edge */
    const double *velocity[3]; /* [axis][id]; NULL for each axis: of the temperature */
    double box[3];
    int64_t cells[3];   /* ... or, without both, from unit cells of a face-centred cubic lattice, 4
                         particles each, >= 1 */
    double density;     /* particles per volume of the lattice, > 0 [0.8442] */
    double temperature; /* of velocities that are not given, and of a thermostat, >= 0 */
    uint64_t seed;      /* of velocities and thermostat */
    double epsilon, sigma, cutoff; /* > 0 [1, 1, 2.5]; edges of the box >= 2 (cutoff + skin) */
    bool shift;                    /* shift the energy to zero at the cutoff */
    double dt;                     /* > 0 [0.005] */
    torre_md_ensemble ensemble;    /* constant energy, or a thermostat ... */
    double damping_time;           /* ... with this time, > 0 [1] */
    int64_t couple_every;          /* steps from one time that barostats, and thermostats that scale
                                      all velocities, act to the next, >= 1 [up to 10, within
                                      damping_time / 20, pressure_damping / 40] */
    double pressure;               /* of TORRE_NPT, of the forces: without a tail correction */
    double pressure_damping;       /* time of its barostat, at least 10 dt [1] */
    torre_md_pressure_axes pressure_axes;
    torre_md_precision precision;
} torre_lj;

/* Volume (area) of spheres (discs) over that of the room they have: what no packing exceeds. */
#define TORRE_GRANULAR_PACKING_3D 0.7404804896930611 /* pi / sqrt(18) */
#define TORRE_GRANULAR_PACKING_2D 0.9068996821171089 /* pi / sqrt(12) */

/*
 * A granular gas: spheres (discs) that push each other apart with a spring and a dashpot while they
 * touch, between periodic sides or walls across the last axis. Lengths, masses and times in any
 * consistent units.
 */
typedef enum torre_granular_gas {
    TORRE_GRANULAR_INELASTIC,
    TORRE_GRANULAR_ELASTIC, /* e = 1 whatever is asked for */
    TORRE_GRANULAR_IDEAL    /* particles do not collide with each other */
} torre_granular_gas;

typedef enum torre_granular_sizes {
    TORRE_GRANULAR_ONE_SIZE,
    TORRE_GRANULAR_TWO_SIZES,    /* half of the particles are of the smallest diameter */
    TORRE_GRANULAR_UNIFORM_SIZES /* diameters are spread evenly between the two */
} torre_granular_sizes;

typedef struct torre_granular {
    int dimensions; /* 2 or 3 */
    double size[3]; /* periodic edges, and the room between the walls along the last axis; size[2]
                       counts in three dimensions only; > 0 */
    double diameter, mass, stiffness; /* of the spring (Hertzian: force over length^1.5); > 0 */
    bool hertz;                       /* Hertzian springs; linear ones otherwise */
    torre_granular_gas gas;
    double restitution; /* between particles, 0 < e <= 1 */
    bool walls;
    double wall_restitution;                 /* between particles and walls, 0 < e <= 1 */
    double shake_amplitude, shake_frequency; /* of the walls, A sin(2 pi f t); >= 0 */
    double gravity;     /* towards smaller coordinates of the last axis; >= 0 */
    double filling;     /* volume (area) fraction between the walls, above 0, below close packing */
    double temperature; /* at the start: mean square of the velocity along an axis, >= 0 */
    uint64_t seed;
    int64_t sweeps; /* of hard-sphere moves that melt the lattice of the start, >= 0 */
    /* Rough grains, as soon as one of these is not 0: they spin, and contacts remember how far they
     * have slid. Not on half lists, and not of an ideal gas. */
    double friction, wall_friction; /* Coulomb's, of particles and of particle and wall; >= 0 */
    double rolling_friction;        /* couple over normal force and reduced radius, >= 0 */
    double tangential_stiffness;    /* of the spring across a contact over that along it (Hertzian:
                                       over its slope), > 0 [2/7] */
    double tangential_restitution;  /* of a slow oblique impact that sticks, 0 < e <= 1 [0.44] */
    bool side_walls;                /* walls across the other axes, too, at rest; need walls */
    torre_granular_sizes sizes;     /* of the particles ... */
    double size_ratio;              /* ... and the smallest diameter over `diameter`, the largest,
                                       which is that of `mass`; 0.25 to 1 */
    double incline;                 /* gravity is turned so far towards +x, degrees, 0 to 90 */
} torre_granular;

/* How pairs are found. */
typedef enum torre_neighbor {
    TORRE_NEIGHBOR_AUTO,
    TORRE_NEIGHBOR_FULL, /* Verlet lists, each pair in both lists */
    TORRE_NEIGHBOR_HALF, /* Verlet lists, each pair in one list */
    TORRE_NEIGHBOR_TILE  /* no lists: a tile of bins and its halo are swept */
} torre_neighbor;

/* Which bins around a bin are searched, for bins smaller than cutoff + skin. */
typedef enum torre_bin_stencil {
    TORRE_STENCIL_AUTO,
    TORRE_STENCIL_BLOCK,    /* the (2g+1)^3 block */
    TORRE_STENCIL_SPHERICAL /* those of them nearer than cutoff + skin */
} torre_bin_stencil;

#define TORRE_MD_NEVER    (-1) /* sort_every: storage stays in the order of the ids */
#define TORRE_MD_MEASURED (-2) /* sort_every: what is found to cost least on the way; cpu */

/* How it is to be computed. Zero means: choose for me. */
typedef struct torre_md_plan {
    torre_neighbor neighbor;
    double skin;                  /* lists and bins reach cutoff + skin; > 0 */
    int64_t rebuild_every;        /* steps between rebuilds of the lists (LAMMPS: every); 0: 1,
                                     with a check, so that no pair is ever missed */
    bool rebuild_check;           /* at these steps, rebuild only when a particle is further than
                                     skin/2 from where the last rebuild expected it half-way to
                                     the next one */
    torre_ordering_spec ordering; /* of bins, or of tiles of bins */
    int64_t sort_every;           /* steps between sorts of the storage by bin, rounded up to a
                                     rebuild; TORRE_MD_NEVER, TORRE_MD_MEASURED */
    double bin_size;              /* least edge of a bin; > 0 */
    torre_bin_stencil bin_stencil;
    bool deterministic; /* same input, same bits, whatever the threads */
    int threads;        /* cpu */
    int device;         /* cuda: GPU; above 0, "auto" takes no other backend */
    int block;          /* cuda: threads of a block */
    /* GPUs of this machine that share the particles, "0,1" or "all"; NULL: one, `device`. Not with
     * {backend} cpu, nor of a fluid, of rough grains, or of an {ensemble} other than nve. */
    const char *devices;
} torre_md_plan;

/* What a solver will be and need. */
typedef struct torre_md_info {
    torre_md_plan plan;   /* with every "choose for me" filled in */
    char kernel[128];     /* what computes, and its shape */
    char why[256];        /* choices that were left open and the reasons for them, in words */
    char device[128];     /* "8 x AMD EPYC ... (avx512)", "NVIDIA H200" */
    int64_t bins[3];      /* bins of each axis; 0 where there are none */
    int64_t memory_bytes; /* of particles, bins and lists */
    int64_t list_bytes;   /* of these, an estimate: of lists that are made as the run goes on; 0 on
                             a GPU, which has room for lists from the start, and takes more where
                             particles crowd */
} torre_md_info;

/* A row of the thermo table; energies per particle, as LAMMPS prints them in lj units. */
typedef struct torre_md_thermo {
    int64_t step;
    double temperature; /* 2 K / (3N - 3); 2N - 2 in a plane */
    double pair_energy; /* E_pair */
    double total_energy;
    double pressure;       /* (N T + W/3) / V, with T over 3N - 3 degrees of freedom; in a plane
                              (N T + W/2) over its area */
    double shifted_energy; /* total, on the energy continuous at the cutoff */
    double momentum[3];    /* sum m v, not per particle */
    double contacts;       /* pairs inside the cutoff, not per particle */
    double lost;           /* energy dissipated */
    double conserved;      /* shifted_energy and what thermostat and barostat have taken */
    double force;          /* of a minimisation: root mean square of the force on a particle */
    double box[3];         /* its edges */
} torre_md_thermo;

/* Particles and their run. */
typedef struct torre_particles torre_particles;

/*
 * Make the particles of a system, at rest or with the velocities of its temperature. The system is
 * copied. *particles is to be freed with torre_particles_free, and is set on success alone.
 * TORRE_ERR_USAGE names the parameter and its legal range; TORRE_ERR_INPUT file and line;
 * TORRE_ERR_UNSTABLE a time step of more than a twentieth of the contact time (dt 0: a fiftieth).
 */
torre_status torre_particles_lj(const torre_lj *system, torre_particles **particles);
torre_status torre_particles_granular(const torre_granular *system, double dt,
                                      torre_md_precision precision, torre_particles **particles);

/* How many there are, and the edges of their box, which TORRE_NPT changes. */
int64_t torre_particles_count(const torre_particles *particles);
void torre_particles_box(const torre_particles *particles, double box[3]);

/*
 * Find the backend ("auto", "cpu", "cuda", "reference"), plan (NULL: everything is chosen; a skin
 * of 0 is 0.3 sigma or a tenth of a diameter, in a plane gas it cannot be more), allocate, and
 * compute forces and the row of step 0. Once. TORRE_ERR_USAGE for what backend or plan cannot do,
 * TORRE_ERR_RESOURCE for no memory.
 */
torre_status torre_particles_start(torre_particles *particles, const char *backend,
                                   const torre_md_plan *plan);

/* What the caller wants on the way. Everything optional; zero means no. */
typedef struct torre_particles_watch {
    int64_t every; /* call frame, and compute a row, whenever step is a multiple of this */
    torre_status (*frame)(void *context, torre_particles *particles); /* a failure ends the run */
    bool (*stop)(void *context); /* asked a few times a second; true ends the run cleanly */
    void *context;
} torre_particles_watch;

/*
 * Advance by steps (>= 0), after start. TORRE_ERR_UNSTABLE with step and particle when numbers stop
 * being finite. When watch (may be NULL) asks to stop, TORRE_OK with torre_particles_step short.
 */
torre_status torre_particles_advance(torre_particles *particles, int64_t steps,
                                     const torre_particles_watch *watch);

/* Steps done. */
int64_t torre_particles_step(const torre_particles *particles);

/* The last row of the thermo table, NULL before start. Valid until the next call of advance. */
const torre_md_thermo *torre_particles_row(const torre_particles *particles);

/* What start chose: plan, device, bins, memory. NULL before start. */
const torre_md_info *torre_particles_info(const torre_particles *particles);

/* Particles times steps per second of the time loop so far; 0 before the first. */
double torre_particles_rate(const torre_particles *particles);

/* Copy the present positions (wrapped into the box) and velocities into the caller's arrays. */
torre_status torre_particles_get(torre_particles *particles, double *const position[3],
                                 double *const velocity[3]);

/*
 * Copy the radii and present angular velocities of rough grains into the caller's arrays, in ids'
 * order; NULL (all, or of an axis): not wanted. TORRE_ERR_USAGE where particles do not spin.
 */
torre_status torre_particles_get_grains(torre_particles *particles, double *radius,
                                        double *const spin[3]);

/*
 * Write the present state, by the ending of path: .data (LAMMPS data), .dump or .lammpstrj (LAMMPS
 * dump), .xyz or .extxyz (extended XYZ), each also .gz but for .data, .png (a picture). The file is
 * complete or not there: TORRE_ERR_INPUT.
 */
torre_status torre_particles_save(torre_particles *particles, const char *path);

/* Free everything. NULL is fine. */
void torre_particles_free(torre_particles *particles);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
