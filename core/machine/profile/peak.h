/* Private to core/machine: the theoretical bandwidth of memory, told or of the CPU's
 * file.
 */
#ifndef CORE_MACHINE_PEAK_H
#define CORE_MACHINE_PEAK_H

#include "core/cpu/cpu.h"
#include "core/machine/machine.h"

/*
 * Sets machine->peak_gbs and machine->peak_source: what was told (> 0, GB/s of all memory
 * that the cores at hand use), else what the CPU (NULL = not recognised) takes, times
 * machine->sockets; else unknown. What its file says is "at most": its value and high end
 * are all channels at the highest rate, its low end is 0, since channels may be empty and
 * a guest may span only a part of a socket.
 */
void peak_find(struct machine *machine, const struct cpu *cpu,
               const struct cpu_identity *identity, double given_gbs);

/* Once the rates of all cores are measured: a peak that surely was exceeded is
 * no peak; it becomes unknown and a note says so. */
void peak_check(struct machine *machine);

#endif
