/* Which memory of a nest other names may reach: arrays, and variables where they stand,
 * that must not overlap where the plan changes the order or the loops rest on them. */
#include "variants/model/model_overlap.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/model/model_nest.h"

/* ---- what it is ---- */

static const struct ir_symbol *outermost(const struct ir_symbol *symbol)
{
    return symbol->role == IR_FIELD && symbol->base ? symbol->base : symbol;
}

/* Where it stands is said by a pointer, so that it may be part of anything. */
static bool is_pointed_to(const struct memory *memory)
{
    const struct ir_symbol *symbol = memory->symbol, *base = symbol->base;
    if (symbol_is_element(symbol) &&
        (base->role == IR_PARAM || !base->dim_nr || base->pointer_to_array))
        return true;
    if ((symbol->role == IR_FIELD && strstr(symbol->path, "->")) ||
        outermost(symbol)->is_reference)
        return true;
    return !memory->itself && symbol->type.pointers &&
           (symbol->role == IR_PARAM || !symbol->dim_nr || symbol->pointer_to_array);
}

bool memory_has_rows(const struct memory *memory)
{
    return !memory->itself && !memory->table && symbol_has_rows(memory->symbol);
}

/* A pointer that is only handed over cannot have been made of a variable of this call. */
static bool is_from_outside(const struct memory *memory)
{
    const struct ir_symbol *symbol = outermost(memory->symbol);
    return symbol->role == IR_PARAM && !symbol->is_written;
}

/* A variable by its name, which `by`, if it is a pointer's, may reach. */
static bool is_reachable(const struct memory *memory, const struct memory *by)
{
    const struct ir_symbol *symbol = outermost(memory->symbol);
    if (is_pointed_to(memory))
        return true;
    if (memory->itself && memory->type.is_const && !memory->type.pointers)
        return false;
    if (symbol->role == IR_GLOBAL || symbol->is_static)
        return true;
    bool shown = symbol->address_taken || memory->symbol->address_taken ||
                 (symbol->dim_nr && symbol->role == IR_LOCAL);
    return shown && !is_from_outside(by);
}

/* ---- restrict ---- */

/*
 * A restrict pointer is alone with its memory but for what is made from it. A parameter
 * is so while the function runs: another parameter is not made from it, unless the
 * function sets it; a global or a field is not, unless the function lets the address out.
 * A global or a field is so as long as the program runs: what any other pointer was made
 * from nobody sees here, but two such are not made from each other.
 */

/* The pointer whose `restrict` speaks of the memory; NULL = none does. */
static const struct ir_symbol *restrict_of(const struct memory *memory)
{
    const struct ir_symbol *symbol = memory->symbol, *base = outermost(symbol);
    if (base != symbol && base->role == IR_PARAM && base->type.is_restrict &&
        !strncmp(symbol->path, "->", 2) && !strstr(symbol->path + 2, "->") &&
        (memory->itself || symbol->dim_nr))
        return base;
    return !memory->itself && symbol->type.is_restrict ? symbol : NULL;
}

struct flow {
    const struct ir_symbol *from;
    bool found;
};

static void find_setting(struct ir_expr *expr, void *data)
{
    struct flow *flow = data;
    if (expr->kind == IR_ASSIGN && !strcmp(expr->op, "=") &&
        expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == flow->from)
        flow->found = true;
    for (size_t i = 0; expr->kind == IR_RAW && i < expr->arg_nr; i++)
        flow->found = flow->found || expr->arg[i]->symbol == flow->from;
}

/* It may be given another address than that which it has, or one next to it. */
static bool is_set(const struct ir_function *function, const struct ir_symbol *symbol)
{
    struct flow flow = {.from = symbol, .found = symbol->address_taken};
    if (symbol->is_written && !flow.found)
        stmt_exprs(function->body, find_setting, &flow);
    return flow.found;
}

