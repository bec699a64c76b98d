#include <math.h>

#include "core/machine/machine.h"

enum { WIDTH = 80, INDENT = 12 };

/* "name        text", wrapped. */
static void add_line(struct buf *out, const char *name, struct buf *text)
{
    buf_addf(out, "%-*s", INDENT, name);
    buf_add_wrapped(out, text->length ? buf_str(text) : "unknown", INDENT, WIDTH);
    buf_add(out, "\n");
    buf_release(text);
}

static void add_value(struct buf *text, struct quantity quantity, double scale,
                      const char *unit)
{
    if (!quantity.known) {
        buf_addf(text, "unknown %s", unit);
        return;
    }
    buf_add_number(text, quantity.value * scale);
    buf_addf(text, " %s", unit);
}

/* With the interval where it says something. */
static void add_range(struct buf *text, struct quantity quantity, double scale,
                      const char *unit)
{
    add_value(text, quantity, scale, unit);
    if (!quantity.known || quantity.high <= quantity.low)
        return;
    if (isinf(quantity.high)) {
        buf_add(text, " or more");
        return;
    }
    buf_add(text, " [");
    buf_add_number(text, quantity.low * scale);
    buf_add(text, ", ");
    buf_add_number(text, quantity.high * scale);
    buf_add(text, "]");
}

static void describe_cpu(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    buf_add(&text, machine->cpu_model ? machine->cpu_model : machine->name);
    add_line(out, "CPU", &text);
    if (machine->recognition)
        buf_add(&text, machine->recognition);
    else if (machine->source)
        buf_add(&text, machine->source);
    add_line(out, "", &text);
    buf_addf(&text, "%d core%s x %d thread%s, %d socket%s, %d NUMA node%s",
             machine->cores, machine->cores == 1 ? "" : "s", machine->threads_per_core,
             machine->threads_per_core == 1 ? "" : "s", machine->sockets,
             machine->sockets == 1 ? "" : "s", machine->numa_nodes,
             machine->numa_nodes == 1 ? "" : "s");
    if (machine->ghz > 0)
        buf_addf(&text, ", %.2f GHz", machine->ghz);
    if (machine->rob_entries)
        buf_addf(&text, ", reorder buffer %d", machine->rob_entries);
    add_line(out, "Cores", &text);
}

static void describe_level(const struct machine_level *level, struct buf *out)
{
    struct buf text = {0}, name = {0};

    buf_addf(&name, "L%d", level->level);
    if (level->claimed_bytes > 0)
        buf_add_size(&text, level->claimed_bytes);
    if (level->effective_bytes > 0) {
        buf_add(&text, " (a core gets ");
        buf_add_size(&text, level->effective_bytes);
        buf_add(&text, ")");
    }
    if (level->latency_ns.known) {
        buf_add(&text, ", ");
        add_range(&text, level->latency_ns, 1, "ns");
        buf_add(&text, ", ");
        add_value(&text, level->one_core.read_gbs, 1, "GB/s");
        buf_add(&text, ", random ");
        add_value(&text, level->one_core.random_lines_per_s, 1e-9, "lines/ns");
    }
    add_line(out, buf_str(&name), &text);
    buf_release(&name);
}

static void describe_memory(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    if (machine->memory_bytes > 0) {
        buf_add_size(&text, machine->memory_bytes);
        buf_add(&text, ", ");
    }
    add_range(&text, machine->memory_latency_ns, 1, "ns");
    if (machine->one_core.read_gbs.known) {
        buf_add(&text, ", one core: ");
        add_value(&text, machine->one_core.read_gbs, 1, "GB/s");
        buf_add(&text, ", random ");
        add_value(&text, machine->one_core.random_lines_per_s, 1e-9, "lines/ns");
    }
    add_line(out, "Memory", &text);
    add_range(&text, machine->node_read_gbs, 1, "GB/s read");
    buf_add(&text, ", ");
    add_range(&text, machine->node_copy_gbs, 1, "GB/s copy (reads + writes)");
    buf_add(&text, ", peak ");
    add_value(&text, machine->peak_gbs, 1, "GB/s");
    add_line(out, "All cores", &text);
}

static void describe_pages(const char *name, const struct machine_pages *pages,
                           struct buf *out)
{
    struct buf text = {0};

    if (pages->translation_ns.known) {
        buf_add(&text, "a random access costs ");
        add_range(&text, pages->translation_ns, 1, "ns");
        buf_add(&text, " more, ");
        add_value(&text, pages->random_accesses_per_s, 1e-6, "M/s");
        buf_addf(&text, "; walks %s", pages->walks_is_floor ? "at least " : "");
        add_value(&text, pages->walks_per_s, 1e-6, "M/s");
        if (pages->tlb_entries > 0)
            buf_addf(&text, "; the TLBs hold about %.0f", pages->tlb_entries);
    }
    add_line(out, name, &text);
}

static void describe_limit(const char *name, const struct machine_limit *limit,
                           struct buf *out)
{
    struct buf text = {0};

    add_range(&text, limit->used, 1, "lines");
    if (limit->scope)
        buf_addf(&text, " per %s", limit->scope);
    if (limit->source)
        buf_addf(&text, ": %s", limit->source);
    if (limit->probe.known) {
        buf_add(&text, "; probe ");
        add_range(&text, limit->probe, 1, "");
    }
    add_line(out, name, &text);
}

static void describe_curve(const struct machine_curve *curve, struct buf *out)
{
    struct buf text = {0};

    buf_addf(&text, "%.0f %% reads:", 100 * curve->read_share);
    for (size_t i = 0; i < curve->point_nr; i++) {
        const struct machine_point *point = &curve->point[i];

        buf_addf(&text, " %.0f ns at ", point->latency_ns.value);
        buf_add_number(&text, point->gbs);
        buf_addf(&text, "%s%s",
                 point->latency_ns.provenance == PROVENANCE_PREDICTED ? " (predicted)"
                                                                      : "",
                 i + 1 < curve->point_nr ? "," : " GB/s");
    }
    add_line(out, "Under load", &text);
}

static void describe_arithmetic(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    if (!machine->flops_double.fma.known)
        return;
    add_value(&text, machine->flops_double.scalar, 1e-9, "GFLOP/s scalar, ");
    add_value(&text, machine->flops_double.fma, 1e-9, "GFLOP/s");
    buf_addf(&text, " with %d byte vectors (one core, double)", machine->simd_bytes);
    add_line(out, "Arithmetic", &text);
}

void machine_describe(const struct machine *machine, struct buf *out)
{
    struct buf source = {0};

    describe_cpu(machine, out);
    for (int i = 0; i < machine->level_nr; i++)
        describe_level(&machine->level[i], out);
    describe_memory(machine, out);
    describe_limit("L1 MSHRs", &machine->l1_mshrs, out);
    describe_limit("L2 MSHRs", &machine->l2_mshrs, out);
    describe_pages("Small pages", &machine->small_pages, out);
    if (machine->huge_pages_available)
        describe_pages("Huge pages", &machine->huge_pages, out);
    for (size_t i = 0; i < machine->curve_nr; i++)
        describe_curve(&machine->curve[i], out);
    describe_arithmetic(machine, out);
    if (machine->recognition && machine->source) { /* else it stands at the top */
        buf_add(&source, machine->source);
        add_line(out, "Source", &source);
    }
    if (machine->date)
        buf_addf(out, "%-*s%s%s\n", INDENT, "Made", machine->date,
                 machine->quick ? ", quick" : "");
}
