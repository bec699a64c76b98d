#include "core/pipeline/pipeline_account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/error.h"

/* Of the path: less than this is not worth a run without it. */
static const double worth_a_run = 0.02;

void pipeline_account_release(struct pipeline_account *account)
{
    for (int c = 0; c < CAUSE_NR; c++)
        free(account->blame[c].array);
    if (account->walkless)
        pipeline_account_release(account->walkless);
    free(account->walkless);
    *account = (struct pipeline_account){0};
}

static const struct {
    const char *word, *phrase;
} experiments[] = {
#define X(name, word, phrase) [EXPERIMENT_##name] = {word, phrase},
    EXPERIMENT_MAP(X)
#undef X
};

const char *experiment_phrase(enum experiment experiment)
{
    return experiments[experiment].phrase;
}

static void nothing_tried(struct pipeline_account *account)
{
    for (int e = 0; e < EXPERIMENT_NR; e++)
        account->tried[e] = quantity_unknown();
}

static int run_all(const struct pipeline_stretches *stretches,
                   const struct cpu_core *core, const struct pipeline_memory *memory,
                   unsigned without, struct pipeline_result *sum)
{
    bool any = false;

    *sum = (struct pipeline_result){0};
    for (size_t i = 0; i < stretches->nr; i++) {
        struct pipeline_result one;

        if (pipeline_run(&stretches->stream[i], core, memory, without, &one))
            continue;
        pipeline_add(sum, &one);
        any = true;
    }
    return any ? 0 : -1;
}

/* Of the cycles of `all`, what is left without these; NAN where it cannot be run. */
static double left_without(const struct pipeline_stretches *stretches,
                           const struct cpu_core *core,
                           const struct pipeline_memory *memory, unsigned without,
                           const struct pipeline_result *all)
{
    struct pipeline_result then;

    if (run_all(stretches, core, memory, without, &then))
        return NAN;
    return then.cycles / all->cycles;
}

static unsigned all_but(unsigned kept)
{
    return ~kept & ((1u << CAUSE_NR) - 1);
}

static void find_alone(const struct pipeline_stretches *stretches,
                       const struct cpu_core *core, const struct pipeline_memory *memory,
                       const struct pipeline_result *all, struct pipeline_account *out)
{
    struct pipeline_memory near = {.level_nr = memory->level_nr};
    unsigned in_core = 1u << CAUSE_ISSUE_WIDTH | 1u << CAUSE_ARITHMETIC |
                       1u << CAUSE_L1_BANDWIDTH | 1u << CAUSE_BRANCHES |
                       1u << CAUSE_FRONT_END | 1u << CAUSE_STORES;

    for (int k = 0; k <= memory->level_nr; k++)
        near.latency[k] = core->l1_cycles;
    near.line_cycles[1] = memory->line_cycles[1];
    out->recurrence_alone =
        left_without(stretches, core, &near, all_but(1u << CAUSE_RECURRENCE), all);
    out->core_alone = left_without(stretches, core, &near, all_but(in_core), all);
}

static void find_blame(const struct pipeline_stretches *stretches,
                       const struct pipeline_result *all, struct pipeline_account *out)
{
    for (int c = 0; c < CAUSE_NR; c++) {
        uint32_t place = all->blamed[c];
        const struct pipeline_pattern *pattern;
        struct pipeline_blame *blame = &out->blame[c];

        blame->stride = NAN;
        if (place == UINT32_MAX || all->path[c] <= 0)
            continue;
        pattern = &stretches->pattern[place];
        blame->line = stretches->line[place];
        blame->line_use = pattern->line_use;
        blame->stride = pattern->stride;
        if (pattern->array >= 0)
            blame->array = xstrdup(stretches->call->array[pattern->array].name);
    }
}

static enum work_class class_of(const struct pipeline_stretches *stretches,
                                uint32_t place)
{
    return place == UINT32_MAX ? WORK_NONE
                               : stretches->stream[0].instruction[place].work.class;
}

static bool is_floating(enum work_class class)
{
    return class >= WORK_FP_ADD && class <= WORK_FP_SQRT;
}

static double covered_share(const struct pipeline_call *call, int level_nr)
{
    double lines = 0, covered = 0;

    for (size_t i = 0; i < call->array_nr; i++) {
        lines += call->array[i].lines[level_nr];
        covered += call->array[i].covered[level_nr];
    }
    return lines > 0 ? fmin(covered / lines, 1) : 0;
}

