/* Models of the kernels in tests/data/gen, for the suites of model, legality and
 * generation. */
#ifndef TESTS_VARIANTS_LOOP_MODELS_H
#define TESTS_VARIANTS_LOOP_MODELS_H

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "tests/check.h"
#include "variants/emit/emit.h"
#include "variants/ir/ir.h"
#include "variants/model/model.h"
#include "variants/parse/parse.h"
#include "variants/plan/plan.h"

struct buf;

#define LOOPS_DATA INFLIGHT_SOURCE_DIR "/tests/data/gen"

struct loops {
    struct ir_function *function;
    struct model *model;
};

/* Path relative to tests/data/gen without ".c". False after a reported failure. */
static inline bool loops_open(struct loops *loops, const char *name,
                              const struct model_request *with)
{
    struct model_request request = with ? *with : (struct model_request){0};
    struct strvec flags = {0};
    struct error err = {0};
    char *path = xasprintf(LOOPS_DATA "/%s.c", name);

    *loops = (struct loops){0};
    bool ok =
        check_ok(ir_parse(path, NULL, 0, NULL, &flags, &loops->function, &err), &err);
    request.function = loops->function;
    ok = ok && check_ok(model_build(&request, &loops->model, &err), &err);
    free(path);
    return ok;
}

static inline void loops_close(struct loops *loops)
{
    model_free(loops->model);
    ir_function_free(loops->function);
}

static inline int loops_check(const struct loops *loops, const char *text,
                              struct buf *assumptions, struct error *err)
{
    struct plan *plan;
    if (plan_parse(text, &plan, err))
        return -1;
    int status = model_check(loops->model, plan, assumptions, err);
    plan_free(plan);
    return status;
}

static inline int loops_emit(const struct loops *loops, const char *text, struct buf *out,
                             struct error *err)
{
    struct plan *plan;
    if (plan_parse(text, &plan, err))
        return -1;
    int status = model_emit(loops->model, plan, out, err);
    plan_free(plan);
    return status;
}

#endif
