/* What stands in a tank, as it is said in words. */
#ifndef TORRE_FLUID_BOXES_H
#define TORRE_FLUID_BOXES_H

#include "core/status.h"
#include "torre/fluid.h"

/* Boxes "x0,y0,z0:x1,y1,z1;..." (2-D: "x0,y0:x1,y1") in metres; NULL or "": none. TORRE_ERR_USAGE
 * names the option. */
torre_status torre_fluid_boxes_read(const char *option, const char *text,
                                    const torre_mps_tank *tank, torre_mps_box box[TORRE_MPS_BOXES],
                                    int *count);

/* "x:opens" or "x:opens:speed", m, s and m/s; NULL or "": there is none. */
torre_status torre_fluid_gate_read(const char *text, torre_mps_gate *gate);

#endif
