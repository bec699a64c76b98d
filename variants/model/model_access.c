/* What a statement reads and writes, and the relations from its instances to elements. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "variants/ir/liveness.h"
#include "variants/ir/sum.h"
#include "variants/model/model_nest.h"

/* A place in memory: which variable, with which subscripts. */
struct place {
    struct ir_symbol *symbol;
    struct ir_expr *subscript[SUBSCRIPTS_MAX]; /* innermost first while reading */
    long long scale[SUBSCRIPTS_MAX]; /* bytes that one more moves; 0 = not constant */
    long long size[SUBSCRIPTS_MAX];  /* of a field's dimension; 0 = another one's */
    size_t nr, field_nr;             /* field_nr: of those, belong to fields */
    bool walks;       /* by a pointer to an element, which may go on into the next row */
    const char *path; /* ".pos.x", "" without fields */
    struct ir_type type; /* of the element named */
    long long offset;    /* bytes of the path in its record */
    bool respelt;        /* the parser put subscripts in the pointer's place */
    bool partial; /* only a part of the element: a member of a union, a bit-field */
    const char *problem;
};

/* Adds to what is read already. */
static void place_read(struct nest *nest, const struct ir_expr *expr,
                       struct place *place);

/* ---- place ---- */

/* Taking a[i][j], *(p + i), s[i].field[k] and row pointers apart. */

/* Of an element; a row's length is not looked at. */
static long long bytes_of(const struct ir_type *type)
{
    return type->pointers ? 0 : (long long)type->bytes;
}

static void place_push(struct place *place, struct ir_expr *subscript, long long scale)
{
    if (place->nr == SUBSCRIPTS_MAX) {
        place->problem = "has too many subscripts";
        return;
    }
    place->scale[place->nr] = scale;
    place->subscript[place->nr++] = subscript;
}

/* What a pointer points to, in bytes; 0 for rows whose length is not constant. */
static long long target_bytes(const struct ir_type *type)
{
    return type->pointers == 1 ? (long long)type->bytes : 0;
}

/* The last subscript read goes up by `by`: p[i] with p = a + k is a[k + i]. */
static void place_shift(struct nest *nest, struct place *place, struct ir_expr *by,
                        long long scale)
{
    if (!place->nr) {
        place_push(place, by, scale);
        return;
    }
    struct ir_expr **last = &place->subscript[place->nr - 1];
    *last = ir_binary(nest->model->arena, "+", by, *last);
    place->walks = true;
}

static void find_changing(struct ir_expr *expr, void *data)
{
    struct place *place = data;
    if (expr->kind == IR_NAME && expr->symbol->is_written &&
        expr->symbol->role != IR_LOCAL)
        place->problem = "points to something that changes";
}

/* What a pointer that is declared before the nest was made of, and no longer is. */
struct origin {
    const struct nest *nest;
    const struct ir_symbol *pointer, *part;
    bool lost;
};

static bool declares_pointer(const struct ir_stmt *stmt, const void *data)
{
    const struct origin *origin = data;
    return stmt->kind == IR_DECL && stmt->symbol == origin->pointer;
}

static bool is_nest(const struct ir_stmt *stmt, const void *data)
{
    const struct origin *origin = data;
    return stmt == origin->nest->stmt;
}

/* Of that loop's iteration, in which the nest is, too. */
static bool is_of_iteration(const struct ir_stmt *stmt, const void *data)
{
    const struct origin *origin = data;
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == origin->part &&
           stmt_find(stmt, declares_pointer, origin) && stmt_find(stmt, is_nest, origin);
}

static void find_lost(struct ir_expr *expr, void *data)
{
    struct origin *origin = data;
    origin->part = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool changes = origin->part && origin->part->is_written &&
                   origin->part->role == IR_LOCAL &&
                   !stmt_find(origin->nest->model->function->body, is_of_iteration, data);
    origin->lost =
        origin->lost || changes || expr->kind == IR_CALL || expr->kind == IR_RAW;
}

/* The pointer is then one of which nothing is known. */
static bool is_origin_lost(const struct nest *nest, const struct ir_symbol *pointer)
{
    struct origin origin = {.nest = nest, .pointer = pointer};
    if (!nest->declared[pointer->id])
        ir_visit(nest->model->init[pointer->id], find_lost, &origin);
    return origin.lost;
}

/* q->x where the nest sets q: the x of what q points to. */
static bool place_field(struct nest *nest, const struct ir_symbol *symbol,
                        struct place *place)
{
    const struct ir_symbol *base = symbol->base;
    if (symbol->role != IR_FIELD || !base || base->id < 0 || !nest->declared[base->id] ||
        !base->type.pointers)
        return false;
    if (strncmp(symbol->path, "->", 2) || strstr(symbol->path + 2, "->") ||
        symbol->type.pointers || !nest->model->init[base->id]) {
        place->problem = "is reached through a pointer that the loop sets";
        return true;
    }
    place->path = ir_textf(nest->model->arena, ".%s%s", symbol->path + 2, place->path);
    place->field_nr = place->nr;
    place_push(place, ir_integer(nest->model->arena, 0), target_bytes(&base->type));
    place->walks = true;
    ir_visit(nest->model->init[base->id], find_changing, place);
    place_read(nest, nest->model->init[base->id], place);
    return true;
}

