/* What a call of the kernel is given: numbers, arrays of numbers, structs whose fields
 * are such, arrays of structs. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/kernel/kernel_parts.h"

const struct ir_symbol *outermost(const struct ir_symbol *symbol)
{
    while (symbol->role == IR_FIELD && symbol->base)
        symbol = symbol->base;
    return symbol;
}

char number_kind(const struct ir_type *type)
{
    if (type->scalar == IR_FLOAT)
        return 'f';
    if (type->scalar == IR_BOOL)
        return 'b';
    return type->is_unsigned ? 'u' : 'i';
}

bool lies_in_place(const struct ir_symbol *symbol)
{
    bool outside = symbol->role == IR_GLOBAL || symbol->role == IR_FIELD;

    return outside && symbol->dim_nr > 0 && !symbol->pointer_to_array;
}

/* ---- structs ---- */

/* Is the pointer `symbol` followed on the way to another field, as s->grid is by
 * s->grid->nx? */
static bool is_on_the_way(const struct ir_function *function,
                          const struct ir_symbol *symbol)
{
    size_t length = strlen(symbol->name);

    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *other = function->symbol[i];

        if (other->role == IR_FIELD && other != symbol &&
            strncmp(other->name, symbol->name, length) == 0 &&
            (other->name[length] == '.' || strncmp(other->name + length, "->", 2) == 0))
            return true;
    }
    return false;
}

static bool has_records(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < kernel->fields.nr; i++)
        if (kernel->fields.item[i].symbol == symbol)
            return true;
    return false;
}

bool is_number_reference(const struct ir_symbol *symbol)
{
    return symbol->role == IR_PARAM && symbol->is_reference && !symbol->type.is_const &&
           symbol->type.pointers == 0 && is_number_type(&symbol->type);
}

bool is_single_record(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    if (symbol->type.scalar != IR_RECORD || symbol->type.pointers > 1 || symbol->dim_nr)
        return false;
    return symbol->type.pointers == 0 || symbol_has_fields(kernel->function, symbol) ||
           is_on_the_way(kernel->function, symbol);
}

/* ---- can it be supplied? ---- */

struct row_change {
    const struct ir_symbol *symbol;
    bool found;
};

static void look_for_change(struct ir_expr *expr, void *data)
{
    struct row_change *change = data;
    const struct ir_expr *at =
        expr->kind == IR_ASSIGN || expr->kind == IR_UNARY ? expr->arg[0] : NULL;
    const char *op = expr->op;
    bool changes = at && at->type.pointers > 0 && at->kind != IR_NAME &&
                   (expr->kind == IR_ASSIGN || strstr(op, "++") || strstr(op, "--") ||
                    (*op == '&' && at->type.pointers > 0));

    for (; changes && at->arg_nr; at = at->arg[0])
        ;
    change->found =
        change->found || (changes && at->kind == IR_NAME && at->symbol == change->symbol);
}

/* Its pointers are no numbers: a call must leave them as they are. */
static bool changes_rows(const struct ir_function *function,
                         const struct ir_symbol *symbol)
{
    struct row_change change = {.symbol = symbol};

    visit_function(function, look_for_change, &change);
    return change.found;
}

static bool is_supplied_array(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    int levels = symbol->dim_nr > 1 ? (int)symbol->dim_nr : 1;

    if (symbol_has_rows(symbol) && symbol_levels(symbol) <= KERNEL_DEPTH_MAX &&
        !symbol->type.is_volatile)
        return !changes_rows(kernel->function, symbol);
    if (symbol->type.pointers > levels || symbol->type.is_volatile)
        return false;
    return is_number_type(&symbol->type) ||
           (symbol->type.scalar == IR_RECORD && has_records(kernel, symbol));
}

static int fail_type(const struct kernel *kernel, const struct ir_symbol *symbol,
                     struct error *err)
{
    const struct ir_type *type = &symbol->type;
    const char *why = "a kernel takes numbers, arrays of numbers, structs whose fields "
                      "are such, and arrays of structs of numbers";

