/* The text of the user's OpenMP pragmas. */
#include "variants/ir/clauses.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"

/* ---- the table ---- */

static const struct pragma_row pragma_rows[] = {
#define PRAGMA(words, kind, ...) {words, PRAGMA_##kind, {__VA_ARGS__}},
#define Y                        CELL_YES
#define V                        CELL_VALUE
#define P                        CELL_OWN
#define A                        CELL_ALONE
#define N                        CELL_NO
#include "variants/ir/openmp.def"
};

static const struct clause_row {
    const char *word;
    enum pragma_cell around, cell[CHANGE_NR];
} clause_rows[] = {
#define CLAUSE(word, around, ...) {word, around, {__VA_ARGS__}},
#include "variants/ir/openmp.def"
#undef Y
#undef V
#undef P
#undef A
#undef N
};

static const char *const said[CHANGE_NR] = {
#define CHANGE(name, text) [CHANGE_##name] = text,
#include "variants/ir/openmp.def"
};

const char *change_said(enum loop_change change)
{
    return said[change];
}

/* Behind the words of a row, at the start of the text; NULL = it begins with others. */
static const char *behind_row(const char *text, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        text += strspn(text, " \t");
        if (strncmp(text, words, length) || strcspn(text, " \t(,") != length)
            return NULL;
        text += length;
        words += length + (words[length] == ' ');
    }
    return text;
}

const struct pragma_row *pragma_row(const char *text, const char **clauses)
{
    const struct pragma_row *found = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(pragma_rows); i++) {
        const char *behind = behind_row(text, pragma_rows[i].words);
        if (!behind || (found && behind < *clauses))
            continue;
        found = &pragma_rows[i];
        *clauses = behind;
    }
    return found;
}

bool pragma_is(const struct ir_pragma *pragma, enum pragma_kind kind)
{
    const char *clauses;
    const struct pragma_row *row =
        pragma->ours ? NULL : pragma_row(pragma->text, &clauses);
    return row && row->kind == kind;
}

bool pragma_shares_out(const struct ir_pragma *pragma)
{
    return pragma_is(pragma, PRAGMA_TEAM) || pragma_is(pragma, PRAGMA_SHARED);
}

bool pragma_binds(const struct ir_pragma *pragma)
{
    return pragma_shares_out(pragma) || pragma_is(pragma, PRAGMA_SIMD) ||
           pragma_is(pragma, PRAGMA_HINT);
}

const char *pragma_clauses(const char *text)
{
    const char *clauses;
    return pragma_row(text, &clauses) ? clauses : text + strlen(text);
}

/* Of a reduction an operator of the language, which every order leaves the same; of
 * default what gives nobody a variable of his own. */
static bool has_known_value(const struct clause *clause)
{
    static const char *const operators[] = {"+", "-",  "*",  "&",   "|",
                                            "^", "&&", "||", "min", "max"};
    if (clause_is(clause, "default"))
        return clause_names(clause, "shared") || clause_names(clause, "none");
    if (!clause_is(clause, "reduction"))
        return true;
    const char *value = clause->value ? clause->value : "";
    value += strspn(value, " \t");
    size_t length = strcspn(value, " \t:,)");
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
        if (length == strlen(operators[i]) && !strncmp(value, operators[i], length))
            return true;
    return false;
}

static const struct clause_row *row_of(const struct clause *clause)
{
    for (size_t i = 0; i < ARRAY_SIZE(clause_rows); i++)
        if (clause_is(clause, clause_rows[i].word))
            return has_known_value(clause) ? &clause_rows[i] : NULL;
    return NULL;
}

bool clause_is_known(const struct clause *clause)
{
    return row_of(clause) != NULL;
}

enum pragma_cell clause_cell(const struct clause *clause, enum loop_change change)
{
    const struct clause_row *row = row_of(clause);
    return row ? row->cell[change] : CELL_NO;
}

enum pragma_cell clause_around(const struct clause *clause)
{
    const struct clause_row *row = row_of(clause);
    return row ? row->around : CELL_NO;
}

/* ---- clauses ---- */

bool clause_next(const char **at, struct clause *clause)
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

bool clause_is(const struct clause *clause, const char *word)
{
    return clause->word_length == strlen(word) &&
           !strncmp(clause->word, word, clause->word_length);
}

bool clause_names(const struct clause *clause, const char *word)
{
    char *value = xstrndup(clause->value ? clause->value : "", clause->value_length);
    bool found = text_has_word(value, word);
    free(value);
    return found;
}

bool clause_is_none(const struct clause *clause)
{
    return clause_is(clause, "default") && clause_names(clause, "none");
}

bool clause_gives_own(const struct clause *clause)
{
    static const char *const words[] = {"private",   "firstprivate", "lastprivate",
                                        "reduction", "copyin",       "linear"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (clause_is(clause, words[i]))
            return true;
    return clause_is(clause, "default") && clause_names(clause, "private");
}

bool symbol_is_of_thread(const struct ir_function *function,
                         const struct ir_symbol *symbol)
{
    bool found = symbol->is_thread_local;
    for (const struct ir_pragma *pragma = function->all_pragma; !found && pragma;
         pragma = pragma->next_all)
        found = text_has_word(pragma->text, "threadprivate") &&
                text_has_word(pragma->text, symbol->name);
    return found;
}

/* ---- regions ---- */

const struct ir_pragma *openmp_region_pragma(const struct ir_stmt *region)
{
    const struct ir_pragma *pragma = region->pragma;
    while (pragma && !pragma_is(pragma, PRAGMA_THREADS))
        pragma = pragma->next;
    return pragma;
}

static const struct ir_stmt *region_below(const struct ir_stmt *stmt,
                                          const struct ir_stmt *loop)
{
    const struct ir_stmt *region = NULL;
    if (!stmt || !stmt_holds(stmt, loop))
        return NULL;
    for (size_t i = 0; !region && i < stmt->child_nr; i++)
        region = region_below(stmt->child[i], loop);
    return region ? region : openmp_region_pragma(stmt) ? stmt : NULL;
}

const struct ir_stmt *openmp_region(const struct ir_function *function,
                                    const struct ir_stmt *loop)
{
    return region_below(function->body, loop);
}

static void find_call(struct ir_expr *expr, void *data)
{
    bool *found = data;
    *found = *found || expr->kind == IR_RAW ||
             (expr->kind == IR_CALL && !(expr->symbol && expr->symbol->is_pure));
}

static bool is_opaque(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_OPAQUE;
}

bool openmp_is_alone(const struct ir_function *function, const struct ir_stmt *loop,
                     const struct ir_pragma *pragma)
{
    const struct ir_stmt *region = openmp_region(function, loop);
    const struct ir_pragma *other = function->all_pragma;
    bool calls = !region || stmt_find(region, is_opaque, NULL);
    if (!calls)
        stmt_exprs(region, find_call, &calls);
    while (!calls && other &&
           (other == pragma || other->ours || other->begin < region->begin ||
            other->end > region->end))
        other = other->next_all;
    return !calls && !other;
}
