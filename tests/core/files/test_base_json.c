#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/files/fs.h"
#include "core/files/json.h"
#include "tests/check.h"

SUITE(base_json);

static const char document[] =
    "{\"schema\": \"t/1\", \"name\": \"skl\", \"n\": 12, \"x\": 1.5, \"on\": true,\n"
    " \"big\": 1e6, \"none\": null,\n"
    " \"rules\": [{\"when\": [{\"value\": \"high\"}, {\"value\": 3}]}, {}],\n"
    " \"q\": {\"value\": 2, \"low\": 1, \"high\": null, \"runs\": 5, \"provenance\": "
    "\"clock\"}}";

static json_t *load(void)
{
    struct error err = {0};
    json_t *root;

    if (json_read_text(document, "t.json", "t/1", &root, &err))
        abort();
    return root;
}

TEST("syntax errors have line and column")
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\n \"a\": }", "t.json:2:7: "},
        {"{\"a\": 1, \"a\": 2}", "duplicate"},
        {"", "t.json:1:0: "},
        {"{} x", "t.json:1:"},
        {"[1e999]", "t.json:1:"},
        {"{\"a\": \"\xff\"}", "0xff"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        json_t *root;

        check_fails(json_read_text(cases[i].text, "t.json", NULL, &root, &err), &err,
                    STATUS_INPUT, cases[i].want);
        check(root == NULL);
    }
}

TEST("the schema is checked")
{
    struct error err = {0};
    json_t *root;

    check_fails(json_read_text("{\"schema\": \"t/2\"}", "a", "t/1", &root, &err), &err,
                STATUS_INPUT, "a: schema: expected \"t/1\", got \"t/2\"");
    check_fails(json_read_text("{}", "a", "t/1", &root, &err), &err, STATUS_INPUT,
                "a: schema: is missing");
    check_fails(json_read_text("[]", "a", "t/1", &root, &err), &err, STATUS_INPUT,
                "expected an object");
    check_fails(json_read_file("/nonexistent.json", "t/1", &root, &err), &err,
                STATUS_INPUT, "cannot read '/nonexistent.json': No such file");
    check(root == NULL);
}

TEST("members are read")
{
    json_t *root = load();
    struct json_at top = json_top("t.json", root);
    struct error err = {0};
    const char *text;
    long long n = 0;
    double x = 0;
    bool on = false;

    check_ok(json_string_at(&top, "name", &text, &err), &err);
    check_str(text, "skl");
    check_ok(json_integer_at(&top, "n", 0, 20, &n, &err), &err);
    check_eq(n, 12);
    check_ok(json_integer_at(&top, "big", 0, 2000000, &n, &err), &err);
    check_eq(n, 1000000);
    check_ok(json_number_at(&top, "x", 0, 2, &x, &err), &err);
    check_near(x, 1.5, 0);
    check_ok(json_number_at(&top, "n", 0, 20, &x, &err), &err);
    check_ok(json_bool_at(&top, "on", &on, &err), &err);
    check(on);
    check(json_has(&top, "name"));
    check(!json_has(&top, "none"));
    check(!json_has(&top, "absent"));
    json_decref(root);
}

TEST("failures name file and path")
{
    json_t *root = load();
    struct json_at top = json_top("t.json", root), rules, rule, when, condition;
    struct error err = {0};
    double x;
    size_t nr;

    check_ok(json_array_at(&top, "rules", &rules, &nr, &err), &err);
    check_eq(nr, 2);
    rule = json_element(&rules, 0);
    check_ok(json_array_at(&rule, "when", &when, &nr, &err), &err);
    condition = json_element(&when, 0);
    check_fails(json_number_at(&condition, "value", 0, 1, &x, &err), &err, STATUS_INPUT,
                "t.json: rules[0].when[0].value: expected a number, got a string");
    condition = json_element(&when, 1);
    check_fails(json_number_at(&condition, "value", 0, 1, &x, &err), &err, STATUS_INPUT,
                "t.json: rules[0].when[1].value: expected a number in [0, 1], got 3");
    check_fails(json_number_at(&condition, "value", 4, INFINITY, &x, &err), &err,
                STATUS_INPUT, "of at least 4, got 3");
    rule = json_element(&rules, 1);
    check_fails(json_array_at(&rule, "when", &when, &nr, &err), &err, STATUS_INPUT,
                "t.json: rules[1].when: is missing");
    check_fails(json_fail(&top, &err, "too %s", "odd"), &err, STATUS_INPUT,
                "t.json: too odd");
    json_decref(root);
}

TEST("wrong types are refused")
{
    json_t *root = load();
    struct json_at top = json_top("t.json", root), out;
    struct error err = {0};
    const char *text;
    long long n;
    double x;
    size_t nr;
    bool on;

    check_fails(json_string_at(&top, "n", &text, &err), &err, STATUS_INPUT,
                "n: expected a string, got a number");
    check_fails(json_integer_at(&top, "x", 0, 9, &n, &err), &err, STATUS_INPUT,
                "x: expected an integer, got 1.5");
    check_fails(json_integer_at(&top, "n", 0, 9, &n, &err), &err, STATUS_INPUT,
                "n: expected an integer in [0, 9], got 12");
    check_fails(json_bool_at(&top, "n", &on, &err), &err, STATUS_INPUT, "true or false");
    check_fails(json_number_at(&top, "none", 0, 9, &x, &err), &err, STATUS_INPUT,
                "got null");
    check_fails(json_object_at(&top, "rules", &out, &err), &err, STATUS_INPUT,
                "rules: expected an object, got an array");
    check_fails(json_array_at(&top, "q", &out, &nr, &err), &err, STATUS_INPUT,
                "q: expected an array, got an object");
    json_decref(root);
}

