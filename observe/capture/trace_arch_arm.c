/* 64-bit Arm, AAPCS64 (2022Q3, section 6.8.2) as on Linux. */
#define _GNU_SOURCE /* struct user_fpsimd_struct */
#include "observe/capture/trace_arch.h"

#if defined(__aarch64__)
#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>

enum { first_vector = 64, vector_nr = 32, general_nr = 31, stack_pointer = 31 };
enum { argument_registers = 8 };

const struct trace_arch *trace_arch_here(void)
{
    static const struct trace_arch arch = {
        .name = "aarch64",
        .breakpoint = {0x00, 0x00, 0x20, 0xd4}, /* brk #0 */
        .breakpoint_bytes = 4,
        .breakpoint_moves = 0,
        .general_bytes = sizeof(struct user_regs_struct),
        .pc_offset = offsetof(struct user_regs_struct, pc),
    };

    return &arch;
}

int trace_get_frame(pid_t thread, struct entry_frame *frame)
{
    struct user_regs_struct regs;
    struct user_fpsimd_struct vectors;

    if (trace_get_registers(thread, NT_PRSTATUS, &regs, sizeof(regs)) ||
        trace_get_registers(thread, NT_PRFPREG, &vectors, sizeof(vectors)))
        return -1;
    for (size_t i = 0; i < general_nr; i++)
        trace_frame_put(frame, i, &regs.regs[i], sizeof(regs.regs[i]));
    trace_frame_put(frame, stack_pointer, &regs.sp, sizeof(regs.sp));
    for (size_t i = 0; i < vector_nr; i++)
        trace_frame_put(frame, first_vector + i, &vectors.vregs[i], 16);
    frame->cfa = regs.sp;
    return 0;
}

void trace_places(const struct entry_frame *frame, const struct trace_passed *passed,
                  size_t nr, struct entry_place *place)
{
    size_t integers = 0, reals = 0;
    uint64_t stack = frame->cfa;

    memset(place, 0, nr * sizeof(*place));
    for (size_t i = 0; i < nr; i++) {
        if (passed[i].kind == 's')
            return; /* depends on its fields; large ones are passed by reference */
        if (passed[i].kind == 'i' && integers < argument_registers) {
            place[i] = (struct entry_place){.kind = ENTRY_IN_REGISTER,
                                            .number = (int)integers++};
        } else if (passed[i].kind == 'f' && reals < argument_registers) {
            place[i] = (struct entry_place){.kind = ENTRY_IN_REGISTER,
                                            .number = first_vector + (int)reals++};
        } else {
            place[i] = (struct entry_place){.kind = ENTRY_IN_MEMORY, .address = stack};
            stack += 8; /* Apple packs them, Linux does not */
        }
    }
}
#endif
