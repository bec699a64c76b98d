#include "core/files/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/files/gz.h"

enum { digits = 10 };

/* "inflight.record/2" for "inflight.record/1" */
static bool is_other_version(const char *found, const char *schema)
{
    return strncmp(found, schema, strcspn(schema, "/") + 1) == 0;
}

static int check_schema(const char *name, const char *schema, const json_t *root,
                        struct error *err)
{
    struct json_at top = json_top(name, root);
    const char *found = NULL;

    if (!schema)
        return 0;
    if (!json_is_object(root))
        return json_fail(&top, err, "expected an object with \"schema\": \"%s\"", schema);
    if (json_string_at(&top, "schema", &found, err))
        return -1;
    if (strcmp(found, schema) != 0)
        return json_fail(
            &top, err, "schema: expected \"%s\", got \"%s\"%s", schema, found,
            is_other_version(found, schema) ? ", of another version of inflight: use "
                                              "that version, or create the file again"
                                            : "");
    return 0;
}

static int parse(const char *text, size_t length, const char *name, const char *schema,
                 json_t **root, struct error *err)
{
    json_error_t where;

    if (length == 0)
        return fail(err, STATUS_INPUT, "%s:1:0: the file is empty, and JSON is expected",
                    name);
    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (!*root)
        return fail(err, STATUS_INPUT, "%s:%d:%d: %s", name, where.line, where.column,
                    where.text);
    if (check_schema(name, schema, *root, err)) {
        json_decref(*root);
        *root = NULL;
        return -1;
    }
    return 0;
}

static int read_file(const char *path, bool own, const char *schema, json_t **root,
                     struct error *err)
{
    struct buf text = {0};
    int result = (own ? file_read_own_gz : file_read_gz)(path, &text, err);

    *root = NULL;
    if (!result)
        result = parse(buf_str(&text), text.length, path, schema, root, err);
    buf_release(&text);
    return result;
}

int json_read_file(const char *path, const char *schema, json_t **root, struct error *err)
{
    return read_file(path, false, schema, root, err);
}

int json_read_own(const char *path, const char *schema, json_t **root, struct error *err)
{
    return read_file(path, true, schema, root, err);
}

int json_read_text(const char *text, const char *name, const char *schema, json_t **root,
                   struct error *err)
{
    return parse(text, strlen(text), name, schema, root, err);
}

json_t *json_number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* Compilers' messages cut within a character, file names in another encoding. */
json_t *text_json(const char *text)
{
    json_t *string = text ? json_string(text) : json_null();
    char *ascii;

    if (string)
        return string;
    ascii = xstrdup(text);
    for (char *c = ascii; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(ascii);
    free(ascii);
    return string;
}

json_t *json_quantity(struct quantity quantity)
{
    json_t *object;

    if (!quantity.known || !isfinite(quantity.value))
        return json_null();
    object = json_object();
    json_object_set_new(object, "value", json_real(quantity.value));
    json_object_set_new(object, "low", json_number_or_null(quantity.low));
    json_object_set_new(object, "high", json_number_or_null(quantity.high));
    json_object_set_new(object, "runs", json_integer((json_int_t)quantity.runs));
    json_object_set_new(object, "provenance",
                        json_string(provenance_word(quantity.provenance)));
    if (quantity.disturbed > 0)
        json_object_set_new(object, "disturbed", json_real(quantity.disturbed));
    if (quantity.doubted)
        json_object_set_new(object, "believed", json_false());
    return object;
}

char *json_text(const json_t *root)
{
    char *text =
        json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(digits) | JSON_ENCODE_ANY);
    size_t length;

    if (!text) /* out of memory or a cycle */
        abort();
    length = strlen(text);
    text = xrealloc(text, length + 2, 1);
    memcpy(text + length, "\n", 2);
    return text;
}

int json_write_file(const char *path, const json_t *root, struct error *err)
{
    char *text = json_text(root);
    int result = file_write_gz(path, text, strlen(text), err);

    free(text);
    return result;
}