    if (type->scalar == IR_RECORD && type->pointers == 1)
        why = is_single_record(kernel, symbol)
                  ? "the function takes it for one struct and for an array of them"
                  : "the function names no field of it that is a number or an array, and "
                    "it holds pointers or is not defined here";
    if (symbol_has_rows(symbol))
        why = "the function changes the pointers to its rows";
    return fail(
        err, STATUS_INPUT, "%s:%d: %s '%s' of type '%s%s%.*s' cannot be supplied; %s",
        kernel->function->path, symbol->line ? symbol->line : kernel->function->line,
        symbol->role == IR_PARAM ? "parameter" : "variable", symbol->name,
        type->full ? type->full : type->text, type->full || !type->pointers ? "" : " ",
        type->full ? 0 : type->pointers, "********", why);
}

/* Structs that the function only hands on, to others of its file: bytes. */
static bool is_handed_on(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    return symbol->type.scalar == IR_RECORD && symbol->type.pointers == 1 &&
           symbol->type.is_movable && !symbol->type.is_volatile && !symbol->dim_nr &&
           !kernel->function->is_cplusplus && !is_single_record(kernel, symbol) &&
           !has_records(kernel, symbol);
}

static int check_type(const struct kernel *kernel, const struct ir_symbol *symbol,
                      struct error *err)
{
    const struct ir_type *type = &symbol->type;

    if (is_single_record(kernel, symbol)) {
        if (!has_records(kernel, symbol))
            return 0;
    } else if (is_handed_on(kernel, symbol) ||
               (type->pointers ? is_supplied_array(kernel, symbol)
                               : is_number_type(type))) {
        return 0;
    }
    return fail_type(kernel, symbol, err);
}

static const struct ir_symbol *given_below(const struct ir_expr *expr)
{
    while (expr->kind != IR_NAME && expr->arg_nr)
        expr = expr->arg[expr->arg_nr > 1 && !expr->arg[0]->type.pointers];
    bool given = expr->kind == IR_NAME && outermost(expr->symbol)->role == IR_PARAM;
    return given ? expr->symbol : NULL;
}

static void look_for_distance(struct ir_expr *expr, void *data)
{
    const struct ir_symbol **pair = data;

    if (pair[0] || expr->kind != IR_BINARY || !expr->arg[0]->type.pointers ||
        !expr->arg[1]->type.pointers)
        return;
    pair[0] = given_below(expr->arg[0]);
    pair[1] = given_below(expr->arg[1]);
    if (!pair[1] || pair[0] == pair[1])
        pair[0] = NULL;
}

static bool ends_at_pointer(const struct ir_stmt *stmt, const void *pair)
{
    if (stmt->kind == IR_WHILE || stmt->kind == IR_FOR)
        ir_visit(stmt->canonical ? stmt->upper : stmt->cond, look_for_distance,
                 (void *)pair);
    return *(const struct ir_symbol *const *)pair;
}

/* Arrays of a call are apart: how far from one to the other says nothing. */
static void refuse_distances(struct kernel *kernel)
{
    const struct ir_symbol *pair[2] = {0};
    const struct ir_stmt *loop = stmt_find(kernel->function->body, ends_at_pointer, pair);

    if (loop)
        fail(&kernel->unsupplied, STATUS_INPUT,
             "%s:%d: the loop ends by comparing '%s' and '%s', which lie in one array "
             "only "
             "in the program; give the function the number of elements instead",
             kernel->function->path, loop->line, pair[0]->name, pair[1]->name);
}

/* A field of something that the caller gives, or of a global variable. */
static bool is_outer_field(const struct ir_symbol *symbol)
{
    enum ir_role role = outermost(symbol)->role;

    return symbol->role == IR_FIELD && !symbol_is_element(symbol) &&
           (role == IR_PARAM || role == IR_GLOBAL) &&
           (symbol->type.pointers > 0 || symbol->type.scalar != IR_RECORD);
}

static bool is_said(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    return kernel_directives_find(&kernel->words, DIRECTIVE_SET, symbol->name);
}

