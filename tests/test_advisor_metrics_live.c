/* Metrics of what runs here: software events of programs, and the cache model's figures of
 * a kernel, by the shipped definitions. No time is judged. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/metrics_measure.h"
#include "tests/check.h"

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

int main(void);
static void dump(struct measured *measured)
{
    for (size_t i = 0; i < measured->got.note.nr; i++)
        printf("note %s\n", measured->got.note.v[i]);
    for (size_t i = 0; i < measured->result.note.nr; i++)
        printf("result note %s\n", measured->result.note.v[i]);
    for (size_t i = 0; i < measured->got.run_nr; i++)
        printf("run %zu: %zu events, %g s, calls %g cores %d cpu %s\n", i, measured->got.run[i].count_nr, measured->got.run[i].seconds.value, measured->got.run[i].calls, measured->got.run[i].cores, measured->got.run[i].cpu);
    for (size_t i = 0; i < measured->result.value_nr; i++)
        printf("%-24s %.8g  [%.8g %.8g] %s\n", measured->got.set->metric[i].name,
               measured->result.value[i].value.value, measured->result.value[i].value.low, measured->result.value[i].value.high, measured->result.value[i].why ? measured->result.value[i].why : "");
    for (size_t i = 0; i < measured->got.given_nr; i++)
        printf("given %s %g\n", measured->got.given[i].name, measured->got.given[i].value.value);
    printf("ended %s\n", measured->got.ended);
}

static void a_program(void)
{
    struct settings settings = {.quiet = true};
    struct metrics_request request = {.settings = &settings};
    struct measured measured = {0};
    struct error err = {0};
    strvec_push(&settings.program, "sh");
    strvec_push(&settings.program, "-c");
    strvec_push(&settings.program, "true; /bin/true");
    check_ok(metrics_of_program(&request, &measured.got, &err), &err);
    evaluate(&measured);
    dump(&measured);
    drop(&measured);
}

static void a_kernel(void)
{
    char *argv[] = {"inflight", "measure", INFLIGHT_SOURCE_DIR "/tests/data/advisor/cli/files/two.c:8", "--set", "n=100000", "--machine", "skl", "--cores", "2", "-q"};
    struct settings settings = {0};
    struct metrics_request request = {.settings = &settings};
    struct measured measured = {0};
    struct error err = {0};
    check_ok(settings_parse(10, argv, &settings, &err), &err);
    check_ok(metrics_of_kernel(&request, &measured.got, &err), &err);
    evaluate(&measured);
    dump(&measured);
    drop(&measured);
}

CU_TestInfo advisor_metrics_live_tests[] = {
    {"a program", a_program},
    {"a kernel", a_kernel},
    CU_TEST_INFO_NULL,
};
