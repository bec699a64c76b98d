/*
 * Code as a statement: of a nest whose bounds are read from memory, whose names must be
 * declared before it, and of one that becomes part of a statement of another nest.
 */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

static struct ir_stmt *stmt_of(struct gen *gen, const struct code *code);

static void put(struct gen *gen, struct ir_stmt *block, struct ir_stmt *stmt)
{
    size_t nr = block->child_nr;
    if (!(nr & (nr - 1))) { /* full, where room doubles */
        struct ir_stmt **more = ir_alloc(gen->arena, (2 * nr + 1) * sizeof(*more));
        for (size_t i = 0; i < nr; i++)
            more[i] = block->child[i];
        block->child = more;
    }
    block->child[block->child_nr++] = stmt;
}

static struct ir_stmt *declaration(struct gen *gen, struct ir_symbol *symbol,
                                   struct ir_expr *value)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
    stmt->symbol = symbol;
    stmt->expr = value;
    return stmt;
}

/* ---- lines of text ---- */

static void put_lines(struct gen *gen, struct ir_stmt *block, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_OPAQUE, 0);
        length = strcspn(text, "\n");
        stmt->text = ir_textf(gen->arena, "%.*s", (int)length, text);
        put(gen, block, stmt);
    }
}

/* ---- what a pragma sums up ---- */

/* Variables of clauses get names of their own: those of the statement may still become
 * others. */
struct sums {
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX];
    size_t nr;
};

struct named {
    const char *name;
    struct ir_symbol *symbol;
};

static void find_named(struct ir_expr *expr, void *data)
{
    struct named *named = data;
    if (expr->kind == IR_NAME && !strcmp(expr->symbol->name, named->name))
        named->symbol = expr->symbol;
}

static void own_names(struct gen *gen, const struct ir_stmt *loop, struct strvec *names,
                      struct sums *sums)
{
    struct strvec now = {0};
    for (size_t i = 0; i < names->nr; i++) {
        struct named named = {.name = names->v[i]};
        stmt_exprs(loop, find_named, &named);
        if (!named.symbol || sums->nr == DEPTH_MAX) {
            gen->problem = "what a loop inside a statement sums up is not known";
            continue;
        }
        struct ir_type type = named.symbol->type;
        struct ir_symbol *own = gen_symbol(gen, gen_name(gen, named.name, true), &type);
        sums->symbol[sums->nr] = named.symbol;
        sums->by[sums->nr++] = ir_name(gen->arena, own);
        strvec_push(&now, own->name);
    }
    strvec_release(names);
    *names = now;
}

static struct ir_stmt *assignment(struct gen *gen, struct ir_symbol *to,
                                  struct ir_expr *value)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
    stmt->expr = ir_assign(gen->arena, "=", ir_name(gen->arena, to), value);
    return stmt;
}

/* ---- loops ---- */

static struct ir_stmt *body_of(struct gen *gen, const struct code *block)
{
    struct ir_stmt *body = stmt_of(gen, block);
    const struct ir_stmt *only = body->child_nr == 1 ? body->child[0] : NULL;
    bool plain = only && (only->kind == IR_EXPR || only->kind == IR_FOR) && !only->pragma;
    return plain ? body->child[0] : body;
}

static struct ir_stmt *for_of(struct gen *gen, const struct code *code)
{
    struct ir_stmt *loop = ir_stmt_new(gen->arena, IR_FOR, 1);
    bool last = code->step < 0 && code->upper->kind != IR_CALL; /* as it is printed */
    loop->canonical = true;
    loop->declares_iterator = code->declares;
    loop->iterator = code->var;
    loop->lower = code->lower;
    loop->upper = last ? expr_plus(gen->arena, code->upper, 1) : code->upper;
    loop->cmp = code->step > 0 ? "<" : last ? ">=" : ">";
    loop->step = code->step;
    loop->child[0] = body_of(gen, code->child[0]);
    return loop;
}