TEST("unknown keys are refused")
{
    json_t *root = load();
    struct json_at top = json_top("t.json", root);
    struct error err = {0};

    check_ok(json_only_keys(&top, "schema name n x on big none rules q", &err), &err);
    check_fails(json_only_keys(&top, "schema names n x on big none rules q", &err), &err,
                STATUS_INPUT, "t.json: unknown key \"name\"; did you mean \"names\"?");
    check_fails(json_only_keys(&top, "schema n x on big none rules q", &err), &err,
                STATUS_INPUT, "t.json: unknown key \"name\"; known are: schema n x on");
    check_fails(json_only_keys(&top, "schema a b c d e f g h i j k l m", &err), &err,
                STATUS_INPUT,
                "unknown key \"name\"; none of the 14 known ones is like it");
    check_fails(json_only_keys(&top, "", &err), &err, STATUS_INPUT, "unknown key");
    json_decref(root);
}

TEST("quantities go both ways")
{
    json_t *root = load(), *written = json_object();
    struct json_at top = json_top("t.json", root), again = json_top("w", written);
    struct quantity q = quantity_unknown(), back = quantity_unknown();
    struct error err = {0};

    check_ok(json_quantity_at(&top, "q", &q, &err), &err);
    check(q.known && isinf(q.high));
    check_eq(q.provenance, PROVENANCE_CLOCK);
    json_object_set_new(written, "q", json_quantity(q));
    json_object_set_new(written, "u", json_quantity(quantity_unknown()));
    check_ok(json_quantity_at(&again, "q", &back, &err), &err);
    check_near(back.value, 2, 0);
    check_near(back.low, 1, 0);
    check(isinf(back.high));
    check_eq(back.runs, 5);
    check(!back.doubted && !json_object_get(json_object_get(written, "q"), "believed"));
    q.doubted = true;
    q.disturbed = 0.25;
    json_object_set_new(written, "q", json_quantity(q));
    check_ok(json_quantity_at(&again, "q", &back, &err), &err);
    check(back.doubted);
    check_near(back.disturbed, 0.25, 0);
    check_ok(json_quantity_at(&again, "u", &back, &err), &err);
    check(!back.known);
    check_ok(json_quantity_at(&top, "none", &q, &err), &err);
    check(!q.known);
    check_fails(json_quantity_at(&top, "n", &q, &err), &err, STATUS_INPUT, "n: expected");
    json_decref(root);
    json_decref(written);
}

TEST("bad quantities are refused")
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\"q\": {\"value\": 5, \"low\": 1, \"high\": 2, \"runs\": 1, \"provenance\": "
         "\"papi\"}}",
         "q: expected low <= value <= high"},
        {"{\"q\": {\"value\": 1, \"low\": 1, \"high\": 2, \"runs\": 1, \"provenance\": "
         "\"oracle\"}}",
         "q: provenance: unknown word \"oracle\""},
        {"{\"q\": {\"value\": 1}}", "q.low: is missing"},
        {"{\"q\": {\"value\": 1, \"unit\": 3}}", "q: unknown key \"unit\""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct json_at top;
        struct quantity q;
        json_t *root;

        if (!check_ok(json_read_text(cases[i].text, "t", NULL, &root, &err), &err))
            return;
        top = json_top("t", root);
        check_fails(json_quantity_at(&top, "q", &q, &err), &err, STATUS_INPUT,
                    cases[i].want);
        json_decref(root);
    }
}

TEST("text is stable")
{
    json_t *root = json_object();
    char *text;

    json_object_set_new(root, "z", json_real(0.1));
    json_object_set_new(root, "a", json_number_or_null(NAN));
    json_object_set_new(root, "m", json_real(1.0 / 3));
    json_object_set_new(root, "i", json_integer(3));
    text = json_text(root);
    check_str(
        text,
        "{\n  \"z\": 0.1,\n  \"a\": null,\n  \"m\": 0.3333333333,\n  \"i\": 3\n}\n");
    free(text);
    json_decref(root);
}

TEST("texts from elsewhere become JSON")
{
    static const char *const cases[][2] = {
        {"plain", "\"plain\"\n"},
        {"\xc3\xa4", "\"\xc3\xa4\"\n"},
        {"\xc3\xa4 cut \xc3", "\"?? cut ?\"\n"},
        {NULL, "null\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        json_t *value = text_json(cases[i][0]);
        char *text = json_text(value);

        check_str(text, cases[i][1]);
        free(text);
        json_decref(value);
    }
}

TEST("files go both ways")
{
    struct error err = {0};
    char *dir = NULL, *path;
    json_t *root = load(), *back = NULL;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    path = path_join(dir, "t.json");
    check_ok(json_write_file(path, root, &err), &err);
    check_ok(json_read_file(path, "t/1", &back, &err), &err);
    check(json_equal(root, back));
    json_decref(root);
    json_decref(back);
    free(path);
    scratch_remove(dir);
}
