/*
 * Random plans of one kernel: are those that the check calls legal right? For
 * bench/plans.
 *
 *     plans FILE.c [--seed S] [--count N] [--plan P]
 *           [--main | --generated] [--flags F] [--other F] [--reassociate]
 *     plans FILE.c --draw [--function NAME] [--seed S] [--count N] [--flags F]
 *
 * Draws plans until N legal ones were tried or too many were drawn, and prints what
 * became of them as one line of JSON; what is being worked on goes to stderr. --plan:
 * that one alone, with the C that was made of it. --main: the file has a main under
 * -DTEST;
 * --generated: that of kernel_call.h. --other: flags that original and plans are built
 * with and that the plans were not made with. --draw: nothing is built; legal plans are
 * printed, a line each, for bench/foreign.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan_try.h"
#include "core/base.h"
#include "variants/plan/plan.h"

#define SHARED BENCH_DIR "/plan-objects"

enum { DRAWS_PER_PLAN = 30 };

struct job {
    struct plan_file file;
    const char *plan;
    unsigned long long seed, count;
    const char *function;
    bool has_main, only_draw;
};

/* Of all draws: by step, how often drawn, how often in a plan that was legal. */
struct drawing {
    unsigned long long drawn, legal, illegal, other;
    unsigned long long step_drawn[STEP_KIND_NR], step_legal[STEP_KIND_NR];
    struct strvec odd; /* refusals that should not be: isl errors, crashes of emission */
};

static void note_draw(struct drawing *drawing, const struct plan *plan, const char *text,
                      int result, const struct error *err)
{
    bool seen[STEP_KIND_NR] = {false};

    drawing->drawn++;
    for (size_t i = 0; i < plan->step_nr; i++)
        seen[plan->step[i]->kind] = true;
    for (size_t i = 0; i < STEP_KIND_NR; i++) {
        drawing->step_drawn[i] += seen[i];
        drawing->step_legal[i] += seen[i] && result == 0;
    }
    if (result == 0)
        drawing->legal++;
    else if (err->status == STATUS_ILLEGAL)
        drawing->illegal++;
    else
        drawing->other++;
    if (result && err->status != STATUS_ILLEGAL && err->status != STATUS_USAGE)
        strvec_pushf(&drawing->odd, "%s: %s", text, err->text);
}

static bool is_tried(const struct plan_bench *bench, const char *text)
{
    for (size_t i = 0; i < bench->try_nr; i++)
        if (!strcmp(bench->try[i].plan, text))
            return true;
    return false;
}

/* Draws one plan that is new, and tries it. */
static void draw(struct plan_bench *bench, struct plan_random *random,
                 struct drawing *drawing)
{
    char *text = plan_random_next(random);
    struct error err = {0};
    struct plan *plan;

    fprintf(stderr, "%s\n", text);
    if (is_tried(bench, text) || plan_parse(text, &plan, &err)) {
        drawing->drawn++;
        drawing->other++;
    } else {
        note_draw(drawing, plan, text, plan_bench_add(bench, text, &err), &err);
        plan_free(plan);
    }
    free(text);
}

/* ---- results ---- */

static json_t *try_json(const struct plan_try *try)
{
    json_t *json = json_pack("{s:s, s:s}", "plan", try->plan, "verdict",
                             plan_verdict_word(plan_try_worst(try)));

    for (size_t c = 0; c < PLAN_BUILDS; c++)
        if (try->detail[c])
            json_object_set_new(json, plan_builds[c].name, json_string(try->detail[c]));
    return json;
}

static void print_results(const struct plan_bench *bench, const struct drawing *drawing)
{
    json_t *steps = json_object(), *plans = json_array(), *odd = json_array(),
           *loops = json_array();
    struct kernel_view view = kernel_view(bench->kernel);
    size_t nr;
    const struct transformation *table = transformations(&nr);

    for (size_t i = 0; i < nr; i++)
        json_object_set_new(steps, table[i].name,
                            json_pack("[I, I]", (json_int_t)drawing->step_drawn[i],
                                      (json_int_t)drawing->step_legal[i]));
    for (size_t i = 0; i < view.loop_nr; i++)
        json_array_append_new(loops,
                              json_pack("{s:i, s:s}", "line", view.loop[i].line, "why",
                                        view.loop[i].modelled ? "" : view.loop[i].why));
    for (size_t i = 0; i < bench->try_nr; i++)
        json_array_append_new(plans, try_json(&bench->try[i]));
    for (size_t i = 0; i < drawing->odd.nr; i++)
        json_array_append_new(odd, json_string(drawing->odd.v[i]));
    json_t *all = json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "drawn", (json_int_t)drawing->drawn,
        "legal", (json_int_t)drawing->legal, "illegal", (json_int_t)drawing->illegal,
        "other", (json_int_t)drawing->other, "steps", steps, "odd", odd, "plans", plans,
        "loops", loops);
    json_dumpf(all, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(all);
}

