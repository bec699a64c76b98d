/*
 * What tracing needs to know of an architecture: its breakpoint, its registers by their
 * numbers in DWARF, how functions are called. One file per architecture, of which one is
 * compiled in. Private to core/observe.
 */
#ifndef CORE_OBSERVE_TRACE_ARCH_H
#define CORE_OBSERVE_TRACE_ARCH_H

#include <sys/types.h>

#include "core/code/code.h"

struct trace_arch {
    const char *name;
    uint8_t breakpoint[4];
    size_t breakpoint_bytes;
    uint64_t breakpoint_moves; /* the program counter stands that far behind it */
};
/* NULL = tracing does not know this architecture. */
const struct trace_arch *trace_arch_here(void);

/* One parameter as the calling convention sees it. */
struct trace_passed {
    char kind; /* 'i' integers and pointers, 'f' floating point, 's' a struct by value */
    size_t bytes;
};

/* Of a stopped thread; 0 or -1. */
int trace_get_pc(pid_t thread, uint64_t *pc);
int trace_set_pc(pid_t thread, uint64_t pc);
/* Registers and the caller's stack, at a function's first instruction. */
int trace_get_frame(pid_t thread, struct entry_frame *frame);
/* Fills `place` for each parameter; what the rules here do not cover is ENTRY_NOWHERE,
 * and so is all that follows it. */
void trace_places(const struct entry_frame *frame, const struct trace_passed *passed,
                  size_t nr, struct entry_place *place);

#endif
