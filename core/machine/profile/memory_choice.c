/* One of the memories of a machine in place of its own. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/machine/machine.h"

static const struct machine_memory *find(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->memory_nr; i++)
        if (!strcmp(machine->memory[i].name, name))
            return &machine->memory[i];
    return NULL;
}

static int fail_unknown(const struct machine *machine, const char *name,
                        struct error *err)
{
    struct buf names = {0};

    if (!machine->memory_nr)
        return fail(
            err, STATUS_INPUT,
            "the profile '%s' describes only one memory; there is no '%s' to choose",
            machine->name, name);
    for (size_t i = 0; i < machine->memory_nr; i++)
        buf_addf(&names, "%s'%s'", i ? ", " : "", machine->memory[i].name);
    fail(err, STATUS_INPUT, "the profile '%s' has no memory '%s'; it has %s",
         machine->name, name, buf_str(&names));
    buf_release(&names);
    return -1;
}

static struct machine_curve copy_of(const struct machine_curve *from)
{
    struct machine_curve copy = *from;

    copy.point = xcalloc(from->point_nr, sizeof(*copy.point));
    copy.point_alloc = from->point_nr;
    memcpy(copy.point, from->point, from->point_nr * sizeof(*copy.point));
    return copy;
}

static void replace_curves(struct machine *machine, const struct machine_memory *memory)
{
    for (size_t i = 0; i < machine->curve_nr; i++)
        free(machine->curve[i].point);
    machine->curve_nr = 0;
    for (size_t i = 0; i < memory->curve_nr; i++) {
        GROW(machine->curve, i + 1, machine->curve_alloc);
        machine->curve[machine->curve_nr++] = copy_of(&memory->curve[i]);
    }
}

static struct machine_rates unknown_rates(void)
{
    struct quantity unknown = quantity_unknown();

    return (struct machine_rates){unknown, unknown, unknown, unknown, unknown, unknown};
}

int machine_use_memory(struct machine *machine, const char *name, struct error *err)
{
    const struct machine_memory *memory = find(machine, name);

    if (!memory)
        return fail_unknown(machine, name, err);
    machine->memory_latency_ns = memory->latency_ns;
    machine->node_read_gbs = memory->node_read_gbs;
    machine->node_copy_gbs = memory->node_copy_gbs;
    machine->memory_bytes = memory->bytes;
    replace_curves(machine, memory);
    /* These were told or measured of the machine's own memory. */
    machine->one_core = machine->all_cores = unknown_rates();
    machine->peak_gbs = quantity_unknown();
    free(machine->peak_source);
    machine->peak_source = NULL;
    return 0;
}
