/* Sizes and contents: every scalar gets a value, every buffer an extent and contents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/figures.h"
#include "core/machine/machine.h"
#include "core/process/spawn.h"
#include "variants/kernel/kernel_parts.h"

/* ---- streams ---- */

/* What hardware prefetchers are given by the innermost loop that goes round most. */

/* A stride below a line walks along it. */
enum { line_bytes = 64 };

static double rounds_of(const struct kernel_view *view, int loop)
{
    double all = 1;

    for (; loop >= 0; loop = view->loop[loop].parent)
        all = view->loop[loop].trips < 0 ? NAN : all * view->loop[loop].trips;
    return all;
}

static int busiest_loop(const struct kernel_view *view)
{
    int busiest = -1;
    double max = -1;

    for (size_t i = 0; i < view->loop_nr; i++) {
        double rounds = view->loop[i].innermost ? rounds_of(view, (int)i) : 0;

        if (isnan(rounds)) /* it could be this one */
            return -1;
        if (view->loop[i].innermost && view->loop[i].modelled && rounds > max) {
            max = rounds;
            busiest = (int)i;
        }
    }
    return busiest;
}

static bool is_stream(const struct kernel_view *view, size_t access, int loop)
{
    double stride = fabs(view->access[access].stride_at[view->loop[loop].depth]);

    return view->access[access].loop == loop && stride > 0 && stride < line_bytes;
}

static bool has_stream_before(const struct kernel_view *view, size_t access, int loop)
{
    for (size_t i = 0; i < access; i++)
        if (view->access[i].array == view->access[access].array &&
            is_stream(view, i, loop))
            return true;
    return false;
}

/* sets kernel->chains */
static void kernel_find_streams(struct kernel *kernel)
{
    struct kernel_view view = kernel_view(kernel);
    int loop = busiest_loop(&view);
    double streams = 0, bytes = INFINITY;

    kernel->streams = kernel->run_bytes = quantity_unknown();
    if (loop < 0)
        return;
    for (size_t i = 0; i < view.access_nr; i++) {
        if (!is_stream(&view, i, loop) || has_stream_before(&view, i, loop))
            continue;
        streams++;
        bytes = fmin(bytes, view.loop[loop].trips *
                                fabs(view.access[i].stride_at[view.loop[loop].depth]));
    }
    kernel->streams = quantity_exact(streams, PROVENANCE_SOURCE);
    if (streams > 0)
        kernel->run_bytes = quantity_exact(bytes, PROVENANCE_SOURCE);
}

/* ---- kernel bind ---- */

/* ---- contents ---- */

/* They do not change with the sizes, and what range their numbers have was looked up. */
static bool is_captured_already(const struct kernel_buffer *buffer)
{
    return buffer->contents.captured && !strncmp(buffer->contents_text, "captured(", 9);
}

static int eval_contents(struct kernel *kernel, struct kernel_buffer *buffer,
                         struct error *err)
{
    const struct kernel_directive *word = buffer_word(kernel, DIRECTIVE_BUFFER, buffer);
    const char *name = buffer->name;

    if (!word && buffer->subscript_hint)
        return fail(
            err, STATUS_INPUT,
            "%s:%d: the numbers in '%s' decide which elements are used and are not "
            "known; add `#pragma inflight buffer %s = %s`",
            kernel->function->path, kernel->function->line, name, name,
            buffer->subscript_hint);
    if (is_captured_already(buffer))
        return 0;
    contents_release(&buffer->contents);
    if (contents_eval(buffer->contents_text, buffer->kind == 'f', kernel_lookup, kernel,
                      &buffer->contents, err))
        return word ? directive_fail_in(word, err) : fail_in(err, "%s", name);
    return 0;
}

/* An index that wraps around would land anywhere. */
static int check_contents_fit(const struct kernel_buffer *buffer, struct error *err)
{
    long long low, high, limit;

    if (buffer->kind == 'f' || buffer->kind == 'r' ||
        buffer->bytes >= sizeof(long long) ||
        !contents_range(&buffer->contents, buffer->length, &low, &high))
        return 0;
    limit = 1LL << (8 * buffer->bytes - (buffer->kind == 'i'));
    if (high < limit)
        return 0;
    return fail(err, STATUS_INPUT,
                "the contents '%s' of '%s' reach %lld, which does not fit into '%s'",
                buffer->contents_text, buffer->name, high, buffer->type_text);
}