/* Globals, and fields of global structs, hold what the source says unless somebody says
 * otherwise. */
static bool is_supplied_scalar(const struct kernel *kernel,
                               const struct ir_symbol *symbol)
{
    const struct ir_symbol *outer = outermost(symbol);

    if (symbol->type.pointers > 0 || symbol->type.scalar == IR_RECORD)
        return false;
    if (symbol->role != IR_PARAM && symbol->role != IR_GLOBAL && !is_outer_field(symbol))
        return false;
    return outer->role == IR_PARAM || outer->type.pointers > 0 ||
           (!outer->type.is_const && is_said(kernel, symbol));
}

/* ---- scalars ---- */

/* Depends on nobody else's value, so that it may be varied. */
static bool is_free(const struct kernel_directive *word)
{
    struct directive_number number;

    return !word || directive_eval(word->text, NULL, NULL, &number, NULL) == 0;
}

static void add_scalar(struct kernel *kernel, const struct ir_symbol *symbol)
{
    struct kernel_scalar scalar = {.symbol = symbol};

    scalar.word = kernel_directives_find(&kernel->words, DIRECTIVE_SET, symbol->name);
    scalar.is_integer = symbol->type.scalar != IR_FLOAT;
    scalar.is_size = symbol->type.scalar == IR_INT && is_free(scalar.word) &&
                     is_size_symbol(kernel->function, symbol);
    GROW(kernel->scalar, kernel->scalar_nr + 1, kernel->scalar_alloc);
    kernel->scalar[kernel->scalar_nr++] = scalar;
}

/* ---- buffers ---- */

static char kind_of(const struct ir_type *type)
{
    return type->scalar == IR_RECORD ? 'r' : number_kind(type);
}

const struct kernel_directive *buffer_word(const struct kernel *kernel,
                                           enum word_kind kind,
                                           const struct kernel_buffer *buffer)
{
    const struct kernel_directive *word =
        kernel_directives_find(&kernel->words, kind, buffer->name);

    return word ? word
                : kernel_directives_find(&kernel->words, kind, buffer->symbol->name);
}

static char *extent_of(const struct kernel *kernel, const struct kernel_buffer *buffer,
                       const char *modelled)
{
    const struct ir_symbol *symbol = buffer->symbol;
    const struct kernel_directive *word = buffer_word(kernel, WORD_LENGTH, buffer);
    struct buf text = {0};

    if (word)
        return xstrdup(word->text);
    if (modelled)
        return xstrdup(modelled);
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        if (!symbol->dim[i])
            return buf_release(&text), NULL;
        ir_print_extent(&text, symbol->dim[i], i > 0);
    }
    return text.length ? buf_detach(&text) : NULL;
}

/* Elements that are what the symbol's type says, or fields of them. */
static void set_place(const struct kernel *kernel, struct kernel_buffer *buffer,
                      const struct record_field *field)
{
    static const struct ir_type bytes = {
        .text = "unsigned char", .scalar = IR_INT, .is_unsigned = true, .bytes = 1};
    const struct ir_symbol *symbol = buffer->symbol;
    const struct ir_type *type = field                          ? &field->type
                                 : is_handed_on(kernel, symbol) ? &bytes
                                                                : &symbol->type;

    buffer->name = field ? field->name : symbol->name;
    buffer->path = field ? field->path : "";
    buffer->kind = kind_of(type);
    buffer->type_text = type->text;
    buffer->bytes = buffer->record_bytes = buffer->inside_bytes = type->bytes;
    buffer->inside = 1;
    buffer->levels = symbol_has_rows(symbol) ? symbol_levels(symbol) : 1;
    if (!field)
        return;
    buffer->record_bytes = field->record_bytes;
    buffer->offset = field->offset;
    buffer->inside = field->inside;
    buffer->inside_bytes = field->inside_bytes;
}

