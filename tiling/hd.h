/* Marks functions that must compile for the host (C11) and for the device (CUDA C++). */
#ifndef TORRE_HD_H
#define TORRE_HD_H

#ifdef __CUDACC__
#define TORRE_HD __host__ __device__
#else
#define TORRE_HD
#endif

#endif
