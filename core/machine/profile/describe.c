/* A profile for people, 80 columns: what was found, what it means, where it comes from.
 */
#include "core/machine/profile/describe.h"

#include <math.h>
#include <stdlib.h>

#include "core/base.h"

/* ---- pieces ---- */

static void describe_heading(struct buf *out, const char *text)
{
    buf_addf(out, "\n%s\n", text);
}

/* "  name          text", wrapped; empties the text; "unknown" for an empty one. */
static void describe_line(struct buf *out, const char *name, struct buf *text)
{
    buf_addf(out, "  %-*s ", DESCRIBE_INDENT - 3, name);
    buf_add_wrapped(out, text->length ? buf_str(text) : "unknown", DESCRIBE_INDENT,
                    DESCRIBE_WIDTH);
    buf_add(out, "\n");
    buf_release(text);
}

const char *describe_origin(enum provenance provenance)
{
    switch (provenance) {
    case PROVENANCE_PROBE:
    case PROVENANCE_CLOCK:
        return "measured";
    case PROVENANCE_DECLARED:
        return "told";
    default:
        return provenance_word(provenance);
    }
}

/* With where it comes from. */
static void add_figure(struct buf *text, struct quantity quantity, double scale,
                       const char *unit)
{
    buf_add_figure(text, quantity, scale, unit);
    if (quantity.known)
        buf_addf(text, " (%s)", describe_origin(quantity.provenance));
}

/* GB/s; what is known from above only shows nothing but its upper end. */
static void add_bound(struct buf *text, struct quantity gbs, bool from_above)
{
    if (!from_above) {
        add_figure(text, gbs, 1, "GB/s");
        return;
    }
    buf_add(text, "at most ");
    add_figure(text, quantity_exact(gbs.high, gbs.provenance), 1, "GB/s");
}

static void add_count(struct buf *text, int count, const char *what)
{
    buf_addf(text, "%d %s%s", count, what, count == 1 ? "" : "s");
}

static void add_text_line(struct buf *out, const char *name, const char *text)
{
    struct buf line = {0};

    if (!text)
        return;
    buf_add(&line, text);
    describe_line(out, name, &line);
}

/* ---- the machine ---- */

static void describe_cpu(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    buf_add_wrapped(out, machine->cpu_model ? machine->cpu_model : machine->name, 0,
                    DESCRIBE_WIDTH);
    buf_add(out, "\n");
    if (machine->recognition)
        add_text_line(out, "recognised", machine->recognition);
    else
        add_text_line(out, "recognised", machine->microarchitecture);
    add_count(&text, machine->cores, "core");
    buf_add(&text, " x ");
    add_count(&text, machine->threads_per_core, "thread");
    buf_add(&text, ", ");
    add_count(&text, machine->sockets, "socket");
    buf_add(&text, ", ");
    add_count(&text, machine->numa_nodes, "NUMA node");
    if (machine->ghz > 0)
        buf_addf(&text, ", %.2f GHz", machine->ghz);
    if (machine->rob_entries)
        buf_addf(&text, "; looks %d instructions ahead (reorder buffer)",
                 machine->rob_entries);
    describe_line(out, "cores", &text);
}

/* What is only known from below says so. */
static void describe_share(const struct machine_level *level, struct buf *text)
{
    double low = level->effective_low_bytes, high = level->effective_high_bytes;

    if (level->effective_bytes <= 0) {
        if (level->claimed_bytes > 0 && level->latency_ns.known)
            buf_add(text, ", of which a core gets an unknown part");
        return;
    }
    buf_addf(text, ", of which a core gets %s", low > 0 && high <= 0 ? "at least " : "");
    buf_add_size(text, level->effective_bytes);
    if (high > low && low > 0) {
        buf_add(text, " [");
        buf_add_size(text, low);
        buf_add(text, ", ");
        buf_add_size(text, high);
        buf_add(text, "]");
    }
}

static void describe_level(const struct machine_level *level, struct buf *out)
{
    struct buf text = {0}, name = {0};

    buf_addf(&name, "L%d", level->level);
    if (level->claimed_bytes > 0)
        buf_add_size(&text, level->claimed_bytes);
    else
        buf_add(&text, "size unknown");
    if (level->cores_sharing > 1)
        buf_addf(&text, " for %d cores", level->cores_sharing);
    if (level->ways > 0)
        buf_addf(&text, ", %d ways", level->ways);
    describe_share(level, &text);
    if (level->latency_ns.known) {
        buf_add(&text, "; load to use ");
        add_figure(&text, level->latency_ns, 1, "ns");
    }
    describe_line(out, buf_str(&name), &text);
    buf_release(&name);
}