static bool is_variable_of_call(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) && !symbol->is_static &&
           !symbol->address_taken;
}

static void find_origin(struct ir_expr *expr, void *data)
{
    struct flow *flow = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (symbol &&
        (symbol == flow->from ||
         (symbol->type.pointers && (symbol->role == IR_LOCAL ||
                                    (symbol->role == IR_PARAM && symbol->is_written)))))
        flow->found = true;
}

/* An address, perhaps the one, becomes something that others may read: it is stored, or
 * given to a function that may do anything, or made a number. */
static void find_leak(struct ir_expr *expr, void *data)
{
    struct flow *flow = data;
    const struct ir_expr *first = expr->arg_nr ? expr->arg[0] : NULL;
    bool unknown = expr->kind == IR_CALL && !expr_function(expr) &&
                   !(expr->symbol && (expr->symbol->effects || expr->symbol->is_pure));
    bool stores = expr->kind == IR_ASSIGN && first->type.pointers &&
                  !(first->kind == IR_NAME && is_variable_of_call(first->symbol));
    bool number = expr->kind == IR_CAST && !expr->type.pointers && first->type.pointers;
    bool copies = expr->kind == IR_ASSIGN && first->type.scalar == IR_RECORD;
    if (!unknown && !stores && !number && !copies && expr->kind != IR_RAW)
        return;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!stores || i)
            ir_visit(expr->arg[i], find_origin, flow);
}

static bool leaks(const struct ir_function *function, const struct ir_symbol *symbol)
{
    struct flow flow = {.from = symbol};
    stmt_exprs(function->body, find_leak, &flow);
    return flow.found;
}

/* Fields that two pointers lead to may be one. */
static bool may_be_one(const struct ir_symbol *a, const struct ir_symbol *b)
{
    return a->role == IR_FIELD && b->role == IR_FIELD && a->base != b->base &&
           (strstr(a->path, "->") || strstr(b->path, "->"));
}

/* What `symbol` points to may have been reached from the restrict pointer. */
static bool may_be_based(const struct ir_function *function,
                         const struct ir_symbol *symbol, const struct ir_symbol *pointer)
{
    if (is_set(function, pointer) || symbol->role == IR_LOCAL)
        return true;
    if (symbol->role == IR_PARAM)
        return pointer->role != IR_PARAM || is_set(function, symbol);
    if (pointer->role == IR_PARAM)
        return leaks(function, pointer);
    return !symbol->type.is_restrict || is_set(function, symbol) ||
           may_be_one(symbol, pointer);
}

static bool is_apart_by_restrict(const struct nest *nest, const struct memory *a,
                                 const struct memory *b)
{
    const struct ir_function *function = nest->model->function;
    const struct ir_symbol *pointer = restrict_of(a);
    return pointer && !memory_has_rows(a) && pointer->role != IR_LOCAL &&
           !may_be_based(function, b->symbol, pointer);
}

/* ---- types ---- */

static bool is_char(const struct ir_type *type)
{
    return type->scalar == IR_INT && type->bytes == 1;
}

/* By C's rules for access through types. */
static bool types_may_alias(const struct ir_type *a, const struct ir_type *b)
{
    if (a->may_alias || b->may_alias)
        return true;
    if (a->pointers || b->pointers)
        return (a->pointers && b->pointers) ||
               (a->pointers ? is_char(b) || b->scalar == IR_RECORD
                            : is_char(a) || a->scalar == IR_RECORD);
    if (is_char(a) || is_char(b) || a->scalar == IR_RECORD || b->scalar == IR_RECORD ||
        a->scalar == IR_OTHER || b->scalar == IR_OTHER)
        return true;
    return a->scalar == b->scalar && a->bytes == b->bytes;
}

