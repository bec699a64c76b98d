/* What a counter-experiment is called, and what is said of it. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/figures.h"
#include "search/finish/confirm.h"

static const struct {
    const char *word, *phrase;
} kinds[] = {
#define X(name, word, phrase) [CONFIRM_##name] = {word, phrase},
    CONFIRM_MAP(X)
#undef X
};

const char *confirm_word(enum confirm_kind kind)
{
    return kinds[kind].word;
}

const char *confirm_verdict_word(enum confirm_verdict verdict)
{
    static const char *const words[] = {
#define X(name, word) [CONFIRM_VERDICT_##name] = word,
        CONFIRM_VERDICT_MAP(X)
#undef X
    };
    return words[verdict];
}

void confirm_release(struct confirm_result *result)
{
    free(result->sentence);
    *result = (struct confirm_result){0};
}

/* ---- what is said ---- */

static void add_ratio(struct buf *out, struct quantity ratio)
{
    if (isinf(ratio.high))
        buf_addf(out, "at least %.2fx", ratio.low);
    else
        buf_add_ratio(out, ratio);
}

static const char *outcome(enum confirm_verdict verdict)
{
    static const char *const text[] = {
        [CONFIRM_VERDICT_CONFIRMED] = "the diagnosis is confirmed.",
        [CONFIRM_VERDICT_REFUTED] =
            "the diagnosis is refuted: take the advice that rests on it with care.",
        [CONFIRM_VERDICT_UNDECIDED] = "both are possible within the noise, so this "
                                      "decides nothing."};
    return text[verdict];
}

/* Asked for, and here is why it is none of them. */
static const char *prefetcher_text(void)
{
    return access("/dev/cpu/0/msr", W_OK)
               ? "The hardware prefetcher cannot be switched off from here (no access to "
                 "the processor's model-specific registers)."
               : "The hardware prefetcher is left on: to switch it off would change the "
                 "machine for everyone on it.";
}

char *confirm_say(const struct confirm_case *about, const struct confirm_result *result,
                  const char *why)
{
    struct buf out = {0};
    if (result->kind == CONFIRM_NONE) {
        if (about->now->diagnosis.cause == CAUSE_UNKNOWN)
            buf_add(&out,
                    "What limits the loop is not known, so there is no diagnosis to "
                    "test.");
        else
            buf_addf(
                &out,
                "No experiment that is possible here would turn out otherwise if the "
                "diagnosis were wrong, so none was made. %s",
                prefetcher_text());
        return buf_detach(&out);
    }
    buf_add(&out, "If ");
    buf_addf(&out, "the loop is bound by %s", cause_phrase(about->now->diagnosis.cause));
    buf_addf(&out, ", an iteration %s runs ", kinds[result->kind].phrase);
    add_ratio(&out, result->predicted);
    buf_add(&out, " as fast; if not, ");
    add_ratio(&out, result->rival);
    if (!result->observed.known) {
        buf_addf(&out, ". Not measured: %s.", why ? why : "it did not run to the end");
        return buf_detach(&out);
    }
    buf_add(&out, ". Measured: ");
    add_ratio(&out, result->observed);
    buf_addf(&out, "; %s", outcome(result->verdict));
    return buf_detach(&out);
}

json_t *confirm_to_json(const struct confirm_result *result)
{
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o}", "experiment", confirm_word(result->kind),
        "verdict", confirm_verdict_word(result->verdict), "predicted",
        json_quantity(result->predicted), "if_wrong", json_quantity(result->rival),
        "observed", json_quantity(result->observed), "sentence",
        text_json(result->sentence));
}
