/*
 * Stores past the caches. An innermost loop that writes an array element by element
 * becomes: up to a whole cache line of the array; whole lines, each computed into a local
 * buffer and stored at once; the rest. So the loop over a line stays plain code that
 * compilers can vectorise, and every store fills a line.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

enum { STREAM_LINE = 64, STORES_MAX = 8 };

struct store {
    struct ir_expr *target; /* a[i][j] */
    size_t at;              /* of the statement in the loop's block */
    struct streamed *streamed;
    struct ir_symbol *line; /* the buffer */
};

struct streaming {
    struct gen *gen;
    struct code *loop;
    struct store store[STORES_MAX];
    size_t nr;
    bool bad; /* what it stores cannot be told apart */
};

static struct streamed *streamed_of(struct gen *gen, const struct ir_expr *target)
{
    const struct ir_expr *root = target;
    while (root->kind == IR_INDEX)
        root = root->arg[0];
    for (size_t i = 0; root->kind == IR_NAME && i < gen->work->streamed_nr; i++)
        if (gen->nest->cell[gen->work->streamed[i].cell].symbol == root->symbol)
            return &gen->work->streamed[i];
    return NULL;
}

static bool is_contiguous(const struct code *loop, const struct ir_expr *target)
{
    long long coefficient;
    if (target->kind != IR_INDEX || target->type.pointers ||
        target->type.scalar == IR_RECORD || !target->type.bytes ||
        STREAM_LINE % target->type.bytes ||
        !expr_coefficient(target->arg[1], loop->var, &coefficient) || coefficient != 1)
        return false;
    for (const struct ir_expr *at = target->arg[0]; at->kind == IR_INDEX; at = at->arg[0])
        if (expr_mentions(at->arg[1], loop->var))
            return false;
    return true;
}

static void add_store(struct streaming *all, struct ir_expr *target, size_t at)
{
    struct streamed *streamed = streamed_of(all->gen, target);
    if (!streamed)
        return;
    all->bad = all->bad || !is_contiguous(all->loop, target) || all->nr == STORES_MAX ||
               all->gen->nest->cell[streamed->cell].symbol->type.is_volatile;
    for (size_t i = 0; !all->bad && i < all->nr; i++)
        all->bad =
            all->store[i].streamed == streamed &&
            !elements_differ(all->gen, all->store[i].target->arg[0], target->arg[0]);
    if (!all->bad)
        all->store[all->nr++] =
            (struct store){.target = target, .at = at, .streamed = streamed};
}

struct count {
    const struct ir_symbol *symbol;
    size_t nr;
};

static void count_name(struct ir_expr *expr, void *data)
{
    struct count *count = data;
    count->nr += expr->kind == IR_NAME && expr->symbol == count->symbol;
}

/* All that the loop does with the arrays is to store to them, one assignment a store. */
static bool only_stores(const struct streaming *all)
{
    const struct code *block = all->loop->child[0];
    for (size_t i = 0; i < all->nr; i++) {
        struct count count = {
            .symbol = all->gen->nest->cell[all->store[i].streamed->cell].symbol};
        for (size_t k = 0; k < block->child_nr; k++)
            stmt_exprs(block->child[k]->stmt, count_name, &count);
        for (size_t k = 0; k < all->nr; k++)
            count.nr -= all->store[k].streamed == all->store[i].streamed;
        if (count.nr || code_reaches_otherwise(all->gen, all->loop, count.symbol))
            return false;
    }
    return true;
}

static struct ir_expr *assigned(const struct code *code)
{
    const struct ir_stmt *stmt = code->stmt;
    bool store = stmt->kind == IR_EXPR && stmt->expr->kind == IR_ASSIGN &&
                 !strcmp(stmt->expr->op, "=");
    return store ? stmt->expr->arg[0] : NULL;
}

static void find_stores(struct streaming *all)
{
    const struct code *block = all->loop->child[0];
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        if (child->kind != CODE_STMT ||
            (child->stmt->kind != IR_EXPR && child->stmt->kind != IR_DECL)) {
            all->bad = true;
            return;
        }
        if (assigned(child))
            add_store(all, assigned(child), i);
    }
}

