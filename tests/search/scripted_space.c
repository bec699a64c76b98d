#include "tests/search/scripted_space.h"

#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

static struct quantity modelled(double value)
{
    return quantity_exact(value, PROVENANCE_MODEL);
}

static struct quantity counted(double value)
{
    return quantity_exact(value, PROVENANCE_SOURCE);
}

static void add_loops(struct space_kernel *kernel, const char *const *name,
                      const double *trips, int nr)
{
    for (int d = 0; d < nr; d++)
        kernel->loop[d] = (struct kernel_loop){.name = name[d],
                                               .depth = d,
                                               .parent = d - 1,
                                               .line = 10 + d,
                                               .lower_text = "0",
                                               .upper_text = "n",
                                               .trips = trips[d],
                                               .innermost = d == nr - 1,
                                               .modelled = true,
                                               .perfect = d < nr - 1};
    kernel->view.loop = kernel->loop;
    kernel->view.loop_nr = (size_t)nr;
}

static void add_array(struct space_kernel *kernel, const char *name, size_t element,
                      double elements, bool written)
{
    kernel->array[kernel->view.array_nr++] =
        (struct kernel_array){.name = name,
                              .element_type = element == 8 ? "double" : "int",
                              .element_bytes = element,
                              .is_float = element == 8,
                              .read = true,
                              .written = written,
                              .dims = 1,
                              .bytes = (double)element * elements};
    kernel->view.array = kernel->array;
}

/* Strides of the loops outermost first; NaN behind them, as the loop model says it. */
static void add_access(struct space_kernel *kernel, int array, bool write,
                       enum access_class access_class, const double *stride,
                       const char *text)
{
    int nr = (int)kernel->view.loop_nr;
    struct kernel_access *access = &kernel->access[kernel->view.access_nr++];

    *access = (struct kernel_access){.array = array,
                                     .loop = nr - 1,
                                     .write = write,
                                     .access_class = access_class,
                                     .through = -1,
                                     .line = 13,
                                     .text = text};
    for (int d = 0; d < KERNEL_DEPTH_MAX; d++)
        access->stride_at[d] = d < nr ? stride[d] : NAN;
    if (access_class == ACCESS_STREAMING || access_class == ACCESS_STRIDED)
        access->stride_bytes = stride[nr - 1];
    kernel->view.access = kernel->access;
}

/* fills[k]: lines into level k; all but `covered` of those from memory are random. */
static void set_traffic(struct space_kernel *kernel, const double fills[3],
                        double covered_share, double written)
{
    struct traffic *traffic = &kernel->traffic;
    *traffic = (struct traffic){.level_nr = 3,
                                .line_bytes = 64,
                                .nontemporal_lines = modelled(0),
                                .page_walks = modelled(fills[2] / 64),
                                .accesses = kernel->counts.accesses,
                                .bytes = kernel->counts.bytes,
                                .instructions = quantity_unknown(),
                                .flops = quantity_unknown(),
                                .branches_missed = quantity_unknown(),
                                .provenance = PROVENANCE_MODEL,
                                .traced_share = 1};
    for (int k = 0; k < 3; k++)
        traffic->edge[k] =
            (struct traffic_edge){.fills = modelled(fills[k]),
                                  .covered = modelled(fills[k] * covered_share),
                                  .software = modelled(0),
                                  .writebacks = modelled(written)};
}

static void set_counts(struct space_kernel *kernel, double iterations, double accesses,
                       double flops)
{
    double footprint = 0;
    for (size_t i = 0; i < kernel->view.array_nr; i++)
        footprint += kernel->array[i].bytes;
    kernel->counts = (struct kernel_counts){.iterations = counted(iterations),
                                            .accesses = counted(iterations * accesses),
                                            .bytes = counted(iterations * accesses * 8),
                                            .flops = counted(iterations * flops),
                                            .footprint_bytes = footprint};
}

void space_dgemm(struct space_kernel *kernel, int n)
{
    static const char *const name[] = {"i", "j", "k"};
    const double row = 8.0 * n, cube = (double)n * n * n, trips[] = {n, n, n};

    *kernel = (struct space_kernel){0};
    add_loops(kernel, name, trips, 3);
    add_array(kernel, "C", 8, (double)n * n, true);
    add_array(kernel, "A", 8, (double)n * n, false);
    add_array(kernel, "B", 8, (double)n * n, false);
    add_access(kernel, 0, false, ACCESS_INVARIANT, (double[]){row, 8, 0}, "C[i][j]");
    add_access(kernel, 0, true, ACCESS_INVARIANT, (double[]){row, 8, 0}, "C[i][j]");
    add_access(kernel, 1, false, ACCESS_STREAMING, (double[]){row, 0, 8}, "A[i][k]");
    add_access(kernel, 2, false, ACCESS_STRIDED, (double[]){0, 8, row}, "B[k][j]");
    set_counts(kernel, cube, 4, 2);
    set_traffic(kernel, (double[]){cube * 1.1, cube, cube / 4}, 0, (double)n * n / 8);
}