static void place_name(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    struct ir_symbol *symbol = expr->symbol;
    place->symbol = symbol;
    if (place_field(nest, symbol, place))
        return;
    if (symbol->role == IR_FIELD && symbol->base && symbol->base->id >= 0 &&
        nest->written[symbol->base->id])
        place->problem = "belongs to a structure that changes in the loop";
    if (symbol->type.is_volatile)
        place->problem = "is volatile or atomic";
    if (symbol->type.pointers && !symbol->dim_nr && nest->written[symbol->id])
        place->problem = "is a pointer that moves in the loop; write a[i]";
    else if (symbol->role == IR_LOCAL && symbol->pointer_to_array)
        place->problem = "points to rows in memory that has another name, too";
    else if (symbol->role == IR_LOCAL && symbol->type.pointers && !symbol->dim_nr &&
             place->nr && nest->model->init[symbol->id] &&
             !is_origin_lost(nest, symbol)) {
        place->walks = true;
        ir_visit(nest->model->init[symbol->id], find_changing, place);
        place_read(nest, nest->model->init[symbol->id], place);
    }
}

static void place_pointer(struct nest *nest, const struct ir_expr *expr,
                          struct place *place)
{
    const struct ir_expr *inner = expr->arg[0];
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "*")) {
        place_push(place, ir_integer(nest->model->arena, 0), target_bytes(&inner->type));
        place_read(nest, inner, place);
    } else if (expr->kind == IR_UNARY && !strcmp(expr->op, "&") &&
               inner->kind == IR_INDEX && place->nr) {
        struct ir_expr *last = place->subscript[--place->nr];
        place_push(place, ir_binary(nest->model->arena, "+", inner->arg[1], last),
                   place->scale[place->nr]);
        place->walks = true;
        place_read(nest, inner->arg[0], place);
    } else if (strstr(expr->op, "++") || strstr(expr->op, "--")) {
        place->symbol = inner->kind == IR_NAME ? inner->symbol : NULL;
        place->problem = "is a pointer that moves in the loop; write a[i]";
    } else
        place->problem = "is reached in a way that cannot be followed";
}

static void place_sum(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    bool left = expr->arg[0]->type.pointers > 0;
    if (strcmp(expr->op, "+") || (!left && !expr->arg[1]->type.pointers)) {
        place->problem = "is reached through arithmetic that cannot be followed";
        return;
    }
    place_shift(nest, place, expr->arg[left], target_bytes(&expr->arg[!left]->type));
    place_read(nest, expr->arg[!left], place);
}

/* Members of a union and bit-fields share their bytes: the record around them is taken as
 * one. */
static void share(const struct ir_expr *expr, struct place *place)
{
    place->nr = 0;
    place->path = "";
    place->offset = 0;
    place->partial = true;
    place->type = expr->arg[0]->type;
    if (expr->is_arrow)
        place->type.pointers--;
}

/* The subscripts read last are those of the field, innermost first. */
static void set_scales(const struct ir_field *field, struct place *place)
{
    long long bytes = (long long)field->bytes;
    for (size_t i = 0; i < field->dim_nr; i++) {
        bytes /= field->dim[i] ? field->dim[i] : 1;
        place->scale[place->nr - 1 - i] = bytes;
        place->size[place->nr - 1 - i] = (long long)field->dim[i];
    }
}

static void place_member(struct nest *nest, const struct ir_expr *expr,
                         struct place *place)
{
    size_t dims = place->nr - place->field_nr;
    const struct ir_field *field = expr->field;
    if (!field || (expr->type.pointers && field->dim_nr != (size_t)expr->type.pointers)) {
        place->problem =
            "is reached through a pointer in a structure; pass the pointer as a "
            "parameter";
        return;
    }
    if (expr->type.is_volatile)
        place->problem = "is volatile or atomic";
    if (dims != field->dim_nr)
        place->problem = "is used without its subscripts";
    else if (expr->is_shared)
        share(expr, place);
    else {
        place->path = ir_textf(nest->model->arena, ".%s%s", expr->text, place->path);
        place->offset += (long long)field->offset;
        set_scales(field, place);
    }
    place->field_nr = place->nr;
    if (expr->is_arrow)
        place_push(place, ir_integer(nest->model->arena, 0),
                   target_bytes(&expr->arg[0]->type));
    place_read(nest, expr->arg[0], place);
}

/* `problem` says why it cannot be followed. */
static struct place place_of(struct nest *nest, const struct ir_expr *expr)
{
    struct place place = {.path = "", .type = expr->type};
    place_read(nest, expr, &place);
    return place;
}

