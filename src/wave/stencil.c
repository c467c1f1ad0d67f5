#include "wave/stencil.h"

#include <stddef.h>

#define ROW_IS_IN_PLACE(order, ...)                                                                \
    _Static_assert((order) == 2 * (TORRE_STENCIL_ROW_##order + 1), "orders come without a gap");
TORRE_STENCIL_TABLE(ROW_IS_IN_PLACE)

#define NAME(order, ...) #order,
const char *const torre_order_names[] = {TORRE_STENCIL_TABLE(NAME) NULL};

/* each order after a comma; the list begins behind the first */
#define LISTED(order, ...) "," #order
const char *const torre_order_list = &(TORRE_STENCIL_TABLE(LISTED))[1];
