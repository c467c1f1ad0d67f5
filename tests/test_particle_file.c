/* Particle files: what is written reads back, and what is wrong is refused with its line. */
#include "md_case_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/particle_file.h"
#include "io/sink.h"

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

static const torre_particle_about plain = {.units = "lj"};
static const torre_particle_wish last = {.frame = -1}, walled = {.frame = -1, .wall[2] = true};

/* Box, positions (in the box) and velocities to the bit. */
static void same(const torre_md_particles *back, const torre_md_particles *p, double slack)
{
    CHECK(back->count == p->count, "%lld particles", (long long)back->count);
    for (int a = 0; a < 3; a++) {
        CHECK(fabs(back->box[a] - p->box[a]) <= slack, "box %.17g", back->box[a]);
        for (int64_t i = 0; i < p->count; i++) {
            double r = fabs(back->position[a][i] - p->position[a][i]);
            CHECK(fmin(r, p->box[a] - r) <= slack, "position %.17g, not %.17g",
                  back->position[a][i], p->position[a][i]);
            CHECK(fabs(back->velocity[a][i] - p->velocity[a][i]) <= slack, "velocity");
        }
    }
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
        CHECK_OK(torre_lammps_data_write(path, &plain, &c.particles));
        CHECK_OK(torre_particle_file_read(path, &last, &back, &source));
        unlink(path);
        CHECK(source.has_velocities && back.mass == 1.7 && source.mass == 1.7 &&
                  source.diameter == 0 && strcmp(source.units, "lj") == 0,
              "mass %g, units %s", back.mass, source.units);
        same(&back, &c.particles, 0);
        torre_md_particles_free(&back);
        md_case_free(&c);
    }
}

/* Spheres in a box that begins elsewhere: mass = density pi/6 d^3, four roundings; positions lose
 * what adding and subtracting the origin, up to 16, rounds away. */
static void test_spheres_round_trip(void **state)
{
    (void)state;
    const torre_particle_about about = {.units = "si", .origin = {-3, 11, 0.1}, .diameter = 0.75};
    const char *path = temporary("spheres.data");
    md_case c = md_case_rough(4, 4, 4, 0.3, TORRE_MD_F64);
    c.particles.mass = 1.3e-6;
    torre_md_particles back;
    torre_particle_source source;
    CHECK_OK(torre_lammps_data_write(path, &about, &c.particles));
    CHECK_OK(torre_particle_file_read(path, &last, &back, &source));
    unlink(path);
    CHECK(source.diameter == 0.75 && fabs(back.mass / 1.3e-6 - 1) < 4 * 2.3e-16, "mass %.17g",
          back.mass);
    CHECK(source.origin[0] == -3 && source.origin[1] == 11 && strcmp(source.units, "si") == 0,
          "origin %g, units %s", source.origin[0], source.units);
    same(&back, &c.particles, 2 * 16 * 2.3e-16);
    torre_md_particles_free(&back);
    md_case_free(&c);
}

/*
 * Grains of several sizes that spin read back from every format, radii, spins and mass to the
 * digits written. Data says a density, of which mass comes with four roundings.
 */
static void test_grains_round_trip(void **state)
{
    (void)state;
    const char *const names[] = {"grains.data", "grains.dump", "grains.xyz.gz"};
    for (int k = 0; k < 3; k++) {
        const char *path = temporary(names[k]);
        const double slack = k == 0 ? 1e-15 : 0.5e-8;
        md_case c = md_case_rough(3, 3, 3, 0.3, TORRE_MD_F64);
        c.particles.mass = 1.3e-6;
        CHECK_OK(torre_md_particles_add_grains(&c.particles, 0.25));
        for (int64_t i = 0; i < c.particles.count; i++) {
            c.particles.radius[i] = i == 5 ? 0.25 : 0.1 + 0.001 * (double)i;
            for (int a = 0; a < 3; a++) c.particles.spin[a][i] = (double)(i % 7) - a;
        }
        const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES,
                                      .series = k > 0,
                                      .particles = {.about = {.units = "si", .diameter = 0.5}}};
        const torre_frame frame = {.particles = &c.particles};
        const torre_particle_wish wish = {.frame = -1, .grains = true};
        const torre_sink_format *format;
        torre_particle_source source;
        torre_md_particles back;
        CHECK_OK(torre_sink_choose("dump", path, data.kind, data.series, &format));
        CHECK_OK(torre_sink_write(format, &data, path, &frame));
        CHECK_OK(torre_particle_file_read(path, &wish, &back, &source));
        unlink(path);
        CHECK(fabs(source.diameter - 0.5) <= slack && fabs(back.mass / 1.3e-6 - 1) <= slack,
              "diameter %.17g, mass %.17g", source.diameter, back.mass);
        CHECK(back.radius && back.spin[0] && back.largest == source.diameter / 2, "largest %g",
              back.largest);
        for (int64_t i = 0; i < back.count; i++) {
            CHECK(fabs(back.radius[i] / c.particles.radius[i] - 1) <= slack, "radius %.17g",
                  back.radius[i]);
            for (int a = 0; a < 3; a++)
                CHECK(back.spin[a][i] == c.particles.spin[a][i], "spin %.17g", back.spin[a][i]);
        }
        torre_md_particles_free(&back);
        md_case_free(&c);
    }
}

