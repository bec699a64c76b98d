/* What moves, for people: per level, through memory, per array and per line. */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/measure_report.h"
#include "core/base.h"

/* In words: where the figures come from. */
static const char *traffic_source(const struct traffic *traffic)
{
    switch (traffic->provenance) {
    case PROVENANCE_MODEL:
        return "the cache model on traced accesses";
    case PROVENANCE_PAPI:
        return "hardware counters";
    case PROVENANCE_RECORDED:
        return "a recorded measurement";
    case PROVENANCE_DECLARED:
        return "what was declared";
    case PROVENANCE_DERIVED:
        return "hardware counters for memory, the cache model for the rest";
    default:
        return provenance_word(traffic->provenance);
    }
}

/* Below 0 only by rounding of the parts. */
static struct quantity rest_of(struct quantity all, struct quantity part)
{
    struct quantity rest = quantity_subtract(all, part);
    if (rest.known && rest.value < 0)
        rest = quantity_exact(0, rest.provenance);
    return rest;
}

/* A figure that is not told adds nothing that could be said. */
static struct quantity sum_known(struct quantity a, struct quantity b)
{
    return !a.known ? b : !b.known ? a : quantity_add(a, b);
}

/* ---- levels ---- */

static void add_level(const struct traffic *traffic, int k, struct buf *out)
{
    const struct traffic_edge *edge = &traffic->edge[k];
    struct quantity down = quantity_add(edge->fills, edge->writebacks);
    struct buf below = {0};
    if (k == traffic->level_nr - 1) {
        buf_add(&below, "memory");
        down = sum_known(down, traffic->nontemporal_lines);
    } else {
        buf_addf(&below, "L%d", k + 2);
    }
    buf_addf(out, "  L%d-%-6s", k + 1, buf_str(&below));
    buf_add_cell(out, edge->hits, 1, 10);
    buf_add_cell(out, rest_of(edge->fills, edge->software), 1, 10);
    buf_add_cell(out, edge->fills, 1, 10);
    buf_add_cell(out, edge->covered, 1, 10);
    buf_add_cell(out, rest_of(edge->fills, edge->covered), 1, 10);
    buf_add_cell(out, edge->writebacks, 1, 10);
    buf_add(out, "  ");
    if (down.known)
        buf_add_bytes(out, down.value * traffic->line_bytes);
    else
        buf_add(out, "?");
    buf_add(out, "\n");
    buf_release(&below);
}

static void show_levels(const struct traffic *traffic, struct layout *layout)
{
    buf_add(layout->out,
            "  edge           hits    misses     fills   covered    random   "
            "written  bytes\n");
    for (int k = 0; k < traffic->level_nr; k++)
        add_level(traffic, k, layout->out);
    layout_paragraph(
        layout,
        "hits: lines that loads and stores found in the level; misses: those they did "
        "not find; fills: lines brought in, prefetches included; covered: fills that a "
        "hardware prefetcher anticipates, random: the others; written: modified lines "
        "written back; bytes: all that crossed the edge.");
}

/* ---- memory ---- */

static void bytes_line(struct layout *layout, const char *label, struct quantity bytes)
{
    struct buf text = {0};
    if (!bytes.known) {
        layout_line(layout, label, "unknown");
        return;
    }
    buf_add_bytes_figure(&text, bytes);
    layout_line(layout, label, "%s (%s)", buf_str(&text),
                provenance_word(bytes.provenance));
    buf_release(&text);
}

static void show_memory(const struct traffic *traffic, struct layout *layout)
{
    struct quantity nontemporal =
        quantity_scale(traffic->nontemporal_lines, traffic->line_bytes);
    bytes_line(layout, "read from memory", traffic_read_bytes(traffic));
    bytes_line(layout, "written to memory", traffic_write_bytes(traffic));
    if (nontemporal.known && nontemporal.value > 0)
        bytes_line(layout, "  of it streamed", nontemporal);
    layout_quantity(layout, "page walks", traffic->page_walks, 1, "", "");
    layout_quantity(layout, "loads and stores", traffic->accesses, 1, "", "");
    bytes_line(layout, "  bytes they move", traffic->bytes);
}

/* ---- who causes it ---- */

enum { SITES_SHOWN = 12, NAME_WIDTH = 20 };

static struct quantity part_bytes(const struct traffic *traffic,
                                  const struct traffic_part *part)
{
    int last = traffic->level_nr - 1;
    struct quantity lines = quantity_add(part->fills[last], part->writebacks[last]);
    return quantity_scale(sum_known(lines, part->nontemporal_lines), traffic->line_bytes);
}

static struct quantity sum_bytes(const struct traffic *traffic,
                                 const struct traffic_part *part, size_t nr)
{
    struct quantity sum = quantity_exact(0, traffic->provenance);
    for (size_t i = 0; i < nr; i++)
        sum = quantity_add(sum, part_bytes(traffic, &part[i]));
    return sum;
}

static void add_part(const struct traffic *traffic, const struct traffic_part *part,
                     double all_bytes, struct buf *out)
{
    int last = traffic->level_nr - 1;
    struct quantity bytes = part_bytes(traffic, part);
    size_t length = strlen(part->name);
    buf_addf(out, "  %-*s", NAME_WIDTH - 2,
             length > NAME_WIDTH - 3 ? part->name + length - (NAME_WIDTH - 3)
                                     : part->name);
    buf_add_cell(out, part->accesses, 1, 9);
    buf_add_cell(out, part->fills[0], 1, 9);
    buf_add_cell(out, part->fills[last], 1, 9);
    buf_add_cell(out, rest_of(part->fills[last], part->covered[last]), 1, 9);
    buf_add_cell(out, part->writebacks[last], 1, 9);
    buf_add(out, "  ");
    if (bytes.known)
        buf_add_bytes(out, bytes.value);
    else
        buf_add(out, "?");
    if (bytes.known && all_bytes > 0)
        buf_addf(out, ", %.0f%%", 100 * bytes.value / all_bytes);
    buf_add(out, "\n");
}

static void show_parts(const struct traffic *traffic, const char *title,
                       const struct traffic_part *part, size_t nr, struct layout *layout)
{
    struct quantity all = sum_bytes(traffic, part, nr);
    buf_addf(layout->out,
             "  %-*s accesses  L1 fills  mem.rd.   random  written  memory\n",
             NAME_WIDTH - 2, title);
    for (size_t i = 0; i < nr && i < SITES_SHOWN; i++)
        add_part(traffic, &part[i], all.known ? all.value : 0, layout->out);
    if (nr > SITES_SHOWN)
        layout_paragraph(layout, "... and %zu more (--json has all)", nr - SITES_SHOWN);
}

void traffic_text(const struct traffic *traffic, struct layout *layout)
{
    layout_heading(layout, "What one call moves, per core");
    layout_paragraph(layout, "Counted by %s, in lines of %d bytes.",
                     traffic_source(traffic), traffic->line_bytes);
    show_levels(traffic, layout);
    show_memory(traffic, layout);
    if (!traffic->note && traffic->traced_share > 0 && traffic->traced_share < 1)
        layout_line(layout, "sampled", "%.3g %% of the accesses were simulated",
                    100 * traffic->traced_share);
    if (traffic->note)
        layout_line(layout, "note", "%s", traffic->note);
    if (!traffic->array_nr && !traffic->site_nr)
        return;
    layout_heading(layout, "Who causes it");
    if (traffic->array_nr)
        show_parts(traffic, "array", traffic->array, traffic->array_nr, layout);
    if (traffic->site_nr)
        show_parts(traffic, "source line", traffic->site, traffic->site_nr, layout);
}
