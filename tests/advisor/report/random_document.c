#include "tests/advisor/report/random_document.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/report/measure_report.h"
#include "core/pipeline/pipeline_account.h"
#include "tests/advisor/report/drawn.h"
#include "variants/plan/plan.h"

/* ---- the machine ---- */

/* Elsewhere, and perhaps with an interval that tells little, open or not there. */
static void vary(uint64_t *state, double factor, struct quantity *quantity)
{
    double value = quantity->value * spread(state, 1 / factor, factor),
           half = chance(state, 0.2) ? between(state, 0, 0.9) : 0.02;

    if (!quantity->known)
        return;
    *quantity = quantity_between(value, value * (1 - half), value / (1 - half),
                                 quantity->runs, quantity->provenance);
    if (chance(state, 0.03))
        quantity->high = INFINITY;
    if (chance(state, 0.04))
        *quantity = quantity_unknown();
}

static void vary_limit(uint64_t *state, struct machine_limit *limit)
{
    vary(state, 3, &limit->used);
    limit->table = limit->used;
    if (!chance(state, 0.3) || !limit->used.known)
        return;
    limit->probe =
        quantity_exact(limit->used.value * spread(state, 0.5, 3), PROVENANCE_PROBE);
    limit->probe_is_floor = chance(state, 0.5);
}

static void vary_pages(uint64_t *state, struct machine_pages *pages)
{
    vary(state, 5, &pages->translation_ns);
    vary(state, 5, &pages->random_accesses_per_s);
    vary(state, 5, &pages->walks_per_s);
    pages->walks_is_floor = chance(state, 0.2);
}

static void vary_curve(uint64_t *state, struct machine_curve *curve)
{
    double gbs = spread(state, 0.2, 5), ns = spread(state, 0.4, 3);

    curve->ceiling_gbs = quantity_unknown();
    for (size_t i = 0; i < curve->point_nr; i++) {
        curve->point[i].gbs *= gbs;
        curve->point[i].latency_ns = quantity_scale(curve->point[i].latency_ns, ns);
    }
}

static void vary_machine(uint64_t *state, struct machine *machine)
{
    static const int rob[] = {0, 32, 224, 512};

    vary(state, 3, &machine->memory_latency_ns);
    vary(state, 3, &machine->one_core.read_gbs);
    vary(state, 3, &machine->one_core.random_lines_per_s);
    vary(state, 5, &machine->node_read_gbs);
    vary(state, 5, &machine->node_copy_gbs);
    vary(state, 5, &machine->flops_double.scalar);
    vary(state, 5, &machine->flops_double.fma);
    vary_pages(state, &machine->small_pages);
    vary_pages(state, &machine->huge_pages);
    vary_limit(state, &machine->l1_mshrs);
    vary_limit(state, &machine->l2_mshrs);
    for (int i = 0; i < machine->level_nr; i++) {
        vary(state, 3, &machine->level[i].latency_ns);
        vary(state, 3, &machine->level[i].one_core.read_gbs);
    }
    machine->huge_pages_available = chance(state, 0.7);
    machine->rob_entries = rob[one_of(state, ARRAY_SIZE(rob))];
    machine->threads_per_core = chance(state, 0.5) ? 2 : 1;
    machine->prefetch_l2_gain =
        chance(state, 0.5) ? quantity_exact(spread(state, 0.8, 3), PROVENANCE_PROBE)
                           : quantity_unknown();
    vary_curve(state, machine->curve);
}

/* ---- what moves ---- */

static void vary_edge(uint64_t *state, struct traffic_edge *edge)
{
    double covered = uniform(state);

    edge->covered = quantity_scale(edge->fills, covered * covered);
    if (chance(state, 0.05))
        edge->covered = quantity_unknown();
    vary(state, 3, &edge->writebacks);
}