int pipeline_account_make(const struct pipeline_stretches *stretches,
                          const struct cpu_core *core,
                          const struct pipeline_memory *memory, double ghz,
                          struct pipeline_account *out)
{
    struct pipeline_result all;
    double call = stretches->call->instructions;

    *out = (struct pipeline_account){0};
    nothing_tried(out);
    if (!(ghz > 0) || run_all(stretches, core, memory, 0, &all) || !(all.cycles > 0))
        return -1;
    out->cycles = all.cycles;
    out->instructions = all.instructions;
    out->ghz = ghz;
    out->n_in_flight = all.n_in_flight;
    out->call_s = call > 0 ? all.cycles / all.instructions * call / (ghz * 1e9) : 0;
    for (int c = 0; c < CAUSE_NR; c++) {
        double on_path = all.path[c] / all.cycles;

        out->share[c] = on_path;
        if (c == CAUSE_DEPENDENT_LOADS)
            on_path += all.chained_walks / all.cycles;
        if (on_path >= worth_a_run)
            out->saved[c] = fmax(
                fmin(1 - left_without(stretches, core, memory, 1u << c, &all), on_path),
                0);
    }
    find_alone(stretches, core, memory, &all, out);
    find_blame(stretches, &all, out);
    out->fp_recurrence = is_floating(class_of(stretches, all.blamed[CAUSE_RECURRENCE]));
    enum work_class busy = class_of(stretches, all.blamed[CAUSE_ARITHMETIC]);
    out->divides = busy == WORK_DIVIDE || busy == WORK_FP_DIVIDE || busy == WORK_FP_SQRT;
    out->covered_share = covered_share(stretches->call, memory->level_nr);
    return 0;
}

/* ---- page walks ---- */

/* Of the cycles; less decides nothing. */
static const double walks_matter = 0.05;

/* Where the model takes longer than the clock, a walk costs what the clock leaves, but no
 * less than `near`. True when `memory` was changed. */
static bool fit_walks(const struct pipeline_stretches *stretches,
                      const struct cpu_core *core, const struct pipeline_memory *near,
                      double ghz, double time_s, const struct pipeline_account *account,
                      struct pipeline_memory *memory)
{
    struct pipeline_account at_near;
    double part = 1;

    if (account->call_s <= time_s || account->share[CAUSE_PAGE_WALKS] <= 0 ||
        pipeline_account_make(stretches, core, near, ghz, &at_near))
        return false;
    if (at_near.call_s < account->call_s)
        part = (time_s - at_near.call_s) / (account->call_s - at_near.call_s);
    pipeline_account_release(&at_near);
    part = fmax(part, 0);
    memory->walk_cycles =
        near->walk_cycles + part * (memory->walk_cycles - near->walk_cycles);
    memory->walk_every =
        near->walk_every + part * (memory->walk_every - near->walk_every);
    return part < 1;
}

static void add_walkless(const struct pipeline_stretches *stretches,
                         const struct cpu_core *core,
                         const struct pipeline_memory *memory, double ghz,
                         struct pipeline_account *account)
{
    struct pipeline_memory free_walks = *memory;

    if (account->share[CAUSE_PAGE_WALKS] < walks_matter)
        return;
    free_walks.walk_cycles = free_walks.walk_every = 0;
    account->walkless = xcalloc(1, sizeof(*account->walkless));
    if (pipeline_account_make(stretches, core, &free_walks, ghz, account->walkless) == 0)
        return;
    free(account->walkless);
    account->walkless = NULL;
}

int pipeline_account_fit(const struct pipeline_stretches *stretches,
                         const struct cpu_core *core,
                         const struct pipeline_memory *memory,
                         const struct pipeline_memory *near, double ghz, double time_s,
                         struct pipeline_account *out)
{
    struct pipeline_memory fitted = *memory;

    if (pipeline_account_make(stretches, core, &fitted, ghz, out))
        return -1;
    if (fit_walks(stretches, core, near, ghz, time_s, out, &fitted)) {
        pipeline_account_release(out);
        if (pipeline_account_make(stretches, core, &fitted, ghz, out))
            return -1;
    }
    add_walkless(stretches, core, &fitted, ghz, out);
    return 0;
}

void pipeline_account_refute_walks(struct pipeline_account *account, double gone)
{
    struct quantity gain = account->tried[EXPERIMENT_HUGE_PAGES];
    struct pipeline_account *walkless = account->walkless;

    if (!walkless || !gain.known || gain.doubted || gone <= 0 ||
        1 - 1 / gain.high >= gone * account->saved[CAUSE_PAGE_WALKS] / 2)
        return;
    account->walkless = NULL;
    memcpy(walkless->tried, account->tried, sizeof(account->tried));
    pipeline_account_release(account);
    *account = *walkless;
    free(walkless);
}

