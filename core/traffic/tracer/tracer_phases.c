/* A traced call in phases: what is simulated, what is only passed, and when it ends. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/tracer/tracer.h"
#include "core/traffic/tracer/tracer_hot.h"
#include "core/traffic/tracer/tracer_others.h"
#include "core/traffic/tracer/tracer_state.h"

enum {
    WINDOWS_WANTED = 10, /* a change of phase is missed by half a window's part at most */
    PIECES = 8,          /* of counting */
    PASS_AT_ONCE = 20000000, /* accesses between two looks at the clock, some 30 ms */
    ACCESSES_PER_LINE =
        8, /* of a stream of doubles: it fills a level of that many lines */
    NO_HEADROOM = -1,
};

static bool is_passing(void)
{
    return tracer_state.phase == PHASE_SKIP || tracer_state.phase == PHASE_TAIL;
}

/* From tracer_next() on, the access at hand is the first one of the phase. */
static void begin(enum tracer_phase phase, double length)
{
    tracer_state.phase = phase;
    if (is_passing() && length > PASS_AT_ONCE)
        length = PASS_AT_ONCE;
    tracer_state.length = length < 1 ? 1 : (uint64_t)length;
    tracer_hot.left = is_passing() ? 0 : tracer_state.length - 1;
    tracer_hot.skip = is_passing() ? (int64_t)tracer_state.length - 1 : NO_HEADROOM;
    if (tracer_state.sampled)
        tracer_state.phase_s = tracer_now_s();
}

static void set_base(void)
{
    cache_model_drain(&tracer_hot.model);
    tracer_state.base = cache_model_counts(&tracer_hot.model);
    tracer_parts_base();
    tracer_others_base();
}

static struct cache_counts counts_since_base(void)
{
    struct cache_counts now = cache_model_counts(&tracer_hot.model);

    return cache_counts_since(&now, &tracer_state.base);
}

static double last_level_lines(void)
{
    return (double)cache_model_capacity(&tracer_hot.model, tracer_hot.model.level_nr - 1);
}

/* Accesses after which a stream would have filled the last level, but not most of a
 * small budget. */
static double min_warming(void)
{
    double min = ACCESSES_PER_LINE * last_level_lines();

    return min < tracer_state.budget / 64 ? min : tracer_state.budget / 64;
}

/*
 * What the last window left behind has gone in the meantime, if fills went on as there
 * and the last level was filled anew. Else a window at the same place of another sweep
 * over the same arrays would find its data.
 */
static void forget_if_stale(void)
{
    const struct tracer_window *last;
    double accesses, between;

    if (tracer_state.window_nr == 0)
        return;
    last = &tracer_state.window[tracer_state.window_nr - 1];
    accesses = (double)last->counts.accesses;
    between = (double)tracer_state.seen - (double)last->first - accesses;
    if ((double)last->counts.fills[tracer_hot.model.level_nr - 1] / accesses * between <
        1.25 * last_level_lines())
        return;
    cache_model_empty(&tracer_hot.model);
    tracer_others_empty();
}

static void begin_warm(void)
{
    forget_if_stale();
    begin(PHASE_WARM, min_warming() / 4);
    set_base();
    memset(&tracer_state.window[tracer_state.window_nr], 0, sizeof(struct tracer_window));
    tracer_state.cost = 0;
    tracer_state.filled = tracer_state.piece_fills = 0;
}

static void begin_count(void)
{
    struct tracer_window *window = &tracer_state.window[tracer_state.window_nr];

    begin(PHASE_COUNT, tracer_state.count / PIECES);
    memcpy(window->warm, counts_since_base().fills, sizeof(window->warm));
    tracer_others_warm(tracer_state.window_nr);
    set_base();
    window->first = tracer_state.seen;
    tracer_parts_dirty(TRACER_BEFORE, tracer_state.dirty);
    tracer_others_dirty();
    tracer_state.piece = 0;
    tracer_state.piece_at = tracer_state.base;
}

/*
 * A level that was not filled anew gives no dirty lines back: all that it drops are lines
 * of long ago. What became dirty in the window is written back some time: write-backs
 * that came, and what more there is to come at its end than at its beginning.
 */
