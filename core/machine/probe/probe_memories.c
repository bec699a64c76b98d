/* Where there is more than one memory (NUMA nodes, HBM beside DRAM): each seen from the
 * cores that load it. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/curves/curve_source.h"
#include "core/machine/sampling/load.h"
#include "core/machine/topology/team.h"

struct chase_task {
    const struct probe *probe;
    const struct memory_site *site;
    size_t bytes;
    struct region region;
    struct chase chase;
    bool bound;
    struct error err;
};

/* Whoever touches more than a node has free, bound to it, is killed. */
static double share_of_node(const struct memory_site *site)
{
    double free_bytes = topology_free_bytes(site->node), share = site->bytes / 8;

    return free_bytes > 0 ? fmin(share, free_bytes / 4) : share;
}

static void build_chase(struct team_member *member)
{
    struct chase_task *task = member->task;
    struct region *region = &task->region;

    if (region_map(region, task->bytes, true, &task->err))
        return;
    task->bound = !topology_bind_memory(&task->probe->topology, region->base,
                                        region->bytes, task->site->node);
    if (task->bound)
        chase_build(&task->chase, &(struct chase_plan){.base = region->base,
                                                       .bytes = region->bytes,
                                                       .spacing = task->probe->node_bytes,
                                                       .order = CHASE_BLOCK_LOCAL,
                                                       .seed = 1});
}

static struct load_site load_site_of(const struct probe *probe,
                                     const struct memory_site *site, struct chase *chase)
{
    double bytes = fmin((double)load_buffer_bytes(probe),
                        share_of_node(site) / (double)site->cpu_nr);

    return (struct load_site){.cpu = site->cpu,
                              .cpu_nr = site->cpu_nr,
                              .node = site->node,
                              .chaser = chase,
                              .buffer_bytes = (size_t)fmax(bytes, 2 * HUGE_PAGE_BYTES)};
}

/* What all its cores draw lies at the ceiling, or at the end of the curve or above. */
static struct quantity node_gbs(const struct machine_memory *memory, double read_share)
{
    for (size_t i = 0; i < memory->curve_nr; i++) {
        const struct machine_curve *curve = &memory->curve[i];
        const struct machine_point *last = &curve->point[curve->point_nr - 1];

        if (curve->read_share != read_share || curve->nontemporal)
            continue;
        return curve->ceiling_gbs.known
                   ? curve->ceiling_gbs
                   : quantity_between(last->gbs, last->gbs_low, INFINITY,
                                      last->latency_ns.runs, PROVENANCE_PROBE);
    }
    return quantity_unknown();
}

static void add_memory(struct machine *machine, const struct memory_site *site,
                       const struct sweep *sweep, const struct sweep_plan *plan)
{
    double factor = machine->store_read_factor;
    struct machine_memory *memory;

    GROW(machine->memory, machine->memory_nr + 1, machine->memory_alloc);
    memory = &machine->memory[machine->memory_nr++];
    *memory = (struct machine_memory){.name = xstrdup(site->name),
                                      .kind = xstrdup(site->kind),
                                      .node = site->node,
                                      .local = site->local,
                                      .cores = (int)site->cpu_nr,
                                      .bytes = site->bytes,
                                      .latency_ns = quantity_unknown()};
    load_curves(sweep, plan, factor, &memory->curve, &memory->curve_nr,
                &memory->curve_alloc);
    if (memory->curve_nr)
        memory->latency_ns = memory->curve[0].point[0].latency_ns;
    memory->node_read_gbs = node_gbs(memory, load_read_share(LOAD_READ, factor));
    memory->node_copy_gbs = node_gbs(memory, load_read_share(LOAD_COPY, factor));
}

static int measure(struct probe *probe, struct chase_task *task, double seconds,
                   struct error *err)
{
    const struct memory_site *site = task->site;
    struct load_site load = load_site_of(probe, site, &task->chase);
    struct sweep_plan plan = load_plan(probe, site->cpu_nr, seconds);
    struct sweep sweep = {0};
    int result;

    /* Coarser than the machine's own: there may be many sites. */
    plan.finer /= 2;
    if (probe->quick)
        plan.mix_nr = LOAD_COPY + 1;
    result = load_sweep(probe, &load, &plan, &sweep, err);
    if (!result)
        add_memory(probe->machine, site, &sweep, &plan);
    sweep_release(&sweep);
    return result;
}

int probe_memory_site(struct probe *probe, const struct memory_site *site, double seconds,
                      struct error *err)
{
    struct chase_task task = {.probe = probe, .site = site};
    double bytes = fmin((double)probe->memory_set_bytes, share_of_node(site));
    int result = -1;

    probe_say(probe, "measuring the memory of %s", site->name);
    task.bytes = (size_t)fmax(bytes, HUGE_PAGE_BYTES);
    if (team_run_on(&probe->topology, site->cpu, 1, build_chase, &task, err))
        goto out;
    if (!task.bound) {
        strvec_pushf(&probe->machine->note, "the memory of %s was not measured: %s",
                     site->name,
                     task.err.text[0] ? task.err.text
                                      : "this process may not place its memory there");
        result = 0;
        goto out;
    }
    result = 0;
    if (measure(probe, &task, seconds, &task.err))
        strvec_pushf(&probe->machine->note, "the memory of %s was not measured: %s",
                     site->name, task.err.text);
out:
    region_release(&task.region);
    return result;
}

int probe_memories(struct probe *probe, struct error *err)
{
    const double share = 0.2; /* of all stages, for all memories together */
    struct memory_site *site;
    size_t nr;
    int result = 0;

    topology_sites(&probe->topology, &site, &nr);
    for (size_t i = 0; i < nr && !result; i++)
        result =
            probe_memory_site(probe, &site[i], share * probe->seconds / (double)nr, err);
    memory_sites_release(site, nr);
    return result;
}
