#include "model_shapes.h"

#include <math.h>

/* Sediments: velocity steps at folded interfaces that get flatter upwards, below some water. */
static double sediments(double x, double z, double throw_depth)
{
    static const double depth[] = {0.10, 0.22, 0.33, 0.46, 0.60, 0.75};
    static const double velocity[] = {1500, 1800, 2050, 2400, 2250, 2900, 3500};
    double below = z - throw_depth;
    for (int i = 0; i < 6; i++) {
        double fold = 0.09 * depth[i] * (sin(8 * x + 0.5 * i) + 0.4 * sin(15 * x - 0.9 * i));
        if ((i == 0 ? z : below) < depth[i] + fold) return velocity[i] + 150 * z;
    }
    return velocity[6] + 150 * z;
}

double model_layers(const double at[3], const double extent[3])
{
    double x = at[0] / extent[0], z = at[2] / extent[2];
    double fault = 0.62 + 0.25 * (z - 0.4); /* dips to the right; its right side has slid down */
    return sediments(x, z, x > fault && z > 0.18 ? 0.07 : 0);
}

/* A salt dome: a stem that widens to a cap with bumps, 4500 m/s. */
static int in_salt(double x, double y, double z)
{
    double angle = atan2(y - 0.5, x - 0.55), r = hypot(x - 0.55, 0.45 * (y - 0.5));
    double bumps = 1 + 0.12 * sin(3 * angle + 1) + 0.07 * sin(5 * angle);
    double top = 0.27 + 3 * r * r + 0.012 * sin(40 * x) * cos(17 * y);
    double radius = z < 0.62 ? 0.23 - 0.5 * (z - 0.45) * (z - 0.45) : 0.215 - 0.25 * (z - 0.62);
    return z > top && r < radius * bumps;
}

double model_salt(const double at[3], const double extent[3])
{
    double x = at[0] / extent[0], y = at[1] / extent[1], z = at[2] / extent[2];
    if (in_salt(x, y, z)) return 4500;
    double lifted = 0.10 * exp(-30 * (x - 0.55) * (x - 0.55)) * z; /* layers bend up at the dome */
    return sediments(0.8 * x + 0.2 * y, z + lifted, 0);
}