static void describe_caches(const struct machine *machine, struct buf *out)
{
    struct buf heading = {0};

    buf_addf(&heading, "Caches, lines of %d B", machine->line_bytes);
    if (machine->transfer_bytes > 0)
        buf_addf(&heading, ", of which a miss moves %d", machine->transfer_bytes);
    describe_heading(out, buf_str(&heading));
    for (int i = 0; i < machine->level_nr; i++)
        describe_level(&machine->level[i], out);
    buf_release(&heading);
}

/* ---- memory ---- */

static void describe_peak(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    if (!machine->peak_gbs.known)
        buf_add(&text, "unknown; 'inflight machine --peak RATE' sets it");
    else
        add_bound(&text, machine->peak_gbs, machine->peak_gbs.low <= 0);
    if (machine->peak_source)
        buf_addf(&text, ": %s", machine->peak_source);
    describe_line(out, "peak", &text);
}

static void describe_store_read(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    if (machine->store_read_factor >= 1)
        buf_add(&text, "read their line first");
    else if (machine->store_read_factor > 0)
        buf_addf(&text, "read their line first in %.0f %% of all cases",
                 100 * machine->store_read_factor);
    else
        buf_add(&text, "do not read their line first");
    buf_addf(&text, ": %s",
             machine->store_read_source ? machine->store_read_source : "assumed");
    describe_line(out, "plain stores", &text);
}

static void describe_extra_memory(const struct machine_memory *memory, struct buf *out)
{
    struct buf text = {0};

    buf_addf(&text, "%s, ", memory->kind);
    if (memory->bytes > 0) {
        buf_add_size(&text, memory->bytes);
        buf_add(&text, ", ");
    }
    buf_addf(&text, "%s to the ", memory->local ? "local" : "remote");
    add_count(&text, memory->cores, "core");
    buf_add(&text, " that loaded it; unloaded ");
    add_figure(&text, memory->latency_ns, 1, "ns");
    buf_add(&text, ", reads ");
    buf_add_figure(&text, memory->node_read_gbs, 1, "GB/s");
    buf_add(&text, ", copy ");
    buf_add_figure(&text, memory->node_copy_gbs, 1, "GB/s");
    buf_addf(&text, "; %zu curve%s", memory->curve_nr, memory->curve_nr == 1 ? "" : "s");
    describe_line(out, memory->name, &text);
}

static void describe_memory(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    describe_heading(out, "Memory");
    add_figure(&text, machine->memory_latency_ns, 1, "ns");
    describe_line(out, "unloaded", &text);
    if (machine->memory_bytes > 0) {
        buf_add_size(&text, machine->memory_bytes);
        describe_line(out, "size", &text);
    }
    add_figure(&text, machine->node_read_gbs, 1, "GB/s");
    describe_line(out, "all cores read", &text);
    add_figure(&text, machine->node_copy_gbs, 1, "GB/s");
    if (machine->node_copy_gbs.known)
        buf_add(&text, ", reads and writes at the memory");
    describe_line(out, "all cores copy", &text);
    describe_peak(machine, out);
    describe_store_read(machine, out);
    for (size_t i = 0; i < machine->memory_nr; i++)
        describe_extra_memory(&machine->memory[i], out);
}

/* ---- queues and translation ---- */

static void describe_limit(const char *name, const struct machine_limit *limit,
                           struct buf *out)
{
    struct buf text = {0};

    buf_add_figure(&text, limit->used, 1, "lines");
    if (limit->scope)
        buf_addf(&text, " per %s", limit->scope);
    if (limit->used.known)
        buf_addf(&text, " (%s)", describe_origin(limit->used.provenance));
    if (limit->source)
        buf_addf(&text, ": %s", limit->source);
    if (limit->probe.known && limit->probe.value != limit->used.value) {
        buf_addf(&text, "; the probe says %s", limit->probe_is_floor ? "at least " : "");
        buf_add_figure(&text, limit->probe, 1, "lines");
    }
    describe_line(out, name, &text);
}

static void describe_prefetch(const struct machine *machine, struct buf *out)
{
    struct quantity gain = machine->prefetch_l2_gain;
    struct buf text = {0};

    if (!gain.known)
        return;
    if (!machine_prefetch_gains(gain))
        buf_add(&text, "gains nothing here beyond what the L1 queue sustains: ");
    else
        buf_add(&text, "gets past the L1 queue: speed-up of random reads ");
    buf_add_ratio(&text, gain);
    buf_addf(&text, " (%s)", describe_origin(gain.provenance));
    describe_line(out, "prefetch to L2", &text);
}

