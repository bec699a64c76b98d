/*
 * One statement for several iterations, on vector types that gcc and clang share. What
 * follows the loop element by element becomes a vector, what does not change stays a
 * scalar; anything else is refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

struct vectors {
    struct gen *gen;
    const struct ir_symbol *iterator;
    long long lanes;
    const struct ir_type *type; /* of the elements */
};

/* ---- types ---- */

static const char *type_name(struct gen *gen, const struct ir_type *element,
                             long long lanes)
{
    struct buf name = {0};
    for (const char *at = element->text; *at; at++)
        buf_add_n(&name, *at == ' ' ? "_" : at, 1);
    const char *first = ir_textf(gen->arena, "%s_%s%lld", gen->model->function->word,
                                 buf_str(&name), lanes),
               *all = first;
    for (int i = 1; gen_word_in_source(gen, all); i++)
        all = ir_textf(gen->arena, "%s_%d", first, i);
    buf_release(&name);
    return all;
}

static const char *vector_type(struct gen *gen, const struct ir_type *element,
                               long long lanes)
{
    const char *name = type_name(gen, element, lanes);
    const char *line = ir_textf(
        gen->arena,
        "typedef %s %s __attribute__((vector_size(%lld), may_alias, aligned(%zu)));",
        element->text, name, lanes * (long long)element->bytes, element->bytes);
    long long bits = 8 * lanes * (long long)element->bytes;
    gen->vector_bits = bits > gen->vector_bits ? bits : gen->vector_bits;
    strvec_push_once(&gen->vector_type, line);
    return name;
}

static struct ir_expr *unary(struct gen *gen, const char *op, struct ir_expr *arg,
                             const struct ir_type *type)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_UNARY, 1);
    expr->op = op;
    expr->type = *type;
    expr->arg[0] = arg;
    return expr;
}

struct ir_expr *gen_vector_at(struct gen *gen, struct ir_expr *element, long long lanes)
{
    struct ir_type type = element->type, pointer = element->type;
    type.text = vector_type(gen, &element->type, lanes);
    type.full = NULL;
    pointer.pointers = 1;
    struct ir_expr *cast = ir_expr_new(gen->arena, IR_CAST, 1);
    cast->type = type;
    cast->type.pointers = 1;
    cast->type.is_restrict = false;
    cast->arg[0] = unary(gen, "&", element, &pointer);
    return unary(gen, "*", cast, &type);
}

struct ir_expr *gen_vector_zero(struct gen *gen, const struct ir_expr *like)
{
    struct ir_expr *zero = ir_expr_new(gen->arena, IR_RAW, 0);
    zero->type = like->type;
    zero->text =
        ir_textf(gen->arena, "%s(%s){0}",
                 gen->model->function->is_c89 ? "__extension__ " : "", like->type.text);
    return zero;
}

/* ---- expressions ---- */

static struct ir_expr *refuse(struct vectors *at, const char *why,
                              const struct ir_expr *expr)
{
    struct buf text = {0};
    ir_print_expr(&text, expr);
    if (!at->gen->problem)
        at->gen->problem = ir_textf(at->gen->model->arena, "vec(%s:%lld): %s %s",
                                    at->iterator->name, at->lanes, buf_str(&text), why);
    buf_release(&text);
    return (struct ir_expr *)expr;
}

static bool same_type(const struct ir_type *a, const struct ir_type *b)
{
    return a->scalar == b->scalar && a->bytes == b->bytes &&
           a->is_unsigned == b->is_unsigned;
}

static struct ir_expr *lanes_of(struct vectors *at, struct ir_expr *element)
{
    long long step = 0;
    for (const struct ir_expr *row = element->arg[0]; row->kind == IR_INDEX;
         row = row->arg[0])
        if (expr_mentions(row->arg[1], at->iterator))
            return refuse(at, "does not follow the loop in its last subscript", element);
    if (!expr_coefficient(element->arg[1], at->iterator, &step) || step != 1)
        return refuse(at, "is not contiguous along the loop", element);
    bool number = element->type.scalar == IR_INT || element->type.scalar == IR_FLOAT;
    if (!number || element->type.bytes > sizeof(double)) /* complex, _Bool, long double */
        return refuse(at, "is of a type that compilers make no vectors of", element);
    if (element->type.is_volatile || element->type.pointers ||
        (at->type && !same_type(at->type, &element->type)))
        return refuse(at, "is of another type than the other elements", element);
    at->type = at->type ? at->type : &element->type;
    return gen_vector_at(at->gen, element, at->lanes);
}

static bool is_operator(const struct vectors *at, const char *op)
{
    bool real = at->type && at->type->scalar == IR_FLOAT;
    return op[0] && !op[1] && strchr(real ? "+-*/" : "+-*&|^", op[0]);
}

