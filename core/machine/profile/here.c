#include "core/machine/profile/here.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/machine/topology/arch.h"
#include "core/machine/topology/memory.h"
#include "core/machine/topology/team.h"

struct introduction {
    struct cpu_identity *identity;
    int pin_error;
};

static void introduce(struct team_member *member)
{
    struct introduction *task = member->task;

    cpu_identity_here(task->identity);
    task->identity->core_type = arch_core_type();
    task->pin_error = member->pin_error;
}

/* The cores that we use say who they are, where there are several kinds. Returns why they
 * cannot be chosen, 0 = they can. */
static int identity_of(const struct topology *topology, struct cpu_identity *identity)
{
    struct introduction task = {.identity = identity};

    if (team_run(topology, 1, introduce, &task, NULL))
        cpu_identity_here(identity);
    return task.pin_error;
}

static char *cpu_text(const struct cpu_identity *identity)
{
    if (identity->family < 0)
        return xstrdup(identity->name);
    return xasprintf("%s, family %X model %X stepping %X",
                     identity->name[0] ? identity->name : identity->vendor,
                     (unsigned)identity->family, (unsigned)identity->model,
                     (unsigned)identity->stepping);
}

char *machine_cpu_model(void)
{
    struct cpu_identity identity;

    cpu_identity_here(&identity);
    return cpu_text(&identity);
}

static void add_levels(const struct topology *topology, struct machine *machine)
{
    const struct topology_cache *cache;

    while (machine->level_nr < MACHINE_LEVELS_MAX &&
           (cache = topology_cache(topology, machine->level_nr + 1, false)))
        machine->level[machine->level_nr++] =
            (struct machine_level){.level = cache->level,
                                   .claimed_bytes = cache->bytes,
                                   .ways = cache->ways,
                                   .cores_sharing = cache->cores_sharing,
                                   .latency_ns = quantity_unknown(),
                                   .one_core.read_gbs = quantity_unknown(),
                                   .one_core.random_lines_per_s = quantity_unknown()};
}

/* "key=value; key=value": compared part by part, so that a difference can be named. */
static char *fingerprint(const struct machine *machine)
{
    struct buf text = {0};

    buf_addf(&text, "cpu=%s; cores=%d; threads per core=%d; line bytes=%d",
             machine->cpu_model, machine->cores, machine->threads_per_core,
             machine->line_bytes);
    for (int i = 0; i < machine->level_nr; i++)
        buf_addf(&text, "; L%d bytes=%.0f", machine->level[i].level,
                 machine->level[i].claimed_bytes);
    buf_addf(&text, "; transparent huge pages=%s", memory_thp_mode());
    return buf_detach(&text);
}

void machine_identify(const struct topology *topology, struct machine *machine)
{
    struct cpu_identity identity;
    int pin_error = identity_of(topology, &identity);

    for (size_t i = 0; i < topology->note.nr; i++)
        strvec_push(&machine->note, topology->note.v[i]);
    if (pin_error)
        strvec_pushf(&machine->note,
                     "threads could not be pinned (%s): the scheduler places them, which "
                     "adds noise",
                     strerror(pin_error));
    machine->cpu_model = cpu_text(&identity);
    machine->name = xstrdup(identity.name[0] ? identity.name : identity.vendor);
    machine->cores = (int)topology->cpus.cpu_nr;
    machine->threads_per_core = topology->cpus.threads_per_core;
    machine->sockets = topology->sockets;
    machine->numa_nodes = topology->numa_nodes;
    machine->memory_bytes = topology->memory_bytes;
    machine->line_bytes = topology_line_bytes(topology);
    add_levels(topology, machine);
    machine->fingerprint = fingerprint(machine);
}

static int kib_of(const struct topology *topology, int level, bool instruction)
{
    const struct topology_cache *cache = topology_cache(topology, level, instruction);

    return cache ? (int)(cache->bytes / 1024) : 0;
}

static void apply_row(const struct topology *topology, const struct cpu *row,
                      struct machine *machine)
{
    machine->microarchitecture = xstrdup(row->name);
    machine->rob_entries = row->rob_entries;
    if (row->line_bytes && !topology_reported_line_bytes(topology))
        machine->line_bytes = row->line_bytes;
    if (row->transfer_bytes < machine->line_bytes)
        machine->transfer_bytes = row->transfer_bytes;
}

const struct cpu *machine_recognise(const struct topology *topology,
                                    const struct cpu_table *table,
                                    struct machine *machine,
                                    struct cpu_identity *identity)
{
    struct cpu_caches caches = {.l1d_kib = kib_of(topology, 1, false),
                                .l1i_kib = kib_of(topology, 1, true),
                                .l2_kib = kib_of(topology, 2, false)};
    struct buf sentence = {0};
    const struct cpu *row;

    identity_of(topology, identity);
    row = cpu_recognise(table, identity, &caches, &sentence);
    machine->recognition = buf_detach(&sentence);
    if (row)
        apply_row(topology, row, machine);
    return row;
}

