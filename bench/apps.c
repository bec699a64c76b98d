/*
 * From a whole program to a confirmed gain, for the applications of examples/apps, by the
 * commands that the tool itself prints and with no edit but its own.
 *
 *     bench/apps [--budget 60s] [--in-app-budget 240s] [particles mesh lookup]
 *
 * For each application, in a copy of the folder: make -B; `inflight advise -- PROGRAM`,
 * whose first routine must be the one that matters; the capture and the tune command that
 * advise prints. A row holds the gain of the kernel alone and those in the application,
 * by how much they differ, and the reason that tune gives. Reports stay in build/bench.
 * Exit 1 when a routine is not found, a step fails, or a difference of more than 10 % is
 * told without a reason.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static const struct app {
    const char *name;
    const char *hot; /* the routine that matters */
} apps[] = {
    {"particles", "forces_range"},
    {"mesh", "sweep_edges"},
    {"lookup", "table_lookup"},
};

struct bench {
    char *place; /* a copy of examples/apps */
    const char *budget, *in_app_budget;
    struct strvec only; /* applications, all when empty */
};

/* ---- commands ---- */

/* The words in the application's folder; stdout into out. */
static int run(const struct bench *bench, const struct app *app,
               const struct strvec *words, struct buf *out, struct error *err)
{
    char *dir = path_join(bench->place, app->name);
    char *shown = strvec_join(words, " ");
    struct spawn_outcome outcome = {0};

    fprintf(stderr, "bench: %s: %s\n", app->name, shown);
    int status = spawn_run(&(struct spawn_request){.argv = (const char *const *)words->v,
                                                   .dir = dir,
                                                   .output_limit = 64u << 20},
                           &outcome, err);
    if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status =
            fail(err, STATUS_FAILED, "'%s' failed: %s", shown, buf_str(&outcome.err));
    if (!status)
        buf_add(out, buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    free(shown);
    free(dir);
    return status;
}

/* A command that inflight printed, with more options behind its name; its report goes to
 * build/bench too. */
static int report(const struct bench *bench, const struct app *app, const char *command,
                  const char *const *more, const char *schema, json_t **json,
                  struct error *err)
{
    struct strvec words = {0}, all = {0};
    struct buf out = {0};

    strvec_split(&words, command);
    strvec_push(&all, INFLIGHT_PROGRAM);
    strvec_push(&all, words.v[1]);
    for (; *more; more++)
        strvec_push(&all, *more);
    for (size_t i = 2; i < words.nr; i++)
        strvec_push(&all, words.v[i]);
    int status = run(bench, app, &all, &out, err);
    if (!status)
        status = json_read_text(buf_str(&out), words.v[1], schema, json, err);
    char *kept = xasprintf("%s/apps-%s-%s.json", BENCH_DIR, app->name, words.v[1]);
    if (!status)
        status = json_write_file(kept, *json, err);
    free(kept);
    buf_release(&out);
    strvec_release(&words);
    strvec_release(&all);
    return status;
}

/* ---- the steps ---- */

static int build(const struct bench *bench, const struct app *app, struct error *err)
{
    struct strvec words = {0};
    struct buf out = {0};

    strvec_push(&words, "make");
    strvec_push(&words, "-B"); /* what was built elsewhere says so in its debug lines */
    int status = run(bench, app, &words, &out, err);
    strvec_release(&words);
    buf_release(&out);
    return status;
}

static int advise(const struct bench *bench, const struct app *app, json_t **json,
                  struct error *err)
{
    static const char *const more[] = {"--json", NULL};
    char *command = xasprintf("inflight advise -- build/%s", app->name);
    int status = report(bench, app, command, more, "inflight.application/1", json, err);

    free(command);
    return status;
}

static int capture(const struct bench *bench, const struct app *app,
                   const json_t *routine, struct error *err)
{
    const char *command = bench_text(routine, "capture_command");
    struct strvec words = {0};
    struct buf out = {0};

    if (!*command)
        return fail(err, STATUS_FAILED, "advise prints no command to capture %s: %s",
                    app->hot, bench_text(routine, "why_not"));
    strvec_split(&words, command);
    free(words.v[0]);
    words.v[0] = xstrdup(INFLIGHT_PROGRAM);
    int status = run(bench, app, &words, &out, err);
    strvec_release(&words);
    buf_release(&out);
    return status;
}

static int tune(const struct bench *bench, const struct app *app, const json_t *routine,
                json_t **json, struct error *err)
{
    const char *const more[] = {"--json",
                                "--fresh",
                                "--budget",
                                bench->budget,
                                "--in-app-budget",
                                bench->in_app_budget,
                                "--in-app-dir",
                                "..",
                                NULL};

    return report(bench, app, bench_text(routine, "tune_command"), more,
                  "inflight.report/1", json, err);
}

/* ---- the table ---- */

static void put_cell(const char *text)
{
    putchar(' ');
    for (; *text; text++)
        if (*text == '|')
            fputs("\\|", stdout);
        else
            putchar(*text == '\n' ? ' ' : *text);
    fputs(" |", stdout);
}

static void put_gain(const json_t *object, const char *key)
{
    struct buf cell = {0};

    bench_gain(json_object_get(object, key), &cell);
    put_cell(buf_str(&cell));
    buf_release(&cell);
}

/* The reasons that the report gives for a difference; "" = none. */
static void add_reasons(const json_t *in_app, struct buf *out)
{
    const char *why = json_string_value(json_object_get(in_app, "why"));
    const char *sentence = json_string_value(json_object_get(in_app, "sentence"));

    const json_t *causes = json_object_get(in_app, "causes");

    if (why)
        buf_add(out, why);
    for (size_t i = 0; why && i < json_array_size(causes); i++) {
        const json_t *cause = json_array_get(causes, i);
        buf_addf(out, " %s: %s;", bench_text(cause, "cause"),
                 bench_text(cause, "sentence"));
    }
    if (sentence)
        buf_addf(out, "%s%s", why ? "; " : "", sentence);
}

/* 1 = a difference that nobody explains. */
static int print_row(const struct app *app, const json_t *routine, const json_t *tuned)
{
    const json_t *in_app = json_object_get(tuned, "in_app");
    double alone = bench_value(in_app, "isolated_gain"),
           there = bench_value(in_app, "routine_gain"), apart = there / alone - 1.0;
    struct buf reasons = {0};

    add_reasons(in_app, &reasons);
    printf("| %s | %s, %.0f %% |", app->name, bench_text(routine, "name"),
           100.0 * bench_value(routine, "share"));
    const json_t *best = json_object_get(tuned, "best");
    const char *plan = json_string_value(json_object_get(best, "plan"));
    put_cell(plan && *plan ? plan : "as written");
    put_gain(in_app, "isolated_gain");
    put_gain(in_app, "routine_gain");
    put_gain(in_app, "program_gain");
    if (isnan(apart))
        fputs(" - |", stdout);
    else
        printf(" %+.0f %% |", 100.0 * apart);
    put_cell(reasons.length ? buf_str(&reasons) : "-");
    putchar('\n');
    fflush(stdout);
    bool unexplained = fabs(apart) > 0.1 && !reasons.length;
    buf_release(&reasons);
    return unexplained;
}

static int walk(const struct bench *bench, const struct app *app, struct error *err)
{
    json_t *advice = NULL, *tuned = NULL;
    int status = build(bench, app, err) || advise(bench, app, &advice, err) ? -1 : 0;
    const json_t *routine =
        status ? NULL : json_array_get(json_object_get(advice, "routines"), 0);

    if (!status && strcmp(bench_text(routine, "name"), app->hot))
        status = fail(err, STATUS_FAILED, "advise found '%s' where %s matters",
                      bench_text(routine, "name"), app->hot);
    if (!status)
        status =
            capture(bench, app, routine, err) || tune(bench, app, routine, &tuned, err)
                ? -1
                : print_row(app, routine, tuned);
    json_decref(advice);
    json_decref(tuned);
    return status;
}

/* ---- */

static int place_make(struct bench *bench, struct error *err)
{
    char *scratch = NULL;

    if (dir_make_all(BENCH_DIR, err) || scratch_make(&scratch, err))
        return -1;
    bench->place = path_join(scratch, "apps");
    const char *const argv[] = {"cp", "-r", INFLIGHT_SOURCE_DIR "/examples/apps",
                                bench->place, NULL};
    struct spawn_outcome outcome = {0};
    int status = spawn_run(&(struct spawn_request){.argv = argv}, &outcome, err);

    spawn_outcome_release(&outcome);
    free(scratch);
    return status;
}

static int options_read(struct bench *bench, int argc, char **argv, struct error *err)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--budget") && i + 1 < argc)
            bench->budget = argv[++i];
        else if (!strcmp(argv[i], "--in-app-budget") && i + 1 < argc)
            bench->in_app_budget = argv[++i];
        else if (*argv[i] != '-')
            strvec_push(&bench->only, argv[i]);
        else
            return fail(err, STATUS_USAGE,
                        "usage: bench/apps [--budget TIME] [--in-app-budget TIME] "
                        "[particles mesh lookup]");
    return 0;
}

int main(int argc, char **argv)
{
    struct bench bench = {.budget = "60s", .in_app_budget = "240s"};
    struct error err = {0};
    int failed = 0;

    if (options_read(&bench, argc, argv, &err) || place_make(&bench, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 2;
    }
    puts("| application | routine, share of the time | plan | kernel alone | the routine "
         "in "
         "the application | the whole program | difference of the first two | why |");
    puts("|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < ARRAY_SIZE(apps); i++) {
        error_clear(&err);
        if (bench.only.nr && !strvec_has(&bench.only, apps[i].name))
            continue;
        int status = walk(&bench, &apps[i], &err);
        if (status < 0)
            fprintf(stderr, "bench: %s: %s\n", apps[i].name, err.text);
        failed += status != 0;
    }
    strvec_release(&bench.only);
    free(bench.place);
    return failed > 0;
}
