#include "advisor/compare/versus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_read.h"
#include "core/base.h"
#include "search/session/measured.h"

/* Nothing closer to 1 is called a difference, however narrow the interval: what is left
 * of drift after interleaving (SESSION_MIN_GAIN of the search). */
static const double min_difference = 1.01;
/* Shares of the gain, as powers of it: beyond `most` it is one thing, below `little` it
 * is the other. */
static const double max = 0.8, little = 0.2;

enum { WORK_MEMORY, WORK_L2, WORK_L1, WORK_WALKS, WORK_INSTRUCTIONS, WORK_FLOPS };

const char *versus_end_word(enum versus_end end)
{
    static const char *const word[] = {"unknown", "no claim", "negligible", "faster",
                                       "slower"};
    return word[end];
}

/* ---- the ratio ---- */

static enum versus_end end_of(struct quantity ratio)
{
    if (!ratio.known)
        return VERSUS_UNKNOWN;
    if (ratio.doubted || (ratio.low <= 1 && ratio.high >= 1))
        return VERSUS_NO_CLAIM;
    if (ratio.value < min_difference && ratio.value > 1 / min_difference)
        return VERSUS_NEGLIGIBLE;
    return ratio.value > 1 ? VERSUS_FASTER : VERSUS_SLOWER;
}

static char *claim(struct quantity times, const char *word)
{
    if (times.value >= 2)
        return xasprintf("%.3g times as %s (%.3g to %.3g), certain at 95 %%", times.value,
                         !strcmp(word, "faster") ? "fast" : "slow", times.low,
                         times.high);
    return xasprintf("%s by %.2g %% (%.2g to %.2g), certain at 95 %%", word,
                     100 * (times.value - 1), 100 * (times.low - 1),
                     100 * (times.high - 1));
}

static char *ratio_sentence(const struct versus *versus)
{
    struct quantity ratio = versus->ratio;
    struct quantity slower = quantity_divide(quantity_exact(1, ratio.provenance), ratio);
    const char *name = versus->name[1];
    char *words, *sentence;
    if (ratio.doubted) {
        struct buf doubt = {0};
        buf_addf(&doubt, "The ratio of the times is ");
        add_report_doubt(&doubt, ratio.disturbed);
        buf_add(&doubt, ".");
        return buf_detach(&doubt);
    }
    switch (versus->end) {
    case VERSUS_UNKNOWN:
        return xstrdup("The two were not timed against one another.");
    case VERSUS_NO_CLAIM:
        return xasprintf("No difference larger than %.2g %% can be claimed: the 95 %% "
                         "interval of the ratio, %.4g to %.4g, holds 1.",
                         100 * (fmax(ratio.high, 1 / ratio.low) - 1), ratio.low,
                         ratio.high);
    case VERSUS_NEGLIGIBLE:
        return xasprintf("No difference that matters: the ratio of the times is %.4g "
                         "(%.4g to %.4g), and less than 1 %% may be drift.",
                         ratio.value, ratio.low, ratio.high);
    default:
        words = versus->end == VERSUS_FASTER ? claim(ratio, "faster")
                                             : claim(slower, "slower");
        sentence = xasprintf("%s is %s.", name, words);
        free(words);
        return sentence;
    }
}

/* ---- the work ---- */

static struct quantity memory_bytes(const struct traffic *traffic)
{
    return quantity_add(traffic_read_bytes(traffic), traffic_write_bytes(traffic));
}

static struct quantity work_of(const struct measurement *side,
                               const struct kernel_counts *counts, size_t which)
{
    const struct traffic *traffic = &side->traffic;
    if (which == WORK_FLOPS && !(side->has_traffic && traffic->flops.known))
        return counts->flops;
    if (!side->has_traffic || traffic->level_nr < 1)
        return quantity_unknown();
    switch (which) {
    case WORK_MEMORY:
        return memory_bytes(traffic);
    case WORK_L2:
        return traffic->level_nr > 1 ? traffic->edge[1].fills : quantity_unknown();
    case WORK_L1:
        return traffic->edge[0].fills;
    case WORK_WALKS:
        return traffic->page_walks;
    case WORK_INSTRUCTIONS:
        return traffic->instructions;
    default:
        return traffic->flops;
    }
}