void space_transpose(struct space_kernel *kernel, int n)
{
    static const char *const name[] = {"i", "j"};
    const double row = 8.0 * n, square = (double)n * n, trips[] = {n, n};

    *kernel = (struct space_kernel){0};
    add_loops(kernel, name, trips, 2);
    add_array(kernel, "B", 8, square, true);
    add_array(kernel, "A", 8, square, false);
    kernel->array[0].read = false;
    add_access(kernel, 1, false, ACCESS_STREAMING, (double[]){row, 8}, "A[i][j]");
    add_access(kernel, 0, true, ACCESS_STRIDED, (double[]){8, row}, "B[j][i]");
    set_counts(kernel, square, 2, 0);
    set_traffic(kernel, (double[]){square * 1.125, square * 1.125, square * 1.125}, 0.1,
                square);
}

void space_gather(struct space_kernel *kernel, int n, int m)
{
    static const char *const name[] = {"i"};
    const double trips[] = {n};

    *kernel = (struct space_kernel){0};
    add_loops(kernel, name, trips, 1);
    add_array(kernel, "out", 8, n, true);
    add_array(kernel, "table", 8, m, false);
    add_array(kernel, "idx", 4, n, false);
    kernel->array[0].read = false;
    add_access(kernel, 2, false, ACCESS_STREAMING, (double[]){4}, "idx[i]");
    add_access(kernel, 1, false, ACCESS_INDIRECT, (double[]){NAN}, "table[idx[i]]");
    add_access(kernel, 0, true, ACCESS_STREAMING, (double[]){8}, "out[i]");
    kernel->access[1].through = 2;
    set_counts(kernel, n, 3, 51);
    set_traffic(kernel, (double[]){n * 1.2, n * 1.2, n * 1.2}, 0.15, n / 8.0);
}

/* ---- the machine ---- */

static struct quantity probed(double value)
{
    return quantity_between(value, value * 0.98, value * 1.02, 5, PROVENANCE_PROBE);
}

static struct machine_level cache(int level, double bytes, int ways, double latency_ns,
                                  double read_gbs)
{
    return (struct machine_level){.level = level,
                                  .claimed_bytes = bytes,
                                  .effective_bytes = bytes,
                                  .ways = ways,
                                  .cores_sharing = level == 3 ? 2 : 1,
                                  .latency_ns = probed(latency_ns),
                                  .one_core.read_gbs = probed(read_gbs),
                                  .one_core.random_lines_per_s =
                                      probed(10e9 / latency_ns)};
}

static struct machine_limit entries(double nr)
{
    static char core[] = "core", table[] = "table";
    struct quantity used = quantity_exact(nr, PROVENANCE_TABLE);

    return (struct machine_limit){.table = used,
                                  .probe = quantity_unknown(),
                                  .used = used,
                                  .scope = core,
                                  .source = table};
}

static struct machine_pages pages(double translation_ns)
{
    return (struct machine_pages){.translation_ns = probed(translation_ns),
                                  .random_accesses_per_s = probed(1e8),
                                  .walks_per_s = probed(1e8),
                                  .tlb_entries = 1536};
}

void space_machine(struct machine *machine)
{
    static char name[] = "round";
    static struct machine_point point[3];
    static struct machine_curve curve;
    const double gbs[] = {1, 20, 40}, latency_ns[] = {80, 90, 130};

    for (size_t i = 0; i < 3; i++)
        point[i] =
            (struct machine_point){.gbs = gbs[i], .latency_ns = probed(latency_ns[i])};
    curve = (struct machine_curve){.read_share = 1, .point = point, .point_nr = 3};
    *machine = (struct machine){.name = name,
                                .cores = 2,
                                .threads_per_core = 1,
                                .sockets = 1,
                                .numa_nodes = 1,
                                .memory_bytes = 16e9,
                                .ghz = 3,
                                .line_bytes = 64,
                                .rob_entries = 224,
                                .level = {cache(1, 32768, 8, 1.5, 150),
                                          cache(2, 1048576, 16, 5, 60),
                                          cache(3, 8388608, 16, 20, 25)},
                                .level_nr = 3,
                                .memory_latency_ns = probed(80),
                                .one_core.read_gbs = probed(12),
                                .one_core.random_lines_per_s = probed(1.1e8),
                                .node_read_gbs = probed(40),
                                .node_copy_gbs = probed(36),
                                .peak_gbs = quantity_unknown(),
                                .small_pages = pages(20),
                                .huge_pages = pages(2),
                                .huge_pages_available = true,
                                .l1_mshrs = entries(10),
                                .l2_mshrs = entries(48),
                                .flops_double.scalar = probed(6e9),
                                .flops_double.fma = probed(48e9),
                                .simd_bytes = 32,
                                .store_read_factor = 1,
                                .curve = &curve,
                                .curve_nr = 1};
}

