#include "advisor/html/html_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NULL = as it is. */
static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
    case '\t':
        return NULL;
    default:
        return (unsigned char)c < ' ' || c == 127 ? " " : NULL;
    }
}

void html_text(struct buf *out, const char *text)
{
    while (*text) {
        size_t plain = 0;
        while (text[plain] && !entity_of(text[plain]))
            plain++;
        buf_add_n(out, text, plain);
        text += plain;
        if (*text)
            buf_add(out, entity_of(*text++));
    }
}

void html_element(struct buf *out, const char *tag, const char *text)
{
    buf_addf(out, "<%s>", tag);
    html_text(out, text);
    buf_addf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void html_elementf(struct buf *out, const char *tag, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    html_element(out, tag, buf_str(&text));
    buf_release(&text);
}

void html_script_json(struct buf *out, const json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
    for (const char *at = text ? text : "null"; *at; at++)
        if (strchr("<>&", *at))
            buf_addf(out, "\\u%04x", (unsigned)*at);
        else
            buf_add_n(out, at, 1);
    free(text);
}

/* ---- figures ---- */

/* Two digits behind the point for gains near 1, fewer for large ones. */
static void add_ratio_number(struct buf *out, double ratio)
{
    buf_addf(out, ratio >= 100 ? "%.0f" : ratio >= 10 ? "%.1f" : "%.2f", ratio);
}

void add_gain_text(struct buf *out, struct quantity gain)
{
    if (!gain.known) {
        buf_add(out, "unknown");
        return;
    }
    if (gain.doubted) {
        buf_add(out, "not believed");
        return;
    }
    add_ratio_number(out, gain.value);
    buf_add(out, "x");
}

static void add_end(struct buf *out, double end, double scale)
{
    if (scale == 1 && end < 1000 && end > 0.1)
        add_ratio_number(out, end);
    else
        buf_add_number(out, end * scale);
}

void add_range_text(struct buf *out, struct quantity quantity, double scale)
{
    if (!quantity.known || quantity.low == quantity.high)
        return;
    if (quantity.doubted) {
        buf_add(out, "the machine was busy");
        return;
    }
    if (isinf(quantity.high)) {
        add_end(out, quantity.low, scale);
        buf_add(out, " or more");
        return;
    }
    if (isinf(quantity.low)) {
        buf_add(out, "at most ");
        add_end(out, quantity.high, scale);
        return;
    }
    add_end(out, quantity.low, scale);
    buf_add(out, " to ");
    add_end(out, quantity.high, scale);
}

void add_time_text(struct buf *out, struct quantity seconds)
{
    if (seconds.known)
        buf_add_time(out, seconds.value);
    else
        buf_add(out, "unknown");
}

void add_figure_text(struct buf *out, struct quantity quantity, double scale,
                     const char *unit)
{
    if (!quantity.known) {
        buf_add(out, "unknown");
        return;
    }
    buf_add_number(out, quantity.value * scale);
    buf_addf(out, "%s%s", *unit ? " " : "", unit);
    if (quantity.low == quantity.high)
        return;
    struct buf range = {0};
    add_range_text(&range, quantity, scale);
    buf_addf(out, " (%s)", buf_str(&range));
    buf_release(&range);
}

/* ---- our own document ---- */

struct quantity doc_quantity(const json_t *object, const char *key)
{
    struct json_at at = json_top("report", object);
    struct quantity quantity = quantity_unknown();
    if (!json_is_object(json_object_get(object, key)) ||
        json_quantity_at(&at, key, &quantity, NULL))
        return quantity_unknown();
    return quantity;
}

struct quantity doc_resource(const json_t *resources, const char *resource,
                             const char *key)
{
    const json_t *one;
    size_t i;
    json_array_foreach(resources, i, one) {
        if (!strcmp(report_word(one, "resource"), resource))
            return doc_quantity(one, key);
    }
    return quantity_unknown();
}