bool tracer_settle_writebacks(struct tracer_window *window, int k, uint64_t before,
                              uint64_t left, uint64_t capacity)
{
    uint64_t all = window->counts.writebacks[k] + left;

    if (window->warm[k] >= capacity)
        return false;
    window->counts.writebacks[k] = all > before ? all - before : 0;
    return true;
}

static void count_later_writebacks(struct tracer_window *window)
{
    uint64_t left[CACHE_LEVELS_MAX];

    tracer_parts_dirty(TRACER_AFTER, left);
    for (int k = 0; k < tracer_hot.model.level_nr; k++)
        if (tracer_settle_writebacks(window, k, tracer_state.dirty[k], left[k],
                                     cache_model_capacity(&tracer_hot.model, k)))
            tracer_parts_later(tracer_state.window_nr, k, window->counts.writebacks[k]);
}

static void close_window(void)
{
    struct tracer_window *window = &tracer_state.window[tracer_state.window_nr];

    cache_model_drain(&tracer_hot.model);
    tracer_others_drain();
    window->counts = counts_since_base();
    if (!window->counts.accesses)
        return;
    tracer_parts_take(tracer_state.window_nr);
    if (tracer_state.phase == PHASE_COUNT)
        count_later_writebacks(window);
    tracer_others_take(tracer_state.window_nr, tracer_state.phase == PHASE_COUNT);
    tracer_state.window_nr++;
}

/*
 * Where the windows lie. The rest of the call is cut into as many equal parts as the rest
 * of the budget pays for windows; each window lies anywhere in its part, so that no
 * period of the loops can hide.
 */

/* 0 .. 1, spread evenly by the golden ratio: parts of a loop that is much longer than a
 * window are met in due proportion sooner than by chance. */
static double place_in_part(void)
{
    double turns = 0.5 + 0.6180339887498949 * tracer_state.window_nr;

    return turns - (double)(int)turns;
}

/* Of two numbers, without the mathematical library. */
static double less(double a, double b)
{
    return a < b ? a : b;
}

static double more(double a, double b)
{
    return a > b ? a : b;
}

/* A tenth of the time is left for ending. */
static double time_left_s(void)
{
    double left_s = tracer_state.limit_s > 0 ? 0.9 * tracer_state.limit_s -
                                                   (tracer_now_s() - tracer_state.born_s)
                                             : 1e9;

    if (tracer_state.wall_s <= 0)
        return left_s;
    return less(left_s,
                0.9 * tracer_state.wall_s - (tracer_wall_s() - tracer_state.wall_born_s));
}

/* What it takes to pass the rest of the call, as fast as it went so far. */
static double passing_s(void)
{
    double ahead = 1.02 * tracer_state.total - (double)tracer_state.seen;

    return tracer_state.passed > 0 ? ahead * tracer_state.passing_s / tracer_state.passed
                                   : 0;
}

/* Accesses that may yet be simulated: of the budget, and in the time that passing the
 * rest of the call leaves, but for a sixth of the time in any case. */
static double rest_of_budget(void)
{
    double rest = tracer_state.budget - (double)tracer_state.spent, spare_s, min_s;

    if (tracer_state.limit_s <= 0 || tracer_state.looking_s <= 0)
        return rest;
    spare_s = time_left_s() - passing_s();
    min_s = tracer_state.limit_s / 6 - tracer_state.looking_s;
    if (spare_s < min_s)
        spare_s = min_s;
    return less(rest, spare_s * tracer_state.looked / tracer_state.looking_s);
}

/* The access that can be reached in time. */
static double reach(double rest)
{
    double looking_s = tracer_state.looked > 0
                           ? more(rest, 0) * tracer_state.looking_s / tracer_state.looked
                           : 0;
    double spare_s = time_left_s() - looking_s;

    if (tracer_state.limit_s <= 0 || tracer_state.passed <= 0 || passing_s() <= spare_s)
        return tracer_state.total;
    return (double)tracer_state.seen +
           more(spare_s, 0) * tracer_state.passed / tracer_state.passing_s;
}

/* Of the next window, warming included. */
static double cost_expected(void)
{
    double usual = tracer_state.budget / WINDOWS_WANTED;

    return tracer_state.window_nr && (double)tracer_state.cost < 4 * usual
               ? (double)tracer_state.cost
               : usual;
}

