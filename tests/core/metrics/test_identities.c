/*
 * What must hold between metrics: how definition files say it, what is said where it does
 * not hold, and where it does not hold in the tables of Gravelle 2022 as printed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/traffic/traffic.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_tables.h"

SUITE(metrics_identities);

#define DATA   INFLIGHT_SOURCE_DIR "/tests/data/metrics/identities/"
#define TABLES INFLIGHT_SOURCE_DIR "/tests/data/metrics/dissertation/"

/* ---- said of results ---- */

static void two_ways(const struct metric_set *set, struct quantity loads, double stores,
                     double all, struct metric_result *result)
{
    struct count_set counts = {0};
    const struct metric_question question = {.set = set, .counts = &counts};

    count_set_add(&counts, "LOADS", loads, 1);
    count_set_add(&counts, "STORES", quantity_exact(stores, PROVENANCE_PAPI), 1);
    count_set_add(&counts, "MEMORY_INSTRUCTIONS", quantity_exact(all, PROVENANCE_PAPI),
                  1);
    metric_evaluate(&question, result);
    count_set_release(&counts);
}

TEST("both sides are said")
{
    static const struct {
        double loads, off, stores, all;
        size_t broken;
        const char *first, *second; /* notes */
    } cases[] = {
        {200, 0, 100, 300, 0, NULL, NULL},
        {200, 0, 100, 301, 1,
         "'both' is 300, 'all' is 301, and they must be the same: each access is", NULL},
        {200, 1, 100, 301, 0, NULL, NULL}, /* within its uncertainty */
        {200, 1, 100, 302, 1, "'both' is 300, 'all' is 302", NULL},
        {20, 0, 60, 80, 0,
         "STORES / LOADS is 3 (above 2) and all is 80 (below 100): mostly stores, 80 in "
         "all",
         NULL},
        {20, 0, 60, 81, 1, "'both' is 80, 'all' is 81", "mostly stores"},
        {20, 10, 60, 80, 0, NULL, NULL}, /* perhaps 2 */
        {40, 0, 60, 100, 0, NULL, NULL},
        {0, 0, 60, 60, 0, NULL, NULL}, /* over 0 */
    };
    struct metric_set *set = NULL;
    struct error err = {0};

    if (!check_ok(metric_set_load(DATA "two_ways.json", NULL, &set, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct quantity loads =
            quantity_between(cases[i].loads, cases[i].loads - cases[i].off,
                             cases[i].loads + cases[i].off, 0, PROVENANCE_PAPI);
        struct metric_result result;

        two_ways(set, loads, cases[i].stores, cases[i].all, &result);
        check_eq(result.identity_nr, 2); /* the third rests on what it has not */
        check_eq(result.identity_broken_nr, cases[i].broken);
        check_eq(result.note.nr, (cases[i].first != NULL) + (cases[i].second != NULL));
        if (cases[i].first && result.note.nr > 0)
            check_contains(result.note.v[0], cases[i].first);
        if (cases[i].second && result.note.nr > 1)
            check_contains(result.note.v[1], cases[i].second);
        metric_result_release(&result);
    }
    metric_set_free(set);
}

static int read_metrics(const struct test_case *one, const char *path, struct error *err)
{
    struct metric_set *set = NULL;
    int result = metric_set_load(path, NULL, &set, err);

    (void)one;
    check(result == 0 || !set);
    metric_set_free(set);
    return result;
}

TEST("others are refused")
{
    check_refused(DATA "bad.cases", 11, read_metrics);
}

TEST("merging keeps them")
{
    struct metric_set *set = NULL, *more = NULL;
    struct metric_result result;
    struct error err = {0};
    size_t own;

    if (!check_ok(metric_set_load("traced", NULL, &set, &err), &err))
        return;
    own = set->identity_nr;
    if (check_ok(metric_set_load(DATA "two_ways.json", NULL, &more, &err), &err) &&
        check_ok(metric_set_merge(set, more, &err), &err)) {
        check_eq(set->identity_nr, own + 3);
        two_ways(set, quantity_exact(1, PROVENANCE_PAPI), 1, 3, &result);
        check_eq(result.identity_broken_nr, 1);
        metric_result_release(&result);
    }
    metric_set_free(set);
}

/* ---- held against printed rows ---- */

struct printed_column {
    const struct metric_table *table;
    size_t at;
    const json_t *cpu; /* of rebuild.json */
    struct strvec name;
    struct formula **formula; /* of each name: what the rows make of it */
    const char *moved;        /* a row that is elsewhere within its digits, */
    bool up;                  /* at its upper or lower end */
};

static const struct formula *made_of_rows(void *data, const char *name)
{
    const struct printed_column *column = data;

    for (size_t i = 0; i < column->name.nr; i++)
        if (!strcmp(column->name.v[i], name))
            return column->formula[i];
    return NULL;
}

static struct quantity printed_value(void *data, const char *name)
{
    const struct printed_column *column = data;
    struct printed row = metric_table_at(column->table, name, column->at);
    bool moved = column->moved && !strcmp(column->moved, name);

    if (!strcmp(name, "line_bytes"))
        return quantity_exact(json_number_value(json_object_get(column->cpu, name)),
                              PROVENANCE_TABLE);
    if (!row.known)
        return quantity_unknown();
    return quantity_exact(!moved       ? row.value
                          : column->up ? row.high
                                       : row.low,
                          PROVENANCE_TABLE);
}

/* 1 = the rows contradict it, whatever stands behind their digits; -1 = not printed. */
static int contradicts(struct printed_column *column,
                       const struct metric_identity *identity)
{
    struct formula *gap = formula_inlined(identity->gap.formula, made_of_rows, column);
    const struct strvec *names = formula_names(gap);
    struct quantity centre = formula_value(gap, printed_value, column, NULL, NULL);
    double spread = 0;

    for (size_t i = 0; i < names->nr && centre.known; i++) {
        double far = 0;

        for (int end = 0; end < 2; end++) {
            column->moved = names->v[i];
            column->up = end;
            far = fmax(far,
                       fabs(formula_value(gap, printed_value, column, NULL, NULL).value -
                            centre.value));
        }
        spread += far;
    }
    column->moved = NULL;
    formula_free(gap);
    return centre.known ? fabs(centre.value) > spread * (1 + 1e-9) : -1;
}

static void column_make(struct printed_column *column)
{
    const json_t *printed = json_object_get(column->cpu, "printed"), *one;
    size_t i;

    column->formula = xcalloc(json_array_size(printed), sizeof(*column->formula));
    json_array_foreach(printed, i, one) {
        struct error err = {0};

        strvec_push(&column->name, json_string_value(json_object_get(one, "name")));
        check_ok(formula_parse(json_string_value(json_object_get(one, "formula")),
                               &column->formula[i], &err),
                 &err);
    }
}

static void column_release(struct printed_column *column)
{
    for (size_t i = 0; i < column->name.nr; i++)
        formula_free(column->formula[i]);
    free(column->formula);
    strvec_release(&column->name);
}

static const json_t *cpu_of(const json_t *rebuild, const char *cpu, const char *precision)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(rebuild, "cpus"), i, one)
        if (!strcmp(json_string_value(json_object_get(one, "name")), cpu) &&
            !strcmp(json_string_value(json_object_get(one, "precision")), precision))
            return one;
    return NULL;
}

