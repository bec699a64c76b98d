/* Private to core/machine: what can be said of this machine without measuring. */
#ifndef CORE_MACHINE_HERE_H
#define CORE_MACHINE_HERE_H

#include "core/machine/cpu_table.h"
#include "core/machine/topology.h"

/* Model, topology, claimed cache levels, fingerprint. */
void machine_identify(const struct topology *topology, struct machine *machine);
/* Who we are in the CPU table; fills microarchitecture, recognition, rob_entries. */
const struct cpu_row *machine_recognise(const struct topology *topology,
                                        const struct cpu_table *table,
                                        struct machine *machine);
/* The first part of `there` that `here` has otherwise, said as a sentence. True when
 * there is none. */
bool fingerprints_match(const char *there, const char *here, struct buf *why);

#endif