/* Far edges see no more than near ones; what is counted apart may contradict. */
static void vary_kernel(uint64_t *state, struct space_kernel *kernel)
{
    struct traffic *traffic = &kernel->traffic;
    double through = 1;

    for (int k = 0; k < traffic->level_nr; k++) {
        through *= chance(state, 0.3) ? spread(state, 0.001, 1) : 1;
        traffic->edge[k].fills = quantity_scale(traffic->edge[k].fills, through);
        vary(state, 1.2, &traffic->edge[k].fills);
        vary_edge(state, &traffic->edge[k]);
    }
    vary(state, 20, &traffic->page_walks);
    vary(state, 20, &kernel->counts.flops);
    vary(state, 3, &kernel->counts.iterations);
    if (chance(state, 0.4))
        kernel->counts.chains =
            quantity_exact((double)one_of(state, 12), PROVENANCE_SOURCE);
    if (chance(state, 0.4))
        kernel->counts.streams =
            quantity_exact((double)one_of(state, 30), PROVENANCE_SOURCE);
    if (chance(state, 0.4))
        kernel->counts.run_bytes =
            quantity_exact(spread(state, 64, 1e6), PROVENANCE_SOURCE);
    if (!chance(state, 0.3))
        return;
    traffic->instructions = quantity_scale(kernel->counts.accesses, spread(state, 1, 6));
    traffic->branches_missed =
        quantity_scale(traffic->instructions, spread(state, 1e-5, 0.1));
    traffic->code_bytes = quantity_exact(spread(state, 100, 1e6), PROVENANCE_MODEL);
}

static void choose_kernel(uint64_t *state, struct space_kernel *kernel)
{
    switch (one_of(state, 3)) {
    case 0:
        space_dgemm(kernel, 20 + (int)one_of(state, 2000));
        break;
    case 1:
        space_transpose(kernel, 50 + (int)one_of(state, 5000));
        break;
    default:
        space_gather(kernel, 1000 + (int)one_of(state, 1000000),
                     1000 + (int)one_of(state, 10000000));
    }
    vary_kernel(state, kernel);
}

/* ---- what the core's model says ---- */

static void blame(uint64_t *state, const struct kernel_view *view,
                  struct pipeline_blame *out)
{
    *out = (struct pipeline_blame){.stride = NAN, .line_use = -1};
    if (chance(state, 0.3))
        return;
    out->array = xstrdup(view->array[one_of(state, view->array_nr)].name);
    out->line = 13;
    out->stride = chance(state, 0.5) ? spread(state, 8, 8000) : NAN;
    out->line_use = chance(state, 0.5) ? uniform(state) : -1;
}

/* Shares sum to 1; what is saved without a cause is any part of what others leave. */
static struct pipeline_account *
random_account(uint64_t *state, const struct kernel_view *view, double time_s)
{
    struct pipeline_account *account = xcalloc(1, sizeof(*account));
    double all = 0;

    *account = (struct pipeline_account){.cycles = 1e6,
                                         .instructions = 1e6 * spread(state, 0.1, 4),
                                         .ghz = 3,
                                         .call_s = time_s * spread(state, 0.3, 3),
                                         .n_in_flight = spread(state, 0.1, 30),
                                         .recurrence_alone = uniform(state),
                                         .core_alone = uniform(state),
                                         .covered_share = uniform(state),
                                         .documented = chance(state, 0.5),
                                         .divides = chance(state, 0.2),
                                         .fp_recurrence = chance(state, 0.5)};
    for (int c = 0; c < CAUSE_NR; c++) {
        account->share[c] = chance(state, 0.25) ? uniform(state) : 0;
        all += account->share[c];
        blame(state, view, &account->blame[c]);
    }
    for (int c = 0; c < CAUSE_NR && all > 0; c++) {
        account->share[c] /= all;
        account->saved[c] = account->share[c] * uniform(state);
    }
    for (int e = 0; e < EXPERIMENT_NR; e++)
        account->tried[e] = quantity_unknown();
    return account;
}

/* ---- times ---- */

