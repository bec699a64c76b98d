#include "bench/plan_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/kernel_random.h"
#include "bench/plan_explain.h"
#include "bench/plan_own.h"
#include "bench/plan_random.h"
#include "bench/plan_try.h"
#include "variants/plan/plan.h"

#define SHARED  BENCH_DIR "/plan-objects"
#define WRITTEN BENCH_DIR "/random-kernels"

enum { DRAWS_PER_PLAN = 30 };

/* Of all draws: by step, how often drawn, how often in a plan that was legal. */
struct drawing {
    unsigned long long drawn, legal, illegal, other, unforced;
    unsigned long long step_drawn[STEP_KIND_NR], step_legal[STEP_KIND_NR];
    struct strvec odd; /* refusals that should not be: isl errors, crashes of emission */
};

/* A job's kernel, opened twice: once for who judges the plans. */
struct opened {
    struct plan_file file;
    struct kernel *judge;
    struct plan_bench bench;
    char *path;
};

/* Writes kernel "random-SEED-NUMBER" where it can be looked at. */
static int write_random(const char *name, struct opened *opened, struct error *err)
{
    unsigned long long seed = 0, number = 0;

    if (sscanf(name, "random-%llu-%llu", &seed, &number) != 2)
        return fail(err, STATUS_USAGE, "'%s' is not like random-1-5", name);
    struct kernel_random kernel = kernel_random_make(seed, number);
    opened->path = xasprintf(WRITTEN "/%s.c", name);
    opened->file = (struct plan_file){.path = opened->path,
                                      .flags = kernel.flags,
                                      .reassociate = kernel.reassociate,
                                      .is_generated = true};
    int result = dir_make_all(WRITTEN, err);
    result =
        result ? result : file_write(opened->path, kernel.text, strlen(kernel.text), err);
    free(kernel.text);
    return result;
}

static int open_job(const struct plan_job *job, struct opened *opened, struct error *err)
{
    bool is_own =
        strlen(job->kernel) > 2 && !strcmp(job->kernel + strlen(job->kernel) - 2, ".c");

    if (!strncmp(job->kernel, "random-", strlen("random-"))) {
        if (write_random(job->kernel, opened, err))
            return -1;
        is_own = true;
    } else if (is_own) {
        opened->path = xstrdup(job->kernel);
        opened->file = (struct plan_file){.path = opened->path,
                                          .flags = job->flags ? job->flags : "",
                                          .reassociate = job->reassociate};
    } else {
        opened->path =
            xasprintf("%s/tests/kernels/%s.c", INFLIGHT_SOURCE_DIR, job->kernel);
    }
    struct kernel_request request = {.path = opened->path,
                                     .reassociate = opened->file.reassociate};
    if (is_own)
        strvec_split(&request.cflags, opened->file.flags);
    int result = kernel_open(&request, &opened->judge, err);
    strvec_release(&request.cflags);
    if (result)
        return -1;
    return is_own
               ? plan_own_open(&opened->bench, &opened->file, job->illegal, err)
               : plan_bench_open(&opened->bench, opened->path, job->illegal, SHARED, err);
}

static void close_job(struct opened *opened)
{
    plan_bench_release(&opened->bench);
    kernel_free(opened->judge);
    free(opened->path);
}

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

/* ---- JSON ---- */

static json_t *try_json(const struct plan_bench *bench, const struct plan_try *try)
{
    json_t *json = json_pack("{s:s, s:f, s:f, s:b, s:s}", "plan", try->plan, "check_s",
                             try->check_s, "emit_s", try->emit_s, "blocks", try->blocks,
                             "verdict", plan_verdict_word(plan_try_worst(try)));

    if (try->refusal) {
        json_object_set_new(json, "refusal", json_string(try->refusal));
        if (plan_try_worst(try) == PLAN_GOOD)
            json_object_set_new(json, "explained",
                                json_string(plan_explain(bench->kernel, try)));
    }
    for (size_t c = 0; c < PLAN_BUILDS; c++)
        if (try->detail[c])
            json_object_set_new(json, plan_builds[c].name, json_string(try->detail[c]));
    return json;
}

