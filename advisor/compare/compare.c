#include "advisor/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"

/* ---- the rows ---- */

static void add_row(struct comparison *out, const char *group, const char *name,
                    const char *unit, struct quantity a, struct quantity b)
{
    GROW(out->row, out->row_nr + 1, out->row_alloc);
    out->row[out->row_nr++] = (struct comparison_row){.group = xstrdup(group),
                                                      .name = xstrdup(name),
                                                      .unit = unit,
                                                      .a = a,
                                                      .b = b,
                                                      .ratio = quantity_divide(b, a)};
}

/* Of a plain field: 0 = unknown. */
static struct quantity plain(double value)
{
    return value > 0 ? quantity_exact(value, PROVENANCE_NONE) : quantity_unknown();
}

struct figure {
    const char *name, *unit;
    size_t offset;
    double scale;
};

static void add_figures(struct comparison *out, const char *group, const void *a,
                        const void *b, const struct figure *figure, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        const struct quantity *left = (const void *)((const char *)a + figure[i].offset);
        const struct quantity *right = (const void *)((const char *)b + figure[i].offset);
        add_row(out, group, figure[i].name, figure[i].unit,
                quantity_scale(*left, figure[i].scale),
                quantity_scale(*right, figure[i].scale));
    }
}

#define AT(type, member) offsetof(struct type, member)

static void add_rates(struct comparison *out, const char *group,
                      const struct machine_rates *a, const struct machine_rates *b)
{
    static const struct figure rates[] = {
        {"read", "GB/s", AT(machine_rates, read_gbs), 1},
        {"write", "GB/s", AT(machine_rates, write_gbs), 1},
        {"copy", "GB/s", AT(machine_rates, copy_gbs), 1},
        {"triad", "GB/s", AT(machine_rates, triad_gbs), 1},
        {"non-temporal", "GB/s", AT(machine_rates, nontemporal_gbs), 1},
        {"random lines", "M/s", AT(machine_rates, random_lines_per_s), 1e-6},
    };
    add_figures(out, group, a, b, rates, ARRAY_SIZE(rates));
}

static void add_flops(struct comparison *out, const char *group,
                      const struct machine_flops *a, const struct machine_flops *b)
{
    static const struct figure flops[] = {
        {"scalar", "GFLOP/s", AT(machine_flops, scalar), 1e-9},
        {"vectors", "GFLOP/s", AT(machine_flops, simd), 1e-9},
        {"fused", "GFLOP/s", AT(machine_flops, fma), 1e-9},
    };
    add_figures(out, group, a, b, flops, ARRAY_SIZE(flops));
}

static void add_pages(struct comparison *out, const char *group,
                      const struct machine_pages *a, const struct machine_pages *b)
{
    static const struct figure pages[] = {
        {"translation", "ns", AT(machine_pages, translation_ns), 1},
        {"random accesses", "M/s", AT(machine_pages, random_accesses_per_s), 1e-6},
        {"page walks", "M/s", AT(machine_pages, walks_per_s), 1e-6},
    };
    add_figures(out, group, a, b, pages, ARRAY_SIZE(pages));
    add_row(out, group, "TLB entries", "", plain(a->tlb_entries), plain(b->tlb_entries));
}

static void add_cpu(struct comparison *out, const struct machine *a,
                    const struct machine *b)
{
    const struct {
        const char *name, *unit;
        double a, b;
    } field[] = {
        {"cores", "", a->cores, b->cores},
        {"threads per core", "", a->threads_per_core, b->threads_per_core},
        {"clock", "GHz", a->ghz, b->ghz},
        {"reorder buffer", "", a->rob_entries, b->rob_entries},
        {"cache line", "B", a->line_bytes, b->line_bytes},
        {"widest vectors", "B", a->simd_bytes, b->simd_bytes},
    };
    for (size_t i = 0; i < ARRAY_SIZE(field); i++)
        add_row(out, "core", field[i].name, field[i].unit, plain(field[i].a),
                plain(field[i].b));
    add_row(out, "queues", "L1 MSHRs", "lines", a->l1_mshrs.used, b->l1_mshrs.used);
    add_row(out, "queues", "L2 MSHRs", "lines", a->l2_mshrs.used, b->l2_mshrs.used);
    add_row(out, "queues", "prefetch to L2", "x", a->prefetch_l2_gain,
            b->prefetch_l2_gain);
}

static const struct machine_level *level_of(const struct machine *machine, int level)
{
    static const struct machine_level none;
    for (int i = 0; i < machine->level_nr; i++)
        if (machine->level[i].level == level)
            return &machine->level[i];
    return &none;
}