/* Of an array also as it is declared: records are accessed by their fields. */
static bool are_apart_by_type(const struct nest *nest, const struct memory *a,
                              const struct memory *b)
{
    struct ir_type first = a->symbol->type, second = b->symbol->type;
    first.pointers = a->itself || a->table ? first.pointers : 0;
    second.pointers = b->itself || b->table ? second.pointers : 0;
    return !nest->model->function->types_alias && !types_may_alias(&a->type, &b->type) &&
           !types_may_alias(&first, &second);
}

/* ---- pairs ---- */

/* Parameters that stay as every call gives them. */
static bool is_apart_by_calls(const struct ir_function *function,
                              const struct ir_symbol *a, const struct ir_symbol *b)
{
    size_t nr = function->param_nr;
    return function->apart && a->role == IR_PARAM && b->role == IR_PARAM &&
           !a->is_written && !b->is_written && !a->address_taken && !b->address_taken &&
           (size_t)a->id < nr && (size_t)b->id < nr &&
           function->apart[(size_t)a->id * nr + (size_t)b->id];
}

static bool guaranteed(const struct model *model, const char *a, const char *b)
{
    bool has_a = false, has_b = false;
    for (size_t i = 0; i < model->noalias.nr; i++) {
        const char *name = model->noalias.v[i];
        if (!*name)
            has_a = has_b = false;
        has_a = has_a || !strcmp(name, a);
        has_b = has_b || !strcmp(name, b);
        if (has_a && has_b)
            return true;
    }
    return false;
}

/* Fields of one record, reached by the same pointers; nest_cells refused those that share
 * bytes. */
static bool are_of_one_record(const struct memory *a, const struct memory *b)
{
    const struct ir_symbol *first = a->symbol, *second = b->symbol;
    if (first == outermost(second) || second == outermost(first))
        return true;
    if (outermost(first) != outermost(second))
        return false;
    const char *one = strrchr(first->path, '>'), *other = strrchr(second->path, '>');
    size_t length = one ? (size_t)(one - first->path) : 0;
    bool in_place = (a->itself || first->dim_nr) && (b->itself || second->dim_nr);
    return in_place && !one == !other &&
           (!one || ((size_t)(other - second->path) == length &&
                     !strncmp(first->path, second->path, length)));
}

/* But for their types. */
static bool may_overlap(const struct nest *nest, const struct memory *a,
                        const struct memory *b)
{
    if (a->symbol == b->symbol && a->table == b->table)
        return a->written && memory_has_rows(a);
    if ((!a->written && !b->written) || (!is_pointed_to(a) && !is_pointed_to(b)) ||
        !is_reachable(a, b) || !is_reachable(b, a))
        return false;
    if (a->symbol == b->symbol) /* the rows, and the pointers to them */
        return true;
    if (are_of_one_record(a, b))
        return false;
    /* of a pointer to pointers `restrict` speaks of those, not of the rows */
    if (is_apart_by_restrict(nest, a, b) || is_apart_by_restrict(nest, b, a))
        return false;
    if (!a->itself && !b->itself && !a->table && !b->table && !memory_has_rows(a) &&
        !memory_has_rows(b) &&
        is_apart_by_calls(nest->model->function, a->symbol, b->symbol))
        return false;
    return !guaranteed(nest->model, a->symbol->name, b->symbol->name);
}

static bool is_cell(const struct nest *nest, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (nest->cell[i].symbol == symbol && !nest->cell[i].dims)
            return true;
    return false;
}

