/* Particle files: what is written reads back, and what is wrong is refused with its line. */
#include "md_case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/particle_file.h"

static const char *temporary(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "torre_particles_%d_%s", (int)getpid(), name);
    return path;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", path);
}

static void test_data_round_trip(void **state)
{
    (void)state;
    const char *const names[] = {"round.data", "round.data.gz"};
    for (int k = 0; k < 2; k++) {
        const char *path = temporary(names[k]);
        md_case c = md_case_rough(4, 5, 6, 0.3, TORRE_MD_F64);
        c.particles.mass = 1.7;
        torre_md_particles back;
        torre_particle_source source;
        CHECK_OK(torre_lammps_data_write(path, &c.particles));
        CHECK_OK(torre_particle_file_read(path, &back, &source));
        unlink(path);
        CHECK(source.has_velocities && back.count == c.particles.count && back.mass == 1.7,
              "%lld particles", (long long)back.count);
        for (int a = 0; a < 3; a++) {
            size_t bytes = (size_t)back.count * sizeof(double);
            CHECK(back.box[a] == c.particles.box[a], "box %.17g", back.box[a]);
            CHECK(memcmp(back.position[a], c.particles.position[a], bytes) == 0, "positions");
            CHECK(memcmp(back.velocity[a], c.particles.velocity[a], bytes) == 0, "velocities");
        }
        torre_md_particles_free(&back);
        md_case_free(&c);
    }
}

static void test_trajectory(void **state)
{
    (void)state;
    const char *path = temporary("frames.xyz.gz");
    md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
    torre_trajectory *trajectory;
    torre_md_particles back;
    torre_particle_source source;
    CHECK_OK(torre_trajectory_open(path, &trajectory));
    torre_trajectory_frame(trajectory, 0, 0, &c.particles);
    torre_trajectory_frame(trajectory, 10, 0.05, &c.particles);
    CHECK_OK(torre_trajectory_commit(trajectory));
    CHECK_OK(torre_particle_file_read(path, &back, &source)); /* the first frame */
    unlink(path);
    CHECK(back.count == c.particles.count && source.has_velocities, "count");
    double difference = md_case_difference(&back, &c.particles);
    CHECK(difference < 1e-8, "nine digits: differs by %g", difference);
    torre_md_particles_free(&back);
    md_case_free(&c);
}

#define HEADER "comment\n2 atoms\n1 atom types\n0 5 xlo xhi\n-1 4 ylo yhi\n0 5 zlo zhi\n\n"
#define ATOMS  "Atoms # atomic\n\n2 1 1 1 1\n1 1 2 -0.5 3 0 0 1\n"

static void test_data_accepted(void **state)
{
    (void)state;
    const char *path = temporary("small.data");
    torre_md_particles p;
    torre_particle_source source;
    write_text(path, HEADER ATOMS);
    CHECK_OK(torre_particle_file_read(path, &p, &source));
    CHECK(p.count == 2 && !source.has_velocities && source.origin[1] == -1, "read wrongly");
    CHECK(p.position[0][0] == 2 && p.position[1][0] == 0.5 && p.position[1][1] == 2, "positions");
    torre_md_particles_free(&p);
    unlink(path);
}

static void refused(const char *text, const char *word)
{
    const char *path = temporary("bad.data");
    torre_md_particles p;
    torre_particle_source source;
    write_text(path, text);
    torre_status status = torre_particle_file_read(path, &p, &source);
    unlink(path);
    CHECK(status == TORRE_ERR_INPUT || status == TORRE_ERR_RESOURCE, "accepted: %s", text);
    CHECK(strstr(torre_error_text(), word), "\"%s\" does not say %s", torre_error_text(), word);
    CHECK(!p.position[0], "particles left behind");
}

static void test_refused(void **state)
{
    (void)state;
    torre_md_particles p;
    torre_particle_source source;
    torre_status status = torre_particle_file_read("no/such/file", &p, &source);
    CHECK(status == TORRE_ERR_INPUT, "status %d", (int)status);
    refused("", "empty");
    refused("hello\n", "Atoms");
    refused("c\n0 atoms\n", ":2");
    refused("c\n-3 atoms\n", ":2");
    refused("c\n2 atoms\n2 atom types\n", "type");
    refused("c\n2 atoms\n1 atom types\n0 5 xlo xhi\n0 5 ylo yhi\nAtoms\n", "along z");
    refused("c\n2 atoms\n5 0 xlo xhi\n", ":3");
    refused(HEADER, "Atoms");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n", "1 of 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n1 1 2 2 2\n", "twice");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n3 1 2 2 2\n", "1 to 2");
    refused(HEADER "Atoms\n\n1 2 1 1 1\n2 1 2 2 2\n", "type");
    refused(HEADER "Atoms\n\n1 1 1 1 5.1\n2 1 2 2 2\n", "outside");
    refused(HEADER "Atoms\n\n1 1 1 1 nan\n2 1 2 2 2\n", "number");
    refused(HEADER "Atoms\n\n1 1 1 1\n2 1 2 2 2\n", "id type x y z");
    refused(HEADER ATOMS "Velocities\n\n1 0 0 0\n", "1 of 2");
    refused(HEADER ATOMS "Bonds\n\n1 1 1 2\n", "Bonds");
    refused(
        "c\n999999999999999 atoms\n1 atom types\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\nAtoms\n",
        "memory");
    refused("2\nno lattice\n", "Lattice");
    refused("2\n", "ends");
    refused("0\nLattice=\"5 0 0 0 5 0 0 0 5\"\n", "at least one");
    refused("1\nLattice=\"5 1 0 0 5 0 0 0 5\"\nX 1 1 1\n", "orthogonal");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0\"\nX 1 1 1\n", "nine");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0 5\" Properties=species:S:1\nX\n", "pos");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0 5\" Properties=pos:R\n1 1 1\n", "Properties");
    refused("2\nLattice=\"5 0 0 0 5 0 0 0 5\"\nX 1 1 1\n", "1 of 2");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0 5\"\nX 1 1\n", "columns");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0 5\"\nX 1 1 9\n", "outside");
}

static void test_damaged_gzip(void **state)
{
    (void)state;
    const char *path = temporary("cut.data.gz");
    md_case c = md_case_melt(6, 6, 6, TORRE_MD_F64);
    torre_md_particles p;
    torre_particle_source source;
    CHECK_OK(torre_lammps_data_write(path, &c.particles));
    CHECK(truncate(path, 20000) == 0, "truncate");
    torre_status status = torre_particle_file_read(path, &p, &source);
    unlink(path);
    CHECK(status == TORRE_ERR_INPUT, "status %d", (int)status);
    md_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_round_trip), cmocka_unit_test(test_trajectory),
        cmocka_unit_test(test_data_accepted),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