/* Adds to what is read already. */
static void place_read(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    if (place->problem)
        return;
    switch (expr->kind) {
    case IR_NAME:
        place_name(nest, expr, place);
        break;
    case IR_INDEX:
        place->walks = place->walks || expr->by_pointer;
        place->respelt = place->respelt || expr->by_pointer;
        place_push(place, expr->arg[1], bytes_of(&expr->type));
        place_read(nest, expr->arg[0], place);
        break;
    case IR_MEMBER:
        place_member(nest, expr, place);
        break;
    case IR_UNARY:
        place_pointer(nest, expr, place);
        break;
    case IR_BINARY:
        place_sum(nest, expr, place);
        break;
    case IR_CAST:
        if (expr->type.pointers == 1 && expr->arg[0]->type.pointers == 1 &&
            expr->type.bytes == expr->arg[0]->type.bytes &&
            expr->type.scalar != IR_RECORD) {
            place_read(nest, expr->arg[0], place);
            break;
        }
        /* fall through */
    default:
        place->problem = "is reached in a way that cannot be followed";
    }
}

/* ---- model access ---- */

/* ---- sum ---- */

/* Sums and products whose terms may be taken in another order. */

struct mention {
    const struct ir_symbol *symbol;
    size_t times;
};

static void count_mention(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    mention->times += expr->kind == IR_NAME && expr->symbol == mention->symbol;
}

/* What is added: e of x += e, x -= e, x *= e, x = x + e, x = e * x, with x not in e; NULL
 * = it is none of these. *op: '+', '-' or '*'. */
static const struct ir_expr *term_of(struct ir_expr *expr, char *op)
{
    struct mention mention = {.symbol = expr_root(expr->arg[0])};
    struct ir_expr *right = expr->arg[1];
    if (!mention.symbol)
        return NULL;
    ir_visit(right, count_mention, &mention);
    *op = expr->op[0];
    if (!strcmp(expr->op, "+=") || !strcmp(expr->op, "*=") || !strcmp(expr->op, "-="))
        return mention.times ? NULL : right;
    if (strcmp(expr->op, "=") || right->kind != IR_BINARY ||
        (strcmp(right->op, "+") && strcmp(right->op, "*")) || mention.times != 1)
        return NULL;
    *op = right->op[0];
    for (size_t i = 0; i < 2; i++)
        if (expr_equal(expr->arg[0], right->arg[i]))
            return right->arg[!i];
    return NULL;
}

/* The value lies within 2 to the power of so many bits, on either side of 0. */
static size_t bits_of(const struct ir_expr *expr)
{
    const struct ir_type *type = &expr->type;
    size_t max = type->bytes * 8 - !type->is_unsigned, a, b;
    if (!expr_is_polynomial(expr) || type->is_unsigned)
        return max;
    a = bits_of(expr->arg[0]);
    b = bits_of(expr->arg[1]);
    size_t made = expr->op[0] == '*' ? a + b : (a > b ? a : b) + 1;
    return made < max ? made : max;
}

/* Integers: every order gives the same only where nothing but the low bits of each step
 * is kept, and no step can overflow that did not before: an unsigned sum that is made in
 * an unsigned type, or in a signed one that is wide enough for any two such values. */
static bool is_modular(const struct ir_expr *sum, const struct ir_expr *term,
                       const struct ir_type *made, char op)
{
    size_t a = bits_of(sum), b = bits_of(term), room = made->bytes * 8 - 2;
    if (sum->type.scalar != IR_INT || !sum->type.is_unsigned || made->scalar != IR_INT)
        return false;
    if (made->is_unsigned)
        return made->bytes >= sum->type.bytes;
    return op == '*' ? a + b <= room : a < room && b < room;
}

static enum accumulation accumulation_of(struct ir_arena *arena,
                                         const struct ir_expr *expr)
{
    char op;
    struct ir_expr *sum = expr->arg[0];
    const struct ir_expr *term = term_of((struct ir_expr *)expr, &op);
    if (!term)
        return ACCUMULATES_NOT;
    const struct ir_type made =
        ir_binary(arena, op == '*' ? "*" : "+", sum, (struct ir_expr *)term)->type;
    if (is_modular(sum, term, &made, op))
        return ACCUMULATES_EXACTLY;
    return sum->type.scalar == IR_FLOAT && made.scalar == IR_FLOAT ? ACCUMULATES_ROUNDED
                                                                   : ACCUMULATES_IN_ORDER;
}

/* ---- model access ---- */

struct collect {
    struct nest *nest;
    size_t statement;
    bool maybe; /* in a part that is not always executed */
    bool dying; /* in a block at whose end the program ends */
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
    return symbol->dim_nr || !nest->declared[symbol->id] ? symbol_levels(symbol) : 0;
}

