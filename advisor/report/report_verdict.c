#include "advisor/report/report_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_read.h"
#include "core/base.h"
#include "core/base/figures.h"
#include "core/base/text.h"
#include "core/cause/cause.h"
#include "core/occupancy/occupancy.h"
#include "core/process/account.h"
#include "rules/rules.h"
#include "search/session/advice.h"
#include "search/session/session.h"
#include "variants/plan/plan.h"

/* Of documents that do not say how far a rule is to be trusted. */
static const double usual_trust = 0.3;

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, struct buf *text)
{
    set(object, key, text->length ? json_string(buf_str(text)) : json_null());
    buf_release(text);
}

/* ---- one gain for each plan ---- */

static json_t *variants(const json_t *report)
{
    return json_object_get(report, "variants");
}

static const json_t *environment_of(const json_t *variant)
{
    return json_object_get(variant, "environment");
}

static json_t *variant_of(const json_t *report, const char *plan)
{
    json_t *variant;
    const json_t *around = environment_of(json_array_get(variants(report), 0));
    size_t i;
    json_array_foreach(variants(report), i, variant)
        if (!strcmp(report_word(variant, "plan"), plan) &&
            (environment_of(variant) == around ||
             json_equal(environment_of(variant), around)))
            return variant;
    return NULL;
}

const json_t *report_plan_gain(const json_t *report, const char *plan)
{
    return report_quantity(variant_of(report, plan), "gain");
}

static struct quantity time_of(const json_t *measurement)
{
    const json_t *time = report_quantity(measurement, "time_ns");
    double median = report_figure(time, "median");
    if (isnan(median) || strcmp(report_word(measurement, "outcome"), "ok"))
        return quantity_unknown();
    return quantity_between(median, report_figure(time, "low"),
                            report_figure(time, "high"), 0, PROVENANCE_CLOCK);
}

/* By the times alone, as earlier versions had it. */
static json_t *gain_by_times(const json_t *report, const json_t *variant)
{
    struct quantity base = time_of(json_array_get(variants(report), 0)),
                    time = time_of(variant);
    return json_quantity(base.known && time.known ? quantity_divide(base, time)
                                                  : quantity_unknown());
}

static bool is_told(const json_t *gain)
{
    return gain && report_is_believed(gain);
}

/* The gain of the written file is what its user gets; where that comparison was too short
 * to tell, it is that of all comparisons of the search. */
static const json_t *told_gain(const json_t *report)
{
    const double wide = 2;
    const json_t *last = report_quantity(report, "source_gain"),
                 *all = report_quantity(report, "session_gain");
    double low = report_figure(last, "low"), high = report_figure(last, "high");
    bool is_wide = !(high / low < wide) || report_is_noise(low, high);
    return all && (!last || (is_told(last) && is_wide)) ? all : last;
}

const json_t *report_gain(const json_t *report)
{
    return report_has(json_object_get(report, "best"), "plan") ? told_gain(report) : NULL;
}

static void settle_variants(const json_t *report)
{
    const char *best = report_word(json_object_get(report, "best"), "plan");
    const json_t *gain = report_gain(report);
    json_t *variant;
    size_t i;
    json_array_foreach(variants(report), i, variant)
        if (!json_object_get(variant, "gain"))
            set(variant, "gain", gain_by_times(report, variant));
    if (gain && variant_of(report, best))
        set(variant_of(report, best), "gain", json_deep_copy(gain));
}

static bool is_gain(const json_t *gain)
{
    return is_told(gain) && report_figure(gain, "low") > 1 &&
           report_figure(gain, "value") >= SESSION_MIN_GAIN;
}

/* ---- how sure ---- */

/* Of a gain: by how far its interval reaches. */
static const char *sureness(const json_t *gain)
{
    const double narrow = 1.25, wide = 2;
    struct quantity ratio = report_value(gain);
    if (ratio.doubted || !(ratio.low > 0) || !(ratio.high / ratio.low < wide) ||
        (ratio.low <= 1 && ratio.high > SESSION_MIN_GAIN * SESSION_MIN_GAIN))
        return "low";
    return ratio.high / ratio.low <= narrow ? "high" : "medium";
}