static void fill_work(struct versus *versus, const struct kernel_counts counts[2])
{
    static const struct {
        const char *name, *unit;
    } rows[VERSUS_WORK_NR] = {
        [WORK_MEMORY] = {"bytes through memory", "bytes"},
        [WORK_L2] = {"lines into L2", "lines"},
        [WORK_L1] = {"lines into L1", "lines"},
        [WORK_WALKS] = {"page walks", "walks"},
        [WORK_INSTRUCTIONS] = {"instructions", "instructions"},
        [WORK_FLOPS] = {"FLOPs", "FLOP"},
    };
    for (size_t i = 0; i < VERSUS_WORK_NR; i++) {
        struct versus_work *work = &versus->work[i];
        work->name = rows[i].name;
        work->unit = rows[i].unit;
        work->before = work_of(versus->side[0], &counts[0], i);
        work->after = work_of(versus->side[1], &counts[1], i);
        work->less = quantity_divide(work->before, work->after);
        if (work->less.known && !(work->less.value > 0))
            work->less = quantity_unknown();
        work->faster = quantity_divide(versus->ratio, work->less);
    }
}

/* What the part that limits the first version works on. */
static int first_choice(const struct occupancy *now)
{
    switch (now->busiest) {
    case RESOURCE_L2_LINK:
        return WORK_L1;
    case RESOURCE_L3_LINK:
        return WORK_L2;
    case RESOURCE_PAGE_WALKERS:
        return WORK_WALKS;
    case RESOURCE_ARITHMETIC:
        return WORK_FLOPS;
    case RESOURCE_NONE:
        return WORK_INSTRUCTIONS;
    default:
        return WORK_MEMORY;
    }
}

static int decisive_of(const struct versus *versus)
{
    static const int order[] = {WORK_MEMORY, WORK_L2, WORK_L1, WORK_INSTRUCTIONS,
                                WORK_FLOPS};
    if (versus->side[0]->has_occupancy) {
        int first = first_choice(&versus->side[0]->occupancy);
        if (versus->work[first].faster.known)
            return first;
    }
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        if (versus->work[order[i]].faster.known)
            return order[i];
    return -1;
}

/* ---- less work or faster work ---- */

static void add_n(const struct versus *versus, struct buf *out)
{
    struct quantity n[2];
    for (size_t i = 0; i < 2; i++) {
        if (!versus->side[i]->has_occupancy)
            return;
        n[i] = versus->side[i]->occupancy.paper_n;
    }
    if (n[0].known && n[1].known)
        buf_addf(out, " Lines in flight per core: %.3g before, %.3g after.", n[0].value,
                 n[1].value);
}

/* "2.1x fewer bytes through memory"; below 1 the other way round. */
static char *amount(const struct versus_work *work)
{
    double less = work->less.value;
    if (fabs(log(less)) < log(1.02))
        return xasprintf("as many %s", work->name);
    return xasprintf("%.3gx %s %s", less > 1 ? less : 1 / less,
                     less > 1 ? "fewer" : "more", work->name);
}

static char *pace(const struct versus_work *work)
{
    if (fabs(log(work->faster.value)) < log(1.02))
        return xstrdup("at the same rate");
    return xasprintf("at %.3gx the rate", work->faster.value);
}

static const char *kind_of(const struct versus *versus, double share)
{
    bool faster = versus->end == VERSUS_FASTER;
    if (share > 1 / max)
        return faster ? "Less work, done more slowly" : "More work, done faster";
    if (share >= max)
        return faster ? "Less work" : "More work";
    if (share < -little)
        return faster ? "Faster work, in spite of more of it"
                      : "Slower work, in spite of less of it";
    if (share <= little)
        return faster ? "Faster work" : "Slower work";
    return faster ? "Both less work and faster work" : "Both more work and slower work";
}

static char *work_sentence(const struct versus *versus)
{
    struct buf text = {0};
    if (versus->decisive < 0 ||
        (versus->end != VERSUS_FASTER && versus->end != VERSUS_SLOWER))
        return NULL;
    const struct versus_work *work = &versus->work[versus->decisive];
    double share = log(work->less.value) / log(versus->ratio.value);
    char *much = amount(work), *rate = pace(work);
    buf_addf(&text, "%s: %s, %s.", kind_of(versus, share), much, rate);
    if (versus->decisive == WORK_MEMORY)
        add_n(versus, &text);
    free(much);
    free(rate);
    return buf_detach(&text);
}

void versus_make(const char *const name[2], const struct measurement *const side[2],
                 const struct kernel_counts counts[2], struct quantity ratio,
                 struct versus *out)
{
    *out = (struct versus){.name = {name[0], name[1]},
                           .side = {side[0], side[1]},
                           .ratio = ratio,
                           .end = end_of(ratio)};
    fill_work(out, counts);
    out->decisive = decisive_of(out);
    out->ratio_sentence = ratio_sentence(out);
    out->work_sentence = work_sentence(out);
}

void versus_release(struct versus *versus)
{
    free(versus->ratio_sentence);
    free(versus->work_sentence);
    *versus = (struct versus){0};
}
