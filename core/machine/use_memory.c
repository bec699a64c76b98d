#include <string.h>

#include "core/machine/profile.h"

static struct machine_memory *memory_of(struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->memory_nr; i++)
        if (strcmp(machine->memory[i].name, name) == 0)
            return &machine->memory[i];
    return NULL;
}

static int no_memory(const struct machine *machine, const char *name, struct error *err)
{
    struct buf names = {0};

    for (size_t i = 0; i < machine->memory_nr; i++)
        buf_addf(&names, "%s'%s'", i ? ", " : "", machine->memory[i].name);
    fail(err, STATUS_USAGE,
         machine->memory_nr ? "the profile '%s' knows no memory '%s'; it knows %s"
                            : "the profile '%s' knows no memory '%s', only one without "
                              "a name; leave --memory out%s",
         machine->name, name, buf_str(&names));
    buf_release(&names);
    return -1;
}

/* The curves change places: both are released with the profile. */
int machine_use_memory(struct machine *machine, const char *name, struct error *err)
{
    struct machine_memory *memory = memory_of(machine, name);
    struct machine_curve *curve = machine->curve;
    size_t nr = machine->curve_nr, alloc = machine->curve_alloc;

    if (!memory)
        return no_memory(machine, name, err);
    machine->memory_latency_ns = memory->latency_ns;
    machine->node_read_gbs = memory->node_read_gbs;
    machine->node_copy_gbs = memory->node_copy_gbs;
    machine->memory_bytes = memory->bytes;
    machine->curve = memory->curve;
    machine->curve_nr = memory->curve_nr;
    machine->curve_alloc = memory->curve_alloc;
    memory->curve = curve;
    memory->curve_nr = nr;
    memory->curve_alloc = alloc;
    return 0;
}