/* What was not tried is no surer than the diagnosis that it rests on. */
static const char *advice_sureness(const json_t *report, const json_t *advice,
                                   const json_t *bound)
{
    const char *cause = report_word(json_object_get(report, "cause"), "confidence");
    if (report_quantity(advice, "gain"))
        return sureness(report_quantity(advice, "gain"));
    if (report_true(advice, "undecided") || !bound || !strcmp(cause, "low"))
        return "low";
    return report_figure(bound, "low") > SESSION_MIN_GAIN && !strcmp(cause, "high")
               ? "high"
               : "medium";
}

/* ---- advice ---- */

/* In their order in a report. */
static const char *const classes[] = {"gained",          "try",         "allow",
                                      "no gain",         "slower",      "no use",
                                      "not recommended", "not possible"};

/* Of the plan that the verdict was given for. */
static double gain_over(const json_t *report, const json_t *advice)
{
    double gain =
        report_figure(report_plan_gain(report, report_word(advice, "over")), "value");
    return gain > 0 ? gain : 1;
}

static const char *kept_plan(const json_t *report)
{
    return report_word(json_object_get(report, "best"), "plan");
}

static bool is_in_plan(const json_t *advice)
{
    const struct rule_transformation *row =
        transformation_find(report_word(advice, "transformation"));
    return row && row->in_plan;
}

/* Plans that compute the same: those are what the certificate bounds. */
static bool is_bounded(const json_t *advice)
{
    return is_in_plan(advice) && strcmp(report_word(advice, "verdict"), "allow");
}

static double kept_gain(const json_t *report, const char *end)
{
    double gain = report_figure(report_gain(report), end);
    return gain > 1 ? gain : 1;
}

/* What a plan must beat to be worth a try: that which its verdict was given for, and the
 * one that was kept. */
static double gain_to_beat(const json_t *report, const json_t *advice)
{
    double over = gain_over(report, advice);
    return is_in_plan(advice) ? fmax(over, kept_gain(report, "value")) : over;
}

/* Over the kernel as written, and no more than any plan can give; unknown = no bound, or
 * more was measured. */
static struct quantity most_of(const json_t *report, const json_t *advice)
{
    const json_t *bound = report_quantity(advice, "bound_speedup"),
                 *gain = report_quantity(advice, "gain"),
                 *left = json_object_get(report, "left");
    struct quantity any = report_value(report_quantity(left, "least_work_bound")),
                    most = quantity_unknown();
    if (bound)
        most = quantity_scale(report_value(bound), gain_over(report, advice));
    double all = any.high * kept_gain(report, "value");
    if (any.known && is_bounded(advice) && !(most.value <= all))
        most = quantity_between(all, any.low, any.high * kept_gain(report, "high"), 0,
                                PROVENANCE_DERIVED);
    return gain && report_figure(gain, "value") > most.value ? quantity_unknown() : most;
}

static double expected_of(const json_t *report, const json_t *advice,
                          struct quantity most)
{
    const json_t *bound = report_quantity(advice, "bound_speedup");
    double trust = report_figure(advice, "trust"),
           expected = gain_over(report, advice) *
                      advice_expected(bound ? report_value(bound) : quantity_unknown(),
                                      isnan(trust) ? usual_trust : trust);
    return fmin(expected, most.value); /* the other one of NAN */
}

/* Of what was not tried; *why not, where that is its class. */
static const char *class_of_untried(const json_t *report, const json_t *advice,
                                    struct quantity most, const char **why)
{
    const char *verdict = report_word(advice, "verdict");
    double beats = gain_to_beat(report, advice);
    if (!strcmp(verdict, "try") && report_true(advice, "refused"))
        return "not possible";
    if (strcmp(verdict, "try") && strcmp(verdict, "allow"))
        return !strcmp(verdict, "stop") ? "no use" : "not recommended";
    if (most.value < ADVICE_MIN_BOUND * beats) {
        *why = "not tried: no more than there is can come of it";
        return "no use";
    }
    if (report_true(json_object_get(report, "left"), "helpless") && is_bounded(advice))
        *why = "not tried: what limits the loop is at its limit as far as can be told";
    else if (expected_of(report, advice, most) < SESSION_MIN_GAIN * beats)
        *why = beats > 1 ? "not tried: less is expected of it than there is"
                         : "not tried: hardly anything is expected of it";
    return *why ? "not recommended" : verdict;
}

