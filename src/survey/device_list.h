/* The GPUs of a survey: "0,1", or all that can be used. */
#ifndef TORRE_DEVICE_LIST_H
#define TORRE_DEVICE_LIST_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TORRE_DEVICES = 64 };

typedef struct torre_device_list {
    int count; /* 0: whatever the specification of the runs says */
    int device[TORRE_DEVICES];
} torre_device_list;

/*
 * Read {devices}, NULL for none, and look whether each can be used. backend: what is asked for,
 * which may not be "cpu". TORRE_ERR_USAGE; TORRE_ERR_RESOURCE where a GPU cannot be used.
 */
torre_status torre_device_list_read(const char *text, const char *backend, torre_device_list *list);

#ifdef __cplusplus
}
#endif

#endif
