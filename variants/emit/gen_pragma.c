/*
 * The pragmas before loops: simd with its hints, parallel with its clauses. What an
 * iteration of a parallel loop has of its own is declared inside of it, as a rule, so
 * that no clause need name it; what loops share that stand one behind the other is
 * declared outside of both and needs one, as does what is summed up across iterations.
 */
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen.h"
#include "variants/ir/clauses.h"
#include "variants/ir/sum.h"
#include "variants/plan/plan.h"

/* 512 bits of chars: below, clang may unroll the loop before it makes vectors. */
enum { FEW = 64 };

/* ---- what parallel loops sum up ---- */

bool stmt_declares(const struct ir_stmt *stmt, const void *symbol)
{
    return (stmt->kind == IR_DECL && stmt->symbol == symbol) ||
           (stmt->kind == IR_FOR && stmt->declares_iterator && stmt->iterator == symbol);
}

bool code_declares(const struct code *code, const struct ir_symbol *symbol)
{
    bool found = (code->declares && code->var == symbol) ||
                 (code->stmt && stmt_find(code->stmt, stmt_declares, symbol));
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = code_declares(code->child[i], symbol);
    return found;
}

static bool is_set_outside(const struct ir_expr *expr, const struct code *loop)
{
    return expr->kind == IR_ASSIGN && expr->arg[0]->kind == IR_NAME &&
           !code_declares(loop, expr->arg[0]->symbol);
}

/* Set anew, and not from what it was: the iteration's own. */
static void note_private(struct ir_expr *expr, void *data)
{
    struct code *loop = data;
    if (is_set_outside(expr, loop) && !strcmp(expr->op, "=") &&
        !expr_mentions(expr->arg[1], expr->arg[0]->symbol))
        strvec_push_once(&loop->privates, expr->arg[0]->symbol->name);
}

static void note_sum(struct ir_expr *expr, void *data)
{
    struct code *loop = data;
    if (!is_set_outside(expr, loop) ||
        strvec_has(&loop->privates, expr->arg[0]->symbol->name))
        return;
    const char *op = strcmp(expr->op, "=") ? expr->op
                     : expr->arg[1]->op    ? expr->arg[1]->op
                                           : "";
    struct strvec *list = op[0] == '*' ? &loop->products : &loop->sums;
    strvec_push_once(list, expr->arg[0]->symbol->name);
}

static void find_set(struct code *loop, const struct code *code,
                     void (*note)(struct ir_expr *, void *))
{
    if (code->stmt)
        stmt_exprs(code->stmt, note, loop);
    for (size_t i = 0; i < code->child_nr; i++)
        find_set(loop, code->child[i], note);
}

/* ---- the user's own directive ---- */

/* It stays as it is: what the loop is becomes a matter of its clauses. */
static bool is_verbatim(const struct code *loop)
{
    return loop->kind == CODE_FOR && loop->parallel && loop->band->pragma &&
           !loop->band->clauses;
}

bool gen_allows(struct gen *gen, const struct code *loop, enum loop_change change)
{
    struct error err = {0};
    if (!is_verbatim(loop) ||
        !pragma_allows(gen->work, shared_pragma(loop->band->loop->stmt), change, &err))
        return true;
    gen->problem = ir_text(gen->model->arena, err.text);
    return false;
}

struct directive {
    struct gen *gen;
    const struct code *loop;
    bool none; /* default(none) */
};

static bool is_own(const struct directive *at, const struct ir_symbol *symbol)
{
    return code_declares(at->loop, symbol) ||
           strvec_has(&at->loop->privates, symbol->name);
}

/* A variable of ours that stands outside of the loop is shared by its threads: they may
 * read it, unless the directive wants all that they read to be named. */
static void check_use(struct ir_expr *expr, void *data)
{
    const struct directive *at = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    const struct ir_symbol *set = expr->kind == IR_ASSIGN && expr->arg[0]->kind == IR_NAME
                                      ? expr->arg[0]->symbol
                                      : NULL;
    if (set && set->id < 0 && !is_own(at, set))
        at->gen->problem =
            ir_textf(at->gen->model->arena,
                     "the new code sets '%s' in the loop of an OpenMP pragma "
                     "that stays as it is, and all threads would share it",
                     set->name);
    if (!symbol || !at->none || symbol->role == IR_FUNCTION || is_own(at, symbol) ||
        stmt_mentions(at->loop->band->loop->stmt, symbol))
        return;
    at->gen->problem = ir_textf(
        at->gen->model->arena,
        "the new code names '%s' in the loop of an OpenMP pragma with the clause "
        "'default(none)', which does not name it",
        symbol->name);
}

static void check_uses(const struct directive *at, const struct code *code)
{
    struct ir_expr *part[] = {code->lower, code->upper, code->cond};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            ir_visit(part[i], check_use, (void *)at);
    if (code->stmt)
        stmt_exprs(code->stmt, check_use, (void *)at);
    for (size_t i = 0; i < code->child_nr; i++)
        check_uses(at, code->child[i]);
}