/* Three frames, the particles a little further in each; nine digits of numbers up to 16. */
static void test_trajectory(void **state)
{
    (void)state;
    const char *const names[] = {"f.xyz", "f.extxyz.gz", "f.dump", "f.lammpstrj.gz"};
    const char *const closed[] = {"not periodic along x", "not periodic along y",
                                  "not periodic along z"};
    const double slack = 16 * 0.5e-8;
    for (int n = 0; n < 12; n++) { /* every format with walls across every axis */
        const char *path = temporary(names[n % 4]);
        md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
        double *energy = calloc((size_t)c.particles.count, sizeof *energy);
        const double *const values[] = {energy};
        const torre_sink_data data = {
            .kind = TORRE_SINK_PARTICLES,
            .series = true,
            .particles = {.about = {.units = "lj",
                                    .origin = {1, -2, 0},
                                    .wall = {n % 3 == 0, n % 3 == 1, n % 3 == 2},
                                    .diameter = 1.25},
                          .columns = 1,
                          .column = {"energy"}}};
        const torre_sink_format *format;
        torre_sink *sink;
        c.particles.mass = 2.5;
        CHECK_OK(torre_sink_choose("dump", path, data.kind, true, &format));
        CHECK_OK(torre_sink_open(format, &data, path, &sink));
        for (int frame = 0; frame < 3; frame++) {
            for (int64_t i = 0; i < c.particles.count; i++) c.particles.velocity[0][i] = frame;
            CHECK_OK(torre_sink_frame(sink, &(torre_frame){.step = 10 * frame,
                                                           .time = 0.05 * frame,
                                                           .particles = &c.particles,
                                                           .column = values}));
        }
        CHECK_OK(torre_sink_finish(&sink, TORRE_OK));
        for (int frame = -1; frame < 3; frame++) {
            torre_particle_wish wish = {.frame = frame,
                                        .wall = {n % 3 == 0, n % 3 == 1, n % 3 == 2}};
            torre_md_particles back;
            torre_particle_source source;
            CHECK_OK(torre_particle_file_read(path, &wish, &back, &source));
            for (int64_t i = 0; i < c.particles.count; i++)
                c.particles.velocity[0][i] = frame < 0 ? 2 : frame;
            same(&back, &c.particles, slack);
            CHECK(source.diameter == 1.25 && back.mass == 2.5 && source.origin[1] == -2,
                  "diameter %g, mass %g, origin %g", source.diameter, back.mass, source.origin[1]);
            torre_md_particles_free(&back);
        }
        torre_md_particles back;
        torre_particle_source source;
        torre_particle_wish wish = {.frame = 3, .wall = {n % 3 == 0, n % 3 == 1, n % 3 == 2}};
        CHECK(torre_particle_file_read(path, &wish, &back, &source) == TORRE_ERR_INPUT &&
                  strstr(torre_error_text(), "has 3 frames, frame 0 to 2 or last (got 3)"),
              "%s", torre_error_text());
        CHECK(torre_particle_file_read(path, &last, &back, &source) == TORRE_ERR_INPUT &&
                  strstr(torre_error_text(), closed[n % 3]),
              "%s", torre_error_text());
        unlink(path);
        free(energy);
        md_case_free(&c);
    }
}

static void test_trajectory_names(void **state)
{
    (void)state;
    const char *const bad[] = {"x.vtk", "x", ".xyz", "a/.dump", "x.gz", "x.xyz.bz2", "xyz"};
    const torre_sink_format *format;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        CHECK(torre_sink_choose("dump", bad[k], TORRE_SINK_PARTICLES, true, &format) ==
                  TORRE_ERR_USAGE,
              "%s accepted", bad[k]);
        CHECK(strstr(torre_error_text(), ".dump, .lammpstrj, .xyz or .extxyz, each also with .gz"),
              "%s", torre_error_text());
    }
    CHECK_OK(torre_sink_choose("dump", "/dev/null", TORRE_SINK_PARTICLES, true, &format));
    CHECK(format == torre_sink_by_name("lammps-dump"), "a device is another format");
}

/* What a text says, as the particles that come of it. */
typedef struct reading {
    torre_md_particles p;
    torre_particle_source source;
} reading;

static reading read_text(const char *text, const torre_particle_wish *wish)
{
    reading r;
    const char *path = temporary("text");
    write_text(path, text);
    torre_status status = torre_particle_file_read(path, wish, &r.p, &r.source);
    unlink(path);
    CHECK(!status, "%s\n%s", torre_error_text(), text);
    return r;
}

#define BOX    "0 5 xlo xhi\n-1 4 ylo yhi\n0 5 zlo zhi\n\n"
#define HEADER "comment\n2 atoms\n1 atom types\n" BOX
#define ATOMS  "Atoms # atomic\n\n2 1 1 1 1\n1 1 2 -0.5 3 0 0 1\n"