/* Beyond what the plan that it was tried on has: by the comparison with that, where there
 * was one. */
static bool adds(const json_t *report, const json_t *advice)
{
    const json_t *gain = report_quantity(advice, "gain"),
                 *alone = report_quantity(advice, "measured_speedup");
    if (!is_gain(gain))
        return false;
    return alone && report_has(advice, "over")
               ? is_gain(alone)
               : report_figure(gain, "value") >=
                     SESSION_MIN_GAIN * gain_over(report, advice);
}

static const char *class_of(const json_t *report, const json_t *advice, bool is_tried,
                            struct quantity most, const char **why)
{
    const json_t *gain = report_quantity(advice, "gain");
    bool is_try = !strcmp(report_word(advice, "verdict"), "try");
    if (adds(report, advice) && (is_try || report_true(advice, "contradicted")))
        return "gained";
    if (gain || (is_try && is_tried))
        return gain && report_figure(gain, "high") < 1 ? "slower" : "no gain";
    return class_of_untried(report, advice, most, why);
}

static bool is_class(const json_t *advice, const char *class)
{
    return !strcmp(report_word(advice, "verdict_text"), class);
}

static void settle_expected(const json_t *report, json_t *advice, struct quantity most)
{
    const json_t *gain = report_quantity(advice, "gain");
    if (gain)
        set(advice, "expected", json_deep_copy(gain));
    else if (report_is_untried(advice) || is_class(advice, "not possible"))
        set(advice, "expected",
            json_quantity(quantity_between(expected_of(report, advice, most), -INFINITY,
                                           INFINITY, 0, PROVENANCE_DERIVED)));
    else
        set(advice, "expected", json_null());
}

static bool is_pages(const json_t *advice)
{
    return !strcmp(report_word(advice, "transformation"), "hugepages");
}

/* The plan that was tried for the advice, or that happens to have been measured; "" =
 * none. */
static const char *tried_for(const json_t *report, const json_t *advice)
{
    const char *plan = report_word(advice, "plan");
    if (report_has(advice, "tried_plan"))
        return report_word(advice, "tried_plan");
    return *plan && variant_of(report, plan) ? plan : "";
}

/* What is in the plan that was kept is not advised against, nor to be tried, whatever
 * came of it when it was tried; and what all measurements say goes before that. */
static void settle_outcome(const json_t *report, json_t *advice)
{
    const char *verdict = report_word(advice, "verdict");
    const json_t *then = report_quantity(advice, "measured_speedup");
    bool gained = is_class(advice, "gained");
    if (is_pages(advice) || (gained && (!then || is_gain(then))))
        return;
    if (plan_follows(kept_plan(report), report_word(advice, "transformation"))) {
        set(advice, "gain", json_deep_copy(report_gain(report)));
        set(advice, "plan", json_string(kept_plan(report)));
        set(advice, "verdict_text", json_string("gained"));
        set(advice, "outcome", json_string("kept as a step of the plan"));
        set(advice, "contradicted",
            json_boolean(strcmp(verdict, "try") && strcmp(verdict, "allow")));
    } else if (gained) {
        set(advice, "outcome",
            json_string("faster by all that was measured, though not when it was tried"));
    } else if (report_quantity(advice, "gain") &&
               (is_gain(then) ||
                (report_true(advice, "contradicted") && strcmp(verdict, "try")))) {
        set(advice, "outcome",
            json_string("no faster by all that was measured, though when it was tried"));
    }
}