static size_t find_cell(struct nest *nest, const struct place *place)
{
    struct ir_arena *arena = nest->model->arena;
    const char *name = place->symbol->name;
    for (size_t i = 0; i < nest->cell_nr; i++) {
        struct cell *cell = &nest->cell[i];
        if (cell->symbol != place->symbol || strcmp(cell->path, place->path))
            continue;
        /* through a cast: it may be the memory of others of both types */
        if (cell->type.scalar != place->type.scalar ||
            cell->type.bytes != place->type.bytes)
            cell->type.may_alias = true;
        return i;
    }
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

/* ---- subscripts that a local holds ---- */

struct named {
    const struct nest *nest;
    const struct statement *statement;
    struct ir_symbol *local; /* one that the nest sets once */
    bool other;              /* something besides iterators, parameters and locals */
};

static bool is_iterator(const struct statement *statement, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < statement->depth; i++)
        if (statement->loop[i]->stmt->iterator == symbol)
            return true;
    return false;
}

static void look_at_name(struct ir_expr *expr, void *data)
{
    struct named *named = data;
    const struct nest *nest = named->nest;
    struct ir_symbol *symbol = expr->symbol;
    if (expr->kind == IR_LITERAL || expr->kind == IR_BINARY || expr->kind == IR_CAST ||
        (expr->kind == IR_UNARY && (*expr->op == '-' || *expr->op == '+')))
        return;
    if (expr->kind != IR_NAME)
        named->other = true;
    else if (is_iterator(named->statement, symbol) || symbol_is_param(nest, symbol))
        return;
    else if (symbol->id >= 0 && nest->declared[symbol->id] &&
             symbol->type.scalar == IR_INT && !symbol->type.pointers &&
             nest->model->init[symbol->id])
        named->local = symbol;
    else
        named->other = true;
}

/* `int k = y * w + x; a[k]`: the subscript in terms of iterators and parameters; as it is
 * where it is made of anything else. */
static struct ir_expr *without_locals(const struct nest *nest,
                                      const struct statement *statement,
                                      struct ir_expr *subscript)
{
    struct ir_arena *arena = nest->model->arena;
    struct ir_expr *expr = subscript;
    for (;;) {
        struct named named = {.nest = nest, .statement = statement};
        ir_visit(expr, look_at_name, &named);
        if (named.other)
            return subscript;
        if (!named.local)
            return expr;
        struct ir_expr *value = nest->model->init[named.local->id];
        if (value->type.bytes != named.local->type.bytes ||
            value->type.is_unsigned != named.local->type.is_unsigned) {
            struct ir_expr *cast = ir_expr_new(arena, IR_CAST, 1);
            cast->type = named.local->type;
            cast->line = value->line;
            cast->arg[0] = value;
            value = cast;
        }
        expr = ir_substitute(arena, expr, &named.local, &value, 1);
    }
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
                              .walks = place->walks,
                              .respelt = place->respelt,
                              .collapsed = statement->collapsed,
                              .line = expr->line ? expr->line : statement->stmt->line};
    for (size_t i = 0; i < place->nr; i++) {
        access->subscript[i] =
            without_locals(nest, statement, place->subscript[place->nr - 1 - i]);
        access->scale[i] = place->scale[place->nr - 1 - i];
        access->size[i] = place->size[place->nr - 1 - i];
    }
}

static const char *count_problem(const struct nest *nest, const struct place *place)
{
    size_t dims = symbol_dims(nest, place->symbol), nr = place->nr - place->field_nr;
    if (nr > dims)
        return "is an array of pointers that is not plainly a `double **`; use double "
               "A[n][m] or one linear array";
    return nr < dims ? "is used without its subscripts" : NULL;
}

