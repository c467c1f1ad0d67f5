/* How planes go from rank to rank: ways past the host that both can take (core/rank_way.h). */
#ifndef TORRE_RANK_TRANSPORT_H
#define TORRE_RANK_TRANSPORT_H

#include "wave/rank_program.h"

/* All ranks at the same time: try ways between neighbours, and open what goes. Memory of the host
 * that is not needed then is planned no more. rank 0: what the others found comes with it. */
torre_status torre_rank_transport_open(torre_rank_program *program);
void torre_rank_transport_close(torre_rank_program *program);

#endif
