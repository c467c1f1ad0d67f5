/*
 * An MPI that says that it takes memory of GPUs (preloaded): of the stand-in for the CUDA runtime,
 * where that is memory of the host, it does.
 *
 * FAKE_MPI, of rank 0:
 *   FAKE_MPI=garble: large messages arrive as others; die: sending one kills the process, as
 *            where a library takes memory of a GPU for the host's; fail: sending one fails
 *   FAKE_MPI_FROM=N: the N-th large message, 1 unless given
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 1; }

enum { LARGE = 64 << 10 };

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static int large;
    static char nothing[1 << 20];
    const char *what = getenv("FAKE_MPI"), *from = getenv("FAKE_MPI_FROM");
    large += count >= LARGE;
    const int first = from ? atoi(from) : 1;
    const char *own = getenv("OMPI_COMM_WORLD_RANK");
    const int garbles = what && strcmp(what, "garble") == 0; /* both arrays */
    const bool here = own && strcmp(own, "0") == 0;
    if (what && here && count >= LARGE && large >= first && large <= first + garbles) {
        if (strcmp(what, "die") == 0) raise(SIGSEGV);
        if (strcmp(what, "fail") == 0) return MPI_ERR_BUFFER;
        if (count <= (int)sizeof nothing) buffer = nothing;
    }
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
