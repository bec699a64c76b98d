#define _GNU_SOURCE /* sched_setaffinity */
#define _GNU_SOURCE /* waitid's WSTOPPED with ptrace, struct user */
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "core/base.h"
#include "core/code/code.h"
#include "core/run/run_parts.h"

enum stepping { STEPPING_STEP, STEPPING_MARK, STEPPING_GONE };

/* ---- stepping ---- */

/* Reads the stop and leaves an end to whoever waits for the child. 0 = no stop. */
static int wait_stop(pid_t pid, int more)
{
    siginfo_t info = {0};

    while (waitid(P_PID, (id_t)pid, &info, WSTOPPED | more) != 0)
        if (errno != EINTR)
            return -1;
    return info.si_pid == pid ? info.si_status : 0;
}

/* A stop that is the tracer's own business, or a signal to hand on. */
static bool is_event(int status)
{
    return status >> 8 != 0;
}

static void set_options(pid_t pid)
{
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)PTRACE_O_EXITKILL);
}

/* Waits until it stops at its first mark (a SIGSTOP of its own); GONE when it ended, or
 * has not come there after `limit_s`. */
static enum stepping stepping_begin(pid_t pid, double limit_s)
{
    const struct timespec pause = {.tv_nsec = 200000};
    double until = clock_s() + limit_s;

    while (clock_s() < until) {
        int status = wait_stop(pid, WNOHANG);

        if (status < 0)
            return STEPPING_GONE;
        if (status == SIGSTOP) {
            set_options(pid);
            return STEPPING_MARK;
        }
        if (status)
            ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(is_event(status) ? 0 : status));
        else
            nanosleep(&pause, NULL);
    }
    return STEPPING_GONE;
}

/* One instruction further: STEP, or MARK when that was one. */
static enum stepping stepping_next(pid_t pid)
{
    long signal = 0;

    for (;;) {
        int status;

        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)signal) != 0)
            return STEPPING_GONE;
        status = wait_stop(pid, 0);
        if (status < 0)
            return STEPPING_GONE;
        if (status == SIGTRAP)
            return STEPPING_STEP;
        if (status == SIGSTOP)
            return STEPPING_MARK;
        signal = is_event(status) ? 0 : status;
    }
}

/* False where it cannot be told. */
static bool stepping_pc(pid_t pid, uint64_t *pc)
{
#if defined(__x86_64__)
    long value;

    errno = 0;
    value = ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user, regs.rip), NULL);
    *pc = (uint64_t)value;
    return errno == 0;
#elif defined(__aarch64__)
    struct user_regs_struct regs;
    struct iovec into = {&regs, sizeof(regs)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(long)NT_PRSTATUS, &into) != 0)
        return false;
    *pc = regs.pc;
    return true;
#elif defined(__powerpc64__)
    const long next_instruction = 32 * 8; /* PT_NIP, in words */
    long value;

    errno = 0;
    value = ptrace(PTRACE_PEEKUSER, pid, (void *)next_instruction, NULL);
    *pc = (uint64_t)value;
    return errno == 0;
#else
    (void)pid;
    (void)pc;
    return false;
#endif
}

/* The bytes there; what cannot be read is 0. */
static void stepping_code(pid_t pid, uint64_t pc, uint8_t code[DECODE_BYTES])
{
    for (size_t at = 0; at < DECODE_BYTES; at += sizeof(long)) {
        long word;

        errno = 0;
        word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)(pc + at), NULL);
        if (errno)
            word = 0;
        memcpy(code + at, &word, sizeof(word));
    }
}

/* ---- run count ---- */

/* Between looks at the clock. */
enum { steps_between = 256 };

struct counting {
    pid_t pid;
    struct steps *steps;
    double instructions_max, until_s;
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
    double half = counting->instructions_max / 2;
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
        if (total.instructions >= counting->instructions_max || is_enough(counting, i))
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
    const char *reported = buf_str(&end->err);
    size_t length = strcspn(reported, "\n");

    if (err && length && end->end == SPAWN_EXITED)
        fail(err, STATUS_FAILED, "the call cannot be stepped through: %.*s", (int)length,
             reported);
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
              double instructions_max, struct run_count *count, struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    struct decoder *decoder = NULL;
    struct counting counting = {.instructions_max = instructions_max,
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

struct place {
    uint64_t pc;
    bool used, aside, counted;
    struct decoded what;
    uint64_t target; /* the last one, of an indirect branch */
    struct perceptron *perceptron;
};

struct steps {
    const struct decoder *decoder;
    struct place *place; /* open addressing */
    size_t nr, room;     /* room: a power of two */
    uint64_t before;     /* the instruction that was executed last, 0 = none */
    struct branch_history history;
    struct run_steps total;
};

enum { room_first = 1024 };

struct steps *steps_new(const struct decoder *decoder)
{
    struct steps *steps = xcalloc(1, sizeof(*steps));