json_t *json_strings(const char *const *text, size_t nr)
{
    json_t *list = json_array();

    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, text_json(text[i]));
    return list;
}

json_t *json_strvec(const struct strvec *list)
{
    return json_strings((const char *const *)list->v, list->nr);
}

static const double exact_limit = 9007199254740992.0; /* 2^53 */

static const char *type_name(const json_t *node)
{
    static const char *const name[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
        [JSON_STRING] = "a string",  [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };

    return node ? name[json_typeof(node)] : "nothing";
}

struct json_at json_top(const char *file, const json_t *root)
{
    return (struct json_at){.file = file, .node = root};
}

static void add_path(struct buf *path, const struct json_at *at)
{
    if (!at->parent)
        return;
    add_path(path, at->parent);
    if (at->key)
        buf_addf(path, "%s%s", path->length ? "." : "", at->key);
    else
        buf_addf(path, "[%zu]", at->index);
}

int json_fail(const struct json_at *at, struct error *err, const char *format, ...)
{
    struct buf path = {0}, message = {0};
    va_list args;

    va_start(args, format);
    buf_addf_va(&message, format, args);
    va_end(args);
    add_path(&path, at);
    fail(err, STATUS_INPUT, "%s: %s%s%s", at->file, buf_str(&path),
         path.length ? ": " : "", buf_str(&message));
    buf_release(&path);
    buf_release(&message);
    return -1;
}

static int wrong_type(const struct json_at *at, const char *expected, struct error *err)
{
    return json_fail(at, err, "expected %s, got %s", expected, type_name(at->node));
}

static bool is_listed(const char *keys, const char *key)
{
    size_t length = strlen(key);

    while (*keys) {
        size_t word = strcspn(keys, " ");

        if (word == length && strncmp(keys, key, length) == 0)
            return true;
        keys += word;
        keys += strspn(keys, " ");
    }
    return false;
}

static int unknown_key(const struct json_at *at, const char *key, const char *keys,
                       struct error *err)
{
    const size_t few = 12;
    struct strvec list = {0};

    strvec_split(&list, keys);
    const char *near = nearest_word(key, (const char *const *)list.v, list.nr);
    if (near)
        json_fail(at, err, "unknown key \"%s\"; did you mean \"%s\"?", key, near);
    else if (list.nr && list.nr <= few)
        json_fail(at, err, "unknown key \"%s\"; known are: %s", key, keys);
    else
        json_fail(at, err, "unknown key \"%s\"; none of the %zu known ones is like it",
                  key, list.nr);
    strvec_release(&list);
    return -1;
}

int json_only_keys(const struct json_at *at, const char *keys, struct error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(at->node))
        return wrong_type(at, "an object", err);
    /* jansson's iterators take no const */
    json_object_foreach((json_t *)(uintptr_t)at->node, key, value) {
        if (!is_listed(keys, key))
            return unknown_key(at, key, keys, err);
    }
    return 0;
}

static struct json_at member(const struct json_at *at, const char *key)
{
    return (struct json_at){.file = at->file,
                            .node = json_object_get(at->node, key),
                            .parent = at,
                            .key = key};
}

bool json_has(const struct json_at *at, const char *key)
{
    const json_t *node = json_object_get(at->node, key);

    return node && !json_is_null(node);
}

int json_member(const struct json_at *at, const char *key, struct json_at *out,
                struct error *err)
{
    if (!json_is_object(at->node))
        return wrong_type(at, "an object", err);
    *out = member(at, key);
    return out->node ? 0 : json_fail(out, err, "is missing");
}

int json_object_at(const struct json_at *at, const char *key, struct json_at *out,
                   struct error *err)
{
    if (json_member(at, key, out, err))
        return -1;
    return json_is_object(out->node) ? 0 : wrong_type(out, "an object", err);
}

int json_array_at(const struct json_at *at, const char *key, struct json_at *out,
                  size_t *nr, struct error *err)
{
    if (json_member(at, key, out, err))
        return -1;
    if (!json_is_array(out->node))
        return wrong_type(out, "an array", err);
    *nr = json_array_size(out->node);
    return 0;
}