/* ---- extents ---- */

struct binding {
    struct kernel *kernel;
    struct model_value *value;
    struct model_values values;
};

static struct captured_shape shape_of(const struct kernel_buffer *buffer)
{
    return (struct captured_shape){.kind = buffer->kind,
                                   .bytes = buffer->bytes,
                                   .record_bytes = buffer->record_bytes,
                                   .offset = buffer->offset,
                                   .inside = buffer->inside,
                                   .inside_bytes = buffer->inside_bytes};
}

static bool range_of(void *data, int array, long long *low, long long *high)
{
    const struct kernel *kernel = data;
    const struct kernel_buffer *buffer = &kernel->buffer[array];
    const struct captured_shape shape = shape_of(buffer);

    if (!buffer->is_filled || buffer->kind == 'r')
        return false;
    if (buffer->contents.captured || kernel->only_captured)
        return captured_range(&buffer->contents, &shape, buffer->length, low, high);
    return contents_range(&buffer->contents, buffer->length, low, high);
}

static bool is_as_captured(const struct kernel_buffer *buffer)
{
    const struct captured *captured = buffer->contents.captured;

    for (size_t k = 0; k < buffer->levels; k++)
        if (k >= captured->row_nr || buffer->extent[k] != captured->rows[k])
            return false;
    return true;
}

static int eval_dim(struct kernel *kernel, const struct ir_expr *dim, long long *out,
                    struct error *err)
{
    struct buf text = {0};
    int result;

    ir_print_expr(&text, dim);
    result = directive_eval_integer(buf_str(&text), kernel_lookup, kernel, out, err);
    buf_release(&text);
    return result;
}

static int fail_extent(const struct kernel *kernel, const struct kernel_buffer *buffer,
                       struct error *err)
{
    const char *name = buffer->symbol->name;

    return fail(err, STATUS_INPUT,
                "%s:%d: how many elements '%s' has is not known; add `#pragma inflight "
                "buffer %s length n` with their number",
                kernel->function->path, kernel->function->line, name, name);
}

static int declared_length(struct kernel *kernel, struct kernel_buffer *buffer,
                           long long size[], size_t *dims, struct error *err)
{
    const struct ir_symbol *symbol = buffer->symbol;

    for (size_t i = 0; i < symbol->dim_nr; i++)
        if (!symbol->dim[i])
            return fail_extent(kernel, buffer, err);
    if (symbol->dim_nr == 0 || symbol->dim_nr > KERNEL_DEPTH_MAX)
        return fail_extent(kernel, buffer, err);
    *dims = symbol->dim_nr;
    for (size_t i = 0; i < symbol->dim_nr; i++)
        if (eval_dim(kernel, symbol->dim[i], &size[i], err))
            return -1;
    return 0;
}

/* The word counts records where there are such. */
static int reported_length(struct kernel *kernel, const struct kernel_directive *word,
                           struct kernel_buffer *buffer, struct error *err)
{
    long long nr;

    if (directive_eval_integer(word->text, kernel_lookup, kernel, &nr, err))
        return directive_fail_in(word, err);
    if (nr < 0) {
        fail(err, STATUS_INPUT, "a length of %lld elements", nr);
        return directive_fail_in(word, err);
    }
    if ((double)nr * (double)buffer->record_bytes > 0x1p62) {
        fail(err, STATUS_INPUT, "'%s' would have %lld elements", buffer->name, nr);
        return directive_fail_in(word, err);
    }
    buffer->length = nr * (long long)buffer->inside;
    return 0;
}

