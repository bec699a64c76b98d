/*
 * The live runner: variants under sanitizers. Each new shape of plan (its text without
 * numbers) is run once at small sizes under the address and undefined-behaviour
 * sanitizers, and under the thread sanitizer when it is parallel.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/process/spawn.h"
#include "search/live/live_parts.h"

/* A file that a plan was written to has that plan's. */
static char *shape_of(const struct built *built, enum variant_program what)
{
    struct buf text = {0};
    bool foreign = built->source && !built->made_by;

    buf_add(&text, what == VARIANT_THREADS ? "threads " : "address ");
    for (const char *c = built->made_by ? built->made_by : built->plan; *c; c++)
        if (!isdigit((unsigned char)*c) || foreign)
            buf_add_n(&text, c, 1);
    return buf_detach(&text);
}

/* Once for each sanitizer, in the note on the session. */
static void say_missing(struct live *live, enum variant_program what, const char *why)
{
    struct live_sanitizer *sanitizer = &live->sanitizer[what];
    char *note = live->note;

    if (sanitizer->is_said || spawn_interrupted() || spawn_is_late())
        return;
    sanitizer->is_said = true;
    live->note =
        xasprintf("%s%svariants are not run under the %s sanitizer: %s", note ? note : "",
                  note ? "; " : "", what == VARIANT_THREADS ? "thread" : "address", why);
    free(note);
}

static bool is_there(struct live *live, const struct built *built,
                     enum variant_program what)
{
    struct live_sanitizer *sanitizer = &live->sanitizer[what];
    struct error why = {0};

    if (sanitizer->toolchain == built->toolchain)
        return sanitizer->is_there;
    sanitizer->toolchain = built->toolchain;
    sanitizer->is_there =
        toolchain_try(built->toolchain, what, live->opts.scratch, &why) == 0;
    if (!sanitizer->is_there)
        say_missing(live, what, why.text);
    if (!sanitizer->is_there && spawn_is_late()) /* that says nothing of the compiler */
        sanitizer->toolchain = NULL;
    return sanitizer->is_there;
}

static int run_under(struct live *live, struct built *built, enum variant_program what,
                     struct verify_report *report, struct error *err)
{
    struct verify_opts opts = live_verify_opts(live, true);

    opts.limit_s = 0; /* sanitizers slow down by factors that nobody knows */
    if (live_build(live, built, what, err))
        return -1;
    if (built->refused == RUN_OUTCOME_NOT_BUILT) { /* it was built without */
        say_missing(live, what, built->why);
        live_refuse(built, RUN_OUTCOME_OK, "");
        report->outcome = RUN_OUTCOME_NOT_BUILT;
        return 0;
    }
    if (built->refused != RUN_OUTCOME_OK)
        return 0;
    return variant_verify(live->opts.kernel, built->program[what], &opts, report, err);
}

/* Has no plan of its shape been run under this sanitizer? The shape's name; NULL when one
 * has, or there is no such sanitizer. Caller frees. */
static char *live_new_shape(struct live *live, const struct built *built,
                            enum variant_program what)
{
    char *shape = shape_of(built, what);

    if (!live->opts.unsanitized && !strvec_has(&live->shapes, shape) &&
        is_there(live, built, what))
        return shape;
    free(shape);
    return NULL;
}

static int sanitize(struct live *live, struct built *built, enum variant_program what,
                    struct error *err)
{
    struct verify_report report = {.outcome = RUN_OUTCOME_OK};
    double began_s = clock_s();
    char *shape = live_new_shape(live, built, what);
    int status = 0;

    if (shape) {
        status = run_under(live, built, what, &report, err);
        if (status == 0 && report.outcome != RUN_OUTCOME_OK &&
            report.outcome != RUN_OUTCOME_NOT_BUILT)
            live_refuse(built, report.outcome,
                        report.detail ? report.detail : "reported by a sanitizer");
        else if (status == 0 && built->refused == RUN_OUTCOME_OK)
            strvec_push(&live->shapes, shape);
        live->sanitize_s = clock_s() - began_s;
    }
    verify_report_release(&report);
    free(shape);
    return status;
}

static bool live_is_parallel(const struct built *built)
{
    return !built->source && strstr(built->plan, "parallel(");
}

int live_sanitize(struct live *live, struct built *built, struct error *err)
{
    bool parallel = live_is_parallel(built);

    if (sanitize(live, built, VARIANT_ADDRESS, err))
        return -1;
    if (!parallel || built->refused != RUN_OUTCOME_OK)
        return 0;
    return sanitize(live, built, VARIANT_THREADS, err);
}