static void pass_or_warm(void)
{
    if (tracer_state.target > tracer_state.seen)
        begin(PHASE_SKIP, (double)(tracer_state.target - tracer_state.seen));
    else
        begin_warm();
}

static void plan(void)
{
    double rest = rest_of_budget(), cost = cost_expected(), to = reach(rest);
    double from = tracer_state.part_end > (double)tracer_state.seen
                      ? tracer_state.part_end
                      : (double)tracer_state.seen;
    double windows = (double)(int)(rest / cost + 0.5), part;

    if (windows > TRACER_WINDOWS_MAX - tracer_state.window_nr)
        windows = TRACER_WINDOWS_MAX - tracer_state.window_nr;
    if (windows < 1 && tracer_state.window_nr < 2)
        windows = 1;
    if (!tracer_state.window_nr && tracer_state.seen && to - from < cost / 2) {
        begin_warm(); /* late, as on a busy machine: one window tells more than none */
        return;
    }
    if (windows < 1 || to - from < cost / 2) {
        begin(PHASE_TAIL, 1.02 * tracer_state.total - (double)tracer_state.seen);
        return;
    }
    part = (to - from) / windows;
    tracer_state.part_end = from + part;
    tracer_state.target =
        (uint64_t)(from + (part > cost ? part - cost : 0) * place_in_part());
    pass_or_warm();
}

/*
 * Warming.
 */

static bool all_filled_anew(const struct cache_counts *warm)
{
    for (int k = 0; k < tracer_hot.model.level_nr; k++)
        if ((double)warm->fills[k] <
            1.25 * (double)cache_model_capacity(&tracer_hot.model, k))
            return false;
    return true;
}

/* The most that may go into warming one window: the first one finds the caches empty. */
static double max_warming(void)
{
    double rest = tracer_state.budget - (double)(tracer_state.spent - tracer_state.cost);
    double max =
        tracer_state.window_nr ? tracer_state.budget / 10 : tracer_state.budget * 0.35;

    return rest * 2 / 3 < max ? rest * 2 / 3 : max;
}

/*
 * Warm: every level was filled anew. Where the last one is filled too slowly for that,
 * its contents hardly change either: enough if the fills do not become fewer from one
 * piece of warming to the next, that is, if what the loops come back to is there.
 */
static bool is_warm(void)
{
    struct cache_counts warm = counts_since_base();
    uint64_t filled = warm.fills[tracer_hot.model.level_nr - 1];
    double before = (double)tracer_state.piece_fills,
           last = (double)(filled - tracer_state.filled);
    double lack = 1.25 * last_level_lines() - (double)filled;
    double dip = 0.8 * before - last; /* beyond chance: 3 standard deviations */

    tracer_state.piece_fills = filled - tracer_state.filled;
    tracer_state.filled = filled;
    if (all_filled_anew(&warm))
        return true;
    if ((double)tracer_state.cost < min_warming() || (dip > 0 && dip * dip > 9 * before))
        return false;
    return lack * (double)tracer_state.length >
           last * (max_warming() - (double)tracer_state.cost);
}

static void go_on_warming(void)
{
    if (!is_warm() && (double)tracer_state.cost < max_warming())
        begin(PHASE_WARM, min_warming() / 4);
    else
        begin_count();
}

/*
 * Counting. How much the next window counts follows from how even this one was, never
 * from what the same window has shown: that would prefer windows without bursts.
 */

static void note_piece(void)
{
    struct cache_counts now = cache_model_counts(&tracer_hot.model);
    struct cache_counts piece = cache_counts_since(&now, &tracer_state.piece_at);

    for (int i = 0; i < 2 * tracer_hot.model.level_nr; i++) {
        double lines = (double)(i % 2 ? piece.writebacks[i / 2] : piece.fills[i / 2]);
        double *min = &tracer_state.min[i], *max = &tracer_state.max[i];

        *min = tracer_state.piece == 0 ? lines : less(*min, lines);
        *max = tracer_state.piece == 0 ? lines : more(*max, lines);
    }
    tracer_state.piece_at = now;
    tracer_state.piece++;
}

