#include "observe/in_app/in_app_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/run/run.h"

/* Below it nothing is claimed: drift that interleaving leaves. */
static const double min_difference = 1.01;
/* Differences of the two gains that are worth an explanation. */
static const double worth_explaining = 1.10;
static const double enough_spread = 0.01;
enum { pairs_enough = 6 };

static const char *in_app_end_word(enum in_app_end end)
{
    static const char *const word[] = {"none",   "measured", "no-winner",
                                       "failed", "unproven", "interrupted"};
    return word[end];
}

void in_app_result_release(struct in_app_result *result)
{
    free(result->sentence);
    free(result->build);
    free(result->run);
    free(result->root);
    free(result->date);
    free(result->pair);
    free(result->unsampled);
    free(result->output);
    free(result->flags);
    for (size_t i = 0; i < 2; i++)
        strvec_release(&result->facts[i]);
    for (size_t i = 0; i < result->cause_nr; i++) {
        free(result->cause[i].what);
        free(result->cause[i].why);
        free(result->cause[i].says);
    }
    free(result->why);
    *result = (struct in_app_result){0};
}

void in_app_add_pair(struct in_app_result *result, const struct in_app_pair *pair)
{
    GROW(result->pair, result->pair_nr + 1, result->pair_alloc);
    result->pair[result->pair_nr++] = *pair;
}

/* ---- gains ---- */

enum column {
    PROGRAM_0,
    PROGRAM_1,
    PROGRAM_GAIN,
    ROUTINE_0,
    ROUTINE_1,
    ROUTINE_GAIN,
    SHARE,
    BUSY_SHARE
};

static double cell(const struct in_app_pair *pair, enum column column)
{
    switch (column) {
    case PROGRAM_0:
    case PROGRAM_1:
        return pair->program_s[column - PROGRAM_0];
    case PROGRAM_GAIN:
        return pair->program_s[0] / pair->program_s[1];
    case ROUTINE_0:
    case ROUTINE_1:
        return pair->routine_s[column - ROUTINE_0];
    case ROUTINE_GAIN:
        return pair->routine_s[0] / pair->routine_s[1];
    case SHARE:
        return pair->share;
    default:
        return pair->busy_share;
    }
}

static struct quantity summary(const struct in_app_result *result, enum column column)
{
    double *value = xcalloc(result->pair_nr + 1, sizeof(*value));
    for (size_t i = 0; i < result->pair_nr; i++)
        value[i] = cell(&result->pair[i], column);
    struct quantity quantity =
        run_statistics(value, result->pair_nr,
                       column < ROUTINE_0 ? PROVENANCE_CLOCK : PROVENANCE_SAMPLED);
    free(value);
    return quantity;
}

void in_app_judge(struct in_app_result *result)
{
    for (size_t i = 0; i < 2; i++) {
        result->program_s[i] = summary(result, PROGRAM_0 + (enum column)i);
        result->routine_s[i] = summary(result, ROUTINE_0 + (enum column)i);
    }
    result->program = summary(result, PROGRAM_GAIN);
    result->routine = summary(result, ROUTINE_GAIN);
    result->share = summary(result, SHARE);
    struct quantity busy = summary(result, BUSY_SHARE);
    if (busy.known && result->share.known)
        result->share.high = fmax(result->share.high, busy.high);
    result->expected = in_app_amdahl(result->share, result->routine);
}

struct quantity in_app_amdahl(struct quantity share, struct quantity gain)
{
    if (!share.known || !gain.known || gain.low <= 0)
        return quantity_unknown();
    const double shares[] = {share.value, share.low, share.high},
                 gains[] = {gain.value, gain.low, gain.high};
    double value = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
        for (size_t k = 0; k < ARRAY_SIZE(gains); k++) {
            double part = fmin(fmax(shares[i], 0), 1);
            double whole = 1 / (1 - part + part / gains[k]);
            value = i || k ? value : whole;
            low = fmin(low, whole);
            high = fmax(high, whole);
        }
    size_t runs = share.runs < gain.runs ? share.runs : gain.runs;
    return quantity_between(value, low, high, runs, PROVENANCE_DERIVED);
}

