/* Private to core/machine: the theoretical bandwidth of memory, told or looked up
 * (data/memory.json, schema inflight.memory/1). */
#ifndef CORE_MACHINE_PEAK_H
#define CORE_MACHINE_PEAK_H

#include "core/machine/machine.h"
#include "core/machine/topology/arch.h"

/*
 * Sets machine->peak_gbs and machine->peak_source: what was told (> 0, GB/s of all memory
 * that the cores at hand use), else from the table by microarchitecture (NULL = not
 * recognised) and identity, times machine->sockets; else unknown. What the table says is
 * "at most": its value and high end are all channels at the highest rate, its low end is
 * 0, since channels may be empty and a guest may span only a part of a socket.
 */
int peak_find(struct machine *machine, const struct cpu_identity *identity,
              double told_gbs, struct error *err);

/* Once the rates of all cores are measured: a peak that surely was exceeded is
 * no peak; it becomes unknown and a note says so. */
void peak_check(struct machine *machine);

#endif
