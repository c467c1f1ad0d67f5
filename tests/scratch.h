/*
 * An empty folder for the files of a test, which becomes the working directory: set-up and
 * tear-down of a group of cmocka tests. Tear-down fails where a test has left a file behind.
 */
#ifndef TORRE_TEST_SCRATCH_H
#define TORRE_TEST_SCRATCH_H

int scratch_enter(void **state);
int scratch_leave(void **state);

/* Files and folders in the working directory; -1 where it cannot be read. */
int scratch_entries(void);

#endif
