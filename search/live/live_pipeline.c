/*
 * The live runner: a variant's instructions, out of the middle of a call, through the
 * model of the core, with the lines that the call brings from each level.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu_core.h"
#include "search/live/live_parts.h"

/* So many stretches a call, of so many instructions, at most: enough for several times
 * what a core has in flight, and for what lies before the middle of a call and behind it.
 */
enum {
    STRETCHES = 4,
    STRETCH_INSTRUCTIONS = 8000,
    STRETCH_INSTRUCTIONS_MIN = 2000,
    WARM_MAX = 2000
};
/* Steps a second, with addresses, on a slow guest; of the time for a trace. */
static const double steps_per_s = 25000, stretches_share = 1.0 / 3;

/* Of one experiment, beside the starts of its processes. */
static const double experiment_s = 1;

struct looked {
    const struct live *live;
    const struct measurement *of;
    struct stretches stretches;
    struct pipeline_instruction *instruction;
    int *line;
    struct pipeline_step *step;
    struct pipeline_access *access;
    struct pipeline_pattern *pattern;
    struct pipeline_array *array;
    char **name; /* of the arrays, owned */
    size_t array_nr;
    struct pipeline_stream stream[STRETCHES];
    size_t stream_nr;
};

static void looked_release(struct looked *looked)
{
    stretches_release(&looked->stretches);
    for (size_t i = 0; i < looked->array_nr; i++)
        free(looked->name[i]);
    free(looked->instruction);
    free(looked->line);
    free(looked->step);
    free(looked->access);
    free(looked->pattern);
    free(looked->array);
    free(looked->name);
}

/* ---- the stream ---- */

static void take_places(struct looked *looked)
{
    const struct stretches *from = &looked->stretches;

    looked->instruction = xcalloc(from->place_nr + 1, sizeof(*looked->instruction));
    looked->line = xcalloc(from->place_nr + 1, sizeof(*looked->line));
    looked->pattern = xcalloc(from->place_nr + 1, sizeof(*looked->pattern));
    for (size_t i = 0; i < from->place_nr; i++) {
        const struct stretch_place *place = &from->place[i];

        looked->instruction[i] = (struct pipeline_instruction){
            .work = place->work, .pc = place->pc, .bytes = (uint8_t)place->what.bytes};
        looked->line[i] = place->line;
    }
}

static uint16_t bytes_of(const struct instruction_work *work)
{
    return work->memory.bytes ? work->memory.bytes : 8;
}

static void take_steps(struct looked *looked)
{
    const struct stretches *from = &looked->stretches;

    looked->step = xcalloc(from->step_nr + 1, sizeof(*looked->step));
    looked->access = xcalloc(from->address_nr + 1, sizeof(*looked->access));
    for (size_t i = 0; i < from->step_nr; i++) {
        const struct stretch_step *step = &from->step[i];

        looked->step[i] = (struct pipeline_step){.place = step->place,
                                                 .access = step->address,
                                                 .access_nr = step->address_nr,
                                                 .mispredicted = step->mispredicted};
        for (uint32_t k = step->address; k < step->address + step->address_nr; k++)
            looked->access[k] = (struct pipeline_access){
                .address = from->address[k],
                .bytes = bytes_of(&from->place[step->place].work)};
    }
}

static void take_streams(struct looked *looked)
{
    const struct stretches *from = &looked->stretches;

    for (size_t i = 0; i < from->begin_nr && i < STRETCHES; i++) {
        size_t begin = from->begin[i],
               end = i + 1 < from->begin_nr ? from->begin[i + 1] : from->step_nr;

        if (end - begin < 2)
            continue;
        size_t warm = (end - begin) / 4;
        looked->stream[looked->stream_nr++] =
            (struct pipeline_stream){.instruction = looked->instruction,
                                     .instruction_nr = from->place_nr,
                                     .step = looked->step + begin,
                                     .step_nr = end - begin,
                                     .access = looked->access,
                                     .pattern = looked->pattern,
                                     .warm = warm < WARM_MAX ? warm : WARM_MAX};
    }
}

/* ---- what the call brings ---- */

static double count_of(struct quantity lines)
{
    return lines.known && lines.value > 0 ? lines.value : 0;
}

/* Edges to lines by the level that they come from, as pipeline_array.lines has them. */
static void add_lines(const struct quantity *edge, int level_nr, double *lines)
{
    for (int k = 1; k < level_nr; k++)
        lines[k] += fmax(count_of(edge[k - 1]) - count_of(edge[k]), 0);
    lines[level_nr] += count_of(edge[level_nr - 1]);
}

