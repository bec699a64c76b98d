/* For loops: their three parts, and whether they count in the simple way. */
#include <string.h>

#include "variants/parse/parse_rewrite.h"

/* ---- what is written ---- */

static struct ct_decl *variable_of(const struct ct_node *node)
{
    while (node->kind == CT_MEMBER && !node->arrow && node->child_nr == 1)
        node = node->child[0];
    return node->kind == CT_NAME ? node->decl : NULL;
}

struct ct_decl *parse_written(const struct ct_node *node, bool *address)
{
    if (address && node->is_touched)
        *address = true;
    if (node->is_touched)
        return variable_of(node);
    if (node->child_nr == 0)
        return NULL;
    if (node->kind == CT_ASSIGN)
        return variable_of(node->child[0]);
    if (node->kind != CT_UNARY)
        return NULL;
    bool takes_address = strcmp(node->op, "&") == 0;
    if (address && takes_address)
        *address = true;
    return takes_address || strstr(node->op, "++") || strstr(node->op, "--")
               ? variable_of(node->child[0])
               : NULL;
}

static bool writes(const struct ct_node *node, const struct ct_decl *decl)
{
    if (parse_written(node, NULL) == decl)
        return true;
    for (size_t i = 0; i < node->child_nr; i++)
        if (writes(node->child[i], decl))
            return true;
    return false;
}

/* ---- the parts ---- */

struct parts {
    const struct ct_node *init, *cond, *increment, *body;
};

static bool find_parts(const struct parse *p, const struct ct_node *node,
                       struct parts *parts)
{
    size_t semicolon[2];
    *parts = (struct parts){0};
    if (node->child_nr == 0)
        return false;
    parts->body = node->child[node->child_nr - 1];
    if (node->child_nr == 4) {
        parts->init = node->child[0];
        parts->cond = node->child[1];
        parts->increment = node->child[2];
        return true;
    }
    if (node->in_macro ||
        !scan_for_head(p->function->source, node->begin, node->end, semicolon))
        return false;
    for (size_t i = 0; i + 1 < node->child_nr; i++) {
        size_t at = node->child[i]->begin;
        if (at < semicolon[0])
            parts->init = node->child[i];
        else if (at < semicolon[1])
            parts->cond = node->child[i];
        else
            parts->increment = node->child[i];
    }
    return true;
}

static struct ir_stmt *parse_decl(struct parse *p, const struct ct_node *node)
{
    if (node->kind != CT_VAR || node->decl->as_written)
        return NULL;
    struct ir_stmt *stmt = ir_stmt_new(p->arena, IR_DECL, 0);
    stmt->symbol = parse_symbol(p, node->decl);
    stmt->line = node->line;
    stmt->end_line = node->end_line;
    if (node->child_nr > 0) {
        stmt->expr = parse_initialiser(p, node->child[0]);
        if (!stmt->expr)
            return NULL;
    }
    return stmt;
}

static struct ir_stmt *parse_init(struct parse *p, const struct ct_node *node)
{
    struct ir_stmt *stmt;
    if (node->kind != CT_DECLS) {
        stmt = ir_stmt_new(p->arena, IR_EXPR, 0);
        stmt->expr = parse_expr(p, node);
        return stmt->expr ? stmt : NULL;
    }
    if (node->child_nr == 1)
        return parse_decl(p, node->child[0]);
    stmt = ir_stmt_new(p->arena, IR_BLOCK, node->child_nr);
    for (size_t i = 0; i < node->child_nr; i++) {
        stmt->child[i] = parse_decl(p, node->child[i]);
        if (!stmt->child[i])
            return NULL;
    }
    return stmt;
}

/* ---- the simple way: for (it = lower; it < upper; it += step) ---- */

static bool is_name(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr->kind == IR_NAME && expr->symbol == symbol;
}