static int multiply(const struct kernel_buffer *buffer, const long long size[],
                    size_t dims, long long *length, struct error *err)
{
    double product = 1;

    for (size_t i = 0; i < dims; i++) {
        if (size[i] < 0)
            return fail(err, STATUS_INPUT,
                        "'%s' would have %lld elements; set sizes (--set) of which none "
                        "is negative",
                        buffer->name, size[i]);
        product *= (double)size[i];
    }
    if (product * (double)buffer->record_bytes > 0x1p62)
        return fail(err, STATUS_INPUT, "'%s' would have %g elements", buffer->name,
                    product);
    *length = 1;
    for (size_t i = 0; i < dims; i++)
        *length *= size[i];
    return 0;
}

/* As captured, with what lies between the rows, where all of it is used; else one behind
 * the other. More than was captured, where there is none. */
static void set_rows(struct kernel_buffer *buffer, const long long size[])
{
    const struct captured *captured = buffer->contents.captured;
    bool is_more = false;

    buffer->length = 1;
    for (size_t k = 0; k < buffer->levels; k++) {
        buffer->extent[k] = size[k] + (captured ? captured->spare[k] : 0);
        buffer->length *= buffer->extent[k];
        is_more = is_more || (captured && buffer->extent[k] > captured->rows[k]);
    }
    if (captured && is_as_captured(buffer))
        buffer->length = captured->records;
    else if (is_more && buffer->length <= captured->records)
        buffer->length = captured->records + 1;
}

/* What does not follow from the loops is as it was captured, of whatever size. */
static bool set_captured_rows(struct kernel_buffer *buffer)
{
    const struct captured *captured = buffer->contents.captured;

    if (!captured || !captured->row_nr || captured->row_nr != buffer->levels)
        return false;
    for (size_t k = 0; k < buffer->levels; k++)
        buffer->extent[k] = captured->rows[k];
    buffer->length = captured->records * (long long)buffer->inside;
    return true;
}

static int eval_length(struct binding *binding, struct kernel_buffer *buffer,
                       struct error *err)
{
    struct kernel *kernel = binding->kernel;
    const struct kernel_directive *word = buffer_word(kernel, WORD_LENGTH, buffer);
    const struct model_contents contents = {range_of, kernel};
    long long size[16] = {0};
    size_t dims = 0;

    if (word && buffer->levels > 1)
        return fail(err, STATUS_INPUT,
                    "%s: '%s' points to rows, whose number and length follow from the "
                    "loops alone",
                    word->where, buffer->name);
    if (word)
        return reported_length(kernel, word, buffer, err);
    if (buffer->levels > 1 && !buffer->extent_text && set_captured_rows(buffer))
        return 0;
    if (buffer->model_array >= 0) {
        dims = (size_t)model_view(kernel->model).array[buffer->model_array].dims;
        if (dims > ARRAY_SIZE(size))
            return fail_extent(kernel, buffer, err);
        if (model_extent(kernel->model, buffer->model_array, &binding->values, &contents,
                         size, err))
            return fail_in(err, "%s:%d", kernel->function->path, kernel->function->line);
    } else if (declared_length(kernel, buffer, size, &dims, err)) {
        return -1;
    }
    if (multiply(buffer, size, dims, &buffer->length, err))
        return -1;
    if (buffer->levels > 1)
        set_rows(buffer, size);
    buffer->length *= (long long)buffer->inside; /* the dimensions are of records */
    if (buffer->symbol->type.scalar == IR_RECORD && !*buffer->path && buffer->kind != 'r')
        buffer->length *= (long long)buffer->symbol->type.bytes; /* handed on as bytes */
    return 0;
}

static long long records_of(const struct kernel_buffer *buffer)
{
    long long inside = (long long)buffer->inside;

    return (buffer->length + inside - 1) / inside;
}

/* The fields of one array have as many records as the one that reaches furthest. */
static void join_lengths(struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        struct kernel_buffer *owner = &kernel->buffer[kernel->buffer[i].memory];
        long long records = records_of(&kernel->buffer[i]);

        if (kernel->buffer[i].length >= 0 && records > records_of(owner))
            owner->length = records * (long long)owner->inside;
    }
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *owner = &kernel->buffer[kernel->buffer[i].memory];

        if (owner->length >= 0)
            kernel->buffer[i].length =
                records_of(owner) * (long long)kernel->buffer[i].inside;
    }
}

