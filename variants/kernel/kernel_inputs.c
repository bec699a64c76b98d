/* What a call takes from its caller, by name. */
#include "variants/kernel/kernel_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/directives/contents.h"
#include "variants/kernel/kernel_parts.h"

/* A number that the caller gives, or that lies outside of the function and may change. */
static bool is_number(const struct ir_symbol *symbol)
{
    const struct ir_symbol *root = outermost(symbol);

    if (symbol->type.pointers > 0 || symbol->dim_nr > 0 || !is_number_type(&symbol->type))
        return false;
    if (symbol->role != IR_PARAM && symbol->role != IR_GLOBAL && symbol->role != IR_FIELD)
        return false;
    if (symbol_is_element(symbol))
        return false;
    return root->role == IR_PARAM || (root->role == IR_GLOBAL &&
                                      (root->type.pointers > 0 ||
                                       (!root->type.is_const && !symbol->type.is_const)));
}

static size_t add_numbers(const struct kernel *kernel, struct kernel_input *list)
{
    const struct ir_function *function = kernel->function;
    size_t nr = 0;

    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];

        if (!is_number(symbol))
            continue;
        list[nr] = (struct kernel_input){.name = symbol->name, .records = -1};
        list[nr].kind = number_kind(&symbol->type);
        list[nr].bytes = symbol->type.bytes;
        list[nr++].is_size =
            symbol->type.scalar == IR_INT && is_size_symbol(function, symbol);
    }
    return nr;
}

/* Of all fields that are buffers of their own. */
static bool is_memory_written(const struct kernel *kernel, size_t memory)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].memory == memory && kernel->buffer[i].written)
            return true;
    return false;
}

/* The longest that any field needs; -1 when one of them is not known. */
static long long records_needed(const struct kernel *kernel, size_t memory)
{
    long long max = 0;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        long long inside = (long long)buffer->inside;

        if (buffer->memory != memory || !buffer->is_filled)
            continue;
        if (buffer->length < 0)
            return -1;
        if ((buffer->length + inside - 1) / inside > max)
            max = (buffer->length + inside - 1) / inside;
    }
    return max;
}

static size_t add_arrays(const struct kernel *kernel, struct kernel_input *list)
{
    size_t nr = 0;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];

        if (!buffer->is_filled || buffer->memory != i)
            continue;
        list[nr] = (struct kernel_input){.name = buffer->symbol->name, .records = -1};
        list[nr].is_array = true;
        list[nr].kind = *buffer->path ? 'r' : buffer->kind;
        list[nr].bytes = buffer->record_bytes;
        list[nr].in_place = lies_in_place(buffer->symbol);
        list[nr].written = is_memory_written(kernel, i);
        list[nr].levels = buffer->levels;
        list[nr].extent = buffer->extent;
        list[nr].is_handed_on = may_escape(kernel->function, buffer->symbol);
        list[nr++].records = records_needed(kernel, i);
    }
    return nr;
}

size_t kernel_inputs(struct kernel *kernel, struct kernel_input **out)
{
    struct kernel_input *list =
        xcalloc(kernel->function->symbol_nr + kernel->buffer_nr + 1, sizeof(*list));

    if (kernel_refresh_known(kernel, NULL))
        for (size_t i = 0; i < kernel->buffer_nr; i++)
            kernel->buffer[i].length = -1;
    size_t nr = add_numbers(kernel, list);
    *out = list;
    return nr + add_arrays(kernel, list + nr);
}

const struct strvec *kernel_read_flags(const struct kernel *kernel)
{
    return &kernel->cflags;
}

const char *kernel_flags_from(const struct kernel *kernel)
{
    return kernel->flags_from;
}

const char *kernel_inputs_note(const struct kernel *kernel)
{
    return kernel->inputs_note;
}

bool kernel_inputs_huge(const struct kernel *kernel)
{
    double huge = 0, all = 0;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct captured *captured = kernel->buffer[i].contents.captured;
        double bytes = captured ? buffer_bytes(kernel, i) : 0;

        all += bytes;
        huge += bytes > 0 && captured->huge_pages ? bytes : 0;
    }
    return all > 0 && huge >= all / 2;
}

int kernel_supplied(const struct kernel *kernel, struct error *err)
{
    if (kernel->unsupplied.status)
        return fail(err, kernel->unsupplied.status, "%s", kernel->unsupplied.text);
    return 0;
}

int kernel_is_whole(const struct kernel *kernel, struct error *err)
{
    if (kernel->function->kept)
        return fail(err, STATUS_INPUT, "%s", kernel->function->kept);
    return 0;
}

static void add_type(struct buf *out, const struct ir_type *type)
{
    if (type->full) {
        buf_add(out, type->full);
        return;
    }
    buf_addf(out, "%s%s", type->text, type->pointers ? " " : "");
    buf_add_repeat(out, '*', (size_t)type->pointers);
}

/* "double (*)[m]" of an array of arrays. */
static void add_param(struct buf *out, const struct ir_symbol *symbol)
{
    if (symbol->dim_nr < 2 || symbol->type.pointers != (int)symbol->dim_nr) {
        add_type(out, &symbol->type);
        return;
    }
    buf_addf(out, "%s (*)", symbol->type.text);
    for (size_t k = 1; k < symbol->dim_nr; k++) {
        buf_add(out, "[");
        if (symbol->dim[k])
            ir_print_expr(out, symbol->dim[k]);
        buf_add(out, "]");
    }
}

char *kernel_signature(const struct kernel *kernel)
{
    const struct ir_function *function = kernel->function;
    struct buf text = {0};

    add_type(&text, &function->result);
    buf_addf(&text, " %s(", function->name);
    for (size_t i = 0; i < function->param_nr; i++) {
        buf_add(&text, i ? ", " : "");
        add_param(&text, function->symbol[i]);
    }
    buf_add(&text, ")");
    return buf_detach(&text);
}

char *captured_word(const struct captured_array *array)
{
    struct captured captured = {.offset = array->offset,
                                .records = array->records,
                                .place = array->place,
                                .huge_pages = array->huge_pages};
    struct contents contents = {.file = xstrdup(array->path), .captured = &captured};
    struct buf text = {0};

    snprintf(captured.hash, sizeof(captured.hash), "%s", array->hash);
    buf_addf(&text, "buffer %s = ", array->name);
    captured.row_nr = array->row_nr;
    for (size_t i = 0; i < array->row_nr && i < KERNEL_LEVELS_MAX; i++)
        captured.rows[i] = array->rows[i];
    for (size_t i = 0; array->spare && i < array->row_nr && i < KERNEL_LEVELS_MAX; i++)
        captured.spare[i] = array->spare[i];
    captured_add(&text, &contents, true);
    free(contents.file);
    return buf_detach(&text);
}
