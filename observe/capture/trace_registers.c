/* Registers of a stopped thread, as far as architectures do not differ. */
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "observe/capture/trace_arch.h"

enum { general_max = 1024 };

int trace_get_registers(pid_t thread, long set, void *registers, size_t bytes)
{
    struct iovec into = {registers, bytes};

    return ptrace(PTRACE_GETREGSET, thread, (void *)set, &into) ? -1 : 0;
}

static int get_general(pid_t thread, const struct trace_arch *arch,
                       uint8_t general[general_max])
{
    return arch && arch->general_bytes <= general_max
               ? trace_get_registers(thread, NT_PRSTATUS, general, arch->general_bytes)
               : -1;
}

int trace_get_pc(pid_t thread, uint64_t *pc)
{
    const struct trace_arch *arch = trace_arch_here();
    uint8_t general[general_max];

    if (get_general(thread, arch, general))
        return -1;
    memcpy(pc, general + arch->pc_offset, sizeof(*pc));
    return 0;
}

int trace_set_pc(pid_t thread, uint64_t pc)
{
    const struct trace_arch *arch = trace_arch_here();
    uint8_t general[general_max];

    if (get_general(thread, arch, general))
        return -1;
    memcpy(general + arch->pc_offset, &pc, sizeof(pc));
    struct iovec from = {general, arch->general_bytes};
    return ptrace(PTRACE_SETREGSET, thread, (void *)(long)NT_PRSTATUS, &from) ? -1 : 0;
}

void trace_frame_put(struct entry_frame *frame, size_t number, const void *bytes,
                     size_t length)
{
    memcpy(frame->value[number], bytes, length);
    frame->is_known[number] = true;
}
