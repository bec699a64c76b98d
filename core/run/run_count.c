#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core/base.h"
#include "core/code/code.h"
#include "core/run/run_parts.h"
#include "core/run/run_step.h"

/* Between looks at the clock. */
enum { steps_between = 256 };

struct counting {
    pid_t pid;
    struct steps *steps;
    double instructions_max, until_s;
    struct run_count *count;
};

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
static enum stepping walk(struct counting *counting, bool aside)
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
            counting->count->half = total;
        if (total.instructions >= counting->instructions_max || is_enough(counting, i))
            return STEPPING_STEP;
    }
}

/* Everything between the first two marks is the harness itself. */
static int follow(void *data, pid_t pid, struct error *err)
{
    struct counting *counting = data;
    struct run_count *count = counting->count;
    enum stepping end = stepping_begin(pid, counting->until_s - clock_s());

    counting->pid = pid;
    if (end == STEPPING_MARK)
        end = walk(counting, true);
    if (end == STEPPING_MARK)
        end = walk(counting, false);
    count->all = steps_total(counting->steps);
    count->whole = end == STEPPING_MARK;
    if (end == STEPPING_GONE || count->all.instructions <= 0)
        return fail(err, STATUS_FAILED, "the call ended before it could be counted");
    return 0;
}

int run_count(const struct run_program *program, const struct run_opts *opts,
              double instructions_max, struct run_count *count, struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    struct decoder *decoder = NULL;
    struct counting counting = {.instructions_max = instructions_max,
                                .until_s = clock_s() + full.launch_limit_s,
                                .count = count};
    int result;

    *count = (struct run_count){0};
    if (decoder_new(decode_arch_here(), &decoder, err))
        return -1;
    counting.steps = steps_new(decoder);
    result = stepping_run(program, &full, "/dev/null", follow, &counting, err);
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

/* A loop of multiplications in another one, on Zen 5 (2026): no cycle is lost at its end
 * up to 1000 iterations. What longer ones lose does not matter. */
enum { LOOP_TRIPS_MAX = 1000 };

static bool is_counted(const struct perceptron *loop)
{
    return loop->equal >= 2 && loop->trips_before > 1 &&
           loop->trips_before <= LOOP_TRIPS_MAX;
}

static void count_trip(struct perceptron *loop, bool taken)
{
    if (taken == loop->usual) {
        loop->trips++;
        return;
    }
    if (loop->trips == 0) /* twice: it is the usual way */
        loop->usual = taken;
    if (loop->trips != loop->trips_before)
        loop->equal = 0;
    else if (loop->equal < UINT8_MAX)
        loop->equal++;
    loop->trips_before = loop->trips;
    loop->trips = 0;
}

bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken)
{
    int sum = sum_of(perceptron, history->taken);
    bool ends = perceptron->trips == perceptron->trips_before,
         foreseen = is_counted(perceptron) ? taken == (perceptron->usual != ends)
                                           : (sum >= 0) == taken;

    count_trip(perceptron, taken);
    if (!foreseen || (sum <= threshold && sum >= -threshold))
        train(perceptron, history->taken, taken);
    history->taken = history->taken << 1 | taken;
    return foreseen;
}