/* ---- the three loops ---- */

/* The node alone. */
static struct code *code_shell(const struct code *code)
{
    struct code *copy = code_new(code->kind);
    struct code clean = *copy;
    *copy = *code;
    copy->child = clean.child;
    copy->child_nr = copy->child_alloc = 0;
    copy->sums = copy->products = copy->privates = (struct strvec){0};
    strvec_push_all(&copy->sums, &code->sums);
    strvec_push_all(&copy->products, &code->products);
    strvec_push_all(&copy->privates, &code->privates);
    return copy;
}

/* With statements of its own: what one part is changed to must not show in others. */
static struct code *code_copy(struct gen *gen, const struct code *code)
{
    struct code *copy = code_shell(code);
    if (code->stmt)
        copy->stmt = stmt_substitute(gen->arena, code->stmt, NULL, NULL, 0);
    for (size_t i = 0; i < code->child_nr; i++)
        code_add(copy, code_copy(gen, code->child[i]));
    return copy;
}

static struct ir_expr *call(struct gen *gen, const char *name, struct ir_expr *a,
                            struct ir_expr *b)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_CALL, b ? 2 : 1);
    expr->text = name;
    expr->type = (struct ir_type){.text = "int", .scalar = IR_INT, .bytes = 4};
    expr->arg[0] = a;
    if (b)
        expr->arg[1] = b;
    return expr;
}

static struct ir_expr *at_value(struct streaming *all, struct ir_expr *expr,
                                struct ir_expr *value)
{
    return ir_substitute(all->gen->arena, expr, &all->loop->var, &value, 1);
}

static struct ir_expr *address_of(struct gen *gen, struct ir_expr *element)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_UNARY, 1);
    expr->op = "&";
    expr->type = element->type;
    expr->type.pointers++;
    expr->arg[0] = element;
    return expr;
}

/* Where the first whole line of the first array begins: const int y_from = ...; */
static struct code *from_line(struct streaming *all)
{
    struct gen *gen = all->gen;
    struct code *loop = all->loop, *let = code_new(CODE_LET);
    struct ir_expr *first = all->store[0].target;
    struct ir_expr *lead =
        call(gen, "lead", address_of(gen, at_value(all, first, loop->lower)),
             ir_integer(gen->arena, (long long)first->type.bytes));
    gen->need_min = true;
    let->var = gen_symbol(
        gen, gen_name(gen, ir_textf(gen->arena, "%sl", loop->var->name), false),
        &loop->var->type);
    let->var->type.is_const = false;
    let->lower =
        call(gen, "min", loop->upper, ir_binary(gen->arena, "+", loop->lower, lead));
    return let;
}

static long long line_iterations(const struct streaming *all)
{
    size_t bytes = all->store[0].target->type.bytes;
    for (size_t i = 1; i < all->nr; i++) /* the longest of them: whole lines of each */
        bytes = all->store[i].target->type.bytes < bytes
                    ? all->store[i].target->type.bytes
                    : bytes;
    return (long long)(STREAM_LINE / bytes);
}

static struct code *text_code(const char *text)
{
    struct code *code = code_new(CODE_TEXT);
    code->text = text;
    return code;
}

static void add_buffer(struct streaming *all, struct store *store, struct code *block,
                       long long size)
{
    struct gen *gen = all->gen;
    const struct ir_expr *root = store->target;
    while (root->kind == IR_INDEX)
        root = root->arg[0];
    struct ir_type type = store->target->type;
    type.is_const = false;
    const char *stem =
        ir_textf(gen->arena, "%s_line",
                 root->symbol->role == IR_FIELD ? "field" : root->symbol->name);
    store->line = gen_symbol(gen, gen_name(gen, stem, false), &type);
    struct code *line =
        text_code(ir_textf(gen->arena, "%s %s[%lld] __attribute__((aligned(%d)));\n",
                           type.text, store->line->name, size, STREAM_LINE));
    line->var = store->line;
    line->declares = true;
    code_add(block, line);
}