static void describe_queues(const struct machine *machine, struct buf *out)
{
    describe_heading(out, "Miss queues: how many lines a core can wait for at a time");
    describe_limit("L1 MSHRs", &machine->l1_mshrs, out);
    describe_limit("L2 MSHRs", &machine->l2_mshrs, out);
    describe_prefetch(machine, out);
}

static void describe_page_size(const char *name, const struct machine_pages *pages,
                               struct buf *out)
{
    struct buf text = {0};

    if (!pages->translation_ns.known && !pages->walks_per_s.known)
        return;
    buf_add(&text, "a random access costs ");
    buf_add_figure(&text, pages->translation_ns, 1, "ns");
    buf_add(&text, " more, ");
    buf_add_value(&text, pages->random_accesses_per_s, 1e-6, "M/s of them");
    buf_addf(&text, "; page walks %s", pages->walks_is_floor ? "at least " : "");
    buf_add_value(&text, pages->walks_per_s, 1e-6, "M/s");
    if (pages->tlb_entries > 0)
        buf_addf(&text, "; the TLBs reach over about %.0f pages", pages->tlb_entries);
    if (pages->translation_ns.known)
        buf_addf(&text, " (%s)", describe_origin(pages->translation_ns.provenance));
    describe_line(out, name, &text);
}

static void describe_translation(const struct machine *machine, struct buf *out)
{
    const struct machine_pages *small = &machine->small_pages;
    const struct machine_pages *huge = &machine->huge_pages;

    if (!small->translation_ns.known && !small->walks_per_s.known &&
        !huge->translation_ns.known && !huge->walks_per_s.known)
        return;
    describe_heading(out, "Address translation, one core");
    describe_page_size("small pages", small, out);
    if (machine->huge_pages_available)
        describe_page_size("huge pages", huge, out);
}

/* ---- curves ---- */

static bool is_predicted(const struct machine_point *point)
{
    return point->latency_ns.provenance == PROVENANCE_PREDICTED;
}

/* The ends and some between: enough to see the shape. */
static bool is_shown(size_t i, size_t nr, size_t measured)
{
    size_t step = measured > 6 ? (measured + 4) / 5 : 1;

    return i >= measured ? i + 1 == nr : i % step == 0 || i + 1 == measured;
}

static void describe_curve(const struct machine_curve *curve, struct buf *out)
{
    struct buf text = {0}, name = {0};
    size_t measured = 0;

    while (measured < curve->point_nr && !is_predicted(&curve->point[measured]))
        measured++;
    for (size_t i = 0; i < curve->point_nr; i++) {
        const struct machine_point *point = &curve->point[i];

        if (!is_shown(i, curve->point_nr, measured))
            continue;
        buf_addf(&text, "%s%s%.0f ns at ", i ? ", " : "",
                 is_predicted(point) ? "predicted " : "", point->latency_ns.value);
        buf_add_number(&text, point->gbs);
    }
    if (curve->ceiling_gbs.known) {
        buf_add(&text, "; ceiling ");
        add_bound(&text, curve->ceiling_gbs, machine_ceiling_is_bound(curve));
    }
    buf_addf(&name, "%.0f %% reads%s", 100 * curve->read_share,
             curve->nontemporal ? " nt" : "");
    describe_line(out, buf_str(&name), &text);
    buf_release(&name);
}

static void describe_curves(const struct machine *machine, struct buf *out)
{
    bool nontemporal = false;

    for (size_t i = 0; i < machine->curve_nr; i++)
        nontemporal |= machine->curve[i].nontemporal;
    describe_heading(
        out, nontemporal ? "Latency under load, all cores, GB/s (nt: non-temporal stores)"
                         : "Latency under load, all cores, GB/s");
    for (size_t i = 0; i < machine->curve_nr; i++)
        describe_curve(&machine->curve[i], out);
    if (!machine->curve_nr)
        add_text_line(out, "no curve", "the latency under load is not known");
}

/* ---- how good it is ---- */

static void describe_trust(const struct machine *machine, struct buf *out)
{
    struct buf text = {0};

    describe_heading(out, "About this profile");
    buf_add(&text, machine->source ? machine->source : "no source");
    describe_line(out, "source", &text);
    if (machine->date) {
        buf_addf(&text, "%s%s", machine->date,
                 machine->quick ? ", quick: 'inflight machine' makes a better one" : "");
        describe_line(out, "made", &text);
    }
    add_text_line(out, machine->unstable ? "UNSTABLE" : "stability", machine->stability);
    for (size_t i = 0; i < machine->note.nr; i++)
        add_text_line(out, "note", machine->note.v[i]);
}

