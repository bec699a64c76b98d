/*
 * What tracing needs to know of an architecture: its breakpoint, its registers by their
 * numbers in DWARF, how functions are called. One file per architecture, of which one is
 * compiled in. Private to observe/capture.
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
    size_t general_bytes;      /* of struct user_regs_struct ... */
    size_t pc_offset;          /* ... and where in it the program counter stands */
};
/* NULL = tracing does not know this architecture. */
const struct trace_arch *trace_arch_here(void);

/* One parameter as the calling convention sees it. */
struct trace_passed {
    char kind; /* 'i' integers and pointers, 'f' floating point, 's' a struct by value */
    size_t bytes;
};

/* Of a stopped thread; 0 or -1. trace_registers.c: what is alike on all of them. */
int trace_get_pc(pid_t thread, uint64_t *pc);
int trace_set_pc(pid_t thread, uint64_t pc);
/* A set of registers as the kernel has it: NT_PRSTATUS, NT_PRFPREG ... */
int trace_get_registers(pid_t thread, long set, void *registers, size_t bytes);
void trace_frame_put(struct entry_frame *frame, size_t number, const void *bytes,
                     size_t length);

/* Registers and the caller's stack, at a function's first instruction. */
int trace_get_frame(pid_t thread, struct entry_frame *frame);
/* Fills `place` for each parameter; what the rules here do not cover is ENTRY_NOWHERE,
 * and so is all that follows it. */
void trace_places(const struct entry_frame *frame, const struct trace_passed *passed,
                  size_t nr, struct entry_place *place);

#endif
