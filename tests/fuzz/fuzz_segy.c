/* SEG-Y and SU, which are only written: any gather is refused or fits. */
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "io/segy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct {
        double dt, source[3], receiver[3];
        uint8_t su, f64, traces, samples;
    } head;
    if (size < sizeof head) return 0;
    memcpy(&head, data, sizeof head);
    torre_gather g = {.dt = head.dt,
                      .traces = 1 + head.traces % 4,
                      .samples = 1 + head.samples % 16,
                      .precision = head.f64 & 1 ? TORRE_F64 : TORRE_F32};
    size_t room = (size_t)(g.traces * g.samples) * (size_t)g.precision, rest = size - sizeof head;
    char values[4 * 16 * sizeof(double)] = {0};
    memcpy(values, data + sizeof head, rest < room ? rest : room);
    torre_point receivers[4] = {{.amplitude = 1}};
    for (int t = 0; t < 4; t++)
        for (int a = 0; a < 3; a++) receivers[t].position[a] = head.receiver[a] * (t + 1);
    memcpy(g.source.position, head.source, sizeof head.source);
    g.receivers = receivers;
    g.values = values;
    const char *path = fuzz_file("traces.sgy", data, 0);
    torre_output *out;
    if (!torre_segy_is_built() || torre_output_open(path, &out)) return 0;
    torre_status status = torre_segy_encode(&g, head.su & 1, out);
    if (torre_output_finish(&out, status)) return 0;
    struct stat info;
    int64_t heads = head.su & 1 ? 0 : 3600;
    FUZZ_CHECK(stat(path, &info) == 0 && info.st_size == heads + g.traces * (240 + 4 * g.samples));
    return 0;
}
