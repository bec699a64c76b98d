/* Conditions on values within intervals, and sentences with values in them. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/condition.h"
#include "tests/check.h"

SUITE(base_condition);

static const char *const words[] = {"full", "cache", "window", NULL};

/* As it stands in a file; of numbers, and of words. */
static int read(const char *text, bool numbers, struct condition *condition,
                json_t **root, struct error *err)
{
    if (json_read_text(text, "t", NULL, root, err))
        return -1;
    struct json_at at = json_top("t", *root);
    return numbers ? condition_read_numbers(&at, 1, condition, err)
                   : condition_read_words(&at, "'why'", words, condition, err);
}

TEST("numbers are judged")
{
    static const struct {
        const char *text;
        double value, low, high;
        bool holds, straddles;
    } cases[] = {
        {"{\"op\": \"<\", \"value\": 2}", 1, 1, 1, true, false},
        {"{\"op\": \"<\", \"value\": 2}", 2, 2, 2, false, false},
        {"{\"op\": \"<\", \"value\": 2}", 1, 0, 3, true, true},
        {"{\"op\": \"<\", \"value\": 2}", 3, 1, 4, false, true},
        {"{\"op\": \"<=\", \"value\": 2}", 2, 2, 2, true, false},
        {"{\"op\": \">\", \"value\": 2}", 3, 2, 4, true, true},
        {"{\"op\": \">=\", \"value\": 2}", 3, 2, 4, true, false},
        {"{\"op\": \"==\", \"value\": 2}", 2, 2, 2, true, false},
        {"{\"op\": \"==\", \"value\": 2}", 2, 1, 2, true, true},
        {"{\"op\": \"!=\", \"value\": 2}", 2, 2, 2, false, false},
        {"{\"op\": \"!=\", \"value\": 2}", 3, 1, 4, true, true},
        {"{\"op\": \"in\", \"value\": [1, 3]}", 3, 1, 3, true, false},
        {"{\"op\": \"in\", \"value\": [1, 3]}", 3, 1, 4, true, true},
        {"{\"op\": \"in\", \"value\": [1, 3]}", 4, 3.5, 5, false, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct condition condition;
        struct error err = {0};
        json_t *root = NULL;

        if (check_ok(read(cases[i].text, true, &condition, &root, &err), &err)) {
            struct condition_truth truth = condition_of_number(
                &condition, quantity_between(cases[i].value, cases[i].low, cases[i].high,
                                             0, PROVENANCE_DECLARED));

            if (!check(truth.holds == cases[i].holds) ||
                !check(truth.straddles == cases[i].straddles))
                check_str(cases[i].text, "");
            truth = condition_of_number(&condition, quantity_unknown());
            check(!truth.holds && !truth.straddles);
        }
        json_decref(root);
    }
}

TEST("words are judged")
{
    static const struct {
        const char *text, *word;
        bool holds;
    } cases[] = {
        {"{\"op\": \"==\", \"value\": \"full\"}", "full", true},
        {"{\"op\": \"==\", \"value\": \"full\"}", "cache", false},
        {"{\"op\": \"!=\", \"value\": \"full\"}", "cache", true},
        {"{\"op\": \"in\", \"value\": [\"full\", \"window\"]}", "window", true},
        {"{\"op\": \"in\", \"value\": [\"full\", \"window\"]}", "cache", false},
        {"{\"op\": \"!=\", \"value\": \"full\"}", NULL, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct condition condition;
        struct error err = {0};
        json_t *root = NULL;

        if (check_ok(read(cases[i].text, false, &condition, &root, &err), &err))
            check(condition_of_word(&condition, cases[i].word).holds == cases[i].holds);
        json_decref(root);
    }
}

/* Both hold for certain, perhaps, or one does not at all. */
TEST("several are one")
{
    const struct condition_truth certain = {true, false}, perhaps = {false, true},
                                 likely = {true, true}, no = {0};

    check(truth_both(certain, certain).holds && !truth_both(certain, certain).straddles);
    check(truth_both(certain, likely).holds && truth_both(certain, likely).straddles);
    check(!truth_both(likely, perhaps).holds && truth_both(likely, perhaps).straddles);
    check(!truth_both(likely, no).holds && !truth_both(no, likely).straddles);
}

TEST("mistakes have their place")
{
    static const struct {
        const char *text;
        bool numbers;
        const char *part;
    } cases[] = {
        {"{\"op\": \"=\", \"value\": 2}", true, "t: op: unknown operator \"=\"; did you"},
        {"{\"op\": \"about\", \"value\": 2}", true, "known are: <, <=, >, >=, ==, !="},
        {"{\"op\": \"<\", \"value\": \"2\"}", true, "t: value: expected a number"},
        {"{\"op\": \"in\", \"value\": [2]}", true, "value: expected two numbers"},
        {"{\"op\": \"in\", \"value\": [2, 1]}", true, "value[1]"},
        {"{\"op\": \"<\", \"value\": \"full\"}", false, "'why' is a word: op can be"},
        {"{\"op\": \"==\", \"value\": \"ful\"}", false, "no word \"ful\"; did you mean"},
        {"{\"op\": \"in\", \"value\": []}", false, "t: value: names no word"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct condition condition;
        struct error err = {0};
        json_t *root = NULL;

        check_fails(read(cases[i].text, cases[i].numbers, &condition, &root, &err), &err,
                    STATUS_INPUT, cases[i].part);
        json_decref(root);
    }
}

TEST("conditions are told")
{
    static const struct {
        const char *text, *unit, *given;
    } cases[] = {
        {"{\"op\": \">=\", \"value\": 0.9}", "share", "at least 90 %"},
        {"{\"op\": \"<\", \"value\": 12.5}", "GB/s", "below 12.5 GB/s"},
        {"{\"op\": \"in\", \"value\": [1, 2]}", "ns", "from 1 ns to 2 ns"},
        {"{\"op\": \"!=\", \"value\": 3}", "count", "is not 3"},
        {"{\"op\": \"in\", \"value\": [\"full\", \"cache\"]}", NULL,
         "one of full, cache"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct condition condition;
        struct error err = {0};
        struct buf given = {0};
        json_t *root = NULL;

        if (check_ok(read(cases[i].text, cases[i].unit, &condition, &root, &err), &err))
            condition_add_text(&condition, cases[i].unit ? cases[i].unit : "word",
                               &given);
        check_str(buf_str(&given), cases[i].given);
        buf_release(&given);
        json_decref(root);
    }
}

/* A unit for a name; the value is always 0.125. */
static void add(void *data, const char *name, struct buf *out)
{
    (*(size_t *)data)++;
    sentence_add_value(*name == '?' ? quantity_unknown()
                                    : quantity_exact(0.125, PROVENANCE_DECLARED),
                       name, out);
}

TEST("sentences are filled")
{
    static const struct {
        const char *sentence, *output;
    } cases[] = {
        {"nothing", "nothing"},
        {"{share} of it", "12 % of it"},
        {"{GB/s}, {s}, {B}, {ns}", "0.125 GB/s, 0.125 s, 0.125 B, 0.125 ns"},
        {"{lines} and {?}", "0.125 and unknown"},
    };
    struct error err = {0};
    struct json_at at = json_top("t", NULL);
    struct strvec names = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t asked = 0;
        char *output = sentence_fill(cases[i].sentence, add, &asked);

        check_str(output, cases[i].output);
        free(output);
        check_ok(sentence_names(&at, cases[i].sentence, &names, &err), &err);
        check_eq(names.nr, asked);
        strvec_release(&names);
    }
    check_fails(sentence_names(&at, "a {b and {c}", &names, &err), &err, STATUS_INPUT,
                "\"{b and \" lacks its closing brace");
    strvec_release(&names);
}