struct json_at json_element(const struct json_at *array, size_t index)
{
    return (struct json_at){.file = array->file,
                            .node = json_array_get(array->node, index),
                            .parent = array,
                            .index = index};
}

int json_each_here(const struct json_at *array, json_reader *read, void *into,
                   struct error *err)
{
    for (size_t i = 0; i < json_array_size(array->node); i++) {
        struct json_at element = json_element(array, i);

        if (read(&element, into, err))
            return -1;
    }
    return 0;
}

int json_each(const struct json_at *at, const char *key, size_t min, size_t max,
              json_reader *read, void *into, struct error *err)
{
    struct json_at list;
    size_t nr;

    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    if (nr < min && max == SIZE_MAX)
        return json_fail(&list, err, "expected at least %zu, got %zu", min, nr);
    if (nr < min || nr > max)
        return json_fail(&list, err, "expected %zu to %zu elements, got %zu", min, max,
                         nr);
    return json_each_here(&list, read, into, err);
}

int json_each_if(const struct json_at *at, const char *key, json_reader *read, void *into,
                 struct error *err)
{
    return json_has(at, key) ? json_each(at, key, 0, SIZE_MAX, read, into, err) : 0;
}

size_t json_size_at(const struct json_at *at, const char *key)
{
    return json_array_size(json_object_get(at->node, key));
}

int json_string_here(const struct json_at *at, const char **out, struct error *err)
{
    if (!json_is_string(at->node))
        return wrong_type(at, "a string", err);
    *out = json_string_value(at->node);
    return 0;
}

int json_string_at(const struct json_at *at, const char *key, const char **out,
                   struct error *err)
{
    struct json_at here;

    if (json_member(at, key, &here, err))
        return -1;
    return json_string_here(&here, out, err);
}

int json_copy_at(const struct json_at *at, const char *key, char **out, struct error *err)
{
    const char *text = NULL;

    if (json_string_at(at, key, &text, err))
        return -1;
    *out = xstrdup(text);
    return 0;
}

int json_copy_if(const struct json_at *at, const char *key, char **out, struct error *err)
{
    *out = NULL;
    return json_has(at, key) ? json_copy_at(at, key, out, err) : 0;
}

