/* Private to core/machine: what can be said of this machine without measuring. */
#ifndef CORE_MACHINE_HERE_H
#define CORE_MACHINE_HERE_H

#include "core/cpu/cpu.h"
#include "core/machine/machine.h"
#include "core/machine/topology/topology.h"

struct buf;

/* Model, topology, claimed cache levels, fingerprint, and notes on what is not used. */
void machine_identify(const struct topology *topology, struct machine *machine);
/* Who we are in the CPU table, once after machine_identify: fills microarchitecture,
 * recognition, rob_entries, transfer_bytes, and line_bytes where the system does not say
 * it. *identity: who the first of the used cores says it is. */
const struct cpu *machine_recognise(const struct topology *topology,
                                    const struct cpu_table *table,
                                    struct machine *machine,
                                    struct cpu_identity *identity);
/* The first part of `there` that `here` has otherwise, said as a sentence. True when
 * there is none. */
bool fingerprints_match(const char *there, const char *here, struct buf *why);
/* Nothing differs but the number of usable cores. */
bool fingerprints_same_hardware(const char *there, const char *here);
/* As machine_matches_here, for a profile with a fingerprint and what is told of here. */
bool machine_matches(const struct machine *machine, const struct topology_source *source,
                     struct buf *why);

#endif
