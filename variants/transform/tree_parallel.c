/*
 * Loops whose iterations are shared out among threads: those that the plan names, and
 * those that the user's own OpenMP pragmas stood before. Decided on the final tree.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/clauses.h"
#include "variants/model/budget.h"
#include "variants/model/deps.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- the user's pragmas ---- */

/* Names a variable that the nest writes; `outside`: one that is not its own. */
static bool holds_written(const struct nest *nest, const struct clause *clause,
                          bool outside)
{
    const struct ir_function *function = nest->model->function;
    bool found = false;
    for (size_t i = 0; !found && i < function->symbol_nr; i++)
        for (size_t k = 0; !found && k < nest->access_nr; k++)
            found = nest->access[k].write &&
                    !(outside && nest->cell[nest->access[k].cell].is_private) &&
                    nest->cell[nest->access[k].cell].symbol == function->symbol[i] &&
                    clause_names(clause, function->symbol[i]->name);
    return found;
}

/* It is worked out by a call or an assignment, which counts how often that is done. */
static bool does_something(const struct clause *clause)
{
    const char *value = clause->value ? clause->value : "";
    for (size_t i = 0; i < clause->value_length; i++)
        if (strchr("(=", value[i]) ||
            (strchr("+-", value[i]) && value[i + 1] == value[i]))
            return true;
    return false;
}

static bool clause_holds(const struct nest *nest, const struct clause *clause,
                         enum loop_change change)
{
    switch (clause_cell(clause, change)) {
    case CELL_YES:
        return true;
    case CELL_VALUE:
        return !does_something(clause) && !holds_written(nest, clause, false);
    case CELL_OWN:
        return !holds_written(nest, clause, true);
    case CELL_ALONE: /* of pragmas */
    case CELL_NO:
        return false;
    }
    return false;
}

/* The change to the tree that a step may make to such a loop. */
static const enum loop_change step_change[STEP_KIND_NR] = {
#define STEP(kind, change) [STEP_##kind] = CHANGE_##change,
#include "variants/ir/openmp.def"
};

/* The first step of the plan that may make such a change. */
static const char *step_word(const struct work *work, enum loop_change change)
{
    const struct plan *plan = work->plan;
    for (size_t i = 0; plan && i < plan->step_nr; i++) {
        const struct plan_step *step = plan->step[i];
        enum loop_change makes = step_change[step->kind];
        bool fits = change == CHANGE_DROPPED ? makes != CHANGE_KEPT : makes == change;
        if (fits && plan_step_means(step, (size_t)work->nest->index))
            return transformation_of(step->kind)->name;
    }
    return "the plan";
}

int pragma_allows(const struct work *work, const struct ir_pragma *pragma,
                  enum loop_change change, struct error *err)
{
    const char *text = "";
    const struct pragma_row *row = pragma_row(pragma->text, &text);
    enum pragma_cell cell = row ? row->cell[change] : CELL_NO;
    char *said = xasprintf(change_said(change), step_word(work, change));
    struct clause clause;
    int status = 0;
    bool alone = cell == CELL_ALONE &&
                 openmp_is_alone(work->nest->model->function, work->nest->source, pragma);
    if (cell != CELL_YES && !alone)
        status =
            fail(err, STATUS_ILLEGAL,
                 "%s the loop of the OpenMP pragma of line %d, %s; leave that loop "
                 "out of the plan",
                 said, pragma->line,
                 row && row->kind == PRAGMA_SHARED
                     ? "and other loops of the threads that share it may rest on who "
                       "gets which iterations"
                     : "which is not known to allow it");
    bool clauses = row && row->kind != PRAGMA_HINT && row->kind != PRAGMA_MARK;
    while (!status && clauses && clause_next(&text, &clause))
        if (!clause_holds(work->nest, &clause, change))
            status = fail(err, STATUS_ILLEGAL,
                          "%s the loop of the OpenMP pragma of line %d, whose clause "
                          "'%.*s' is not known to say the same then; leave that loop out "
                          "of the plan, or drop the clause",
                          said, pragma->line, (int)clause.word_length, clause.word);
    struct buf mixed = {0};
    bool vectors = strstr(pragma->text, "simd") || strstr(pragma->text, "ivdep") ||
                   strstr(pragma->text, "vectorize");
    bool stays = change != CHANGE_DROPPED && change != CHANGE_REPLACED;
    if (!status && vectors && stays && tree_mixes_types(work->nest, work->tree, &mixed))
        status = fail(err, STATUS_ILLEGAL,
                      "%s the loop of the pragma of line %d, and %s; leave that loop out "
                      "of the plan",
                      said, pragma->line, buf_str(&mixed));
    buf_release(&mixed);
    free(said);
    return status;
}

