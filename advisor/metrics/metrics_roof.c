/* Columns under the roofs of their machine: sentences, JSON, a table each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_show.h"
#include "core/base.h"

/* ---- a column under its roofs ---- */

static double single_share_of(const struct metrics_column *column)
{
    struct quantity single = metrics_value(column, "flops_sp"),
                    share = quantity_divide(single, metrics_value(column, "flops_total"));
    return share.known ? fmin(share.value, 1) : NAN;
}

static void fill_work(const struct metrics_column *column, struct roof_work *work)
{
    *work = (struct roof_work){.flops = metrics_value(column, "flops_total"),
                               .seconds = column->counts.seconds,
                               .latency_ns = column->latency_ns,
                               .line_bytes = machine_transfer_bytes(&column->machine)};
    for (int i = 0; i < ROOF_LEVELS; i++)
        work->bytes[i] = metrics_value(column, roof_level_metric(i));
}

static bool has_work(const struct metrics_column *column)
{
    bool any = metrics_value(column, "flops_total").known;
    for (int i = 0; i < ROOF_LEVELS; i++)
        any |= metrics_value(column, roof_level_metric(i)).known;
    return any && column->counts.seconds.known;
}

/* False = no profile of its machine, or nothing that has a place under a roof. */
static bool roof_of(const struct metrics_column *column, struct metrics_roof *roof)
{
    struct quantity cores = metrics_given_value(column, "cores"),
                    reads = quantity_divide(metrics_value(column, "Mem_read_Bytes"),
                                            metrics_value(column, "Mem_Bytes"));
    struct roof_work work;
    if (!column->has_machine || !has_work(column))
        return false;
    *roof = (struct metrics_roof){.column = column,
                                  .single_share = single_share_of(column),
                                  .cores_given = cores.known};
    const struct roof_ask ask = {.cores = cores.known ? (int)cores.value : 0,
                                 .single_share =
                                     isnan(roof->single_share) ? 0 : roof->single_share,
                                 .read_share = reads.known ? reads.value : NAN};
    fill_work(column, &work);
    roof_ceilings_of(&column->machine, &ask, &roof->ceilings);
    roofline_of(&work, &roof->ceilings, &roof->roofline);
    return true;
}

/* ---- which roof ---- */

/* "memory", "arithmetic". */
static const char *nearest_name(const struct roofline *roofline)
{
    return roofline->nearest < ROOF_LEVELS ? roof_level_text(roofline->nearest)
                                           : "arithmetic";
}

/* "81.4 % of what memory can [79.2, 83.6]" */
static void add_use(const struct roofline *roofline, struct buf *out)
{
    struct quantity share = roofline_nearest_share(roofline);
    buf_addf(out, "%s is used to ", nearest_name(roofline));
    buf_add_figure(out, share, 100, "%");
    buf_add(out, " of its roof");
}

static void add_at(const struct roofline *roofline, struct buf *out)
{
    add_use(roofline, out);
    if (roofline_nearest_share(roofline).low > 1)
        buf_add(out, ": more than should be possible; the bytes, cores or profile are "
                     "not those of this run");
    else if (roofline->nearest == ROOF_LEVELS)
        buf_add(out, ": only less arithmetic helps");
    else if (roofline->nearest == ROOF_MEMORY)
        buf_add(out, ": more misses in flight cannot help, only fewer bytes through it");
    else
        buf_addf(out, ": only fewer bytes from %s help", nearest_name(roofline));
}

/* Little's law says whether a queue or nothing at all is full. */
static void add_lines(const struct metrics_roof *roof, struct buf *out)
{
    const struct machine_limit *queue = &roof->column->machine.l1_mshrs;
    struct quantity lines = roof->roofline.lines;
    if (!lines.known) {
        buf_addf(out, "; lines in flight would say which, but %s known",
                 roof->roofline.level[ROOF_MEMORY].gbs.known
                     ? "the latency under load is not"
                     : "the bytes through memory are not");
        return;
    }
    buf_add(out, "; ");
    buf_add_number(out, lines.value);
    buf_add(out, " lines in flight towards memory per core");
    if (queue->used.known) {
        buf_add(out, ", where the L1 queue takes ");
        buf_add_number(out, queue->used.value);
    }
}

/* A point just under memory's slope that moves little through memory: the picture alone
 * would mislead. */