/* Pieces differ by no more than a tenth, or than counts do by chance. */
static bool was_even(void)
{
    for (int i = 0; i < 2 * tracer_hot.model.level_nr; i++) {
        double middle = (tracer_state.min[i] + tracer_state.max[i]) / 2;
        double apart = tracer_state.max[i] - tracer_state.min[i];

        if (apart > 0.1 * middle && apart * apart > 36 * middle)
            return false;
    }
    return true;
}

static void end_window(void)
{
    close_window();
    if (was_even())
        tracer_state.count = more(tracer_state.count / 2, tracer_state.budget / 80);
    else
        tracer_state.count = less(tracer_state.count * 2, tracer_state.budget / 5);
    plan();
}

static void go_on_counting(void)
{
    note_piece();
    if (tracer_state.piece < PIECES)
        begin(PHASE_COUNT, tracer_state.count / PIECES);
    else
        end_window();
}

/* Account of the phase that ends. */
static void add_phase(void)
{
    double took_s = tracer_state.sampled ? tracer_now_s() - tracer_state.phase_s : 0;

    tracer_state.seen += tracer_state.length;
    if (is_passing()) {
        tracer_state.passed += (double)tracer_state.length;
        tracer_state.passing_s += took_s;
        return;
    }
    tracer_state.cost += tracer_state.length;
    tracer_state.spent += tracer_state.length;
    tracer_state.looked += (double)tracer_state.length;
    tracer_state.looking_s += took_s;
}

static void end_if_late(void)
{
    if (tracer_state.sampled && tracer_state.window_nr && time_left_s() < 0)
        tracer_end_program("reach");
}

void tracer_next(void)
{
    add_phase();
    end_if_late();
    switch (tracer_state.phase) {
    case PHASE_WHOLE:
        close_window();
        tracer_end_program(tracer_state.total > 0 ? "beyond" : "budget");
        break;
    case PHASE_SKIP:
        if (reach(rest_of_budget()) < (double)tracer_state.target) {
            tracer_state.part_end = (double)tracer_state.seen; /* slower than it looked */
            plan();
        } else {
            pass_or_warm();
        }
        break;
    case PHASE_WARM:
        go_on_warming();
        break;
    case PHASE_COUNT:
        go_on_counting();
        break;
    case PHASE_TAIL:
        if ((double)tracer_state.seen >= 1.02 * tracer_state.total)
            tracer_end_program("beyond");
        begin(PHASE_TAIL, 1.02 * tracer_state.total - (double)tracer_state.seen);
    }
}

/* A line costs about what an access costs that is simulated: at most an eighth of them.
 */
static void recall_arrays(void)
{
    if (tracer_state.cold)
        return;
    tracer_parts_recall(&tracer_hot.model, tracer_state.budget / 8);
    tracer_others_recall(tracer_state.budget / 8);
}

void tracer_start(void)
{
    if (!tracer_state.out)
        return;
    tracer_state.call++;
    tracer_state.seen = tracer_state.spent = tracer_state.cost = 0;
    tracer_state.part_end = 0;
    tracer_state.count = tracer_state.budget / 20;
    tracer_state.window_nr = 0;
    if (tracer_state.sampled) {
        recall_arrays();
        plan();
    } else {
        begin(PHASE_WHOLE, tracer_state.total > 0 ? 1.25 * tracer_state.total + 1e5
                                                  : tracer_state.budget);
        memset(&tracer_state.window[0], 0, sizeof(struct tracer_window));
        set_base();
        tracer_others_warm(0);
    }
    if (is_passing()) /* there is no access at hand */
        tracer_hot.skip++;
    else
        tracer_hot.left++;
    tracer_here = true;
}

void tracer_stop(void)
{
    uint64_t left = is_passing() ? (uint64_t)tracer_hot.skip : tracer_hot.left;

    if (!tracer_here)
        return;
    tracer_here = false;
    tracer_hot.skip = INT64_MAX;
    tracer_state.seen += tracer_state.length - left;
    if (tracer_state.phase == PHASE_WHOLE) {
        close_window();
        if (tracer_state.call == 1) {
            tracer_parts_left(tracer_state.window[0].left);
            tracer_others_left();
        }
    } else if (tracer_state.phase == PHASE_COUNT &&
               (tracer_state.window_nr < 2 || tracer_state.piece >= PIECES / 2)) {
        close_window();
    }
    tracer_write_results("complete");
}