struct whole {
    const struct nest *nest;
    const struct loop *loop;
    size_t bands;
    bool *below; /* by statement: it stands below a band of the loop */
    bool mixed;  /* statements of other loops do too */
};

static bool is_in_loop(const struct statement *statement, const struct loop *loop)
{
    size_t depth = (size_t)loop->depth;
    return statement->depth > depth && statement->loop[depth] == loop;
}

static void survey(struct whole *at, const struct tree *tree, bool inside)
{
    if (tree->kind == TREE_BAND && tree->loop == at->loop) {
        at->bands++;
        inside = true;
    }
    if (inside && tree->kind == TREE_LEAF && tree->statement < at->nest->statement_nr) {
        at->below[tree->statement] = true;
        at->mixed =
            at->mixed || !is_in_loop(&at->nest->statement[tree->statement], at->loop);
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        survey(at, tree->child[i], inside);
}

/* The loop is still one loop with all that was in it, and nothing else; *mixed: something
 * else is in it. */
static bool band_is_whole(const struct work *work, const struct tree *band, bool *mixed)
{
    const struct nest *nest = work->nest;
    struct whole whole = {.nest = nest, .loop = band->loop};
    whole.below = xcalloc(nest->statement_nr + 1, sizeof(bool));
    survey(&whole, work->tree, false);
    bool same = whole.bands == 1 && !whole.mixed && !band->skewed && !band->shifted &&
                !band->rest && !band->lanes;
    for (size_t i = 0; same && i < nest->statement_nr; i++)
        same = whole.below[i] || !is_in_loop(&nest->statement[i], band->loop);
    free(whole.below);
    *mixed = whole.mixed;
    return same;
}

/* ---- parallel loops ---- */

int tree_parallel(struct work *work, const struct plan_step *step, struct error *err)
{
    if (work->nest->around)
        return fail(
            err, STATUS_ILLEGAL,
            "the loop over %s at line %d starts anew for each iteration of a loop around "
            "it, and its threads do, too; make the outer loop parallel",
            work->nest->stmt->iterator->name, work->nest->stmt->line);
    GROW(work->parallel, work->parallel_nr + 1, work->parallel_alloc);
    work->parallel[work->parallel_nr++] = step;
    work->reorders = true;
    return 0;
}

struct team {
    struct work *work;
    const struct plan_step *step; /* NULL: asked for by the user's pragma */
    const struct ir_stmt *user;   /* the loop with that pragma */
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, found;
    struct error *err;
};

/* ---- may they run side by side? ---- */

static isl_bool met(isl_union_map *pairs, isl_union_map *cell)
{
    isl_union_map *both =
        isl_union_map_intersect(isl_union_map_copy(pairs), isl_union_map_copy(cell));
    isl_bool none = isl_union_map_is_empty(both);
    isl_union_map_free(both);
    return isl_bool_not(none);
}

/* An array declared inside the loop: every iteration has its own. */
static bool is_own(const struct nest *nest, const struct cell *cell,
                   const struct tree *band)
{
    const struct ir_symbol *symbol = cell->symbol;
    return cell->dims && symbol->id >= 0 && nest->declared[symbol->id] &&
           !symbol->is_static && !symbol->type.pointers == !symbol->dim_nr &&
           nest->decl_depth[symbol->id] > band->loop->depth;
}

/* What several iterations of the band share: fine, when it is only summed up and a
 * reduction clause can say so. Writes why not. */
static void check_cell(const struct team *at, const struct dependences *groups,
                       const struct tree *band, size_t index, isl_union_map *strict,
                       isl_union_map *kept, struct buf *why)
{
    struct nest *nest = at->work->nest;
    const struct cell *cell = &nest->cell[index];
    isl_union_map *same = cell_meetings(nest, groups->leader, index);
    isl_bool shared = met(strict, same), fixed = met(kept, same);
    if (is_own(nest, cell, band))
        shared = isl_bool_false;
    if (shared == isl_bool_error || fixed == isl_bool_error)
        buf_add(why, "the check did not finish");
    else if (shared && fixed) {
        isl_union_map *pairs =
            isl_union_map_intersect(isl_union_map_copy(strict), isl_union_map_copy(same));
        deps_explain(nest, groups->leader, pairs,
                     "so the iterations of this loop depend on one another", why);
        isl_union_map_free(pairs);
    } else if (shared && (cell->dims || cell->symbol->role == IR_FIELD))
        buf_addf(why,
                 "all iterations of the loop over %s add to the same elements of '%s', "
                 "and no clause of OpenMP reduces those",
                 band->name, cell->symbol->name);
    isl_union_map_free(same);
}

static int check_threads(const struct team *at, const struct tree *band)
{
    const struct nest *nest = at->work->nest;
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (nest->used[i] && symbol_is_of_thread(function, function->symbol[i]))
            return fail(at->err, STATUS_ILLEGAL,
                        "the loop over %s at line %d cannot be parallel: each thread has "
                        "a '%s' of its own; copy it to a local variable before the loop",
                        band->name, band->loop->stmt->line, function->symbol[i]->name);
    return 0;
}

static int check_band(const struct team *at, const struct tree *band)
{
    struct nest *nest = at->work->nest;
    struct buf why = {0};
    int status = 0;
    const struct dependences *groups = deps_between(nest, at->work->tree);
    isl_union_map *strict =
        band_carried(nest, band, at->above, at->above_nr, groups->strict);
    isl_union_map *kept = band_carried(nest, band, at->above, at->above_nr, groups->deps);
    isl_bool none = isl_union_map_is_empty(strict);
    for (size_t i = 0; none == isl_bool_false && !why.length && i < nest->cell_nr; i++)
        check_cell(at, groups, band, i, strict, kept, &why);
    if (none == isl_bool_error)
        buf_add(&why, "the check did not finish");
    if (why.length && !nest->model->forced)
        status = fail(at->err, STATUS_ILLEGAL,
                      "the loop over %s at line %d cannot be parallel: %s", band->name,
                      band->loop->stmt->line, buf_str(&why));
    isl_union_map_free(strict);
    isl_union_map_free(kept);
    buf_release(&why);
    return status;
}

/* ---- finding the loops ---- */

static const struct tree *parallel_below(const struct tree *tree)
{
    if (tree->kind == TREE_BAND && tree->parallel)
        return tree;
    const struct tree *found = NULL;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = parallel_below(tree->child[i]);
    return found;
}

static int check_nesting(const struct team *at, const struct tree *band)
{
    const struct tree *other = NULL;
    for (size_t i = 0; !other && i < at->above_nr; i++)
        other = at->above[i]->parallel ? at->above[i] : NULL;
    const struct tree *outer = other ? other : band, *inner = other ? band : NULL;
    for (size_t i = 0; !inner && i < band->child_nr; i++)
        inner = parallel_below(band->child[i]);
    if (!inner)
        return 0;
    return fail(at->err, STATUS_ILLEGAL,
                "the loop over %s lies inside of the loop over %s, which is parallel: "
                "only one loop of a nest can share its iterations out; drop %s from "
                "parallel()",
                inner->name, outer->name, inner->name);
}

static bool is_named(const struct plan_step *step, const struct tree *band)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (!strcmp(band->name, step->arg[i].name))
            return true;
    return false;
}