    steps->decoder = decoder;
    steps->room = room_first;
    steps->place = xcalloc(steps->room, sizeof(*steps->place));
    return steps;
}

void steps_free(struct steps *steps)
{
    if (!steps)
        return;
    for (size_t i = 0; i < steps->room; i++)
        free(steps->place[i].perceptron);
    free(steps->place);
    free(steps);
}

static struct place *slot_in(struct place *place, size_t room, uint64_t pc)
{
    size_t i = (size_t)(pc * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

    while (place[i].used && place[i].pc != pc)
        i = (i + 1) & (room - 1);
    return &place[i];
}

static void grow(struct steps *steps)
{
    size_t room = steps->room * 2;
    struct place *wider = xcalloc(room, sizeof(*wider));

    for (size_t i = 0; i < steps->room; i++)
        if (steps->place[i].used)
            *slot_in(wider, room, steps->place[i].pc) = steps->place[i];
    free(steps->place);
    steps->place = wider;
    steps->room = room;
}

static struct place *place_at(struct steps *steps, uint64_t pc, bool aside,
                              steps_code code, void *data)
{
    struct place *place = slot_in(steps->place, steps->room, pc);
    uint8_t bytes[DECODE_BYTES] = {0};

    if (place->used)
        return place;
    if (2 * ++steps->nr > steps->room) {
        grow(steps);
        place = slot_in(steps->place, steps->room, pc);
    }
    code(data, pc, bytes);
    *place = (struct place){.pc = pc, .used = true, .aside = aside};
    place->what = decode(steps->decoder, bytes, pc);
    return place;
}

/* Where the branch went is where we are now. */
static void count_branch(struct steps *steps, struct place *place, uint64_t pc)
{
    bool foreseen = place->target == pc, first = !place->target;

    if (place->what.branch == BRANCH_DIRECT) {
        if (!place->perceptron)
            place->perceptron = xcalloc(1, sizeof(*place->perceptron));
        foreseen = predict(place->perceptron, &steps->history,
                           pc != place->pc + place->what.bytes);
        first = false;
    }
    place->target = pc;
    steps->total.branches++;
    steps->total.branches_missed += !foreseen && !first;
}

static void count(struct steps *steps, struct place *place)
{
    struct run_steps *total = &steps->total;

    total->instructions++;
    total->flops += place->what.flops;
    total->divisions += place->what.divisions;
    total->undecoded += !place->what.known;
    total->code_bytes += place->counted ? 0 : place->what.bytes;
    place->counted = true;
}

void steps_add(struct steps *steps, uint64_t pc, bool aside, steps_code code, void *data)
{
    struct place *before =
        steps->before ? slot_in(steps->place, steps->room, steps->before) : NULL;
    bool again = before && before->pc == pc && before->what.repeats;

    if (before && before->what.branch != BRANCH_NONE && !before->aside)
        count_branch(steps, before, pc);
    if (!again) {
        struct place *place = place_at(steps, pc, aside, code, data);

        if (!place->aside)
            count(steps, place);
    }
    steps->before = pc;
}

struct run_steps steps_total(const struct steps *steps)
{
    return steps->total;
}

/* Trained until the sum is that far from 0: 1.93 x history + 14 (section 5 there). */
enum { threshold = (193 * PREDICT_HISTORY) / 100 + 14, weight_max = 127 };

static int sum_of(const struct perceptron *perceptron, uint32_t history)
{
    int sum = perceptron->bias;

    for (int i = 0; i < PREDICT_HISTORY; i++)
        sum += history >> i & 1 ? perceptron->weight[i] : -perceptron->weight[i];
    return sum;
}

static int8_t moved(int8_t weight, bool up)
{
    if (up)
        return weight < weight_max ? (int8_t)(weight + 1) : weight;
    return weight > -weight_max ? (int8_t)(weight - 1) : weight;
}

static void train(struct perceptron *perceptron, uint32_t history, bool taken)
{
    perceptron->bias = moved(perceptron->bias, taken);
    for (int i = 0; i < PREDICT_HISTORY; i++)
        perceptron->weight[i] = moved(perceptron->weight[i], (history >> i & 1) == taken);
}

bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken)
{
    int sum = sum_of(perceptron, history->taken);
    bool foreseen = (sum >= 0) == taken;

    if (!foreseen || (sum <= threshold && sum >= -threshold))
        train(perceptron, history->taken, taken);
    history->taken = history->taken << 1 | taken;
    return foreseen;
}
