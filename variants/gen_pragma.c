/*
 * The pragmas before loops: simd with its hints, parallel with its clauses. Inside a
 * parallel loop everything that an iteration has of its own is declared, so that no
 * clause need name it; what is summed up across iterations needs one.
 */
#include "variants/gen.h"

#include <string.h>

/* 512 bits of chars: below, clang may unroll the loop before it makes vectors. */
enum { FEW = 64 };

/* ---- what parallel loops sum up ---- */

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return (stmt->kind == IR_DECL && stmt->symbol == symbol) ||
           (stmt->kind == IR_FOR && stmt->declares_iterator && stmt->iterator == symbol);
}

static bool is_declared_in(const struct code *code, const struct ir_symbol *symbol)
{
    bool found = (code->declares && code->var == symbol) ||
                 (code->stmt && stmt_find(code->stmt, declares, symbol));
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = is_declared_in(code->child[i], symbol);
    return found;
}

static void push_once(struct strvec *list, const char *name)
{
    for (size_t i = 0; i < list->nr; i++)
        if (!strcmp(list->v[i], name))
            return;
    strvec_push(list, name);
}

static void note_sum(struct ir_expr *expr, void *data)
{
    struct code *loop = data;
    if (expr->kind != IR_ASSIGN || expr->arg[0]->kind != IR_NAME ||
        is_declared_in(loop, expr->arg[0]->symbol))
        return;
    const char *op = strcmp(expr->op, "=") ? expr->op
                     : expr->arg[1]->op    ? expr->arg[1]->op
                                           : "";
    struct strvec *list = op[0] == '*' ? &loop->products : &loop->sums;
    push_once(list, expr->arg[0]->symbol->name);
}

static void find_sums(struct code *loop, const struct code *code)
{
    if (code->stmt)
        stmt_exprs(code->stmt, note_sum, loop);
    for (size_t i = 0; i < code->child_nr; i++)
        find_sums(loop, code->child[i]);
}

void gen_teams(struct code *code)
{
    bool ours = code->kind == CODE_FOR && code->parallel &&
                (!code->band->pragma || code->band->clauses);
    if (ours)
        find_sums(code, code);
    for (size_t i = 0; i < code->child_nr; i++)
        gen_teams(code->child[i]);
}

/* ---- text ---- */

bool code_has_pragma(const struct code *loop)
{
    return loop->kind == CODE_FOR && (loop->simd || loop->parallel || loop->kept);
}

static void print_clause(struct buf *out, const char *op, const struct strvec *names)
{
    if (names->nr)
        buf_addf(out, " reduction(%s:", op);
    for (size_t i = 0; i < names->nr; i++)
        buf_addf(out, "%s%s", i ? ", " : "", names->v[i]);
    if (names->nr)
        buf_add(out, ")");
}

/* Clauses of the user's pragma: those of the team, or those of the loop. A schedule is
 * the only one kept that belongs to a loop; it stands first. */
static void print_clauses(struct buf *out, const char *clauses, bool apart)
{
    const char *team = strstr(clauses, " num_threads(");
    team = team ? team : strstr(clauses, " proc_bind(");
    if (apart && team)
        buf_add_n(out, clauses, (size_t)(team - clauses));
    else
        buf_add(out, clauses);
}

/* The loop stands in a team of its own, which takes num_threads and proc_bind. */
static void print_team(struct buf *out, const struct tree *band)
{
    const char *team = band->pragma ? strstr(band->pragma, " num_threads(") : NULL;
    if (band->pragma && !team)
        team = strstr(band->pragma, " proc_bind(");
    buf_addf(out, "#pragma omp parallel%s\n{\n#pragma omp for", team ? team : "");
}

static void print_parallel(struct buf *out, const struct code *loop)
{
    const struct tree *band = loop->band;
    if (band->pragma && !band->clauses) {
        const char *behind = strstr(strstr(band->pragma, "parallel"), "for") + 3;
        bool simd = loop->simd && !strstr(band->pragma, "simd");
        buf_addf(out, "#pragma %.*s%s%s", (int)(behind - band->pragma), band->pragma,
                 simd ? " simd" : "", behind);
        return;
    }
    if (loop->fence)
        print_team(out, band);
    else
        buf_add(out, "#pragma omp parallel for");
    buf_add(out, loop->simd ? " simd" : "");
    if (loop->simd && band->width)
        buf_addf(out, " simdlen(%lld)", band->width);
    if (band->pragma)
        print_clauses(out, band->pragma, loop->fence != NULL);
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
    print_clause(out, "+", &loop->sums);
    print_clause(out, "*", &loop->products);
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
        if (!loop->band->pragma || loop->band->clauses)
            print_reductions(&text, loop);
        else
            buf_add(&text, "\n");
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
