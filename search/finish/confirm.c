/* The counter-experiments, what each predicts, and what its outcome says. */
#include "search/finish/confirm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/machine/machine.h"
#include "search/session/measured.h"
#include "search/session/subject.h"
#include "variants/kernel/kernel_view.h"

/* What is no more than this is no movement: launches of one program differ by some per
 * cent for where its pages lie. */
static const double still = 1.05;
/* What must move by something, though the model does not say by how much at least. */
static const double moves = 1.15;
/* Repeated probes of a ceiling spread by up to a tenth (occupancy_parts.h, CEILING_FULL),
 * and predictions rest on two of them. */
static const double model_spread = 1.1;

/* ---- the pace that the model gives a case ---- */

static double end_at(struct quantity quantity, int end)
{
    return end == 0 ? quantity.low : end == 1 ? quantity.value : quantity.high;
}

/* What explains n, where it is no resource. */
static struct quantity cap_of(const struct occupancy *now)
{
    switch (now->diagnosis.cause) {
    case CAUSE_DEPENDENT_LOADS:
        return now->n_chains;
    case CAUSE_REORDER_BUFFER:
        return now->n_window;
    case CAUSE_BRANCHES:
        return now->n_branches;
    default:
        return quantity_unknown();
    }
}

/* Least time of the work by its resources and its cap, from each end alike: the errors of
 * ceilings and holds are those of both cases. */
static int pace(const struct confirm_case *about, const struct occupancy_case *input,
                double out[3], struct error *err)
{
    struct occupancy then;
    struct quantity cap = cap_of(about->now);
    if (occupancy_compute(input, &then, err))
        return -1;
    for (int e = 0; e < 3; e++) {
        out[e] = 0;
        for (int r = 0; r < RESOURCE_NONE; r++)
            if (then.resource[r].min_s.known)
                out[e] = fmax(out[e], end_at(then.resource[r].min_s, e));
        if (cap.known && then.in_flight.known && isfinite(end_at(then.in_flight, e)))
            out[e] =
                fmax(out[e], end_at(then.in_flight, e) * input->time_s.value / cap.value);
    }
    occupancy_release(&then);
    return 0;
}

/* Of the paces now and then; unknown when either is. */
static struct quantity quickening(const struct confirm_case *about,
                                  const struct occupancy_case *changed)
{
    double now[3], then[3], ratio[3];
    if (pace(about, &about->input, now, NULL) || pace(about, changed, then, NULL) ||
        !(now[1] > 0))
        return quantity_unknown();
    for (int e = 0; e < 3; e++)
        ratio[e] = then[e] > 0 && now[e] > 0 ? fmax(now[e] / then[e], 1) : INFINITY;
    if (isinf(ratio[1]))
        return quantity_unknown();
    double low = fmin(ratio[1], fmin(ratio[0], ratio[2])),
           high = fmax(ratio[1], fmax(ratio[0], ratio[2]));
    return quantity_between(ratio[1], low / model_spread, high * model_spread, 0,
                            PROVENANCE_PREDICTED);
}

static struct quantity predicted_between(double value, double low, double high)
{
    return quantity_between(value, low, high, 0, PROVENANCE_PREDICTED);
}

static struct quantity unmoved(void)
{
    return predicted_between(1, 1 / still, still);
}

/* At least `moves`. At most what the model says of a loop that keeps its distance to its
 * limit, or, where it has one now and none then, of one that reaches it; open above where
 * the model says nothing. */
static struct quantity at_least(const struct confirm_case *about,
                                const struct occupancy_case *changed)
{
    struct quantity max = quickening(about, changed);
    double then[3], high = INFINITY;
    if (max.known && !pace(about, changed, then, NULL) && then[1] > 0)
        high = fmax(max.high, about->input.time_s.high / then[1] * model_spread);
    return predicted_between(max.known ? fmax(max.value, moves) : moves, moves,
                             fmax(high, moves));
}

/* ---- what each is about ---- */

static bool waits_for_memory(const struct occupancy *now)
{
    switch (now->diagnosis.cause) {
    case CAUSE_BRANCHES:
    case CAUSE_DEPENDENT_LOADS:
        return now->by_queues != CAUSE_CORE;
    case CAUSE_L2_BANDWIDTH:
        return false;
    default:
        return cause_kind(now->diagnosis.cause) == CAUSE_KIND_MEMORY;
    }
}

static bool is_known(const struct occupancy *now)
{
    return now->diagnosis.cause != CAUSE_UNKNOWN &&
           now->diagnosis.cause != CAUSE_FRONT_END;
}

/* Of the time of a miss, what is left on huge pages: its walk shrinks as the probe of
 * this machine says. */
