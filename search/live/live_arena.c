/* The live runner: the arena, and questions put to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/process/spawn.h"
#include "core/process/term.h"
#include "search/live/live_parts.h"

/* What takes so many times less or longer than any call of the reference, of which four
 * are known or as many as take `known_s`, is not what chance makes of one that takes as
 * long; for a first call that takes less than `short_s`, since it finds caches and pages
 * that later ones do not. */
static const double surely = 1.25, surely_one = 2, surely_short = 4, short_s = 0.02,
                    known_s = 0.5;
/* Of the reference, so long that its first call in an arena is the sample. */
static const double single_s = 1;
enum { CALLS_KNOWN = 4 };
/* Settling calls of a side: quick answers make do with less than comparisons in the end.
 */
static const double settle_s = 0.01;
/* The fewest that there is an answer from. */
enum { PAIRS_FIRST = 3, PAIRS_MAX = 512 };

static int open_arena(struct live *live, struct error *err)
{
    static const struct environment plain = {0}; /* the arena keeps its words */
    struct run_place place = {0};
    struct run_opts opts = live_run_opts(live);
    struct built *original;
    char *path = NULL;
    if (live->arena || live->no_arena)
        return 0;
    if (live_place(live, &plain, &place, err) ||
        live_built_get(live, &(struct candidate){"", plain}, &original, err) ||
        live_library(live, original, err))
        return -1;
    if (live->no_arena)
        return 0;
    if (variant_build_arena(live->opts.kernel, live->opts.toolchain, live->opts.scratch,
                            &path, err))
        return -1;
    struct run_program program = {path, &live->args, false, &place};
    int status = run_arena_open(&program, &opts, &live->arena, err);
    free(path);
    return status;
}

void live_leave_arena(struct live *live)
{
    run_arena_close(live->arena);
    live->arena = NULL;
    live->no_arena = false;
}

void live_rest(struct live *live)
{
    double bytes =
        kernel_counts(live->opts.kernel).footprint_bytes * (double)live->copies;
    if (live->arena && 2 * bytes > 0.5 * memory_available_bytes())
        run_arena_rest(live->arena);
}

/* ---- a question ---- */

struct asking {
    struct live *live;
    const struct live_question *question;
    const char *library[2];
    double began_s;
    bool of_reference; /* side[0] is it */
    size_t noted;      /* calls of it, of result[0] */
};

static double left_s(const struct asking *asking)
{
    return asking->question->seconds - (clock_s() - asking->began_s);
}

/* Enough calls of the reference, and side[0] is it. */
static bool by_reference(const struct asking *asking)
{
    const struct live *live = asking->live;
    size_t calls = live->reference.calls;
    return asking->of_reference &&
           (calls >= CALLS_KNOWN ||
            (calls > 1 && (double)calls * live->reference.shortest_s >= known_s));
}

static double first_limit_s(const struct asking *asking)
{
    double longest_s = asking->live->reference.longest_s;
    if (asking->question->stop_at_s <= 0 || !by_reference(asking))
        return 0;
    return longest_s < short_s ? fmax(surely_short * longest_s, 2 * short_s)
                               : surely * longest_s;
}

/* Where everything is disturbed, as on a busy machine, all calls count: those of the
 * reference then span as much. */
static bool are_disturbed(const struct run_sample *sample, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (!sample[i].disturbed)
            return false;
    return true;
}

/* Long calls need no settling: the first one counts, too, if it is none of the samples.
 */
static bool is_another_call(const struct run_result *other, double shortest_s)
{
    return shortest_s >= short_s && other->warm_s < surely * shortest_s &&
           (other->sample_nr != 1 || other->warm_s != other->sample[0].seconds);
}

/* Two calls, or one by the more. */
static enum run_verdict judge_by_calls(const struct asking *asking,
                                       const struct run_result *other)
{
    const struct live *live = asking->live;
    double shortest_s = INFINITY, longest_s = 0;
    bool all = are_disturbed(other->sample, other->sample_nr);
    size_t nr = 0;
    if (!by_reference(asking) || !asking->question->gains)
        return RUN_VERDICT_UNDECIDED;
    for (size_t i = 0; i < other->sample_nr; i++) {
        if (other->sample[i].disturbed && !all)
            continue;
        shortest_s = fmin(shortest_s, other->sample[i].seconds);
        longest_s = fmax(longest_s, other->sample[i].seconds);
        nr++;
    }
    nr += nr > 0 && is_another_call(other, shortest_s);
    if (nr == 0)
        return RUN_VERDICT_UNDECIDED;
    double times = nr > 1 ? surely : surely_one;
    return longest_s * times < live->reference.shortest_s   ? RUN_VERDICT_FASTER
           : shortest_s > times * live->reference.longest_s ? RUN_VERDICT_SLOWER
                                                            : RUN_VERDICT_UNDECIDED;
}

