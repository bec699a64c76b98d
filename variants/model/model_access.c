/* What a statement reads and writes, and the relations from its instances to elements. */
#include "variants/model/model_place.h"

#include <stdlib.h>
#include <string.h>

/* Of the types of such a function, result first: d its floating type, c complex, i int,
 * l long, L long long; most are "dd". */
static const struct {
    const char *name, *types;
} pure[] = {{"sqrt", "dd"},   {"cbrt", "dd"},      {"fabs", "dd"},  {"exp", "dd"},
            {"exp2", "dd"},   {"expm1", "dd"},     {"log", "dd"},   {"log2", "dd"},
            {"log10", "dd"},  {"log1p", "dd"},     {"sin", "dd"},   {"cos", "dd"},
            {"tan", "dd"},    {"asin", "dd"},      {"acos", "dd"},  {"atan", "dd"},
            {"atan2", "ddd"}, {"sinh", "dd"},      {"cosh", "dd"},  {"tanh", "dd"},
            {"pow", "ddd"},   {"hypot", "ddd"},    {"fma", "dddd"}, {"fmin", "ddd"},
            {"fmax", "ddd"},  {"fmod", "ddd"},     {"floor", "dd"}, {"ceil", "dd"},
            {"round", "dd"},  {"trunc", "dd"},     {"rint", "dd"},  {"nearbyint", "dd"},
            {"erf", "dd"},    {"copysign", "ddd"}, {"erfc", "dd"},  {"tgamma", "dd"},
            {"abs", "ii"},    {"labs", "ll"},      {"llabs", "LL"}, {"fdim", "ddd"},
            {"ldexp", "ddi"}, {"conj", "cc"},      {"creal", "dc"}, {"cimag", "dc"},
            {"cabs", "dc"},   {"carg", "dc"},      {"cexp", "cc"},  {"clog", "cc"},
            {"csqrt", "cc"},  {"cpow", "ccc"},     {"csin", "cc"},  {"ccos", "cc"},
            {"cproj", "cc"}};

/* Of C++, behind "std::": the same, which are there for every type, and templates with
 * the types behind them. */
static bool standard_function(const char *name)
{
    static const char *const templates[] = {"min", "max", "clamp"};
    size_t length = strcspn(name, "<");
    for (size_t i = 0; i < ARRAY_SIZE(pure); i++)
        if (strlen(pure[i].name) == length && !strncmp(name, pure[i].name, length))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(templates); i++)
        if (strlen(templates[i]) == length && !strncmp(name, templates[i], length))
            return true;
    return false;
}

/* Its place in the table, and the letter behind the name; false = none. */
static bool find_pure(const char *name, size_t *index, char *suffix)
{
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    for (size_t i = 0; i < ARRAY_SIZE(pure); i++) {
        size_t length = strlen(pure[i].name);
        if (!strncmp(name, pure[i].name, length) &&
            (!name[length] || (strchr("fl", name[length]) && !name[length + 1]))) {
            *index = i;
            *suffix = name[length];
            return true;
        }
    }
    return false;
}

bool math_function(const char *name)
{
    size_t index;
    char suffix;
    if (!strncmp(name, "std::", 5))
        return standard_function(name + 5);
    return find_pure(name, &index, &suffix);
}

bool math_prototype(const char *name, const char *type)
{
    struct buf text = {0};
    size_t index;
    char suffix;
    if (!strncmp(name, "std::", 5))
        return standard_function(name + 5);
    if (!find_pure(name, &index, &suffix))
        return false;
    const char *floating = suffix == 'f'   ? "float"
                           : suffix == 'l' ? "long double"
                                           : "double";
    const char *types = pure[index].types;
    for (size_t i = 0; types[i]; i++) {
        buf_add(&text, i == 1 ? " (" : i ? ", " : "");
        buf_addf(&text, "%s%s", types[i] == 'c' ? "_Complex " : "",
                 types[i] == 'i'   ? "int"
                 : types[i] == 'l' ? "long"
                 : types[i] == 'L' ? "long long"
                                   : floating);
    }
    buf_add(&text, ")");
    bool same = !strncmp(type, buf_str(&text), text.length) &&
                (!type[text.length] || type[text.length] == ' '); /* noexcept */
    buf_release(&text);
    return same;
}

