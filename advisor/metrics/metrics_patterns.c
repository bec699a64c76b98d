#include "advisor/metrics/metrics_patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/formula.h"
#include "core/base/units.h"
#include "core/files/fs.h"

struct side {
    const struct metric_question *question; /* NULL = there is none */
    struct metric_result result;
};
struct versions {
    struct side old, new;
    struct strvec spoken; /* groups that have had their say */
};

/* ---- values ---- */

static struct quantity side_value(const struct side *side, const char *name)
{
    const struct metric_question *question = side->question;
    int metric = question ? metric_find(question->set, name) : METRIC_NONE;
    if (metric != METRIC_NONE)
        return side->result.value[metric].value;
    for (size_t i = 0; question && i < question->given_nr; i++)
        if (!strcmp(question->given[i].name, name))
            return question->given[i].value;
    return quantity_unknown();
}

/* "old.X", "new.X", "ratio.X"; sets *name to X. */
static bool has_side(const char *text, const char *side, const char **name)
{
    size_t length = strlen(side);
    bool has = !strncmp(text, side, length) && text[length] == '.';
    if (has)
        *name = text + length + 1;
    return has;
}

static struct quantity named_value(void *data, const char *text)
{
    const struct versions *both = data;
    const char *name;
    if (has_side(text, "old", &name))
        return side_value(&both->old, name);
    if (has_side(text, "new", &name))
        return side_value(&both->new, name);
    if (has_side(text, "ratio", &name))
        return quantity_divide(side_value(&both->new, name),
                               side_value(&both->old, name));
    return quantity_unknown();
}

static int check_names(const struct json_at *at, const struct formula *formula,
                       struct error *err)
{
    const struct strvec *names = formula_names(formula);
    const char *name;
    for (size_t i = 0; i < names->nr; i++)
        if (!has_side(names->v[i], "old", &name) &&
            !has_side(names->v[i], "new", &name) &&
            !has_side(names->v[i], "ratio", &name))
            return json_fail(at, err, "\"%s\": expected old.X, new.X or ratio.X",
                             names->v[i]);
    return 0;
}

static int text_value(const struct json_at *at, const struct versions *both,
                      const char *text, struct quantity *value, struct error *err)
{
    struct formula *formula = NULL;
    struct error why = {0};
    if (formula_parse(text, &formula, &why))
        return json_fail(at, err, "\"%s\": %s", text, why.text);
    int status = check_names(at, formula, err);
    if (!status)
        *value = formula_value(formula, named_value, (void *)both, NULL, NULL);
    formula_free(formula);
    return status;
}

/* ---- conditions ---- */

/* What a value has to lie within; open = not at the ends either. */
struct range {
    double low, high;
    bool open;
};

static int read_ends(const struct json_at *at, struct range *range, struct error *err)
{
    struct json_at list;
    size_t nr;
    if (json_array_at(at, "value", &list, &nr, err))
        return -1;
    if (nr != 2)
        return json_fail(&list, err, "expected the two ends of a range");
    struct json_at low = json_element(&list, 0), high = json_element(&list, 1);
    return json_number_here(&low, -INFINITY, INFINITY, &range->low, err) ||
                   json_number_here(&high, range->low, INFINITY, &range->high, err)
               ? -1
               : 0;
}

static int read_range(const struct json_at *at, struct range *range, struct error *err)
{
    const char *op;
    if (json_string_at(at, "op", &op, err))
        return -1;
    *range = (struct range){-INFINITY, INFINITY, op[0] && !op[1]};
    if (!strcmp(op, "in"))
        return read_ends(at, range, err);
    if (strcmp(op, "<") && strcmp(op, "<=") && strcmp(op, ">") && strcmp(op, ">="))
        return json_fail(at, err, "op: expected <, <=, >, >= or in, got \"%s\"", op);
    return json_number_at(at, "value", -INFINITY, INFINITY,
                          *op == '<' ? &range->high : &range->low, err);
}

static bool range_holds(const struct range *range, struct quantity value)
{
    if (!value.known)
        return false;
    return range->open ? value.low > range->low && value.high < range->high
                       : value.low >= range->low && value.high <= range->high;
}

/* {"formula", "op", "value"} and perhaps "says". */
static int condition_holds(const struct json_at *at, const struct versions *both,
                           bool *holds, struct error *err)
{
    const char *text;
    struct quantity value;
    struct range range;
    if (json_only_keys(at, "formula op value says", err) ||
        json_string_at(at, "formula", &text, err) || read_range(at, &range, err) ||
        text_value(at, both, text, &value, err))
        return -1;
    *holds = range_holds(&range, value);
    return 0;
}

