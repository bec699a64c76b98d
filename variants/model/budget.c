/*
 * What isl may take for one step of the analysis. isl itself counts operations, which are
 * mostly its allocations; it does not count how large they are, and the matrices of its
 * scheduler grow without end at few of them. So the numbers that it makes are counted
 * too, where it takes them from GMP: each is memory, and work. Both counts are the same
 * on every machine, busy or not, and so is every answer. Processor time is a last resort
 * for what neither sees (an isl with numbers of its own).
 */
#include "variants/model/budget.h"

#include <gmp.h>
#include <isl/version.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "core/base/error.h"
#include "variants/model/poly.h"

/* Twenty times what the count allows takes on a slow machine. Of numbers, the largest
 * plans that are worth their check (packed products) make 1.3 an operation allowed and
 * keep 0.16: twice and three times that is let pass. */
enum { LAST_RESORT_S = 60, MADE_AN_OPERATION = 3, OPERATIONS_A_LIVE_ONE = 2 };

static struct {
    isl_ctx *volatile ctx;                  /* whom it is for; NULL = nobody is limited */
    unsigned long limit, made, live, total; /* live: of those made, not freed yet */
} spent;

/* ---- numbers ---- */

static void count_number(void)
{
    spent.total++;
    spent.live++;
    if (spent.ctx && (++spent.made > MADE_AN_OPERATION * spent.limit ||
                      spent.live > spent.limit / OPERATIONS_A_LIVE_ONE))
        isl_ctx_abort(spent.ctx);
}

static void *number_new(size_t bytes)
{
    count_number();
    return xrealloc(NULL, 1, bytes);
}

static void *number_grow(void *old, size_t before, size_t bytes)
{
    (void)before;
    return xrealloc(old, 1, bytes);
}

static void number_free(void *old, size_t bytes)
{
    (void)bytes;
    spent.live -= spent.live > 0;
    free(old);
}

unsigned long analysis_effort(void)
{
    return spent.total;
}

/* ---- processor time ---- */

static void too_long(int signal)
{
    (void)signal;
    if (spent.ctx)
        isl_ctx_abort(spent.ctx);
}

static void start_counting(void)
{
    struct sigaction action = {.sa_handler = too_long, .sa_flags = SA_RESTART};
    mp_set_memory_functions(number_new, number_grow, number_free);
    sigaction(SIGVTALRM, &action, NULL);
}

static void set_timer(long seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* ---- one budget after another ---- */

void isl_budget(struct model *model, unsigned long operations)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_counting);
    bool timed = spent.ctx != NULL;
    spent.ctx = NULL;
    isl_ctx_resume(model->ctx);
    isl_ctx_reset_error(model->ctx);
    isl_ctx_set_max_operations(model->ctx, operations);
    isl_ctx_reset_operations(model->ctx);
    spent.made = 0;
    spent.limit = operations;
    if (operations || timed)
        set_timer(operations ? LAST_RESORT_S : 0);
    if (operations)
        spent.ctx = model->ctx;
}

bool isl_ran_out(const struct model *model)
{
    enum isl_error error = isl_ctx_last_error(model->ctx);
    return error == isl_error_quota || error == isl_error_abort;
}

int isl_check(struct model *model, bool null, struct error *err)
{
    enum isl_error error = isl_ctx_last_error(model->ctx);
    unsigned long limit = isl_ctx_get_max_operations(model->ctx);
    bool out = isl_ran_out(model);
    char *what = error != isl_error_none && isl_ctx_last_error_msg(model->ctx)
                     ? xstrdup(isl_ctx_last_error_msg(model->ctx))
                     : NULL;
    int status = 0;
    isl_budget(model, 0);
    if (out)
        status = fail(err, STATUS_ILLEGAL,
                      ANALYSIS_RAN_OUT " (over %lu operations); drop a step of the plan",
                      limit);
    else if (error != isl_error_none)
        status = fail(err, STATUS_ILLEGAL, "the check failed: %s", what);
    else if (null)
        status = fail(err, STATUS_ILLEGAL, "the check failed");
    free(what);
    return status;
}

const char *model_isl_version(void)
{
    return isl_version();
}