/* The scalar beside a vector: of the elements' type, or one that C converts to it. */
static struct ir_expr *beside(struct vectors *at, struct ir_expr *scalar)
{
    struct ir_expr *whole = ir_expr_new(at->gen->arena, IR_LITERAL, 0);
    if (!at->type || same_type(at->type, &scalar->type))
        return scalar;
    whole->type = *at->type;
    struct ir_type common = ir_binary(at->gen->arena, "+", whole, scalar)->type;
    if (!same_type(&common, at->type))
        return refuse(at, "is of a wider type than the elements", scalar);
    struct ir_expr *cast = ir_expr_new(at->gen->arena, IR_CAST, 1);
    cast->type = *at->type;
    cast->type.is_const = cast->type.is_restrict = false;
    cast->type.pointers = 0;
    cast->type.full = NULL;
    cast->arg[0] = scalar;
    return cast;
}

static struct ir_expr *vector_of(struct vectors *at, struct ir_expr *expr);

static struct ir_expr *operation(struct vectors *at, struct ir_expr *expr)
{
    bool first = expr_mentions(expr->arg[0], at->iterator),
         second = expr_mentions(expr->arg[1], at->iterator);
    struct ir_expr *a = vector_of(at, expr->arg[0]), *b = vector_of(at, expr->arg[1]);
    if (!is_operator(at, expr->op))
        return refuse(at, "has no form for vectors", expr);
    struct ir_expr *new = ir_expr_new(at->gen->arena, IR_BINARY, 2);
    struct ir_expr **arg = new->arg;
    *new = *expr;
    new->arg = arg;
    new->has_value = false;
    new->arg[0] = first ? a : beside(at, a);
    new->arg[1] = second ? b : beside(at, b);
    return new;
}

static struct ir_expr *vector_of(struct vectors *at, struct ir_expr *expr)
{
    if (!expr_mentions(expr, at->iterator))
        return expr;
    if (expr->kind == IR_INDEX)
        return lanes_of(at, expr);
    if (expr->kind == IR_BINARY)
        return operation(at, expr);
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "-"))
        return unary(at->gen, "-", vector_of(at, expr->arg[0]), &expr->type);
    return refuse(at, "has no form for vectors", expr);
}

/* ---- the statement ---- */

/* x = scalar: the same in all lanes, signed zeros too. */
static struct ir_expr *spread(struct vectors *at, struct ir_expr *scalar,
                              const struct ir_expr *target)
{
    return ir_binary(at->gen->arena, "-", beside(at, scalar),
                     gen_vector_zero(at->gen, target));
}

const struct ir_stmt *gen_vector(struct gen *gen, const struct ir_stmt *stmt,
                                 const struct tree *band)
{
    struct vectors at = {
        .gen = gen, .iterator = band->loop->stmt->iterator, .lanes = band->lanes};
    const struct ir_expr *old = stmt->expr;
    static const char *const ops[] = {"=", "+=", "-=", "*=", "/=", "&=", "|=", "^="};
    size_t op = 0;
    if (stmt->kind != IR_EXPR || old->kind != IR_ASSIGN || band->step != 1 ||
        old->arg[0]->kind != IR_INDEX) {
        gen->problem = "vec needs a loop of step 1 whose body is one assignment to an "
                       "element of an array";
        return stmt;
    }
    while (op < ARRAY_SIZE(ops) && strcmp(ops[op], old->op))
        op++;
    struct ir_expr *to = vector_of(&at, old->arg[0]);
    if (to == old->arg[0] || op == ARRAY_SIZE(ops) ||
        (op && !is_operator(&at, (char[]){old->op[0], 0}))) {
        refuse(&at, "has no form for vectors", old);
        return stmt;
    }
    if (at.type->scalar == IR_INT && at.type->bytes < 4) {
        refuse(&at, "is computed in a wider type than it has", old->arg[0]);
        return stmt;
    }
    bool follows = expr_mentions(old->arg[1], at.iterator);
    struct ir_expr *from = vector_of(&at, old->arg[1]);
    struct ir_stmt *new = ir_alloc(gen->arena, sizeof(*new));
    *new = *stmt;
    new->expr = ir_assign(gen->arena, old->op, to,
                          follows ? from
                          : op    ? beside(&at, from)
                                  : spread(&at, from, to));
    return new;
}

/* ---- the file's types ---- */

void gen_vectors_join(struct gen *all, const struct gen *gen)
{
    for (size_t i = 0; i < gen->vector_type.nr; i++) {
        const char *line = gen->vector_type.v[i];
        bool known = false;
        for (size_t k = 0; k < all->vector_type.nr; k++)
            known = known || !strcmp(all->vector_type.v[k], line);
        if (!known)
            strvec_push(&all->vector_type, line);
    }
    if (gen->vector_bits > all->vector_bits)
        all->vector_bits = gen->vector_bits;
}

/* clang splits vectors that are wider than what it would choose itself, unless told. */
void gen_vectors_text(const struct gen *all, struct buf *types, struct buf *attribute)
{
    for (size_t i = 0; i < all->vector_type.nr; i++)
        buf_addf(types, "%s\n%s", all->vector_type.v[i],
                 i + 1 < all->vector_type.nr ? "" : "\n");
    if (all->vector_type.nr)
        buf_addf(attribute,
                 "#ifdef __clang__\n__attribute__((min_vector_width(%lld)))\n#endif\n",
                 all->vector_bits);
}
