#include <string.h>

#include "core/base.h"
#include "core/inputs/inputs_parts.h"

static void add_line(struct buf *out, const char *name, const char *text)
{
    if (text && *text)
        buf_addf(out, "  %-9s %s\n", name, text);
}

static void add_array(const struct inputs_array *array, struct buf *out)
{
    buf_addf(out, "  %-12s", array->name);
    if (array->left_out) {
        buf_add(out, " left out, ");
        buf_add_size(out, (double)array->left_out_bytes);
        buf_addf(out, ": %s\n", array->left_out);
        return;
    }
    buf_addf(out, " %lld x %zu bytes = ", array->records, array->record_bytes);
    buf_add_size(out, (double)array->bytes);
    buf_addf(out, ", %s pages, address %% 2 MiB = %llu",
             array->huge_pages ? "huge" : "small",
             (unsigned long long)array->address % (2u << 20));
    if (array->untouched_bytes) {
        buf_add(out, ", not used before the call: ");
        buf_add_size(out, (double)array->untouched_bytes);
    }
    buf_add(out, array->written ? ", written" : "");
    buf_add(out, array->is_guessed ? ", to the end of its memory" : "");
    buf_add(out, "\n");
}

void inputs_text(const struct inputs *inputs, struct buf *out)
{
    buf_addf(out, "%s, call %lld of %s\n", inputs->signature, inputs->call,
             inputs->command);
    add_line(out, "source", inputs->source);
    add_line(out, "program", inputs->program);
    if (inputs->symbol && strcmp(inputs->symbol, inputs->function))
        add_line(out, "symbol", inputs->symbol);
    add_line(out, "host", inputs->host);
    add_line(out, "date", inputs->date);
    buf_add(out, inputs->number_nr ? "Numbers\n" : "");
    for (size_t i = 0; i < inputs->number_nr; i++)
        buf_addf(out, "  %-12s %s\n", inputs->number[i].name, inputs->number[i].value);
    buf_add(out, inputs->array_nr ? "Arrays\n" : "");
    for (size_t i = 0; i < inputs->array_nr; i++)
        add_array(&inputs->array[i], out);
    for (size_t i = 0; i < inputs->overlaps.nr; i++)
        buf_addf(out, "Note: %s\n", inputs->overlaps.v[i]);
}