/* Is it the variable's storage that somebody else fills? */
static bool is_filled(const struct kernel *kernel, const struct ir_symbol *symbol)
{
    const struct ir_symbol *outer = outermost(symbol);

    if (is_single_record(kernel, symbol))
        return false;
    return outer->role != IR_GLOBAL || !outer->type.is_const ||
           (outer == symbol ? !lies_in_place(symbol) : outer->type.pointers > 0);
}

static void set_contents(const struct kernel *kernel, struct kernel_buffer *buffer,
                         const struct record_field *field)
{
    const struct ir_type *type = field ? &field->type : &buffer->symbol->type;
    const struct kernel_directive *word = buffer_word(kernel, DIRECTIVE_BUFFER, buffer);

    buffer->contents_text = word ? word->text : contents_default(type->scalar);
    if ((buffer->kind == 'r' || is_handed_on(kernel, buffer->symbol)) &&
        !(word && strncmp(word->text, "captured(", 9) == 0))
        buffer->contents_text = "zero"; /* the fields come on top of it */
    else if (!buffer->is_filled)
        buffer->contents_text = "as in the source";
    if (type->scalar == IR_INT)
        buffer->subscript_hint =
            subscript_hint(kernel->function, buffer->symbol, field ? field->path : NULL);
}

static struct kernel_buffer *add_buffer(struct kernel *kernel,
                                        const struct ir_symbol *symbol, const char *path,
                                        const char *modelled_extent)
{
    const struct record_field *field =
        path && *path ? record_field_of(&kernel->fields, symbol, path) : NULL;
    struct kernel_buffer *buffer;

    GROW(kernel->buffer, kernel->buffer_nr + 1, kernel->buffer_alloc);
    buffer = &kernel->buffer[kernel->buffer_nr];
    *buffer = (struct kernel_buffer){
        .symbol = symbol, .model_array = -1, .memory = kernel->buffer_nr++, .length = -1};
    set_place(kernel, buffer, field);
    for (size_t i = kernel->buffer_nr - 1; i-- > 0;)
        if (kernel->buffer[i].symbol == symbol)
            buffer->memory = i;
    buffer->read = true;
    buffer->written =
        field ? field->is_written : may_be_written(kernel->function, symbol);
    buffer->is_filled = is_filled(kernel, symbol);
    set_contents(kernel, buffer, field);
    buffer->extent_text = extent_of(kernel, buffer, modelled_extent);
    return buffer;
}

static bool is_listed(const struct kernel *kernel, const struct ir_symbol *symbol,
                      const char *path)
{
    for (size_t i = 0; i < kernel->buffer_nr; i++)
        if (kernel->buffer[i].symbol == symbol &&
            strcmp(kernel->buffer[i].path, path) == 0)
            return true;
    return false;
}

/* A global pointer that no loop uses as far as one can see, such as one that a called
 * function sets. */
static bool is_left_alone(const struct kernel *kernel, const struct model_view *view,
                          size_t array, const struct kernel_buffer *buffer)
{
    const struct ir_symbol *symbol = buffer->symbol;

    if (symbol->role != IR_GLOBAL || lies_in_place(symbol) ||
        buffer_word(kernel, WORD_LENGTH, buffer) ||
        buffer_word(kernel, DIRECTIVE_BUFFER, buffer))
        return false;
    for (size_t i = 0; i < view->access_nr; i++)
        if (view->access[i].array == (int)array)
            return false;
    return true;
}

static void leave_alone(struct kernel_buffer *buffer)
{
    buffer->is_filled = false;
    buffer->contents_text = "as in the source";
}

static void add_modelled(struct kernel *kernel)
{
    struct model_view view = model_view(kernel->model);

    for (size_t i = 0; i < view.array_nr; i++) {
        const struct model_array *array = &view.array[i];
        struct kernel_buffer *buffer =
            add_buffer(kernel, array->symbol, array->path, array->extent_text);

        buffer->model_array = (int)i;
        if (is_left_alone(kernel, &view, i, buffer))
            leave_alone(buffer);
        buffer->read = array->read;
        /* What a called function might do with a constant array it does not. */
        if (!array->symbol->type.is_const)
            buffer->written = buffer->written || array->written;
    }
}

