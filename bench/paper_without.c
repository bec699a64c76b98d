#include "bench/paper_without.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char derivation_path[] =
    INFLIGHT_SOURCE_DIR "/tests/data/paper/derivation.json";
/* Of no utilization: nothing is ever that full. */
static const double never = 1e9;

struct without {
    const struct paper *paper;
    const struct rule_set *full;
    const char *application;
    enum paper_told told;
    json_t *recipe, *derivation;
    struct buf *said;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static bool lists(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), word) == 0)
            return true;
    return false;
}

/* Rests on this application alone. */
static bool falls(const struct without *without, const json_t *item)
{
    const json_t *applications = json_object_get(item, "applications");

    return json_array_size(applications) == 1 &&
           lists(applications, without->application);
}

static const json_t *listed(const struct without *without, const char *key, size_t i)
{
    return json_array_get(json_object_get(without->derivation, key), i);
}

static size_t listed_nr(const struct without *without, const char *key)
{
    return json_array_size(json_object_get(without->derivation, key));
}

/* ---- what falls away ---- */

static void drop_rules(const struct without *without)
{
    json_t *rules = json_object_get(without->recipe, "rules");

    for (size_t k = 0; k < listed_nr(without, "rules"); k++) {
        const json_t *item = listed(without, "rules", k);

        for (size_t i = json_array_size(rules); falls(without, item) && i-- > 0;)
            if (!strcmp(text_of(json_array_get(rules, i), "id"), text_of(item, "rule"))) {
                json_array_remove(rules, i);
                buf_addf(without->said, "no rule %s (%s)\n", text_of(item, "rule"),
                         text_of(item, "why"));
            }
    }
}

static void drop_condition(json_t *rule, const char *metric)
{
    json_t *when = json_object_get(rule, "when");

    for (size_t i = json_array_size(when); i-- > 0;)
        if (!strcmp(text_of(json_array_get(when, i), "metric"), metric))
            json_array_remove(when, i);
}

static void drop_conditions(const struct without *without)
{
    json_t *rules = json_object_get(without->recipe, "rules");

    for (size_t k = 0; k < listed_nr(without, "conditions"); k++) {
        const json_t *item = listed(without, "conditions", k);

        for (size_t i = 0; falls(without, item) && i < json_array_size(rules); i++) {
            json_t *rule = json_array_get(rules, i);

            if (strcmp(text_of(rule, "id"), text_of(item, "rule")))
                continue;
            drop_condition(rule, text_of(item, "metric"));
            buf_addf(without->said, "no condition on %s in %s (%s)\n",
                     text_of(item, "metric"), text_of(item, "rule"),
                     text_of(item, "why"));
        }
    }
}

/* ---- thresholds from the rows of the others ---- */

static bool is_threshold(const json_t *condition, const json_t *threshold)
{
    const json_t *value = json_object_get(condition, "value");
    double of = json_number_value(json_object_get(threshold, "value"));

    return lists(json_object_get(threshold, "metrics"), text_of(condition, "metric")) &&
           json_is_number(value) && fabs(json_number_value(value) - of) < 1e-9;
}

/* The rule asks whether the threshold is reached. */
static bool stops_by(const struct without *without, const char *id,
                     const json_t *threshold)
{
    const json_t *rules = json_object_get(without->recipe, "rules");

    for (size_t i = 0; i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i),
                     *when = json_object_get(rule, "when");

        for (size_t k = 0; !strcmp(text_of(rule, "id"), id) && k < json_array_size(when);
             k++)
            if (is_threshold(json_array_get(when, k), threshold) &&
                text_of(json_array_get(when, k), "op")[0] == '>')
                return true;
    }
    return false;
}

struct between {
    double gain, stopped; /* the largest that gained; the smallest rightly stopped */
};

