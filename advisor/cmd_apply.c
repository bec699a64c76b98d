/* inflight apply: one plan, checked and written as C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/commands.h"
#include "advisor/version.h"
#include "advisor/workbench.h"

static char *comment_for(const struct workbench *bench, const struct plan *plan)
{
    char *text = plan_text(plan);
    char *comment =
        xasprintf("Written by inflight %s from %s, function %s.\nPlan: %s\n",
                  INFLIGHT_VERSION, path_base(kernel_path(bench->kernel)),
                  kernel_name(bench->kernel), *text ? text : "none, as written");
    free(text);
    return comment;
}

static int emit(struct workbench *bench, const struct plan *plan, struct error *err)
{
    const char *output = bench->settings->output;
    struct buf source = {0}, assumptions = {0};
    char *comment = comment_for(bench, plan);
    int status = kernel_check(bench->kernel, plan, &assumptions, err);
    if (!status)
        status = kernel_emit(bench->kernel, plan, comment, &source, err);
    if (!status)
        status = output ? file_write(output, buf_str(&source), source.length, err)
                        : print_text(buf_str(&source), err);
    if (!status && !bench->settings->quiet && assumptions.length)
        fprintf(stderr, "this rests on:\n%s", buf_str(&assumptions));
    free(comment);
    buf_release(&source);
    buf_release(&assumptions);
    return status;
}

int apply_command(const struct settings *settings, struct error *err)
{
    struct workbench bench;
    struct plan *plan = NULL;
    if (!settings->plan)
        return fail(err, STATUS_USAGE,
                    "a plan is needed, such as --plan 'tile(i:32,j:32)'; try 'inflight "
                    "apply --help'");
    workbench_start(&bench, settings);
    int status = plan_parse(settings->plan, &plan, err);
    if (!status)
        status = workbench_kernel(&bench, false, err);
    if (!status)
        status = emit(&bench, plan, err);
    plan_free(plan);
    workbench_release(&bench);
    return status;
}