/* Of "node.next" the array of structs, "node". */
static size_t base_length(const char *name)
{
    return strcspn(name, ".");
}

static bool has_base(const char *name, const char *base)
{
    return base_length(name) == strlen(base) && strncmp(name, base, strlen(base)) == 0;
}

/* The fields of an array of structs are one array here. */
static void add_array(struct looked *looked, const struct stretch_array *from)
{
    for (size_t i = 0; i < looked->array_nr; i++)
        if (looked->array[i].from == from->from)
            return;
    char *name = xasprintf("%.*s", (int)base_length(from->name), from->name);
    looked->array[looked->array_nr] =
        (struct pipeline_array){.name = name, .from = from->from, .bytes = from->bytes};
    looked->name[looked->array_nr++] = name;
}

/* That the part is of; NULL = none of them. */
static struct pipeline_array *array_of(const struct looked *looked,
                                       const struct traffic_part *part)
{
    for (size_t i = 0; i < looked->array_nr; i++)
        if (has_base(part->name, looked->array[i].name))
            return &looked->array[i];
    return NULL;
}

static void add_part(struct looked *looked, const struct traffic_part *part)
{
    struct pipeline_array *array = array_of(looked, part);
    int level_nr = looked->of->traffic.level_nr;

    if (!array)
        return;
    array->accessed_bytes += count_of(part->bytes);
    add_lines(part->fills, level_nr, array->lines);
    add_lines(part->covered, level_nr, array->covered);
}

static void take_arrays(struct looked *looked)
{
    const struct stretches *from = &looked->stretches;
    const struct traffic *traffic = &looked->of->traffic;

    looked->array = xcalloc(from->array_nr + 1, sizeof(*looked->array));
    looked->name = xcalloc(from->array_nr + 1, sizeof(*looked->name));
    for (size_t i = 0; i < from->array_nr; i++)
        add_array(looked, &from->array[i]);
    for (size_t i = 0; i < traffic->array_nr; i++)
        add_part(looked, &traffic->array[i]);
}

/* That the call accesses in its arrays. */
static struct quantity call_bytes(const struct looked *looked)
{
    const struct traffic *traffic = &looked->of->traffic;
    struct quantity sum = quantity_exact(0, traffic->provenance);

    if (traffic_is_beginning(traffic))
        return quantity_unknown();
    for (size_t i = 0; i < traffic->array_nr; i++)
        if (array_of(looked, &traffic->array[i]))
            sum = quantity_add(sum, traffic->array[i].bytes);
    return sum;
}

/* ---- the machine ---- */

static double known_or(struct quantity quantity, double otherwise)
{
    return quantity.known && quantity.value > 0 ? quantity.value : otherwise;
}

/* Bytes through memory, all copies, a second; and for each byte read. */
static double node_gbs(const struct looked *looked)
{
    const struct traffic *traffic = &looked->of->traffic;
    double bytes =
        count_of(traffic_read_bytes(traffic)) + count_of(traffic_write_bytes(traffic));

    return bytes * (double)looked->live->copies / looked->of->time_s.value * 1e-9;
}

/* A core's part of what memory gives at this mix, in cycles a line that is read: the
 * lines written pass, too. */
static double memory_line_cycles(const struct looked *looked)
{
    const struct machine *machine = looked->live->opts.machine;
    const struct traffic *traffic = &looked->of->traffic;
    double read = count_of(traffic_read_bytes(traffic)),
           write = count_of(traffic_write_bytes(traffic)), all = read + write,
           copies = (double)looked->live->copies;
    bool reads = read > 0.85 * all;
    double node = known_or(reads ? machine->node_read_gbs : machine->node_copy_gbs,
                           known_or(machine->node_read_gbs, 0)),
           one = reads ? known_or(machine->one_core.read_gbs, INFINITY) : INFINITY,
           mine = fmin(node > 0 ? node / copies : INFINITY, one);

    return isfinite(mine) && read > 0
               ? machine->line_bytes * all / read / mine * machine->ghz
               : 0;
}

static double cache_line_cycles(const struct machine *machine, int level)
{
    double gbs = known_or(machine->level[level].one_core.read_gbs, 0);

    return gbs > 0 ? machine->line_bytes / gbs * machine->ghz : 0;
}

static const struct machine_pages *pages_of(const struct looked *looked)
{
    const struct machine *machine = looked->live->opts.machine;

    return looked->of->environment.huge_pages ? &machine->huge_pages
                                              : &machine->small_pages;
}