void machine_describe(const struct machine *machine, struct buf *out)
{
    describe_cpu(machine, out);
    describe_caches(machine, out);
    describe_memory(machine, out);
    describe_bandwidths(machine, out);
    describe_queues(machine, out);
    describe_curves(machine, out);
    describe_translation(machine, out);
    describe_arithmetic(machine, out);
    describe_trust(machine, out);
}

/* What loops that do nothing else reach: bandwidths and arithmetic, as tables. */
enum { COLUMN = 9 };

struct table {
    struct buf *out;
    const char *heading, *columns;
    bool open, has_floors;
};

/* ">6.3": or more. */
static void add_cell(struct table *table, struct quantity quantity, double scale)
{
    struct buf text = {0};
    bool is_floor = quantity.known && isinf(quantity.high);

    if (is_floor)
        buf_add(&text, ">");
    if (quantity.known)
        buf_add_number(&text, quantity.value * scale);
    buf_addf(table->out, "%*s", COLUMN, quantity.known ? buf_str(&text) : "?");
    table->has_floors |= is_floor;
    buf_release(&text);
}

static void close_table(const struct table *table)
{
    if (table->has_floors)
        buf_add(table->out, "  > or more: other processes kept the cores busy\n");
}

/* The first row with something known opens the table, and says where all come from. */
static void open_table(struct table *table, struct quantity first)
{
    if (!table->open)
        buf_addf(table->out, "\n%s (%s)\n%s\n", table->heading,
                 describe_origin(first.provenance), table->columns);
    table->open = true;
}

/* A row of quantities; left out when all are unknown. */
static void add_row(struct table *table, const char *name,
                    const struct quantity *quantity, const double *scale, size_t nr)
{
    size_t first = 0;

    while (first < nr && !quantity[first].known)
        first++;
    if (first == nr)
        return;
    open_table(table, quantity[first]);
    buf_addf(table->out, "  %-*s", DESCRIBE_INDENT - 2, name);
    for (size_t i = 0; i < nr; i++)
        add_cell(table, quantity[i], scale[i]);
    buf_add(table->out, "\n");
}

static void add_rates(struct table *table, const char *name,
                      const struct machine_rates *rates)
{
    const struct quantity row[] = {rates->read_gbs,        rates->write_gbs,
                                   rates->copy_gbs,        rates->triad_gbs,
                                   rates->nontemporal_gbs, rates->random_lines_per_s};
    const double scale[] = {1, 1, 1, 1, 1, 1e-6};

    add_row(table, name, row, scale, ARRAY_SIZE(row));
}

void describe_bandwidths(const struct machine *machine, struct buf *out)
{
    struct table table = {
        .out = out,
        .heading = "Bandwidths, GB/s of the program's own bytes; random lines in M/s",
        .columns = "                       read    write     copy    triad  nt store   "
                   "random"};

    for (int i = 0; i < machine->level_nr; i++) {
        const struct machine_level *level = &machine->level[i];
        char *one = xasprintf("L%d, one core", level->level),
             *all = xasprintf("L%d, all cores", level->level);

        add_rates(&table, one, &level->one_core);
        add_rates(&table, all, &level->all_cores);
        free(one);
        free(all);
    }
    add_rates(&table, "mem., one core", &machine->one_core);
    add_rates(&table, "mem., all cores", &machine->all_cores);
    close_table(&table);
}

static void add_flops(struct table *table, const char *name,
                      const struct machine_flops *flops)
{
    const struct quantity row[] = {flops->scalar, flops->simd, flops->fma};
    const double scale[] = {1e-9, 1e-9, 1e-9};

    add_row(table, name, row, scale, ARRAY_SIZE(row));
}

void describe_arithmetic(const struct machine *machine, struct buf *out)
{
    char *heading =
        machine->simd_bytes > 0
            ? xasprintf("Arithmetic, GFLOP/s, vectors of %d B", machine->simd_bytes)
            : xstrdup("Arithmetic, GFLOP/s");
    struct table table = {.out = out,
                          .heading = heading,
                          .columns = "                     scalar  vectors    fused"};

    add_flops(&table, "double, one core", &machine->flops_double);
    add_flops(&table, "double, all", &machine->all_flops_double);
    add_flops(&table, "single, one core", &machine->flops_single);
    add_flops(&table, "single, all", &machine->all_flops_single);
    close_table(&table);
    free(heading);
}
