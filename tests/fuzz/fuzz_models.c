/*
 * Models from bare numbers and SEG-Y, and what is told of files of traces (--inspect). The first
 * byte says which, the second the order of axes, three more the grid. SEG-Y begins with its header
 * in bytes, behind 3200 bytes of text that nobody reads. (HDF5 is libhdf5's to read.)
 */
#include <string.h>

#include "core/array_value.h"
#include "fuzz.h"
#include "io/segy_summary.h"
#include "io/source.h"

enum { HEAD = 5, TEXT = 3200 };

static const char *segy_file(const char *name, const uint8_t *data, size_t size)
{
    static uint8_t all[TEXT + (1 << 16)];
    const size_t rest = size < sizeof all - TEXT ? size : sizeof all - TEXT;
    memcpy(all + TEXT, data, rest);
    return fuzz_file(name, all, TEXT + rest);
}

static void check_model(const char *text, const char *axes, int grid_dims, const int64_t grid[3])
{
    torre_array a;
    int dims, seen;
    int64_t shape[3];
    const torre_status looked = torre_source_look(text, axes, &seen, shape);
    if (torre_source_read(text, axes, grid_dims, grid, &a, &dims, NULL)) return;
    FUZZ_CHECK(!looked && (dims == 2 || dims == 3));
    FUZZ_CHECK(a.precision == TORRE_F32 || a.precision == TORRE_F64);
    int64_t values = 1;
    for (int i = 0; i < 3; i++) {
        FUZZ_CHECK(a.shape[i] >= 1 && (i < dims || a.shape[i] == 1));
        FUZZ_CHECK(seen == 0 ? a.shape[i] == grid[i] : a.shape[i] == shape[i]);
        values *= a.shape[i];
    }
    volatile double sum = 0; /* every value can be read */
    for (int64_t i = 0; i < values; i++) sum += torre_value(a.precision, a.data, i);
    free(a.data);
}

static void check_summary(const char *path, bool su)
{
    torre_segy_summary s;
    if (torre_segy_summarize(path, su, &s)) return;
    FUZZ_CHECK(s.traces >= 0 && s.samples >= 1 && s.fields <= TORRE_SEGY_FIELDS);
    for (int i = 0; i < s.fields; i++)
        FUZZ_CHECK(s.field[i].low <= s.field[i].first && s.field[i].last <= s.field[i].high);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"f32le", "f32be", "f64le", "f64be"};
    static const char *const axes[] = {NULL, "xyz", "zyx", "yxz", "xz", "zx", "xx", ""};
    char text[200];
    if (size < HEAD) return 0;
    const int kind = data[0] % 7, dims = data[1] & 8 ? 2 : 3;
    const char *order = axes[data[1] & 7];
    int64_t grid[3] = {1 + data[2] % 8, 1 + data[3] % 8, 1 + data[4] % 8};
    if (dims == 2) grid[2] = 1;
    data += HEAD;
    size -= HEAD;
    if (kind < 4) {
        snprintf(text, sizeof text, "%s:%s", fuzz_file("model", data, size), types[kind]);
        check_model(text, order, dims, grid);
    } else if (kind == 4) {
        check_model(segy_file("model.sgy", data, size), order, dims, grid);
    } else if (kind == 5) {
        check_summary(segy_file("traces.sgy", data, size), false);
    } else {
        check_summary(fuzz_file("traces.su", data, size), true);
    }
    return 0;
}