/* Particle 0 at (2, 0.5, 3), particle 1 at (1, 2, 1), counted from the corner of the box. */
static void expect_two(reading r, bool velocities)
{
    CHECK(r.p.count == 2 && r.source.has_velocities == velocities && r.source.origin[1] == -1,
          "velocities %d", r.source.has_velocities);
    const double at[2][3] = {{2, 0.5, 3}, {1, 2, 1}}, v[2][3] = {{1, -2, 3}, {0.5, 0, -0.25}};
    for (int i = 0; i < 2; i++)
        for (int a = 0; a < 3; a++) {
            CHECK(r.p.position[a][i] == at[i][a], "position %d %d: %.17g", i, a,
                  r.p.position[a][i]);
            CHECK(r.p.velocity[a][i] == (velocities ? v[i][a] : 0), "velocity %d %d: %.17g", i, a,
                  r.p.velocity[a][i]);
        }
    torre_md_particles_free(&r.p);
}

#define VELOCITIES "\nVelocities\n\n1 1 -2 3\n2 0.5 0 -0.25\n"

static void test_data_accepted(void **state)
{
    (void)state;
    expect_two(read_text(HEADER ATOMS, &last), false);
    expect_two(read_text(HEADER ATOMS VELOCITIES, &last), true);
    expect_two(read_text(HEADER "Atoms\n\n2 1 1 1 1\n1 1 2 -0.5 3\n", &last), false);
    expect_two(read_text(HEADER
                         "Atoms # charge\n\n2 1 0 1 1 1 0 0 0\n1 1 0.0 2 -0.5 3 0 0 1\n" VELOCITIES,
                         &last),
               true);
    expect_two(read_text(HEADER "Atoms  # full\n\n2 7 1 0 1 1 1\n1 7 1 0 2 -0.5 3\n", &last),
               false);
    expect_two(read_text(HEADER "Atoms # molecular\n\n2 7 1 1 1 1\n1 7 1 2 -0.5 3\n", &last),
               false);
    const char *const general[] = {"5 0 0 avec\n0 5 0 bvec\n0 0 5 cvec\n0 -1 0 abc origin\n",
                                   "0 -1 0 abc origin\n0 0 5 cvec\n5 0 0 avec\n0 5 0 bvec\n"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        snprintf(text, sizeof text, "OVITO\n\n2 atoms\n1 atom types\n\n%s\n%s", general[k], ATOMS);
        expect_two(read_text(text, &last), false);
    }
    reading r = read_text(HEADER "Atoms # sphere\n\n2 1 0 1.5 1 1 1\n1 1 0.0 1.50 2 -0.5 3\n"
                                 "\nVelocities # sphere\n\n1 1 -2 3 0 0 0\n2 0.5 0 -0.25 0 0 0\n",
                          &last);
    CHECK(r.p.mass == 1.5 && r.source.diameter == 0, "a point of density 1.5: mass %g", r.p.mass);
    expect_two(r, true);
}

/* Everything that LAMMPS 29 Sep 2021 writes by write_data, with and without "pair ij". */
static void test_write_data(void **state)
{
    (void)state;
    const char *const pair[] = {"Pair Coeffs # lj/cut\n\n1 1.25 0.9\n",
                                "PairIJ Coeffs # lj/cut/opt\n\n1 1 1.25 0.9 2.4\n"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "LAMMPS data file via write_data, version 29 Sep 2021, timestep = 30, units = "
                 "lj\n\n2 atoms\n1 atom types\n\n" BOX "Masses\n\n1 1.5\n\n%s\n%s%s",
                 pair[k], ATOMS, VELOCITIES);
        reading r = read_text(text, &last);
        const torre_particle_source *s = &r.source;
        CHECK(s->has_pair && s->between[0][0].epsilon == 1.25 && s->between[0][0].sigma == 0.9 &&
                  s->between[0][0].cutoff == (k ? 2.4 : 0),
              "epsilon %g, sigma %g, cutoff %g", s->between[0][0].epsilon, s->between[0][0].sigma,
              s->between[0][0].cutoff);
        CHECK(r.p.mass == 1.5 && s->mass == 1.5 && strcmp(s->units, "lj") == 0, "mass, units");
        expect_two(r, true);
    }
}

#define DUMP(boundary, names)                                                                      \
    "ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS" boundary                       \
    "\n0 5\n-1 4\n0 5\nITEM: ATOMS " names "\n"

static void test_dump_accepted(void **state)
{
    (void)state;
    expect_two(read_text(DUMP(" pp pp pp", "id type x y z") "2 1 1 1 1\n1 1 2 -0.5 3\n", &last),
               false);
    expect_two(read_text(DUMP("", "id type xs ys zs vx vy vz fx") "2 1 0.2 0.4 0.2 0.5 0 -0.25 "
                                                                  "9\n1 1 0.4 0.1 0.6 1 -2 3 9\n",
                         &last),
               true);
    expect_two(read_text(DUMP(" xy xz yz pp pp pp",
                              "xu yu zu element mass") "7 4.5 -2 Ar 4\n-4 6 11 Ar 4\n",
                         &last),
               false);
    expect_two(
        read_text("ITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS xy xz yz pp pp pp\n0 5 0\n-1 4 "
                  "0.0\n0 5 0\nITEM: ATOMS x y z\n2 -0.5 3\n1 1 1\n",
                  &last),
        false);
    expect_two(
        read_text(DUMP(" pp pp ff", "id x y z q ix iy iz") "1 2 -0.5 3 0 1 1 1\n2 1 1 1 0 0 0 0\n",
                  &walled),
        false);
    expect_two(
        read_text(
            "ITEM: UNITS\nlj\nITEM: TIME\n0.5\n" DUMP(" pp pp pp", "x y z") "4 1 1\n1 1 1\n" DUMP(
                " pp pp pp", "x y z") "2 -0.5 3\n1 1 1\n\n",
            &last),
        false);
    expect_two(read_text("ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS abc origin "
                         "pp pp pp\n5 0 0 0\n0 5 0 -1\n0 0 5 0\nITEM: ATOMS x y z\n2 -0.5 3\n"
                         "1 1 1\n",
                         &last),
               false);
    reading r = read_text(
        DUMP(" pp pp pp", "id x y z px py pz mass radius") "1 2 -0.5 3 2 -4 6 2.0 0.25\n2 1 1 1 1 "
                                                           "0 -0.5 2 0.25\n",
        &last);
    CHECK(r.p.mass == 2 && r.source.diameter == 0.5, "mass %g, diameter %g", r.p.mass,
          r.source.diameter);
    expect_two(r, true);
}

