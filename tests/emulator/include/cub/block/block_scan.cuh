/* The scan of a block, for the emulator. */
#ifndef EMULATOR_BLOCK_SCAN_CUH
#define EMULATOR_BLOCK_SCAN_CUH

namespace cub
{

template <class T, int THREADS> struct BlockScan {
    struct TempStorage {
        T value[THREADS];
    };
    TempStorage &all;
    explicit BlockScan(TempStorage &storage) : all(storage) {}

    void ExclusiveSum(T value, T &before, T &sum)
    {
        all.value[threadIdx.x] = value;
        __syncthreads();
        before = sum = 0;
        for (int i = 0; i < THREADS; i++) {
            if (i == (int)threadIdx.x) before = sum;
            sum += all.value[i];
        }
    }
};

} // namespace cub

#endif
