#include "core/run/run.h"

#include "core/run/run_parts.h"

enum { exit_differs = 4 };

static struct verdict verdict_once(const struct spawn_outcome *end,
                                   const struct circumstances *around)
{
    struct verdict verdict = verdict_of_end(end, around);

    if (end->end == SPAWN_EXITED && end->code == exit_differs)
        verdict.outcome = RUN_OUTCOME_WRONG_RESULT;
    return verdict;
}

int run_once(const struct run_program *program, const struct run_opts *opts,
             enum run_outcome *outcome, char **detail, struct buf *output,
             struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    struct circumstances around = circumstances_before(full.launch_limit_s);
    struct strvec argv = {0}, env = {0};
    struct spawn_outcome end = {0};
    struct verdict verdict;
    int result;

    *detail = NULL;
    launch_push_common(&argv, program, &full, 0);
    launch_push_environment(&env, program, &full, 0);
    result = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                               .env_extra = (const char *const *)env.v,
                                               .timeout_s = full.launch_limit_s,
                                               .account = ACCOUNT_VERIFYING},
                       &end, err);
    if (result == 0)
        result = launch_check_started(program, &end, err);
    if (result == 0) {
        circumstances_after(&around);
        verdict = verdict_once(&end, &around);
        *outcome = verdict.outcome;
        *detail = verdict.detail;
        if (output)
            buf_add_n(output, buf_str(&end.out), end.out.length);
    }
    spawn_outcome_release(&end);
    strvec_release(&env);
    strvec_release(&argv);
    return result;
}
