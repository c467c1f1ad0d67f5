/*
 * Particles of the cuda backend that several devices share, each of a rank (core/ranks.h): threads
 * of a process, or processes.
 *
 * Each device has a run of the bricks along the curve of the ordering and moves the particles in
 * them. Bins, bricks, tiles and lists are those of one device, and so is the order in which forces
 * are added up: the bits are the same. In storage lie, sorted by bin as on one device, the own
 * particles, and around them those of other devices in the bins around own bricks:
 *
 *     place | of devices before | own ............ | of devices behind |
 *          first[0]            first[self]        first[self + 1]     first[devices]
 *
 * After each step a device packs those of its own that others need, in their order, and each of
 * these puts its part of that where it belongs (md_deliver.c): devices of a process, and of
 * processes that show each other their memory, wait for an event of the other and read its memory
 * in one kernel, or have it copied where that is out of reach; others take the ways of
 * core/rank_way.h, or send messages through page-locked memory of the host. Whether a particle has
 * gone too far for the lists goes along. At a rebuild particles go to all who need what is in the
 * bins that they have come to, and the sort puts them into the order.
 *
 * Where all reach the memory of all, a step is two kernels beside each other: bricks at the front,
 * of which others need particles or which need theirs, and the rest. What others need is on its way
 * while the rest is computed:
 *
 *     ahead    front of step n | tell | take what others have told        front of step n + 1 ...
 *     stream   rest of step n .................................| agree |  rest of step n + 1 ...
 *
 * At the end all agree on whether a particle of any has gone too far, which takes an event and one
 * number of each of the others. Where lists last long and velocities have two buffers they do not:
 * a device tells it with its next step, which all have done by then. That is one too many, which
 * the steps behind it, or the end of the sequence, undo (md_force_args.late).
 *
 * At a rebuild the host waits for numbers of all devices, the devices hardly for the host: own
 * particles are binned, and those that others need counted, behind the steps that the lists are
 * for; what the sort has made of the places is read while lists are made:
 *
 *     stream   steps | bin, count |  | pack | take | sort | lists ............ | borders | steps
 *     host                        | counts of all         | places of all      | errors of all
 *
 * Spins of rough grains go where velocities do; contacts are the owner's alone, and go with the
 * grain to another one (md_contacts.c). Since they remember each step, stops of rough grains are
 * not late. With a barostat each device has the sums of all bricks in each step, and makes the same
 * box of them; bins are fractions of that, so that no brick changes hands with it.
 *
 * An error in a step is told as a stop, and read of all at the next wait (md_share_read_control).
 * All devices call the same functions at the same time.
 */
#ifndef TORRE_MD_SHARE_H
#define TORRE_MD_SHARE_H

#include "md_cuda_solver.h"
#include "particles/bin_split.h"

/* Memory of a device, or page-locked of the host, that grows as it must. */
typedef struct md_share_room {
    char *bytes;
    int64_t room;
    bool of_host;
} md_share_room;

/* Parts of what a device tells another one. */
enum { MD_SHARE_PARTS = MD_TOLD + 1 };

/* To another device of the process: where to copy from, once it is there. */
typedef struct md_share_letter {
    torre_rank_piece part[MD_SHARE_PARTS];
    int device;
    cudaEvent_t ready;
} md_share_letter;

/* What the host reads in a rebuild. */
typedef struct md_share_counts {
    int lent[2][MD_DEVICES];   /* of md_lend_args */
    int first[MD_DEVICES + 1]; /* of md_share */
} md_share_counts;

struct md_share {
    const torre_ranks *ranks;
    torre_rank_path *const *path; /* of md_cuda_program */
    torre_bin_split split;        /* of the bricks */
    bool uneven;                  /* they are to be shared anew */
    int64_t cut_most;           /* particles of the device with most, when they were; 0: not yet */
    int64_t own_of[MD_DEVICES]; /* particles of each device, */
    int first[MD_DEVICES + 1];  /* the place here of the first of them, */
    int lent[MD_DEVICES + 1];   /* and in lent_places of those that it needs of this one */
    md_share_room need;         /* of md_sort_args */
    md_share_room lent_places;  /* int [lent[devices]] */
    int *count, *last;          /* device: lent of md_lend_args; what others say of `last` */
    md_share_counts *counts;    /* page-locked */
    bool counted;               /* own particles are binned for the next rebuild */
    md_share_room passed;       /* of a rebuild: positions, velocities, spins, ids */
    md_share_room gone;         /* of rough grains that change owners: ids, keys, springs; and */
    md_share_room come;         /* those that come */
    md_share_room told[2];      /* after a step: positions, velocities, spins, last; in turn */
    md_share_room scan;         /* of md_border_args */
    md_share_room speeds;       /* of the bricks of all: sums of thermostats, barostats, fire.h */
    md_share_room sums;         /* of own bricks, all of them */
    cudaEvent_t ready[2];       /* what is told is there, in turn */
    int turn, turn_told;
    md_share_room rows;     /* int [own bricks]: rows of the tables, those at the front first */
    int front_count;        /* how many these are */
    bool knows_all, splits; /* who reaches whom; all reach all: steps are two kernels */
    cudaStream_t ahead;     /* of the front */
    cudaEvent_t begun, told_all; /* of a step: in the solver's stream, and in this one */
    cudaEvent_t read, listed;    /* counts are there; lists, and what they say */
    bool met[MD_DEVICES], reached[MD_DEVICES]; /* told of where they are; whose memory this device
                                                  reaches */
    md_share_letter letter[2][MD_DEVICES];
    torre_rank_piece out[MD_DEVICES][MD_SHARE_PARTS], in[MD_DEVICES][MD_SHARE_PARTS];
    md_share_room sent, taken; /* page-locked: messages of all parts */
    void *kept[128];           /* what told and passed were before they grew: others may look */
    int kept_count;
    void *said;      /* what was said last */
    double waited_s; /* for other devices */
};

