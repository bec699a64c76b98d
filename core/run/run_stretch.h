/*
 * Stretches of instructions out of the middle of a call, with the addresses they touch:
 * what a model of the core runs over (core/pipeline). The timing program, vector code and
 * all, runs on by itself; at moments spread over the call it is stopped (ptrace) and
 * stepped through for a while.
 */
#ifndef CORE_RUN_RUN_STRETCH_H
#define CORE_RUN_RUN_STRETCH_H

#include "core/base/array.h"
#include "core/code/code.h"

struct error;
struct run_opts;
struct run_program;

/* One distinct instruction. */
struct stretch_place {
    uint64_t pc;      /* as in the program's file: without where it was loaded */
    const char *file; /* of the source, as the compiler was told it; NULL = not known */
    /* Of it; 0 = not known. The user's file as it stands where the program was built from
     * it (variant_build_file); what a plan emits has no lines for the pragmas. */
    int line;
    bool in_kernel; /* the file's own code, not a library's */
    struct decoded what;
    struct instruction_work work;
};

/* One that was executed. */
struct stretch_step {
    uint32_t place;
    uint32_t address, address_nr; /* [address, address + address_nr) of stretches.address;
                                     none where it touches no memory, or it is not known.
                                     Where it stores elsewhere than it loads (is_apart)
                                     the load's comes first */
    bool taken;        /* of branches: what follows is not the next instruction */
    bool mispredicted; /* by a model of a predictor that has seen all stretches before */
};

struct stretch_array {
    char *name; /* of the kernel's parameter */
    uint64_t from, bytes;
};

struct stretches {
    struct stretch_place *place;
    size_t place_nr, place_alloc;
    struct stretch_step *step;
    size_t step_nr, step_alloc;
    uint64_t *address; /* of the first byte of each access */
    size_t address_nr, address_alloc;
    size_t *begin; /* [k]: the first step of stretch k */
    size_t begin_nr, begin_alloc;
    struct stretch_array *array;
    size_t array_nr;
    struct strvec file; /* of the places */
    bool whole;         /* one stretch, from the beginning of the call to its end */
};
void stretches_release(struct stretches *stretches);

/* What some steps executed. */
struct stretch_counts {
    double instructions; /* one that repeats itself (string moves) is one */
    double flops;     /* as in struct decoded: packed ones by the lanes of the register */
    double divisions; /* of these */
    double undecoded; /* instructions of unknown kind, their FLOP not counted */
    double branches_missed;
    double code_bytes;  /* of distinct instructions */
    double array_bytes; /* loaded from the arrays and stored to them */
    /* Of these by vectors with a mask, all lanes: nobody looked which were on. */
    double masked_bytes;
};
/* Of the steps [first, end). */
struct stretch_counts stretches_count(const struct stretches *stretches, size_t first,
                                      size_t end);

struct stretch_request {
    double call_s; /* what a call takes; 0 = not known: one stretch at the beginning */
    size_t nr;     /* stretches, spread over the call */
    size_t instructions; /* of each, at most */
    double limit_s;      /* all of it, the start of the program included */
};
/* Fails (STATUS_FAILED, STATUS_MISSING) with the reason where a child may not be traced
 * or its instructions cannot be decoded. A call that ends before the first stop gives one
 * stretch from its beginning. */
int run_stretches(const struct run_program *program, const struct run_opts *opts,
                  const struct stretch_request *request, struct stretches *out,
                  struct error *err);

#endif