/* The extent of table[idx[i]] may wait for the length of idx: rounds until nothing is
 * left. */
static int eval_lengths(struct binding *binding, struct error *err)
{
    struct kernel *kernel = binding->kernel;
    struct error why = {0};
    size_t left = kernel->buffer_nr, before = left + 1;

    while (left > 0 && left < before) {
        before = left;
        left = 0;
        error_clear(&why);
        for (size_t i = 0; i < kernel->buffer_nr; i++) {
            struct kernel_buffer *buffer = &kernel->buffer[i];
            struct error one = {0};

            if (buffer->is_filled && buffer->length < 0 &&
                eval_length(binding, buffer, &one)) {
                buffer->length = -1;
                left++;
                why = why.status ? why : one;
            }
        }
    }
    join_lengths(kernel);
    left = 0;
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        left += kernel->buffer[i].is_filled && kernel->buffer[i].length < 0;
    return left ? fail(err, why.status, "%s", why.text) : 0;
}

/* "d[1][2]" of an array as it is declared: which element it is; -1 = cannot be said. */
static long long place_of(const struct ir_symbol *element)
{
    const struct ir_symbol *array = element->base;
    const char *at = element->path;
    long long place = 0;

    for (size_t i = 0; *at == '['; i++) {
        char *end;
        bool known =
            i == 0 || (i < array->dim_nr && array->dim[i] && array->dim[i]->has_value);

        if (!known)
            return -1;
        place = (i ? place * array->dim[i]->value : 0) + strtoll(at + 1, &end, 10);
        if (*end != ']')
            return -1;
        at = end + 1;
    }
    return place;
}

/* What was captured of the array. */
static void add_element(struct binding *binding, const struct ir_symbol *element)
{
    const struct kernel *kernel = binding->kernel;
    long long value;

    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        struct captured_shape shape = shape_of(buffer);

        if (buffer->symbol == element->base &&
            captured_number(&buffer->contents, &shape, place_of(element), &value))
            binding->value[binding->values.nr++] = (struct model_value){element, value};
    }
}

static void list_values(struct binding *binding)
{
    const struct kernel *kernel = binding->kernel;
    const struct ir_function *function = kernel->function;

    binding->value =
        xcalloc(kernel->scalar_nr + function->symbol_nr + 1, sizeof(*binding->value));
    binding->values.item = binding->value;
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_integer)
            binding->value[binding->values.nr++] =
                (struct model_value){kernel->scalar[i].symbol, kernel->scalar[i].integer};
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (symbol_is_element(function->symbol[i]))
            add_element(binding, function->symbol[i]);
}

static int check_captured(const struct kernel *kernel, struct error *err)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        const struct captured *captured = buffer->contents.captured;

        if (captured && buffer->length >= 0 && records_of(buffer) > captured->records)
            return fail(err, STATUS_INPUT,
                        "%lld elements of '%s' were captured and these sizes need %lld; "
                        "set smaller ones, or capture a call with larger ones",
                        captured->records, buffer->symbol->name, records_of(buffer));
    }
    return 0;
}

int kernel_refresh(struct kernel *kernel, struct error *err)
{
    struct binding binding = {.kernel = kernel};
    struct error why = {0};
    int result = -1;

    if (kernel->unsupplied.status)
        return fail(err, kernel->unsupplied.status, "%s", kernel->unsupplied.text);
    if (kernel_eval_scalars(kernel, err))
        return -1;
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        kernel->buffer[i].length = -1;
        if (kernel->buffer[i].is_filled && eval_contents(kernel, &kernel->buffer[i], err))
            goto out;
    }
    list_values(&binding);
    if (eval_lengths(&binding, &why)) {
        if (check_captured(kernel, err) == 0)
            fail(err, why.status, "%s", why.text);
        goto out;
    }
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].is_filled && check_contents_fit(&kernel->buffer[i], err))
            goto out;
    result = check_captured(kernel, err);
out:
    free(binding.value);
    return result;
}