static struct quantity by_translation(const struct confirm_case *about)
{
    const struct machine *machine = about->input.machine;
    struct quantity share = about->now->translation_share,
                    rest = quantity_divide(machine->huge_pages.translation_ns,
                                           machine->small_pages.translation_ns);
    if (!share.known || !rest.known)
        return quantity_unknown();
    double saved = 1 - fmin(rest.value, 1);
    return predicted_between(1 / (1 - fmin(share.value, 0.99) * saved),
                             1 / (1 - fmin(share.low, 0.99) * saved) / model_spread,
                             1 / (1 - fmin(share.high, 0.99) * saved) * model_spread);
}

static bool predict_pages(const struct confirm_case *about, struct quantity *predicted,
                          struct quantity *rival)
{
    struct occupancy_case changed = about->input;
    if (!about->huge_pages_available || about->input.work.huge_pages ||
        about->now->diagnosis.cause != CAUSE_PAGE_WALKS)
        return false;
    changed.work.huge_pages = true;
    *predicted = about->now->busiest == RESOURCE_PAGE_WALKERS
                     ? quickening(about, &changed)
                     : by_translation(about);
    *rival = unmoved();
    return true;
}

/* All lines that came at random come ahead of time, each once. */
static void order(const struct confirm_case *about, struct occupancy_work *work)
{
    double lines = about->table_bytes / about->input.machine->line_bytes;
    for (int k = 1; k < work->level_nr; k++) {
        struct quantity fills = work->l1_fill_from[k];
        if (fills.known && fills.value > lines && fills.value > 0)
            work->l1_fill_from[k] = quantity_scale(fills, lines / fills.value);
        work->l1_covered_from[k] = work->l1_fill_from[k];
    }
    struct quantity *far = &work->l2_fill_from_memory;
    double share = far->known && far->value > lines ? lines / far->value : 1;
    *far = quantity_scale(*far, share);
    work->memory_read_bytes = quantity_scale(work->memory_read_bytes, share);
    work->memory_write_bytes = quantity_scale(work->memory_write_bytes, share);
    work->page_walks = quantity_exact(0, PROVENANCE_PREDICTED);
}

static bool predict_order(const struct confirm_case *about, struct quantity *predicted,
                          struct quantity *rival)
{
    struct occupancy_case changed = about->input;
    if (!(about->table_bytes > 0) || !about->now->random ||
        !waits_for_memory(about->now) ||
        about->now->diagnosis.cause == CAUSE_MEMORY_BANDWIDTH)
        return false;
    order(about, &changed.work);
    *predicted = at_least(about, &changed);
    *rival = unmoved();
    return true;
}

/* What halving gives a loop that memory bandwidth limits. */
static struct quantity by_memory(const struct confirm_case *about,
                                 const struct occupancy_case *changed)
{
    struct occupancy then;
    if (occupancy_compute(changed, &then, NULL))
        return quantity_unknown();
    struct quantity now_s = about->now->resource[RESOURCE_MEMORY].min_s,
                    then_s = then.resource[RESOURCE_MEMORY].min_s;
    occupancy_release(&then);
    if (!now_s.known || !then_s.known || !(now_s.value > 0) || !(then_s.value > 0))
        return quantity_unknown();
    double ratio = fmax(now_s.value / then_s.value, 1);
    return predicted_between(ratio, ratio / model_spread, ratio * model_spread);
}

static int half(int copies)
{
    return copies > 1 ? copies / 2 : 1;
}

/* Copies share memory and nothing else that counts: a loop that it limits gets faster
 * with fewer of them, every other stays. */
static bool predict_half(const struct confirm_case *about, struct quantity *predicted,
                         struct quantity *rival)
{
    struct occupancy_case changed = about->input;
    if (about->input.cores < 2 || !is_known(about->now))
        return false;
    changed.cores = half(about->input.cores);
    struct quantity memory = by_memory(about, &changed);
    if (about->now->diagnosis.cause == CAUSE_MEMORY_BANDWIDTH) {
        *predicted = memory;
        *rival = unmoved();
        return memory.known;
    }
    *predicted = quickening(about, &changed);
    *rival = memory;
    return predicted->known && memory.known;
}

/* Everything comes from L2. */
static void keep_near(struct occupancy_work *work)
{
    const struct quantity none = quantity_exact(0, PROVENANCE_PREDICTED);
    struct quantity lines = none;
    for (int k = 0; k < work->level_nr; k++) {
        lines = quantity_add(lines, work->l1_fill_from[k]);
        work->l1_fill_from[k] = work->l1_covered_from[k] = none;
    }
    work->l1_fill_from[0] = lines;
    work->l2_fill_from_l3 = work->l2_fill_from_memory = none;
    work->memory_read_bytes = work->memory_write_bytes = work->page_walks = none;
}

static bool predict_smaller(const struct confirm_case *about, struct quantity *predicted,
                            struct quantity *rival)
{
    struct occupancy_case changed = about->input;
    if (!about->can_shrink || !(about->l2_bytes > 0) || !is_known(about->now) ||
        about->footprint_bytes < 4 * about->l2_bytes)
        return false;
    keep_near(&changed.work);
    if (waits_for_memory(about->now)) {
        *predicted = at_least(about, &changed);
        *rival = unmoved();
        return true;
    }
    *predicted = predicted_between(1, 1 / model_spread, model_spread);
    *rival = predicted_between(moves, moves, INFINITY);
    return true;
}