bool expr_is_math(const struct ir_expr *call)
{
    return call->text && math_function(call->text) &&
           (!call->symbol || call->symbol->is_math);
}

struct collect {
    struct nest *nest;
    size_t statement;
    bool maybe; /* in a part that is not always executed */
    int status;
};

static void collect_expr(struct collect *at, const struct ir_expr *expr);

static void refuse(struct collect *at, const struct ir_expr *expr, const char *format,
                   const char *word)
{
    struct buf text = {0};
    int line = expr->line ? expr->line : at->nest->statement[at->statement].stmt->line;
    buf_addf(&text, "'%s' ", word);
    buf_add(&text, format);
    at->status = nest_refuse(at->nest, line, "%s", buf_str(&text));
    buf_release(&text);
}

/* A pointer that is declared in the nest counts as the value it is; what it points to is
 * found through its initialiser. */
static size_t symbol_dims(const struct nest *nest, const struct ir_symbol *symbol)
{
    if (symbol->dim_nr)
        return symbol->dim_nr;
    return symbol->type.pointers > 0 && !nest->declared[symbol->id];
}

static size_t find_cell(struct nest *nest, const struct place *place)
{
    struct ir_arena *arena = nest->model->arena;
    const char *name = place->symbol->name;
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (nest->cell[i].symbol == place->symbol &&
            !strcmp(nest->cell[i].path, place->path))
            return i;
    GROW(nest->cell, nest->cell_nr + 1, nest->cell_alloc);
    nest->cell[nest->cell_nr] = (struct cell){
        .symbol = place->symbol,
        .path = place->path,
        .name = *place->path ? ir_textf(arena, "%s%s", name, place->path) : name,
        .type = place->type,
        .symbol_dims = symbol_dims(nest, place->symbol),
        .offset = place->offset,
        .dims = place->nr};
    return nest->cell_nr++;
}

/* ---- recording ---- */

static bool is_local_to_statement(const struct nest *nest, const struct ir_symbol *symbol)
{
    if (symbol->role == IR_FIELD && symbol->base)
        symbol = symbol->base;
    return symbol->id >= 0 && nest->declared[symbol->id] &&
           nest->decl_depth[symbol->id] < 0;
}

static void record(struct collect *at, const struct ir_expr *expr,
                   const struct place *place, bool write)
{
    struct nest *nest = at->nest;
    const struct statement *statement = &nest->statement[at->statement];
    size_t cell = find_cell(nest, place);
    GROW(nest->access, nest->access_nr + 1, nest->access_alloc);
    struct access *access = &nest->access[nest->access_nr++];
    *access = (struct access){.cell = cell,
                              .statement = at->statement,
                              .write = write,
                              .must = write && !at->maybe && !place->partial,
                              .expr = expr,
                              .subscript_nr = place->nr,
                              .collapsed = statement->collapsed,
                              .line = expr->line ? expr->line : statement->stmt->line};
    for (size_t i = 0; i < place->nr; i++) {
        access->subscript[i] = place->subscript[place->nr - 1 - i];
        access->scale[i] = place->scale[place->nr - 1 - i];
    }
}

static const char *count_problem(const struct nest *nest, const struct place *place)
{
    size_t dims = symbol_dims(nest, place->symbol), nr = place->nr - place->field_nr;
    if (nr > dims)
        return "is an array of pointers, whose rows may overlap; use double A[n][m] or "
               "one linear array";
    return nr < dims ? "is used without its subscripts" : NULL;
}

/* What has no name is said as it is written. */
static void refuse_place(struct collect *at, const struct ir_expr *expr,
                         const struct place *place)
{
    struct buf text = {0};
    if (place->symbol)
        buf_add(&text, place->symbol->name);
    else
        ir_print_expr(&text, expr);
    refuse(at, expr, place->problem, buf_str(&text));
    buf_release(&text);
}

