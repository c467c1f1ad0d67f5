/* Wavelets: text, and .npy. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "torre/wave.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { STEPS = 100 };
    bool npy = size > 6 && memcmp(data, "\x93NUMPY", 6) == 0;
    const char *path = fuzz_file(npy ? "wavelet.npy" : "wavelet.txt", data, size);
    double *samples;
    int64_t count;
    if (torre_wavelet_read(path, 1, STEPS, &samples, &count)) return 0;
    FUZZ_CHECK(count >= 1);
    for (int64_t n = 0; n < STEPS; n++)
        FUZZ_CHECK(isfinite(samples[n]) && (n < count || samples[n] == 0));
    torre_wavelet_peak(samples, STEPS, 1e-3);
    free(samples);
    return 0;
}