enum in_app_claim in_app_claim_of(struct quantity gain)
{
    if (!gain.known || gain.doubted || gain.runs < IN_APP_PAIRS_MIN)
        return IN_APP_UNKNOWN;
    if ((gain.low <= 1 && gain.high >= 1) ||
        (gain.value < min_difference && gain.value > 1 / min_difference))
        return IN_APP_NO_CLAIM;
    return gain.value > 1 ? IN_APP_FASTER : IN_APP_SLOWER;
}

static bool is_narrow(struct quantity gain)
{
    return !gain.known || gain.high - gain.low < enough_spread * gain.value;
}

bool in_app_is_enough(const struct in_app_result *result)
{
    return result->pair_nr >= pairs_enough && is_narrow(result->program) &&
           is_narrow(result->routine);
}

char *in_app_gain_phrase(struct quantity gain)
{
    switch (in_app_claim_of(gain)) {
    case IN_APP_UNKNOWN:
        return xstrdup(gain.known && gain.doubted
                           ? "not believed, since the machine was busy"
                           : "not known");
    case IN_APP_NO_CLAIM:
        return xasprintf("no change beyond noise: %.3g to %.3g", gain.low, gain.high);
    default:
        return xasprintf("%.3gx as fast (95 %% interval %.3g to %.3g)%s", gain.value,
                         gain.low, gain.high, gain.value < 1 ? ", that is slower" : "");
    }
}

int in_app_verdict(const struct in_app_result *result, struct error *err)
{
    if (result->end == IN_APP_FAILED || result->end == IN_APP_UNPROVEN)
        return fail(err, STATUS_FAILED, "--in-app: %s", result->sentence);
    return 0;
}

/* ---- why it differs ---- */

void in_app_add_cause(struct in_app_result *result, const char *name,
                      struct quantity gain, const char *what, const char *why)
{
    if (result->cause_nr == IN_APP_CAUSES_MAX)
        return;
    result->cause[result->cause_nr++] = (struct in_app_cause){
        .name = name, .gain = gain, .what = xstrdup(what), .why = xstrdup(why)};
}

bool in_app_differs(struct quantity isolated, struct quantity routine)
{
    if (!isolated.known || !routine.known || isolated.value <= 0 || routine.value <= 0)
        return false;
    double ratio = fmax(isolated.value / routine.value, routine.value / isolated.value);
    bool apart = isolated.low > routine.high || routine.low > isolated.high;
    return apart && ratio > worth_explaining;
}

/* Of the way from the isolated gain to that in the application, on a logarithmic scale;
 * certain only when the two intervals do not touch. */
static double explained(const struct in_app_cause *cause, struct quantity isolated,
                        struct quantity routine)
{
    struct quantity gain = cause->gain;
    bool certain = gain.known && (gain.low > isolated.high || gain.high < isolated.low);
    if (!certain || gain.value <= 0)
        return 0;
    return log(gain.value / isolated.value) / log(routine.value / isolated.value);
}

static const char *explains(double share)
{
    if (share >= 0.8 && share <= 1.25)
        return ", which explains the difference";
    if (share > 1.25)
        return ", which would explain more than all of it";
    if (share >= 0.2)
        return share > 0.5 ? ", which explains most of it"
                           : ", which explains a part of it";
    return share <= -0.2 ? ", which is the other way round"
                         : ", which does not explain it";
}

static bool overlap(struct quantity a, struct quantity b)
{
    return a.low <= b.high && b.low <= a.high;
}