static void add_trap(const struct roofline *roofline, struct buf *out)
{
    const struct roof_stand *memory = &roofline->level[ROOF_MEMORY];
    if (memory->over.known && memory->share.known && memory->over.value > 0.6 &&
        memory->over.value < 1.05 && memory->share.high < 0.5)
        buf_addf(out,
                 ". In the plot it lies close to memory's slope, though it uses only "
                 "%.2g %% of memory's bandwidth: its data comes from the caches",
                 100 * memory->share.value);
}

char *metrics_roof_sentence(const struct metrics_roof *roof)
{
    const struct roofline *roofline = &roof->roofline;
    struct buf out = {0};
    switch (roofline->verdict) {
    case ROOF_VERDICT_AT:
        add_at(roofline, &out);
        break;
    case ROOF_VERDICT_NEAR:
        add_use(roofline, &out);
        buf_addf(&out, ": near it, %.3gx is left",
                 1 / roofline_nearest_share(roofline).value);
        break;
    case ROOF_VERDICT_FAR:
        buf_add(&out, "no roof is near (");
        add_use(roofline, &out);
        buf_add(&out, "): concurrency, latency or the pipeline limits");
        add_lines(roof, &out);
        add_trap(roofline, &out);
        break;
    default:
        buf_add(&out, "no level has both its bytes and its roof known");
    }
    if (roofline->verdict != ROOF_VERDICT_UNKNOWN && !roofline->sure)
        buf_add(&out, ". The interval overlaps another verdict");
    return buf_detach(&out);
}

/* ---- what the roofs are ---- */

static void note_memory(const struct metrics_roof *roof, struct strvec *out)
{
    const struct machine *machine = &roof->column->machine;
    struct roof slope = roof->ceilings.gbs[ROOF_MEMORY], node = roof->ceilings.node;
    if (node.value.known)
        strvec_pushf(
            out,
            "memory's roof, %.3g GB/s (%s), is for all bytes that move there, as "
            "counters at the memory see them: plain stores, no non-temporal ones",
            node.value.value, node.from);
    if (slope.value.known)
        strvec_pushf(out,
                     "its slope, %.3g GB/s, is for the program's own bytes: 24 for an "
                     "element of a triad, for which the memory moves %.3g (%.0f %% of "
                     "the lines that plain stores write are read first: %s)",
                     slope.value.value, 24 + 8 * machine->store_read_factor,
                     100 * machine->store_read_factor,
                     machine->store_read_source ? machine->store_read_source : "assumed");
}

static void note_arithmetic(const struct metrics_roof *roof, struct strvec *out)
{
    const struct roof *flops = roof->ceilings.flops;
    struct quantity faster =
        quantity_divide(flops[ROOF_FMA].value, flops[ROOF_SCALAR].value);
    if (isnan(roof->single_share))
        strvec_push(out, "arithmetic: the counts do not tell single from double "
                         "precision; the roofs are those of double");
    else if (roof->single_share > 0)
        strvec_pushf(out, "arithmetic: %.3g %% of the flops are in single precision",
                     100 * roof->single_share);
    if (faster.known)
        strvec_pushf(out,
                     "arithmetic: the roof of one element at a time is checked by the "
                     "vectors, which are %.3g times as fast",
                     faster.value);
}

static void note_unknown(const struct roof *roof, const char *name, struct strvec *out)
{
    if (!roof->value.known)
        strvec_pushf(out, "no roof of %s: %s", name, roof->from);
}

/* What the roofs are and what they are not, of the column's profile. */
static void roof_notes(const struct metrics_roof *roof, struct strvec *out)
{
    const struct machine *machine = &roof->column->machine;
    if (!roof->cores_given)
        strvec_pushf(
            out, "how many cores worked is not known: roofs are of all %d (--cores N)",
            roof->ceilings.cores);
    note_memory(roof, out);
    note_arithmetic(roof, out);
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (!roof->ceilings.lacks[i])
            note_unknown(&roof->ceilings.gbs[i], roof_level_text(i), out);
    for (int i = 0; i < ROOF_FLOPS; i++)
        note_unknown(&roof->ceilings.flops[i], roof_flops_text(i), out);
    strvec_pushf(out, "roofs from: %s",
                 machine->source ? machine->source : machine->name);
}

/* ---- JSON ---- */