static int mark_band_parallel(struct team *at, struct tree *band)
{
    at->found++;
    if (check_nesting(at, band) || check_threads(at, band) || check_band(at, band))
        return -1;
    band->parallel = true;
    if (at->step) {
        band->schedule = (int)at->step->option[OPTION_SCHEDULE];
        band->chunk = at->step->option[OPTION_CHUNK];
    }
    return 0;
}

static int mark_named(struct team *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    int status = 0;
    if (band && tree->role != BAND_COPY && tree->role != BAND_ELEMENT &&
        is_named(at->step, tree) && mark_band_parallel(at, tree))
        return -1;
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; !status && i < tree->child_nr; i++)
        status = mark_named(at, tree->child[i]);
    at->above_nr -= band;
    return status;
}

/* ---- the user's own pragmas ---- */

const struct ir_pragma *shared_pragma(const struct ir_stmt *loop)
{
    const struct ir_pragma *pragma = loop->pragma;
    while (pragma && !pragma_shares_out(pragma))
        pragma = pragma->next;
    return pragma;
}

/* The loop stands where it stood: the same loops around it, in the same order, and its
 * last iteration is the last. */
static bool stands_as_before(const struct team *at, const struct tree *band)
{
    const struct loop *loop = band->loop->parent;
    if (band->role != BAND_LOOP || band_is_turned(band))
        return false;
    for (size_t i = at->above_nr; i-- > 0; loop = loop->parent)
        if (!loop || at->above[i]->role != BAND_LOOP || at->above[i]->loop != loop)
            return false;
    return !loop;
}