double live_kill_s(const struct live *live, const struct live_question *question)
{
    double general_s = live->opts.launch_limit_s > 0 ? live->opts.launch_limit_s : 60,
           reference_s = live->reference.plan ? live->reference.time_s.value : 0,
           own_s = 2 * live->fill_s + 1 + question->seconds + 4 * question->stop_at_s +
                   8 * reference_s;
    return question->stop_at_s > 0 && live->launch_s > 0 ? fmin(own_s, general_s)
                                                         : general_s;
}

/* 0 = side[0] is not the reference. */
static double reference_call_s(const struct asking *asking)
{
    return asking->of_reference ? asking->live->reference.time_s.value : 0;
}

/* Of such calls one of each side is asked at a time. */
static bool is_single(const struct asking *asking)
{
    return reference_call_s(asking) >= single_s && !asking->question->pairs;
}

/* As many more pairs as there were, or as take no longer than to ask again; none that
 * there is no time for. */
static size_t next_pairs(const struct asking *asking, size_t done)
{
    double each_s = (clock_s() - asking->began_s) / (double)done,
           room = left_s(asking) / fmax(each_s, 1e-6);
    size_t next = is_single(asking)    ? 1
                  : done < PAIRS_FIRST ? PAIRS_FIRST - done
                  : each_s >= short_s  ? 2
                  : done < PAIRS_MAX   ? done
                                       : PAIRS_MAX;
    if (room < 1)
        return 0;
    if (room < (double)next)
        next = (size_t)room;
    return next;
}

static bool is_answered(const struct asking *asking, enum run_verdict verdict,
                        const struct run_result result[2], struct quantity ratio)
{
    const struct live_question *question = asking->question;
    if (question->gains && !ratio.doubted &&
        run_is_hopeless(&result[0], &result[1], 1 + run_equal_within))
        return true;
    if (question->within <= 0 || verdict == RUN_VERDICT_SLOWER)
        return verdict != RUN_VERDICT_UNDECIDED;
    return !ratio.doubted && ratio.high < ratio.low * (1 + question->within);
}

static size_t first_pairs(const struct asking *asking)
{
    size_t pairs = asking->question->pairs;
    return pairs ? pairs : reference_call_s(asking) >= short_s ? 1 : PAIRS_FIRST;
}

void live_note_calls(struct live *live, const struct run_sample *sample, size_t nr)
{
    bool all = are_disturbed(sample, nr);
    for (size_t i = 0; i < nr; i++) {
        double seconds = sample[i].seconds;
        if (sample[i].disturbed && !all)
            continue;
        live->reference.shortest_s =
            live->reference.calls++ ? fmin(live->reference.shortest_s, seconds) : seconds;
        live->reference.longest_s = fmax(live->reference.longest_s, seconds);
    }
}

static void note_calls(struct asking *asking, const struct run_result *reference)
{
    size_t nr = reference->sample_nr;
    if (!asking->of_reference)
        return;
    if (nr > asking->noted)
        live_note_calls(asking->live, reference->sample + asking->noted,
                        nr - asking->noted);
    asking->noted = nr;
}

/* Half of it is less than a first call of the reference then. */
static double first_time_s(const struct asking *asking)
{
    double max_s = asking->question->seconds;
    return is_single(asking) ? fmin(1.5 * reference_call_s(asking), max_s) : max_s;
}

/* The processes' start, a call of the reference, and so long a call of the other that it
 * is slower. */
static double first_kill_s(const struct asking *asking)
{
    const struct live *live = asking->live;
    double kill_s = live_kill_s(live, asking->question);
    if (!is_single(asking) || asking->question->stop_at_s <= 0)
        return kill_s;
    return fmin(kill_s, 2 * live->fill_s + 1 +
                            (1 + surely_one) * surely * reference_call_s(asking));
}

