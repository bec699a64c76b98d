#include "bench/plan_race.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/plan_cases.h"

/* One thread may get all iterations of a short loop that is handed out. */
enum { RUNS = 3 };
static const char flags[] = "-O1 -march=native -ffp-contract=off";

static int build(struct plan_bench *bench, const struct plan *plan, char **program,
                 struct error *err)
{
    struct toolchain toolchain = {.compiler = (char *)plan_builds[0].compiler,
                                  .version = (char *)""};
    char *dir = xasprintf("%s/threads", bench->dir);

    strvec_split(&toolchain.flags, flags);
    int result = variant_build(bench->kernel, plan, &toolchain, VARIANT_THREADS, dir,
                               program, err);
    strvec_release(&toolchain.flags);
    free(dir);
    return result;
}

int plan_race_look(struct plan_bench *bench, size_t number, struct error *err)
{
    struct plan_try *try = &bench->try[number];
    struct plan *plan;
    char *program = NULL, *report = NULL;

    if (plan_try_worst(try) < PLAN_WARNING || !strstr(try->plan, "parallel("))
        return 0;
    if (plan_parse(try->plan, &plan, err))
        return -1;
    int result = build(bench, plan, &program, err);
    for (int i = 0; i < RUNS && result == 0 && !report && (i == 0 || try->refusal); i++)
        result = plan_case_report(bench, program, &report, err);
    if (report) {
        free(try->detail[0]);
        try->detail[0] = xstrdup(report);
        try->verdict[0] = strstr(report, "sanitizer") ? PLAN_RACE : PLAN_WRONG;
    }
    if (program)
        unlink(program);
    plan_free(plan);
    free(program);
    free(report);
    return result;
}