/* y[j] = e becomes y_line[j - jl] = e. */
static void write_to_line(struct streaming *all, struct code *block,
                          struct ir_symbol *start)
{
    struct gen *gen = all->gen;
    for (size_t i = 0; i < all->nr; i++) {
        struct ir_expr *assign = block->child[all->store[i].at]->stmt->expr;
        struct ir_expr *index = ir_expr_new(gen->arena, IR_INDEX, 2);
        index->type = all->store[i].target->type;
        index->arg[0] = ir_name(gen->arena, all->store[i].line);
        index->arg[1] = ir_binary(gen->arena, "-", ir_name(gen->arena, all->loop->var),
                                  ir_name(gen->arena, start));
        assign->arg[0] = index;
    }
}

static void add_stores(struct streaming *all, struct code *block, struct ir_symbol *start,
                       long long size)
{
    struct gen *gen = all->gen;
    for (size_t i = 0; i < all->nr; i++) {
        const struct store *store = &all->store[i];
        long long per_line = STREAM_LINE / (long long)store->target->type.bytes;
        for (long long k = 0; k < size; k += per_line) {
            struct ir_expr *at = expr_plus(gen->arena, ir_name(gen->arena, start), k),
                           *line = ir_name(gen->arena, store->line);
            struct code *code = code_new(CODE_STMT);
            if (k)
                line = ir_binary(gen->arena, "+", line, ir_integer(gen->arena, k));
            code->statement = SIZE_MAX;
            code->stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
            code->stmt->expr = call(
                gen, "stream", address_of(gen, at_value(all, store->target, at)), line);
            code_add(block, code);
        }
        store->streamed->places++;
    }
}

static struct code *whole_lines(struct streaming *all, struct ir_symbol *from,
                                long long size)
{
    struct gen *gen = all->gen;
    struct code *loop = all->loop, *outer = code_shell(loop);
    struct code *block = code_new(CODE_BLOCK), *line = code_copy(gen, loop);
    code_add(outer, block);
    outer->var = gen_symbol(gen, gen_name(gen, from->name, false), &from->type);
    outer->declares = true;
    outer->simd = false;
    outer->lower = ir_name(gen->arena, from);
    outer->upper = expr_plus(gen->arena, ir_copy(gen->arena, loop->upper), 1 - size);
    outer->step = size;
    outer->chunk = (loop->chunk + size - 1) / size;
    for (size_t i = 0; i < all->nr; i++)
        add_buffer(all, &all->store[i], block, size);
    line->parallel = false;
    line->line = size;
    line->lower = ir_name(gen->arena, outer->var);
    line->upper = expr_plus(gen->arena, ir_name(gen->arena, outer->var), size);
    write_to_line(all, line->child[0], outer->var);
    code_add(block, line);
    add_stores(all, block, outer->var, size);
    return outer;
}

static struct code *plain_part(const struct streaming *all, struct ir_expr *lower,
                               struct ir_expr *upper)
{
    struct code *part = code_copy(all->gen, all->loop);
    part->parallel = false;
    part->simd = false;
    part->no_fetch = true;
    part->lower = lower;
    part->upper = upper;
    return part;
}

static void replace_loop(struct streaming *all)
{
    struct gen *gen = all->gen;
    struct code *loop = all->loop, *parent = loop->parent, *block = code_new(CODE_BLOCK),
                *from = from_line(all);
    long long size = line_iterations(all);
    size_t at = code_index(loop);
    struct ir_expr *start = ir_name(gen->arena, from->var);
    struct ir_expr *rest =
        ir_binary(gen->arena, "%",
                  ir_binary(gen->arena, "-", ir_copy(gen->arena, loop->upper), start),
                  ir_integer(gen->arena, size));
    bool runs = loop_runs(gen, loop);
    struct code *test = code_new(CODE_IF);
    test->cond = ir_binary(gen->arena, "<", loop->lower, loop->upper);
    code_add(test, block);
    code_add(block, from);
    code_add(block, plain_part(all, loop->lower, start));
    code_add(block, whole_lines(all, from->var, size));
    code_add(block,
             plain_part(
                 all, ir_binary(gen->arena, "-", ir_copy(gen->arena, loop->upper), rest),
                 loop->upper));
    if (runs)
        test->cond = NULL;
    parent->child[at] = test;
    test->parent = parent;
    code_free(loop);
    gen->need_stream = true;
}

