/*
 * What one machine instruction is, for counting and for following where it goes, by the
 * adapters of Zydis (decode_x86.c) and of capstone (decode.c).
 */
#ifndef CORE_CODE_DECODE_H
#define CORE_CODE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/code/work.h"

struct error;

enum { DECODE_BYTES = 16 }; /* no instruction is longer */

enum decode_arch { DECODE_X86, DECODE_ARM64, DECODE_POWER, DECODE_NONE };
enum decode_arch decode_arch_here(void);

enum decoded_branch {
    BRANCH_NONE,
    BRANCH_DIRECT,  /* its target stands in the code; may not be taken */
    BRANCH_INDIRECT /* its target is in a register or in memory; returns are none */
};

/* Where execution goes behind it. */
enum decoded_flow {
    FLOW_NEXT,        /* to what follows, also behind calls */
    FLOW_CONDITIONAL, /* there, or to the target */
    FLOW_JUMP,        /* to the target; where that is unknown, anywhere in the function */
    FLOW_END          /* back to the caller, or nowhere */
};

struct decoded {
    bool known;     /* else the rest is unknown but for `bytes`, which then is a guess */
    unsigned bytes; /* length */
    bool repeats;   /* executes in place until a counter is 0 */
    enum decoded_branch branch;
    enum decoded_flow flow;
    uint64_t target; /* of a BRANCH_DIRECT, else 0 */
    /* Of one execution: additions, subtractions, multiplications, divisions and square
     * roots, a fused multiply-add counts 2. Masks are not looked at: all lanes count. */
    double flops;
    double divisions; /* of the FLOP, divisions and square roots */
};

struct decoder;
/* STATUS_MISSING when the library does not know the architecture. */
int decoder_new(enum decode_arch arch, struct decoder **decoder, struct error *err);
void decoder_free(struct decoder *decoder); /* NULL is fine */
struct decoded decode(const struct decoder *decoder, const uint8_t code[DECODE_BYTES],
                      uint64_t pc);
/* x86-64 and arm64 without SVE; of others `known` is false. */
struct instruction_work decode_work(const struct decoder *decoder,
                                    const uint8_t code[DECODE_BYTES], uint64_t pc);

#endif