static void put_loop(struct gen *gen, struct ir_stmt *block, const struct code *code)
{
    struct ir_stmt *loop = for_of(gen, code), *around = block;
    struct code shown = *code;
    struct sums sums = {.nr = 0};
    struct buf pragma = {0};
    shown.sums = shown.products = (struct strvec){0};
    strvec_push_all(&shown.sums, &code->sums);
    strvec_push_all(&shown.products, &code->products);
    if (gen->is_row && code->simd) {
        own_names(gen, loop, &shown.sums, &sums);
        own_names(gen, loop, &shown.products, &sums);
        loop = stmt_substitute(gen->arena, loop, sums.symbol, sums.by, sums.nr);
    }
    if (sums.nr && gen->model->function->is_c89) { /* declarations begin a block */
        block = ir_stmt_new(gen->arena, IR_BLOCK, 0);
        put(gen, around, block);
    }
    for (size_t i = 0; i < sums.nr; i++)
        put(gen, block,
            declaration(gen, sums.by[i]->symbol, ir_name(gen->arena, sums.symbol[i])));
    print_pragma(&pragma, &shown, 0);
    put_lines(gen, block, buf_str(&pragma));
    put(gen, block, loop);
    if (code->fence)
        put_lines(gen, block, ir_textf(gen->arena, "%s}\n", code->fence));
    for (size_t i = 0; i < sums.nr; i++)
        put(gen, block, assignment(gen, sums.symbol[i], sums.by[i]));
    gen->need_quiet = gen->need_quiet || code->simd;
    gen->quiet_to_end =
        gen->quiet_to_end || (code->simd && (gen->is_row || code_in_team(code)));
    strvec_release(&shown.sums);
    strvec_release(&shown.products);
    buf_release(&pragma);
}

/* ---- the rest ---- */

static struct ir_stmt *if_of(struct gen *gen, const struct code *code)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_IF, code->child_nr);
    stmt->cond = code->cond;
    for (size_t i = 0; i < code->child_nr; i++)
        stmt->child[i] = stmt_of(gen, code->child[i]);
    return stmt;
}

/* Copies of a statement have its comments once. */
static struct ir_stmt *plain_of(struct gen *gen, const struct ir_stmt *block,
                                struct ir_stmt *stmt)
{
    bool again = false;
    for (size_t i = 0; i < block->child_nr; i++)
        again = again || (stmt->spelling && block->child[i]->spelling == stmt->spelling);
    if (!again)
        return stmt;
    struct ir_stmt *copy = ir_alloc(gen->arena, sizeof(*copy));
    *copy = *stmt;
    copy->comments = copy->remark = NULL;
    return copy;
}

static void put_code(struct gen *gen, struct ir_stmt *block, const struct code *code)
{
    switch (code->kind) {
    case CODE_BLOCK:
        put(gen, block, stmt_of(gen, code));
        break;
    case CODE_FOR:
        put_loop(gen, block, code);
        break;
    case CODE_IF: /* without a condition it is a block */
        put(gen, block, code->cond ? if_of(gen, code) : stmt_of(gen, code->child[0]));
        break;
    case CODE_LET:
        code->var->type.is_const = true;
        put(gen, block, declaration(gen, code->var, code->lower));
        break;
    case CODE_STMT:
        put(gen, block, plain_of(gen, block, code->stmt));
        break;
    case CODE_TEXT:
        put_lines(gen, block, code->text);
    }
}

static struct ir_stmt *stmt_of(struct gen *gen, const struct code *code)
{
    struct ir_stmt *block = ir_stmt_new(gen->arena, IR_BLOCK, 0);
    for (size_t i = 0; i < code->child_nr; i++)
        put_code(gen, block, code->child[i]);
    return block;
}

/* if (guard) { code }, or if (guard) { code } else { original } */
static struct ir_stmt *guarded(struct gen *gen, struct ir_stmt *code,
                               struct ir_expr *guard, bool needs_else)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_IF, needs_else ? 2 : 1);
    stmt->cond = guard;
    stmt->child[0] = code;
    if (needs_else)
        stmt->child[1] = stmt_substitute(gen->arena, gen->nest->source, NULL, NULL, 0);
    if (needs_else && gen->model->function->is_c89)
        stmt->child[1] = gen_c89_stmt(gen, stmt->child[1]);
    return stmt;
}

struct ir_stmt *gen_block(struct gen *gen, const struct code *code, struct ir_expr *guard,
                          bool needs_else)
{
    const struct ir_stmt *source = gen->nest->source;
    struct ir_stmt *now = stmt_of(gen, code),
                   *block = ir_stmt_new(gen->arena, IR_BLOCK, 0);
    if (source->lower_name)
        put(gen, block,
            declaration(gen, source->lower_name, ir_copy(gen->arena, source->lower)));
    if (source->upper_name)
        put(gen, block,
            declaration(gen, source->upper_name, ir_copy(gen->arena, source->upper)));
    if (guard)
        put(gen, block, guarded(gen, now, guard, needs_else));
    for (size_t i = 0; !guard && i < now->child_nr; i++)
        put(gen, block, now->child[i]);
    block->line = source->line;
    block->begin = source->begin;
    block->end = source->end;
    return block;
}