double buffer_bytes(const struct kernel *kernel, size_t buffer)
{
    const struct kernel_buffer *one = &kernel->buffer[buffer];

    if (!one->is_filled || one->length <= 0 || one->memory != buffer)
        return 0;
    return (double)records_of(one) * (double)one->record_bytes;
}

double kernel_bytes(const struct kernel *kernel)
{
    double bytes = 0;

    for (size_t i = 0; i < kernel->buffer_nr; i++)
        bytes += buffer_bytes(kernel, i);
    return bytes;
}

int kernel_refresh_known(struct kernel *kernel, struct error *err)
{
    struct binding binding = {.kernel = kernel};

    if (kernel_eval_scalars(kernel, err))
        return -1;
    kernel->only_captured = true;
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        kernel->buffer[i].length = -1;
        if (kernel->buffer[i].is_filled)
            eval_contents(kernel, &kernel->buffer[i], NULL);
    }
    list_values(&binding);
    eval_lengths(&binding, NULL);
    kernel->only_captured = false;
    free(binding.value);
    return 0;
}

/* ---- the outward calls ---- */

static int check_memory(const struct kernel *kernel, struct error *err)
{
    double need = kernel_bytes(kernel), available = memory_available_bytes();
    struct buf text = {0};

    if (available <= 0 || need <= 0.8 * available)
        return 0;
    buf_add(&text, "the arrays need ");
    buf_add_size(&text, need);
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        if (kernel->buffer[i].memory != i)
            continue;
        buf_addf(&text, "%s%s ", i ? ", " : " (", kernel->buffer[i].symbol->name);
        buf_add_size(&text, buffer_bytes(kernel, i));
    }
    buf_add(&text, "), more than 80 % of the ");
    buf_add_size(&text, available);
    buf_add(&text, " of memory that are available; set sizes smaller than");
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            buf_addf(&text, " --set '%s=%lld'", kernel->scalar[i].symbol->name,
                     kernel->scalar[i].integer);
    fail(err, STATUS_MISSING, "%s", buf_str(&text));
    buf_release(&text);
    return -1;
}

static int measure(struct kernel *kernel, struct error *err)
{
    const struct kernel_directive *word =
        kernel_directives_find(&kernel->words, DIRECTIVE_FLOPS, NULL);
    struct binding binding = {.kernel = kernel};
    struct directive_number flops;

    list_values(&binding);
    kernel->counts = model_measure(kernel->model, &binding.values);
    free(binding.value);
    kernel_find_chains(kernel);
    kernel_find_streams(kernel);
    if (!word)
        return 0;
    if (directive_eval(word->text, kernel_lookup, kernel, &flops, err))
        return directive_fail_in(word, err);
    kernel->counts.flops = quantity_exact(flops.real, PROVENANCE_DECLARED);
    return 0;
}

int kernel_bind(struct kernel *kernel, struct error *err)
{
    enum account before = account_switch(ACCOUNT_ANALYSIS);
    int status =
        kernel_refresh(kernel, err) || check_memory(kernel, err) || measure(kernel, err)
            ? -1
            : 0;
    account_switch(before);
    kernel->is_bound = kernel->is_bound || status == 0;
    return status;
}

/* ---- contents that keep results in range ---- */

/* "dominant(n)" of a matrix of n columns: by its declaration, or n of an array of n * n
 * elements. NULL = it is none. */
static char *dominant_text(const struct kernel *kernel,
                           const struct kernel_buffer *buffer)
{
    const struct ir_symbol *symbol = buffer->symbol;
    struct buf text = {0};

    buf_add(&text, "dominant(");
    if (symbol->dim_nr == 2 && symbol->dim[1]) {
        ir_print_expr(&text, symbol->dim[1]);
        buf_add(&text, ")");
        return buf_detach(&text);
    }
    for (size_t i = 0; i < kernel->scalar_nr && symbol->dim_nr < 2; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];

        if (scalar->is_size && scalar->integer > 1 &&
            buffer->length / scalar->integer == scalar->integer &&
            buffer->length % scalar->integer == 0) {
            buf_addf(&text, "%s)", scalar->symbol->name);
            return buf_detach(&text);
        }
    }
    buf_release(&text);
    return NULL;
}