static void settle_one(const json_t *report, json_t *advice)
{
    const char *tried = tried_for(report, advice);
    const json_t *gain = is_pages(advice) ? report_quantity(report, "environment_gain")
                         : *tried         ? report_plan_gain(report, tried)
                                          : NULL;
    set(advice, "gain", gain ? json_deep_copy(gain) : json_null());
    const char *why = NULL;
    set(advice, "verdict_text",
        json_string(
            class_of(report, advice, *tried != 0, most_of(report, advice), &why)));
    if (*tried && !is_pages(advice))
        set(advice, "plan", json_string(tried));
    else if (!report_has(advice, "plan"))
        set(advice, "plan", json_null());
    if (why && !report_has(advice, "outcome"))
        set(advice, "outcome", json_string(why));
    settle_outcome(report, advice);
    struct quantity most = most_of(report, advice);
    json_t *bound = json_quantity(most);
    set(advice, "confidence",
        json_string(
            advice_sureness(report, advice, json_is_object(bound) ? bound : NULL)));
    settle_expected(report, advice, most);
    json_decref(bound);
    /* a bound that is believed no more says nothing */
    set(advice, "most",
        json_quantity(most.value <= ADVICE_MAX_BOUND ? most : quantity_unknown()));
}

/* What is to be tried and what is to be allowed stand in one list, by what they promise.
 */
static size_t class_rank(const json_t *advice)
{
    size_t i = 0;
    if (report_is_untried(advice))
        return 1;
    while (i < ARRAY_SIZE(classes) &&
           strcmp(classes[i], report_word(advice, "verdict_text")))
        i++;
    return i;
}

static int by_promise(const void *a, const void *b)
{
    const json_t *left = *(json_t *const *)a, *right = *(json_t *const *)b;
    size_t x = class_rank(left), y = class_rank(right);
    double more = fmax(report_figure(report_quantity(right, "expected"), "value"), 0),
           less = fmax(report_figure(report_quantity(left, "expected"), "value"), 0);
    if (x != y)
        return x < y ? -1 : 1;
    if (more != less)
        return more > less ? 1 : -1;
    /* one plan: first what was advised, not a step that it needs */
    return report_true(left, "contradicted") - report_true(right, "contradicted");
}

static void settle_advice(json_t *report)
{
    const json_t *list = json_object_get(report, "advice");
    size_t nr = json_array_size(list);
    json_t **item = xcalloc(nr + 1, sizeof(json_t *)), *sorted = json_array();
    for (size_t i = 0; i < nr; i++) {
        item[i] = json_array_get(list, i);
        settle_one(report, item[i]);
    }
    qsort(item, nr, sizeof(json_t *), by_promise);
    for (size_t i = 0; i < nr; i++)
        json_array_append(sorted, item[i]);
    free(item);
    set(report, "advice", sorted);
}

/* ---- what limits it ---- */

static const char *at_limit(enum resource resource)
{
    if (resource == RESOURCE_PAGE_WALKERS)
        return "page walks (TLB misses)";
    return resource < RESOURCE_NONE ? resource_phrase(resource) : NULL;
}

/* Nothing is at its limit, and no cause was found: what comes closest. */
static char *busiest_phrase(const json_t *report)
{
    const json_t *analysis =
        json_object_get(json_object_get(report, "baseline"), "analysis");
    enum resource busiest = resource_from_word(report_word(analysis, "busiest"));
    if (busiest == RESOURCE_NR || busiest == RESOURCE_NONE)
        return xstrdup("no single resource");
    return xasprintf("no single resource; the busiest is %s", resource_phrase(busiest));
}

char *report_limit_phrase(const json_t *report)
{
    const json_t *cause = json_object_get(report, "cause");
    if (!report_has(cause, "sentence"))
        return xstrdup("what was not measured");
    enum cause found = cause_from_word(report_word(cause, "cause"));
    return found == CAUSE_UNKNOWN || found == CAUSE_NR ? busiest_phrase(report)
                                                       : xstrdup(cause_phrase(found));
}

/* ---- what keys of the document are called ---- */

