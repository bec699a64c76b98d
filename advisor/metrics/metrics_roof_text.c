/* The roofline as tables: a row per roof, a column per variant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_roof.h"
#include "advisor/metrics/metrics_text.h"

enum { NAME_COLUMNS = 26, ROOF_COLUMNS = 9, CELL_COLUMNS = 16, LABEL_LONGEST = 15 };

struct table {
    struct page *page;
    const struct metrics_roof *roof; /* all under the same roofs */
    const size_t *number;            /* of their columns, from 1 */
    size_t nr;
};

/* ---- cells ---- */

static void add_name(const struct table *table, const char *name, struct quantity roof,
                     struct quantity ridge)
{
    buf_addf(table->page->out, "  %-*s", NAME_COLUMNS, name);
    const struct quantity cell[] = {roof, ridge};
    for (size_t i = 0; i < ARRAY_SIZE(cell); i++) {
        struct buf text = {0};
        if (i == 0 && roof.known && isinf(roof.high))
            buf_add(&text, ">=");
        else if (cell[i].known && isinf(roof.high))
            buf_add(&text, "<=");
        if (cell[i].known)
            buf_add_number(&text, cell[i].value);
        buf_addf(table->page->out, "%*s", ROOF_COLUMNS, buf_str(&text));
        buf_release(&text);
    }
}

static void add_cell(const struct table *table, struct quantity value,
                     struct quantity share)
{
    struct buf text = {0};
    if (value.known)
        buf_add_number(&text, value.value);
    else
        buf_add(&text, "?");
    if (share.known)
        buf_addf(&text, " (%.1f%%)", 100 * share.value);
    buf_addf(table->page->out, "%*s", CELL_COLUMNS, buf_str(&text));
    buf_release(&text);
}

/* ---- rows ---- */

static void add_heading(const struct table *table)
{
    struct buf *out = table->page->out;
    buf_addf(out, "%s  %-*s%*s%*s", table->page->colour ? "\033[1m" : "", NAME_COLUMNS,
             "used (of the roof)", ROOF_COLUMNS, "roof", ROOF_COLUMNS, "ridge");
    for (size_t i = 0; i < table->nr; i++) {
        const char *label = table->roof[i].column->label;
        char *number = xasprintf("(%zu)", table->number[i]);
        buf_addf(out, "%*s", CELL_COLUMNS,
                 strlen(label) <= LABEL_LONGEST ? label : number);
        free(number);
    }
    buf_addf(out, "%s\n", table->page->colour ? "\033[0m" : "");
}

static void add_level(const struct table *table, enum roof_level level)
{
    const struct roof_ceilings *ceilings = &table->roof[0].ceilings;
    char *name = xasprintf("%s, GB/s", roof_level_text(level));
    add_name(table, name,
             level == ROOF_MEMORY ? ceilings->node.value : ceilings->gbs[level].value,
             table->roof[0].roofline.level[level].ridge);
    free(name);
    for (size_t i = 0; i < table->nr; i++) {
        const struct roof_stand *stand = &table->roof[i].roofline.level[level];
        add_cell(table, stand->gbs, stand->share);
    }
    buf_add(table->page->out, "\n");
}

static void add_flops(const struct table *table, enum roof_flops kind)
{
    struct quantity roof = table->roof[0].ceilings.flops[kind].value;
    if (!roof.known)
        return;
    char *name = xasprintf("%s, GFLOP/s",
                           kind == ROOF_SCALAR ? "one element" : roof_flops_text(kind));
    add_name(table, name, quantity_scale(roof, 1e-9), quantity_unknown());
    free(name);
    for (size_t i = 0; i < table->nr; i++) {
        const struct roofline *roofline = &table->roof[i].roofline;
        add_cell(table, quantity_scale(roofline->flops_per_s, 1e-9),
                 roofline->flops_share[kind]);
    }
    buf_add(table->page->out, "\n");
}

/* A row of plain figures; left out where none is known. `at`: of struct roofline. */
static void add_row(const struct table *table, const char *name, size_t at, double scale)
{
    bool any = false;
    for (size_t i = 0; i < table->nr; i++)
        any |= ((const struct quantity *)((const char *)&table->roof[i].roofline + at))
                   ->known;
    if (!any)
        return;
    add_name(table, name, quantity_unknown(), quantity_unknown());
    for (size_t i = 0; i < table->nr; i++)
        add_cell(
            table,
            quantity_scale(
                *(const struct quantity *)((const char *)&table->roof[i].roofline + at),
                scale),
            quantity_unknown());
    buf_add(table->page->out, "\n");
}