/* The space's functions are not told whose plan it is. */
static struct {
    uint64_t seed;
    double base_s, slowest, fastest, jitter, busy, modelled;
    struct space *space;
} times;

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t state = times.seed;

    for (size_t i = 0; i < length; i++) {
        state ^= (unsigned char)text[i];
        random_next(&state);
    }
    return state;
}

/* Each kind of step has its own gain, each plan a little of its own. */
static double time_of(const char *plan)
{
    double gain = 1;

    for (const char *step = plan; *step;) {
        uint64_t own = hash_of(step, strcspn(step, "( "));
        int depth = 0;
        gain *= spread(&own, times.slowest, times.fastest);
        for (; *step && (*step != ' ' || depth); step++)
            depth += (*step == '(') - (*step == ')');
        step += *step == ' ';
    }
    uint64_t plans = hash_of(plan, strlen(plan));
    return times.base_s / gain * (*plan ? between(&plans, 1, 1 + times.jitter) : 1);
}

static int (*measure_scripted)(void *data, const struct candidate *candidate,
                               enum measure_effort effort, double stop_at_s,
                               struct measurement *out, struct error *err);
static int (*compare_scripted)(void *data, const struct candidate *a,
                               const struct candidate *b, double seconds,
                               struct quantity *ratio, struct error *err);

static int measure_modelled(void *data, const struct candidate *candidate,
                            enum measure_effort effort, double stop_at_s,
                            struct measurement *out, struct error *err)
{
    uint64_t own = hash_of(candidate->plan, strlen(candidate->plan)) + 1;
    int status = measure_scripted(data, candidate, effort, stop_at_s, out, err);

    if (status || !out->has_occupancy || !chance(&own, times.modelled))
        return status;
    out->account = random_account(&own, &times.space->kernel.view, out->time_s.value);
    return measurement_explain(out, &times.space->machine, 2, &times.space->kernel.counts,
                               err);
}

static int compare_disturbed(void *data, const struct candidate *a,
                             const struct candidate *b, double seconds,
                             struct quantity *ratio, struct error *err)
{
    int status = compare_scripted(data, a, b, seconds, ratio, err);
    uint64_t own = hash_of(b->plan, strlen(b->plan)) + times.space->asked.nr;

    if (status || !chance(&own, times.busy))
        return status;
    ratio->disturbed = uniform(&own) / 2;
    ratio->doubted = chance(&own, 0.3);
    return 0;
}

/* Gains of steps: large, none beyond the noise, small ones, none at all. */
static void choose_times(uint64_t *state, struct space *space)
{
    static const double ends[][2] = {{0.6, 1.8}, {0.995, 1.005}, {0.95, 1.08},
                                     {0.5, 1},   {0.9, 3},       {0.98, 1.03}};
    static const double noise[] = {0.001, 0.01, 0.05, 0.3};
    size_t kind = one_of(state, ARRAY_SIZE(ends));
    const struct traffic *traffic = &space->kernel.traffic;
    struct quantity lines = traffic->edge[0].fills;
    /* from twice as fast as memory could be to what no miss explains */
    double line_s = spread(state, 2e-10, 3e-8);

    times.seed = random_next(state);
    times.base_s = line_s * (lines.known ? lines.value : 1e6) + 1e-7;
    times.slowest = ends[kind][0];
    times.fastest = ends[kind][1];
    times.jitter = chance(state, 0.5) ? 0.1 : 0.005;
    times.busy = chance(state, 0.1) ? 0.5 : 0;
    times.modelled = chance(state, 0.5) ? 1 : 0;
    times.space = space;
    space->noise = noise[one_of(state, ARRAY_SIZE(noise))];
    space->random = random_next(state);
    space->time_s = time_of;
    space->huge_speedup = chance(state, 0.5) ? spread(state, 0.8, 2) : 1;
    space->huge_outcome = chance(state, 0.05) ? RUN_OUTCOME_TIMED_OUT : RUN_OUTCOME_OK;
    space->without_traffic = chance(state, 0.05);
    space->untraced_plans = chance(state, 0.1);
    space->subject.huge_pages_available = space->machine.huge_pages_available;
}

