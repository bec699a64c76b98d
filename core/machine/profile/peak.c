#include "core/machine/profile/peak.h"

#include <math.h>
#include <stdlib.h>

void peak_find(struct machine *machine, const struct cpu *cpu,
               const struct cpu_identity *identity, double given_gbs)
{
    const struct cpu_memory *memory = cpu ? cpu_memory_of(cpu, identity) : NULL;
    double max = memory ? memory->gbs * machine->sockets : 0;

    machine->peak_gbs = quantity_unknown();
    free(machine->peak_source);
    machine->peak_source = NULL;
    if (given_gbs > 0) {
        machine->peak_gbs = quantity_exact(given_gbs, PROVENANCE_DECLARED);
        machine->peak_source =
            max > 0 && given_gbs > max
                ? xasprintf("as given, though it is more than %g GB/s: %s", max,
                            memory->source)
                : xstrdup("as told");
    } else if (max > 0) {
        machine->peak_gbs =
            quantity_between(max, memory->exact ? max : 0, max, 0, PROVENANCE_TABLE);
        machine->peak_source = xasprintf(
            "%s%s%s", memory->exact ? "" : "the most it takes: ", memory->source,
            memory->exact ? "" : "; fewer where channels are empty or memory is slower");
    }
}

void peak_check(struct machine *machine)
{
    /* Whether stores read their lines first is not sure; the program's own bytes are. */
    const struct quantity drawn[] = {machine->node_read_gbs, machine->all_cores.copy_gbs,
                                     machine->all_cores.triad_gbs};
    double max = 0;

    for (size_t i = 0; i < ARRAY_SIZE(drawn); i++)
        if (drawn[i].known)
            max = fmax(max, drawn[i].low);
    if (!machine->peak_gbs.known || max <= machine->peak_gbs.high)
        return;
    strvec_pushf(&machine->note,
                 "the peak of memory is not %.4g GB/s (%s): %.3g GB/s were measured; "
                 "'inflight machine --peak RATE' sets another",
                 machine->peak_gbs.high, machine->peak_source, max);
    machine->peak_gbs = quantity_unknown();
    free(machine->peak_source);
    machine->peak_source = NULL;
}