static void print_results(const struct plan_bench *bench, const char *name,
                          const struct drawing *drawing)
{
    json_t *steps = json_object(), *plans = json_array(), *odd = json_array();
    size_t nr;
    const struct transformation *table = transformations(&nr);

    for (size_t i = 0; i < nr; i++)
        json_object_set_new(steps, table[i].name,
                            json_pack("[I, I]", (json_int_t)drawing->step_drawn[i],
                                      (json_int_t)drawing->step_legal[i]));
    for (size_t i = 0; i < bench->try_nr; i++)
        json_array_append_new(plans, try_json(bench, &bench->try[i]));
    for (size_t i = 0; i < drawing->odd.nr; i++)
        json_array_append_new(odd, json_string(drawing->odd.v[i]));
    json_t *all = json_pack(
        "{s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "kernel", name,
        "depth", kernel_depth(bench->kernel), "sizes", (int)bench->item_nr, "drawn",
        (json_int_t)drawing->drawn, "legal", (json_int_t)drawing->legal, "illegal",
        (json_int_t)drawing->illegal, "other", (json_int_t)drawing->other, "unforced",
        (json_int_t)drawing->unforced, "steps", steps, "odd", odd, "plans", plans);
    json_dumpf(all, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(all);
}

/* ---- drawing ---- */

/* Tries a refused plan. The judge must refuse its code too. */
static void force(struct plan_bench *bench, struct kernel *judge, const struct plan *plan,
                  const char *text, struct drawing *drawing, struct error *err)
{
    char *refusal = xstrdup(err->text);
    struct buf source = {0};

    if (kernel_emit(judge, plan, NULL, &source, err) == 0)
        strvec_pushf(&drawing->odd, "%s is refused, but emitted without --force", text);
    /* what is wanted of the tree may not be to be had at all: nothing to force */
    if (plan_bench_add(bench, text, refusal, err)) {
        drawing->unforced++;
        if (err->status != STATUS_ILLEGAL && err->status != STATUS_USAGE)
            strvec_pushf(&drawing->odd, "%s cannot be forced: %s", text, err->text);
    }
    buf_release(&source);
    free(refusal);
}

static bool is_tried(const struct plan_bench *bench, const char *text)
{
    for (size_t i = 0; i < bench->try_nr; i++)
        if (!strcmp(bench->try[i].plan, text))
            return true;
    return false;
}

/* Draws one plan that is new; tried if it is of the kind that is wanted. */
static void draw(struct plan_bench *bench, struct kernel *judge, bool illegal,
                 struct plan_random *random, struct drawing *drawing)
{
    char *text = plan_random_next(random);
    struct error err = {0};
    struct plan *plan;

    fprintf(stderr, "%s\n", text);
    if (is_tried(bench, text) || plan_parse(text, &plan, &err)) {
        drawing->drawn++;
        drawing->other++;
    } else if (illegal) {
        int result = kernel_check(judge, plan, NULL, &err);

        note_draw(drawing, plan, text, result, &err);
        if (result && err.status == STATUS_ILLEGAL)
            force(bench, judge, plan, text, drawing, &err);
        plan_free(plan);
    } else {
        note_draw(drawing, plan, text, plan_bench_add(bench, text, NULL, &err), &err);
        plan_free(plan);
    }
    free(text);
}

int plan_worker(const struct plan_job *job, struct error *err)
{
    struct opened opened = {0};
    struct drawing drawing = {0};
    int result = -1;

    if (open_job(job, &opened, err) == 0) {
        struct plan_random random = plan_random_begin(opened.judge, job->seed);

        while (opened.bench.try_nr < job->count &&
               drawing.drawn < DRAWS_PER_PLAN * job->count)
            draw(&opened.bench, opened.judge, job->illegal, &random, &drawing);
        result = plan_bench_run(&opened.bench, err);
    }
    if (result == 0)
        print_results(&opened.bench, job->kernel, &drawing);
    strvec_release(&drawing.odd);
    close_job(&opened);
    return result;
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

int plan_worker_single(const struct plan_job *job, struct error *err)
{
    struct opened opened = {0};
    struct plan_bench *bench = &opened.bench;
    int result = -1;

    if (open_job(job, &opened, err) == 0 &&
        plan_bench_add(bench, job->plan, job->illegal ? "forced" : NULL, err) == 0 &&
        plan_bench_run(bench, err) == 0) {
        const struct plan_try *try = &bench->try[0];
        bool good = plan_try_worst(try) >= PLAN_ANNOUNCED;

        print_source(bench->kernel, job->plan);
        for (size_t i = 0; i < bench->item_nr; i++)
            printf("%s%s", i ? "; " : "sizes: ", bench->item[i].text);
        puts("");
        for (size_t b = 0; b < bench->build_nr; b++)
            printf("%s: %s %s\n", plan_builds[b].name, plan_verdict_word(try->verdict[b]),
                   try->detail[b] ? try->detail[b] : "");
        result =
            good == job->illegal ? fail(err, STATUS_FAILED, "not as it should be") : 0;
    }
    close_job(&opened);
    return result;
}
