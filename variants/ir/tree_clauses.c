/*
 * Clauses of the user's `omp parallel for`: which of them still hold where a plan divides
 * or moves the loop.
 */
#include "variants/model/poly.h"

#include <stdlib.h>
#include <string.h>

/* Behind these words, at the start of the text; NULL = it begins with others. */
static const char *behind_words(const char *text, const char *const *words, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t(");
        if (length != strlen(words[i]) || strncmp(text, words[i], length))
            return NULL;
        text += length;
    }
    return text;
}

static const char *const parallel_for[] = {"omp", "parallel", "for"};

bool pragma_is_parallel_for(const char *text)
{
    return behind_words(text, parallel_for, ARRAY_SIZE(parallel_for)) != NULL;
}

bool pragma_is_simd(const char *text)
{
    static const char *const words[] = {"omp", "simd"};
    return behind_words(text, words, ARRAY_SIZE(words)) != NULL;
}

/* One after the other, with what stands in parentheses; false = no more. */
struct clause {
    const char *word, *value; /* value: behind the '(' */
    size_t word_length, value_length;
};

static bool next_clause(const char **at, struct clause *clause)
{
    static const char blanks[] = " \t\r\n\\,";
    const char *text = *at + strspn(*at, blanks);
    *clause = (struct clause){.word = text};
    clause->word_length = strcspn(text, " \t\r\n\\,(");
    text += clause->word_length;
    text += strspn(text, " \t\r\n\\");
    if (*text == '(') {
        int open = 1;
        clause->value = ++text;
        for (; *text && open; text++)
            open += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        clause->value_length = (size_t)(text - clause->value) - !open;
    }
    *at = text;
    return clause->word_length > 0;
}

static bool is_clause(const struct clause *clause, const char *word)
{
    return clause->word_length == strlen(word) &&
           !strncmp(clause->word, word, clause->word_length);
}

bool pragma_has_clause(const char *pragma, const char *word)
{
    const char *at = behind_words(pragma, parallel_for, ARRAY_SIZE(parallel_for));
    struct clause clause;
    while (next_clause(&at, &clause))
        if (is_clause(&clause, word))
            return true;
    return false;
}

/* Names a variable that the nest writes; `outside`: one that is not its own. */
static bool holds_written(const struct nest *nest, const struct clause *clause,
                          bool outside)
{
    const struct ir_function *function = nest->model->function;
    char *value = xstrndup(clause->value ? clause->value : "", clause->value_length);
    bool found = false;
    for (size_t i = 0; !found && i < function->symbol_nr; i++)
        for (size_t k = 0; !found && k < nest->access_nr; k++)
            found = nest->access[k].write &&
                    !(outside && nest->cell[nest->access[k].cell].is_private) &&
                    nest->cell[nest->access[k].cell].symbol == function->symbol[i] &&
                    text_has_word(value, function->symbol[i]->name);
    free(value);
    return found;
}

/* It says the same of each part of the loop, in any order, as of the whole. */
static bool holds_of_parts(const struct nest *nest, const struct clause *clause)
{
    static const char *const always[] = {"simd",   "private", "reduction",
                                         "shared", "default", "proc_bind"};
    static const char *const of_values[] = {"schedule", "num_threads", "if",
                                            "firstprivate"};
    for (size_t i = 0; i < ARRAY_SIZE(always); i++)
        if (is_clause(clause, always[i]))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(of_values); i++)
        if (is_clause(clause, of_values[i]))
            return !holds_written(nest, clause, false);
    return false;
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

bool band_is_whole(const struct work *work, const struct tree *band)
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
    return same;
}

int pragma_check_clauses(const struct nest *nest, const struct ir_pragma *pragma,
                         struct error *err)
{
    const char *text = behind_words(pragma->text, parallel_for, ARRAY_SIZE(parallel_for));
    struct clause clause;
    while (next_clause(&text, &clause))
        if (!holds_of_parts(nest, &clause))
            return fail(err, STATUS_ILLEGAL,
                        "the plan divides or moves the loop of the OpenMP pragma of line "
                        "%d, whose clause '%.*s' says something of the loop as it is; "
                        "leave that loop out of the plan, or drop the clause",
                        pragma->line, (int)clause.word_length, clause.word);
    return 0;
}

int pragma_check_replaced(const struct nest *nest, const struct ir_pragma *pragma,
                          struct error *err)
{
    const char *text = behind_words(pragma->text, parallel_for, ARRAY_SIZE(parallel_for));
    struct clause clause;
    while (next_clause(&text, &clause)) {
        bool own = is_clause(&clause, "private") || is_clause(&clause, "firstprivate");
        if (is_clause(&clause, "copyin") || (own && holds_written(nest, &clause, true)))
            return fail(err, STATUS_ILLEGAL,
                        "parallel() would replace the OpenMP pragma of line %d, whose "
                        "clause '%.*s' gives a variable another value than the loop "
                        "without it; drop the clause",
                        pragma->line, (int)clause.word_length, clause.word);
    }
    return 0;
}
