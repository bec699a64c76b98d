#include "core/files/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
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
    const char *found;

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
                                              "that version, or make the file anew"
                                            : "");
    return 0;
}

static int parse(const char *text, size_t length, const char *name, const char *schema,
                 json_t **root, struct error *err)
{
    json_error_t where;

    if (length == 0)
        return fail(err, STATUS_INPUT,
                    "%s:1:0: there is nothing here, and JSON is expected", name);
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

int json_read_file(const char *path, const char *schema, json_t **root, struct error *err)
{
    struct buf text = {0};
    int result = -1;

    *root = NULL;
    if (file_read_gz(path, &text, err))
        goto out;
    result = parse(buf_str(&text), text.length, path, schema, root, err);
out:
    buf_release(&text);
    return result;
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