static void set_start(struct ir_stmt *loop)
{
    const struct ir_stmt *init = loop->init;
    if (init && init->kind == IR_DECL && init->expr) {
        loop->iterator = init->symbol;
        loop->lower = init->expr;
        loop->declares_iterator = true;
    }
    const struct ir_expr *expr = init && init->kind == IR_EXPR ? init->expr : NULL;
    if (expr && expr->kind == IR_ASSIGN && strcmp(expr->op, "=") == 0 &&
        expr->arg[0]->kind == IR_NAME) {
        loop->iterator = expr->arg[0]->symbol;
        loop->lower = expr->arg[1];
    }
}

/* The constant c of `it + c`, `c + it`, `it - c`. */
static long long step_of_sum(const struct ir_expr *sum, const struct ir_symbol *iterator)
{
    if (sum->kind != IR_BINARY ||
        (strcmp(sum->op, "+") != 0 && strcmp(sum->op, "-") != 0))
        return 0;
    bool minus = sum->op[0] == '-';
    const struct ir_expr *a = sum->arg[0], *b = sum->arg[1];
    if (is_name(a, iterator) && b->has_value)
        return minus ? -b->value : b->value;
    return !minus && is_name(b, iterator) && a->has_value ? a->value : 0;
}

static bool wraps(const struct ir_expr *expr)
{
    return expr->type.is_unsigned && expr->type.bytes >= 4;
}

/* A bound less a constant; of a signed one in 64 bits, which it does not overflow. */
static struct ir_expr *less(struct parse *p, struct ir_expr *bound, long long by)
{
    if (bound->has_value)
        return ir_integer(p->arena, bound->value - by);
    if (!wraps(bound) && bound->type.bytes < 8)
        bound = ir_to_long(p->arena, bound);
    return ir_binary(p->arena, by > 0 ? "-" : "+", bound,
                     ir_integer(p->arena, by > 0 ? by : -by));
}

/* `i < b - c` for `i + c < b`, where `sum` is the left side; NULL where one may hold
 * without the other. The model makes it a condition that an unsigned b - c does not wrap.
 */
static struct ir_expr *end_of(struct parse *p, const struct ir_expr *sum,
                              struct ir_expr *bound, const struct ir_symbol *iterator)
{
    long long by = step_of_sum(sum, iterator);
    bool wrap = wraps(sum) || wraps(bound);
    if (is_name(sum, iterator))
        return bound;
    if (!by || (wraps(sum) && !iterator->type.is_unsigned) || (wrap && by < 0) ||
        (wrap && bound->has_value && bound->value < by))
        return NULL;
    return less(p, bound, by);
}

static void set_end(struct parse *p, struct ir_stmt *loop)
{
    static const struct {
        const char *as_is, *mirrored;
    } cmp[] = {{"<", ">"}, {"<=", ">="}, {">", "<"}, {">=", "<="}, {"!=", "!="}};
    const struct ir_expr *cond = loop->cond;
    if (!cond || cond->kind != IR_BINARY)
        return;
    bool mirrored = rewrite_mentions(cond->arg[1], loop->iterator);
    struct ir_expr *end =
        end_of(p, cond->arg[mirrored], cond->arg[!mirrored], loop->iterator);
    for (size_t i = 0; end && i < ARRAY_SIZE(cmp); i++)
        if (strcmp(cond->op, cmp[i].as_is) == 0) {
            loop->cmp = mirrored ? cmp[i].mirrored : cmp[i].as_is;
            loop->upper = end;
        }
}

/* What the iterator is compared with, as an end that the loop still reaches if `reached`;
 * NULL = it is no such comparison. */