static int look_at(const struct without *without, const struct paper_row *row,
                   const json_t *threshold, struct between *between, struct error *err)
{
    bool gains = paper_class_of(row->speedup) == PAPER_GAIN;
    struct rule_facts *facts = paper_facts(row, without->told, err);
    struct paper_opinion opinion;
    json_t *all, *fact;

    if (!facts || paper_judge(without->full, row, without->told, &opinion, err)) {
        rule_facts_free(facts);
        return -1;
    }
    all = rule_facts_to_json(facts);
    fact = json_object_get(json_object_get(all, text_of(threshold, "metric")), "value");
    if (fact && gains)
        between->gain = fmax(between->gain, json_number_value(fact));
    else if (fact && stops_by(without, opinion.rule, threshold))
        between->stopped = fmin(between->stopped, json_number_value(fact));
    json_decref(all);
    rule_facts_free(facts);
    return 0;
}

static void put_threshold(json_t *recipe, const json_t *threshold, double value)
{
    json_t *rules = json_object_get(recipe, "rules");

    for (size_t i = 0; i < json_array_size(rules); i++) {
        json_t *when = json_object_get(json_array_get(rules, i), "when");

        for (size_t k = 0; k < json_array_size(when); k++)
            if (is_threshold(json_array_get(when, k), threshold))
                json_object_set_new(json_array_get(when, k), "value", json_real(value));
    }
}

static int derive(const struct without *without, const json_t *threshold, double *value,
                  struct error *err)
{
    struct between between = {0, INFINITY};
    const json_t *transformations = json_object_get(threshold, "transformations");

    for (size_t i = 0; i < without->paper->nr; i++) {
        const struct paper_row *row = &without->paper->row[i];

        if (row->tried && strcmp(row->application_id, without->application) != 0 &&
            lists(transformations, row->transformation) &&
            look_at(without, row, threshold, &between, err))
            return -1;
    }
    *value = isinf(between.stopped) ? never : (between.gain + between.stopped) / 2;
    if (*value == never)
        buf_addf(without->said, "%s: no row of the others says from where on\n",
                 text_of(threshold, "name"));
    else
        buf_addf(without->said,
                 "%s from %.2f: the others gained up to %.2f, were stopped from %.2f\n",
                 text_of(threshold, "name"), *value, between.gain, between.stopped);
    return 0;
}

static int derive_thresholds(const struct without *without, struct error *err)
{
    enum { MOST = 8 };
    size_t nr = listed_nr(without, "thresholds");
    double value[MOST];

    if (nr > MOST)
        return fail(err, STATUS_FAILED, "%s: more than %d thresholds", derivation_path,
                    MOST);
    for (size_t i = 0; i < nr; i++) /* all from the recipe as it is */
        if (derive(without, listed(without, "thresholds", i), &value[i], err))
            return -1;
    for (size_t i = 0; i < nr; i++)
        put_threshold(without->recipe, listed(without, "thresholds", i), value[i]);
    return 0;
}

static int load(const json_t *recipe, struct rule_set **set, struct error *err)
{
    char *dir = NULL, *path;
    int status = scratch_make(&dir, err);

    if (status)
        return -1;
    path = path_join(dir, "recipe.json");
    *set = NULL;
    status = json_write_file(path, recipe, err) || rule_set_load(path, set, err) ? -1 : 0;
    free(path);
    scratch_remove(dir);
    return status;
}

int paper_without(const struct paper *paper, const struct rule_set *full,
                  const char *application, enum paper_told told, struct rule_set **set,
                  struct buf *said, struct error *err)
{
    struct without without = {paper, full, application, told, NULL, NULL, said};
    char *path = NULL;
    int status = shipped_path("rules/recipe.json", &path, err) ||
                         json_read_file(path, NULL, &without.recipe, err) ||
                         json_read_file(derivation_path, "inflight.paper-derivation/1",
                                        &without.derivation, err) ||
                         derive_thresholds(&without, err)
                     ? -1
                     : 0;

    if (!status) {
        drop_rules(&without);
        drop_conditions(&without);
        status = load(without.recipe, set, err);
    }
    json_decref(without.recipe);
    json_decref(without.derivation);
    free(path);
    return status;
}
