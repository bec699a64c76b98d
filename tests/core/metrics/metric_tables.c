#include "tests/core/metrics/metric_tables.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "tests/check.h"

/* ---- numbers as printed ---- */

static char *without_commas(const char *text)
{
    struct buf plain = {0};

    for (; *text; text++)
        if (*text != ',')
            buf_addf(&plain, "%c", *text);
    return buf_detach(&plain);
}

static int decimals(const char *mantissa)
{
    const char *point = strchr(mantissa, '.');

    return point ? (int)strspn(point + 1, "0123456789") : 0;
}

static double half_of_digit(double value, int significant)
{
    return 0.5 * pow(10, floor(log10(fabs(value))) - significant + 1);
}

struct printed printed_read(const char *text, int significant, double times)
{
    char *plain = without_commas(text), *end;
    struct printed got = {.known = strcmp(text, "NA") != 0};
    double half;

    got.value = strtod(plain, &end);
    half = 0.5 * pow(10, -decimals(plain));
    if (strpbrk(plain, "eE"))
        half *= pow(10, strtol(strpbrk(plain, "eE") + 1, NULL, 10));
    if (significant && got.value != 0)
        half = fmax(half, half_of_digit(got.value, significant));
    if (!strcmp(end, "...")) /* cut off, not rounded */
        got.value += half;
    else if (got.known)
        check_str(end, "");
    got.value *= times;
    got.low = got.value - half * times;
    got.high = got.value + half * times;
    free(plain);
    return got;
}

/* ---- members ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key, double otherwise)
{
    const json_t *number = json_object_get(object, key);

    return number ? json_number_value(number) : otherwise;
}

static bool concerns(const json_t *exception, const struct table_column *column)
{
    const char *cpu = text_of(exception, "cpu"), *label = text_of(exception, "column");

    return (!cpu || !strcmp(cpu, column->cpu)) &&
           (!label || !strcmp(label, column->label));
}

/* As the source should have printed it. */
static const char *mended(const struct metric_table *table, const char *metric,
                          size_t column, const char *text)
{
    const json_t *exception;
    size_t i;

    json_array_foreach(json_object_get(table->root, "exceptions"), i, exception)
        if (text_of(exception, "read") && metric &&
            !strcmp(text_of(exception, "metric"), metric) &&
            concerns(exception, &table->column[column]))
            return text_of(exception, "read");
    return text;
}

static void read_row(const json_t *json, struct metric_table *table,
                     struct table_row *row)
{
    const json_t *cells = json_object_get(json, "printed");
    struct printed *printed = xcalloc(table->column_nr, sizeof(*printed));
    struct error err = {0};

    row->metric = text_of(json, "metric");
    row->what = row->metric ? row->metric : text_of(json, "formula");
    row->tolerance = number_of(json, "tolerance", 0);
    if (!row->metric)
        check_ok(formula_parse(row->what, &row->formula, &err), &err);
    check_eq(json_array_size(cells), table->column_nr);
    for (size_t i = 0; i < table->column_nr; i++) {
        const char *text = json_string_value(json_array_get(cells, i));
        const char *right = mended(table, row->metric, i, text);

        table->mended_nr += right != text;
        printed[i] = printed_read(right, (int)number_of(json, "significant", 0),
                                  number_of(json, "times", 1));
    }
    row->printed = printed;
}

static void read_rows(struct metric_table *table)
{
    const json_t *json = json_object_get(table->root, "rows");

    table->row_nr = json_array_size(json);
    table->row = xcalloc(table->row_nr, sizeof(*table->row));
    for (size_t i = 0; i < table->row_nr; i++)
        read_row(json_array_get(json, i), table, &table->row[i]);
}

static void read_columns(struct metric_table *table)
{
    const json_t *json = json_object_get(table->root, "columns");

    table->column_nr = json_array_size(json);
    table->column = xcalloc(table->column_nr, sizeof(*table->column));
    for (size_t i = 0; i < table->column_nr; i++)
        table->column[i] =
            (struct table_column){text_of(json_array_get(json, i), "cpu"),
                                  text_of(json_array_get(json, i), "label")};
}

static void read_ratios(struct metric_table *table)
{
    const json_t *json = json_object_get(table->root, "ratios");

    table->ratio_nr = json_array_size(json);
    table->ratio = xcalloc(table->ratio_nr + 1, sizeof(*table->ratio));
    for (size_t i = 0; i < table->ratio_nr; i++) {
        const json_t *one = json_array_get(json, i);

        table->ratio[i] = (struct table_ratio){
            text_of(one, "metric"), (size_t)number_of(one, "of", 0),
            (size_t)number_of(one, "to", 0), printed_read(text_of(one, "printed"), 0, 1)};
    }
}

/* One for each column it concerns. */
static void read_exceptions(struct metric_table *table)
{
    const json_t *json = json_object_get(table->root, "exceptions"), *one;
    size_t i;

    table->exception =
        xcalloc(json_array_size(json) * table->column_nr + 1, sizeof(*table->exception));
    json_array_foreach(json, i, one)
        for (size_t k = 0; k < table->column_nr; k++)
            if (!text_of(one, "read") && concerns(one, &table->column[k]))
                table->exception[table->exception_nr++] = (struct table_exception){
                    .metric = text_of(one, "metric"),
                    .why = text_of(one, "why"),
                    .column = (int)k,
                    .skip = json_is_true(json_object_get(one, "skip")),
                    .tolerance = number_of(one, "tolerance", 0)};
}

int metric_table_read(const char *path, struct metric_table *table)
{
    struct error err = {0};

    *table = (struct metric_table){.path = path};
    if (!check_ok(json_read_file(path, "inflight.metrics-table/1", &table->root, &err),
                  &err))
        return -1;
    table->precision = text_of(table->root, "precision");
    read_columns(table);
    read_rows(table);
    read_ratios(table);
    read_exceptions(table);
    return 0;
}

void metric_table_release(struct metric_table *table)
{
    for (size_t i = 0; i < table->row_nr; i++) {
        formula_free(table->row[i].formula);
        free((void *)(uintptr_t)table->row[i].printed);
    }
    free(table->column);
    free(table->row);
    free(table->ratio);
    free(table->exception);
    json_decref(table->root);
    *table = (struct metric_table){0};
}

/* The widest, where several concern the value. */
struct table_exception *metric_table_exception(const struct metric_table *table,
                                               const char *metric, size_t column)
{
    struct table_exception *found = NULL;

    for (size_t i = 0; i < table->exception_nr; i++) {
        struct table_exception *one = &table->exception[i];

        if (metric && !strcmp(one->metric, metric) && one->column == (int)column &&
            (!found || one->skip || one->tolerance > found->tolerance))
            found = one;
    }
    return found;
}

struct printed metric_table_at(const struct metric_table *table, const char *metric,
                               size_t column)
{
    for (size_t i = 0; i < table->row_nr; i++)
        if (table->row[i].metric && !strcmp(table->row[i].metric, metric))
            return table->row[i].printed[column];
    return (struct printed){0};
}