static int all_hold(const struct json_at *at, const struct versions *both, bool *holds,
                    struct error *err)
{
    struct json_at when;
    size_t nr;
    if (json_array_at(at, "when", &when, &nr, err))
        return -1;
    if (nr == 0)
        return json_fail(&when, err, "expected at least one condition");
    *holds = true;
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&when, i);
        bool here = false;
        if (condition_holds(&one, both, &here, err))
            return -1;
        *holds = *holds && here;
    }
    return 0;
}

/* ---- sentences ---- */

/* "16200 GB", "421 s", "0.16"; shares in percent. */
static void add_value(const struct versions *both, const char *text,
                      struct quantity value, struct buf *out)
{
    const char *name = NULL, *unit = "";
    const struct side *side = has_side(text, "old", &name)   ? &both->old
                              : has_side(text, "new", &name) ? &both->new
                                                             : NULL;
    int metric =
        side && side->question ? metric_find(side->question->set, name) : METRIC_NONE;
    if (!value.known) {
        buf_add(out, "unknown");
        return;
    }
    if (metric != METRIC_NONE)
        unit = side->question->set->metric[metric].unit;
    bool share = !strcmp(unit, "share"), bytes = !strcmp(unit, "B") && value.value >= 1e9;
    buf_add_number(out, value.value * (share ? 100 : bytes ? 1e-9 : 1));
    if (share || bytes || !strcmp(unit, "s"))
        buf_addf(out, " %s", share ? "%" : bytes ? "GB" : unit);
}

/* The texts of the list that is called so, behind one another. */
struct filled_list {
    const char *name;
    struct buf text;
};

static int add_filled(const struct json_at *at, const struct versions *both,
                      const char *text, const struct filled_list *list, size_t list_nr,
                      struct buf *out, struct error *err)
{
    const char *open = strchr(text, '{');
    for (; open; open = strchr(text, '{')) {
        size_t length = strcspn(open + 1, "{}"), i = 0;
        struct quantity value = quantity_unknown();
        if (open[1 + length] != '}')
            return json_fail(at, err, "\"%s\" lacks a closing brace", open);
        char *inner = xstrndup(open + 1, length);
        buf_add_n(out, text, (size_t)(open - text));
        while (i < list_nr && strcmp(list[i].name, inner))
            i++;
        int status = i < list_nr ? 0 : text_value(at, both, inner, &value, err);
        if (i < list_nr)
            buf_add(out, buf_str(&list[i].text));
        else if (!status)
            add_value(both, inner, value, out);
        free(inner);
        if (status)
            return -1;
        text = open + length + 2;
    }
    buf_add(out, text);
    return 0;
}

/* ---- lists: of those at least one must hold ---- */

static int fill_list(const struct json_at *at, const struct versions *both,
                     struct filled_list *list, struct error *err)
{
    struct json_at of;
    size_t nr;
    if (json_only_keys(at, "name of", err) ||
        json_string_at(at, "name", &list->name, err) ||
        json_array_at(at, "of", &of, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&of, i);
        struct buf text = {0};
        const char *says;
        bool holds = false;
        int status = condition_holds(&one, both, &holds, err) ||
                             json_string_at(&one, "says", &says, err) ||
                             add_filled(&one, both, says, NULL, 0, &text, err)
                         ? -1
                         : 0;
        if (!status && holds)
            buf_addf(&list->text, "%s%s", list->text.length ? ", " : "", buf_str(&text));
        buf_release(&text);
        if (status)
            return -1;
    }
    return 0;
}

enum { LISTS_MAX = 4 };

static int fill_lists(const struct json_at *at, const struct versions *both,
                      struct filled_list list[LISTS_MAX], size_t *nr, bool *holds,
                      struct error *err)
{
    struct json_at lists;
    *nr = 0;
    if (!json_has(at, "lists"))
        return 0;
    if (json_array_at(at, "lists", &lists, nr, err))
        return -1;
    if (*nr > LISTS_MAX)
        return json_fail(&lists, err, "expected at most %d lists", LISTS_MAX);
    for (size_t i = 0; i < *nr; i++) {
        struct json_at one = json_element(&lists, i);
        if (fill_list(&one, both, &list[i], err))
            return -1;
        *holds = *holds && list[i].text.length;
    }
    return 0;
}

/* ---- patterns ---- */

/* "cpus": same (versions of a program), different, any. */
static int cpus_fit(const struct json_at *at, const struct versions *both, bool *fit,
                    struct error *err)
{
    const char *word = "same";
    if (json_has(at, "cpus") && json_string_at(at, "cpus", &word, err))
        return -1;
    bool any = !strcmp(word, "any"), different = !strcmp(word, "different");
    if (!any && !different && strcmp(word, "same"))
        return json_fail(at, err, "cpus: expected same, different or any, got \"%s\"",
                         word);
    bool differ = both->old.question &&
                  strcmp(both->old.question->set->name, both->new.question->set->name);
    *fit = any || differ == different;
    return 0;
}

