/*
 * A velocity model of one's own: a basin of soft ground in rock, 401 x 201 cells 5 m apart, m/s.
 *
 *     cc basin.c $(pkg-config --cflags --libs torre) -lm -o basin
 */
#include <math.h>
#include <stdio.h>
#include <torre/torre.h>

enum { NX = 401, NZ = 201 };
static float velocity[NX][NZ]; /* x to the right, z downwards */

int main(void)
{
    const int64_t shape[2] = {NX, NZ};
    for (int i = 0; i < NX; i++)
        for (int k = 0; k < NZ; k++) {
            const double x = 5.0 * i, z = 5.0 * k;
            const double floor = 150 * exp(-pow((x - 1200) / 300, 2)); /* depth of the basin */
            velocity[i][k] = z < floor ? 1000 : 3000;
        }
    torre_status status = torre_npy_write("basin.npy", TORRE_F32, 2, shape, velocity);
    if (status) fprintf(stderr, "basin: %s\n", torre_error_text());
    return (int)status;
}