/* ---- the subject and the runner ---- */

static const struct space_entry *entry_of(const struct space *space, const char *plan)
{
    static const struct space_entry other = {.seconds = 1};
    for (const struct space_entry *entry = space->entry; entry && entry->plan; entry++)
        if (fnmatch(entry->plan, plan, 0) == 0)
            return entry;
    return &other;
}

static struct kernel_view view(void *data)
{
    return ((struct space *)data)->kernel.view;
}

static struct kernel_counts counts(void *data)
{
    return ((struct space *)data)->kernel.counts;
}

static int check_plan(void *data, const char *plan, struct error *err)
{
    const struct space_entry *entry = entry_of(data, plan);
    return entry->illegal ? fail(err, STATUS_ILLEGAL, "%s", entry->illegal) : 0;
}

/* -1 .. 1 */
static double next_noise(struct space *space)
{
    space->random = space->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(space->random >> 32) / 2147483648.0;
}

static double seconds_of(const struct space *space, const struct candidate *candidate)
{
    double speedup = space->huge_speedup > 0 ? space->huge_speedup : 1;
    double seconds = space->time_s ? space->time_s(candidate->plan) : -1;

    if (seconds < 0)
        seconds = entry_of(space, candidate->plan)->seconds;
    if (candidate->environment.threads > 1 && strstr(candidate->plan, "parallel"))
        seconds /= candidate->environment.threads;
    if (*candidate->environment.flags)
        seconds *= 0.8;
    return seconds / (candidate->environment.huge_pages ? speedup : 1);
}

static size_t note(struct space *space, const struct candidate *candidate,
                   enum measure_effort effort)
{
    static const char *const word[] = {"quick", "check", "full", "explain"};
    char *text = candidate_text(candidate);

    strvec_pushf(&space->asked, "%s %s", word[effort], text);
    free(text);
    return space_count(&space->asked, space->asked.v[space->asked.nr - 1]) - 1;
}

static void fill_time(struct space *space, double seconds, struct measurement *out)
{
    double value = seconds * (1 + space->noise * next_noise(space));

    out->time_s = quantity_between(value, value * (1 - space->noise),
                                   value * (1 + space->noise), 3, PROVENANCE_CLOCK);
    out->sample = xcalloc(3, sizeof(*out->sample));
    for (out->sample_nr = 0; out->sample_nr < 3; out->sample_nr++)
        out->sample[out->sample_nr] =
            (struct run_sample){value, value, (unsigned)out->sample_nr, 0, 0, false};
    out->launches = 1;
}

