#include "advisor/metrics/metrics_columns.h"
#include "core/base/buf.h"
#include "core/base/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nothing closer to 1 is called a difference: what is left of drift (versus.c). */
static const double min_difference = 1.01;
/* Shares of the gain, as powers of it (versus.c). */
static const double max = 0.8, little = 0.2;

/* ---- time ---- */

static char *one_run_each(double ratio, const char *name)
{
    return ratio == 1
               ? xasprintf("'%s' took the same time, by one run each", name)
               : xasprintf(
                     "'%s' took %.3g times as long, by one run each: how much the times "
                     "scatter is not known",
                     name, 1 / ratio);
}

static char *time_sentence(struct quantity ratio, const char *name)
{
    bool faster = ratio.known && ratio.value > 1;
    if (!ratio.known)
        return xasprintf("'%s': the times are not both known", name);
    if (ratio.low == ratio.high)
        return one_run_each(ratio.value, name);
    if (ratio.low <= 1 && ratio.high >= 1)
        return xasprintf("'%s': no difference in time beyond the noise, the ratio lies "
                         "between %.3g and %.3g",
                         name, ratio.low, ratio.high);
    if (ratio.value < min_difference && ratio.value > 1 / min_difference)
        return xasprintf("'%s': no difference in time that matters, less than 1 %%",
                         name);
    return xasprintf("'%s' is %s: %.3g times as %s (%.3g to %.3g)", name,
                     faster ? "faster" : "slower", faster ? ratio.value : 1 / ratio.value,
                     faster ? "fast" : "slow", faster ? ratio.low : 1 / ratio.high,
                     faster ? ratio.high : 1 / ratio.low);
}

/* ---- work ---- */

static void add_work(struct metrics_against *out, const struct metrics_column *first,
                     const struct metrics_column *column, const char *name)
{
    struct metrics_work work = {.name = name,
                                .before = metrics_value(first, name),
                                .after = metrics_value(column, name)};
    work.less = quantity_divide(work.before, work.after);
    work.faster = quantity_divide(out->time_ratio, work.less);
    if (work.before.known && work.after.known)
        out->work[out->work_nr++] = work;
}

/* By how much of the difference in time is one in work; [0] of a faster column. */
static const char *work_word(double part, bool faster)
{
    static const char *const word[][4] = {
        {"less work", "partly less work, partly faster work", "faster work",
         "faster work, and more of it"},
        {"more work", "partly more work, partly slower work", "slower work",
         "slower work, though there is less of it"}};
    return word[!faster][part >= max ? 0 : part > little ? 1 : part >= -little ? 2 : 3];
}

/* Which of both the difference in time is, by the first kind of work that is known. */
static char *work_sentence(const struct metrics_against *against)
{
    const struct metrics_work *work = &against->work[0];
    struct quantity ratio = against->time_ratio;
    if (!against->work_nr || !work->less.known || !ratio.known || !work->faster.known)
        return NULL;
    if (fabs(log(ratio.value)) < log(min_difference) ||
        (ratio.low <= 1 && ratio.high >= 1))
        return xasprintf("The times are alike; %s are %.3g times those of the first.",
                         work->name, 1 / work->less.value);
    return xasprintf("By %s it is %s: the time is divided by %.3g, the work by %.3g, and "
                     "it is done at %.3g times the speed.",
                     work->name,
                     work_word(log(work->less.value) / log(ratio.value), ratio.value > 1),
                     ratio.value, work->less.value, work->faster.value);
}

static void find_work(struct metrics_against *out, const struct metrics_column *first,
                      const struct metrics_column *column)
{
    static const char *const name[METRICS_WORK_MAX] = {
        "instructions", "flops", "LS_Bytes", "L2_Bytes", "Mem_Bytes"};
    for (size_t i = 0; i < ARRAY_SIZE(name); i++)
        add_work(out, first, column, name[i]);
    out->work_sentence = work_sentence(out);
}

/* ---- totals ---- */

static struct quantity total_of(const struct metrics_column *column, int metric)
{
    int total = metrics_total_of(column->set, metric);
    return total == METRIC_NONE ? quantity_unknown() : column->result.value[total].value;
}

static struct quantity amount_of(const struct metrics_column *column, const char *name)
{
    int at = metric_find(column->set, name);
    if (at == METRIC_NONE)
        return quantity_unknown();
    const struct metric *metric = &column->set->metric[at];
    const struct metric_value *value = &column->result.value[at];
    if (strcmp(metric->unit, "share") != 0 || !metric->of)
        return value->value;
    int root = at;
    while (column->set->metric[root].parent != METRIC_NONE)
        root = column->set->metric[root].parent;
    return quantity_multiply(value->whole, total_of(column, root));
}

struct quantity metrics_amount_ratio(const struct metrics_column *a,
                                     const struct metrics_column *b, const char *name)
{
    return quantity_divide(amount_of(a, name), amount_of(b, name));
}