static void check_directive(struct gen *gen, const struct code *loop)
{
    struct directive at = {.gen = gen, .loop = loop};
    const char *text = pragma_clauses(loop->band->pragma);
    struct clause clause;
    while (clause_next(&text, &clause))
        at.none = at.none || clause_is_none(&clause);
    check_uses(&at, loop);
}

/* What the user's reduction names is not named again; simd cannot sum up more. */
static void drop_named(struct gen *gen, const struct code *loop, struct strvec *sums)
{
    for (size_t i = 0; loop->simd && i < sums->nr; i++) {
        const char *text = pragma_clauses(loop->band->pragma);
        struct clause clause;
        bool named = false;
        while (clause_next(&text, &clause))
            named = named || (clause_is(&clause, "reduction") &&
                              clause_names(&clause, sums->v[i]));
        if (!named)
            gen->problem =
                ir_textf(gen->model->arena,
                         "simd would have to sum up '%s', and the OpenMP pragma "
                         "of the loop, which stays as it is, has no reduction "
                         "clause for it",
                         sums->v[i]);
    }
    strvec_release(sums);
    *sums = (struct strvec){0};
}

static size_t count_loops(const struct code *code, const struct tree *band,
                          const struct code **last)
{
    bool own = code->kind == CODE_FOR && code->parallel && code->band == band;
    size_t nr = own;
    *last = own ? code : *last;
    for (size_t i = 0; i < code->child_nr; i++)
        nr += count_loops(code->child[i], band, last);
    return nr;
}

static bool differ_by(struct gen *gen, struct ir_expr *a, struct ir_expr *b,
                      long long number)
{
    struct sum first = sum_of_expr(gen->arena, a), second = sum_of_expr(gen->arena, b);
    struct sum difference = sum_add(&first, &second, -1);
    return !difference.nr && difference.constant == number;
}

/* It counts the source's iterations, each of them: where some do nothing, new code may
 * begin behind them. */
static bool has_own_head(struct gen *gen, const struct code *code)
{
    const struct ir_stmt *loop = code->band->loop->stmt;
    long long inclusive = loop->cmp[1] == '=' && loop->cmp[0] != '!';
    return code->step == loop->step && differ_by(gen, code->lower, loop->lower, 0) &&
           differ_by(gen, code->upper, loop->upper,
                     loop->step > 0 ? inclusive : -inclusive);
}

/* Each loop with such a directive is that one loop in the new code, too. */
static void check_parts(struct gen *gen, const struct code *code, const struct tree *tree)
{
    const struct code *last = NULL;
    bool verbatim = tree->kind == TREE_BAND && tree->pragma && !tree->clauses;
    size_t nr = verbatim ? count_loops(code, tree, &last) : 1;
    if (nr > 1 || (verbatim && nr && !has_own_head(gen, last)))
        gen_allows(gen, last, CHANGE_PARTED);
    else if (!nr)
        gen->problem = "the new code has no loop that the OpenMP pragma could share out";
    for (size_t i = 0; i < tree->child_nr; i++)
        check_parts(gen, code, tree->child[i]);
}

static void find_teams(struct gen *gen, struct code *code)
{
    bool shared = code->kind == CODE_FOR && code->parallel;
    if (shared && !is_verbatim(code)) {
        find_set(code, code, note_private);
        find_set(code, code, note_sum);
    }
    if (shared)
        gen_own_buffers(gen, code);
    if (is_verbatim(code)) {
        check_directive(gen, code);
        code->simd = code->simd && gen_allows(gen, code, CHANGE_VECTORS);
        drop_named(gen, code, &code->sums);
        drop_named(gen, code, &code->products);
    }
    for (size_t i = 0; i < code->child_nr; i++)
        find_teams(gen, code->child[i]);
}

/* The statement is in a loop that a team shares out which others have made. */
static bool is_of_team(const struct gen *gen, size_t statement)
{
    const struct statement *of = &gen->nest->statement[statement];
    for (size_t i = 0; i < of->depth; i++) {
        const struct ir_pragma *pragma = shared_pragma(of->loop[i]->stmt);
        if (pragma && pragma_is(pragma, PRAGMA_SHARED))
            return true;
    }
    return false;
}

/* Beside such a loop each thread of the team would do it: what is left over of blocks,
 * where it is no loop any more. */
static void check_beside(struct gen *gen, const struct code *code, bool shared)
{
    shared = shared || (code->kind == CODE_FOR && code->parallel);
    if (code->kind == CODE_STMT && !shared && code->statement != SIZE_MAX &&
        is_of_team(gen, code->statement))
        gen->problem =
            "what the plan leaves of the loop is no loop that the OpenMP pragma "
            "could share out, and every thread of the team would do it";
    for (size_t i = 0; i < code->child_nr; i++)
        check_beside(gen, code->child[i], shared);
}

void gen_teams(struct gen *gen, struct code *code)
{
    check_beside(gen, code, false);
    find_teams(gen, code);
    check_parts(gen, code, gen->work->tree);
}

/* ---- text ---- */