static int take_turns(struct asking *asking, struct run_result result[2],
                      struct live_answer *answer, struct error *err)
{
    struct live *live = asking->live;
    struct run_turns how = {.pairs = first_pairs(asking),
                            .settle_s = settle_s,
                            .limit_s = first_time_s(asking),
                            .kill_s = first_kill_s(asking),
                            .first_limit_s = first_limit_s(asking),
                            .stop_ratio = live->reference.plan
                                              ? fmax(asking->question->stop_at_s, 0) /
                                                    live->reference.time_s.value
                                              : 0};
    do {
        if (run_arena_turns(live->arena, asking->library, &how, result, err))
            return -1;
        note_calls(asking, &result[0]);
        if (result[0].outcome != RUN_OUTCOME_OK || result[1].outcome != RUN_OUTCOME_OK)
            return 0;
        answer->verdict =
            run_judge(&result[0], &result[1], asking->question->error, &answer->ratio);
        if (answer->verdict == RUN_VERDICT_UNDECIDED && !answer->ratio.doubted)
            answer->verdict = judge_by_calls(asking, &result[1]);
        if (asking->question->pairs ||
            is_answered(asking, answer->verdict, result, answer->ratio))
            return 0;
        how.pairs = next_pairs(asking, result[0].sample_nr);
        how.limit_s = left_s(asking);
        how.kill_s = live_kill_s(live, asking->question);
    } while (how.pairs > 0 && how.limit_s > 0 && !spawn_interrupted());
    return 0;
}

/* What was killed because it is slow is not. */
static bool is_broken(const struct live_question *question,
                      const struct run_result result[2])
{
    for (int i = 0; i < 2; i++)
        if (result[i].outcome != RUN_OUTCOME_OK &&
            !(result[i].outcome == RUN_OUTCOME_TIMED_OUT && question->stop_at_s > 0) &&
            result[i].outcome != RUN_OUTCOME_STOPPED &&
            result[i].outcome != RUN_OUTCOME_NOT_RUN &&
            result[i].outcome != RUN_OUTCOME_INTERRUPTED)
            return true;
    return false;
}

static void forget(struct run_result result[2])
{
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

/* What breaks in processes that others have run in may be what those have broken. */
static int take_turns_surely(struct asking *asking, struct run_result result[2],
                             struct live_answer *answer, struct error *err)
{
    int status = take_turns(asking, result, answer, err);
    if (status || !is_broken(asking->question, result) ||
        run_arena_is_fresh(asking->live->arena))
        return status;
    forget(result);
    asking->began_s = clock_s();
    asking->noted = 0;
    return take_turns(asking, result, answer, err);
}

static bool is_reference(const struct live *live, const struct built *built)
{
    return live->reference.plan && built->parsed &&
           !strcmp(built->plan, live->reference.plan);
}

static int build_sides(struct live *live, const struct live_question *question,
                       bool *there, struct error *err)
{
    *there = false;
    if (open_arena(live, err))
        return -1;
    for (int i = 0; live->arena && i < 2; i++)
        if (live_library(live, question->side[i], err))
            return -1;
    *there = live->arena && question->side[0]->library && question->side[1]->library;
    return 0;
}

int live_ask(struct live *live, const struct live_question *question,
             struct run_result result[2], struct live_answer *answer, struct error *err)
{
    struct asking asking = {.live = live,
                            .question = question,
                            .began_s = clock_s(),
                            .of_reference = is_reference(live, question->side[0])};
    bool there;
    *answer = (struct live_answer){.ratio = quantity_unknown()};
    result[0] = result[1] = (struct run_result){0};
    if (build_sides(live, question, &there, err))
        return -1;
    if (!there)
        return 0;
    for (int i = 0; i < 2; i++)
        asking.library[i] = question->side[i]->library;
    if (take_turns_surely(&asking, result, answer, err)) {
        forget(result);
        return -1;
    }
    live_note_start(live, &result[0]);
    if (result[0].outcome != RUN_OUTCOME_OK) {
        forget(result);
        return 0;
    }
    live->judged_nr++;
    live->judged_s += clock_s() - asking.began_s;
    answer->done = true;
    return 0;
}
