/* What counters of the CPU say of the cause, and what that makes of the diagnosis. */
#include "core/base/array.h"
#include "core/base/figures.h"
#include "core/occupancy/occupancy_parts.h"

#include <stddef.h>
#include <string.h>

bool counted_put(struct counted *counted, const char *fact, struct quantity share)
{
    const struct {
        const char *fact;
        struct quantity *share;
    } row[] = {
        {"frontend_bound", &counted->front_end}, {"bad_speculation", &counted->guessed},
        {"backend_bound", &counted->back_end},   {"memory_bound", &counted->memory},
        {"core_bound", &counted->core},          {"store_bound", &counted->stores},
        {"division_bound", &counted->divider},   {"retiring", &counted->retiring},
    };
    for (size_t i = 0; i < ARRAY_SIZE(row); i++)
        if (!strcmp(row[i].fact, fact)) {
            *row[i].share = share;
            return true;
        }
    return false;
}

struct finding {
    enum cause cause;
    struct quantity share;
    const char *of;
    bool divides;
};

/* From here a share of the slots or cycles is what counts: the thresholds of Yasin 2014
 * (top-down analysis), and for what shares the back end, where it is most of that. */
static struct finding found(const struct counted *counted)
{
    const double much = 0.3, some = 0.2, most = 0.7;
    const struct {
        struct finding finding;
        double from;
        struct quantity but; /* of no more than this from: the other side */
        double below;
    } row[] = {
        {{CAUSE_ARITHMETIC, counted->divider, "the divider is busy in", true},
         most,
         {0},
         0},
        {{CAUSE_STORES, counted->stores, "the store queue is full in", false},
         some,
         {0},
         0},
        {{CAUSE_BRANCHES, counted->guessed, "work that was thrown away takes", false},
         some,
         {0},
         0},
        {{CAUSE_FRONT_END, counted->front_end, "no instructions came for", false},
         much,
         counted->back_end,
         much},
        {{CAUSE_ISSUE_WIDTH, counted->retiring, "instructions that retired fill", false},
         most,
         {0},
         0},
        {{CAUSE_ARITHMETIC, counted->core, "the execution units take", false},
         much,
         counted->memory,
         some},
    };
    for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
        bool other =
            row[i].below > 0 && !(row[i].but.known && row[i].but.value < row[i].below);
        if (row[i].finding.share.known && row[i].finding.share.value >= row[i].from &&
            !other)
            return row[i].finding;
    }
    return (struct finding){.cause = CAUSE_UNKNOWN};
}

static bool is_full(const struct occupancy *now)
{
    enum resource near = near_limit(now);
    return near != RESOURCE_NONE && is_at_limit(&now->resource[near]);
}

/* Of units that wait for a miss counters say the same as of units that are busy (Mehta
 * 2022, section IV-G: compute-bound only where neither bandwidth nor queue is full). */
static bool misses_wait(const struct occupancy *now)
{
    const double some = 0.3;
    struct quantity use =
        now->resource[now->random ? RESOURCE_L1_QUEUE : RESOURCE_L2_QUEUE].utilization;
    return use.known && use.value >= some;
}

/* What was counted goes before a guess, and casts doubt on the rest. */
static void weigh(struct diagnosis *diagnosis, const struct finding *finding)
{
    if (diagnosis->cause == finding->cause) {
        if (diagnosis->confidence < CONFIDENCE_HIGH)
            diagnosis->confidence++;
    } else if (diagnosis->confidence == CONFIDENCE_LOW) {
        diagnosis->cause = finding->cause;
        diagnosis->confidence = CONFIDENCE_MEDIUM;
        diagnosis->share = finding->share.value;
        buf_reset(&diagnosis->sentence);
        say_cause(finding->cause, "", &diagnosis->sentence);
        buf_add(&diagnosis->sentence, ".");
    } else {
        diagnosis->confidence = CONFIDENCE_LOW;
    }
}

void diagnosis_count(struct diagnosis *diagnosis, const struct occupancy *now,
                     const struct counted *counted)
{
    struct finding finding = found(counted);

    if (diagnosis->is_counted || finding.cause == CAUSE_UNKNOWN || is_full(now) ||
        (finding.cause == CAUSE_ARITHMETIC && !finding.divides && misses_wait(now)))
        return;
    weigh(diagnosis, &finding);
    diagnosis->is_counted = true;
    diagnosis->divides |= finding.divides;
    buf_addf(&diagnosis->reason, " Counters of the CPU %s: %s ",
             diagnosis->cause == finding.cause ? "say so" : "say otherwise", finding.of);
    buf_add_share_between(&diagnosis->reason, finding.share);
    buf_add(&diagnosis->reason, " of its slots or cycles.");
}
