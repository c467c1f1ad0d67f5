/*
 * What stands in a tank: boxes of water, obstacles, a gate.
 *
 * An obstacle is as solid as the walls are: of its particles those nearest to where water can be
 * are wall particles, and those behind them dummies, as many layers as walls have; deeper in there
 * is nothing. What stands on the floor is one solid with it.
 *
 * A gate stands between floor and ceiling in a slot of the ceiling, as thick as the walls are:
 *
 *          :GGG:             y = 2 cells[1]       G gate
 *      WWWWWGGGWWWW          cells[1]             W ceiling, floor
 *           GGG
 *      wwwwwGGG              w water
 *      wwwwwGGG
 *      WWWWWWWWWWWW          0
 *
 * and goes up by the height of the tank, so that its lower end closes the slot. Its sides and its
 * lower end are wall particles, so it can have water on both sides.
 */
#ifndef TORRE_MPS_BOXES_H
#define TORRE_MPS_BOXES_H

#include "particles/mps_tank.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum torre_mps_kind {
    TORRE_MPS_NOTHING,
    TORRE_MPS_FLUID,
    TORRE_MPS_WALL,
    TORRE_MPS_GATE_WALL,
    TORRE_MPS_GATE_DUMMY,
    TORRE_MPS_DUMMY,
    TORRE_MPS_KINDS
} torre_mps_kind;

/* Put the boxes and the gate of a tank on the lattice; cells, sides and layers are there already.
 * TORRE_ERR_USAGE for what is outside the tank, too thin, or overlaps. */
torre_status torre_mps_boxes_place(const torre_mps_tank *tank, torre_mps_layout *layout);

/* Count the particles of all kinds, fluid to gate_dummy, once everything is in its place. */
torre_status torre_mps_boxes_count(torre_mps_layout *layout);

/* What stands at a place of the lattice, up to `layers` outside of the tank. */
torre_mps_kind torre_mps_boxes_kind(const torre_mps_layout *layout, const int64_t place[3]);

#ifdef __cplusplus
}
#endif

#endif
