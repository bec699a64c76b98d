/*
 * The tables of Gravelle 2022 (tests/data/metrics/dissertation): counts are made from the
 * rows that do not follow from each other, in the events of the shipped definitions; what
 * these make of them must be what was printed, within the digits that were printed.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_tables.h"

SUITE(metrics_dissertation);

#define FOLDER INFLIGHT_SOURCE_DIR "/tests/data/metrics/dissertation/"

enum { inputs_max = 16 };

/* One column of a table on its CPU. */
struct column {
    const struct metric_table *table;
    size_t at;
    const json_t *rebuild;
    const struct metric_set *set;
    const char *input[inputs_max];
    struct printed value[inputs_max]; /* within what the CPU can have */
    size_t input_nr;
};

struct tally {
    size_t compared, returned, excluded, tolerated, mended, ratios, identities,
        prefetches_among_misses;
};

static json_t *rebuilds;
static struct metric_set *sets[2];

/* ---- the CPU ---- */

static const struct metric_set *set_of(const char *cpu)
{
    static const char *const names[] = {"skylake-sp", "a64fx"};
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(cpu, names[i]))
            continue;
        if (!sets[i])
            check_ok(metric_set_load(cpu, NULL, &sets[i], &err), &err);
        return sets[i];
    }
    return NULL;
}

static const json_t *rebuild_of(const char *cpu, const char *precision)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(rebuilds, "cpus"), i, one)
        if (!strcmp(json_string_value(json_object_get(one, "name")), cpu) &&
            !strcmp(json_string_value(json_object_get(one, "precision")), precision))
            return one;
    return NULL;
}

/* No vector has more elements than there are in one. */
static void keep_within(const json_t *rebuild, const char *metric, struct printed *value)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(rebuild, "within"), i, one)
        if (!strcmp(json_string_value(json_object_get(one, "metric")), metric)) {
            double min = json_number_value(json_object_get(one, "least"));
            double max = json_number_value(json_object_get(one, "most"));

            value->low = fmax(value->low, min);
            value->high = fmin(value->high, max);
            value->value = fmin(fmax(value->value, value->low), value->high);
        }
}

static bool column_open(const struct metric_table *table, size_t at,
                        struct column *column)
{
    const struct table_column *named = &table->column[at];
    const json_t *inputs;

    *column = (struct column){.table = table,
                              .at = at,
                              .rebuild = rebuild_of(named->cpu, table->precision),
                              .set = set_of(named->cpu)};
    if (!check(column->rebuild && column->set))
        return false;
    inputs = json_object_get(column->rebuild, "inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const char *metric = json_string_value(json_array_get(inputs, i));
        struct printed value = metric_table_at(table, metric, at);

        keep_within(column->rebuild, metric, &value);
        column->input[column->input_nr] = metric;
        column->value[column->input_nr++] = value;
    }
    return true;
}

/* ---- counts ---- */

/* What the rows are while one of them stands elsewhere within its digits. */
struct rows {
    const struct column *column;
    int moved; /* -1 = none */
    double to;
};

static struct quantity row_value(void *data, const char *name)
{
    const struct rows *rows = data;

    for (size_t i = 0; i < rows->column->input_nr; i++)
        if (!strcmp(rows->column->input[i], name) && rows->column->value[i].known)
            return quantity_exact((int)i == rows->moved ? rows->to
                                                        : rows->column->value[i].value,
                                  PROVENANCE_TABLE);
    return quantity_unknown();
}

static void make_counts(const struct rows *rows, struct count_set *counts)
{
    const json_t *one;
    size_t i;

    *counts = (struct count_set){.seconds = row_value((void *)(uintptr_t)rows, "Time")};
    counts->cpu =
        xstrdup(json_string_value(json_object_get(rows->column->rebuild, "cpu")));
    json_array_foreach(json_object_get(rows->column->rebuild, "counts"), i, one) {
        struct formula *formula = NULL;
        struct quantity value;
        struct error err = {0};

        if (!check_ok(formula_parse(json_string_value(json_object_get(one, "formula")),
                                    &formula, &err),
                      &err))
            continue;
        value = formula_value(formula, row_value, (void *)(uintptr_t)rows, NULL, NULL);
        if (value.known)
            count_set_add(counts, json_string_value(json_object_get(one, "event")), value,
                          1);
        formula_free(formula);
    }
}

