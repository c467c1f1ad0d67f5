#include "wave/cpml.h"

#include <math.h>

double torre_cpml_slope_weight(int R, int m)
{
    double weight = (m % 2 ? 1. : -1.) / m; /* of (R!)^2 / ((R - m)! (R + m)!) */
    for (int i = 1; i <= m; i++) weight *= (double)(R - m + i) / (R + i);
    return weight;
}

void torre_cpml_profile(const torre_wave_problem *p, double *a, double *b)
{
    static const double left = 1e-3; /* of a wave that goes through and back, on paper */
    double slow, fast, least = INFINITY;
    torre_wave_velocity_range(p, &slow, &fast);
    for (int axis = 0; axis < 3; axis++) least = fmin(least, p->spacing[axis]);
    const double courant = fast * p->dt / least, W = p->absorbing_width;
    a[0] = b[0] = 0;
    for (int i = 1; i <= p->absorbing_width + 1; i++) {
        const double f = i / W, s = -1.5 * log(left) * f * f * courant / W;
        const double alpha = fmax(1 - f, 0) * 3.14159265358979323846 / 10 * courant;
        a[i] = exp(-(s + alpha));
        b[i] = s / (s + alpha) * (a[i] - 1);
    }
}
