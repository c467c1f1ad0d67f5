/* States of runs: checkpoints. */
#include "fuzz.h"
#include "io/checkpoint_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    torre_checkpoint *c;
    if (torre_checkpoint_open(fuzz_file("a.state", data, size), &c)) return 0;
    const int64_t bytes = torre_checkpoint_bytes(c, "text");
    FUZZ_CHECK(torre_checkpoint_bytes(c, "end") == 8);
    FUZZ_CHECK(bytes >= -1 && bytes < (int64_t)size);
    char *text = malloc((size_t)bytes + 2);
    FUZZ_CHECK(text);
    if (bytes >= 0) FUZZ_CHECK(torre_checkpoint_read(c, "text", text, bytes) == 0);
    FUZZ_CHECK(torre_checkpoint_read(c, "text", text, bytes + 1) != 0);
    free(text);
    torre_checkpoint_close(c);
    return 0;
}
