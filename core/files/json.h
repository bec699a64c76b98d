/*
 * JSON through jansson; this header is the one place that includes it. Writing uses
 * jansson's own calls (json_pack, json_object_set_new ...) on json_t. Reading uses the
 * cursor below, since jansson keeps no positions: every failure names file and path, such
 * as "rules/recipe.json: rules[3].when[0].value: expected a number, got a string".
 */
#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/quantity.h"

struct error;
struct strvec;

/* Parses (duplicate keys refused). Syntax errors give "path:line:column: text". `name` is
 * what messages call the text. Caller json_decref's. Checks that the top is an object
 * whose "schema" equals `schema` (NULL = no check). Files may be compressed with gzip. */
int json_read_file(const char *path, const char *schema, json_t **root,
                   struct error *err);
/* The same of a file that is believed: only the user's own (trust.h). */
int json_read_own(const char *path, const char *schema, json_t **root, struct error *err);
int json_read_text(const char *text, const char *name, const char *schema, json_t **root,
                   struct error *err);

/* Where we are in a document. Cursors live on the stack and borrow: node from the
 * document, parent from the caller. */
struct json_at {
    const char *file; /* for messages */
    const json_t *node;
    const struct json_at *parent;
    const char *key; /* NULL for an array element */
    size_t index;
};
struct json_at json_top(const char *file, const json_t *root);

/* "file: path: message", STATUS_INPUT, -1. */
int json_fail(const struct json_at *at, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Every key of the object must be one of the space-separated `keys`; the message names
 * the nearest of them, or all where they are few. */
int json_only_keys(const struct json_at *at, const char *keys, struct error *err);

bool json_has(const struct json_at *at, const char *key); /* present and not null */
int json_member(const struct json_at *at, const char *key, struct json_at *out,
                struct error *err); /* any type */
int json_object_at(const struct json_at *at, const char *key, struct json_at *out,
                   struct error *err);
int json_array_at(const struct json_at *at, const char *key, struct json_at *out,
                  size_t *nr, struct error *err);
struct json_at json_element(const struct json_at *array, size_t index);
/* Reads each element of the array, which has min to max of them (SIZE_MAX: any number),
 * by a function that puts it `into` what it belongs to. */
typedef int json_reader(const struct json_at *element, void *into, struct error *err);
int json_each(const struct json_at *at, const char *key, size_t min, size_t max,
              json_reader *read, void *into, struct error *err);
/* The same of a member that may be absent; of an array that is already here. */
int json_each_if(const struct json_at *at, const char *key, json_reader *read, void *into,
                 struct error *err);
int json_each_here(const struct json_at *array, json_reader *read, void *into,
                   struct error *err);
size_t json_size_at(const struct json_at *at, const char *key); /* 0: no array */

/* Required members with type and range; strings are borrowed from the document. */
int json_string_at(const struct json_at *at, const char *key, const char **out,
                   struct error *err);
/* The same as a copy that the caller frees; `if`: of a member that may be absent, which
 * gives NULL. */
int json_copy_at(const struct json_at *at, const char *key, char **out,
                 struct error *err);
int json_copy_if(const struct json_at *at, const char *key, char **out,
                 struct error *err);
int json_number_at(const struct json_at *at, const char *key, double low, double high,
                   double *out, struct error *err);
/* What is absent leaves what was there. */
int json_number_if(const struct json_at *at, const char *key, double low, double high,
                   double *out, struct error *err);
int json_bool_if(const struct json_at *at, const char *key, bool *out, struct error *err);
int json_integer_here(const struct json_at *at, long long low, long long high,
                      long long *out, struct error *err);
int json_integer_at(const struct json_at *at, const char *key, long long low,
                    long long high, long long *out, struct error *err);
int json_bool_at(const struct json_at *at, const char *key, bool *out, struct error *err);
/* Which of `words` it is; -1 and a message with the one that was meant, or all. `what` is
 * what they are: "unknown WHAT ...". */
int json_word_at(const struct json_at *at, const char *key, const char *what,
                 const char *const *words, size_t nr, struct error *err);
/* The same for a cursor that is itself the value (array elements). */
int json_number_here(const struct json_at *at, double low, double high, double *out,
                     struct error *err);
int json_string_here(const struct json_at *at, const char **out, struct error *err);

/* {"value":..,"low":..,"high":..,"runs":..,"provenance":".."} or null when unknown. */
json_t *json_quantity(struct quantity quantity);
int json_quantity_at(const struct json_at *at, const char *key, struct quantity *out,
                     struct error *err); /* null = unknown */

/* Real number or null for NaN and infinities. */
json_t *json_number_or_null(double number);

/* Text from elsewhere: null for NULL; of one that is no UTF-8, all but ASCII becomes '?'.
 */
json_t *text_json(const char *text);

/* An array of texts; of a required member that is one, each is pushed. */
json_t *json_strings(const char *const *text, size_t nr);
json_t *json_strvec(const struct strvec *list);
int json_strings_at(const struct json_at *at, const char *key, struct strvec *out,
                    struct error *err);

/* Writes with two-space indent, keys in insertion order, numbers with up to 10 digits, a
 * newline at the end; atomic; compressed when the path ends in ".gz". */
int json_write_file(const char *path, const json_t *root, struct error *err);
char *json_text(const json_t *root); /* the same text; caller frees */

#endif