enum { ENTRIES = 8 };

/* Some kinds of steps are illegal or fail, at once or when they are looked at again. */
static void choose_failures(uint64_t *state, struct space_entry entry[ENTRIES + 1])
{
    static const char *const pattern[] = {"*tile*",        "*simd*",        "*unroll*",
                                          "*prefetch*",    "*interchange*", "*pack*",
                                          "*order*",       "*parallel*",    "*reverse*",
                                          "*nontemporal*", "*accumul*",     "*split*"};
    static const enum run_outcome bad[] = {RUN_OUTCOME_NOT_BUILT,
                                           RUN_OUTCOME_WRONG_RESULT, RUN_OUTCOME_CRASHED,
                                           RUN_OUTCOME_TIMED_OUT};
    size_t nr = chance(state, 0.5) ? 0 : one_of(state, ENTRIES);

    for (size_t i = 0; i < nr; i++) {
        entry[i] = (struct space_entry){
            .plan = pattern[one_of(state, ARRAY_SIZE(pattern))], .seconds = 1};
        if (chance(state, 0.5))
            entry[i].illegal = "'A' in line 13 depends on 'A' in line 13 of an earlier "
                               "iteration";
        else
            entry[i].full = bad[one_of(state, ARRAY_SIZE(bad))];
        if (!entry[i].illegal && chance(state, 0.6))
            entry[i].outcome = entry[i].full;
    }
    entry[nr] = (struct space_entry){.plan = NULL};
}

/* ---- the search ---- */

static int (*check_scripted)(void *data, const char *plan, struct error *err);

/* What cannot be read is refused, as by a kernel. */
static int check_readable(void *data, const char *plan, struct error *err)
{
    struct plan *read = NULL;
    int status = plan_parse(plan, &read, err);

    plan_free(read);
    return status ? fail(err, STATUS_ILLEGAL, "it cannot be read")
                  : check_scripted(data, plan, err);
}

static double no_time(void)
{
    return 0;
}

static void choose_opts(uint64_t *state, struct search_opts *opts)
{
    static const char *const strategy[] = {"random", "local", "exhaustive", "population"};
    static struct environment option[2];

    option[0] = (struct environment){.threads = 2};
    option[1] = (struct environment){.flags = "-Ofast"};
    *opts = (struct search_opts){.budget_s = spread(state, 2, 200), .clock = no_time};
    opts->seed = 1 + one_of(state, 1000);
    if (chance(state, 0.1))
        opts->strategy = strategy[one_of(state, ARRAY_SIZE(strategy))];
    if (chance(state, 0.2) || opts->strategy)
        opts->budget_variants = 1 + one_of(state, 40);
    opts->plans_only = chance(state, 0.1);
    opts->advise_only = chance(state, 0.15) && !opts->strategy;
    opts->audit = chance(state, 0.2);
    if (chance(state, 0.2)) {
        opts->option = option;
        opts->option_nr = 1 + one_of(state, ARRAY_SIZE(option));
    }
}

/* The file of the winner: as cmd_tune.c judges it. */
static void close_file(uint64_t *state, double noise, struct search_result *result,
                       struct quantity *gain, bool *verified)
{
    const struct measurement *best = &result->measurement[result->best];
    double value = result->session_gain.value * (1 + noise * between(state, -1, 1));

    *gain = quantity_unknown();
    *verified = false;
    if (!result->best || result->interrupted)
        return;
    *verified = !chance(state, 0.05) || !result->file_checks;
    if (*verified && !chance(state, 0.1) && result->session_gain.known)
        *gain = quantity_between(value, value * (1 - noise), value * (1 + noise), 6,
                                 PROVENANCE_CLOCK);
    if (!*verified)
        search_file_is_wrong(result, best->plan);
    else if (search_file_is_luck(result, *gain) ||
             (!gain->known && search_file_is_untimed(result)))
        *gain = quantity_unknown();
    if (gain->known)
        result->source_gain = *gain;
}