/* The cells, and the variables that are only read. */
static struct memory *memories(const struct nest *nest, size_t *out)
{
    const struct ir_function *function = nest->model->function;
    struct memory *all =
        xcalloc(2 * nest->cell_nr + function->symbol_nr + 1, sizeof(*all));
    size_t nr = 0;
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private)
            all[nr++] = (struct memory){.symbol = nest->cell[i].symbol,
                                        .type = nest->cell[i].type,
                                        .itself = !nest->cell[i].dims,
                                        .written = cell_is_written(nest, i)};
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (nest->cell[i].dims && symbol_has_rows(nest->cell[i].symbol))
            all[nr++] = (struct memory){.symbol = nest->cell[i].symbol,
                                        .type = nest->cell[i].symbol->type,
                                        .table = true};
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        bool record = symbol->type.scalar == IR_RECORD && !symbol->type.pointers;
        if (nest->used[i] && !nest->declared[i] && symbol->role != IR_FUNCTION &&
            !symbol->dim_nr && !record && !is_cell(nest, symbol))
            all[nr++] =
                (struct memory){.symbol = symbol, .type = symbol->type, .itself = true};
    }
    *out = nr;
    return all;
}

/* Fields of one array are cells of their own, but an array is tested as a whole. */
static bool is_listed(const struct overlaps *list, const struct memory *a,
                      const struct memory *b)
{
    for (size_t i = 0; i < list->nr; i++) {
        const struct memory *one = &list->pair[i].a, *other = &list->pair[i].b;
        if (one->symbol == a->symbol && other->symbol == b->symbol &&
            one->itself == a->itself && other->itself == b->itself &&
            one->table == a->table && other->table == b->table)
            return true;
    }
    return false;
}

/* In the order of the source only what the loops are made of must stay as it is. */
static bool matters(const struct nest *nest, const struct memory *memory)
{
    return memory->table ||
           (memory->itself && !memory->written && nest->rests[memory->symbol->id]);
}

static void note_types(struct overlaps *list, const struct memory *a,
                       const struct memory *b)
{
    const char *first = (a->itself || a->table) && a->type.pointers ? "a pointer"
                                                                    : a->type.text,
               *second = (b->itself || b->table) && b->type.pointers ? "a pointer"
                                                                     : b->type.text;
    struct buf text = {0}, turned = {0};
    buf_addf(&text, "%s and %s", first, second);
    buf_addf(&turned, "%s and %s", second, first);
    if (!strvec_has(&list->types, buf_str(&turned)))
        strvec_push_once(&list->types, buf_str(&text));
    buf_release(&text);
    buf_release(&turned);
}

struct overlaps nest_overlaps(const struct nest *nest, bool reorders)
{
    struct overlaps list = {0};
    size_t nr;
    struct memory *all = memories(nest, &nr);
    for (size_t i = 0; i < nr; i++)
        for (size_t k = i; k < nr; k++) {
            const struct memory *a = &all[i], *b = &all[k];
            bool same =
                a->symbol == b->symbol && !memory_has_rows(a) && !memory_has_rows(b);
            if ((!reorders && !matters(nest, a) && !matters(nest, b)) || same ||
                !may_overlap(nest, a, b) || is_listed(&list, a, b))
                continue;
            if (i != k && are_apart_by_type(nest, a, b)) {
                note_types(&list, a, b);
                continue;
            }
            GROW(list.pair, list.nr + 1, list.alloc);
            list.pair[list.nr++] = (struct overlap){*a, *b};
        }
    free(all);
    return list;
}

/* Under the same name, or as a part of the other. */
static bool is_of_same(const struct ir_symbol *a, const struct ir_symbol *b)
{
    return a == b || outermost(a) == b || outermost(b) == a;
}

bool nest_may_write(const struct nest *nest, const struct memory *memory)
{
    bool found = false;
    for (size_t i = 0; !found && i < nest->cell_nr; i++) {
        const struct cell *cell = &nest->cell[i];
        const struct memory written = {.symbol = cell->symbol,
                                       .type = cell->type,
                                       .itself = !cell->dims,
                                       .written = true};
        found =
            cell_is_written(nest, i) && (is_of_same(cell->symbol, memory->symbol) ||
                                         (may_overlap(nest, &written, memory) &&
                                          !are_apart_by_type(nest, &written, memory)));
    }
    return found;
}

void overlaps_release(struct overlaps *list)
{
    free(list->pair);
    strvec_release(&list->types);
}