/* Of a group one speaks. */
static int group_is_open(const struct json_at *at, const struct versions *both,
                         const char **group, bool *open, struct error *err)
{
    *group = NULL;
    if (json_has(at, "group") && json_string_at(at, "group", group, err))
        return -1;
    *open = !*group || !strvec_has(&both->spoken, *group);
    return 0;
}

/* A condition asks for the time. */
static bool is_of_time(const struct json_at *at)
{
    const json_t *one;
    size_t i;
    bool is = false;
    json_array_foreach(json_object_get(at->node, "when"), i, one)
    {
        struct formula *formula = NULL;
        const char *text = json_string_value(json_object_get(one, "formula")), *name;
        if (formula_parse(text, &formula, NULL))
            continue;
        const struct strvec *names = formula_names(formula);
        for (size_t k = 0; k < names->nr; k++)
            is |= (name = strchr(names->v[k], '.')) && !strcmp(name, ".Time");
        formula_free(formula);
    }
    return is;
}

/* Times without any scatter are of one run each. */
static bool by_one_run(const struct json_at *at, const struct versions *both)
{
    struct quantity was = side_value(&both->old, "Time"),
                    is = side_value(&both->new, "Time");
    return was.known && is.known && was.low == was.high && is.low == is.high &&
           is_of_time(at);
}

/* The sentence, what to do and the id; also of one that does not fire, so that a mistake
 * in it is found. */
static int make_text(const struct json_at *at, const struct versions *both,
                     const struct filled_list *list, size_t list_nr, struct buf *text,
                     struct error *err)
{
    const char *id, *sentence, *action, *source;
    if (json_string_at(at, "id", &id, err) ||
        json_string_at(at, "sentence", &sentence, err) ||
        json_string_at(at, "action", &action, err) ||
        json_string_at(at, "source", &source, err) ||
        add_filled(at, both, sentence, list, list_nr, text, err))
        return -1;
    buf_addf(text, " %s%s [%s]",
             by_one_run(at, both) ? "By one run each; if more of them confirm it: " : "",
             action, id);
    return 0;
}

static int judge_pattern(const struct json_at *at, struct versions *both,
                         struct strvec *said, struct error *err)
{
    struct filled_list list[LISTS_MAX] = {{0}};
    struct buf text = {0};
    const char *group = NULL;
    size_t list_nr = 0;
    bool holds = false, fit = false, open = false;
    int status =
        json_only_keys(at, "id group cpus when lists sentence action source", err) ||
                cpus_fit(at, both, &fit, err) ||
                group_is_open(at, both, &group, &open, err) ||
                all_hold(at, both, &holds, err) ||
                fill_lists(at, both, list, &list_nr, &holds, err) ||
                make_text(at, both, list, list_nr, &text, err)
            ? -1
            : 0;
    if (!status && holds && fit && open) {
        strvec_push(said, buf_str(&text));
        if (group)
            strvec_push(&both->spoken, group);
    }
    for (size_t i = 0; i < LISTS_MAX; i++)
        buf_release(&list[i].text);
    buf_release(&text);
    return status;
}

static int judge_patterns(const char *path, struct versions *both, struct strvec *said,
                          struct error *err)
{
    struct json_at top, list;
    json_t *root = NULL;
    size_t nr = 0;
    if (json_read_file(path, "inflight.patterns/1", &root, err))
        return -1;
    top = json_top(path, root);
    int status = json_only_keys(&top, "schema about patterns", err) ||
                         json_array_at(&top, "patterns", &list, &nr, err)
                     ? -1
                     : 0;
    for (size_t i = 0; !status && i < nr; i++) {
        struct json_at one = json_element(&list, i);
        status = judge_pattern(&one, both, said, err);
    }
    json_decref(root);
    return status;
}

static void side_evaluate(struct side *side, const struct metric_question *question)
{
    side->question = question;
    if (question)
        metric_evaluate(question, &side->result);
}

int metrics_patterns(const struct metric_question *old, const struct metric_question *new,
                     struct strvec *said, struct error *err)
{
    struct versions both = {0};
    char *path = NULL;
    if (shipped_path("rules/patterns.json", &path, err))
        return -1;
    side_evaluate(&both.old, old);
    side_evaluate(&both.new, new);
    int status = judge_patterns(path, &both, said, err);
    metric_result_release(&both.old.result);
    metric_result_release(&both.new.result);
    strvec_release(&both.spoken);
    free(path);
    return status;
}
