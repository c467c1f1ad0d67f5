#include "wave/slope.h"

#include <math.h>
#include <string.h>

enum { WAVES = 64, UNKNOWN_MAX = TORRE_TAPS };
static const double shortest = 4.5; /* points */

/* Least squares with the unknowns at the distances d from the point: normal equations, which grow
 * by two rows for each wave: real and imaginary part of the error. */
static void add_waves(int n, const double *d, double matrix[][UNKNOWN_MAX], double *right)
{
    const double most = 2 * 3.14159265358979323846 / shortest;
    for (int m = 0; m < WAVES; m++) {
        const double k = most * (m + 0.5) / WAVES;
        double even[UNKNOWN_MAX], odd[UNKNOWN_MAX];
        for (int i = 0; i < n; i++) {
            even[i] = cos(k * d[i]) / k;
            odd[i] = sin(k * d[i]) / k;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) matrix[i][j] += even[i] * even[j] + odd[i] * odd[j];
            right[i] += odd[i];
        }
    }
}

/* matrix x = right by Cholesky, in place; x to right. The matrix is positive definite. */
static void solve(int n, double matrix[][UNKNOWN_MAX], double *right)
{
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < j; l++) matrix[j][j] -= matrix[j][l] * matrix[j][l];
        matrix[j][j] = sqrt(matrix[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int l = 0; l < j; l++) matrix[i][j] -= matrix[i][l] * matrix[j][l];
            matrix[i][j] /= matrix[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < i; l++) right[i] -= matrix[i][l] * right[l];
        right[i] /= matrix[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int l = i + 1; l < n; l++) right[i] -= matrix[l][i] * right[l];
        right[i] /= matrix[i][i];
    }
}

void torre_slope_weights(double fraction, double weight[TORRE_TAPS])
{
    double matrix[UNKNOWN_MAX][UNKNOWN_MAX] = {{0}}, right[UNKNOWN_MAX] = {0}, d[UNKNOWN_MAX];
    int place[UNKNOWN_MAX], n = 0;
    for (int j = 0; j < TORRE_TAPS; j++) {
        const int i = j + 1 - TORRE_TAPS / 2;
        if (fraction == 0 && (i == 0 || i == TORRE_TAPS / 2)) continue;
        place[n] = j;
        d[n++] = i - fraction;
    }
    add_waves(n, d, matrix, right);
    solve(n, matrix, right);
    memset(weight, 0, TORRE_TAPS * sizeof *weight);
    for (int i = 0; i < n; i++) weight[place[i]] = right[i];
    for (int i = 1; i < TORRE_TAPS / 2 && fraction == 0; i++) { /* to the last digit */
        const int low = TORRE_TAPS / 2 - 1 - i, high = TORRE_TAPS / 2 - 1 + i;
        weight[high] = (weight[high] - weight[low]) / 2;
        weight[low] = -weight[high];
    }
}