static bool (*const predictions[])(const struct confirm_case *about,
                                   struct quantity *predicted, struct quantity *rival) = {
    [CONFIRM_HUGE_PAGES] = predict_pages,
    [CONFIRM_ORDERED] = predict_order,
    [CONFIRM_HALF_COPIES] = predict_half,
    [CONFIRM_SMALLER] = predict_smaller};

bool confirm_predict(const struct confirm_case *about, enum confirm_kind kind,
                     struct quantity *predicted, struct quantity *rival)
{
    *predicted = *rival = quantity_unknown();
    return kind != CONFIRM_NONE && predictions[kind](about, predicted, rival) &&
           predicted->known && rival->known;
}

/* ---- choosing and judging ---- */

static bool overlap(struct quantity a, struct quantity b)
{
    return a.low <= b.high && b.low <= a.high;
}

static bool holds(struct quantity interval, double value)
{
    return interval.low <= value && value <= interval.high;
}

/* The first experiment of the table whose outcome differs with the diagnosis; NONE when
 * there is none. */
static struct confirm_setup confirm_choose(const struct confirm_case *about,
                                           struct confirm_result *result)
{
    struct confirm_setup setup = {.kind = CONFIRM_NONE};
    for (int kind = 0; kind < CONFIRM_NONE; kind++) {
        if (!confirm_predict(about, kind, &result->predicted, &result->rival) ||
            holds(result->rival, result->predicted.value) ||
            holds(result->predicted, result->rival.value))
            continue;
        setup.kind = result->kind = kind;
        setup.copies = half(about->input.cores);
        setup.footprint_bytes = about->l2_bytes / 2;
        return setup;
    }
    result->kind = CONFIRM_NONE;
    result->predicted = result->rival = quantity_unknown();
    return setup;
}

enum confirm_verdict confirm_judge(struct quantity predicted, struct quantity rival,
                                   struct quantity observed)
{
    if (!observed.known)
        return CONFIRM_VERDICT_NOT_DONE;
    if (observed.doubted)
        return CONFIRM_VERDICT_UNDECIDED;
    if (!overlap(observed, predicted))
        return CONFIRM_VERDICT_REFUTED;
    return overlap(observed, rival) ? CONFIRM_VERDICT_UNDECIDED
                                    : CONFIRM_VERDICT_CONFIRMED;
}

int confirm_run(const struct confirm_case *about, const struct confirm_runner *runner,
                struct confirm_result *result, struct error *err)
{
    char *why = NULL;
    *result =
        (struct confirm_result){.kind = CONFIRM_NONE, .observed = quantity_unknown()};
    struct confirm_setup setup = confirm_choose(about, result);
    int status =
        setup.kind == CONFIRM_NONE
            ? 0
            : runner->compare(runner->data, &setup, &result->observed, &why, err);
    if (!status) {
        result->verdict =
            confirm_judge(result->predicted, result->rival, result->observed);
        result->sentence = confirm_say(about, result, why);
    }
    free(why);
    return status;
}

/* ---- the case ---- */

static bool could_order(const char *contents)
{
    return contents &&
           (!strncmp(contents, "index", 5) || !strcmp(contents, "permutation"));
}

/* What indices lead to that are filled at random and could be filled in order. */
static double table_bytes(const struct kernel_view *view)
{
    double bytes = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        if (access->access_class == ACCESS_INDIRECT && access->through >= 0 &&
            could_order(view->array[access->through].contents))
            bytes = fmax(bytes, view->array[access->array].bytes);
    }
    return bytes;
}

/* A set in half of it stays there, one of four times as much does not: within so much it
 * must be known. */
static double l2_bytes(const struct machine *machine)
{
    struct quantity share = machine_share_bytes(machine, 1);
    return share.known && share.high <= 2 * share.low ? share.low : 0;
}

int confirm_case_of(const struct measurement *of, const struct search_subject *subject,
                    struct confirm_case *out, struct error *err)
{
    struct kernel_counts counts = subject->counts(subject->data);
    struct kernel_view view = subject->view(subject->data);
    const struct machine *machine = subject->machine;
    if (!of->has_occupancy || !of->has_traffic || !of->time_s.known)
        return fail(err, STATUS_FAILED,
                    "there is no diagnosis to confirm: what the kernel "
                    "moves is not known");
    *out = (struct confirm_case){.now = &of->occupancy,
                                 .footprint_bytes = counts.footprint_bytes,
                                 .l2_bytes = l2_bytes(machine),
                                 .table_bytes = table_bytes(&view),
                                 .huge_pages_available = subject->huge_pages_available,
                                 .can_shrink = counts.iterations.known &&
                                               counts.iterations.value > 0};
    measurement_case(of, machine, subject->cores, &counts, &out->input);
    return 0;
}