static void add_attainable(const struct table *table)
{
    add_row(table, "flop/B, of L1's bytes", offsetof(struct roofline, ai), 1);
    for (int i = 0; i < ROOF_LEVELS; i++) {
        char *name = xasprintf("  GFLOP/s under %s", roof_level_text(i));
        add_row(table, name,
                offsetof(struct roofline, level) + (size_t)i * sizeof(struct roof_stand) +
                    offsetof(struct roof_stand, attainable),
                1e-9);
        free(name);
    }
    add_row(table, "flop/B, of memory's bytes", offsetof(struct roofline, ai_memory), 1);
    add_row(table, "  GFLOP/s under memory", offsetof(struct roofline, memory_attainable),
            1e-9);
}

static void add_table(const struct table *table)
{
    add_heading(table);
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (!table->roof[0].ceilings.lacks[i])
            add_level(table, i);
    for (int i = 0; i < ROOF_FLOPS; i++)
        add_flops(table, i);
    add_attainable(table);
    add_row(table, "lines a core in 100 ns", offsetof(struct roofline, lines_100ns), 1);
    add_row(table, "lines in flight per core", offsetof(struct roofline, lines), 1);
}

/* ---- all of it ---- */

static void add_sentences(const struct metrics_report *report,
                          const struct metrics_roof *roof, size_t nr, struct page *page)
{
    buf_add(page->out, "\n");
    for (size_t i = 0; i < nr; i++) {
        char *sentence = metrics_roof_sentence(&roof[i]);
        page_paragraph(page, "%s%s%s.", report->nr > 1 ? roof[i].column->label : "",
                       report->nr > 1 ? ": " : "", sentence);
        free(sentence);
    }
}

static void add_notes(const struct metrics_roof *roof, struct page *page)
{
    struct strvec notes = {0};
    metrics_roof_notes(roof, &notes);
    for (size_t i = 0; i < notes.nr; i++)
        metrics_add_marked(page, "-", notes.v[i]);
    strvec_release(&notes);
}

/* All columns from the first one on that stand under its roofs, in as many tables as the
 * page's width asks for. Returns how many. */
static size_t add_roofs(const struct metrics_report *report,
                        const struct metrics_roof *roof, const size_t *number, size_t nr,
                        struct page *page)
{
    size_t room = (page->width - 2 - NAME_COLUMNS - 2 * ROOF_COLUMNS) / CELL_COLUMNS;
    size_t same = 1;
    while (same < nr && metrics_roof_same(&roof[0], &roof[same]))
        same++;
    char *title =
        xasprintf("Roofline: roofs of '%s', %d core%s", roof->column->machine.name,
                  roof->ceilings.cores, roof->ceilings.cores == 1 ? "" : "s");
    page_heading(page, title);
    free(title);
    room = room > 1 ? room : 1;
    for (size_t i = 0; i < same; i += room)
        add_table(&(struct table){.page = page,
                                  .roof = roof + i,
                                  .number = number + i,
                                  .nr = same - i < room ? same - i : room});
    add_sentences(report, roof, same, page);
    add_notes(roof, page);
    return same;
}

static bool has_bytes(const struct metrics_report *report)
{
    for (size_t i = 0; i < report->nr; i++)
        for (int k = 0; k < ROOF_LEVELS; k++)
            if (metrics_value(&report->column[i], roof_level_metric(k)).known)
                return true;
    return false;
}

/* Who asks for another model does not ask for roofs. */
static bool is_wanted(const struct metrics_report *report)
{
    const char *model = report->settings->model;
    return !model || !strcmp(model, "portable");
}

void metrics_roof_text(const struct metrics_report *report, struct page *page)
{
    if (!is_wanted(report))
        return;
    struct metrics_roof *roof = xcalloc(report->nr + 1, sizeof(*roof));
    size_t *number = xcalloc(report->nr + 1, sizeof(*number)), nr = 0;
    for (size_t i = 0; i < report->nr; i++)
        if (metrics_roof_of(&report->column[i], &roof[nr]))
            number[nr++] = i + 1;
    for (size_t i = 0; i < nr;)
        i += add_roofs(report, roof + i, number + i, nr - i, page);
    if (!nr && has_bytes(report)) {
        page_heading(page, "Roofline");
        page_paragraph(page,
                       "No roofs are known of the machine of these counts: "
                       "--machine names its profile, 'inflight machine' makes one.");
    }
    free(roof);
    free(number);
}