/* A use of a variable or element. Parameters that nobody writes are no memory accesses.
 */
static void collect_place(struct collect *at, const struct ir_expr *expr, bool write)
{
    struct place place = place_of(at->nest, expr);
    if (!place.problem && !place.symbol)
        place.problem = "cannot be followed";
    if (!place.problem && is_local_to_statement(at->nest, place.symbol))
        return;
    if (!place.problem)
        place.problem = count_problem(at->nest, &place);
    if (place.problem) {
        refuse_place(at, expr, &place);
        return;
    }
    if (!place.nr && !at->nest->written[place.symbol->id] &&
        !at->nest->declared[place.symbol->id])
        return;
    record(at, expr, &place, write);
}

/* The subscripts on the way to a place are read. */
static void collect_subscripts(struct collect *at, const struct ir_expr *expr)
{
    switch (expr->kind) {
    case IR_INDEX:
        collect_expr(at, expr->arg[1]);
        collect_subscripts(at, expr->arg[0]);
        break;
    case IR_MEMBER:
    case IR_CAST:
    case IR_UNARY:
        collect_subscripts(at, expr->arg[0]);
        break;
    case IR_BINARY:
        collect_expr(at, expr->arg[expr->arg[0]->type.pointers > 0]);
        collect_subscripts(at, expr->arg[!(expr->arg[0]->type.pointers > 0)]);
        break;
    case IR_NAME: /* a row pointer is itself a value that the nest sets */
        if (expr->type.pointers && at->nest->declared[expr->symbol->id] &&
            !expr->symbol->dim_nr)
            collect_place(at, expr, false);
        break;
    default:
        break;
    }
}

static void collect_lvalue(struct collect *at, const struct ir_expr *expr, bool read,
                           bool write)
{
    if (expr->kind != IR_NAME)
        collect_subscripts(at, expr);
    if (read)
        collect_place(at, expr, false);
    if (write && !at->status)
        collect_place(at, expr, true);
}

static const struct ir_symbol *root(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX || expr->kind == IR_MEMBER)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

static void collect_assign(struct collect *at, const struct ir_expr *expr)
{
    struct nest *nest = at->nest;
    const struct ir_expr *target = expr->arg[0];
    bool whole = nest->statement[at->statement].stmt->expr == expr;
    collect_expr(at, expr->arg[1]);
    if (at->status)
        return;
    size_t first = nest->access_nr;
    collect_lvalue(at, target, strcmp(expr->op, "=") != 0, true);
    enum accumulation accumulates = accumulation_of(nest->model->arena, expr);
    if (!whole || at->status || nest->access_nr == first)
        return;
    for (size_t i = nest->statement[at->statement].access_begin; i < nest->access_nr; i++)
        if (nest->access[i].cell == nest->access[nest->access_nr - 1].cell)
            nest->access[i].accumulates = accumulates;
}

static void collect_unary(struct collect *at, const struct ir_expr *expr)
{
    if (strstr(expr->op, "++") || strstr(expr->op, "--"))
        collect_lvalue(at, expr->arg[0], true, true);
    else if (!strcmp(expr->op, "*"))
        collect_lvalue(at, expr, true, false);
    else if (!strcmp(expr->op, "&"))
        refuse(at, expr, "has its address taken in a loop",
               root(expr->arg[0]) ? root(expr->arg[0])->name : "an element");
    else if (strcmp(expr->op, "sizeof"))
        collect_expr(at, expr->arg[0]);
}