static json_t *level_json(const struct metrics_roof *roof, enum roof_level level)
{
    const struct roof_stand *stand = &roof->roofline.level[level];
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "level",
                     roof_level_text(level), "roof_gbs",
                     json_quantity(roof->ceilings.gbs[level].value), "from",
                     roof->ceilings.gbs[level].from, "gbs", json_quantity(stand->gbs),
                     "share", json_quantity(stand->share), "attainable_flops_per_s",
                     json_quantity(stand->attainable), "over", json_quantity(stand->over),
                     "ridge", json_quantity(stand->ridge));
}

static json_t *levels_json(const struct metrics_roof *roof)
{
    json_t *list = json_array();
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (!roof->ceilings.lacks[i])
            json_array_append_new(list, level_json(roof, i));
    return list;
}

static json_t *flops_json(const struct metrics_roof *roof)
{
    json_t *list = json_array();
    for (int i = 0; i < ROOF_FLOPS; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:s, s:o}", "kind", roof_flops_key(i),
                                        "roof_flops_per_s",
                                        json_quantity(roof->ceilings.flops[i].value),
                                        "from", roof->ceilings.flops[i].from, "share",
                                        json_quantity(roof->roofline.flops_share[i])));
    return list;
}

static json_t *notes_json(const struct metrics_roof *roof)
{
    struct strvec notes = {0};
    roof_notes(roof, &notes);
    json_t *list = json_strvec(&notes);
    strvec_release(&notes);
    return list;
}

static json_t *roof_json(const struct metrics_roof *roof)
{
    static const char *const verdict[] = {"unknown", "far", "near", "at"};
    const struct roofline *line = &roof->roofline;
    bool judged = line->verdict != ROOF_VERDICT_UNKNOWN;
    char *sentence = metrics_roof_sentence(roof);
    json_t *out = json_pack(
        "{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, "
        "s:b, "
        "s:s, s:o}",
        "machine", text_json(roof->column->machine.name), "cores", roof->ceilings.cores,
        "single_share", json_number_or_null(roof->single_share), "flops_per_s",
        json_quantity(line->flops_per_s), "ai", json_quantity(line->ai), "ai_memory",
        json_quantity(line->ai_memory), "memory_gbs",
        json_quantity(roof->ceilings.node.value), "memory_from", roof->ceilings.node.from,
        "memory_attainable_flops_per_s", json_quantity(line->memory_attainable), "levels",
        levels_json(roof), "flops", flops_json(roof), "lines_100ns",
        json_quantity(line->lines_100ns), "lines_per_core", json_quantity(line->lines),
        "verdict", verdict[line->verdict], "nearest",
        text_json(judged ? nearest_name(line) : NULL), "sure", line->sure, "sentence",
        sentence, "notes", notes_json(roof));
    free(sentence);
    return out;
}

json_t *metrics_roof_json(const struct metrics_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->nr; i++) {
        struct metrics_roof roof;
        json_array_append_new(list, roof_of(&report->column[i], &roof) ? roof_json(&roof)
                                                                       : json_null());
    }
    return list;
}

enum { NAME_COLUMNS = 26, ROOF_COLUMNS = 9, USED_COLUMNS = 16 };

/* ---- rows ---- */

static void add_row(const char *name, struct quantity roof, struct quantity ridge,
                    struct quantity value, struct quantity share, struct buf *out)
{
    const struct quantity cell[] = {roof, ridge};
    struct buf used = {0};
    buf_addf(out, "  %-*s", NAME_COLUMNS, name);
    for (size_t i = 0; i < ARRAY_SIZE(cell); i++) {
        struct buf text = {0};
        if (i == 0 && roof.known && isinf(roof.high))
            buf_add(&text, ">=");
        else if (cell[i].known && isinf(roof.high))
            buf_add(&text, "<=");
        if (cell[i].known)
            buf_add_number(&text, cell[i].value);
        buf_addf(out, "%*s", ROOF_COLUMNS, buf_str(&text));
        buf_release(&text);
    }
    if (value.known)
        buf_add_number(&used, value.value);
    else
        buf_add(&used, "?");
    if (share.known) {
        buf_add(&used, " (");
        buf_add_tenths(&used, share.value);
        buf_add(&used, "%)");
    }
    buf_addf(out, "%*s\n", USED_COLUMNS, buf_str(&used));
    buf_release(&used);
}