/* ---- as a document ---- */

static json_t *cause_to_json(const struct pipeline_account *account, enum cause cause)
{
    const struct pipeline_blame *blame = &account->blame[cause];

    return json_pack("{s:s, s:f, s:f, s:s?, s:i, s:f, s:o}", "cause", cause_word(cause),
                     "share", account->share[cause], "saved", account->saved[cause],
                     "array", blame->array, "line", blame->line, "line_use",
                     blame->line_use, "stride", json_number_or_null(blame->stride));
}

json_t *pipeline_account_to_json(const struct pipeline_account *account)
{
    json_t *root = json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b}", "cycles", account->cycles,
        "instructions", account->instructions, "ghz", account->ghz, "call_s",
        account->call_s, "in_flight", account->n_in_flight, "recurrence_alone",
        account->recurrence_alone, "core_alone", account->core_alone, "covered_share",
        account->covered_share, "documented", (int)account->documented);
    json_t *causes = json_array();

    for (int c = 0; c < CAUSE_NR; c++)
        if (account->share[c] > 0)
            json_array_append_new(causes, cause_to_json(account, (enum cause)c));
    json_object_set_new(root, "causes", causes);
    json_object_set_new(root, "fp_recurrence", json_boolean(account->fp_recurrence));
    json_object_set_new(root, "divides", json_boolean(account->divides));
    for (int e = 0; e < EXPERIMENT_NR; e++)
        if (account->tried[e].known)
            json_object_set_new(root, experiments[e].word,
                                json_quantity(account->tried[e]));
    return root;
}

static int read_cause(const struct json_at *at, void *into, struct error *err)
{
    struct pipeline_account *account = into;
    const char *word = NULL, *array = NULL;
    double share = 0, saved = 0, use = 0, stride = NAN;
    long long line = 0;
    enum cause cause;

    if (json_string_at(at, "cause", &word, err) ||
        json_number_at(at, "share", 0, 1.001, &share, err) ||
        json_number_at(at, "saved", 0, 1, &saved, err) ||
        json_integer_at(at, "line", 0, 1000000000, &line, err) ||
        json_number_at(at, "line_use", 0, 1e18, &use, err) ||
        json_number_if(at, "stride", -1e18, 1e18, &stride, err) ||
        (json_has(at, "array") && json_string_at(at, "array", &array, err)))
        return -1;
    cause = cause_from_word(word);
    if (cause == CAUSE_NR)
        return json_fail(at, err, "cause: unknown word \"%s\"", word);
    account->share[cause] = share;
    account->saved[cause] = saved;
    free(account->blame[cause].array);
    account->blame[cause] = (struct pipeline_blame){
        .array = xstrdup(array), .line = (int)line, .line_use = use, .stride = stride};
    return 0;
}

int pipeline_account_from_json(const struct json_at *at, struct pipeline_account *account,
                               struct error *err)
{
    struct pipeline_account out = {0};
    const struct {
        const char *key;
        double *into;
    } number[] = {{"cycles", &out.cycles},
                  {"instructions", &out.instructions},
                  {"ghz", &out.ghz},
                  {"call_s", &out.call_s},
                  {"in_flight", &out.n_in_flight},
                  {"recurrence_alone", &out.recurrence_alone},
                  {"core_alone", &out.core_alone},
                  {"covered_share", &out.covered_share}};

    nothing_tried(&out);
    for (int c = 0; c < CAUSE_NR; c++)
        out.blame[c].stride = NAN;
    for (size_t i = 0; i < ARRAY_SIZE(number); i++)
        if (json_number_at(at, number[i].key, 0, 1e18, number[i].into, err))
            return -1;
    for (int e = 0; e < EXPERIMENT_NR; e++)
        if (json_has(at, experiments[e].word) &&
            json_quantity_at(at, experiments[e].word, &out.tried[e], err))
            return -1;
    if (json_bool_at(at, "documented", &out.documented, err) ||
        json_bool_at(at, "fp_recurrence", &out.fp_recurrence, err) ||
        json_bool_if(at, "divides", &out.divides, err))
        return -1;
    if (json_each(at, "causes", 0, SIZE_MAX, read_cause, &out, err)) {
        pipeline_account_release(&out);
        return -1;
    }
    *account = out;
    return 0;
}
