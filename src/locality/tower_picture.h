/* Pictures of the views of locality tower: flat ones as squares, the others as stacks of cubes. */
#ifndef TORRE_TOWER_PICTURE_H
#define TORRE_TOWER_PICTURE_H

#include "locality/tower_view.h"

/*
 * Write the view as a PNG file. x runs to the right; of flat views y (or time) runs upwards, of the
 * others time upwards and y into the depth. Numbers go from blue (small) to red; a traversal is the
 * line through the tiles. Cones are cut open in the middle, neighbours drawn apart.
 */
torre_status torre_tower_view_draw(const torre_tower_view *view, const torre_tower_pass *pass,
                                   const char *title, const char *file);

#endif