/* "CPU COLUMN: LEFT" for each contradiction. */
static void hold_against(const struct metric_table *table, const json_t *rebuild,
                         size_t *held, struct strvec *broken)
{
    for (size_t at = 0; at < table->column_nr; at++) {
        const struct table_column *named = &table->column[at];
        struct printed_column column = {
            .table = table,
            .at = at,
            .cpu = cpu_of(rebuild, named->cpu, table->precision)};
        struct metric_set *set = NULL;
        struct error err = {0};

        column_make(&column);
        if (check_ok(metric_set_load(named->cpu, NULL, &set, &err), &err))
            for (size_t i = 0; i < set->identity_nr; i++) {
                int contradicted = contradicts(&column, &set->identity[i]);

                *held += contradicted >= 0;
                if (contradicted > 0)
                    strvec_pushf(broken, "%s %s: %s", named->cpu, named->label,
                                 set->identity[i].left.text);
            }
        metric_set_free(set);
        column_release(&column);
    }
}

static void check_breaches(const struct metric_table *table, const struct strvec *broken)
{
    struct strvec want = {0};
    struct error err = {0};
    struct json_at top = json_top(table->path, table->root);

    if (json_has(&top, "breaches"))
        check_ok(json_strings_at(&top, "breaches", &want, &err), &err);
    char *got_text = strvec_join(broken, "\n"), *want_text = strvec_join(&want, "\n");
    check_str(got_text, want_text);
    free(got_text);
    free(want_text);
    strvec_release(&want);
}

TEST("tables hold but for what is known")
{
    static const char *const names[] = {"16", "17", "18", "19", "20", "22",
                                        "23", "25", "26", "27", "28"};
    size_t held = 0, breaches = 0;
    json_t *rebuild = NULL;
    struct error err = {0};

    if (!check_ok(json_read_file(TABLES "rebuild.json", "inflight.metrics-rebuild/1",
                                 &rebuild, &err),
                  &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = xasprintf(TABLES "table%s.json", names[i]);
        struct metric_table table;
        struct strvec broken = {0};

        if (metric_table_read(path, &table) == 0) {
            hold_against(&table, rebuild, &held, &broken);
            check_breaches(&table, &broken);
            breaches += broken.nr;
            metric_table_release(&table);
        }
        strvec_release(&broken);
        free(path);
    }
    check_eq(held, 510);
    check_eq(breaches, 33);
    json_decref(rebuild);
}
