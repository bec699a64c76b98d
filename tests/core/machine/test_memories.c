/* More than one memory: chosen by name, and measured on a node. */
#include <math.h>
#include <stdlib.h>

#include "core/machine/probe/probe.h"
#include "tests/check.h"

SUITE(machine_memories);

static struct quantity probed(double value)
{
    return quantity_between(value, 0.9 * value, 1.1 * value, 9, PROVENANCE_PROBE);
}

/* One curve of one point. */
static struct machine_curve *flat_curve(double latency_ns)
{
    struct machine_curve *curve = xcalloc(1, sizeof(*curve));

    curve->read_share = 1;
    GROW(curve->point, 1, curve->point_alloc);
    curve->point[curve->point_nr++] =
        (struct machine_point){.gbs = 10, .latency_ns = probed(latency_ns)};
    return curve;
}

static void add_memory(struct machine *machine, const char *name, double latency_ns)
{
    struct machine_memory *memory;

    GROW(machine->memory, machine->memory_nr + 1, machine->memory_alloc);
    memory = &machine->memory[machine->memory_nr++];
    *memory = (struct machine_memory){.name = xstrdup(name),
                                      .kind = xstrdup("DRAM"),
                                      .bytes = 1e10,
                                      .cores = 4,
                                      .latency_ns = probed(latency_ns),
                                      .node_read_gbs = probed(1000 / latency_ns),
                                      .node_copy_gbs = quantity_unknown(),
                                      .curve = flat_curve(latency_ns),
                                      .curve_nr = 1,
                                      .curve_alloc = 1};
}

static struct machine two_memories(void)
{
    struct machine machine = {.name = xstrdup("two"),
                              .line_bytes = 64,
                              .memory_latency_ns = probed(100),
                              .node_read_gbs = probed(10),
                              .one_core.read_gbs = probed(5),
                              .peak_gbs = probed(50),
                              .peak_source = xstrdup("told"),
                              .curve = flat_curve(100),
                              .curve_nr = 1,
                              .curve_alloc = 1};

    add_memory(&machine, "node 0", 100);
    add_memory(&machine, "HBM 2", 200);
    return machine;
}

TEST("a chosen memory becomes the machine's own")
{
    struct machine machine = two_memories();
    struct error err = {0};

    check_ok(machine_use_memory(&machine, "HBM 2", &err), &err);
    check_near(machine.memory_latency_ns.value, 200, 0);
    check_near(machine.node_read_gbs.value, 5, 0);
    check(!machine.node_copy_gbs.known);
    check_near(machine_latency_ns(&machine, 1, 1).value, 200, 0);
    check_eq(machine.curve_nr, 1);
    check(!machine.one_core.read_gbs.known && !machine.peak_gbs.known);
    /* the list keeps its own: another can be chosen, and scaling one leaves the other */
    machine_scale_latency(&machine, 2);
    check_near(machine.memory[1].curve[0].point[0].latency_ns.value, 200, 0);
    check_ok(machine_use_memory(&machine, "node 0", &err), &err);
    check_near(machine_latency_ns(&machine, 1, 1).value, 100, 0);
    machine_release(&machine);
}

TEST("an unknown memory names those there are")
{
    struct machine machine = two_memories();
    struct machine one = {.name = xstrdup("skl")};
    struct error err = {0};

    check_fails(machine_use_memory(&machine, "HBM", &err), &err, STATUS_INPUT,
                "has no memory 'HBM'; it has 'node 0', 'HBM 2'");
    check_fails(machine_use_memory(&one, "node 0", &err), &err, STATUS_INPUT,
                "the profile 'skl' describes only one memory");
    machine_release(&one);
    machine_release(&machine);
}

static void check_curve(const struct machine_curve *curve)
{
    for (size_t i = 0; i < curve->point_nr; i++) {
        const struct machine_point *point = &curve->point[i];

        check(point->gbs > (i ? point[-1].gbs : 0));
        check(point->latency_ns.known && point->latency_ns.value > 0);
    }
}

/* With the memory of node `node`, small and short: what is tested is the path. */
static void measure_node(struct machine *machine, const struct topology *topology,
                         int node)
{
    struct probe probe = {.topology = *topology,
                          .machine = machine,
                          .quick = true,
                          .seconds = 0.4,
                          .node_bytes = 128,
                          .memory_set_bytes = 64 << 20};
    char name[] = "here", kind[] = "DRAM";
    struct memory_site site = {.name = name,
                               .kind = kind,
                               .node = node,
                               .local = true,
                               .bytes = 1 << 30,
                               .cpu = topology->cpus.cpu,
                               .cpu_nr = topology->cpus.cpu_nr};
    struct error err = {0};

    if (site.cpu_nr > 2)
        site.cpu_nr = 2;
    check_ok(probe_memory_site(&probe, &site, 0.3, &err), &err);
}

static int first_node(const struct topology *topology)
{
    struct region region;
    int found = -1;

    if (region_map(&region, HUGE_PAGE_BYTES, true, NULL))
        return -1;
    for (int node = 0; node < 64 && found < 0; node++)
        if (!topology_bind_memory(topology, region.base, region.bytes, node))
            found = node;
    region_release(&region);
    return found;
}

TEST("the memory of a node is measured")
{
    struct machine machine = {.cores = 1, .line_bytes = 64, .store_read_factor = 1};
    struct topology topology;
    struct error err = {0};
    int node;

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    node = first_node(&topology);
    if (node < 0) {
        check_skip("this process may not place memory on a node");
        goto out;
    }
    measure_node(&machine, &topology, node);
    if (check_eq(machine.memory_nr, 1)) {
        const struct machine_memory *memory = &machine.memory[0];

        check_str(memory->name, "here");
        /* on a machine too busy for three undisturbed windows there is no curve */
        check_eq(memory->latency_ns.known, memory->curve_nr > 0);
        for (size_t i = 0; i < memory->curve_nr; i++)
            check_curve(&memory->curve[i]);
    }
out:
    machine_release(&machine);
    topology_release(&topology);
}

TEST("a node that is not there is noted")
{
    struct machine machine = {.cores = 1, .line_bytes = 64, .store_read_factor = 1};
    struct topology topology;
    struct error err = {0};

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    measure_node(&machine, &topology, 1000);
    check_eq(machine.memory_nr, 0);
    if (check_eq(machine.note.nr, 1))
        check_contains(machine.note.v[0], "the memory of here was not measured");
    machine_release(&machine);
    topology_release(&topology);
}