static void stream_below(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < code->child_nr; i++)
        stream_below(gen, code->child[i]);
    if (code->kind != CODE_FOR || code->step != 1 || code_has_loop(code->child[0]))
        return;
    struct streaming all = {.gen = gen, .loop = code};
    find_stores(&all);
    if (all.nr && !all.bad && only_stores(&all) && gen_allows(gen, code, CHANGE_STREAMED))
        replace_loop(&all);
}

static bool has_streams(const struct code *code)
{
    bool found = code->line != 0;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = has_streams(code->child[i]);
    return found;
}

static const char *fence_call(struct gen *gen)
{
    return ir_textf(gen->arena, "%s_fence();\n", gen_prefix(gen->model));
}

/* The stores of a team are ordered before its barrier lets anybody go on. */
static void mark_fences(struct gen *gen, struct code *code)
{
    if (code->kind == CODE_FOR && code->parallel) {
        bool verbatim = code->band->pragma && !code->band->clauses;
        code->fence = has_streams(code) ? fence_call(gen) : NULL;
        if (code->fence && verbatim) {
            code_add(code->child[0], text_code(code->fence));
            code->fence = NULL;
        }
        return;
    }
    for (size_t i = 0; i < code->child_nr; i++)
        mark_fences(gen, code->child[i]);
}

void gen_streams(struct gen *gen, struct code *code)
{
    if (!gen->work->streamed_nr)
        return;
    stream_below(gen, code);
    mark_fences(gen, code);
    if (gen->need_stream)
        code_add(code, text_code(fence_call(gen)));
}

/* What the new code calls, without any header of the compiler's. */
void gen_stream_helpers(const char *prefix, struct buf *out)
{
    buf_addf(out,
             "/* Iterations before an array reaches a whole line of the cache. */\n"
             "static inline int %s_lead(const void *at, int bytes)\n{\n"
             "    return (int)(-(__UINTPTR_TYPE__)at %% %d) / bytes;\n}\n\n",
             prefix, STREAM_LINE);
    buf_addf(out,
             "/* One line past the caches, where the machine can and it is a whole one. "
             "*/\n"
             "static inline void %s_stream(void *to, const void *from)\n{\n"
             "#if defined(__SSE2__) || defined(__clang__)\n"
             "#if defined(__AVX512F__)\n    enum { PART = 64 };\n"
             "#elif defined(__AVX__)\n    enum { PART = 32 };\n"
             "#else\n    enum { PART = 16 };\n#endif\n"
             "    __extension__ typedef long long part __attribute__((vector_size(PART), "
             "may_alias));\n"
             /* of a simd loop's own arrays gcc forgets the alignment */
             "    typedef part loose __attribute__((aligned(8)));\n"
             "    part *out = (part *)to;\n    const loose *in = (const loose *)from;\n"
             "    int i;\n"
             "    for (i = 0; i < %d / PART && (__UINTPTR_TYPE__)to %% %d == 0; "
             "i++)\n"
             "#if defined(__clang__)\n"
             "        __builtin_nontemporal_store(in[i], &out[i]);\n"
             "#elif defined(__AVX512F__)\n"
             "        __builtin_ia32_movntdq512(&out[i], in[i]);\n"
             "#elif defined(__AVX__)\n"
             "        __builtin_ia32_movntdq256(&out[i], in[i]);\n"
             "#else\n        __builtin_ia32_movntdq(&out[i], in[i]);\n#endif\n"
             "    if ((__UINTPTR_TYPE__)to %% %d == 0)\n        return;\n"
             "#endif\n    __builtin_memcpy(to, from, %d);\n}\n\n",
             prefix, STREAM_LINE, STREAM_LINE, STREAM_LINE, STREAM_LINE);
    buf_addf(out,
             "/* Stores past the caches are ordered before what follows. */\n"
             "static inline void %s_fence(void)\n{\n"
             "#ifdef __SSE2__\n    __builtin_ia32_sfence();\n"
             "#else\n    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n#endif\n}\n\n",
             prefix);
}