#define LATTICE "Lattice=\"5 0 0 0 5 0 0 0 5\""
#define CORNER  "2\n" LATTICE " Origin=\"0 -1 0\" Properties="

static void test_extxyz_accepted(void **state)
{
    (void)state;
    expect_two(read_text(CORNER "species:S:1:pos:R:3 pbc=\"T T T\"\nX 2 -0.5 3\nX 1 1 1\n", &last),
               false);
    expect_two(read_text(CORNER "pos:R:3:Z:I:1:velo:R:3:id:I:1:forces:R:3 pbc=\"1 1 0\"\n"
                                "1 1 1 18 0.5 0 -0.25 2 9 9 9\n2 -0.5 3 18 1 -2 3 1 9 9 9\n",
                         &walled),
               true);
    expect_two(read_text(CORNER "species:S:1:pos:R:3:masses:R:1:momenta:R:3\n"
                                "Ar 2 -0.5 3 4 4 -8 12\nAr 1 1 1 4.0 2 0 -1\n",
                         &last),
               true);
    expect_two(read_text(CORNER "numbers:I:1:pos:R:3\n18 2 -0.5 3\n18 1 1 1\n", &last), false);
    expect_two(read_text(CORNER "masses:R:1:pos:R:3:momenta:R:3\n"
                                "4 2 -0.5 3 4 -8 12\n4.0 1 1 1 2 0 -1\n",
                         &last),
               true);
    reading r = read_text("1\n" LATTICE "\nX 1 2 3\n2\n" LATTICE "\nX 1 2 3\nX 2 2 2\n\n", &last);
    CHECK(r.p.count == 2 && r.p.position[0][1] == 2, "the last frame has two particles");
    torre_md_particles_free(&r.p);
}

/* One particle at z in a box from -1 to 4; walls: refused outside, otherwise put into it. */
static torre_status place(const char *z, const torre_particle_wish *wish, double *position)
{
    char text[256];
    torre_md_particles p;
    torre_particle_source source;
    const char *path = temporary("place");
    snprintf(text, sizeof text, "1\n" LATTICE " Origin=\"0 0 -1\"\nX 1 1 %s\n", z);
    write_text(path, text);
    torre_status status = torre_particle_file_read(path, wish, &p, &source);
    unlink(path);
    if (status) return status;
    *position = p.position[2][0];
    torre_md_particles_free(&p);
    return TORRE_OK;
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double position; /* in the periodic box; < 0: refused there, too */
        bool inside;
    } cases[] = {{"-1", 0, true},
                 {"3.75", 4.75, true},
                 {"4", 0, false},
                 {"4.0625", 0.0625, false}, /* a little more than 1 % of the edge outside */
                 {"-1.0625", 4.9375, false},
                 {"4.0000000009313226", 0x1p-30, false}, /* 2^-30 outside */
                 {"-1.0000000009313226", 5 - 0x1p-30, false},
                 {"-1.0000000000000002", 0, false}, /* rounds to the edge */
                 {"17.5", 3.5, false},
                 {"-27", 4, false},
                 {"5242879", 0, false}, /* 2^20 edges further, as far as it goes */
                 {"5242880", -1, false},
                 {"-5242881", 0, false},
                 {"-5242882", -1, false},
                 {"1e300", -1, false},
                 {"-1e300", -1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double position = -1;
        torre_status status = place(cases[k].text, &last, &position);
        CHECK(status == (cases[k].position < 0 ? TORRE_ERR_INPUT : TORRE_OK) &&
                  position == cases[k].position,
              "z = %s is put at %.17g", cases[k].text, position);
        status = place(cases[k].text, &walled, &position);
        CHECK(!status || strstr(torre_error_text(), "is outside the box, -1 to 4, which has walls"),
              "%s", torre_error_text());
        CHECK(status == (cases[k].inside ? TORRE_OK : TORRE_ERR_INPUT), "z = %s between walls: %d",
              cases[k].text, (int)status);
    }
}

static void refused_by(const torre_particle_wish *wish, const char *text, const char *word)
{
    const char *path = temporary("bad.data");
    torre_md_particles p;
    torre_particle_source source;
    write_text(path, text);
    torre_status status = torre_particle_file_read(path, wish, &p, &source);
    unlink(path);
    CHECK(status == TORRE_ERR_INPUT || status == TORRE_ERR_RESOURCE, "accepted: %s", text);
    CHECK(strstr(torre_error_text(), word), "\"%s\" does not say %s", torre_error_text(), word);
    CHECK(!p.position[0], "particles left behind");
}