static void collect_call(struct collect *at, const struct ir_expr *expr)
{
    const char *name = expr->text     ? expr->text
                       : expr->symbol ? expr->symbol->name
                                      : "a function";
    if (!strcmp(name, "__builtin_prefetch"))
        return;
    if (!expr_is_math(expr) && !(expr->symbol && expr->symbol->is_pure)) {
        refuse(at, expr,
               "may change memory that the nest uses; only math functions, and functions "
               "of this file that read nothing but their arguments, may be called in a "
               "loop",
               name);
        return;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (expr->arg[i]->type.pointers) {
            refuse(at, expr, "is handed a pointer; write its body into the loop", name);
            return;
        }
    for (size_t i = 0; i < expr->arg_nr; i++)
        collect_expr(at, expr->arg[i]);
}

static void collect_maybe(struct collect *at, const struct ir_expr *expr)
{
    bool before = at->maybe;
    collect_expr(at, expr->arg[0]);
    at->maybe = true;
    for (size_t i = 1; i < expr->arg_nr; i++)
        collect_expr(at, expr->arg[i]);
    at->maybe = before;
}

/* A pointer to be kept in a local: what it points to is followed where it is used. */
static void collect_pointer(struct collect *at, const struct ir_expr *expr)
{
    while (expr->kind == IR_UNARY && !strcmp(expr->op, "&"))
        expr = expr->arg[0];
    if (expr->kind == IR_NAME)
        return;
    collect_subscripts(at, expr);
}

static void collect_expr(struct collect *at, const struct ir_expr *expr)
{
    if (at->status)
        return;
    if (expr->has_value)
        return;
    if (expr->type.pointers && expr->kind != IR_ASSIGN) {
        collect_pointer(at, expr);
        return;
    }
    switch (expr->kind) {
    case IR_NAME:
    case IR_INDEX:
    case IR_MEMBER:
        collect_lvalue(at, expr, true, false);
        break;
    case IR_UNARY:
        collect_unary(at, expr);
        break;
    case IR_ASSIGN:
        collect_assign(at, expr);
        break;
    case IR_COND:
        collect_maybe(at, expr);
        break;
    case IR_BINARY:
        if (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")) {
            collect_maybe(at, expr);
            break;
        }
        collect_expr(at, expr->arg[0]);
        collect_expr(at, expr->arg[1]);
        break;
    case IR_CAST:
        collect_expr(at, expr->arg[0]);
        break;
    case IR_CALL:
        collect_call(at, expr);
        break;
    case IR_RAW:
        refuse(at, expr,
               *expr->text == '{'
                   ? "sets a whole variable; declare it without and assign to its parts"
                   : "cannot be taken apart",
               expr->text);
        break;
    case IR_LITERAL:
        break;
    }
}

/* ---- statements ---- */

static void collect_stmt(struct collect *at, const struct ir_stmt *stmt)
{
    if (!stmt || at->status)
        return;
    if (stmt->expr)
        collect_expr(at, stmt->expr);
    collect_stmt(at, stmt->init);
    if (stmt->kind == IR_FOR && stmt->canonical) {
        collect_expr(at, stmt->lower);
        collect_expr(at, stmt->upper);
    } else {
        if (stmt->cond)
            collect_expr(at, stmt->cond);
        if (stmt->increment)
            collect_expr(at, stmt->increment);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        collect_stmt(at, stmt->child[i]);
}

static void record_declared(struct collect *at, const struct ir_stmt *stmt)
{
    struct place place = {.symbol = stmt->symbol, .path = "", .type = stmt->symbol->type};
    static const struct ir_expr nowhere = {.kind = IR_RAW, .text = ""};
    if (stmt->symbol->type.is_volatile)
        refuse(at, &nowhere, "is volatile", stmt->symbol->name);
    else
        record(at, ir_name(at->nest->model->arena, stmt->symbol), &place, true);
}

int nest_collect(struct nest *nest, size_t index)
{
    struct statement *statement = &nest->statement[index];
    struct collect at = {.nest = nest, .statement = index, .maybe = statement->collapsed};
    statement->access_begin = nest->access_nr;
    collect_stmt(&at, statement->stmt);
    if (!at.status && statement->stmt->kind == IR_DECL)
        record_declared(&at, statement->stmt);
    nest->statement[index].access_end = nest->access_nr;
    return at.status;
}
