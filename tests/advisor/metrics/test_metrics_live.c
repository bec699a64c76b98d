/* Metrics of what runs here, by the shipped definitions: software events of programs, and
 * the cache model's figures of a kernel, as they are handed over and as PAPI reads them.
 * No time is judged. */
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_measure.h"
#include "advisor/program/commands.h"
#include "core/files/fs.h"
#include "tests/check.h"

SUITE(advisor_metrics_live);

struct measured {
    struct metrics_measured got;
    struct count_set counts;
    struct metric_result result;
};

static void evaluate(struct measured *measured)
{
    struct metrics_measured *got = &measured->got;
    struct error err = {0};
    double variation;

    if (got->run_nr)
        check_ok(metric_runs_combine(got->run, got->run_nr, &measured->counts, &variation,
                                     &err),
                 &err);
    metric_evaluate(&(struct metric_question){.set = got->set,
                                              .counts = &measured->counts,
                                              .given = got->given,
                                              .given_nr = got->given_nr},
                    &measured->result);
}

static void drop(struct measured *measured)
{
    metric_result_release(&measured->result);
    count_set_release(&measured->counts);
    metrics_measured_release(&measured->got);
}

static double value_of(const struct measured *measured, const char *name)
{
    int at = metric_find(measured->got.set, name);

    return check(at != METRIC_NONE) && check(measured->result.value[at].value.known)
               ? measured->result.value[at].value.value
               : -1;
}

/*
 * Programs.
 */

static int measure(const char *script, const char *cpu, const char *model, size_t runs,
                   struct measured *measured, struct error *err)
{
    struct settings settings = {.quiet = true};
    struct metrics_request request = {
        .settings = &settings, .cpu = cpu, .model = model, .runs = runs};
    int result;

    *measured = (struct measured){0};
    strvec_push(&settings.program, "sh");
    strvec_push(&settings.program, "-c");
    strvec_push(&settings.program, script);
    result = metrics_of_program(&request, &measured->got, err);
    if (result == 0)
        evaluate(measured);
    settings_release(&settings);
    return result;
}

static bool software_counts(void)
{
    struct strvec event = {0};
    struct error err = {0};
    bool at_once;

    strvec_push(&event, "perf::PAGE-FAULTS");
    bool counts = papi_events_fit(&event, NULL, &at_once, &err) == 0;
    strvec_release(&event);
    if (!counts)
        check_skip(err.text);
    return counts;
}

/* With the processes that it starts. */
TEST("the tree of a program")
{
    struct measured one, more;
    struct error err = {0};

    if (!software_counts() ||
        !check_ok(measure("true", "software", NULL, 0, &one, &err), &err))
        return;
    check_eq(one.got.run_nr, 1);
    check(one.got.ended == NULL);
    check_eq(one.result.breach_nr, 0);
    check_eq(one.result.note.nr, 0);
    check_near(value_of(&one, "Minor_faults") + value_of(&one, "Major_faults"),
               value_of(&one, "Page_faults"), 0);
    check_near(value_of(&one, "Page_faults_per_s") * one.counts.seconds.value,
               value_of(&one, "Page_faults"), 1e-12);
    check(value_of(&one, "Busy_processors") > 0);
    check(value_of(&one, "Migrations") >= 0);
    if (check_ok(measure("/bin/true; /bin/true", "software", NULL, 0, &more, &err), &err))
        check(value_of(&more, "Page_faults") > value_of(&one, "Page_faults"));
    drop(&one);
    drop(&more);
}

/* Whatever of the hardware counts here. */
TEST("this machine")
{
    struct measured measured;
    struct error err = {0};

    if (!software_counts() ||
        !check_ok(measure("true", NULL, "faults", 0, &measured, &err), &err))
        return;
    check_eq(measured.got.run_nr, 1);
    check(value_of(&measured, "Page_faults") > 0);
    check(measured.got.run[0].cpu != NULL);
    check(measured.got.given_nr > 0);
    drop(&measured);
}

/* Events that only perf has a name for, as those of a core: the way that hardware goes,
 * with numbers that are known otherwise. */
#define AS_CORE INFLIGHT_SOURCE_DIR "/tests/data/metrics/plan/kernel_core.json"

static bool kernel_has_software_pmu(void)
{
    bool has = software_counts() && dir_exists("/sys/bus/event_source/devices/software");

    if (!has)
        check_skip("the kernel does not describe its software events");
    return has;
}

static bool says(const struct strvec *note, const char *part)
{
    for (size_t i = 0; i < note->nr; i++)
        if (strstr(note->v[i], part))
            return true;
    return false;
}

