/* A kernel and what is proposed on top of a choice, for the suites of proposals. */
#ifndef TESTS_SEARCH_WORKBENCH_H
#define TESTS_SEARCH_WORKBENCH_H

#include <stdlib.h>
#include <string.h>

#include "search/propose/propose.h"
#include "tests/search/scripted_space.h"
#include "variants/plan/plan.h"

/* A kernel, its nest, a present choice and what was proposed on top of it. */
struct bench {
    struct space_kernel kernel;
    struct machine machine;
    struct nest nest;
    struct choice now;
    struct propose about;
    struct choices out;
    struct buf why_not;
};

static inline void bench_start(struct bench *bench)
{
    space_machine(&bench->machine);
    nest_find(&bench->kernel.view, &bench->nest);
    bench->about = (struct propose){.nest = &bench->nest,
                                    .machine = &bench->machine,
                                    .now = &bench->now,
                                    .iteration_s = 10e-9,
                                    .latency_ns = 80};
}

static inline void ask(struct bench *bench, const char *transformation)
{
    choices_release(&bench->out);
    buf_reset(&bench->why_not);
    propose(&bench->about, transformation, &bench->out, &bench->why_not);
}

static inline void bench_release(struct bench *bench)
{
    choices_release(&bench->out);
    buf_release(&bench->why_not);
}

static inline void check_at(const struct bench *bench, size_t i, const char *want)
{
    char *text = i < bench->out.nr ? choice_text(&bench->out.item[i]) : xstrdup("none");

    check_str(text, want);
    free(text);
}

static inline bool proposed(const struct bench *bench, const char *plan)
{
    bool found = false;

    for (size_t i = 0; i < bench->out.nr; i++) {
        char *text = choice_text(&bench->out.item[i]);

        found |= strcmp(text, plan) == 0;
        free(text);
    }
    return found;
}

static inline void check_nothing(const struct bench *bench, const char *why)
{
    check_eq(bench->out.nr, 0);
    check_str(buf_str(&bench->why_not), why);
}

static inline void check_parses(const struct choices *list)
{
    struct error err = {0};

    for (size_t i = 0; i < list->nr; i++) {
        char *text = choice_text(&list->item[i]), *again = NULL;
        struct plan *plan = NULL;

        if (check_ok(plan_parse(text, &plan, &err), &err)) {
            again = plan_text(plan);
            check_str(again, text);
        }
        plan_free(plan);
        free(again);
        free(text);
    }
}

#endif