static void refused(const char *text, const char *word) { refused_by(&last, text, word); }

/* What grains may be, and what they may not. */
static void test_grains(void **state)
{
    (void)state;
    const torre_particle_wish grains = {.frame = -1, .grains = true};
    reading r = read_text(DUMP(" pp pp pp", "x y z omegaz") "2 -0.5 3 0\n1 1 1 -2\n", &grains);
    CHECK(!r.p.radius && r.p.spin[2][0] == 0 && r.p.spin[2][1] == -2 && r.p.spin[0][1] == 0,
          "spin %g", r.p.spin[2][1]);
    expect_two(r, false);
    r = read_text(DUMP(" pp pp pp", "x y z radius mass omegaz") "2 -0.5 3 0.5 8 0\n1 1 1 0.5 8 0\n",
                  &grains);
    CHECK(!r.p.radius && !r.p.spin[0] && r.source.diameter == 1 && r.p.mass == 8, "mass %g",
          r.p.mass);
    expect_two(r, false);
    r = read_text(DUMP(" pp pp pp", "x y z mass diameter") "2 -0.5 3 1 1\n1 1 1 8 2\n", &grains);
    CHECK(r.p.radius[0] == 0.5 && r.p.radius[1] == 1 && r.p.largest == 1 && r.p.mass == 8,
          "radii %g and %g, mass %g", r.p.radius[0], r.p.radius[1], r.p.mass);
    expect_two(r, false);
    refused_by(&grains, DUMP(" pp pp pp", "x y z mass radius") "1 1 1 1 1\n1 1 2 2 2\n",
               "mass is 2 here; by the density of the grains before it must be 8");
    refused_by(&grains, DUMP(" pp pp pp", "x y z radius") "1 1 1 1\n1 1 2 -2\n", "radius");
    refused_by(&grains, DUMP(" pp pp pp", "x y z angmomz") "1 1 1 1\n1 1 2 0\n",
               "angmomz must be 0");
}

static void test_refused(void **state)
{
    (void)state;
    torre_md_particles p;
    torre_particle_source source;
    torre_status status = torre_particle_file_read("no/such/file", &last, &p, &source);
    CHECK(status == TORRE_ERR_INPUT, "status %d", (int)status);
    refused("", "empty");
    refused("hello\n", "Atoms");
    refused("c\n0 atoms\n", ":2");
    refused("c\n-3 atoms\n", ":2");
    refused("c\n2 atoms\n9 atom types\n", "must be 1 to 8 atom types");
    refused("c\n2 atoms\n3 bonds\n", "must be 0 bonds");
    refused("c\n2 atoms\n3 bond types\n", "must be 0 bond types (got 3)");
    refused("c\n1 atom types\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\nAtoms\n",
            "no line \"N atoms\"");
    refused("c\n2 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n1 0 0 xy xz yz\n", "tilted");
    refused("c\n2 atoms\n5 0 0.1 avec\n", "tilted");
    refused("c\n2 atoms\n-5 0 0 avec\n", "tilted");
    refused("c\n2 atoms\n0 x 0 abc origin\n", "three numbers");
    refused("c\n2 atoms\n1 atom types\n0 5 xlo xhi\n0 5 ylo yhi\nAtoms\n", "along z");
    refused("c\n2 atoms\n5 0 xlo xhi\n", ":3");
    refused("c\n2 atoms\n-1e308 1e308 xlo xhi\n", ":3");
    refused(HEADER, "Atoms");
    refused("222220377\n" LATTICE "\nX 1 1 1\n", "222220377 particles are announced");
    refused("9223372036854775807\n" LATTICE "\nX 1 1 1\n", "are announced");
    refused("ITEM: NUMBER OF ATOMS\n222220377\nITEM: BOX BOUNDS pp pp pp\n0 5\n0 5\n0 5\n"
            "ITEM: ATOMS x y z\n1 1 1\n",
            "222220377 particles are announced");
    refused("c\n222220377 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\nAtoms\n\n1 1 1 1 1\n",
            "222220377 particles are announced");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n", "1 of 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n1 1 2 2 2\n", "id 1 is there twice");
    refused(HEADER "Atoms\n\n0 1 1 1 1\n1 1 2 2 2\n", "ids of particles must be 1 to 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n0 1 2 2 2\n", "ids of particles must be 1 to 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n-1 1 2 2 2\n", "ids of particles must be 1 to 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n3 1 2 2 2\n", "ids of particles must be 1 to 2");
    refused(HEADER ATOMS "Velocities\n\n0 0 0 0\n1 0 0 0\n", "ids of particles must be 1 to 2");
    refused(HEADER "Atoms\n\n1 1 1 1 1\n2 2 2 2 2\n", "types of particles must be 1 to 1 (got 2)");
    refused(HEADER "Atoms\n\n1 1 1 1 1e7\n2 1 2 2 2\n", "outside");
    refused(HEADER "Atoms\n\n1 1 1 1 nan\n2 1 2 2 2\n", "z is not a number (got nan)");
    refused(HEADER "Atoms\n\n1 1 1 1 1e-400\n2 1 2 2 2\n", "z is not a number (got 1e-400)");
    refused(HEADER "Atoms\n\n1 1 1 1\n2 1 2 2 2\n", "5 columns, id type x y z (got 4)");
    refused(HEADER "Atoms\n\n1 1 1 1 1 0 0\n2 1 2 2 2\n", "5 columns, id type x y z (got 7)");
    refused(HEADER "Atoms\n\n1 1 1 1 1 0 0 a\n2 1 2 2 2\n", "image flag");
    refused(HEADER "Atoms # dipole\n\n1 1 0 1 1 1 0 0 0 0\n", "atom style dipole");
    refused(HEADER "Atoms # charge\n\n1 1 0.5 1 1 1\n2 1 0 2 2 2\n", "q must be 0 (got 0.5)");
    refused(HEADER "Atoms # sphere\n\n1 1 1 1 1 1 1\n2 1 2 1 2 2 2\n", "diameter is 2 here");
    refused(HEADER "Atoms # sphere\n\n1 1 1 0 1 1 1\n2 1 1 0 2 2 2\n", "density must be above 0");
    refused(HEADER "Atoms # sphere\n\n1 1 1 1 1 1 1\n2 1 1 1 2 2 2\n\nVelocities\n\n"
                   "1 0 0 0 0 0 3\n2 0 0 0 0 0 0\n",
            "omegaz must be 0 (got 3)");
    refused(HEADER ATOMS "Velocities\n\n1 0 0 0\n", "1 of 2");
    refused(HEADER "Velocities\n\n1 0 0 0\n2 0 0 0\n", "after Atoms");
    refused(HEADER ATOMS ATOMS, "each once");
    refused(HEADER ATOMS "Bonds\n\n1 1 1 2\n", "Bonds");
    refused(HEADER "Masses\n\n2 1\n", "for each type (1 to 1)");
    refused(HEADER "Masses\n\n1 0\n", "above 0");
    refused(HEADER "Pair Coeffs # lj/cut/coul/cut\n\n1 1 1\n" ATOMS, "is not lj/cut");
    refused(HEADER "Pair Coeffs # morse\n\n1 1 1 1\n" ATOMS, "nocoeff");
    refused(HEADER "Pair Coeffs # lj/cut\n\n1 1\n" ATOMS, "epsilon, sigma");
    refused(HEADER "Pair Coeffs # lj/cut\n\n1 1 -1\n" ATOMS, "epsilon, sigma");
    refused(HEADER "PairIJ Coeffs # lj/cut\n\n1 2 1 1\n" ATOMS, "epsilon, sigma");
    refused(
        "c\n999999999999999 atoms\n1 atom types\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\nAtoms\n",
        "are announced");
}