int json_word_at(const struct json_at *at, const char *key, const char *what,
                 const char *const *words, size_t nr, struct error *err)
{
    struct json_at here;
    struct buf known = {0};
    const char *word = NULL;

    if (json_member(at, key, &here, err) || json_string_here(&here, &word, err))
        return -1;
    for (size_t i = 0; i < nr; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    buf_add_known(&known, word, words, nr);
    json_fail(&here, err, "unknown %s \"%s\"%s", what, word, buf_str(&known));
    buf_release(&known);
    return -1;
}

static int out_of_range(const struct json_at *at, double low, double high, double got,
                        struct error *err)
{
    if (isinf(high))
        return json_fail(at, err, "expected a number of at least %.10g, got %.10g", low,
                         got);
    if (isinf(low))
        return json_fail(at, err, "expected a number of at most %.10g, got %.10g", high,
                         got);
    return json_fail(at, err, "expected a number in [%.10g, %.10g], got %.10g", low, high,
                     got);
}

int json_number_here(const struct json_at *at, double low, double high, double *out,
                     struct error *err)
{
    double number;

    if (!json_is_number(at->node))
        return wrong_type(at, "a number", err);
    number = json_number_value(at->node);
    if (number < low || number > high)
        return out_of_range(at, low, high, number, err);
    *out = number;
    return 0;
}

int json_number_at(const struct json_at *at, const char *key, double low, double high,
                   double *out, struct error *err)
{
    struct json_at here;

    if (json_member(at, key, &here, err))
        return -1;
    return json_number_here(&here, low, high, out, err);
}

int json_number_if(const struct json_at *at, const char *key, double low, double high,
                   double *out, struct error *err)
{
    return json_has(at, key) ? json_number_at(at, key, low, high, out, err) : 0;
}

int json_integer_here(const struct json_at *at, long long low, long long high,
                      long long *out, struct error *err)
{
    long long number;

    if (json_is_integer(at->node)) {
        number = json_integer_value(at->node);
    } else if (json_is_real(at->node)) { /* 1e6 is an integer to people */
        double real = json_real_value(at->node);

        if (real != floor(real) || fabs(real) > exact_limit)
            return json_fail(at, err, "expected an integer, got %.10g", real);
        number = (long long)real;
    } else {
        return wrong_type(at, "an integer", err);
    }
    if (number < low || number > high)
        return json_fail(at, err, "expected an integer in [%lld, %lld], got %lld", low,
                         high, number);
    *out = number;
    return 0;
}

int json_integer_at(const struct json_at *at, const char *key, long long low,
                    long long high, long long *out, struct error *err)
{
    struct json_at here;

    return json_member(at, key, &here, err)
               ? -1
               : json_integer_here(&here, low, high, out, err);
}

int json_bool_at(const struct json_at *at, const char *key, bool *out, struct error *err)
{
    struct json_at here;

    if (json_member(at, key, &here, err))
        return -1;
    if (!json_is_boolean(here.node))
        return wrong_type(&here, "true or false", err);
    *out = json_is_true(here.node);
    return 0;
}

int json_bool_if(const struct json_at *at, const char *key, bool *out, struct error *err)
{
    return json_has(at, key) ? json_bool_at(at, key, out, err) : 0;
}

/* An open end of an interval is written as null. */
static int interval_end(const struct json_at *at, const char *key, double open,
                        double *out, struct error *err)
{
    struct json_at here;

    if (json_member(at, key, &here, err))
        return -1;
    if (json_is_null(here.node)) {
        *out = open;
        return 0;
    }
    return json_number_here(&here, -INFINITY, INFINITY, out, err);
}

static int read_quantity(const struct json_at *at, struct quantity *out,
                         struct error *err)
{
    const char *word = NULL;
    double value = 0, low = 0, high = 0;
    long long runs;
    enum provenance provenance;
    double disturbed = 0;
    bool believed = true;

    if (json_only_keys(at, "value low high runs provenance disturbed believed", err) ||
        json_number_at(at, "value", -INFINITY, INFINITY, &value, err) ||
        interval_end(at, "low", -INFINITY, &low, err) ||
        interval_end(at, "high", INFINITY, &high, err) ||
        json_integer_at(at, "runs", 0, (long long)exact_limit, &runs, err) ||
        json_string_at(at, "provenance", &word, err) ||
        json_number_if(at, "disturbed", 0, 1, &disturbed, err) ||
        json_bool_if(at, "believed", &believed, err))
        return -1;
    if (value < low || value > high)
        return json_fail(at, err,
                         "expected low <= value <= high, got %.10g, %.10g, %.10g", low,
                         value, high);
    provenance = provenance_from_word(word);
    if (provenance == PROVENANCE_NONE && strcmp(word, "none") != 0)
        return json_fail(at, err, "provenance: unknown word \"%s\"", word);
    *out = quantity_between(value, low, high, (size_t)runs, provenance);
    out->disturbed = disturbed;
    out->doubted = !believed;
    return 0;
}

int json_quantity_at(const struct json_at *at, const char *key, struct quantity *out,
                     struct error *err)
{
    struct json_at here;

    if (json_member(at, key, &here, err))
        return -1;
    if (json_is_null(here.node)) {
        *out = quantity_unknown();
        return 0;
    }
    return read_quantity(&here, out, err);
}

int json_strings_at(const struct json_at *at, const char *key, struct strvec *out,
                    struct error *err)
{
    struct json_at list = {0};
    size_t nr = 0;

    if (json_array_at(at, key, &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(&list, i);
        const char *text = NULL;

        if (json_string_here(&one, &text, err))
            return -1;
        strvec_push(out, text);
    }
    return 0;
}