/* Where the totals differ, with the largest share of the first column as example. */
static void caution_total(struct metrics_against *out, const struct metrics_column *first,
                          const struct metrics_column *column, size_t metric)
{
    const struct metric *one = &first->set->metric[metric];
    struct quantity before = total_of(first, (int)metric),
                    share = metrics_value(column, one->name),
                    old_share = first->result.value[metric].value;
    int there = metric_find(column->set, one->name);
    struct quantity after =
        there == METRIC_NONE ? quantity_unknown() : total_of(column, there);
    struct quantity ratio = quantity_divide(after, before);
    if (!ratio.known || !share.known || !old_share.known ||
        fabs(log(ratio.value)) < log(min_difference))
        return;
    struct buf total[2] = {{0}, {0}}, amount[2] = {{0}, {0}};
    buf_add_number(&total[0], before.value);
    buf_add_number(&total[1], after.value);
    buf_add_number(&amount[0], old_share.value * before.value);
    buf_add_number(&amount[1], share.value * after.value);
    strvec_pushf(&out->caution,
                 "shares of %s do not compare between '%s' and '%s', whose totals are %s "
                 "and %s (%.3g times): %s is %.1f %% of the one, %s %s, and %.1f %% of "
                 "the other, %s",
                 one->of, first->label, column->label, buf_str(&total[0]),
                 buf_str(&total[1]), ratio.value, one->name, 100 * old_share.value,
                 buf_str(&amount[0]), one->of, 100 * share.value, buf_str(&amount[1]));
    for (size_t i = 0; i < 2; i++) {
        buf_release(&total[i]);
        buf_release(&amount[i]);
    }
}

/* Of the models that say where time goes, each total once. */
static void caution_totals(struct metrics_against *out,
                           const struct metrics_report *report,
                           const struct metrics_column *first,
                           const struct metrics_column *column)
{
    const struct metric_set *set = first->set;
    struct strvec done = {0};
    for (size_t m = 0; m < set->model_nr; m++) {
        int best = METRIC_NONE;
        if (!set->model[m].losses || !metrics_shows(report, first, m))
            continue;
        for (size_t i = 0; i < set->metric_nr; i++)
            if (set->metric[i].model == (int)m && set->metric[i].parent == METRIC_NONE &&
                metrics_total_of(set, (int)i) != METRIC_NONE &&
                first->result.value[i].value.known &&
                (best == METRIC_NONE || first->result.value[i].value.value >
                                            first->result.value[best].value.value))
                best = (int)i;
        if (best != METRIC_NONE && !strvec_has(&done, set->metric[best].of)) {
            strvec_push(&done, set->metric[best].of);
            caution_total(out, first, column, (size_t)best);
        }
    }
    strvec_release(&done);
}

/* ---- CPUs ---- */

static const char *about_of(const struct metrics_column *column, const char *name)
{
    int at = metric_find(column->set, name);
    const char *about = at == METRIC_NONE ? NULL : column->set->metric[at].about;
    return about ? about : "not told";
}

/* L2_Bytes as so many lines, on either side. */
static void caution_lines(struct metrics_against *out, const struct metrics_column *first,
                          const struct metrics_column *column, double before,
                          double after)
{
    struct quantity old = metrics_value(first, "L2_Bytes"),
                    new = metrics_value(column, "L2_Bytes");
    struct buf lines = {0};
    if (old.known && new.known) {
        buf_add(&lines, " In lines L2_Bytes is ");
        buf_add_number(&lines, old.value / before);
        buf_add(&lines, " and ");
        buf_add_number(&lines, new.value / after);
        buf_add(&lines, ".");
    }
    strvec_pushf(
        &out->caution,
        "bytes of L2, L3 and memory are lines: of %.0f bytes in '%s' and %.0f in "
        "'%s'.%s Code that uses part of each line moves more bytes where lines are "
        "longer",
        before, first->label, after, column->label, buf_str(&lines));
    buf_release(&lines);
}

static void caution_cpus(struct metrics_against *out, const struct metrics_column *first,
                         const struct metrics_column *column)
{
    struct quantity before = metrics_given_value(first, "line_bytes"),
                    after = metrics_given_value(column, "line_bytes");
    if (!strcmp(first->set->name, column->set->name))
        return;
    strvec_pushf(&out->caution,
                 "'%s' and '%s' are of different CPUs, '%s' and '%s': events of one name "
                 "may count different things, and slots and cycles are not of one length",
                 first->label, column->label, first->set->title, column->set->title);
    if (before.known && after.known && before.value != after.value)
        caution_lines(out, first, column, before.value, after.value);
    if (metrics_value(first, "fpins").known && metrics_value(column, "fpins").known)
        strvec_pushf(&out->caution,
                     "flops/fpins compares only where fused operations are counted "
                     "alike. '%s': %s '%s': %s",
                     first->label, about_of(first, "fpins"), column->label,
                     about_of(column, "fpins"));
}

/* ---- all of it ---- */

static void make_one(const struct metrics_report *report,
                     const struct metrics_column *first,
                     const struct metrics_column *column, struct metrics_against *out)
{
    out->time_ratio = quantity_divide(first->counts.seconds, column->counts.seconds);
    out->time_sentence = time_sentence(out->time_ratio, column->label);
    find_work(out, first, column);
    caution_totals(out, report, first, column);
    caution_cpus(out, first, column);
}

/* Regions of one program are no versions of each other. */
static bool are_parts(const struct metrics_report *report)
{
    for (size_t i = 0; i < report->nr; i++) {
        const struct metrics_column *column = &report->column[i];
        if (!column->counts.source ||
            strcmp(column->counts.source, METRICS_REGIONS_SOURCE) != 0 ||
            strcmp(column->origin, report->column[0].origin) != 0)
            return false;
    }
    return true;
}

void metrics_against_make(struct metrics_report *report)
{
    if (report->nr < 2 || are_parts(report))
        return;
    report->against = xcalloc(report->nr - 1, sizeof(*report->against));
    report->against_nr = report->nr - 1;
    for (size_t i = 0; i < report->against_nr; i++)
        make_one(report, &report->column[0], &report->column[i + 1], &report->against[i]);
}

void metrics_against_release(struct metrics_report *report)
{
    for (size_t i = 0; i < report->against_nr; i++) {
        struct metrics_against *against = &report->against[i];
        free(against->time_sentence);
        free(against->work_sentence);
        strvec_release(&against->caution);
    }
    free(report->against);
    report->against = NULL;
    report->against_nr = 0;
}