static void add_array(struct kernel *kernel, const struct ir_symbol *symbol)
{
    if (!has_records(kernel, symbol) && !is_listed(kernel, symbol, ""))
        add_buffer(kernel, symbol, NULL, NULL);
    for (size_t i = 0; i < kernel->fields.nr; i++) {
        const struct record_field *field = &kernel->fields.item[i];

        if (field->symbol == symbol && !is_listed(kernel, symbol, field->path))
            add_buffer(kernel, symbol, field->path, NULL);
    }
}

static void list_symbol(struct kernel *kernel, const struct ir_symbol *symbol)
{
    bool given = symbol->role == IR_PARAM || is_outer_field(symbol);

    if (given && check_type(kernel, symbol, &kernel->unsupplied))
        return;
    if (is_supplied_scalar(kernel, symbol))
        add_scalar(kernel, symbol);
    else if (symbol->type.pointers > 0 && !is_single_record(kernel, symbol) &&
             (given || has_records(kernel, symbol)))
        add_array(kernel, symbol);
}

/* Not even when its arguments could be had: each program that is built around a kernel
 * has a main of its own. */
static void refuse_main(struct kernel *kernel)
{
    const struct ir_function *function = kernel->function;

    if (!strcmp(function->name, "main"))
        fail(&kernel->unsupplied, STATUS_INPUT,
             "%s:%d: 'main' is the program itself and cannot be called again; take its "
             "loop out as a function: 'inflight outline %s:LINE'",
             function->path, function->line, function->path);
}

void kernel_list_data(struct kernel *kernel)
{
    const struct ir_function *function = kernel->function;

    refuse_main(kernel);
    refuse_distances(kernel);
    if (function->asks)
        fail(&kernel->unsupplied, STATUS_INPUT, "%s", function->asks);
    record_fields_find(function, &kernel->fields, &kernel->unsupplied);
    add_modelled(kernel);
    for (size_t i = 0; i < function->symbol_nr; i++)
        list_symbol(kernel, function->symbol[i]);
}

/* The kernel at other sizes for a while. */
/* A few components, colours or neighbours are no size. */
enum { small_value = 16 };

static bool is_varied(const struct kernel_scalar *scalar)
{
    return scalar->is_size && scalar->integer > small_value;
}

long long kernel_largest(const struct kernel *kernel)
{
    long long largest = 0;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size && kernel->scalar[i].integer > largest)
            largest = kernel->scalar[i].integer;
    return largest;
}

/* About `wanted`, with the remainder of `value`. */
static long long reduced(long long value, double wanted)
{
    long long unit = wanted >= 128 ? 64 : 8;
    long long units = (long long)(wanted / (double)unit + 0.5);
    long long size = (units > 0 ? units : 1) * unit + value % unit;

    return size < value ? size : value;
}

static void reduce(struct kernel *kernel, double factor)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        const struct kernel_scalar *scalar = &kernel->scalar[i];

        if (is_varied(scalar))
            kernel_override(kernel, i,
                            reduced(scalar->integer, (double)scalar->integer * factor));
    }
}

int kernel_at_size(struct kernel *kernel, long long largest,
                   int (*use)(struct kernel *kernel, void *data, struct error *err),
                   void *data, struct error *err)
{
    long long now = kernel_largest(kernel);
    size_t bytes = kernel->scalar_nr * sizeof(*kernel->scalar);
    struct kernel_scalar *saved;
    int result;

    if (now == 0)
        return fail(
            err, STATUS_INPUT,
            "'%s' has no parameter that decides on its loops and could be smaller",
            kernel->function->name);
    if (largest >= now)
        return use(kernel, data, err);
    saved = xcalloc(1, bytes);
    memcpy(saved, kernel->scalar, bytes);
    reduce(kernel, (double)largest / (double)now);
    result = kernel_bind(kernel, err);
    if (result == 0)
        result = use(kernel, data, err);
    memcpy(kernel->scalar, saved, bytes);
    free(saved);
    if (kernel_bind(kernel, result ? NULL : err))
        result = -1;
    kernel_view(kernel); /* what was handed out shows the old sizes again */
    return result;
}