static const char *word_of(const struct ir_expr *expr)
{
    return expr_root(expr) ? expr_root(expr)->name : "an element";
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
    /* what a pointer in it leads to is not its own */
    bool own = !place.problem && place.nr - place.field_nr <= place.symbol->dim_nr;
    if (own && is_local_to_statement(at->nest, place.symbol)) {
        struct statement *statement = &at->nest->statement[at->statement];
        statement->own_parts = statement->own_parts || place.partial ||
                               expr_any_varies(place.subscript, place.nr);
        return;
    }
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

/* What is read on the way to a place, but not the place. */
static void collect_way(struct collect *at, const struct ir_expr *expr)
{
    switch (expr->kind) {
    case IR_INDEX:
        collect_expr(at, expr->arg[1]);
        collect_way(at, expr->arg[0]);
        break;
    case IR_MEMBER:
        collect_way(at, expr->arg[0]);
        break;
    case IR_UNARY:
        if (!strcmp(expr->op, "*") || !strcmp(expr->op, "&"))
            collect_way(at, expr->arg[0]);
        else
            collect_expr(at, expr);
        break;
    case IR_NAME: /* a row pointer is itself a value that the nest sets */
        if (expr->type.pointers && at->nest->declared[expr->symbol->id] &&
            !expr->symbol->dim_nr)
            collect_place(at, expr, false);
        break;
    case IR_BINARY:
    case IR_CAST:
    case IR_ASSIGN:
    case IR_COND:
    case IR_CALL:
    case IR_RAW:
    case IR_LITERAL:
    case IR_SPELT:
        collect_expr(at, expr);
        break;
    }
}

static void collect_lvalue(struct collect *at, const struct ir_expr *expr, bool read,
                           bool write)
{
    if (expr->kind != IR_NAME)
        collect_way(at, expr);
    if (read)
        collect_place(at, expr, false);
    if (write && !at->status)
        collect_place(at, expr, true);
}

/* What is assigned to by `expr`, which does what `update` says. */
static void collect_update(struct collect *at, const struct ir_expr *expr,
                           const struct ir_expr *update)
{
    struct nest *nest = at->nest;
    bool whole = nest->statement[at->statement].stmt->expr == expr;
    size_t first = nest->access_nr;
    collect_lvalue(at, update->arg[0], strcmp(update->op, "=") != 0, true);
    enum accumulation accumulates = accumulation_of(nest->model->arena, update);
    if (!whole || at->status || nest->access_nr == first)
        return;
    for (size_t i = nest->statement[at->statement].access_begin; i < nest->access_nr; i++)
        if (nest->access[i].cell == nest->access[nest->access_nr - 1].cell)
            nest->access[i].accumulates = accumulates;
}

static void collect_assign(struct collect *at, const struct ir_expr *expr)
{
    collect_expr(at, expr->arg[1]);
    if (!at->status)
        collect_update(at, expr, expr);
}

/* x++, which is x += 1. */
static void collect_step(struct collect *at, const struct ir_expr *expr)
{
    struct ir_arena *arena = at->nest->model->arena;
    const char *op = strstr(expr->op, "++") ? "+=" : "-=";
    collect_update(at, expr, ir_assign(arena, op, expr->arg[0], ir_integer(arena, 1)));
}

/* An array, or a row of one, whose value is its address; the rows of a pointer to
 * pointers to numbers are looked at where their elements are. */
static bool is_row(const struct ir_expr *expr)
{
    size_t subscripts = 0;
    for (; expr->kind == IR_INDEX; expr = expr->arg[0])
        subscripts++;
    if (expr->kind == IR_NAME)
        return !subscripts || subscripts < symbol_levels(expr->symbol);
    return expr->kind == IR_MEMBER && expr->field && subscripts < expr->field->dim_nr;
}

/* The value that stands there. */
static void collect_value(struct collect *at, const struct ir_expr *expr)
{
    if (expr->type.pointers && is_row(expr))
        collect_way(at, expr);
    else
        collect_lvalue(at, expr, true, false);
}

static void collect_unary(struct collect *at, const struct ir_expr *expr)
{
    static const char *const values[] = {"-", "+", "~", "!", "__extension__"};
    bool known = false;
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        known = known || !strcmp(expr->op, values[i]);
    if (known)
        collect_expr(at, expr->arg[0]);
    else if (strstr(expr->op, "++") || strstr(expr->op, "--"))
        collect_step(at, expr);
    else if (!strcmp(expr->op, "*"))
        collect_value(at, expr);
    else if (strcmp(expr->op, "&"))
        refuse(at, expr, "is an operator that is not modelled", expr->op);
    else if (expr->arg[0]->kind == IR_NAME && !expr->arg[0]->symbol->dim_nr)
        refuse(at, expr, "has its address taken in a loop", word_of(expr->arg[0]));
    else
        collect_way(at, expr->arg[0]);
}

/* ---- calls ---- */

/* A longer stretch is any element to us. */
enum { STRETCH_MAX = 64 };

/* The element that the pointer leads to, or one behind it; `at` NULL = any. */
static struct ir_expr *element_behind(struct ir_arena *arena, struct ir_expr *pointer,
                                      struct ir_expr *at)
{
    bool address = pointer->kind == IR_UNARY && !strcmp(pointer->op, "&") &&
                   pointer->arg[0]->kind == IR_INDEX;
    struct ir_expr *base = address ? pointer->arg[0]->arg[0] : pointer;
    size_t levels = pointer->type.pointers > 0 ? (size_t)pointer->type.pointers : 1;
    if (address && at)
        at = ir_binary(arena, "+", pointer->arg[0]->arg[1], at);
    for (size_t i = 0; i < levels || base->type.pointers > 0; i++) {
        struct ir_expr *any = ir_expr_new(arena, IR_RAW, 0);
        any->text = "...";
        any->type = (struct ir_type){.scalar = IR_INT, .bytes = 4, .text = "int"};
        struct ir_expr *element = ir_expr_new(arena, IR_INDEX, 2);
        element->arg[0] = base;
        element->arg[1] = at ? at : any;
        element->type = base->type;
        element->type.pointers = base->type.pointers - 1;
        element->line = pointer->line;
        base = element;
    }
    return base;
}

/* `f(&x)`: of a variable that each iteration has for itself. */
static void collect_number(struct collect *at, const struct ir_expr *name,
                           const struct ir_effect *effect)
{
    if (!at->nest->declared[name->symbol->id] || !effect->is_known || effect->first ||
        effect->last)
        refuse(at, name,
               "has its address passed to a function in a loop; declare it in the "
               "loop's body, as a number of which the function uses nothing else",
               name->symbol->name);
    else
        collect_place(at, name, effect->write);
}

static bool is_number_address(const struct ir_expr *pointer)
{
    return pointer->kind == IR_UNARY && !strcmp(pointer->op, "&") &&
           pointer->arg[0]->kind == IR_NAME && !pointer->arg[0]->type.pointers;
}

static void collect_elements(struct collect *at, const struct ir_expr *call,
                             const struct ir_effect *effect)
{
    struct ir_arena *arena = at->nest->model->arena;
    struct ir_expr *pointer = call->arg[effect->param];
    if (is_number_address(pointer)) {
        collect_number(at, pointer->arg[0], effect);
        return;
    }
    bool rows = pointer->type.pointers != 1 ||
                (pointer->kind == IR_NAME && pointer->symbol->dim_nr > 1);
    bool each = effect->is_known && !rows && effect->last - effect->first < STRETCH_MAX;
    for (long long i = each ? effect->first : 0; i <= (each ? effect->last : 0); i++) {
        struct ir_expr *by = each ? ir_integer(arena, i) : NULL;
        struct ir_expr *element = element_behind(arena, pointer, by);
        element->line = call->line;
        if (!at->status)
            collect_place(at, element, effect->write);
    }
}

/* Those from `first` on are the work of a function. */
static void mark_called(struct nest *nest, size_t first)
{
    for (size_t i = first; i < nest->access_nr; i++) {
        nest->access[i].collapsed = nest->access[i].in_call = true;
        nest->access[i].must = false;
    }
}

static void collect_effect(struct collect *at, const struct ir_expr *call,
                           const struct ir_effect *effect)
{
    size_t before = at->nest->access_nr;
    collect_elements(at, call, effect);
    mark_called(at->nest, before);
}

/* What the arguments are made of. */
static void collect_arguments(struct collect *at, const struct ir_expr *call)
{
    for (size_t i = 0; !at->status && i < call->arg_nr; i++)
        if (!is_number_address(call->arg[i]))
            collect_expr(at, call->arg[i]);
}

/* ---- functions of the library that read and write bytes ---- */

/* The same address. */
static struct ir_expr *uncast(struct ir_expr *pointer)
{
    while (pointer->kind == IR_CAST && pointer->type.pointers &&
           pointer->arg[0]->type.pointers)
        pointer = pointer->arg[0];
    return pointer;
}

/* The array that the address is one in: a of `a + i` and `&a[i]`, a[i] of `&a[i][j]`.
 * *start: the address is its beginning. */
static const struct ir_expr *array_of(const struct nest *nest,
                                      const struct ir_expr *pointer, bool *start)
{
    *start = true;
    for (;;) {
        const struct ir_expr *inner = pointer->arg_nr ? pointer->arg[0] : NULL;
        if (pointer->kind == IR_UNARY && !strcmp(pointer->op, "&") &&
            inner->kind == IR_INDEX) {
            *start = *start && inner->arg[1]->has_value && inner->arg[1]->value == 0;
            pointer = inner->arg[0];
        } else if (pointer->kind == IR_BINARY && !strcmp(pointer->op, "+")) {
            *start = false;
            pointer = pointer->arg[!(inner->type.pointers > 0)];
        } else if (pointer->kind == IR_NAME && pointer->symbol->role == IR_LOCAL &&
                   !pointer->symbol->dim_nr && nest->model->init[pointer->symbol->id])
            pointer = nest->model->init[pointer->symbol->id];
        else
            return pointer;
    }
}

/* `bytes` is the length of a row whose elements are so large, or less. */
static bool is_within(const struct ir_expr *bytes, const struct ir_expr *row_length,
                      size_t element)
{
    if (!row_length)
        return false;
    if (bytes->has_value && row_length->has_value)
        return bytes->value <= row_length->value * (long long)element;
    if (bytes->kind != IR_BINARY || strcmp(bytes->op, "*"))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (bytes->arg[i]->has_value && bytes->arg[i]->value == (long long)element &&
            expr_equal(bytes->arg[!i], row_length))
            return true;
    return false;
}

/* The elements that so many bytes from the address on are part of; `bytes` NULL = nobody
 * knows how many. */
static void collect_bytes(struct collect *at, const struct ir_expr *call,
                          struct ir_expr *pointer, const struct ir_expr *bytes,
                          bool write)
{
    struct ir_arena *arena = at->nest->model->arena;
    long long size = (long long)pointer->type.bytes, nr = 0;
    bool start, known = bytes && bytes->has_value && size > 0;
    const struct ir_expr *array = array_of(at->nest, pointer, &start);
    if (known)
        nr = bytes->value / size + (bytes->value % size != 0);
    known = known && nr <= STRETCH_MAX && pointer->type.pointers == 1;
    if (is_number_address(pointer)) {
        struct ir_effect effect = {.write = write, .is_known = known, .last = nr - 1};
        collect_number(at, pointer->arg[0], &effect);
        return;
    }
    if (array->kind == IR_MEMBER &&
        (!array->field || !start || !bytes || !bytes->has_value || size <= 0 ||
         bytes->value > (long long)array->field->bytes)) {
        refuse(at, call, "is given a field, of which it may use more than that",
               call->text);
        return;
    }
    if (array->kind == IR_INDEX && !known) {
        const struct ir_symbol *symbol = expr_root(array);
        struct ir_expr *length =
            symbol && symbol->dim_nr ? symbol->dim[symbol->dim_nr - 1] : NULL;
        bool within = bytes && start && array->type.pointers == 1 &&
                      array->arg[0]->kind == IR_NAME && symbol->dim_nr == 2 &&
                      is_within(bytes, length, pointer->type.bytes);
        while (!within && array->kind == IR_INDEX)
            array = array->arg[0];
        pointer = (struct ir_expr *)array;
    }
    for (long long i = 0; i < (known ? nr : 1); i++) {
        struct ir_expr *by = known ? ir_integer(arena, i) : NULL;
        if (!at->status)
            collect_place(at, element_behind(arena, pointer, by), write);
    }
}

/* As characters: whatever the types say. */
static void collect_memory(struct collect *at, const struct ir_expr *call,
                           const char *memory)
{
    struct nest *nest = at->nest;
    const char *counts = strchr(memory, 'n');
    size_t nr = counts ? (size_t)(counts - memory) : call->arg_nr, before;
    collect_arguments(at, call);
    nest->statement[at->statement].calls = true;
    before = nest->access_nr;
    for (size_t i = 0; !at->status && i < call->arg_nr && memory[i]; i++) {
        struct ir_expr *pointer = uncast(call->arg[i]);
        const struct ir_expr *bytes = nr < call->arg_nr ? call->arg[nr] : NULL;
        if (pointer->kind == IR_LITERAL && memory[i] == 'r')
            continue; /* the text of a string, which nobody may change */
        if (strchr("rx", memory[i]))
            collect_bytes(at, call, pointer, bytes, false);
        if (strchr("wx", memory[i]) && !at->status)
            collect_bytes(at, call, pointer, bytes, true);
    }
    mark_called(nest, before);
    for (size_t i = before; i < nest->access_nr; i++)
        nest->cell[nest->access[i].cell].type.may_alias = true;
}

static void collect_effects(struct collect *at, const struct ir_expr *call,
                            const struct ir_effects *effects)
{
    struct statement *statement = &at->nest->statement[at->statement];
    collect_arguments(at, call);
    statement->calls = statement->calls || effects->nr > 0;
    statement->ends = statement->ends || effects->ends;
    if (effects->ends)
        nest_assume(
            at->nest,
            "where '%s' at line %d ends the program, nobody sees what arrays then "
            "hold, nor in which iteration it did",
            call->text ? call->text : call->symbol->name,
            call->line ? call->line : statement->stmt->line);
    for (size_t i = 0; !at->status && i < effects->nr; i++)
        collect_effect(at, call, &effects->item[i]);
}

/* The numbers among the arguments of what runs on the way out. */
static void collect_last_words(struct collect *at, const struct ir_expr *call)
{
    for (size_t i = 0; i < call->arg_nr; i++)
        if (!call->arg[i]->type.pointers)
            collect_expr(at, call->arg[i]);
}

static void collect_call(struct collect *at, const struct ir_expr *expr)
{
    static const struct ir_effects ending = {.ends = true, .never_returns = true};
    const char *name = expr->text     ? expr->text
                       : expr->symbol ? expr->symbol->name
                                      : "a function";
    const struct known_function *row = expr_function(expr);
    bool pointers = false, known = expr_is_math(expr);
    known = known || (expr->symbol && expr->symbol->is_pure);
    const struct ir_effects *effects = expr->symbol ? expr->symbol->effects : NULL;
    if (!effects && function_is(row, FUNCTION_ENDS)) /* a builtin, which is no symbol */
        effects = &ending;
    for (size_t i = 0; i < expr->arg_nr; i++)
        pointers = pointers || expr->arg[i]->type.pointers;
    if (effects && effects->never_returns) {
        collect_last_words(at, expr);
        if (!at->status)
            collect_effects(at, &(struct ir_expr){.text = name, .line = expr->line},
                            effects);
    } else if (at->dying && function_is(row, FUNCTION_PRINTS))
        collect_last_words(at, expr);
    else if (function_is(row, FUNCTION_MEMORY))
        collect_memory(at, expr, row->memory);
    else if (function_is(row, FUNCTION_NOTHING))
        collect_arguments(at, expr);
    else if (effects && (!known || pointers))
        collect_effects(at, expr, effects);
    else if (function_is(row, FUNCTION_PRINTS))
        refuse(at, expr, "writes text, which stays in its order; move it out of the loop",
               name);
    else if (!known && !strncmp(name, "__", 2))
        refuse(at, expr, "is a builtin that is not known here; write what it does in C",
               name);
    else if (!known)
        refuse(at, expr,
               "may change memory that the nest uses; only functions of the library that "
               "are known here (sqrt, memcpy ...), and functions of this file that touch "
               "nothing but their arguments, may be called in a loop",
               name);
    else if (pointers)
        refuse(at, expr, "is passed a pointer; write its body into the loop", name);
    else
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

/* What a pointer that is kept in a local points to is followed where it is used. */
static void collect_expr(struct collect *at, const struct ir_expr *expr)
{
    if (at->status)
        return;
    if (expr->has_value)
        return;
    switch (expr->kind) {
    case IR_NAME:
    case IR_INDEX:
    case IR_MEMBER:
        collect_value(at, expr);
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
        if (expr->why)
            at->status = nest_refuse(at->nest, expr->line, "%s", expr->why);
        else
            refuse(
                at, expr,
                *expr->text == '{'
                    ? "sets a whole variable; declare it without and assign to its parts"
                    : "cannot be taken apart",
                expr->text);
        break;
    case IR_LITERAL:
    case IR_SPELT:
        break;
    }
}

/* ---- statements ---- */

/* `{ printf(...); exit(1); }` */
static bool is_last(const struct ir_stmt *stmt)
{
    const struct ir_stmt *last =
        stmt->kind == IR_BLOCK && stmt->child_nr ? stmt->child[stmt->child_nr - 1] : NULL;
    const struct ir_expr *call = last && last->kind == IR_EXPR ? last->expr : NULL;
    for (size_t i = 0; call && i < stmt->child_nr; i++)
        if (!stmt->child[i] ||
            (stmt->child[i]->kind != IR_EXPR && stmt->child[i]->kind != IR_DECL))
            return false;
    return call && call->kind == IR_CALL && call->symbol && call->symbol->effects &&
           call->symbol->effects->never_returns;
}

static void collect_stmt(struct collect *at, const struct ir_stmt *stmt)
{
    if (!stmt || at->status)
        return;
    bool before = at->dying;
    at->dying = before || is_last(stmt);
    if (stmt->kind == IR_DECL)
        for (size_t i = 0; i < stmt->symbol->dim_nr; i++)
            if (stmt->symbol->dim[i])
                collect_expr(at, stmt->symbol->dim[i]);
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
    at->dying = before;
}

static void record_declared(struct collect *at, const struct ir_stmt *stmt)
{
    struct place place = {.symbol = stmt->symbol, .path = "", .type = stmt->symbol->type};
    static const struct ir_expr nowhere = {.kind = IR_RAW, .text = ""};
    if (stmt->symbol->type.is_volatile)
        refuse(at, &nowhere, "is volatile or atomic", stmt->symbol->name);
    else
        record(at, ir_name(at->nest->model->arena, stmt->symbol), &place, true);
}

static bool may_be_settled(const struct ir_symbol *symbol)
{
    return (symbol->role == IR_LOCAL || symbol->role == IR_PARAM) && !symbol->dim_nr &&
           !symbol->address_taken && !symbol->is_static && !symbol->is_reference &&
           !symbol->type.is_volatile && !symbol->type.pointers &&
           symbol->type.scalar != IR_RECORD;
}

/* What a whole loop or branch sets on every way before it reads it comes from nowhere
 * else, as in `while (low < high) { middle = (low + high) / 2; ... }`; and what a head
 * sets is set for certain, as in `for (p = first[i]; p >= 0; p = next[p])`. */
static void settle_scalars(struct nest *nest, size_t index)
{
    const struct statement *statement = &nest->statement[index];
    size_t kept = statement->access_begin;
    for (size_t i = kept; i < nest->access_nr; i++) {
        struct access *access = &nest->access[i];
        const struct ir_symbol *symbol = nest->cell[access->cell].symbol;
        bool may = !access->subscript_nr && may_be_settled(symbol);
        if (may && !access->write && !stmt_may_read_first(statement->stmt, symbol))
            continue;
        access->must = access->must ||
                       (may && access->write && stmt_sets_first(statement->stmt, symbol));
        nest->access[kept++] = *access;
    }
    nest->access_nr = kept;
}

int nest_collect(struct nest *nest, size_t index)
{
    struct statement *statement = &nest->statement[index];
    struct collect at = {.nest = nest, .statement = index, .maybe = statement->collapsed};
    statement->access_begin = nest->access_nr;
    collect_stmt(&at, statement->stmt);
    if (!at.status && statement->stmt->kind == IR_DECL)
        record_declared(&at, statement->stmt);
    if (statement->collapsed)
        settle_scalars(nest, index);
    nest->statement[index].access_end = nest->access_nr;
    return at.status;
}