bool code_has_pragma(const struct code *loop)
{
    return loop->kind == CODE_FOR && (loop->simd || loop->parallel || loop->kept);
}

static void print_clause(struct buf *out, const char *begin, const struct strvec *names)
{
    for (size_t i = 0; i < names->nr; i++)
        buf_addf(out, "%s%s", i ? ", " : begin, names->v[i]);
    if (names->nr)
        buf_add(out, ")");
}

/* Of the user's pragma, those that belong to the team and not to the loop: all but a
 * schedule, which stands first. */
static const char *team_clauses(const char *clauses)
{
    const char *behind = clauses;
    struct clause first;
    bool schedule = clause_next(&behind, &first) && clause_is(&first, "schedule");
    return schedule ? behind : clauses;
}

/* The loop stands in a team of its own. */
static void print_team(struct buf *out, const struct tree *band)
{
    buf_addf(out, "#pragma omp parallel%s\n{\n#pragma omp for",
             band->pragma ? team_clauses(band->pragma) : "");
}

static void print_parallel(struct buf *out, const struct code *loop)
{
    const struct tree *band = loop->band;
    if (band->pragma && !band->clauses) {
        const char *behind = pragma_clauses(band->pragma);
        bool simd = loop->simd && !text_has_word(band->pragma, "simd");
        buf_addf(out, "#pragma %.*s%s%s", (int)(behind - band->pragma), band->pragma,
                 simd ? " simd" : "", behind);
        return;
    }
    if (loop->fence)
        print_team(out, band);
    else
        buf_add(out, band->in_team ? "#pragma omp for" : "#pragma omp parallel for");
    buf_add(out, loop->simd ? " simd" : "");
    if (loop->simd && band->width)
        buf_addf(out, " simdlen(%lld)", band->width);
    if (band->pragma)
        buf_addf(out, "%.*s",
                 (int)(loop->fence ? team_clauses(band->pragma) - band->pragma
                                   : (ptrdiff_t)strlen(band->pragma)),
                 band->pragma);
    else if (band->schedule || loop->chunk)
        buf_addf(out, " schedule(%s",
                 schedule_word(band->schedule ? band->schedule : SCHEDULE_STATIC));
    if (!band->pragma && loop->chunk)
        buf_addf(out, ", %lld", loop->chunk);
    if (!band->pragma && (band->schedule || loop->chunk))
        buf_add(out, ")");
}

static void print_simd(struct buf *out, const struct code *loop)
{
    buf_add(out, "#pragma omp simd");
    if (loop->band->width)
        buf_addf(out, " simdlen(%lld)", loop->band->width);
}

static void print_reductions(struct buf *out, const struct code *loop)
{
    print_clause(out, " private(", &loop->privates);
    print_clause(out, " reduction(+:", &loop->sums);
    print_clause(out, " reduction(*:", &loop->products);
    buf_add(out, "\n");
}

/* Independent vectors under way: clang has a word for it, gcc unrolls the loop that it
 * made of vectors, and takes no `omp simd` beside that. */
static void print_interleaved(struct buf *out, const struct code *loop)
{
    long long nr = loop->band->interleave;
    bool sums = loop->sums.nr || loop->products.nr || loop->band->width;
    if (sums) {
        print_simd(out, loop);
        print_reductions(out, loop);
        buf_addf(out, "#ifdef __clang__\n#pragma clang loop interleave_count(%lld)\n",
                 nr);
    } else {
        buf_add(out, "#ifdef __clang__\n");
        print_simd(out, loop);
        buf_addf(out, "\n#pragma clang loop interleave_count(%lld)\n", nr);
        buf_addf(out, "#else\n#pragma GCC ivdep\n#pragma GCC unroll %lld\n", nr);
    }
    buf_add(out, "#endif\n");
}

/* ---- vectors that clang may not make ---- */

bool loop_is_few(struct ir_arena *arena, struct ir_expr *lower, struct ir_expr *upper,
                 long long limit)
{
    bool few = false;
    if (upper->kind == IR_CALL) {
        for (size_t i = 0; !few && i < upper->arg_nr; i++)
            few = loop_is_few(arena, lower, upper->arg[i], limit);
        return few;
    }
    struct sum from = sum_of_expr(arena, lower), to = sum_of_expr(arena, upper);
    struct sum span = sum_add(&to, &from, -1);
    return !span.nr && span.constant < limit;
}

void print_pragma(struct buf *out, const struct code *loop, int indent)
{
    struct buf text = {0};
    if (loop->kept)
        buf_addf(&text, "#pragma %s\n", loop->kept);
    if (loop->parallel) {
        print_parallel(&text, loop);
        print_reductions(&text, loop);
    } else if (loop->simd && loop->band->interleave)
        print_interleaved(&text, loop);
    else if (loop->simd) {
        print_simd(&text, loop);
        print_reductions(&text, loop);
    }
    for (const char *line = buf_str(&text); *line;) {
        size_t length = strcspn(line, "\n") + 1;
        buf_add_repeat(out, ' ', (size_t)indent * 4);
        buf_add_n(out, line, length);
        line += length;
    }
    buf_release(&text);
}
