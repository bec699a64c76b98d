#include "core/files/condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/figures.h"
#include "core/base/text.h"

static const char *const op_words[] = {
#define X(name, word, phrase) [OP_##name] = word,
    CONDITION_OP_MAP(X)
#undef X
};
static const char *const op_phrases[] = {
#define X(name, word, phrase) [OP_##name] = phrase,
    CONDITION_OP_MAP(X)
#undef X
};

const char *condition_op_word(enum condition_op op)
{
    return op_words[op];
}

/* ---- reading ---- */

static int read_op(const struct json_at *at, struct condition *condition,
                   struct error *err)
{
    int op = json_word_at(at, "op", "operator", op_words, ARRAY_SIZE(op_words), err);

    *condition = (struct condition){.op = op < 0 ? OP_LESS : (enum condition_op)op};
    return op < 0 ? -1 : 0;
}

static int read_range(const struct json_at *at, struct condition *condition,
                      struct error *err)
{
    struct json_at value, low, high;
    size_t nr;

    if (json_array_at(at, "value", &value, &nr, err))
        return -1;
    if (nr != 2)
        return json_fail(&value, err, "expected two numbers, the ends of a range");
    low = json_element(&value, 0);
    high = json_element(&value, 1);
    if (json_number_here(&low, -INFINITY, INFINITY, &condition->low, err))
        return -1;
    return json_number_here(&high, condition->low, INFINITY, &condition->high, err);
}

int condition_read_numbers(const struct json_at *at, double factor,
                           struct condition *condition, struct error *err)
{
    if (read_op(at, condition, err))
        return -1;
    if (condition->op == OP_IN) {
        if (read_range(at, condition, err))
            return -1;
    } else {
        if (json_number_at(at, "value", -INFINITY, INFINITY, &condition->low, err))
            return -1;
        condition->high = condition->low;
    }
    condition->low *= factor;
    condition->high *= factor;
    return 0;
}

struct word_list {
    const char *what; /* they are of */
    const char *const *words;
};

static int check_word(const struct json_at *here, void *into, struct error *err)
{
    const struct word_list *list = into;
    struct buf known = {0};
    const char *word;
    size_t nr = 0;

    if (json_string_here(here, &word, err))
        return -1;
    for (; list->words[nr]; nr++)
        if (strcmp(list->words[nr], word) == 0)
            return 0;
    buf_add_known(&known, word, list->words, nr);
    json_fail(here, err, "%s has no word \"%s\"%s", list->what, word, buf_str(&known));
    buf_release(&known);
    return -1;
}

int condition_read_words(const struct json_at *at, const char *what,
                         const char *const *words, struct condition *condition,
                         struct error *err)
{
    struct word_list list = {what, words};
    struct json_at value;
    size_t nr;

    if (read_op(at, condition, err))
        return -1;
    if (condition->op < OP_EQUAL)
        return json_fail(at, err, "%s is a word: op can be ==, != or in", what);
    if (condition->op != OP_IN) {
        if (json_member(at, "value", &value, err) || check_word(&value, &list, err))
            return -1;
        condition->word = value.node;
        return 0;
    }
    if (json_array_at(at, "value", &value, &nr, err) ||
        json_each_here(&value, check_word, &list, err))
        return -1;
    condition->word = value.node;
    return nr ? 0 : json_fail(&value, err, "names no word");
}

/* ---- truth ---- */

static bool compare(enum condition_op op, double value, double bound)
{
    switch (op) {
    case OP_LESS:
        return value < bound;
    case OP_AT_MOST:
        return value <= bound;
    case OP_MORE:
        return value > bound;
    default:
        return value >= bound;
    }
}

/* `==` is a range of one number. */
static struct condition_truth within(const struct condition *condition,
                                     struct quantity number)
{
    bool outside = number.high < condition->low || number.low > condition->high;
    bool inside = number.low >= condition->low && number.high <= condition->high;

    return (struct condition_truth){
        .holds = number.value >= condition->low && number.value <= condition->high,
        .straddles = !outside && !inside,
    };
}

struct condition_truth condition_of_number(const struct condition *condition,
                                           struct quantity number)
{
    struct condition_truth truth;