static void settle_names(json_t *report)
{
    json_t *names = json_object();
    for (int r = 0; r < RESOURCE_NONE; r++) {
        const char *name = at_limit((enum resource)r);
        set(names, resource_word((enum resource)r),
            json_string(name + (text_begins(name, "the ") ? strlen("the ") : 0)));
    }
    for (int i = 0; i < ACCOUNT_NR; i++)
        set(names, account_key((enum account)i),
            json_string(account_meaning((enum account)i)));
    set(report, "names", names);
}

/* ---- the verdict ---- */

/* Neither a gain nor that there is none can be told. */
static bool is_doubted(const json_t *report)
{
    const json_t *source = report_quantity(report, "source_gain");
    return source && !report_is_believed(source);
}

/* What promises most of those that need the user's permission, or that could not be shown
 * to be legal; NULL = nothing promises as much as is worth a headline. */
static const json_t *first_of(const json_t *report, const char *class)
{
    const json_t *advice;
    size_t i;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (!strcmp(report_word(advice, "verdict_text"), class))
            return report_is_promising(advice) ? advice : NULL;
    return NULL;
}

/* What promises most of what was not tried; NULL = nothing does. */
const json_t *report_first_untried(const json_t *report)
{
    const json_t *advice;
    size_t i;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (report_is_untried(advice))
            return advice;
    return NULL;
}

static bool any_to_try(const json_t *report)
{
    return report_first_untried(report) || first_of(report, "not possible");
}

static const char *kind_of(const json_t *report)
{
    if (report_gain(report))
        return "faster";
    if (!report_quantity(json_object_get(report, "baseline"), "time_ns") ||
        is_doubted(report))
        return "unknown";
    if (report_is_advice(report))
        return "advice";
    if (is_gain(report_quantity(report, "environment_gain")))
        return "setting";
    return any_to_try(report) ? "untried" : "nothing";
}

static void add_gain_claim(struct buf *out, const json_t *gain)
{
    if (!report_is_believed(gain)) {
        buf_add(out, "faster, but the machine was too busy to tell by how much,");
        return;
    }
    if (report_is_noise(report_figure(gain, "low"), report_figure(gain, "high")))
        buf_add(out, "perhaps ");
    buf_add_ratio_value(out, report_value(gain));
    buf_add(out, " faster");
}

/* "not tried: accumulators (about 2.9x expected), tile". False = nothing that is expected
 * to pay. */
static bool add_untried(const json_t *report, struct buf *out)
{
    enum { NAMED_MAX = 3 };
    const json_t *advice;
    size_t i, named = 0;
    json_array_foreach(json_object_get(report, "advice"), i, advice)
        if (report_is_untried(advice) && named < NAMED_MAX) {
            buf_addf(out, "%s%s%s",
                     named ? ", " : "not tried: ", report_word(advice, "transformation"),
                     report_true(advice, "by_hand") ? " by hand" : "");
            if (!named++ && report_is_promising(advice)) {
                buf_add(out, " (");
                add_report_expected(out, advice);
                buf_add(out, " expected)");
            }
        }
    return named > 0;
}

/* What looks faster by what was measured of it, though nothing was kept; NULL = nothing
 * does. */
static const json_t *fastest_look(const json_t *report)
{
    const json_t *variant, *found = NULL;
    double most = 0;
    size_t i;
    json_array_foreach(variants(report), i, variant) {
        const json_t *gain = report_quantity(variant, "gain");
        if (variant != variant_of(report, report_word(variant, "plan")) ||
            !is_gain(gain) || report_figure(gain, "value") <= most)
            continue;
        found = variant;
        most = report_figure(gain, "value");
    }
    return found;
}

/* The rules were not asked, and nothing but the kernel as written was judged. */
static bool is_unsearched(const json_t *report)
{
    return !json_array_size(json_object_get(report, "advice")) &&
           json_array_size(variants(report)) <= 1;
}