/* Length of the part up to "; " or the end. */
static size_t part_length(const char *text)
{
    const char *end = strstr(text, "; ");

    return end ? (size_t)(end - text) : strlen(text);
}

static const char *after_part(const char *text)
{
    text += part_length(text);
    return *text ? text + 2 : text;
}

/* The value of `key` (key_length characters and '=') in a fingerprint, NULL if it has
 * none. */
static const char *value_in(const char *text, const char *key, size_t key_length)
{
    for (; *text; text = after_part(text))
        if (strncmp(text, key, key_length) == 0 && text[key_length] == '=')
            return text + key_length + 1;
    return NULL;
}

static bool is_key(const char *part, const char *key)
{
    return strncmp(part, key, strlen(key)) == 0 && part[strlen(key)] == '=';
}

static void say_difference(const char *part, const char *value, struct buf *why)
{
    size_t key_length = strcspn(part, "=");
    int there = (int)(part_length(part) - key_length - 1);
    int here = value ? (int)part_length(value) : 0;

    if (value && is_key(part, "cores"))
        buf_addf(why, "the profile was made with %.*s core%s, %.*s usable here", there,
                 part + key_length + 1,
                 strtol(part + key_length + 1, NULL, 10) == 1 ? "" : "s", here, value);
    else
        buf_addf(why, "the profile was made with %.*s, here it is %.*s",
                 (int)part_length(part), part, value ? here : 9,
                 value ? value : "not there");
}

static bool part_matches(const char *part, const char *other, struct buf *why)
{
    size_t length = part_length(part), key_length = strcspn(part, "=");
    const char *value;

    if (key_length >= length)
        return true;
    value = value_in(other, part, key_length);
    if (value && part_length(value) == length - key_length - 1 &&
        strncmp(value, part + key_length + 1, part_length(value)) == 0)
        return true;
    say_difference(part, value, why);
    return false;
}

bool fingerprints_match(const char *there, const char *here, struct buf *why)
{
    for (const char *part = there; *part; part = after_part(part))
        if (!part_matches(part, here, why))
            return false;
    for (const char *part = here; *part; part = after_part(part))
        if (!value_in(there, part, strcspn(part, "="))) {
            buf_addf(why, "the profile does not know of %.*s", (int)part_length(part),
                     part);
            return false;
        }
    return true;
}

bool fingerprints_same_hardware(const char *there, const char *here)
{
    struct buf why = {0};
    bool same = true;

    for (const char *part = there; *part && same; part = after_part(part))
        same = is_key(part, "cores") || part_matches(part, here, &why);
    buf_release(&why);
    return same;
}

/* Why fewer cores than there are can be used. */
static void add_reasons(const struct topology *topology, struct buf *why)
{
    for (size_t i = 0; i < topology->note.nr; i++)
        buf_addf(why, "%s%s", i ? ", " : ": ", topology->note.v[i]);
}

/* The machine that we are on, as far as it can be told without measuring. The caller
 * releases both. */
static int look_here(const struct topology_source *source, struct topology *topology,
                     struct machine *here, struct error *err)
{
    *here = (struct machine){0};
    if (topology_load_from(source, topology, err))
        return -1;
    machine_identify(topology, here);
    return 0;
}

bool machine_matches(const struct machine *machine, const struct topology_source *source,
                     struct buf *why)
{
    struct topology topology;
    struct machine here;
    struct error err = {0};
    bool match;

    if (look_here(source, &topology, &here, &err)) {
        buf_add(why, err.text);
        return false;
    }
    match = fingerprints_match(machine->fingerprint, here.fingerprint, why);
    if (!match && strstr(buf_str(why), "usable here"))
        add_reasons(&topology, why);
    machine_release(&here);
    topology_release(&topology);
    return match;
}

bool machine_is_this_hardware(const struct machine *machine)
{
    struct topology_source source = {.spec = NULL};
    struct topology topology;
    struct machine here;
    struct error err = {0};
    bool same;

    if (!machine->fingerprint || look_here(&source, &topology, &here, &err))
        return false;
    same = fingerprints_same_hardware(machine->fingerprint, here.fingerprint);
    machine_release(&here);
    topology_release(&topology);
    return same;
}

bool machine_matches_here(const struct machine *machine, struct buf *why)
{
    if (machine->fingerprint)
        return machine_matches(machine, &(struct topology_source){.spec = NULL}, why);
    buf_addf(why, "'%s' is a published profile, not one of this machine", machine->name);
    return false;
}

char *machine_fingerprint_here(void)
{
    struct topology_source source = {.spec = NULL};
    struct topology topology;
    struct machine here;
    if (look_here(&source, &topology, &here, NULL))
        return NULL;
    char *fingerprint = xstrdup(here.fingerprint);
    machine_release(&here);
    topology_release(&topology);
    return fingerprint;
}