static void print_source(struct kernel *kernel, const char *text)
{
    struct plan *plan;
    struct buf source = {0};

    if (plan_parse(text, &plan, NULL))
        return;
    if (kernel_emit(kernel, plan, text, &source, NULL) == 0)
        puts(buf_str(&source));
    plan_free(plan);
    buf_release(&source);
}

static int print_single(const struct plan_bench *bench, struct error *err)
{
    const struct plan_try *try = &bench->try[0];

    print_source(bench->kernel, try->plan);
    for (size_t i = 0; i < bench->item_nr; i++)
        printf("%s%s", i ? "; " : "sizes: ", bench->item[i].text);
    puts("");
    for (size_t b = 0; b < bench->build_nr; b++)
        printf("%s: %s %s\n", plan_builds[b].name, plan_verdict_word(try->verdict[b]),
               try->detail[b] ? try->detail[b] : "");
    return plan_try_worst(try) >= PLAN_ANNOUNCED
               ? 0
               : fail(err, STATUS_FAILED, "not as it should be");
}

/* Prints what is legal and can be written, of plans of the kernel as the file has it. */
static int print_legal(const struct job *job, struct error *err)
{
    struct kernel_request request = {.path = job->file.path, .function = job->function};
    struct strvec drawn = {0};
    struct kernel *kernel = NULL;
    size_t legal = 0;

    strvec_split(&request.cflags, job->file.flags);
    int result = kernel_open(&request, &kernel, err);
    struct plan_random random = plan_random_begin(kernel, job->seed);
    while (!result && legal < job->count && drawn.nr < DRAWS_PER_PLAN * job->count) {
        char *text = plan_random_next(&random);
        struct buf source = {0};
        struct plan *plan;

        if (!strvec_has(&drawn, text) && plan_parse(text, &plan, NULL) == 0) {
            if (kernel_check(kernel, plan, NULL, NULL) == 0 &&
                kernel_emit(kernel, plan, NULL, &source, NULL) == 0) {
                puts(text);
                legal++;
            }
            plan_free(plan);
        }
        strvec_push(&drawn, text);
        buf_release(&source);
        free(text);
    }
    strvec_release(&drawn);
    strvec_release(&request.cflags);
    kernel_free(kernel);
    return result;
}

static int work(const struct job *job, struct plan_bench *bench, struct error *err)
{
    struct drawing drawing = {0};
    bool has_main = job->has_main || job->file.is_generated;

    if (has_main ? plan_own_open(bench, &job->file, err)
                 : plan_bench_open(bench, job->file.path, SHARED, err))
        return -1;
    if (job->plan)
        return plan_bench_add(bench, job->plan, err) || plan_bench_run(bench, err) ||
                       print_single(bench, err)
                   ? -1
                   : 0;
    struct plan_random random = plan_random_begin(bench->kernel, job->seed);
    while (bench->try_nr < job->count && drawing.drawn < DRAWS_PER_PLAN * job->count)
        draw(bench, &random, &drawing);
    int result = plan_bench_run(bench, err);
    if (result == 0)
        print_results(bench, &drawing);
    strvec_release(&drawing.odd);
    return result;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"seed", required_argument, NULL, 's'},
                                            {"count", required_argument, NULL, 'c'},
                                            {"plan", required_argument, NULL, 'p'},
                                            {"flags", required_argument, NULL, 'f'},
                                            {"main", no_argument, NULL, 'm'},
                                            {"generated", no_argument, NULL, 'g'},
                                            {"reassociate", no_argument, NULL, 'r'},
                                            {"other", required_argument, NULL, 'o'},
                                            {"draw", no_argument, NULL, 'd'},
                                            {"function", required_argument, NULL, 'n'},
                                            {0}};
    struct job job = {.seed = 1, .count = 20, .file.flags = ""};
    struct plan_bench bench = {0};
    struct error err = {0};

    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        job.seed = c == 's' ? strtoull(optarg, NULL, 10) : job.seed;
        job.count = c == 'c' ? strtoull(optarg, NULL, 10) : job.count;
        job.plan = c == 'p' ? optarg : job.plan;
        job.file.flags = c == 'f' ? optarg : job.file.flags;
        job.file.other = c == 'o' ? optarg : job.file.other;
        job.has_main |= c == 'm';
        job.function = c == 'n' ? optarg : job.function;
        job.only_draw |= c == 'd';
        job.file.is_generated |= c == 'g';
        job.file.reassociate |= c == 'r';
    }
    if (optind + 1 != argc) {
        fputs("usage: plans FILE.c [--seed S] [--count N] [--plan P] [--main | "
              "--generated | --draw] [--function NAME] [--flags F] [--other F] "
              "[--reassociate]\n",
              stderr);
        return 2;
    }
    job.file.path = argv[optind];
    int result = job.only_draw ? print_legal(&job, &err) : work(&job, &bench, &err);
    if (result)
        fprintf(stderr, "plans: %s\n", err.text);
    plan_bench_release(&bench);
    return result ? 1 : 0;
}