/* From one walk to the next where walks are what random accesses wait for. */
static double walk_every_ns(const struct machine *machine,
                            const struct machine_pages *pages)
{
    double random = known_or(pages->random_accesses_per_s, 0),
           local = known_or(machine->one_core.random_lines_per_s, 0),
           walks = known_or(pages->walks_per_s, 0);

    if (random > 0 && random < 0.9 * local)
        return 1e9 / random;
    return walks > 0 && !pages->walks_is_floor ? 1e9 / walks : 0;
}

static struct pipeline_memory memory_of(const struct looked *looked)
{
    const struct machine *machine = looked->live->opts.machine;
    const struct traffic *traffic = &looked->of->traffic;
    const struct machine_pages *pages = pages_of(looked);
    double all =
        count_of(traffic_read_bytes(traffic)) + count_of(traffic_write_bytes(traffic));
    struct quantity loaded =
        machine_latency_ns(machine, node_gbs(looked),
                           all > 0 ? count_of(traffic_read_bytes(traffic)) / all : 1);
    struct pipeline_memory out = {
        .level_nr = traffic->level_nr,
        .l1_mshrs = known_or(machine->l1_mshrs.used, 0),
        .walk_cycles = known_or(pages->translation_ns, 0) * machine->ghz,
        .walk_every = walk_every_ns(machine, pages) * machine->ghz};

    for (int k = 0; k < traffic->level_nr && k < machine->level_nr; k++) {
        out.latency[k] = known_or(machine->level[k].latency_ns, 0) * machine->ghz;
        if (k > 0)
            out.line_cycles[k] = cache_line_cycles(machine, k);
    }
    out.latency[traffic->level_nr] =
        known_or(loaded, known_or(machine->memory_latency_ns, 0)) * machine->ghz;
    out.line_cycles[traffic->level_nr] = memory_line_cycles(looked);
    return out;
}

/* ---- the outward call ---- */

/* Walks whose tables lie in L2, as those of neighbouring pages do. */
static struct pipeline_memory near_walks(const struct machine *machine,
                                         const struct machine_pages *pages,
                                         const struct pipeline_memory *memory)
{
    struct pipeline_memory near = *memory;
    double walks = known_or(pages->walks_per_s, 0);

    near.walk_cycles =
        fmin(near.walk_cycles,
             fmin(pages->translation_ns.low * machine->ghz, memory->latency[1]));
    if (walks > 0 && !pages->walks_is_floor)
        near.walk_every = fmin(near.walk_every, 1e9 / walks * machine->ghz);
    return near;
}

static int account_make(struct looked *looked, struct pipeline_account *account)
{
    const struct traffic *traffic = &looked->of->traffic;
    const struct machine *machine = looked->live->opts.machine;
    struct pipeline_call call = {.array = looked->array,
                                 .array_nr = looked->array_nr,
                                 .instructions = count_of(traffic->instructions),
                                 .page_walks = count_of(traffic->page_walks),
                                 .page_bytes =
                                     looked->of->environment.huge_pages ? 2097152 : 4096};
    struct pipeline_stream whole = {.instruction = looked->instruction,
                                    .instruction_nr = looked->stretches.place_nr,
                                    .step = looked->step,
                                    .step_nr = looked->stretches.step_nr,
                                    .access = looked->access};
    struct pipeline_memory memory = memory_of(looked),
                           near = near_walks(machine, pages_of(looked), &memory);
    struct pipeline_stretches stretches = {.stream = looked->stream,
                                           .nr = looked->stream_nr,
                                           .pattern = looked->pattern,
                                           .line = looked->line,
                                           .call = &call};

    if (traffic->level_nr < 1 || traffic->level_nr + 1 > PIPELINE_LEVELS_MAX)
        return -1;
    pipeline_assign(&whole, looked->access, looked->stretches.address_nr, &call,
                    traffic->level_nr, looked->pattern);
    return pipeline_account_fit(&stretches, &machine->core, &memory, &near, machine->ghz,
                                looked->of->time_s.value, account);
}

/* Small budgets pay for fewer: still several times what a core has in flight. */
static size_t stretch_instructions(const struct live *live)
{
    double time_s = stretches_share * live->opts.trace_one_s,
           steps = steps_per_s * time_s / STRETCHES;

    if (live->opts.trace_s <= 0 || steps > STRETCH_INSTRUCTIONS)
        return STRETCH_INSTRUCTIONS;
    return (size_t)fmax(steps, STRETCH_INSTRUCTIONS_MIN);
}

