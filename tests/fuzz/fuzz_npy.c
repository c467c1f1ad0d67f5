/* Arrays: .npy. */
#include "core/array_value.h"
#include "fuzz.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    torre_array a;
    int dims;
    if (torre_npy_read(fuzz_file("a.npy", data, size), &a, &dims)) return 0;
    FUZZ_CHECK(dims >= 1 && dims <= 3 && (a.precision == TORRE_F32 || a.precision == TORRE_F64));
    size_t values = 1;
    for (int i = 0; i < 3; i++) {
        FUZZ_CHECK(a.shape[i] >= 1 && (i < dims || a.shape[i] == 1));
        values *= (size_t)a.shape[i];
    }
    FUZZ_CHECK(values * (size_t)a.precision < size);
    volatile double sum = 0; /* every value can be read */
    for (size_t i = 0; i < values; i++) sum += torre_value(a.precision, a.data, (int64_t)i);
    free(a.data);
    return 0;
}
