/* OpenMP around and inside of a loop that is taken out: what clauses name, and who shares
 * what. */
#include "variants/parse/outline_parts.h"

#include <string.h>

#include "core/base.h"

/* ---- clauses ---- */

/* A word in the parentheses of a clause. */
struct clause_word {
    char clause[32], word[64];
};

static void copy_word(char *out, size_t room, const char *text, size_t length)
{
    length = length < room ? length : room - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

/* The next one from *at on, which moves behind it. `depth` and `out->clause` go on from
 * call to call. */
static bool next_word(const char **at, int *depth, struct clause_word *out)
{
    char last[32] = "";
    while (**at) {
        size_t length = text_name_length(*at);
        if (length && *depth) {
            copy_word(out->word, sizeof(out->word), *at, length);
            *at += length;
            return true;
        }
        if (length)
            copy_word(last, sizeof(last), *at, length);
        else if (**at == '(' && (*depth)++ == 0)
            memcpy(out->clause, last, sizeof(last));
        else if (**at == ')')
            (*depth)--;
        *at += length ? length : 1;
    }
    return false;
}

static bool is_one_of(const char *word, const char *list)
{
    return text_has_word(list, word);
}

static bool is_openmp(const struct ir_pragma *pragma)
{
    return text_begins(pragma->text, "omp");
}

/* ---- what the directives in the moved text name ---- */

/* Whose arrays and numbers are passed, not itself. */
static bool is_object(const struct outliner *outliner, const struct ct_decl *decl)
{
    for (size_t i = 0; i < outliner->access.consumed_nr; i++)
        if (outliner->access.consumed[i].decl == decl)
            return true;
    return false;
}

static int take_word(struct outliner *outliner, const struct ir_pragma *pragma,
                     const struct clause_word *word, struct error *err)
{
    struct named named = outline_named(outliner, word->word);
    bool none = !strcmp(word->clause, "default") && !strcmp(word->word, "none");
    if (outliner->access.parameter_nr && (none || is_object(outliner, named.decl)))
        return outline_refuse(outliner, pragma->line, err,
                              "its pragma says '%s(%s)', of objects that are arrays and "
                              "numbers in a function of its own; leave that out",
                              word->clause, word->word);
    if (!named.nr)
        return 0;
    if (named.nr > 1)
        return outline_refuse(outliner, pragma->line, err,
                              "'%s' in its pragma may be one of several variables",
                              word->word);
    struct passed *passed = outline_add(outliner, named.decl);
    if (is_one_of(word->clause, "reduction lastprivate linear copyprivate"))
        passed->flow =
            (struct flow){.is_written = true, .comes_in = true, .goes_out = true};
    else if (strcmp(word->clause, "private"))
        passed->flow.comes_in = true;
    return 0;
}

static bool is_moved(const struct outliner *outliner, const struct ir_pragma *pragma)
{
    return pragma->begin >= outliner->begin && pragma->end <= outliner->end;
}

int outline_clauses(struct outliner *outliner, struct error *err)
{
    static const char refused[] = "task taskloop target teams ordered section sections "
                                  "cancel threadprivate declare";
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    for (; pragma; pragma = pragma->next_all) {
        struct clause_word word = {0};
        const char *at = pragma->text;
        int depth = 0;
        if (!is_openmp(pragma) || !is_moved(outliner, pragma))
            continue;
        for (const char *name = pragma->text; *name; name += !*name ? 0 : 1) {
            size_t length = text_name_length(name);
            char text[32];
            copy_word(text, sizeof(text), name, length);
            if (length && is_one_of(text, refused))
                return outline_refuse(outliner, pragma->line, err,
                                      "it holds '#pragma omp' with '%s'", text);
            name += length ? length - 1 : 0;
        }
        while (next_word(&at, &depth, &word))
            if (take_word(outliner, pragma, &word, err) < 0)
                return -1;
    }
    return 0;
}

/* ---- the parallel region around it ---- */

static struct ct_decl *iterator_of(const struct ct_node *loop)
{
    const struct ct_node *init =
        loop->kind == CT_FOR && loop->child_nr == 4 ? loop->child[0] : NULL;
    return init && init->kind == CT_ASSIGN ? flow_base(init->child[0]) : NULL;
}

static void set_private(struct outliner *outliner, const char *name)
{
    for (size_t i = 0; i < outliner->passed_nr; i++)
        if (!strcmp(outliner->passed[i].decl->name, name))
            outliner->passed[i].is_private = true;
}

static void read_private(struct outliner *outliner, const struct ir_pragma *pragma)
{
    struct clause_word word = {0};
    const char *at = pragma->text;
    int depth = 0;
    while (next_word(&at, &depth, &word))
        if (is_one_of(word.clause, "private firstprivate lastprivate reduction linear"))
            set_private(outliner, word.word);
}

/* `node` is around the loop, or the loop itself. */
static void read_region(struct outliner *outliner, const struct ct_node *node)
{
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    for (; pragma; pragma = pragma->next_all) {
        if (!is_openmp(pragma) || !outline_is_before(outliner, pragma, node->begin))
            continue;
        struct ct_decl *iterator = iterator_of(node);
        bool moved = is_moved(outliner, pragma);
        if (iterator && text_has_word(pragma->text, "for"))
            set_private(outliner, iterator->name);
        if (moved)
            continue;
        read_private(outliner, pragma);
        if (!text_has_word(pragma->text, "parallel"))
            continue;
        outliner->in_region = true;
        for (size_t i = 0; i < outliner->passed_nr; i++)
            if (outliner->passed[i].storage.at >= node->begin)
                outliner->passed[i].is_private = true;
    }
}

/* Down to the loop, and through it. */
static void read_regions(struct outliner *outliner, const struct ct_node *node)
{
    const struct ct_node *loop = outliner->taken;
    bool around = node->begin <= loop->begin && node->end >= loop->end;
    bool inside = node->begin >= loop->begin && node->end <= loop->end;
    if (!around && !inside)
        return;
    if (around || node->kind == CT_FOR)
        read_region(outliner, node);
    for (size_t i = 0; i < node->child_nr; i++)
        read_regions(outliner, node->child[i]);
}

/* A reduction of the moved text is one over threads that meet there: a variable of the
 * new function would be each thread's own. */
static int check_reduction(const struct outliner *outliner,
                           const struct ir_pragma *pragma, struct error *err)
{
    struct clause_word word = {0};
    const char *at = pragma->text;
    int depth = 0;
    if (text_has_word(pragma->text, "parallel") || !text_has_word(pragma->text, "for"))
        return 0;
    while (next_word(&at, &depth, &word))
        if (is_one_of(word.clause, "reduction lastprivate") &&
            outline_named(outliner, word.word).nr)
            return outline_refuse(outliner, pragma->line, err,
                                  "the threads of the region around it share '%s' "
                                  "(%s); declare that before the function",
                                  word.word, word.clause);
    return 0;
}

/* The call of C++ that stands under a condition would leave out the barrier behind it. */
static int check_barrier(const struct outliner *outliner, const struct ir_pragma *pragma,
                         struct error *err)
{
    bool waits = text_has_word(pragma->text, "for") &&
                 !text_has_word(pragma->text, "parallel") &&
                 !text_has_word(pragma->text, "nowait");
    if (!outliner->access.guard || !waits)
        return 0;
    return outline_refuse(outliner, pragma->line, err,
                          "its threads wait for one another after it, also where an "
                          "array that an accessor gives is empty, so that its first "
                          "element cannot be asked for; add a method that gives its "
                          "data()");
}

int outline_sharing(struct outliner *outliner, struct error *err)
{
    const struct ir_pragma *pragma = outliner->file->all_pragma;
    read_regions(outliner, outliner->function->body);
    for (; pragma; pragma = pragma->next_all)
        if (is_openmp(pragma) && is_moved(outliner, pragma) &&
            (check_reduction(outliner, pragma, err) < 0 ||
             check_barrier(outliner, pragma, err) < 0))
            return -1;
    for (size_t i = 0; outliner->in_region && i < outliner->passed_nr; i++) {
        const struct passed *passed = &outliner->passed[i];
        if (passed->flow.is_written && !passed->is_private)
            return outline_refuse(
                outliner, passed->decl->line, err,
                "the threads of the region around it share '%s', which "
                "it changes; make that private or declare it before the function",
                passed->decl->name);
    }
    return 0;
}