static char *cause_sentence(const struct in_app_cause *cause, struct quantity isolated,
                            struct quantity routine)
{
    struct quantity gain = cause->gain;
    if (!gain.known)
        return xasprintf("not tested: %s",
                         cause->why ? cause->why : "no reason is known");
    bool open = overlap(gain, isolated) && overlap(gain, routine);
    return xasprintf("%s; that way, the gain alone is %.3gx (%.3g to %.3g)%s",
                     cause->what, gain.value, gain.low, gain.high,
                     open ? ", too uncertain to tell"
                          : explains(explained(cause, isolated, routine)));
}

/* Of the difference, 0 to 1.25: by all causes together where they were timed so, else by
 * the one that explains most. */
static double explained_in_all(const struct in_app_result *result,
                               struct quantity isolated)
{
    double best = 0;
    for (size_t i = 0; i < result->cause_nr; i++) {
        const struct in_app_cause *cause = &result->cause[i];
        double share = explained(cause, isolated, result->routine);
        share = share <= 1.25 ? fmax(share, 0) : 0;
        if (!strcmp(cause->name, IN_APP_ALL_CAUSES) && cause->gain.known)
            return share;
        best = fmax(best, share);
    }
    return best;
}

void in_app_explain(struct in_app_result *result, struct quantity isolated)
{
    free(result->why);
    result->why = NULL;
    if (!in_app_differs(isolated, result->routine))
        return;
    for (size_t i = 0; i < result->cause_nr; i++) {
        struct in_app_cause *cause = &result->cause[i];
        free(cause->says);
        cause->says = cause_sentence(cause, isolated, result->routine);
    }
    double best = explained_in_all(result, isolated);
    result->why = xasprintf(
        "The gain of the routine is %.3gx in the application and %.3gx alone, beyond "
        "both intervals. %s",
        result->routine.value, isolated.value,
        best >= 0.8 ? "What was tested explains it:"
        : best >= 0.2
            ? "What was tested explains a part of it, the rest is not explained:"
            : "What was tested does not explain it beyond the noise:");
}

/* ---- the document ---- */

static json_t *causes_json(const struct in_app_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->cause_nr; i++) {
        const struct in_app_cause *cause = &result->cause[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "cause", cause->name,
                            "difference", text_json(cause->what), "gain",
                            json_quantity(cause->gain), "not_tested",
                            text_json(cause->why), "sentence", text_json(cause->says)));
    }
    return list;
}

json_t *in_app_to_json(const struct in_app_result *result, struct quantity isolated)
{
    const struct app_output_state *shown = &result->shown;

    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:[o, o], s:o, s:o, s:[I, I], s:o}",
        "end", in_app_end_word(result->end), "sentence", text_json(result->sentence),
        "build", text_json(result->build), "run", text_json(result->run), "project",
        text_json(result->root), "date", text_json(result->date), "pairs",
        (json_int_t)result->pair_nr, "isolated_gain", json_quantity(isolated),
        "routine_gain", json_quantity(result->routine), "program_gain",
        json_quantity(result->program), "expected_gain", json_quantity(result->expected),
        "routine_share", json_quantity(result->share), "program_s",
        json_quantity(result->program_s[0]), "tuned_program_s",
        json_quantity(result->program_s[1]), "routine_s",
        json_quantity(result->routine_s[0]), "tuned_routine_s",
        json_quantity(result->routine_s[1]), "no_routine", text_json(result->unsampled),
        "output", text_json(result->output), "output_compares",
        (json_int_t)shown->compared, "output_varies", (json_int_t)shown->varies,
        "output_digits",
        shown->compared && shown->digits < APP_OUTPUT_SAME ? json_integer(shown->digits)
                                                           : json_null(),
        "why", text_json(result->why), "compiled_with", json_strvec(&result->facts[0]),
        json_strvec(&result->facts[1]), "flags", text_json(result->flags), "threads",
        result->threads ? json_integer((json_int_t)result->threads) : json_null(),
        "peak_kib", (json_int_t)result->peak_kib[0], (json_int_t)result->peak_kib[1],
        "causes", causes_json(result));
}