static struct ir_expr *limit_of(struct parse *p, const struct ir_stmt *loop,
                                const struct ir_expr *cond, bool reached)
{
    struct ir_stmt part = {.iterator = loop->iterator, .cond = (struct ir_expr *)cond};
    set_end(p, &part);
    if (!part.cmp || part.cmp[0] != loop->cmp[0] ||
        rewrite_mentions(part.upper, loop->iterator))
        return NULL;
    if (!reached || part.cmp[1])
        return part.upper;
    if (loop->iterator->type.is_unsigned || part.upper->type.is_unsigned)
        return NULL; /* 0 - 1 */
    return less(p, part.upper, part.cmp[0] == '<' ? 1 : -1);
}

static const char *cmp_of(struct parse *p, const struct ir_stmt *loop,
                          const struct ir_expr *cond)
{
    struct ir_stmt part = {.iterator = loop->iterator, .cond = (struct ir_expr *)cond};
    set_end(p, &part);
    return part.cmp;
}

static bool is_simple(const struct ir_expr *expr)
{
    bool fine = expr->kind == IR_NAME || expr->kind == IR_LITERAL ||
                expr->kind == IR_BINARY || expr->kind == IR_CAST;
    for (size_t i = 0; i < expr->arg_nr; i++)
        fine = fine && is_simple(expr->arg[i]);
    return fine && !expr->type.is_volatile;
}

/* `i < a && i < b` ends at the lesser of both. */
static void set_double_end(struct parse *p, struct ir_stmt *loop)
{
    const struct ir_expr *cond = loop->cond;
    if (!cond || cond->kind != IR_BINARY || strcmp(cond->op, "&&") != 0)
        return;
    const char *one = cmp_of(p, loop, cond->arg[0]), *two = cmp_of(p, loop, cond->arg[1]);
    if (!one || !two || one[0] == '!' || one[0] != two[0])
        return;
    struct ir_stmt probe = {.iterator = loop->iterator, .cmp = one[1] ? one : two};
    bool reached = probe.cmp[1] != '\0';
    struct ir_expr *a = limit_of(p, &probe, cond->arg[0], reached);
    struct ir_expr *b = limit_of(p, &probe, cond->arg[1], reached);
    if (!a || !b || !is_simple(a) || !is_simple(b) ||
        a->type.is_unsigned != b->type.is_unsigned)
        return;
    struct ir_expr *min = ir_expr_new(p->arena, IR_COND, 3);
    min->type = a->type.bytes > b->type.bytes ? a->type : b->type;
    min->line = cond->line;
    min->column = cond->column;
    min->arg[0] = ir_binary(p->arena, probe.cmp[0] == '<' ? "<" : ">",
                            ir_copy(p->arena, a), ir_copy(p->arena, b));
    min->arg[1] = a;
    min->arg[2] = b;
    loop->cmp = probe.cmp;
    loop->upper = min;
}

long long parse_step(const struct ir_expr *increment, const struct ir_symbol *iterator)
{
    if (!increment || increment->arg_nr == 0 || !is_name(increment->arg[0], iterator))
        return 0;
    const char *op = increment->op;
    if (increment->kind == IR_UNARY && strstr(op, "++"))
        return 1;
    if (increment->kind == IR_UNARY && strstr(op, "--"))
        return -1;
    if (increment->kind != IR_ASSIGN)
        return 0;
    const struct ir_expr *by = increment->arg[1];
    if (strcmp(op, "=") == 0)
        return step_of_sum(by, iterator);
    if (!by->has_value || (strcmp(op, "+=") != 0 && strcmp(op, "-=") != 0))
        return 0;
    return op[0] == '+' ? by->value : -by->value;
}

/* ---- for (i = n; i-- > 0;) ---- */

/* The step of `i-- > 0`, `i-- != 0`, `i--`, and of a signed `--i >= 0`; NULL when the
 * condition is none of these. */
