/* How kernels that the emulator runs come to the stand-in for the CUDA runtime. */
#ifndef EMULATOR_REGISTRATION_H
#define EMULATOR_REGISTRATION_H

/* Of a kernel with so many parameters of those sizes; once is enough. */
void emulator_register(const void *kernel, const char *name,
                       void (*call)(const void *, void *const *), int parameters, const int *sizes);

#endif
