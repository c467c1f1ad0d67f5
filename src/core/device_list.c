#include "core/device_list.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/backend.h"
#include "core/numbers.h"

static bool is_cuda(const torre_backend *backend) { return strcmp(backend->name, "cuda") == 0; }

static torre_status check(int device)
{
    const torre_backend *found;
    return torre_backend_find("cuda", device, is_cuda, "cuda", &found);
}

/* Those before the first that cannot be used. */
static torre_status take_all(torre_device_list *list)
{
    torre_status status = TORRE_OK;
    while (!status && list->count < TORRE_DEVICES) {
        status = check(list->count);
        if (!status) {
            list->device[list->count] = list->count;
            list->count++;
        }
    }
    return list->count > 0 ? TORRE_OK : status;
}

static torre_status take_named(const char *text, torre_device_list *list)
{
    int64_t number[TORRE_DEVICES];
    bool good = torre_parse_integers(text, ',', TORRE_DEVICES, number, &list->count);
    for (int i = 0; i < list->count && good; i++) {
        good = number[i] >= 0 && number[i] < 1024;
        for (int k = 0; k < i; k++) good = good && number[k] != number[i];
        list->device[i] = (int)number[i];
    }
    if (!good)
        return torre_fail(
            TORRE_ERR_USAGE,
            "{devices} must be all, or numbers of GPUs, each once, as 0,1 (got %.60s)", text);
    for (int i = 0; i < list->count; i++) TORRE_TRY(check(list->device[i]));
    return TORRE_OK;
}

torre_status torre_device_list_read(const char *text, const char *backend, torre_device_list *list)
{
    list->count = 0;
    if (!text) return TORRE_OK;
    if (strcmp(backend, "auto") != 0 && strcmp(backend, "cuda") != 0)
        return torre_fail(TORRE_ERR_USAGE, "{devices} are GPUs, and {backend} is %s", backend);
    return strcmp(text, "all") == 0 ? take_all(list) : take_named(text, list);
}

torre_status torre_device_list_of_ranks(const char *backend, int64_t device,
                                        torre_device_list *list)
{
    list->count = 0;
    if (strcmp(backend, "cpu") == 0 || device > 0) return TORRE_OK;
    const torre_status status = torre_device_list_read("all", backend, list);
    return strcmp(backend, "cuda") == 0 ? status : TORRE_OK;
}

torre_status torre_device_of_rank(const torre_ranks *ranks, const char *backend,
                                  const char *devices, int *device)
{
    torre_device_list list;
    if (!ranks) return TORRE_OK;
    if (devices)
        return torre_fail(TORRE_ERR_USAGE, "{devices} is for one process: ranks of MPI take a GPU "
                                           "each by themselves");
    TORRE_TRY(torre_device_list_of_ranks(backend, *device, &list));
    if (list.count > 0) *device = list.device[ranks->local % list.count];
    return TORRE_OK;
}
