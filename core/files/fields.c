#include "core/files/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

static json_t *number_or_null(double number, const struct field *field)
{
    return number == 0 && !field->required ? json_null() : json_number_or_null(number);
}

/* Noise makes intervals wider than what can be: a rate is not below 0. */
static json_t *quantity_json(struct quantity quantity, const struct field *field)
{
    if (quantity.value >= field->low && quantity.low < field->low)
        quantity.low = field->low;
    if (quantity.value <= field->high && quantity.high > field->high &&
        !isinf(quantity.high))
        quantity.high = field->high;
    return json_quantity(quantity);
}

static json_t *field_json(const struct field *field, const char *place)
{
    switch (field->type) {
    case FIELD_TEXT:
        return text_json(*(char *const *)(const void *)place);
    case FIELD_NUMBER:
        return number_or_null(*(const double *)(const void *)place, field);
    case FIELD_INTEGER: {
        int number = *(const int *)(const void *)place;

        return number || field->required ? json_integer(number) : json_null();
    }
    case FIELD_BOOL:
        return json_boolean(*(const bool *)(const void *)place);
    case FIELD_QUANTITY:
        return quantity_json(*(const struct quantity *)(const void *)place, field);
    }
    return json_null();
}

void fields_write(const struct field_list *list, const void *from, json_t *object)
{
    for (size_t i = 0; i < list->nr; i++)
        json_object_set_new(
            object, list->field[i].key,
            field_json(&list->field[i], (const char *)from + list->field[i].offset));
}

static int read_quantity(const struct field *field, const struct json_at *at,
                         struct quantity *to, struct error *err)
{
    static const char *const end[] = {"value", "low", "high"};
    struct json_at here;

    if (json_quantity_at(at, field->key, to, err))
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(end); i++) {
        double number = i == 0 ? to->value : i == 1 ? to->low : to->high;

        if (to->known && !isinf(number) && (number < field->low || number > field->high))
            return json_member(at, field->key, &here, err) ||
                   json_fail(&here, err, "%s: expected a number in [%g, %g], got %.10g",
                             end[i], field->low, field->high, number);
    }
    return 0;
}

static int read_text(const struct field *field, const struct json_at *at, char **to,
                     struct error *err)
{
    struct json_at here;
    const char *text;

    if (json_string_at(at, field->key, &text, err))
        return -1;
    if (field->required && !*text)
        return json_member(at, field->key, &here, err) ||
               json_fail(&here, err, "is empty");
    free(*to);
    *to = xstrdup(text);
    return 0;
}

static int read_integer(const struct field *field, const struct json_at *at, int *to,
                        struct error *err)
{
    long long number;

    if (json_integer_at(at, field->key, (long long)field->low, (long long)field->high,
                        &number, err))
        return -1;
    *to = (int)number;
    return 0;
}

static int field_read(const struct field *field, const struct json_at *at, char *place,
                      struct error *err)
{
    void *to = place;

    switch (field->type) {
    case FIELD_TEXT:
        return read_text(field, at, to, err);
    case FIELD_NUMBER:
        return json_number_at(at, field->key, field->low, field->high, to, err);
    case FIELD_INTEGER:
        return read_integer(field, at, to, err);
    case FIELD_BOOL:
        return json_bool_at(at, field->key, to, err);
    case FIELD_QUANTITY:
        return read_quantity(field, at, to, err);
    }
    return -1;
}

static int check_keys(const struct field_list *list, const struct json_at *at,
                      struct error *err)
{
    struct buf keys = {0};
    int result;

    for (size_t i = 0; i < list->nr; i++)
        buf_addf(&keys, "%s%s", i ? " " : "", list->field[i].key);
    buf_add(&keys, list->more);
    result = json_only_keys(at, buf_str(&keys), err);
    buf_release(&keys);
    return result;
}

int fields_read(const struct field_list *list, const struct json_at *at, void *to,
                struct error *err)
{
    if (check_keys(list, at, err))
        return -1;
    for (size_t i = 0; i < list->nr; i++) {
        const struct field *field = &list->field[i];

        if (!field->required && !json_has(at, field->key))
            continue;
        if (field_read(field, at, (char *)to + field->offset, err))
            return -1;
    }
    return 0;
}
