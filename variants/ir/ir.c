#include "variants/ir/ir.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/sum.h"

bool ir_has_name(const struct ir_names *names, const char *name)
{
    size_t low = 0, high = names->nr;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(names->item[middle], name);
        if (!order)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* ---- the arena: blocks that grow, freed together ---- */

struct block {
    struct block *next;
    size_t used, size;
    max_align_t data[];
};

struct ir_arena {
    struct block *first;
};

struct ir_arena *ir_arena_new(void)
{
    return xcalloc(1, sizeof(struct ir_arena));
}

void ir_arena_free(struct ir_arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

static struct block *block_new(struct ir_arena *arena, size_t bytes)
{
    size_t size = bytes > 16000 ? bytes : 16000;
    struct block *block = xcalloc(1, sizeof(*block) + size);
    block->size = size;
    block->next = arena->first;
    arena->first = block;
    return block;
}

void *ir_alloc(struct ir_arena *arena, size_t bytes)
{
    size_t unit = sizeof(max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    struct block *block = arena->first;
    if (!block || block->size - block->used < bytes)
        block = block_new(arena, bytes);
    void *memory = (char *)block->data + block->used;
    block->used += bytes;
    return memory;
}

const char *ir_text(struct ir_arena *arena, const char *text)
{
    if (!text)
        return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(ir_alloc(arena, bytes), text, bytes);
}

const char *ir_textf(struct ir_arena *arena, const char *format, ...)
{
    struct buf buf = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&buf, format, args);
    va_end(args);
    const char *text = ir_text(arena, buf_str(&buf));
    buf_release(&buf);
    return text;
}

void ir_function_free(struct ir_function *function)
{
    if (function)
        ir_arena_free(function->arena); /* holds the function too */
}

/* ---- making expressions ---- */

struct ir_expr *ir_expr_new(struct ir_arena *arena, enum ir_kind kind, size_t args)
{
    struct ir_expr *expr = ir_alloc(arena, sizeof(*expr));
    expr->kind = kind;
    expr->arg_nr = args;
    if (args)
        expr->arg = ir_alloc(arena, args * sizeof(*expr->arg));
    return expr;
}

const struct ir_type ir_int = {.text = "int", .scalar = IR_INT, .bytes = 4};
const struct ir_type ir_long = {.text = "long", .scalar = IR_INT, .bytes = 8};

struct ir_expr *ir_integer(struct ir_arena *arena, long long value)
{
    struct ir_expr *expr = ir_expr_new(arena, IR_LITERAL, 0);
    bool fits = value >= INT32_MIN && value <= INT32_MAX;
    expr->type = fits ? ir_int : ir_long;
    expr->text = ir_textf(arena, "%lld", value);
    expr->has_value = true;
    expr->value = value;
    return expr;
}

struct ir_expr *ir_name(struct ir_arena *arena, struct ir_symbol *symbol)
{
    struct ir_expr *expr = ir_expr_new(arena, IR_NAME, 0);
    expr->symbol = symbol;
    expr->text = symbol->name;
    expr->type = symbol->type;
    return expr;
}

static bool is_truth(const char *op)
{
    static const char *const truth[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; i < ARRAY_SIZE(truth); i++)
        if (strcmp(op, truth[i]) == 0)
            return true;
    return false;
}

static struct ir_type promoted(struct ir_type type)
{
    bool is_narrow = (type.scalar == IR_INT || type.scalar == IR_BOOL) && type.bytes < 4;
    return is_narrow ? ir_int : type;
}

/* C's usual conversions, near enough: pointer, then floating, then the wider, then the
 * unsigned one. */
static struct ir_type common_type(struct ir_type a, struct ir_type b)
{
    if (a.pointers || b.pointers)
        return a.pointers ? a : b;
    a = promoted(a);
    b = promoted(b);
    if ((a.scalar == IR_FLOAT) != (b.scalar == IR_FLOAT))
        return a.scalar == IR_FLOAT ? a : b;
    if (a.bytes != b.bytes)
        return a.bytes > b.bytes ? a : b;
    return a.is_unsigned ? a : b;
}

struct ir_expr *ir_to_long(struct ir_arena *arena, struct ir_expr *expr)
{
    struct ir_expr *cast = ir_expr_new(arena, IR_CAST, 1);
    cast->type = ir_long;
    cast->arg[0] = expr;
    return cast;
}

struct ir_expr *ir_assign(struct ir_arena *arena, const char *op, struct ir_expr *to,
                          struct ir_expr *value)
{
    struct ir_expr *expr = ir_expr_new(arena, IR_ASSIGN, 2);
    expr->op = op;
    expr->type = to->type;
    expr->arg[0] = to;
    expr->arg[1] = value;
    return expr;
}

const struct ir_symbol *expr_root(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || expr->kind == IR_MEMBER)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

bool expr_is_truth(const struct ir_expr *expr)
{
    return (expr->kind == IR_BINARY && is_truth(expr->op)) ||
           (expr->kind == IR_UNARY && !strcmp(expr->op, "!"));
}

bool expr_is_polynomial(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !expr->op[1] && strchr("+-*", expr->op[0]);
}

bool expr_is_step(const struct ir_expr *expr)
{
    return expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--"));
}

bool expr_sets(const struct ir_expr *expr)
{
    return expr->kind == IR_ASSIGN || expr_is_step(expr);
}

static void look_repeatable(struct ir_expr *expr, void *data)
{
    bool *is = data;
    *is = *is && !expr_sets(expr) && expr->kind != IR_RAW && !expr->type.is_volatile &&
          (expr->kind != IR_CALL || (expr->symbol && expr->symbol->is_pure));
}

bool expr_is_repeatable(struct ir_expr *expr)
{
    bool is = true;
    ir_visit(expr, look_repeatable, &is);
    return is;
}

struct ir_type ir_unsigned(const struct ir_type *type)
{
    struct ir_type of = *type;
    of.is_unsigned = true;
    of.is_const = of.is_volatile = false;
    of.text = of.bytes == 1   ? "unsigned char"
              : of.bytes == 2 ? "unsigned short"
              : of.bytes == 4 ? "unsigned"
                              : "unsigned long";
    of.full = NULL;
    return of;
}

struct ir_expr *ir_binary(struct ir_arena *arena, const char *op, struct ir_expr *a,
                          struct ir_expr *b)
{
    struct ir_expr *expr = ir_expr_new(arena, IR_BINARY, 2);
    expr->op = op;
    expr->arg[0] = a;
    expr->arg[1] = b;
    expr->is_ours = true;
    if (is_truth(op))
        expr->type = ir_int;
    else
        expr->type = strcmp(op, ",") == 0 ? b->type : common_type(a->type, b->type);
    expr->line = a->line;
    expr->column = a->column;
    return expr;
}

struct ir_expr *ir_copy(struct ir_arena *arena, const struct ir_expr *expr)
{
    return ir_substitute(arena, expr, NULL, NULL, 0);
}

struct ir_expr *ir_substitute(struct ir_arena *arena, const struct ir_expr *expr,
                              struct ir_symbol *const *symbol, struct ir_expr *const *by,
                              size_t nr)
{
    if (!expr)
        return NULL;
    for (size_t i = 0; i < nr; i++)
        if (expr->kind == IR_NAME && expr->symbol == symbol[i])
            return ir_copy(arena, by[i]);
    struct ir_expr *copy = ir_expr_new(arena, expr->kind, expr->arg_nr);
    struct ir_expr **arg = copy->arg;
    bool replaced = false;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++) {
        arg[i] = ir_substitute(arena, expr->arg[i], symbol, by, nr);
        replaced = replaced || (arg[i] && !arg[i]->has_value && expr->arg[i]->has_value);
    }
    if (replaced)
        copy->has_value = false;
    return copy;
}

struct ir_stmt *ir_stmt_new(struct ir_arena *arena, enum ir_stmt_kind kind,
                            size_t children)
{
    struct ir_stmt *stmt = ir_alloc(arena, sizeof(*stmt));
    stmt->kind = kind;
    stmt->child_nr = children;
    if (children)
        stmt->child = ir_alloc(arena, children * sizeof(*stmt->child));
    return stmt;
}

/* ---- members ---- */

/* From the subscripts of an array field to the field; NULL when a pointer is followed. */
static const struct ir_expr *behind_subscripts(const struct ir_expr *expr)
{
    size_t nr = 0;
    for (; expr->kind == IR_INDEX; expr = expr->arg[0])
        nr++;
    if (expr->kind != IR_MEMBER || nr == 0)
        return expr;
    return expr->field && expr->field->dim_nr >= nr ? expr : NULL;
}

struct ir_expr *ir_member_base(const struct ir_expr *expr, struct buf *path,
                               size_t *offset)
{
    const struct ir_expr *at = behind_subscripts(expr);
    struct buf text = {0};
    size_t bytes = 0;
    bool arrow = false;
    if (!at || at->kind != IR_MEMBER)
        return NULL;
    while (at && !arrow && at->kind == IR_MEMBER) {
        char *rest = buf_detach(&text);
        buf_addf(&text, ".%s%s", at->text, rest);
        free(rest);
        bytes += at->field ? at->field->offset : 0;
        arrow = at->is_arrow;
        expr = at->arg[0];
        at = behind_subscripts(expr);
    }
    bool found = at && (!arrow || expr->kind == IR_NAME);
    if (found && path)
        buf_add(path, buf_str(&text));
    if (found && offset)
        *offset += bytes;
    buf_release(&text);
    return found ? (struct ir_expr *)expr : NULL;
}

const char *ir_op_text(const char *op)
{
    return strncmp(op, "post", 4) == 0 ? op + 4 : op;
}

void ir_visit(struct ir_expr *expr, void (*visit)(struct ir_expr *expr, void *data),
              void *data)
{
    if (!expr)
        return;
    visit(expr, data);
    for (size_t i = 0; i < expr->arg_nr; i++)
        ir_visit(expr->arg[i], visit, data);
}

size_t ir_mark_bytes(const char *source)
{
    return strncmp(source, "\xef\xbb\xbf", 3) ? 0 : 3;
}

/* Walking statements and expressions of the front end's tree. */
const struct ir_stmt *stmt_find(const struct ir_stmt *stmt,
                                bool (*is)(const struct ir_stmt *, const void *),
                                const void *data)
{
    const struct ir_stmt *found = NULL;
    if (!stmt || is(stmt, data))
        return stmt;
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = stmt_find(stmt->child[i], is, data);
    return found ? found : stmt_find(stmt->init, is, data);
}

static bool is_this(const struct ir_stmt *stmt, const void *other)
{
    return stmt == other;
}

bool stmt_holds(const struct ir_stmt *stmt, const struct ir_stmt *other)
{
    return stmt_find(stmt, is_this, other) != NULL;
}

static void visit_one(struct ir_expr *expr,
                      void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    if (expr)
        ir_visit(expr, visit, data);
}

void stmt_exprs(const struct ir_stmt *stmt,
                void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    if (!stmt)
        return;
    visit_one(stmt->expr, visit, data);
    for (size_t i = 0; stmt->kind == IR_DECL && i < stmt->symbol->dim_nr; i++)
        visit_one(stmt->symbol->dim[i], visit, data);
    stmt_exprs(stmt->init, visit, data);
    if (stmt->kind == IR_FOR && stmt->canonical) {
        visit_one(stmt->lower, visit, data);
        visit_one(stmt->upper, visit, data);
    } else {
        visit_one(stmt->cond, visit, data);
        visit_one(stmt->increment, visit, data);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        stmt_exprs(stmt->child[i], visit, data);
}

/* break and continue that belong to a loop inside do not count; inner loops take both. */
static bool breaks_out(const struct ir_stmt *stmt)
{
    if (!stmt || stmt->kind == IR_FOR || stmt->kind == IR_WHILE)
        return false;
    if (stmt->kind == IR_JUMP)
        return !strncmp(stmt->text, "break", 5) || !strncmp(stmt->text, "continue", 8);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (breaks_out(stmt->child[i]))
            return true;
    return false;
}

bool stmt_breaks_out(const struct ir_stmt *body)
{
    return breaks_out(body);
}

bool symbol_has_rows(const struct ir_symbol *symbol)
{
    const struct ir_type *type = &symbol->type;
    bool number = type->scalar == IR_FLOAT || type->scalar == IR_INT;
    return type->pointers > 1 && !symbol->dim_nr && number && !symbol->as_written &&
           !type->full;
}

size_t symbol_levels(const struct ir_symbol *symbol)
{
    if (symbol->dim_nr)
        return symbol->dim_nr;
    return symbol_has_rows(symbol) ? (size_t)symbol->type.pointers
                                   : symbol->type.pointers > 0;
}

/* The subscripts on the way to an lvalue; its root is none of the array's uses. */
static const struct ir_expr *other_use_below(const struct ir_expr *expr,
                                             const struct ir_symbol *array)
{
    const struct ir_expr *found = NULL;
    for (; !found && expr->kind == IR_INDEX; expr = expr->arg[0])
        found = expr_other_use(expr->arg[1], array);
    return found;
}

const struct ir_expr *expr_other_use(const struct ir_expr *expr,
                                     const struct ir_symbol *array)
{
    const struct ir_expr *root = expr, *found = NULL;
    bool fetch = expr->kind == IR_CALL && expr->text &&
                 !strcmp(expr->text, "__builtin_prefetch") && expr->arg_nr > 0 &&
                 expr->arg[0]->kind == IR_UNARY && !strcmp(expr->arg[0]->op, "&");
    bool unread = expr->kind == IR_UNARY && expr->arg[0]->kind == IR_INDEX &&
                  (!strcmp(expr->op, "&") || !strcmp(expr->op, "sizeof"));
    size_t subscripts = 0;
    for (root = unread ? expr->arg[0] : expr; root->kind == IR_INDEX; root = root->arg[0])
        subscripts++;
    if (root->kind == IR_NAME && root->symbol == array)
        return unread || subscripts != symbol_levels(array)
                   ? expr
                   : other_use_below(expr, array);
    for (size_t i = 0; !found && i < expr->arg_nr; i++)
        found = expr_other_use(fetch && !i ? expr->arg[0]->arg[0] : expr->arg[i], array);
    return found;
}

bool symbol_is_element(const struct ir_symbol *symbol)
{
    return symbol->role == IR_FIELD && symbol->path && *symbol->path == '[';
}

bool symbol_has_fields(const struct ir_function *function, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (function->symbol[i]->role == IR_FIELD &&
            function->symbol[i]->base == symbol &&
            !symbol_is_element(function->symbol[i]))
            return true;
    return false;
}

/* It compares with the iterator as the number that it is. */
static bool is_alike(const struct ir_expr *expr, const struct ir_symbol *iterator)
{
    const struct ir_type *type = &expr->type;
    if (type->scalar != IR_INT || type->pointers)
        return false;
    return (expr->has_value && expr->value >= 0) ||
           type->is_unsigned == iterator->type.is_unsigned;
}

/* An end that is one more may be beyond the iterator's type. */
struct ir_expr *ir_end_value(struct ir_arena *arena, const struct ir_stmt *loop)
{
    const struct ir_expr *lower = loop->lower, *upper = loop->upper;
    const struct ir_symbol *iterator = loop->iterator;
    bool down = loop->step < 0, equal = loop->cmp[0] == '!';
    bool reached = loop->cmp[1] == '=' && !equal;
    if ((loop->step != 1 && !down) || loop->step < -1 || iterator->type.bytes < 4 ||
        !is_alike(lower, iterator) || !is_alike(upper, iterator) ||
        (reached && !upper->has_value && upper->type.bytes != iterator->type.bytes))
        return NULL;
    struct ir_expr *end = ir_copy(arena, upper);
    if (reached)
        end = ir_binary(arena, down ? "-" : "+", end, ir_integer(arena, 1));
    if (equal)
        return end;
    struct ir_expr *value = ir_expr_new(arena, IR_COND, 3);
    value->type = iterator->type;
    value->arg[0] = ir_binary(arena,
                              down      ? reached ? "<=" : "<"
                              : reached ? ">="
                                        : ">",
                              ir_copy(arena, upper), ir_copy(arena, lower));
    value->arg[1] = end;
    value->arg[2] = ir_copy(arena, lower);
    return value;
}

bool stmt_is_put_in(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_FOR && stmt->end <= stmt->begin;
}

/* ---- variables that only loops set ---- */

enum use { USE_NONE, USE_SETS, USE_READS };

static enum use use_of_expr(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    bool is_set = expr && expr->kind == IR_ASSIGN && !strcmp(expr->op, "=") &&
                  expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == symbol &&
                  !expr_mentions(expr->arg[1], symbol);
    if (is_set)
        return USE_SETS;
    return expr && expr_mentions(expr, symbol) ? USE_READS : USE_NONE;
}

/* The first one, where no loop runs. */
static enum use first_use(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (!stmt || stmt->kind == IR_FOR || (stmt->kind == IR_WHILE && !stmt->is_do))
        return USE_NONE;
    if (stmt->kind == IR_OPAQUE ||
        (stmt->kind == IR_DECL && stmt->symbol == symbol && stmt->expr))
        return USE_SETS; /* or perhaps */
    enum use use = use_of_expr(stmt->expr, symbol);
    for (size_t i = 0; use == USE_NONE && i < stmt->child_nr; i++)
        use = first_use(stmt->child[i], symbol);
    return use != USE_NONE ? use : use_of_expr(stmt->cond, symbol);
}

bool ir_needs_rounds(const struct ir_function *function)
{
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        bool may_be_unset = symbol->role == IR_LOCAL && !symbol->dim_nr &&
                            !symbol->is_static && !symbol->address_taken &&
                            symbol->type.scalar != IR_RECORD;
        if (may_be_unset && first_use(function->body, symbol) == USE_READS)
            return true;
    }
    return false;
}