static void add_level(struct comparison *out, const struct machine *ma,
                      const struct machine *mb, int level)
{
    const struct machine_level *a = level_of(ma, level), *b = level_of(mb, level);
    char *group = xasprintf("L%d", level), *one = xasprintf("L%d, one core", level),
         *all = xasprintf("L%d, all cores", level);
    add_row(out, group, "size", "KiB", plain(a->claimed_bytes / 1024),
            plain(b->claimed_bytes / 1024));
    add_row(out, group, "a core gets", "KiB", plain(a->effective_bytes / 1024),
            plain(b->effective_bytes / 1024));
    add_row(out, group, "latency", "ns", a->latency_ns, b->latency_ns);
    add_rates(out, one, &a->one_core, &b->one_core);
    add_rates(out, all, &a->all_cores, &b->all_cores);
    free(group);
    free(one);
    free(all);
}

static void add_memory(struct comparison *out, const struct machine *a,
                       const struct machine *b)
{
    static const struct figure memory[] = {
        {"unloaded latency", "ns", AT(machine, memory_latency_ns), 1},
        {"read, all cores", "GB/s", AT(machine, node_read_gbs), 1},
        {"copy, at the node", "GB/s", AT(machine, node_copy_gbs), 1},
        {"peak", "GB/s", AT(machine, peak_gbs), 1},
    };
    add_figures(out, "memory", a, b, memory, ARRAY_SIZE(memory));
    add_rates(out, "memory, one core", &a->one_core, &b->one_core);
    add_rates(out, "memory, all cores", &a->all_cores, &b->all_cores);
    add_pages(out, "small pages", &a->small_pages, &b->small_pages);
    add_pages(out, "huge pages", &a->huge_pages, &b->huge_pages);
}

/* ---- curves ---- */

static const struct machine_curve *same_mix(const struct machine *machine,
                                            const struct machine_curve *curve)
{
    for (size_t i = 0; i < machine->curve_nr; i++)
        if (machine->curve[i].nontemporal == curve->nontemporal &&
            fabs(machine->curve[i].read_share - curve->read_share) < 0.05)
            return &machine->curve[i];
    return NULL;
}

static struct quantity curve_end(const struct machine_curve *curve)
{
    const struct machine_point *last;
    if (!curve || !curve->point_nr)
        return quantity_unknown();
    last = &curve->point[curve->point_nr - 1];
    return quantity_between(last->gbs, last->gbs_high > 0 ? last->gbs_low : last->gbs,
                            last->gbs_high > 0 ? last->gbs_high : last->gbs, 0,
                            last->latency_ns.provenance);
}

static struct quantity end_latency(const struct machine_curve *curve)
{
    return curve && curve->point_nr ? curve->point[curve->point_nr - 1].latency_ns
                                    : quantity_unknown();
}

static void add_curve(struct comparison *out, const struct machine_curve *a,
                      const struct machine_curve *b)
{
    const struct machine_curve *mix = a ? a : b;
    struct quantity none = quantity_unknown();
    char *group = xasprintf("%.0f %% reads%s", 100 * mix->read_share,
                            mix->nontemporal ? ", n.t. stores" : "");
    add_row(out, group, "curve ends at", "GB/s", curve_end(a), curve_end(b));
    add_row(out, group, "latency there", "ns", end_latency(a), end_latency(b));
    add_row(out, group, "ceiling", "GB/s", a ? a->ceiling_gbs : none,
            b ? b->ceiling_gbs : none);
    free(group);
}

static void add_curves(struct comparison *out, const struct machine *a,
                       const struct machine *b)
{
    for (size_t i = 0; i < a->curve_nr; i++)
        add_curve(out, &a->curve[i], same_mix(b, &a->curve[i]));
    for (size_t i = 0; i < b->curve_nr; i++)
        if (!same_mix(a, &b->curve[i]))
            add_curve(out, NULL, &b->curve[i]);
}

void compare_machines(const struct machine *a, const struct machine *b,
                      struct comparison *out)
{
    int levels = a->level_nr > b->level_nr ? a->level_nr : b->level_nr;
    *out = (struct comparison){.a = xstrdup(a->name), .b = xstrdup(b->name)};
    add_cpu(out, a, b);
    for (int k = 1; k <= levels; k++)
        add_level(out, a, b, k);
    add_memory(out, a, b);
    add_curves(out, a, b);
    add_flops(out, "double, one core", &a->flops_double, &b->flops_double);
    add_flops(out, "double, all cores", &a->all_flops_double, &b->all_flops_double);
    add_flops(out, "single, one core", &a->flops_single, &b->flops_single);
    add_flops(out, "single, all cores", &a->all_flops_single, &b->all_flops_single);
}

void comparison_release(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->row_nr; i++) {
        free(comparison->row[i].group);
        free(comparison->row[i].name);
    }
    free(comparison->row);
    free(comparison->a);
    free(comparison->b);
    *comparison = (struct comparison){0};
}

const char *comparison_word(const struct comparison_row *row)
{
    if (!row->a.known || !row->b.known)
        return "unknown";
    return row->a.high < row->b.low || row->b.high < row->a.low ? "apart" : "overlap";
}

/* ---- as text ---- */

enum { LABEL = 26, COLUMN = 17 };

