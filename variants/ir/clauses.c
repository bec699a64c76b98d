/* The text of the user's OpenMP pragmas. */
#include "variants/ir/clauses.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"

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
static const char *const shared_for[] = {"omp", "for"};

const char *pragma_clauses(const char *text)
{
    const char *behind = behind_words(text, parallel_for, ARRAY_SIZE(parallel_for));
    return behind ? behind : behind_words(text, shared_for, ARRAY_SIZE(shared_for));
}

bool pragma_shares_out(const char *text)
{
    return pragma_clauses(text) != NULL;
}

bool pragma_is_for(const char *text)
{
    return behind_words(text, shared_for, ARRAY_SIZE(shared_for)) != NULL;
}

const char *pragma_team(const char *text)
{
    return pragma_shares_out(text) ? NULL : behind_words(text, parallel_for, 2);
}

bool pragma_binds(const char *text)
{
    static const char *const first[] = {"omp",
                                        "acc",
                                        "ivdep",
                                        "unroll",
                                        "nounroll",
                                        "vector",
                                        "novector",
                                        "unroll_and_jam",
                                        "nounroll_and_jam",
                                        "simd",
                                        "loop_count",
                                        "nofusion",
                                        "distribute_point",
                                        "parallel",
                                        "noparallel",
                                        "block_loop",
                                        "noblock_loop",
                                        "loop",
                                        "_CRI"};
    static const char *const second[][2] = {
        {"GCC", "ivdep"}, {"GCC", "unroll"}, {"GCC", "novector"}, {"clang", "loop"}};
    bool found = false;
    for (size_t i = 0; !found && i < ARRAY_SIZE(first); i++)
        found = behind_words(text, &first[i], 1) != NULL;
    for (size_t i = 0; !found && i < ARRAY_SIZE(second); i++)
        found = behind_words(text, second[i], 2) != NULL;
    return found;
}

bool pragma_is_simd(const char *text)
{
    static const char *const words[] = {"omp", "simd"};
    return behind_words(text, words, ARRAY_SIZE(words)) != NULL;
}

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

bool clause_gives_own(const struct clause *clause)
{
    static const char *const words[] = {"private",   "firstprivate", "lastprivate",
                                        "reduction", "copyin",       "linear"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (clause_is(clause, words[i]))
            return true;
    return clause_is(clause, "default") && clause_names(clause, "private");
}

bool pragma_has_clause(const char *pragma, const char *word)
{
    const char *at = pragma_clauses(pragma);
    struct clause clause;
    while (clause_next(&at, &clause))
        if (clause_is(&clause, word))
            return true;
    return false;
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