static const struct ir_expr *counting_down(const struct ir_stmt *loop)
{
    const struct ir_expr *cond = loop->cond, *step = cond;
    bool compares = cond && cond->kind == IR_BINARY && rewrite_is_zero(cond->arg[1]);
    if (compares)
        step = cond->arg[0];
    if (!step || step->kind != IR_UNARY || !is_name(step->arg[0], loop->iterator))
        return NULL;
    if (strcmp(step->op, "post--") == 0)
        return !compares || strcmp(cond->op, ">") == 0 || strcmp(cond->op, "!=") == 0
                   ? step
                   : NULL;
    return strcmp(step->op, "--") == 0 && compares && strcmp(cond->op, ">=") == 0 &&
                   !loop->iterator->type.is_unsigned
               ? step
               : NULL;
}

/* From n - 1 down to 0. The bound below is never compared as unsigned: see
 * print_canonical. */
static void set_countdown(struct parse *p, struct ir_stmt *loop)
{
    if (loop->increment || !counting_down(loop))
        return;
    struct ir_expr *lower =
        ir_binary(p->arena, "-", loop->lower, ir_integer(p->arena, 1));
    lower->type = ir_long;
    if (loop->lower->has_value) {
        lower->has_value = true;
        lower->value = loop->lower->value - 1;
    }
    loop->lower = lower;
    loop->cmp = ">=";
    loop->upper = ir_integer(p->arena, 0);
    loop->step = -1;
}

/* ---- for (...; i++, p++) ---- */

static bool continues(const struct ct_node *node)
{
    if (node->kind == CT_JUMP && strcmp(node->text, "break") != 0)
        return true;
    for (size_t i = 0; i < node->child_nr; i++)
        if (continues(node->child[i]))
            return true;
    return false;
}

struct ir_stmt *parse_at_the_end(struct parse *p, struct ir_stmt *body,
                                 struct ir_expr *expr)
{
    size_t nr = body->kind == IR_BLOCK ? body->child_nr : 1;
    struct ir_stmt *block = ir_stmt_new(p->arena, IR_BLOCK, nr + 1);
    struct ir_stmt *last = ir_stmt_new(p->arena, IR_EXPR, 0), **child = block->child;
    *block = *body;
    block->kind = IR_BLOCK;
    block->child = child;
    block->child_nr = nr + 1;
    block->expr = NULL;
    for (size_t i = 0; i < nr; i++)
        child[i] = body->kind == IR_BLOCK ? body->child[i] : body;
    *last = (struct ir_stmt){.kind = IR_EXPR,
                             .expr = expr,
                             .line = expr->line,
                             .end_line = expr->line,
                             .begin = body->end,
                             .end = body->end,
                             .from_macro = true};
    child[nr] = last;
    return block;
}

/* What the increment does beside counting is done at the end of the body. */
static void split_increment(struct parse *p, struct ir_stmt *loop,
                            const struct parts *parts)
{
    const struct ir_symbol *iterator = loop->iterator;
    struct ir_expr *both = loop->increment;
    if (!both || both->kind != IR_BINARY || strcmp(both->op, ",") != 0 ||
        continues(parts->body))
        return;
    bool last = parse_step(both->arg[1], iterator) != 0;
    struct ir_expr *other = both->arg[!last];
    if (!parse_step(both->arg[last], iterator) || rewrite_mentions(other, iterator))
        return;
    loop->increment = both->arg[last];
    loop->child[0] = parse_at_the_end(p, loop->child[0], other);
}

static bool is_canonical(const struct ir_stmt *loop)
{
    const struct ir_symbol *iterator = loop->iterator;
    if (!loop->cmp || loop->step == 0 || rewrite_mentions(loop->upper, iterator))
        return false;
    if (iterator->type.scalar != IR_INT || iterator->type.pointers > 0 ||
        iterator->type.is_volatile || iterator->is_static || iterator->address_taken)
        return false;
    return loop->cmp[0] == '!' || (loop->cmp[0] == '<') == (loop->step > 0);
}

static void find_assignment(struct ir_expr *expr, void *data)
{
    struct ir_symbol **symbol = data;
    if (rewrite_assigned(expr) == *symbol)
        *symbol = NULL;
}