static struct quantity interval_of(const struct space_ratio *scripted)
{
    return quantity_between(scripted->value, scripted->low, scripted->high, 6,
                            PROVENANCE_CLOCK);
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    struct space *space = data;
    const struct space_entry *entry = entry_of(space, candidate->plan);
    (void)stop_at_s;
    size_t before = note(space, candidate, effort);
    space->spent_s += 0.25;
    if (space->asked.nr == space->fail_at)
        return fail(err, STATUS_FAILED, "no scratch space is left");
    *out = (struct measurement){.plan = xstrdup(candidate->plan),
                                .environment = candidate->environment,
                                .outcome =
                                    effort > MEASURE_QUICK ? entry->full : entry->outcome,
                                .time_s = quantity_unknown(),
                                .huge_bytes = -1};
    if (candidate->environment.huge_pages && space->huge_outcome != RUN_OUTCOME_OK)
        out->outcome = space->huge_outcome;
    if (space->asked.nr == space->interrupt_at && raise(SIGINT) == 0)
        out->outcome = RUN_OUTCOME_INTERRUPTED;
    if (out->outcome != RUN_OUTCOME_OK) {
        out->detail = xasprintf("scripted: %s", run_outcome_word(out->outcome));
        return 0;
    }
    out->verified = true;
    out->verified_sizes = xstrdup("n=1, 7, 64");
    out->checked = effort == MEASURE_CHECK || effort == MEASURE_EXPLAIN;
    if (effort == MEASURE_CHECK)
        return 0;
    fill_time(space, seconds_of(space, candidate), out);
    if (effort == MEASURE_QUICK && before < 2 && entry->quick[before].value > 0)
        out->time_s = interval_of(&entry->quick[before]);
    bool untraced = space->untraced_plans && *candidate->plan;
    if (effort != MEASURE_EXPLAIN || space->without_traffic || untraced)
        return 0;
    out->traffic = space->kernel.traffic;
    out->has_traffic = true;
    return measurement_explain(out, &space->machine, 2, &space->kernel.counts, err);
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    struct space *space = data;
    char *left = candidate_text(a), *right = candidate_text(b);
    size_t before = 0;
    (void)seconds;
    (void)err;
    space->spent_s += 0.25;
    for (size_t i = 0; i < space->compared.nr; i++)
        before += strcmp(strstr(space->compared.v[i], " : ") + 3, right) == 0;
    strvec_pushf(&space->compared, "%s : %s", left, right);
    free(left);
    free(right);
    const struct space_entry *entry = entry_of(space, b->plan);
    const struct space_ratio *scripted = !*a->plan && entry->written.value > 0
                                             ? &entry->written
                                             : &entry->ratio[before > 0 ? 1 : 0];
    double value = seconds_of(space, a) / seconds_of(space, b), noise = 2 * space->noise;
    *ratio = scripted->value > 0
                 ? interval_of(scripted)
                 : quantity_between(value, value * (1 - noise), value * (1 + noise), 6,
                                    PROVENANCE_CLOCK);
    return 0;
}

static void step(void *data, const struct search_step *step)
{
    strvec_push(&((struct space *)data)->output, step->doing);
}

static int measured(void *data, const struct measurement *measurement, struct error *err)
{
    struct space *space = data;

    (void)err;
    strvec_push(&space->saved, measurement->plan);
    return 0;
}

void space_init(struct space *space, const struct space_entry *entry)
{
    space_machine(&space->machine);
    space->entry = entry;
    space->noise = 0.001;
    space->random = 1;
    space->subject = (struct search_subject){
        .data = space, .view = view, .counts = counts, .check = check_plan, .cores = 2};
    space->subject.machine = &space->machine;
    space->runner.data = space->observer.data = space;
    space->runner.measure = measure;
    space->runner.compare = compare;
    space->observer.step = step;
    space->observer.measured = measured;
}

void space_release(struct space *space)
{
    strvec_release(&space->asked);
    strvec_release(&space->compared);
    strvec_release(&space->output);
    strvec_release(&space->saved);
}

double space_valley(const char *plan)
{
    long i = 0, j = 0;
    double seconds = 1;

    if (sscanf(plan, "tile(i:%ld,j:%ld)", &i, &j) == 2)
        seconds = 0.4 * (1 + 0.2 * fabs(log2((double)i / 32)) +
                         0.2 * fabs(log2((double)j / 32)));
    return strstr(plan, "simd") ? 0.9 * seconds : seconds;
}

size_t space_count(const struct strvec *list, const char *text)
{
    size_t nr = 0;

    for (size_t i = 0; i < list->nr; i++)
        nr += strcmp(list->v[i], text) == 0;
    return nr;
}

size_t space_find(const struct search_result *result, const char *plan)
{
    size_t i = 0;

    while (i < result->measurement_nr && strcmp(result->measurement[i].plan, plan) != 0)
        i++;
    return i;
}

const struct advice *space_advice(const struct search_result *result, const char *name)
{
    for (size_t i = 0; i < result->advice_nr; i++)
        if (strcmp(result->advice[i].transformation, name) == 0)
            return &result->advice[i];
    return NULL;
}

const struct pruned *space_pruned(const struct search_result *result, const char *plan)
{
    for (size_t i = 0; i < result->pruned_nr; i++)
        if (strcmp(result->pruned[i].plan, plan) == 0)
            return &result->pruned[i];
    return NULL;
}

struct rule_set *space_rules(void)
{
    struct rule_set *rules = NULL;
    struct error err = {0};

    check_ok(
        rule_set_load(INFLIGHT_SOURCE_DIR "/tests/data/search/rules.json", &rules, &err),
        &err);
    return rules;
}

int space_run(struct space *space, struct search_opts opts, struct search_result *result,
              struct error *err)
{
    struct rule_set *rules = space_rules();

    opts.rules = rules;
    if (!opts.skipped_s && !opts.clock)
        opts.skipped_s = &space->spent_s;
    int status =
        search_run(&space->subject, &space->runner, &space->observer, &opts, result, err);
    rule_set_free(rules);
    return status;
}
