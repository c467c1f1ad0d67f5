// A water column collapses, on libtorre from C++: where its front is, and the pressure on the floor.
//
//     c++ hello_dam.cpp $(pkg-config --cflags --libs torre) -o hello_dam
//     ./hello_dam dam.png
#include <cstdio>
#include <memory>
#include <torre/torre.h>

static torre_status tell(void *, torre_fluid *water)
{
    const torre_mps_row *row = torre_fluid_row(water);
    const double floor[3] = {0.05, 0, 0};
    double origin[3];
    torre_fluid_origin(water, origin);
    std::printf("%.4f s  front %.4f m  pressure %6.0f Pa\n", row->time, row->front - origin[0],
                torre_fluid_gauge(water, floor));
    return TORRE_OK;
}

static torre_status run(const char *picture)
{
    torre_fluid_dam dam{};
    dam.tank.dims = 2;
    dam.tank.spacing = 0.005;
    dam.tank.column[0] = 0.1;
    dam.tank.column[1] = 0.2;
    dam.tank.size[0] = dam.tank.size[1] = 0.4;
    dam.gravity = 9.81;
    dam.viscosity = 1e-6;
    dam.precision = TORRE_MD_F64;
    torre_fluid_watch watch{};
    watch.every = 100;
    watch.frame = tell;

    torre_fluid *made = nullptr;
    TORRE_TRY(torre_fluid_new(&dam, &made));
    std::unique_ptr<torre_fluid, decltype(&torre_fluid_free)> water(made, torre_fluid_free);
    TORRE_TRY(torre_fluid_start(water.get(), "auto", nullptr));
    TORRE_TRY(torre_fluid_advance(water.get(), 500, &watch));
    return picture ? torre_fluid_save(water.get(), picture) : TORRE_OK;
}

int main(int argc, char **argv)
{
    const torre_status status = run(argc > 1 ? argv[1] : nullptr);
    if (status) std::fprintf(stderr, "hello_dam: %s\n", torre_error_text());
    return int(status);
}
