/*
 * Lennard-Jones particles on libtorre: a crystal melts, and its energy stays what it was.
 *
 *     cc hello_melt.c $(pkg-config --cflags --libs torre) -o hello_melt
 *     ./hello_melt melt.png
 */
#include <stdio.h>
#include <torre/torre.h>

/* A row of the table, each time the run has one. */
static torre_status tell(void *context, torre_particles *particles)
{
    (void)context;
    const torre_md_thermo *row = torre_particles_row(particles);
    printf("%6lld  temperature %.4f  energy %.5f\n", (long long)row->step, row->temperature,
           row->total_energy);
    return TORRE_OK;
}

int main(int argc, char **argv)
{
    const torre_lj melt = {.cells = {8, 8, 8},
                           .density = 0.8442,
                           .temperature = 1.44,
                           .seed = 87287,
                           .cutoff = 2.5,
                           .dt = 0.005,
                           .precision = TORRE_MD_F64};
    const torre_particles_watch watch = {.every = 20, .frame = tell};
    torre_particles *particles = NULL;

    torre_status status = torre_particles_lj(&melt, &particles);
    if (!status) status = torre_particles_start(particles, "auto", NULL);
    if (!status) status = torre_particles_advance(particles, 100, &watch);
    if (!status && argc > 1) status = torre_particles_save(particles, argv[1]);
    if (!status)
        printf("%lld particles on %s\n", (long long)torre_particles_count(particles),
               torre_particles_info(particles)->device);
    if (status) fprintf(stderr, "hello_melt: %s\n", torre_error_text());
    torre_particles_free(particles);
    return (int)status;
}