static bool assigns(const struct ir_stmt *body, struct ir_symbol *symbol)
{
    struct ir_symbol *left = symbol;
    visit_stmt(body, find_assignment, &left);
    return !left;
}

static bool counts(struct parse *p, struct ir_stmt *loop, bool written)
{
    set_start(loop);
    if (!loop->iterator)
        return false;
    set_end(p, loop);
    if (!loop->cmp)
        set_double_end(p, loop);
    loop->step = parse_step(loop->increment, loop->iterator);
    set_countdown(p, loop);
    loop->canonical =
        is_canonical(loop) && !written && !assigns(loop->child[0], loop->iterator);
    if (loop->canonical) {
        loop->init = NULL;
        loop->increment = NULL;
    }
    return loop->canonical;
}

bool parse_counts(struct parse *p, struct ir_stmt *loop)
{
    return counts(p, loop, false);
}

/* Of a function that is called from several places the first reader made the symbols. */
static struct ct_decl *decl_of(const struct parse *p, const struct ir_symbol *symbol,
                               const struct ct_node *init)
{
    size_t id = (size_t)symbol->id;
    if (id < p->function->symbol_nr && p->function->symbol[id] == symbol)
        return p->declared[id];
    struct ct_decl *decl =
        init->kind == CT_DECLS ? init->child[0]->decl : parse_written(init, NULL);
    return decl && decl->symbol == symbol ? decl : NULL;
}

static void make_canonical(struct parse *p, struct ir_stmt *loop,
                           const struct parts *parts)
{
    set_start(loop);
    if (!loop->iterator)
        return;
    struct ct_decl *decl = decl_of(p, loop->iterator, parts->init);
    split_increment(p, loop, parts);
    counts(p, loop, !decl || writes(parts->body, decl));
}

static bool is_number(const struct ir_expr *expr)
{
    return expr->type.scalar == IR_INT && !expr->type.pointers && expr->type.bytes <= 8;
}

static bool is_not(const struct ir_expr *expr)
{
    return expr->kind == IR_UNARY && !strcmp(expr->op, "!");
}

/* `i < n` of `__builtin_expect(!!(i < n), 1)`, also of what `&&` joins. */
static struct ir_expr *without_guess(struct ir_expr *cond)
{
    static const char name[] = "__builtin_expect";
    if (cond->kind == IR_CALL && cond->arg_nr >= 2 && is_number(cond->arg[0]) &&
        strncmp(cond->text, name, strlen(name)) == 0) {
        cond = cond->arg[0];
        while (is_not(cond) && is_not(cond->arg[0]))
            cond = cond->arg[0]->arg[0];
        return without_guess(cond);
    }
    for (size_t i = 0; cond->kind == IR_BINARY && !strcmp(cond->op, "&&") && i < 2; i++)
        cond->arg[i] = without_guess(cond->arg[i]);
    return cond;
}

struct ir_expr *parse_condition(struct parse *p, const struct ct_node *node)
{
    struct ir_expr *cond = parse_expr(p, node);
    return cond ? without_guess(cond) : NULL;
}

struct ir_stmt *parse_for(struct parse *p, const struct ct_node *node,
                          struct ir_stmt *body)
{
    struct parts parts;
    if (!find_parts(p, node, &parts))
        return NULL;
    struct ir_stmt *loop = ir_stmt_new(p->arena, IR_FOR, 1);
    loop->child[0] = body;
    loop->init = parts.init ? parse_init(p, parts.init) : NULL;
    loop->cond = parts.cond ? parse_condition(p, parts.cond) : NULL;
    loop->increment = parts.increment ? parse_expr(p, parts.increment) : NULL;
    if ((parts.init && !loop->init) || (parts.cond && !loop->cond) ||
        (parts.increment && !loop->increment))
        return NULL;
    make_canonical(p, loop, &parts);
    return loop;
}
