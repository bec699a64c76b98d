/* x86-64, System V ABI (AMD64 supplement 1.0, sections 3.2.3 and 3.6.2). */
#define _GNU_SOURCE /* struct user_fpregs_struct */
#include "observe/capture/trace_arch.h"

#if defined(__x86_64__)
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>

enum { first_vector = 17, vector_nr = 16, general_nr = 16, stack_pointer = 7 };
static const size_t in_registers_max = 16, slot_bytes = 8;

const struct trace_arch *trace_arch_here(void)
{
    static const struct trace_arch arch = {
        .name = "x86-64",
        .breakpoint = {0xcc},
        .breakpoint_bytes = 1,
        .breakpoint_moves = 1,
        .general_bytes = sizeof(struct user_regs_struct),
        .pc_offset = offsetof(struct user_regs_struct, rip),
    };

    return &arch;
}

int trace_get_frame(pid_t thread, struct entry_frame *frame)
{
    struct user_regs_struct regs;
    struct user_fpregs_struct vectors;

    if (trace_get_registers(thread, NT_PRSTATUS, &regs, sizeof(regs)) ||
        trace_get_registers(thread, NT_PRFPREG, &vectors, sizeof(vectors)))
        return -1;
    const unsigned long long general[general_nr] = {
        regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp,
        regs.r8,  regs.r9,  regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15};
    for (size_t i = 0; i < general_nr; i++)
        trace_frame_put(frame, i, &general[i], sizeof(general[i]));
    for (size_t i = 0; i < vector_nr; i++)
        trace_frame_put(frame, first_vector + i, (const char *)vectors.xmm_space + 16 * i,
                        16);
    frame->cfa = general[stack_pointer] + slot_bytes; /* the return address */
    return 0;
}

void trace_places(const struct entry_frame *frame, const struct trace_passed *passed,
                  size_t nr, struct entry_place *place)
{
    static const int integer[] = {5, 4, 1, 2, 8, 9}; /* rdi rsi rdx rcx r8 r9 */
    size_t integers = 0, reals = 0;
    uint64_t stack = frame->cfa;

    memset(place, 0, nr * sizeof(*place));
    for (size_t i = 0; i < nr; i++) {
        if (passed[i].kind == 's' && passed[i].bytes <= in_registers_max)
            return; /* would have to be classified by its fields */
        if (passed[i].kind == 'i' && integers < ARRAY_SIZE(integer)) {
            place[i] = (struct entry_place){.kind = ENTRY_IN_REGISTER,
                                            .number = integer[integers++]};
        } else if (passed[i].kind == 'f' && reals < 8) {
            place[i] = (struct entry_place){.kind = ENTRY_IN_REGISTER,
                                            .number = first_vector + (int)reals++};
        } else {
            place[i] = (struct entry_place){.kind = ENTRY_IN_MEMORY, .address = stack};
            stack += (passed[i].bytes + slot_bytes - 1) / slot_bytes * slot_bytes;
        }
    }
}
#endif