/* TORRE_ERR_USAGE: what several devices do not do. */
torre_status md_share_check(const md_cuda_program *program, const torre_ranks *ranks);
/* Particles that a device is likely to have room for. */
int64_t md_share_places(const md_cuda_program *program);

/* Memory for so many bytes; what was there may be gone. Of what others look at it
 * stays where they are processes. */
torre_status md_share_make_room(md_share_room *r, int64_t bytes, const char *what);
torre_status md_share_make_shown_room(md_share *share, md_share_room *r, int64_t bytes);

/* Queue that parts of `out` of all are in those of `in`; but for those that *take (may be NULL) is
 * told of, for the caller. */
torre_status md_share_deliver(md_cuda_solver *s, cudaStream_t stream, md_take_args *take);
/* Whether this device reaches the memory of all others, which have these devices. */
torre_status md_share_reaches(md_cuda_solver *s, const int device[], bool *all);

/* The share of a solver. */
torre_status md_share_new(md_cuda_solver *s);
void md_share_free(md_share *share); /* NULL is fine */

/* Of the arrays of the first device, which others do not look at: own particles of each. */
torre_status md_share_load(md_cuda_solver *s, const double *const position[3],
                           const double *const velocity[3]);
/*
 * A rebuild: particles to who needs them, sort, lists. look: at how far they have gone, which is in
 * the control block; where somebody is nowhere, as it says, nothing else is done. sorted: recorded
 * behind the sort, or NULL.
 */
torre_status md_share_rebuild(md_cuda_solver *s, double half_step, double most, bool look,
                              cudaEvent_t sorted);
/* Queue what that begins with, behind steps whatever becomes of which a rebuild with `look` comes
 * next; where a step fails, md_share.counted is to be false again. */
torre_status md_share_foresee(md_cuda_solver *s, double half_step, double most);
/* Queue that quads of others (MD_TOLD; NULL: not those) are what they are now; and that all stop
 * where one does. */
torre_status md_share_tell(md_cuda_solver *s, cudaStream_t stream, void *const quads[MD_TOLD]);
/* Of a step that is two kernels: `ahead` begins where the solver's stream is; that stream goes on
 * where `ahead` is; all stop where one does. */
torre_status md_share_fork(md_cuda_solver *s);
torre_status md_share_join(md_cuda_solver *s);
torre_status md_share_agree(md_cuda_solver *s);
/* Queue that sums of all, from partial sums of the bricks, are in s->total of each. */
torre_status md_share_total(md_cuda_solver *s);
/* Queue that the first so many sums of the bricks of others are in s->partial, as on one device. */
torre_status md_share_speeds(md_cuda_solver *s, int sums);
/* Sums over own particles in s->total + MD_SUMS become those of all, to rounding; what a thermostat
 * took is the same of all (one number of each device), or in parts. */
torre_status md_share_add(md_cuda_solver *s, bool taken_in_parts);
/* What there is of a visit (state of particles/md.h), of which the first device alone has the
 * caller's. md_share_visit: as that, of what is the same of all. */
typedef struct md_share_visitor {
    const torre_ranks *ranks;
    torre_md_visit *visit;
    void *context;
} md_share_visitor;
torre_status md_share_visit(void *visitor, const char *name, void *data, int64_t bytes);
/* The arrays of a state; anew: the layout is to be another one. Then lists, as md_cuda_resume. */
torre_status md_share_state(md_cuda_solver *s, const md_share_visitor *to, bool anew);
torre_status md_share_resume(md_cuda_solver *s);
/* Behind those: quads by place. */
torre_status md_share_visit_quads(md_cuda_solver *s, const md_share_visitor *to, const char *name,
                                  void *quads);
/* md_cuda_read_control, with errors and the largest displacement of all. */
torre_status md_share_read_control(md_cuda_solver *s, md_control *control,
                                   double total[2 * MD_SUMS]);

/* md_contacts.c: contacts of rough grains, which lie by id and are those of the owner's. */
/* gone[from][to]: of this rebuild. Room for what goes, whose ids are to be at `id`, and beginning
 * in it of what goes to each; then, with the ids there, to their new owners. */
typedef struct md_contacts_gone {
    int count[MD_DEVICES][MD_DEVICES];
} md_contacts_gone;
torre_status md_contacts_room(md_cuda_solver *s, const md_contacts_gone *gone, int first[],
                              int **id);
torre_status md_contacts_pass(md_cuda_solver *s, const md_contacts_gone *gone);
/* As md_share_visit_quads: rows of `each` bytes by id. */
torre_status md_contacts_visit(md_cuda_solver *s, const md_share_visitor *to, const char *name,
                               void *rows, int64_t each);

#endif