static void test_refused_dumps(void **state)
{
    (void)state;
    const char *rows = "1 1 1 1 1\n2 1 2 2 2\n";
    char text[512];
    static const struct {
        const char *dump, *word;
    } cases[] = {
        {DUMP(" pp pp ff", "id type x y z"), "not periodic along z"},
        {DUMP(" ss pp pp", "id type x y z"), "not periodic along x"},
        {DUMP(" abc origin", "id type x y z"), "four numbers"},
        {DUMP(" abc origin pp pp ff", "id type x y z"), "not periodic along z"},
        {DUMP(" origin", "id type x y z"), "orthogonal"},
        {"ITEM: BOX BOUNDS abc origin pp pp pp\n5 0 1 0\n0 5 0 0\n0 0 5 0\n", "tilted"},
        {DUMP(" pp pp pp", "id type x y vz"), "positions along x, y and z"},
        {DUMP(" pp pp pp", "id type y z vx"), "positions along x, y and z"},
        {DUMP(" pp pp pp", "id type xs zs x"), "positions along x, y and z"},
        {DUMP(" pp pp pp", "x x y z vx"), "two columns x"},
        {DUMP(" pp pp pp", "x y z vx vy"), "velocities along x, y and z"},
        {DUMP(" pp pp pp", "x y z vx vx"), "two columns vx"},
        {DUMP(" pp pp pp", "id x y z q"), "q must be 0 (got 1)"},
        {DUMP(" pp pp pp", "id type x y z mux"), "6 columns, id type x y z mux (got 5)"},
        {DUMP(" pp pp pp", "x y z px py pz"), "momenta need the masses"},
        {DUMP(" pp pp pp", "x y z px py pz vx vy vz mass"), "velocities and momenta"},
        {"ITEM: TIMESTEP\n7\nITEM: ATOMS id type x y z\n", "must come before"},
        {"ITEM: TIMESTEP\n7\nITEM: BOX BOUNDS xy xz yz pp pp pp\n0 5 0.1\n0 5 0\n0 5 0\n",
         "tilted"},
        {"ITEM: TIMESTEP\n7\nITEM: BOX BOUNDS\n5 5\n0 5\n0 5\n", "first below the second"},
        {"ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n0\n", "at least 1"},
        {"ITEM: TIMESTEP\n7\nITEM: NUMBER OF GRID CELLS\n", "no item"},
        {"ITEM: ENTRIES\n", "no item"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        snprintf(text, sizeof text, "%s%s", cases[k].dump, rows);
        refused(text, cases[k].word);
    }
    refused("ITEM: TIMESTEP\n", "ends within the head");
    refused(DUMP(" pp pp pp", "id x y z") "1 1 1 1\n0 2 2 2\n", "ids of particles must be 1 to 2");
    refused(DUMP(" pp pp pp", "x y z") "1 1 1\n2 2 2\nITEM: TIMESTEP\n8\n",
            "head of a frame (frame 0 can be read)");
    refused(DUMP(" pp pp pp", "x y z") "1 1 1\n2 2 2\n3 3 3\n", "no item");
}

static void test_refused_extxyz(void **state)
{
    (void)state;
    refused("2\nno lattice\n", "Lattice");
    refused("2\n", "ends");
    refused("0\n" LATTICE "\n", "at least 1");
    refused("1\nLattice=\"5 1 0 0 5 0 0 0 5\"\nX 1 1 1\n", "orthogonal");
    refused("1\nLattice=\"5 0 0 0 5 0 0 0\"\nX 1 1 1\n", "nine");
    char text[1100]; /* a byte more than there is room for */
    snprintf(text, sizeof text, "1\nLattice=\"%-1024s\"\nX 1 1 1\n", "5 0 0 0 5 0 0 0 5");
    refused(text, "Lattice");
    refused("1\n" LATTICE " Origin=\"1 2\"\nX 1 1 1\n", "Origin");
    refused("1\n" LATTICE " pbc=\"T T F\"\nX 1 1 1\n", "not periodic along z");
    refused("1\n" LATTICE " pbc=\"T T\"\nX 1 1 1\n", "pbc");
    refused("1\n" LATTICE " pbc=\"T X T\"\nX 1 1 1\n", "pbc");
    refused("1\n" LATTICE " Properties=species:S:1\nX\n", "positions along x");
    refused("1\n" LATTICE " Properties=pos:R\n1 1 1\n", "Properties");
    refused("1\n" LATTICE " Properties=pos:R:2\n1 1\n", "Properties");
    refused("1\n" LATTICE " Properties=pos:R:4\n1 1 1 1\n", "Properties");
    refused("1\n" LATTICE " Properties=pos:R:3:a:R:33:b:R:33\n1\n", "Properties must");
    refused("1\n" LATTICE " Properties=pos:R:3:velo:R:2\n1 1 1 1 1\n", "velo");
    refused("1\n" LATTICE " Properties=pos:R:3:a:R:62\n1\n", "at most 64");
    refused("1\n" LATTICE " Properties=species:S:1:pos:R:3:momenta:R:3\nX 1 1 1 1 1 1\n",
            "momenta need the masses");
    refused("2\n" LATTICE
            " Properties=pos:R:3:masses:R:1:momenta:R:3\n1 1 1 1 1 1 1\n2 2 2 2 1 1 1\n",
            "mass is 2 here and 1 before");
    refused("1\n" LATTICE
            " Properties=pos:R:3:velo:R:3:momenta:R:3:masses:R:1\n1 1 1 1 1 1 1 1 1 1\n",
            "velocities and momenta");
    refused("2\n" LATTICE " Properties=pos:R:3:type:I:1:mass:R:1\n1 1 1 1 1\n2 2 2 9 1\n",
            "types of particles must be 1 to 8 (got 9)");
    refused("3\n" LATTICE
            " Properties=pos:R:3:type:I:1:mass:R:1\n1 1 1 1 1\n2 2 2 2 2\n3 3 3 2 3\n",
            "mass is 3 here and 2 before");
    refused("2\n" LATTICE " Properties=type:S:1:pos:R:3\nA 1 1 1\nB 2 2 2\n",
            "type is B here and A before");
    refused("1\n" LATTICE " Properties=pos:R:3:initial_charges:R:1\n1 1 1 -1\n", "q must be 0");
    refused("2\n" LATTICE " Properties=pos:R:3:id:I:1\n1 1 1 0\n2 2 2 1\n", "must be 1 to 2");
    refused("2\n" LATTICE "\nX 1 1 1\n", "1 of 2");
    refused("1\n" LATTICE "\nX 1 1\n", "columns");
    refused("1\n" LATTICE "\nX 1 1 1e300\n", "outside");
    refused("1\n" LATTICE "\nX 1 1 1\nX 2 2 2\n", "begins with the number of particles");
    refused("1\n" LATTICE "\nX 1 1 1\n1\n" LATTICE "\n", "(frame 0 can be read)");
}

/* Cut anywhere, also where all atoms and even all lines are there but not the checksum. */
/* Types, and their masses, of every format that has them. */
static void test_types(void **state)
{
    (void)state;
    static const char *const names[] = {"types.data", "types.xyz", "types.dump"};
    for (int k = 0; k < 3; k++) {
        const char *path = temporary(names[k]);
        md_case c = md_case_melt(4, 4, 4, TORRE_MD_F64);
        torre_md_types table;
        md_case_add_types(&c, 3, &table);
        torre_md_particles back;
        torre_particle_source source;
        const torre_sink_data data = {.kind = TORRE_SINK_PARTICLES, .particles = {.about = plain}};
        const torre_sink_format *format;
        CHECK_OK(torre_sink_choose("file", path, data.kind, false, &format));
        CHECK_OK(torre_sink_write(format, &data, path, &(torre_frame){.particles = &c.particles}));
        CHECK_OK(torre_particle_file_read(path, &last, &back, &source));
        unlink(path);
        CHECK(back.types == 3 && back.type && source.mass == 0, "%s: %d types", names[k],
              back.types);
        CHECK(memcmp(back.type, c.particles.type, (size_t)back.count) == 0, "%s: types", names[k]);
        for (int t = 0; t < 3; t++)
            CHECK(back.type_mass[t] == table.mass[t], "%s: mass %g", names[k], back.type_mass[t]);
        same(&back, &c.particles, k ? 16 * 0.5e-8 : 0);
        torre_md_particles_free(&back);
        md_case_free(&c);
    }
}

static void expect_types(const char *text, int types, const uint8_t type[3], double second_mass)
{
    reading r = read_text(text, &last);
    CHECK(r.p.types == types && r.p.type, "%d types", r.p.types);
    for (int i = 0; i < 3; i++)
        CHECK(r.p.type[i] == type[i], "particle %d: type %d", i + 1, r.p.type[i] + 1);
    CHECK(r.p.type_mass[1] == second_mass, "mass %g", r.p.type_mass[1]);
    torre_md_particles_free(&r.p);
}

static void test_types_accepted(void **state)
{
    (void)state;
    const uint8_t by_name[] = {0, 1, 0}, by_number[] = {2, 1, 2};
    expect_types("3\n" LATTICE "\nKr 1 1 1\nAr 2 2 2\nKr 3 3 3\n", 2, by_name, 0);
    expect_types("3\n" LATTICE " Properties=Z:I:1:pos:R:3:mass:R:1\n36 1 1 1 2\n18 2 2 2 1.5\n"
                 "36 3 3 3 2\n",
                 2, by_name, 1.5);
    expect_types("3\n" LATTICE " Properties=species:S:1:pos:R:3:type:I:1:mass:R:1\n"
                 "Kr 1 1 1 3 2\nAr 2 2 2 2 1.5\nKr 3 3 3 3 2\n",
                 3, by_number, 1.5);
    /* momenta are divided by the mass of the type */
    reading r = read_text("2\n" LATTICE " Properties=species:S:1:pos:R:3:momenta:R:3:masses:R:1\n"
                          "A 1 1 1 2 2 2 2\nB 2 2 2 2 2 2 4\n",
                          &last);
    CHECK(r.p.velocity[0][0] == 1 && r.p.velocity[0][1] == 0.5, "velocities %g and %g",
          r.p.velocity[0][0], r.p.velocity[0][1]);
    torre_md_particles_free(&r.p);
    r = read_text("x\n\n3 atoms\n2 atom types\n" BOX
                  "Masses\n\n2 4\n1 3\n\nPairIJ Coeffs # lj/cut\n\n"
                  "1 1 1 2 3\n1 2 4 5\n2 2 6 7\n\nAtoms\n\n1 2 1 1 1\n2 1 2 2 2\n3 2 3 3 3\n",
                  &last);
    CHECK(r.p.types == 2 && r.p.type[0] == 1 && r.p.type[1] == 0 && r.p.type_mass[0] == 3 &&
              r.p.type_mass[1] == 4,
          "types and masses");
    CHECK(r.source.has_pair && r.source.between[0][1].epsilon == 4 &&
              r.source.between[1][1].sigma == 7 && r.source.between[0][0].cutoff == 3,
          "coefficients");
    torre_md_particles_free(&r.p);
    refused("x\n\n3 atoms\n2 atom types\n" BOX "Masses\n\n1 4\n3 3\n", "for each type (1 to 2)");
    refused("x\n\n3 atoms\n2 atom types\n" BOX "PairIJ Coeffs\n\n2 1 4 5\n",
            "the first not larger");
}

static void test_cut_gzip(void **state)
{
    (void)state;
    static char good[4096];
    const char *path = temporary("cut.data.gz");
    torre_md_particles p, two = {0};
    torre_particle_source source;
    CHECK_OK(torre_md_particles_new(2, &two));
    for (int a = 0; a < 3; a++) two.box[a] = 5;
    CHECK_OK(torre_lammps_data_write(path, &plain, &two));
    torre_md_particles_free(&two);
    FILE *file = fopen(path, "rb");
    size_t size = fread(good, 1, sizeof good, file);
    CHECK(size > 100 && size < sizeof good && fclose(file) == 0, "%zu bytes", size);
    for (size_t keep = 0; keep <= size; keep++) {
        file = fopen(path, "wb");
        CHECK(fwrite(good, 1, keep, file) == keep && fclose(file) == 0, "write");
        torre_status status = torre_particle_file_read(path, &last, &p, &source);
        CHECK(status == (keep < size ? TORRE_ERR_INPUT : TORRE_OK), "%zu of %zu bytes: %d", keep,
              size, (int)status);
        if (!status) torre_md_particles_free(&p);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_round_trip),
        cmocka_unit_test(test_spheres_round_trip),
        cmocka_unit_test(test_grains_round_trip),
        cmocka_unit_test(test_grains),
        cmocka_unit_test(test_trajectory),
        cmocka_unit_test(test_trajectory_names),
        cmocka_unit_test(test_data_accepted),
        cmocka_unit_test(test_write_data),
        cmocka_unit_test(test_dump_accepted),
        cmocka_unit_test(test_extxyz_accepted),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_dumps),
        cmocka_unit_test(test_refused_extxyz),
        cmocka_unit_test(test_cut_gzip),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_types_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