/* The values of a kernel's scalars: said, overridden, or by default. */
/* Keeps products, quotients and sums in range and is no power of two. */
static const double real_default = 1.5;

static int check_fits(const struct kernel_scalar *scalar, struct error *err)
{
    const struct ir_type *type = &scalar->symbol->type;
    bool wide = type->bytes >= sizeof(long long);
    long long high = wide ? 0 : 1LL << (8 * type->bytes - !type->is_unsigned);
    bool fits =
        type->is_unsigned ? scalar->integer >= 0 : wide || scalar->integer >= -high;

    if (!fits || (!wide && scalar->integer >= high))
        return fail(err, STATUS_INPUT, "%s = %lld does not fit into '%s'",
                    scalar->symbol->name, scalar->integer, type->text);
    return 0;
}

static int eval_word(struct kernel *kernel, struct kernel_scalar *scalar,
                     struct error *err)
{
    struct directive_number number;

    if (scalar->is_integer) {
        if (directive_eval_integer(scalar->word->text, kernel_lookup, kernel,
                                   &scalar->integer, err))
            return directive_fail_in(scalar->word, err);
        scalar->real = (double)scalar->integer;
        return check_fits(scalar, err) ? directive_fail_in(scalar->word, err) : 0;
    }
    if (directive_eval(scalar->word->text, kernel_lookup, kernel, &number, err))
        return directive_fail_in(scalar->word, err);
    scalar->real = number.real;
    return 0;
}

static int eval_scalar(struct kernel *kernel, struct kernel_scalar *scalar,
                       struct error *err)
{
    const char *name = scalar->symbol->name;
    int result = 0;

    if (scalar->is_known)
        return 0;
    if (scalar->is_busy)
        return fail(err, STATUS_INPUT, "the value of '%s' depends on itself", name);
    scalar->is_busy = true;
    scalar->real = real_default;
    if (scalar->is_overridden) {
        scalar->integer = scalar->override;
        scalar->real = (double)scalar->integer;
        result = check_fits(scalar, err);
    } else if (scalar->word) {
        result = eval_word(kernel, scalar, err);
    } else if (scalar->is_integer) {
        result = fail(err, STATUS_INPUT,
                      "%s:%d: the value of '%s' is not known; add `#pragma inflight set "
                      "%s = 1000` or --set '%s=1000' with a value that fits",
                      kernel->function->path, kernel->function->line, name, name, name);
    }
    scalar->is_busy = false;
    scalar->is_known = result == 0;
    return result;
}

/* `rows` for this->rows of a C++ method. */
static bool is_own_field(const struct kernel *kernel, const struct ir_symbol *symbol,
                         const char *name)
{
    return kernel->function->linkage.record && symbol->role == IR_FIELD &&
           strncmp(symbol->name, "this->", 6) == 0 && strcmp(symbol->name + 6, name) == 0;
}

int kernel_lookup(void *data, const char *name, struct directive_number *out)
{
    struct kernel *kernel = data;

    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        struct kernel_scalar *scalar = &kernel->scalar[i];

        if (strcmp(scalar->symbol->name, name) != 0 &&
            !is_own_field(kernel, scalar->symbol, name))
            continue;
        if (eval_scalar(kernel, scalar, NULL))
            return -1;
        *out = scalar->is_integer ? directive_integer(scalar->integer)
                                  : directive_real(scalar->real);
        return 0;
    }
    return -1;
}

void kernel_override(struct kernel *kernel, size_t scalar, long long value)
{
    kernel->scalar[scalar].is_overridden = true;
    kernel->scalar[scalar].override = value;
}

int kernel_eval_scalars(struct kernel *kernel, struct error *err)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        kernel->scalar[i].is_known = false;
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (eval_scalar(kernel, &kernel->scalar[i], err))
            return -1;
    return 0;
}
