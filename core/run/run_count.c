#define _GNU_SOURCE /* sched_setaffinity */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "core/run/run_launch.h"
#include "core/run/run_stepping.h"
#include "core/run/run_steps.h"

/* Between looks at the clock. */
enum { steps_between = 256 };

struct counting {
    pid_t pid;
    struct steps *steps;
    double instructions_most, until_s;
};

/* Where both run on one processor a step needs no wake-up across the machine: four times
 * as many a second on a guest. */
static bool stay_here(const struct run_opts *opts, cpu_set_t *before)
{
    cpu_set_t one;
    int cpu = opts->cpu ? opts->cpu[0] : sched_getcpu();

    if (cpu < 0 || sched_getaffinity(0, sizeof(*before), before) != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

static void read_code(void *data, uint64_t pc, uint8_t code[DECODE_BYTES])
{
    const struct counting *counting = data;

    stepping_code(counting->pid, pc, code);
}

static bool is_enough(const struct counting *counting, size_t steps)
{
    return steps % steps_between == 0 &&
           (clock_s() > counting->until_s || spawn_interrupted());
}

/* From one mark to the next. */
static enum stepping walk(struct counting *counting, bool aside, struct run_count *count)
{
    double half = counting->instructions_most / 2;
    struct run_steps total = {0};

    for (size_t i = 1;; i++) {
        enum stepping at = stepping_next(counting->pid);
        uint64_t pc;

        if (at != STEPPING_STEP)
            return at;
        if (!stepping_pc(counting->pid, &pc))
            return STEPPING_GONE;
        steps_add(counting->steps, pc, aside, read_code, counting);
        total = steps_total(counting->steps);
        if (total.instructions <= half)
            count->half = total;
        if (total.instructions >= counting->instructions_most || is_enough(counting, i))
            return STEPPING_STEP;
    }
}

/* Everything between the first two marks is the harness itself. */
static int follow(struct counting *counting, struct run_count *count, struct error *err)
{
    enum stepping end = stepping_begin(counting->pid, counting->until_s - clock_s());

    if (end == STEPPING_MARK)
        end = walk(counting, true, count);
    if (end == STEPPING_MARK)
        end = walk(counting, false, count);
    count->all = steps_total(counting->steps);
    count->whole = end == STEPPING_MARK;
    if (end == STEPPING_GONE || count->all.instructions <= 0)
        return fail(err, STATUS_FAILED, "the call ended before it could be counted");
    return 0;
}

/* The program's own words say why, if it has any. */
static void blame(const struct spawn_outcome *end, struct error *err)
{
    const char *said = buf_str(&end->err);
    size_t length = strcspn(said, "\n");

    if (err && length && end->end == SPAWN_EXITED)
        fail(err, STATUS_FAILED, "the call cannot be stepped through: %.*s", (int)length,
             said);
}

static int count_child(const struct run_program *program, const struct run_opts *opts,
                       struct counting *counting, struct run_count *count,
                       struct error *err)
{
    struct strvec argv = {0}, env = {0};
    struct spawn_outcome end = {0};
    struct spawn_child *child = NULL;
    int result;

    launch_push_common(&argv, program, opts, 0);
    launch_push_environment(&env, program, opts, 0);
    strvec_push(&env, "LD_BIND_NOW=1"); /* no names are looked up in the first call */
    strvec_push(&argv, "--stepped");
    strvec_push(&argv, "--out");
    strvec_push(&argv, "/dev/null");
    result = spawn_start(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                 .env_extra = (const char *const *)env.v},
                         &child, err);
    strvec_release(&env);
    strvec_release(&argv);
    if (result)
        return -1;
    enum account before = account_switch(ACCOUNT_TRACING);
    counting->pid = spawn_pid(child);
    if (counting->pid > 0) {
        result = follow(counting, count, err);
        kill(counting->pid, SIGKILL);
    }
    spawn_wait_all(&child, 1, false, &end, NULL);
    account_switch(before);
    if (result)
        blame(&end, err);
    else
        result = launch_check_started(program, &end, err);
    spawn_outcome_release(&end);
    return result;
}

int run_count(const struct run_program *program, const struct run_opts *opts,
              double instructions_most, struct run_count *count, struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    struct decoder *decoder = NULL;
    struct counting counting = {.instructions_most = instructions_most,
                                .until_s = clock_s() + full.launch_limit_s};
    cpu_set_t before;
    bool stays;
    int result;

    *count = (struct run_count){0};
    if (decoder_new(decode_arch_here(), &decoder, err))
        return -1;
    counting.steps = steps_new(decoder);
    stays = stay_here(&full, &before);
    result = count_child(program, &full, &counting, count, err);
    if (stays)
        sched_setaffinity(0, sizeof(before), &before);
    steps_free(counting.steps);
    decoder_free(decoder);
    return result;
}
