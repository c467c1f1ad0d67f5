/* The scan of an array, for the emulator. */
#ifndef EMULATOR_DEVICE_SCAN_CUH
#define EMULATOR_DEVICE_SCAN_CUH

namespace cub
{

static void emulator_exclusive_sum(const int *in, int *out, int count)
{
    if (threadIdx.x || blockIdx.x) return;
    int sum = 0;
    for (int i = 0; i < count; i++) {
        const int value = in[i];
        out[i] = sum;
        sum += value;
    }
}

struct DeviceScan {
    static cudaError_t ExclusiveSum(void *scratch, size_t &bytes, const int *in, int *out,
                                    int count, cudaStream_t stream)
    {
        if (!scratch) {
            bytes = 1;
            return cudaSuccess;
        }
        emulator_launch("cub scan", emulator_exclusive_sum, 1, 1, 0, stream)(in, out, count);
        return cudaGetLastError();
    }
};

} // namespace cub

#endif
