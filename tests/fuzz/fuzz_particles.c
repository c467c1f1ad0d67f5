/* Particles: LAMMPS data, LAMMPS dumps, extended XYZ, plain or gzip. */
#include <math.h>

#include "fuzz.h"
#include "io/particle_file.h"

static void read_once(const char *path, const torre_particle_wish *wish)
{
    torre_md_particles p;
    torre_particle_source source;
    if (torre_particle_file_read(path, wish, &p, &source)) return;
    FUZZ_CHECK(p.count >= 1 && isfinite(p.mass) && p.mass > 0);
    for (int a = 0; a < 3; a++) {
        const double edge = p.box[a];
        FUZZ_CHECK(isfinite(edge) && edge > 0 && isfinite(source.origin[a]));
        for (int64_t i = 0; i < p.count; i++) {
            const double x = p.position[a][i];
            FUZZ_CHECK(x >= 0 && (x < edge || (wish->wall[a] && x == edge)));
            FUZZ_CHECK(isfinite(p.velocity[a][i]));
        }
    }
    torre_md_particles_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("atoms", data, size);
    read_once(path, &(torre_particle_wish){.frame = -1});
    read_once(path, &(torre_particle_wish){.frame = 1, .wall = {false, true, true}});
    return 0;
}
