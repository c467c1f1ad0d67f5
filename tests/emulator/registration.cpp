/* Between the stand-in for the CUDA runtime and the emulator. */
#include "tests/emulator/registration.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/emulator/emulator.h"
#include "tests/fake_cuda/fake_cuda.h"

static void execute(const fake_kernel *k, const fake_launch *l, void *const *arguments)
{
    emulator::run(k->name, k->thread, k->host, arguments, l->grid, l->block, l->cluster, l->shared);
}

void emulator_register(const void *kernel, const char *name,
                       void (*call)(const void *, void *const *), int parameters, const int *sizes)
{
    fake_kernel k = {};
    if (parameters > FAKE_PARAMETERS) {
        fprintf(stderr, "emulator: too many parameters of %s\n", name);
        abort();
    }
    k.host = kernel;
    k.name = name;
    k.architecture = 90;
    k.registers = 64; /* of most kernels of the project 40 to 168 */
    k.most_threads = 1024;
    k.parameters = parameters;
    for (int i = 0; i < parameters; i++) k.parameter_size[i] = sizes[i];
    k.execute = execute;
    k.thread = call;
    fake_kernel_add(&k);
}