static char *small_text(const struct kernel_buffer *buffer)
{
    return xasprintf("uniform(%.3g,%.3g)", 0.25 / (double)buffer->length,
                     0.5 / (double)buffer->length);
}

static bool takes_default(const struct kernel *kernel, const struct kernel_buffer *buffer)
{
    return buffer->kind == 'f' && buffer->is_filled && buffer->read && !buffer->steady &&
           !*buffer->path && buffer->length > 0 &&
           !buffer_word(kernel, DIRECTIVE_BUFFER, buffer);
}

/* Which ones: the user may know better. */
static void note_steady(struct kernel *kernel)
{
    struct buf text = {0};

    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].steady)
            buf_addf(&text, "%s%s = %s", text.length ? ", " : "", kernel->buffer[i].name,
                     kernel->buffer[i].steady);
    buf_add(&text, " since other contents lead out of the range of numbers");
    if (kernel->inputs_note)
        buf_addf(&text, ", %s", kernel->inputs_note);
    free(kernel->inputs_note);
    kernel->inputs_note = buf_detach(&text);
}

bool kernel_steady(struct kernel *kernel, struct error *err)
{
    enum { MATRICES, OTHERS, STEPS };
    bool changed = false;

    while (!changed && kernel->steadied < STEPS) {
        int step = kernel->steadied++;

        for (size_t i = 0; i < kernel->buffer_nr; i++) {
            struct kernel_buffer *buffer = &kernel->buffer[i];

            if (!takes_default(kernel, buffer))
                continue;
            buffer->steady =
                step == MATRICES ? dominant_text(kernel, buffer) : small_text(buffer);
            if (buffer->steady)
                buffer->contents_text = buffer->steady;
            changed = changed || buffer->steady;
        }
    }
    return changed && kernel_bind(kernel, err) == 0;
}

int kernel_steady_end(struct kernel *kernel, bool kept, struct error *err)
{
    if (kept) {
        if (kernel->steadied)
            note_steady(kernel);
        return 0;
    }
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        struct kernel_buffer *buffer = &kernel->buffer[i];

        if (buffer->steady)
            buffer->contents_text = contents_default(IR_FLOAT);
        free(buffer->steady);
        buffer->steady = NULL;
    }
    return kernel_bind(kernel, err);
}

int kernel_set(struct kernel *kernel, const char *param, long long value,
               struct error *err)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        if (!kernel->scalar[i].is_integer ||
            strcmp(kernel->scalar[i].symbol->name, param) != 0)
            continue;
        kernel_override(kernel, i, value);
        return kernel->is_bound ? kernel_bind(kernel, err) : 0;
    }
    return fail(err, STATUS_USAGE, "'%s' has no integer parameter '%s'",
                kernel->function->name, param);
}

void variant_args(const struct kernel *kernel, struct strvec *args)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];

        strvec_push(args, "--set");
        if (scalar->is_integer)
            strvec_pushf(args, "%s=%lld", scalar->symbol->name, scalar->integer);
        else
            strvec_pushf(args, "%s=%.17g", scalar->symbol->name, scalar->real);
    }
    for (size_t i = 0; i < kernel->buffer_nr; i++) {
        const struct kernel_buffer *buffer = &kernel->buffer[i];
        struct buf text = {0};

        if (!buffer->is_filled)
            continue;
        buf_addf(&text, "%s=%lld", buffer->name, buffer->length);
        for (size_t k = 0; buffer->levels > 1 && k < buffer->levels; k++)
            buf_addf(&text, "/%lld", buffer->extent[k]);
        buf_add(&text, ":");
        if (buffer->contents.captured)
            captured_add(&text, &buffer->contents,
                         buffer->levels > 1 && is_as_captured(buffer));
        else
            contents_add(&text, &buffer->contents);
        strvec_push(args, "--buffer");
        strvec_push(args, buf_str(&text));
        buf_release(&text);
    }
}