    if (!number.known)
        return (struct condition_truth){0};
    if (condition->op >= OP_EQUAL) {
        truth = within(condition, number);
        truth.holds ^= condition->op == OP_NOT_EQUAL;
        return truth;
    }
    truth.holds = compare(condition->op, number.value, condition->low);
    truth.straddles = compare(condition->op, number.low, condition->low) !=
                      compare(condition->op, number.high, condition->low);
    return truth;
}

static bool is_listed(const json_t *words, const char *word)
{
    for (size_t i = 0; i < json_array_size(words); i++)
        if (strcmp(json_string_value(json_array_get(words, i)), word) == 0)
            return true;
    return false;
}

struct condition_truth condition_of_word(const struct condition *condition,
                                         const char *word)
{
    struct condition_truth truth = {0};

    if (!word)
        return truth;
    if (condition->op == OP_IN)
        truth.holds = is_listed(condition->word, word);
    else
        truth.holds = (strcmp(json_string_value(condition->word), word) == 0) ==
                      (condition->op == OP_EQUAL);
    return truth;
}

struct condition_truth truth_both(struct condition_truth a, struct condition_truth b)
{
    if ((!a.holds && !a.straddles) || (!b.holds && !b.straddles))
        return (struct condition_truth){0};
    return (struct condition_truth){a.holds && b.holds, a.straddles || b.straddles};
}

/* ---- in words ---- */

/* A bare number says nothing of its unit: "share", "count", "lines", "ratio". */
static const char *shown_unit(const char *unit)
{
    bool shown = strchr(unit, '/') || strcmp(unit, "ns") == 0 || strcmp(unit, "s") == 0 ||
                 strcmp(unit, "B") == 0;
    return shown ? unit : "";
}

static void add_bound(double value, const char *unit, struct buf *out)
{
    if (strcmp(unit, "share") == 0)
        buf_addf(out, "%.10g %%", 100 * value);
    else
        buf_addf(out, "%.10g", value);
    unit = shown_unit(unit);
    buf_addf(out, "%s%s", *unit ? " " : "", unit);
}

static void add_words(const json_t *words, struct buf *out)
{
    if (json_is_string(words))
        buf_add(out, json_string_value(words));
    for (size_t i = 0; i < json_array_size(words); i++)
        buf_addf(out, "%s%s", i ? ", " : "", json_string_value(json_array_get(words, i)));
}

void condition_add_text(const struct condition *condition, const char *unit,
                        struct buf *out)
{
    if (condition->op == OP_IN && !condition->word) {
        buf_add(out, "from ");
        add_bound(condition->low, unit, out);
        buf_add(out, " to ");
        add_bound(condition->high, unit, out);
        return;
    }
    buf_addf(out, "%s ", op_phrases[condition->op]);
    if (condition->word)
        add_words(condition->word, out);
    else
        add_bound(condition->low, unit, out);
}

/* ---- sentences ---- */

/* The next "{name}": its name without braces; NULL when there is none. */
static const char *placeholder_next(const char *text, size_t *name_length)
{
    const char *open = strchr(text, '{');

    if (!open)
        return NULL;
    *name_length = strcspn(open + 1, "{}");
    return open + 1;
}

int sentence_names(const struct json_at *here, const char *sentence, struct strvec *names,
                   struct error *err)
{
    size_t length = 0;

    for (const char *name = placeholder_next(sentence, &length); name;
         name = placeholder_next(name + length, &length)) {
        if (name[length] != '}')
            return json_fail(here, err, "\"{%.*s\" lacks its closing brace", (int)length,
                             name);
        strvec_pushf(names, "%.*s", (int)length, name);
    }
    return 0;
}

char *sentence_fill(const char *sentence,
                    void (*add)(void *data, const char *name, struct buf *out),
                    void *data)
{
    struct buf out = {0};
    size_t length = 0;

    for (const char *at = placeholder_next(sentence, &length); at;
         at = placeholder_next(sentence, &length)) {
        char *name = xstrndup(at, length);

        buf_add_n(&out, sentence, (size_t)(at - 1 - sentence));
        add(data, name, &out);
        free(name);
        sentence = at + length + 1;
    }
    buf_add(&out, sentence);
    return buf_detach(&out);
}

void sentence_add_value(struct quantity value, const char *unit, struct buf *out)
{
    if (value.known && strcmp(unit, "share") == 0)
        buf_add_percent(out, value.value);
    else
        buf_add_value(out, value, 1, shown_unit(unit));
}