static void add_why_nothing(const json_t *report, bool any_untried, struct buf *out)
{
    const json_t *looked = fastest_look(report);
    bool helpless = report_true(json_object_get(report, "left"), "helpless"),
         interrupted = report_true(report, "interrupted");
    if (helpless && !any_untried && !looked && !interrupted) {
        buf_add(out, "nothing helps here: the code is already at its limit");
        return;
    }
    bool ended = interrupted || report_true(report, "used_up");
    if (is_unsearched(report) && !interrupted) {
        buf_addf(out, "no plan was tried%s", ended ? " in the time given" : "");
        return;
    }
    if (!ended && !any_untried && !looked) {
        buf_add(out, "nothing to gain: no plan is faster beyond the noise");
        return;
    }
    buf_addf(out, "nothing faster was %s%s", looked ? "confirmed" : "found",
             interrupted ? " before the search was interrupted"
             : ended     ? " in the time given"
                         : "");
    if (!looked)
        return;
    buf_addf(out, "; %s looked ", report_word(looked, "plan"));
    add_gain_claim(out, report_quantity(looked, "gain"));
}

/* Than `other`; NULL promises nothing. */
static bool promises_more(const json_t *advice, const json_t *other)
{
    return advice && report_figure(report_quantity(advice, "expected"), "value") >
                         report_figure(report_quantity(other, "expected"), "value");
}

static void add_nothing(const json_t *report, struct buf *out)
{
    const json_t *first = first_of(report, "allow"),
                 *to_try = report_first_untried(report),
                 *refused = first_of(report, "not possible");
    struct buf untried = {0};
    bool any = add_untried(report, &untried);
    if (first && first == to_try) {
        buf_addf(out, "nothing faster as things stand; %s, ",
                 report_word(first, "transformation"));
        add_report_expected(out, first);
        buf_add(out, " expected, needs your permission");
    } else if (refused && !promises_more(to_try, refused)) {
        buf_addf(out, "not tried: %s, ", report_word(refused, "transformation"));
        add_report_expected(out, refused);
        buf_add(out, " expected, could not be shown to be legal");
    } else {
        add_why_nothing(report, any, out);
        buf_addf(out, "%s%s", any ? "; " : "", buf_str(&untried));
    }
    buf_release(&untried);
}

static void add_advised(const json_t *report, struct buf *out)
{
    const json_t *first = report_first_untried(report),
                 *pages = report_quantity(report, "environment_gain");
    if (!first) {
        if (is_gain(pages)) {
            add_gain_claim(out, pages);
            buf_add(out, " on huge pages; ");
        }
        buf_addf(out, "no %soptimization is expected to pay",
                 is_gain(pages) ? "other " : "");
        return;
    }
    buf_addf(out, "%s %s %sfirst: ", report_word(first, "verdict_text"),
             report_has(first, "plan") ? report_word(first, "plan")
             : is_pages(first)         ? "huge pages"
                                       : report_word(first, "transformation"),
             report_true(first, "by_hand") ? "by hand " : "");
    add_report_expected(out, first);
    buf_add(out, " expected");
}

static bool is_no_gain(const char *kind)
{
    return !strcmp(kind, "nothing") || !strcmp(kind, "untried");
}

static void settle_headline(const json_t *report, json_t *verdict, const char *kind)
{
    struct buf out = {0};
    if (!strcmp(kind, "faster")) {
        add_gain_claim(&out, report_gain(report));
        buf_addf(&out, " with %s", report_word(json_object_get(report, "best"), "plan"));
    } else if (!strcmp(kind, "setting")) {
        add_gain_claim(&out, report_quantity(report, "environment_gain"));
        buf_add(&out, " on huge pages; ");
        if (!add_untried(report, &out))
            buf_add(&out, "no change to the source is faster");
    } else if (is_no_gain(kind)) {
        add_nothing(report, &out);
    } else if (!strcmp(kind, "advice")) {
        add_advised(report, &out);
    } else if (is_doubted(report)) {
        buf_add(&out, "the machine was too busy to tell whether anything is faster");
    } else {
        const json_t *baseline = json_object_get(report, "baseline");
        buf_addf(&out, "the kernel could not be measured%s%s",
                 report_has(baseline, "outcome") ? ": " : "",
                 report_word(baseline, "outcome"));
    }
    set_text(verdict, "headline", &out);
}