TEST("events as of a core")
{
    struct measured measured;
    struct error err = {0};

    if (!kernel_has_software_pmu() ||
        !check_ok(measure("/bin/true; true", AS_CORE, NULL, 2, &measured, &err), &err))
        return;
    check_eq(measured.got.run_nr, 2);
    check_near(value_of(&measured, "Core_faults"), value_of(&measured, "Page_faults"), 0);
    check_near(value_of(&measured, "Core_minor"), value_of(&measured, "Minor_faults"), 0);
    check(value_of(&measured, "Core_ns") > 0);
    check(!measured.result.value[metric_find(measured.got.set, "Nothing")].value.known);
    check(says(&measured.got.note, "'OF_NOBODY' cannot be counted"));
    drop(&measured);
}

TEST("several runs")
{
    struct measured measured;
    struct error err = {0};

    if (!software_counts() ||
        !check_ok(measure("true", "software", NULL, 3, &measured, &err), &err))
        return;
    check_eq(measured.got.run_nr, 3);
    check_eq(count_set_value(&measured.counts, "perf::PAGE-FAULTS").runs, 3);
    drop(&measured);
}

/* What ends badly is not run again. */
TEST("how it ended")
{
    static const struct {
        const char *script, *end;
    } cases[] = {
        {"exit 3", "ended with status 3"},
        {"kill -9 $$", "was ended by signal 9"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct measured measured;
        struct error err = {0};

        if (!software_counts() ||
            !check_ok(measure(cases[i].script, "software", NULL, 2, &measured, &err),
                      &err))
            return;
        check_contains(measured.got.ended, cases[i].end);
        check_eq(measured.got.run_nr, 1);
        check(value_of(&measured, "Page_faults") > 0);
        if (check(measured.got.note.nr > 0))
            check_contains(measured.got.note.v[measured.got.note.nr - 1],
                           "it ran 1 time of 2");
        drop(&measured);
    }
}

TEST("what cannot be measured")
{
    static const struct {
        const char *cpu, *model;
        enum status status;
        const char *part;
    } cases[] = {
        {"no-such-cpu", NULL, STATUS_INPUT, "no-such-cpu"},
        {"software", "topdown", STATUS_USAGE,
         "'software' has no model 'topdown'; there are: faults, scheduling"},
        {"traced", "traced", STATUS_MISSING, "is counted inside a program"},
    };

    for (size_t i = 0; software_counts() && i < ARRAY_SIZE(cases); i++) {
        struct measured measured;
        struct error err = {0};

        check_fails(measure("true", cases[i].cpu, cases[i].model, 0, &measured, &err),
                    &err, cases[i].status, cases[i].part);
        drop(&measured);
    }
}

TEST("what does not start")
{
    struct settings settings = {.quiet = true};
    struct metrics_request request = {.settings = &settings, .cpu = "software"};
    struct metrics_measured measured;
    struct error err = {0};

    if (!software_counts())
        return;
    strvec_push(&settings.program, "/no/such/program");
    check_fails(metrics_of_program(&request, &measured, &err), &err, STATUS_INPUT,
                "cannot start '/no/such/program': No such file");
    metrics_measured_release(&measured);
    settings_release(&settings);
}

/*
 * A kernel.
 */

#define KERNEL INFLIGHT_SOURCE_DIR "/tests/data/advisor/cli/files/two.c:8"

static bool parse(struct strvec *words, struct settings *settings)
{
    struct error err = {0};

    strvec_split(words,
                 "metrics '" KERNEL "' --set n=1000 --machine skl --cores 1 --quiet");
    return check_ok(settings_parse(command_find(words->v[0]), (int)words->nr, words->v,
                                   settings, &err),
                    &err);
}

/* 1000 elements are read and written: 8 bytes each, 125 lines and a bit. */
static void check_tree(const struct measured *measured, double calls)
{
    check_near(value_of(measured, "LD_Bytes"), 8000 * calls, 1e-12);
    check_near(value_of(measured, "ST_Bytes"), 8000 * calls, 1e-12);
    check_near(value_of(measured, "LS_Bytes"), 16000 * calls, 1e-12);
    check_near(value_of(measured, "Found_in_L1") + value_of(measured, "Beyond_L1"), 1,
               1e-12);
    check_near(value_of(measured, "Bytes_per_access"), 8, 1e-12);
    check_eq(measured->result.breach_nr, 0);
}

/* One multiplication an element, and no more were done. */
static void check_expected(const struct measured *measured)
{
    const struct metrics_measured *got = &measured->got;
    double expected = -1;

    for (size_t i = 0; i < got->given_nr; i++)
        if (!strcmp(got->given[i].name, "flops_expected"))
            expected = got->given[i].value.value;
    check_near(expected, 1000 * measured->counts.calls, 1e-12);
    for (size_t i = 0; i < measured->result.note.nr; i++)
        check_str(measured->result.note.v[i], "");
}

/* PAPI's events of this process, begun before. */
static void read_papi(struct papi_counter *counter, const struct measured *handed_over)
{
    struct measured read = {0};
    struct error err = {0};

    check_ok(papi_counter_end(counter, &read.counts, &err), &err);
    if (check_ok(metric_set_load("traced", NULL, &read.got.set, &err), &err)) {
        evaluate(&read);
        check_tree(&read, count_set_value(&read.counts, "sde:::inflight::CALLS").value);
        check_near(value_of(&read, "Found_in_L1"), value_of(handed_over, "Found_in_L1"),
                   1e-12);
    }
    drop(&read);
}

static struct papi_counter *begin_papi(void)
{
    static const char *const event[] = {
        "sde:::inflight::CALLS",        "sde:::inflight::ACCESSES",
        "sde:::inflight::BYTES",        "sde:::inflight::STORES",
        "sde:::inflight::STORED_BYTES", "sde:::inflight::L1_HITS",
        "sde:::inflight::L1_FROM_L2",   "sde:::inflight::L1_FROM_L3",
        "sde:::inflight::L1_FROM_L4",   "sde:::inflight::L1_FROM_MEMORY",
        "sde:::inflight::L1_FILLS"};
    struct papi_counter *counter = NULL;
    struct traffic nothing = {0};
    struct error err = {0};

    if (!traffic_export(&nothing) ||
        papi_counter_new(event, ARRAY_SIZE(event), NULL, &counter, &err) ||
        papi_counter_begin(counter, NULL, 0, &err)) {
        check_skip(*err.text ? err.text : "built without libsde");
        papi_counter_free(counter);
        return NULL;
    }
    return counter;
}

TEST("the tree of a kernel")
{
    struct settings settings = {0};
    struct metrics_request request = {.settings = &settings, .cpu = "traced"};
    struct measured measured = {0};
    struct papi_counter *counter = begin_papi();
    struct strvec words = {0};
    struct error err = {0};

    if (parse(&words, &settings) &&
        check_ok(metrics_of_kernel(&request, &measured.got, &err), &err)) {
        evaluate(&measured);
        check_tree(&measured, measured.counts.calls);
        check_expected(&measured);
        check_eq(measured.got.run_nr, software_counts() ? 2 : 1);
        check(measured.counts.seconds.known);
        check_near(count_set_value(&measured.counts, "sde:::inflight::LINE_BYTES").value,
                   64, 0);
        check_near(value_of(&measured, "LS_GBs") * measured.counts.seconds.value * 1e9,
                   value_of(&measured, "LS_Bytes"), 1e-12);
        if (counter)
            read_papi(counter, &measured);
    }
    papi_counter_free(counter);
    drop(&measured);
    settings_release(&settings);
    strvec_release(&words);
}

/* Counted in the threads of the launch, between its gates. */
TEST("a kernel is counted between gates")
{
    struct settings settings = {0};
    struct metrics_request request = {.settings = &settings, .cpu = AS_CORE, .runs = 2};
    struct measured measured = {0};
    struct strvec words = {0};
    struct error err = {0};

    if (kernel_has_software_pmu() && parse(&words, &settings) &&
        check_ok(metrics_of_kernel(&request, &measured.got, &err), &err)) {
        evaluate(&measured);
        check_eq(measured.got.run_nr, 2);
        for (size_t i = 0; i < measured.got.run_nr; i++) {
            check(measured.got.run[i].calls >= 1);
            check_eq(measured.got.run[i].cores, 1);
            check(measured.got.run[i].seconds.known);
            check(says(&measured.got.run[i].note, "calls of 1 copy together"));
        }
        check(value_of(&measured, "Core_ns") > 0);
        check_near(value_of(&measured, "Core_faults"), value_of(&measured, "Page_faults"),
                   0);
    }
    drop(&measured);
    settings_release(&settings);
    strvec_release(&words);
}

/* Its one event is nobody's. */
TEST("nothing counts")
{
    struct settings settings = {0};
    struct metrics_request request = {
        .settings = &settings, .cpu = AS_CORE, .model = "nobody"};
    struct measured measured = {0};
    struct strvec words = {0};
    struct error err = {0};

    if (parse(&words, &settings))
        check_fails(metrics_of_kernel(&request, &measured.got, &err), &err,
                    STATUS_MISSING, "nothing can be counted here: the event 'OF_NOBODY'");
    drop(&measured);
    settings_release(&settings);
    strvec_release(&words);
}

/* By this CPU's definitions where they count, else by the cache model's. */
TEST("a kernel on this machine")
{
    struct settings settings = {0};
    struct metrics_request request = {
        .settings = &settings, .model = "portable", .runs = 1};
    struct measured measured = {0};
    struct strvec words = {0};
    struct error err = {0};

    if (parse(&words, &settings) &&
        check_ok(metrics_of_kernel(&request, &measured.got, &err), &err)) {
        evaluate(&measured);
        check(value_of(&measured, "Time") > 0);
        check(value_of(&measured, "LS_Bytes") > 0);
    }
    drop(&measured);
    settings_release(&settings);
    strvec_release(&words);
}