static bool is_below(const struct tree *tree, const struct loop *loop)
{
    if (tree->kind == TREE_BAND && tree->loop == loop)
        return true;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (is_below(tree->child[i], loop))
            return true;
    return false;
}

/* A clause such as "schedule(dynamic, 4)" of the pragma, with what it holds. */
static void add_clause(struct buf *out, const char *pragma, const char *word)
{
    const char *at = pragma_clauses(pragma);
    struct clause clause;
    while (clause_next(&at, &clause))
        if (clause_is(&clause, word) && clause.value &&
            strncmp(clause.value, "simd:", 5) != 0) /* of a directive that goes */
            buf_addf(out, " %s(%.*s)", word, (int)clause.value_length, clause.value);
}

/* The tree where the pragma's loop stands elsewhere: the outermost loop made of it takes
 * its place, if that is legal by itself. */
static int move_pragma(struct team *at, struct tree *band, const struct ir_pragma *pragma)
{
    struct nest *nest = at->work->nest;
    struct buf clauses = {0};
    if (mark_band_parallel(at, band)) {
        return fail_in(at->err,
                       "the plan moves the loop that the OpenMP pragma of line %d "
                       "shares out; name a loop in the plan by parallel()",
                       pragma->line);
    }
    if (pragma_is(pragma, PRAGMA_SHARED) && at->above_nr)
        return fail(
            at->err, STATUS_ILLEGAL,
            "the plan puts the loop over %s around the one that the OpenMP pragma "
            "of line %d shares out, and all threads would meet after each of its "
            "iterations; tile the loop, so that its tiles are outermost",
            at->above[0]->name, pragma->line);
    band->in_team = pragma_is(pragma, PRAGMA_SHARED);
    add_clause(&clauses, pragma->text, "schedule");
    add_clause(&clauses, pragma->text, "if"); /* from here on of the team */
    add_clause(&clauses, pragma->text, "num_threads");
    add_clause(&clauses, pragma->text, "proc_bind");
    band->pragma = ir_text(nest->model->arena, buf_str(&clauses));
    band->clauses = true;
    strvec_pushf(&at->work->reported,
                 "the OpenMP pragma of line %d now stands before the loop over '%s'",
                 pragma->line, band->name);
    buf_release(&clauses);
    return 0;
}

/* Loops of the source that became part of the band. */
static int check_fused(const struct team *at, const struct tree *band,
                       const struct tree *tree)
{
    const struct nest *nest = at->work->nest;
    size_t depth = (size_t)band->loop->depth;
    if (tree->kind == TREE_LEAF && tree->statement < nest->statement_nr) {
        const struct statement *statement = &nest->statement[tree->statement];
        const struct loop *loop =
            statement->depth > depth ? statement->loop[depth] : NULL;
        const struct ir_pragma *pragma = loop ? shared_pragma(loop->stmt) : NULL;
        if (!pragma)
            return fail(at->err, STATUS_ILLEGAL,
                        "fuse joins what is not shared out among threads to the loop of "
                        "the OpenMP pragma of line %d; leave that loop out of the plan",
                        shared_pragma(band->loop->stmt)->line);
        return pragma_allows(at->work, pragma, CHANGE_FUSED, at->err);
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        if (check_fused(at, band, tree->child[i]))
            return -1;
    return 0;
}

static int place_band(struct team *at, struct tree *band, const struct ir_pragma *pragma)
{
    bool mixed = false;
    bool whole = band_is_whole(at->work, band, &mixed) && stands_as_before(at, band);
    if (pragma_allows(at->work, pragma,
                      whole   ? CHANGE_KEPT
                      : mixed ? CHANGE_FUSED
                              : CHANGE_MOVED,
                      at->err) ||
        (mixed && check_fused(at, band, band)))
        return -1;
    if (!whole)
        return move_pragma(at, band, pragma);
    if (pragma_is(pragma, PRAGMA_TEAM) && check_threads(at, band))
        return -1;
    at->found++;
    band->parallel = true;
    band->pragma = pragma->text;
    return 0;
}

static int place_pragma(struct team *at, struct tree *tree, const struct loop *loop,
                        const struct ir_pragma *pragma)
{
    bool band = tree->kind == TREE_BAND;
    int status = 0;
    if (!is_below(tree, loop))
        return 0;
    if (band && tree->loop == loop && tree->role != BAND_COPY &&
        tree->role != BAND_ELEMENT)
        return place_band(at, tree, pragma);
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; !status && i < tree->child_nr; i++)
        status = place_pragma(at, tree->child[i], loop, pragma);
    at->above_nr -= band;
    return status;
}

