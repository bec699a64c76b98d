/* inflight apply: one plan, checked and written as C or as a patch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "advisor/session/context.h"
#include "advisor/session/emitted.h"
#include "core/base/error.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

/* No date: the same plan gives the same file on every day. */
static char *comment_for(const struct context *bench, const struct plan *plan)
{
    struct buf out = {0};
    char *text = plan_text(plan);
    buf_addf(&out, "Written by inflight %s from %s, function %s.\nPlan: %s\n",
             INFLIGHT_VERSION, path_base(kernel_path(bench->kernel)),
             kernel_name(bench->kernel), *text ? text : "none, as written");
    if (*text)
        buf_add(&out, "Measured gain: not measured\n");
    if (bench->settings->force)
        buf_add(&out,
                "WARNING: forced. Results may be wrong if this plan is not legal.\n");
    emitted_facts(bench->kernel, plan, &out);
    free(text);
    return buf_detach(&out);
}

/* 0 when the plan is legal, or is wanted although it is not; then `why` says why. */
static int check(const struct context *bench, const struct plan *plan,
                 struct buf *assumptions, struct error *why, struct error *err)
{
    if (!context_check(bench->kernel, plan, assumptions, why))
        return 0;
    if (bench->settings->force && why->status == STATUS_ILLEGAL)
        return 0;
    return fail(err, why->status, "%s", why->text);
}

static int write_out(const struct context *bench, const struct buf *text,
                     struct error *err)
{
    const char *output = bench->settings->output;
    return output ? file_write(output, buf_str(text), text->length, err)
                  : print_data(buf_str(text), err);
}

/* What the code rests on, and behind it what was dropped. */
static void say_facts(const char *lines)
{
    struct buf rests = {0}, dropped = {0};
    for (const char *end; *lines; lines = *end ? end + 1 : end) {
        end = lines + strcspn(lines, "\n");
        buf_addf(emitted_is_dropped(lines) ? &dropped : &rests, "%.*s\n",
                 (int)(end - lines), lines);
    }
    if (rests.length)
        fprintf(stderr, "this rests on:\n%s", buf_str(&rests));
    fputs(buf_str(&dropped), stderr);
    buf_release(&rests);
    buf_release(&dropped);
}

static int emit(struct context *bench, const struct plan *plan, const char *given,
                struct error *err)
{
    bool patch = bench->settings->patch;
    struct buf source = {0}, assumptions = {0};
    struct error why = {0};
    char *comment = NULL;
    int status = check(bench, plan, &assumptions, &why, err);
    if (!status) {
        comment = given ? xstrdup(given) : comment_for(bench, plan);
        status = emitted_text(bench->kernel, plan, comment,
                              patch ? bench->settings->file : NULL, &source, err);
    }
    if (!status)
        status = write_out(bench, &source, err);
    if (!status && why.status)
        fprintf(stderr, "warning: forced although it is not legal: %s\n", why.text);
    if (!status && !bench->settings->quiet)
        say_facts(buf_str(&assumptions));
    free(comment);
    buf_release(&source);
    buf_release(&assumptions);
    return status;
}

int apply_command(const struct settings *settings, struct error *err)
{
    struct context bench;
    struct plan *plan = NULL;
    char *comment = NULL, *text = NULL;
    if (!settings->plan == !settings->from)
        return fail(err, STATUS_USAGE,
                    "a plan is needed, such as --plan 'tile(i:32,j:32)', or --from FILE "
                    "that holds one; try 'inflight apply --help'");
    context_start(&bench, settings);
    int status = settings->from ? emitted_read(settings->from, &comment, &text, err) : 0;
    if (!status)
        status = plan_parse(text ? text : settings->plan, &plan, err);
    if (!status)
        status = context_kernel(&bench, false, err);
    if (!status)
        status = emit(&bench, plan, comment, err);
    plan_free(plan);
    free(comment);
    free(text);
    context_release(&bench);
    return status;
}