/* They are spread over the call, over the first part of it where all of it would take
 * longer than a trace may. */
static double spread_s(const struct live *live, struct quantity time_s)
{
    double call_s = time_s.known ? time_s.value : 0;

    return live->opts.trace_s > 0 ? fmin(call_s, live->opts.trace_one_s) : call_s;
}

void live_account(struct live *live, const struct built *built,
                  const struct kernel_counts *counts, double seconds,
                  struct measurement *out)
{
    struct looked looked = {.live = live, .of = out};
    struct run_place place = {0};
    struct run_program program = {built->program[VARIANT_TIME], &live->args,
                                  out->environment.huge_pages, &place};
    struct run_opts opts = {.cpu = live->cpus.cpu};
    struct stretch_request request = {.call_s = spread_s(live, out->time_s),
                                      .nr = STRETCHES,
                                      .instructions = stretch_instructions(live),
                                      .limit_s = seconds};
    struct pipeline_account account = {0};
    struct error why = {0};

    if (!out->time_s.known || spawn_interrupted() ||
        live_place(live, &out->environment, &place, &why))
        return;
    if (run_stretches(&program, &opts, &request, &looked.stretches, &why)) {
        char *note = xasprintf("no instructions were stepped through, so the core was "
                               "not modelled: %s",
                               why.text);

        live_add_note(&out->traffic, note);
        free(note);
        return;
    }
    take_places(&looked);
    take_steps(&looked);
    take_streams(&looked);
    take_arrays(&looked);
    live_count(&looked.stretches, call_bytes(&looked), counts, &out->traffic);
    if (account_make(&looked, &account) == 0) {
        account.documented = cpu_core_told_share(&live->opts.machine->core) > 0.5;
        if (account.walkless)
            account.walkless->documented = account.documented;
        out->account = xcalloc(1, sizeof(*out->account));
        *out->account = account;
    }
    looked_release(&looked);
}

/* ---- experiments ---- */

/* Freedom to reassociate, and nothing else of -ffast-math. Compilers know these names. */
static const char reassociates[] =
    " -fassociative-math -fno-signed-zeros -fno-trapping-math";

static bool change(const struct live *live, enum experiment experiment,
                   struct environment *environment)
{
    struct buf flags = {0};
    bool fits;

    if (experiment == EXPERIMENT_HUGE_PAGES) {
        environment->huge_pages = true;
        return true;
    }
    for (size_t i = 0; i < live->opts.toolchain->flags.nr; i++)
        buf_addf(&flags, "%s%s", i ? " " : "", live->opts.toolchain->flags.v[i]);
    if (*environment->flags) {
        buf_reset(&flags);
        buf_add(&flags, environment->flags);
    }
    buf_add(&flags, reassociates);
    fits = flags.length < sizeof(environment->flags);
    if (fits)
        memcpy(environment->flags, buf_str(&flags), flags.length + 1);
    buf_release(&flags);
    return fits;
}

/* Two pairs of calls, as a share of the time that is left. */
static bool has_time_for(const struct live *live, const struct measurement *of)
{
    static const double share = 0.1;
    enum { CALLS = 4 };

    return live->end_s <= 0 || !of->time_s.known ||
           CALLS * of->time_s.value <= share * (live->end_s - clock_s());
}

int live_experiment(struct live *live, const struct kernel_counts *counts,
                    struct measurement *out, struct error *err)
{
    for (int e = 0; e < EXPERIMENT_NR; e++) {
        struct occupancy_case input;
        struct candidate as_is = {out->plan, out->environment}, changed = as_is;
        struct error why = {0};

        measurement_case(out, live->opts.machine, (int)live->copies, counts, &input);
        if (!out->account || spawn_interrupted() || !has_time_for(live, out) ||
            !diagnosis_wants(&input, &out->occupancy.diagnosis, (enum experiment)e) ||
            !change(live, (enum experiment)e, &changed.environment))
            continue;
        if (live_compare(live, &as_is, &changed, experiment_s, &out->account->tried[e],
                         &why))
            out->account->tried[e] = quantity_unknown(); /* it decides nothing then */
        if (e == EXPERIMENT_HUGE_PAGES)
            pipeline_account_refute_walks(out->account,
                                          diagnosis_walks_gone(&input, &out->occupancy));
        if (out->account->tried[e].known &&
            measurement_explain(out, live->opts.machine, (int)live->copies, counts, err))
            return -1;
    }
    return 0;
}