static void add_value(struct buf *out, struct quantity quantity)
{
    struct buf text = {0};
    size_t bare;
    if (!quantity.known) {
        buf_addf(out, "%*s", COLUMN, "?");
        return;
    }
    buf_add_number(&text, quantity.value);
    bare = text.length;
    if (isinf(quantity.high)) {
        buf_add(&text, " or more");
    } else if (quantity.high > quantity.low) {
        buf_add(&text, " [");
        buf_add_number(&text, quantity.low);
        buf_add(&text, ",");
        buf_add_number(&text, quantity.high);
        buf_add(&text, "]");
    }
    if (text.length >= COLUMN)
        buf_truncate(&text, bare);
    buf_addf(out, "%*s", COLUMN, buf_str(&text));
    buf_release(&text);
}

static void add_line(struct buf *out, const struct comparison_row *row)
{
    struct buf label = {0}, ratio = {0};
    buf_addf(&label, "  %s%s%s", row->name, *row->unit ? ", " : "", row->unit);
    buf_addf(out, "%-*s", LABEL, buf_str(&label));
    add_value(out, row->a);
    add_value(out, row->b);
    if (row->ratio.known)
        buf_add_number(&ratio, row->ratio.value);
    buf_addf(out, "%8s  %s\n", row->ratio.known ? buf_str(&ratio) : "?",
             row->a.known && row->b.known ? comparison_word(row) : "");
    buf_release(&label);
    buf_release(&ratio);
}

/* Which of a row's two figures are missing. */
enum missing { MISSING_NONE, MISSING_A, MISSING_B, MISSING_BOTH };

static enum missing missing(const struct comparison_row *row)
{
    return (enum missing)((row->a.known ? 0 : MISSING_A) |
                          (row->b.known ? 0 : MISSING_B));
}

static bool group_is_missing(const struct comparison *comparison, const char *group,
                             enum missing which)
{
    for (size_t i = 0; i < comparison->row_nr; i++)
        if (!strcmp(comparison->row[i].group, group) &&
            missing(&comparison->row[i]) != which)
            return false;
    return true;
}

/* "L1 (all); memory, one core (read, write)" */
static void name_missing(const struct comparison *comparison, enum missing which,
                         struct buf *out)
{
    const char *group = NULL;
    for (size_t i = 0; i < comparison->row_nr; i++) {
        const struct comparison_row *row = &comparison->row[i];
        bool same = group && !strcmp(group, row->group);
        if (missing(row) != which || (same && group_is_missing(comparison, group, which)))
            continue;
        if (!same && group)
            buf_add(out, "); ");
        if (!same)
            buf_addf(out, "%s (", row->group);
        group = row->group;
        buf_addf(out, "%s%s", same ? ", " : "",
                 group_is_missing(comparison, group, which) ? "all" : row->name);
    }
    if (group)
        buf_add(out, ")");
}

/* "Unknown in 'skl': L1 (latency); memory, one core (all)." */
static void add_missing(struct buf *out, const struct comparison *comparison,
                        enum missing which, const char *where)
{
    struct buf text = {0};
    name_missing(comparison, which, &text);
    if (text.length) {
        struct buf sentence = {0};
        buf_addf(&sentence, "Unknown in %s: %s.", where, buf_str(&text));
        buf_add(out, "\n");
        buf_add_wrapped(out, buf_str(&sentence), 2, 79);
        buf_add(out, "\n");
        buf_release(&sentence);
    }
    buf_release(&text);
}

static void add_head(struct buf *out, const struct comparison *comparison)
{
    buf_addf(out, "%-*s%*.*s%*.*s%8s  %s\n", LABEL, "", COLUMN, COLUMN - 1, comparison->a,
             COLUMN, COLUMN - 1, comparison->b, "ratio", "intervals");
}

void comparison_text(const struct comparison *comparison, struct buf *out)
{
    const char *group = NULL;
    char *a = xasprintf("'%s'", comparison->a), *b = xasprintf("'%s'", comparison->b);
    add_head(out, comparison);
    for (size_t i = 0; i < comparison->row_nr; i++) {
        const struct comparison_row *row = &comparison->row[i];
        if (missing(row) == MISSING_BOTH)
            continue;
        if (!group || strcmp(group, row->group))
            buf_addf(out, "%s\n", row->group);
        group = row->group;
        add_line(out, row);
    }
    buf_add(out, "\nratio: second over first; apart: the intervals do not overlap\n");
    add_missing(out, comparison, MISSING_A, a);
    add_missing(out, comparison, MISSING_B, b);
    add_missing(out, comparison, MISSING_BOTH, "both");
    free(a);
    free(b);
}

/* ---- as JSON ---- */

json_t *comparison_json(const struct comparison *comparison)
{
    json_t *list = json_array();
    for (size_t i = 0; i < comparison->row_nr; i++) {
        const struct comparison_row *row = &comparison->row[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "group", row->group, "name",
                      row->name, "unit", row->unit, "a", json_quantity(row->a), "b",
                      json_quantity(row->b), "ratio", json_quantity(row->ratio),
                      "intervals", comparison_word(row)));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "schema", "inflight.profiles-compared/1",
                     "a", text_json(comparison->a), "b", text_json(comparison->b), "rows",
                     list);
}