/* No band is made of the loop: it became part of another one, which must be shared out.
 */
static bool is_in_shared(const struct nest *nest, const struct tree *tree,
                         const struct loop *loop)
{
    if (tree->kind == TREE_BAND && tree->loop->depth == loop->depth &&
        shared_pragma(tree->loop->stmt))
        for (size_t i = 0; i < nest->statement_nr; i++)
            if (is_in_loop(&nest->statement[i], loop) && tree_has_statement(tree, i))
                return true;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (is_in_shared(nest, tree->child[i], loop))
            return true;
    return false;
}

static int keep_pragmas(struct work *work, struct error *err)
{
    struct nest *nest = work->nest;
    int status = 0;
    for (size_t i = 0; !status && i < nest->loop_nr; i++) {
        const struct ir_pragma *pragma = shared_pragma(nest->loop[i]->stmt);
        struct team team = {.work = work, .user = nest->loop[i]->stmt, .err = err};
        if (!pragma)
            continue;
        if (work->parallel_nr && pragma_is(pragma, PRAGMA_SHARED))
            return fail(err, STATUS_ILLEGAL,
                        "the OpenMP pragma of line %d shares the loop out among threads "
                        "that are there already; drop parallel() from the plan",
                        pragma->line);
        if (work->parallel_nr && pragma_allows(work, pragma, CHANGE_REPLACED, err))
            return -1;
        if (work->parallel_nr) {
            strvec_pushf(&work->reported,
                         "parallel() replaces the OpenMP pragma of line %d",
                         pragma->line);
            continue;
        }
        status = place_pragma(&team, work->tree, nest->loop[i], pragma);
        if (!status && !is_below(work->tree, nest->loop[i]) &&
            !is_in_shared(nest, work->tree, nest->loop[i]))
            status = fail(err, STATUS_ILLEGAL,
                          "fuse joins the loop of the OpenMP pragma of line %d to one "
                          "that is not shared out among threads; leave that loop out of "
                          "the plan",
                          pragma->line);
    }
    return status;
}

/* simd(j,width:8,interleave:4): the last step that names the loop counts. */
static void mark_hints(struct tree *tree, const struct plan_step *step)
{
    if (tree->kind == TREE_BAND && tree->simd &&
        (!step->arg_nr || is_named(step, tree))) {
        tree->width = step->option[OPTION_WIDTH];
        tree->interleave = step->option[OPTION_INTERLEAVE];
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        mark_hints(tree->child[i], step);
}

void work_hints(struct work *work, size_t nest, const struct plan *plan)
{
    for (size_t i = 0; i < plan->step_nr; i++)
        if (plan->step[i]->kind == STEP_SIMD && plan_step_means(plan->step[i], nest))
            mark_hints(work->tree, plan->step[i]);
}

int work_parallel(struct work *work, struct error *err)
{
    struct nest *nest = work->nest;
    isl_budget(nest->model, nest->model->request.operation_limit);
    int status = keep_pragmas(work, err);
    for (size_t i = 0; !status && i < work->parallel_nr; i++) {
        struct team team = {.work = work, .step = work->parallel[i], .err = err};
        status = mark_named(&team, work->tree);
        if (!status && !team.found)
            status = fail(err, STATUS_USAGE, "no loop '%s' is left to be parallel",
                          work->parallel[i]->arg[0].name);
    }
    return isl_check(nest->model, false, status ? NULL : err) ? -1 : status;
}