static void add_level(const struct metrics_roof *roof, enum roof_level level,
                      struct buf *out)
{
    const struct roof_ceilings *ceilings = &roof->ceilings;
    const struct roof_stand *stand = &roof->roofline.level[level];
    char *name = xasprintf("%s, GB/s", roof_level_text(level));
    add_row(name,
            level == ROOF_MEMORY ? ceilings->node.value : ceilings->gbs[level].value,
            stand->ridge, stand->gbs, stand->share, out);
    free(name);
}

static void add_flops(const struct metrics_roof *roof, enum roof_flops kind,
                      struct buf *out)
{
    const struct roofline *roofline = &roof->roofline;
    struct quantity ceiling = roof->ceilings.flops[kind].value;
    if (!ceiling.known)
        return;
    char *name = xasprintf("%s, GFLOP/s",
                           kind == ROOF_SCALAR ? "one element" : roof_flops_text(kind));
    add_row(name, quantity_scale(ceiling, 1e-9), quantity_unknown(),
            quantity_scale(roofline->flops_per_s, 1e-9), roofline->flops_share[kind],
            out);
    free(name);
}

/* Has no roof; left out where it is not known. */
static void add_figure(const char *name, struct quantity value, struct buf *out)
{
    if (value.known)
        add_row(name, quantity_unknown(), quantity_unknown(), value, quantity_unknown(),
                out);
}

static void add_attainable(const struct roofline *roofline, struct buf *out)
{
    add_figure("flop/B, of L1's bytes", roofline->ai, out);
    for (int i = 0; i < ROOF_LEVELS; i++) {
        char *name = xasprintf("  GFLOP/s under %s", roof_level_text(i));
        add_figure(name, quantity_scale(roofline->level[i].attainable, 1e-9), out);
        free(name);
    }
    add_figure("flop/B, of memory's bytes", roofline->ai_memory, out);
    add_figure("  GFLOP/s under memory",
               quantity_scale(roofline->memory_attainable, 1e-9), out);
}

static void add_table(const struct metrics_roof *roof, struct layout *layout)
{
    struct buf *out = layout->out;
    buf_addf(out, "%s  %-*s%*s%*s%*s%s\n", layout->colour ? "\033[1m" : "", NAME_COLUMNS,
             "", ROOF_COLUMNS, "roof", ROOF_COLUMNS, "ridge", USED_COLUMNS,
             "used (of roof)", layout->colour ? "\033[0m" : "");
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (!roof->ceilings.lacks[i])
            add_level(roof, i, out);
    for (int i = 0; i < ROOF_FLOPS; i++)
        add_flops(roof, i, out);
    add_attainable(&roof->roofline, out);
    add_figure("lines a core in 100 ns", roof->roofline.lines_100ns, out);
    add_figure("lines in flight per core", roof->roofline.lines, out);
}

/* ---- all of it ---- */

static void show_roof(const struct metrics_roof *roof, struct layout *layout)
{
    struct strvec notes = {0};
    char *title =
        xasprintf("Roofline: roofs of '%s', %d core%s", roof->column->machine.name,
                  roof->ceilings.cores, roof->ceilings.cores == 1 ? "" : "s");
    char *sentence = metrics_roof_sentence(roof);
    layout_heading(layout, title);
    add_table(roof, layout);
    buf_add(layout->out, "\n");
    layout_paragraph(layout, "%s.", sentence);
    roof_notes(roof, &notes);
    for (size_t i = 0; i < notes.nr; i++)
        metrics_add_marked(layout, "-", notes.v[i]);
    strvec_release(&notes);
    free(sentence);
    free(title);
}

static bool has_bytes(const struct metrics_column *column)
{
    for (int i = 0; i < ROOF_LEVELS; i++)
        if (metrics_value(column, roof_level_metric(i)).known)
            return true;
    return false;
}

void metrics_roof_text(const struct metrics_report *report,
                       const struct metrics_column *column, struct layout *layout)
{
    const char *model = report->settings->model;
    struct metrics_roof roof;
    if (model && strcmp(model, "portable") != 0)
        return;
    if (roof_of(column, &roof)) {
        show_roof(&roof, layout);
    } else if (has_bytes(column)) {
        layout_heading(layout, "Roofline");
        layout_paragraph(layout,
                         "No roofs are known for the machine of these counts: name its "
                         "profile with --machine, or make one with 'inflight machine'.");
    }
}
