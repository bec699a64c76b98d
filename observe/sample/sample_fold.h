/* From records of the kernel to places that were hit: which file lay at which address of
 * which process. Pure; the records must come in order of time. */
#ifndef CORE_OBSERVE_SAMPLE_FOLD_H
#define CORE_OBSERVE_SAMPLE_FOLD_H

#include "observe/sample/sample.h"

enum sample_kind {
    SAMPLE_CLOCK,
    SAMPLE_MISS, /* of the second event */
    SAMPLE_MAP,  /* executable code was mapped */
    SAMPLE_FORK, /* a process or a thread began */
    SAMPLE_EXEC, /* the process became another program: nothing is mapped yet */
    SAMPLE_LOST
};

struct sample_record {
    enum sample_kind kind;
    uint64_t time_ns;
    int process, thread;
    int parent;              /* FORK: the process it came from */
    uint64_t address;        /* of the sample; where the mapping begins */
    uint64_t length, offset; /* MAP: bytes; where in the file it begins */
    uint64_t count;          /* LOST: how many */
    char *path;              /* MAP, owned */
};

struct sample_fold;
struct sample_fold *sample_fold_new(struct samples *samples); /* fills these */
void sample_fold_add(struct sample_fold *fold, const struct sample_record *record);
void sample_fold_free(struct sample_fold *fold); /* NULL is fine */

#endif