static struct metric_result evaluate(const struct rows *rows)
{
    static const char *const names[] = {"line_bytes", "vector_bits", "cores"};
    struct metric_given given[ARRAY_SIZE(names)];
    struct metric_question question = {
        .set = rows->column->set, .given = given, .given_nr = ARRAY_SIZE(names)};
    struct count_set counts;
    struct metric_result result;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        given[i] = (struct metric_given){
            names[i], quantity_exact(json_number_value(json_object_get(
                                         rows->column->rebuild, names[i])),
                                     PROVENANCE_TABLE)};
    make_counts(rows, &counts);
    question.counts = &counts;
    metric_evaluate(&question, &result);
    count_set_release(&counts);
    return result;
}

/* ---- values ---- */

struct evaluated {
    const struct metric_set *set;
    const struct metric_result *result;
};

static struct quantity metric_value_of(void *data, const char *name)
{
    const struct evaluated *evaluated = data;
    int at = metric_find(evaluated->set, name);

    return at == METRIC_NONE ? quantity_unknown() : evaluated->result->value[at].value;
}

static double value_of_row(const struct column *column, const struct table_row *row,
                           const struct metric_result *result)
{
    struct evaluated evaluated = {column->set, result};
    struct quantity value = row->metric ? metric_value_of(&evaluated, row->metric)
                                        : formula_value(row->formula, metric_value_of,
                                                        &evaluated, NULL, NULL);

    return value.known ? value.value : NAN;
}

/* What holds between the metrics holds in every result, whatever the counts. */
static void check_result(const struct metric_result *result, struct tally *tally)
{
    check_eq(result->identity_broken_nr, 0);
    tally->identities += result->identity_nr;
    for (size_t i = 0; i < result->note.nr; i++)
        tally->prefetches_among_misses += strstr(result->note.v[i], "L2_MR is") &&
                                          strstr(result->note.v[i], "above 1)");
}

/* All rows of the column: their values, and how far they can be from them since the rows
 * they are made from were rounded. */
static void compute(const struct column *column, double *value, double *spread,
                    struct tally *tally)
{
    struct rows rows = {column, -1, 0};
    struct metric_result centre = evaluate(&rows);
    size_t row_nr = column->table->row_nr;

    for (size_t k = 0; k < row_nr; k++) {
        value[k] = value_of_row(column, &column->table->row[k], &centre);
        spread[k] = 0;
    }
    check_result(&centre, tally);
    metric_result_release(&centre);
    for (size_t i = 0; i < column->input_nr; i++) {
        double max[2] = {column->value[i].low, column->value[i].high};
        double *far = xcalloc(row_nr, sizeof(*far));

        for (int end = 0; column->value[i].known && end < 2; end++) {
            struct metric_result moved;

            rows = (struct rows){column, (int)i, max[end]};
            moved = evaluate(&rows);
            for (size_t k = 0; k < row_nr; k++)
                far[k] = fmax(far[k],
                              fabs(value_of_row(column, &column->table->row[k], &moved) -
                                   value[k]));
            metric_result_release(&moved);
        }
        for (size_t k = 0; k < row_nr; k++)
            spread[k] += far[k];
        free(far);
    }
}

static bool is_input(const struct column *column, const char *metric)
{
    for (size_t i = 0; metric && i < column->input_nr; i++)
        if (!strcmp(column->input[i], metric))
            return true;
    return false;
}

static bool fits(const struct printed *printed, double value, double spread,
                 double tolerance)
{
    double slack = spread + (tolerance + 1e-9) * fabs(printed->value);

    return value >= printed->low - slack && value <= printed->high + slack;
}

static void say(const struct column *column, const struct table_row *row, double value,
                double spread)
{
    const struct table_column *named = &column->table->column[column->at];
    char *text = xasprintf("%s, %s %s, %s: %.6g +- %.2g, printed %.6g",
                           path_base(column->table->path), named->cpu, named->label,
                           row->what, value, spread, row->printed[column->at].value);

    check_true_at(false, text, HERE);
    free(text);
}

