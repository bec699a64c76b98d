/*
 * What the user says to his compiler about one loop (`#pragma GCC unroll 4`, `omp simd`,
 * `ivdep`): kept where the loop is still what it was, dropped and said so where it is
 * not. `omp parallel for` is in tree_parallel.c.
 */
#include <string.h>

#include "variants/ir/clauses.h"
#include "variants/model/tree.h"
#include "variants/transform/transform.h"

struct survey {
    const struct nest *nest;
    const struct loop *loop;
    struct tree *band; /* made of the loop */
    size_t bands;
};

static void find_bands(struct survey *at, struct tree *tree)
{
    if (tree->kind == TREE_BAND && tree->loop == at->loop) {
        at->band = tree;
        at->bands++;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        find_bands(at, tree->child[i]);
}

static bool is_as_written(const struct tree *band)
{
    return band->role == BAND_LOOP && !band->skewed && !band->shifted && !band->rest &&
           !band->lanes && !band_is_turned(band);
}

/* Below it are the loop's own statements and loops only, nested as they were; counts
 * both. */
static bool same_below(const struct survey *at, const struct tree *tree,
                       const struct loop *around, size_t *leaves, size_t *bands)
{
    const struct nest *nest = at->nest;
    if (tree->kind == TREE_LEAF) {
        if (tree->statement >= nest->statement_nr)
            return false;
        const struct statement *statement = &nest->statement[tree->statement];
        ++*leaves;
        return statement->depth > 0 && statement->loop[statement->depth - 1] == around;
    }
    if (tree->kind == TREE_BAND && tree->loop != at->loop) {
        if (!is_as_written(tree) || tree->loop->parent != around)
            return false;
        around = tree->loop;
        ++*bands;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        if (!same_below(at, tree->child[i], around, leaves, bands))
            return false;
    return true;
}

static bool is_untouched(const struct survey *at)
{
    const struct nest *nest = at->nest;
    size_t depth = (size_t)at->loop->depth, leaves = 0, bands = 0;
    if (at->bands != 1 || !is_as_written(at->band) || at->band->simd ||
        at->band->parallel || !same_below(at, at->band, at->loop, &leaves, &bands))
        return false;
    for (size_t i = 0; i < nest->statement_nr; i++)
        leaves -= nest->statement[i].depth > depth &&
                  nest->statement[i].loop[depth] == at->loop;
    for (size_t i = 0; i < nest->loop_nr; i++)
        for (const struct loop *up = nest->loop[i]->parent; up; up = up->parent)
            bands -= up == at->loop;
    return !leaves && !bands;
}

/* Clauses may name variables that are not there any more. */
static bool names_variables(const char *text)
{
    static const char *const known[] = {"omp simd", "omp simd simdlen(",
                                        "omp simd safelen("};
    bool plain = strncmp(text, "omp", 3) != 0 || !strcmp(text, known[0]);
    for (size_t i = 1; !plain && i < ARRAY_SIZE(known); i++)
        plain = !strncmp(text, known[i], strlen(known[i])) &&
                strcspn(text, ")") + 1 == strlen(text);
    return !plain;
}

static int settle(struct work *work, const struct survey *at,
                  const struct ir_pragma *pragma, bool untouched, struct error *err)
{
    struct ir_arena *arena = work->nest->model->arena;
    bool stays = untouched && !names_variables(pragma->text);
    if (pragma_allows(work, pragma, stays ? CHANGE_KEPT : CHANGE_DROPPED, err))
        return -1;
    if (!stays) {
        strvec_pushf(&work->reported, "dropped: line %d #pragma %s", pragma->line,
                     pragma->text);
        return 0;
    }
    at->band->kept = at->band->kept
                         ? ir_textf(arena, "%s\n#pragma %s", at->band->kept, pragma->text)
                         : pragma->text;
    return 0;
}

int work_pragmas(struct work *work, struct error *err)
{
    const struct nest *nest = work->nest;
    for (size_t i = 0; i < nest->loop_nr; i++) {
        struct survey at = {.nest = nest, .loop = nest->loop[i]};
        const struct ir_pragma *pragma = at.loop->stmt->pragma;
        if (!pragma)
            continue;
        find_bands(&at, work->tree);
        bool untouched = !work->streamed_nr && is_untouched(&at);
        for (; pragma; pragma = pragma->next) {
            bool stays = at.loop->stmt == nest->stmt && !pragma_binds(pragma);
            if (!pragma->ours && !stays && !pragma_shares_out(pragma) &&
                settle(work, &at, pragma, untouched, err))
                return -1;
        }
    }
    return 0;
}