/* ---- the document ---- */

static json_t *kernel_json(const struct kernel_view *view)
{
    return json_pack("{s:s, s:s, s:i, s:s, s:{s:i}, s:o, s:f, s:[]}", "file", "random.c",
                     "function", "random", "line", 9, "hash", "0", "sizes", "n", 1000,
                     "arrays", kernel_arrays_json(view), "footprint_bytes", 1e6,
                     "assumptions");
}

json_t *document_of_search(struct random_maker *maker, const struct machine *machine,
                           const struct kernel_view *view, const char *command,
                           const struct search_result *result)
{
    struct fixture *fixture = &maker->fixture;
    struct machine own = fixture->bench.machine;

    fixture->settings.command = fixture->given[0] = (char *)(uintptr_t)command;
    fixture->bench.machine = *machine;
    fixture->input.result = result;
    json_t *report = report_json(&fixture->input);
    fixture->bench.machine = own;
    json_object_set_new(report, "kernel", kernel_json(view));
    json_object_del(report, "limit_line");
    report_settle(report);
    return report;
}

static json_t *search_once(struct random_maker *maker, uint64_t seed, bool interrupted)
{
    struct report_input *input = &maker->fixture.input;
    struct space_entry entry[ENTRIES + 1];
    struct search_result result = {0};
    struct space space = {0};
    struct search_opts opts;
    struct error err = {0};
    uint64_t state = seed;

    choose_kernel(&state, &space.kernel);
    space_init(&space, entry);
    vary_machine(&state, &space.machine);
    choose_failures(&state, entry);
    choose_times(&state, &space);
    choose_opts(&state, &opts);
    opts.rules = maker->rules;
    opts.skipped_s = &space.spent_s;
    if (interrupted)
        space.interrupt_at = 1 + one_of(&state, 20);
    check_scripted = space.subject.check;
    space.subject.check = check_readable;
    measure_scripted = space.runner.measure;
    compare_scripted = space.runner.compare;
    space.runner.measure = measure_modelled;
    space.runner.compare = compare_disturbed;
    check_ok(
        search_run(&space.subject, &space.runner, &space.observer, &opts, &result, &err),
        &err);
    if (!opts.advise_only)
        close_file(&state, space.noise, &result, &input->emitted_gain,
                   &input->emitted_verified);
    json_t *report = document_of_search(maker, &space.machine, &space.kernel.view,
                                        opts.advise_only ? "advise" : "tune", &result);
    input->emitted_gain = quantity_unknown();
    input->emitted_verified = false;
    search_result_release(&result);
    space_release(&space);
    return report;
}

/* An interrupt is never forgotten: it is caught in a child. */
static json_t *search_in_child(struct random_maker *maker, uint64_t seed)
{
    FILE *out = tmpfile();
    int status = -1;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        spawn_catch_interrupt();
        json_dumpf(search_once(maker, seed, true), out, 0);
        fflush(out);
        _exit(0);
    }
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    rewind(out);
    json_t *report = json_loadf(out, 0, NULL);
    fclose(out);
    return report;
}

json_t *random_search(struct random_maker *maker, uint64_t seed)
{
    const uint64_t often = 50;

    return seed % often ? search_once(maker, seed, false) : search_in_child(maker, seed);
}

/* ---- the maker ---- */

void random_maker_start(struct random_maker *maker)
{
    *maker = (struct random_maker){0};
    fixture_start(&maker->fixture, "tune");
    check_ok(rule_set_load(NULL, &maker->rules, &maker->fixture.err),
             &maker->fixture.err);
}

void random_maker_release(struct random_maker *maker)
{
    rule_set_free(maker->rules);
    fixture_release(&maker->fixture);
}
