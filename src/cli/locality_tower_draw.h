/* Pictures of the views of locality tower: flat ones as squares, the others as stacks of cubes. */
#ifndef TORRE_LOCALITY_TOWER_DRAW_H
#define TORRE_LOCALITY_TOWER_DRAW_H

#include "cli/locality_tower_views.h"

/*
 * Write the view as a PNG file. x runs to the right; of flat views y (or time) runs upwards, of the
 * others time upwards and y into the depth. Numbers go from blue (small) to red; a traversal is the
 * line through the tiles. Cones are cut open in the middle, neighbours drawn apart.
 */
torre_status locality_tower_draw(const tower_view *view, const tower_pass *pass, const char *title,
                                 const char *file);

#endif