/* Of what found nothing: what says that there is nothing. */
static const char *sureness_of_nothing(const json_t *report)
{
    const json_t *left = json_object_get(report, "left");
    if (report_true(report, "used_up") || report_true(report, "interrupted") ||
        any_to_try(report) || is_unsearched(report))
        return "low";
    return !strcmp(report_word(left, "verdict"), "nothing") ? "high" : "medium";
}

static const char *reason_of_nothing(const json_t *report, const char *sureness)
{
    return is_unsearched(report)       ? "the rules could not be asked"
           : !strcmp(sureness, "low")  ? "not everything that is advised was tried"
           : !strcmp(sureness, "high") ? "every bound on a gain ends within the noise"
                                       : "what the rules advise was tried";
}

static void settle_sureness(const json_t *report, json_t *verdict, const char *kind)
{
    const json_t *gain = report_quantity(verdict, "gain");
    const char *sure = "low";
    struct buf why = {0};
    if (gain && !report_is_believed(gain)) {
        buf_add(&why, "the machine was busy");
    } else if (gain) {
        sure = sureness(gain);
        buf_add(&why, "95 % interval ");
        buf_add_ratio_range(&why, report_value(gain));
    } else if (is_no_gain(kind)) {
        sure = sureness_of_nothing(report);
        buf_add(&why, reason_of_nothing(report, sure));
    } else if (!strcmp(kind, "advice")) {
        const json_t *first = report_first_untried(report);
        sure = report_has(first, "confidence") ? report_word(first, "confidence") : "low";
    }
    set(verdict, "confidence", json_string(sure));
    set_text(verdict, "confidence_reason", &why);
}

/* Is the machine too busy to believe what was measured? */
static void settle_noise(const json_t *report, json_t *verdict)
{
    const json_t *gain = report_quantity(verdict, "gain"),
                 *machine = json_object_get(report, "machine");
    struct buf out = {0};
    const json_t *doubted = gain ? gain : report_quantity(report, "source_gain");
    if (doubted && !report_is_believed(doubted)) {
        buf_add(&out, "The gain is ");
        add_report_doubt(&out, report_figure(doubted, "disturbed"));
        buf_add(&out, ".");
    } else if (gain && !strcmp(report_word(verdict, "confidence"), "low")) {
        buf_add(&out, "Too noisy to tell by how much: repeat it on a quiet machine, or "
                      "with a larger --budget.");
    } else if (report_true(json_object_get(report, "profile"), "busy")) {
        buf_add(&out, "Other programs kept the machine busy when it was characterised; "
                      "its limits may be too low.");
    } else if (report_has(machine, "note")) {
        buf_add(&out, report_word(machine, "note"));
    }
    set_text(verdict, "noise", &out);
}

static void settle_why(const json_t *report, json_t *verdict)
{
    char *phrase = report_limit_phrase(report);
    struct buf out = {0};
    buf_add(&out, report_word(json_object_get(report, "cause"), "sentence"));
    set(verdict, "limit", json_string(phrase));
    set_text(verdict, "why", &out);
    free(phrase);
}

static void settle_verdict(json_t *report)
{
    const char *kind = kind_of(report);
    const json_t *gain = !strcmp(kind, "faster") ? report_gain(report)
                         : !strcmp(kind, "setting")
                             ? report_quantity(report, "environment_gain")
                             : NULL;
    json_t *verdict = json_object(), *next = report_next(report);
    set(verdict, "kind", json_string(kind));
    set(verdict, "gain", gain ? json_deep_copy(gain) : json_null());
    settle_headline(report, verdict, kind);
    settle_sureness(report, verdict, kind);
    settle_why(report, verdict);
    settle_noise(report, verdict);
    json_t *first = json_object_get(json_array_get(next, 0), "command");
    set(verdict, "next", first ? json_incref(first) : json_null());
    set(report, "next", next);
    set(report, "verdict", verdict);
}

void report_settle(json_t *report)
{
    settle_variants(report);
    settle_advice(report);
    settle_names(report);
    settle_verdict(report);
}
