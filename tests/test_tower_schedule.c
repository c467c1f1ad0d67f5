/*
 * The schedule of a pass of towers: kept from pass to pass while the grid is the same, made anew
 * when anything of it differs, refused where the ordering does not reach. (Whether the sequence is
 * legal: test_tower.)
 */
#include "wave/cpu/tower_schedule.h"

#include <string.h>

#include "wave_case.h"

enum { MARK = 12345 };
static const torre_ordering_spec hilbert = {.kind = TORRE_HILBERT};

static void only_the_same_grid_keeps_its_schedule(void **state)
{
    (void)state;
    const torre_tower_grid grid = torre_tower_grid_make(20, 16, 2, 2, 6, false);
    const torre_tower_grid others[] = {torre_tower_grid_make(21, 16, 2, 2, 6, false),
                                       torre_tower_grid_make(20, 17, 2, 2, 6, false),
                                       torre_tower_grid_make(20, 16, 1, 4, 6, false),
                                       torre_tower_grid_make(20, 16, 2, 1, 6, false),
                                       torre_tower_grid_make(20, 16, 2, 2, 7, false),
                                       torre_tower_grid_make(20, 16, 2, 2, 6, true)};
    for (int i = 0; i < 6; i++) {
        torre_tower_schedule *s = NULL;
        torre_tower first;
        CHECK_OK(torre_tower_schedule_make(&grid, &hilbert, &s));
        torre_tower_schedule_begin(s);
        s->list[0].s = MARK;
        CHECK(torre_tower_schedule_take(s, &first), "an empty schedule");
        CHECK_OK(torre_tower_schedule_make(&grid, &hilbert, &s));
        torre_tower_schedule_begin(s);
        CHECK(torre_tower_schedule_take(s, &first) && first.s == MARK,
              "the schedule of the same grid is another, or does not start again");
        CHECK_OK(torre_tower_schedule_make(&others[i], &hilbert, &s));
        CHECK(s->list[0].s != MARK && s->count == torre_traversal_count(&others[i]) &&
                  torre_traversal_check(&others[i], s->list, s->count) == 0,
              "the schedule of grid %d is that of another", i);
        torre_tower_schedule_free(s);
    }
}

/* Orderings count up to 2^20 along an axis. */
static void too_many_stages_are_refused(void **state)
{
    (void)state;
    const torre_tower_grid grid = torre_tower_grid_make((1 << 20) + 1, 1, 1, 1, 1, false);
    torre_tower_schedule *s = NULL;
    CHECK(torre_tower_schedule_make(&grid, &(torre_ordering_spec){.kind = TORRE_ROW_MAJOR}, &s) ==
                  TORRE_ERR_USAGE &&
              strstr(torre_error_text(), "row-major") && !s,
          "%s", torre_error_text());
}

int main(int argc, char **argv)
{
    wave_case_init(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_same_grid_keeps_its_schedule),
        cmocka_unit_test(too_many_stages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