static void compare(const struct column *column, const struct table_row *row,
                    double value, double spread, struct tally *tally)
{
    const struct printed *printed = &row->printed[column->at];
    struct table_exception *exception =
        metric_table_exception(column->table, row->metric, column->at);
    bool well;

    if (!printed->known)
        return;
    well = fits(printed, value, spread, row->tolerance);
    if (!well && exception) {
        exception->used++;
        tally->tolerated += !exception->skip;
    }
    if (exception && exception->skip) {
        tally->excluded++;
        return;
    }
    if (exception && exception->tolerance > 0)
        well |= fits(printed, value, spread, exception->tolerance);
    *(is_input(column, row->metric) ? &tally->returned : &tally->compared) += 1;
    if (!well)
        say(column, row, value, spread);
}

/* An exception that makes no difference hides something. Those for a whole CPU need not
 * be needed in each column. */
static void check_exceptions(const struct metric_table *table)
{
    for (size_t i = 0; i < table->exception_nr; i++) {
        size_t used = 0;

        for (size_t k = 0; k < table->exception_nr; k++)
            if (table->exception[k].why == table->exception[i].why &&
                !strcmp(table->exception[k].metric, table->exception[i].metric))
                used += table->exception[k].used;
        if (!used)
            check_str(table->exception[i].metric, "an exception that is needed");
    }
}

static void check_ratios(const struct metric_table *table, struct tally *tally)
{
    for (size_t i = 0; i < table->ratio_nr; i++) {
        const struct table_ratio *ratio = &table->ratio[i];
        const struct printed of = metric_table_at(table, ratio->metric, ratio->of);
        const struct printed to = metric_table_at(table, ratio->metric, ratio->to);

        char *text =
            xasprintf("%s, %s %zu over %zu: %.4g, printed %g", table->path, ratio->metric,
                      ratio->of, ratio->to, of.value / to.value, ratio->printed.value);

        check_true_at(of.low / to.high <= ratio->printed.high &&
                          of.high / to.low >= ratio->printed.low,
                      text, HERE);
        free(text);
        tally->ratios++;
    }
}

static void check_table(const char *path, struct tally *tally)
{
    struct metric_table table;

    if (metric_table_read(path, &table))
        return;
    for (size_t i = 0; i < table.column_nr; i++) {
        double *value = xcalloc(table.row_nr, sizeof(*value));
        double *spread = xcalloc(table.row_nr, sizeof(*spread));
        struct column column;

        if (column_open(&table, i, &column)) {
            compute(&column, value, spread, tally);
            for (size_t k = 0; k < table.row_nr; k++)
                compare(&column, &table.row[k], value[k], spread[k], tally);
        }
        free(value);
        free(spread);
    }
    check_exceptions(&table);
    check_ratios(&table, tally);
    tally->mended += table.mended_nr;
    metric_table_release(&table);
}

TEST("all values follow from counts")
{
    static const char *const names[] = {
        "table08", "table14", "table16", "table17", "table18", "table19", "table20",
        "table22", "table23", "table25", "table26", "table27", "table28"};
    struct tally tally = {0};
    struct error err = {0};

    if (!check_ok(json_read_file(FOLDER "rebuild.json", "inflight.metrics-rebuild/1",
                                 &rebuilds, &err),
                  &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = xasprintf("%s%s.json", FOLDER, names[i]);

        check_table(path, &tally);
        free(path);
    }
    /* what docs/internals/figures-archive.md says */
    check_eq(tally.compared, 1003);
    check_eq(tally.returned, 754);
    check_eq(tally.excluded, 5);
    check_eq(tally.tolerated, 34);
    check_eq(tally.mended, 3);
    check_eq(tally.ratios, 27);
    check_eq(tally.identities, 590);
    check_eq(tally.prefetches_among_misses, 17);
    json_decref(rebuilds);
    for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
        metric_set_free(sets[i]);
}
