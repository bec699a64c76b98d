/* The loops of machine code: natural loops (back edges to a block that dominates their
 * origin) of the control flow between decoded instructions. Pure. */
#ifndef CORE_CODE_MACHINE_LOOPS_H
#define CORE_CODE_MACHINE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "core/code/decode.h"

struct machine_instruction {
    uint64_t address;
    enum decoded_flow flow;
    uint64_t target; /* 0 = not in the code */
};

/* Of one function, ascending. loop[i]: the innermost loop that instruction i is in, 0 ..
 * returned number - 1, or -1. A loop is whatever has one first instruction; jumps whose
 * target is not in the code (tables) go wherever nothing else leads to. */
size_t machine_loops_find(const struct machine_instruction *code, size_t nr, int *loop);

#endif
