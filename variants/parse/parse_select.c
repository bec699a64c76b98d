/* Which function of the file is meant. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/parse/parse_parts.h"

typedef bool wanted_function(const struct parse *p, const struct ct_function *function);

static void list_functions(const struct parse *p, wanted_function *wanted,
                           struct buf *out)
{
    for (size_t i = 0; i < p->file.function_nr; i++) {
        const struct ct_function *function = &p->file.function[i];
        if (!wanted || wanted(p, function))
            buf_addf(out, "%s'%s' (line %d)", out->length ? ", " : "",
                     function->qualified, function->line);
    }
}

static size_t count_functions(const struct parse *p, wanted_function *wanted,
                              struct ct_function **last)
{
    size_t nr = 0;
    for (size_t i = 0; i < p->file.function_nr; i++)
        if (wanted(p, &p->file.function[i])) {
            *last = &p->file.function[i];
            nr++;
        }
    return nr;
}

bool parse_applies(const struct ct_file *file, const struct ct_function *function,
                   const struct ir_pragma *pragma)
{
    size_t above = function > file->function ? function[-1].end : 0;
    return pragma->ours && pragma->begin >= above && pragma->end <= function->end;
}

static bool is_marked(const struct parse *p, const struct ct_function *function)
{
    const struct ir_pragma *pragma = p->function->all_pragma;
    for (; pragma; pragma = pragma->next_all) {
        const char *words = pragma->text + strcspn(pragma->text, " \t");
        words += strspn(words, " \t");
        if (parse_applies(&p->file, function, pragma) && strcmp(words, "kernel") == 0)
            return true;
    }
    return false;
}

static bool has_loop(const struct parse *p, const struct ct_function *function)
{
    (void)p;
    return function->has_loop && !function->trouble.text;
}

/* If only to say why it is not read. */
static bool has_any_loop(const struct parse *p, const struct ct_function *function)
{
    (void)p;
    return function->has_loop || function->has_error;
}

static struct ct_function *fail_listing(const struct parse *p, wanted_function *wanted,
                                        struct error *err, const char *problem,
                                        const char *remedy)
{
    struct buf list = {0};
    list_functions(p, wanted, &list);
    fail(err, STATUS_INPUT, "%s: %s: %s%s", p->function->path, problem, buf_str(&list),
         remedy);
    buf_release(&list);
    return NULL;
}

/* "scale", "Matrix::scale", "ns::Matrix::scale", and these with the types behind them. */
static bool is_called(const struct ct_function *function, const char *name)
{
    const char *const texts[] = {function->qualified, function->full};
    size_t wanted = strlen(name);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        size_t length = strlen(texts[i]);
        if (length < wanted || strcmp(texts[i] + length - wanted, name) != 0)
            continue;
        const char *before = texts[i] + length - wanted;
        if (before == texts[i] || (before - texts[i] >= 2 && before[-1] == ':'))
            return true;
    }
    return false;
}

/* The only one with just this name. */
static struct ct_function *by_whole_name(const struct parse *p, const char *name)
{
    struct ct_function *found = NULL;
    size_t nr = 0;
    for (size_t i = 0; i < p->file.function_nr; i++) {
        struct ct_function *function = &p->file.function[i];
        if (strcmp(function->qualified, name) != 0 && strcmp(function->full, name) != 0)
            continue;
        found = function;
        nr++;
    }
    return nr == 1 ? found : NULL;
}

/* The nearest of several; of one it is plain. */
static const char *meant_function(const struct parse *p, const char *name)
{
    const char **names = xcalloc(p->file.function_nr + 1, sizeof(*names));
    for (size_t i = 0; i < p->file.function_nr; i++)
        names[i] = p->file.function[i].qualified;
    const char *meant =
        p->file.function_nr > 1 ? nearest_word(name, names, p->file.function_nr) : NULL;
    free(names);
    return meant;
}

/* Where what is not found stands, and what to do; "" = nobody knows. */
static const char *where_else(const struct parse *p, const char *name, int line)
{
    struct ct_elsewhere at = ct_find_elsewhere(&p->file, name, line);
    if (!at.name)
        return "";
    return at.path ? ir_textf(p->arena,
                              "; '%s' stands in the header %s, line %d: name that file",
                              at.name, at.path, at.line)
                   : ir_textf(p->arena,
                              "; '%s' comes out of a macro at line %d: to have it read, "
                              "write it out",
                              at.name, at.line);
}

static struct ct_function *by_name(const struct parse *p, const char *name,
                                   struct error *err)
{
    size_t nr = 0;
    struct ct_function *found = by_whole_name(p, name);
    if (found)
        return found;
    for (size_t i = 0; i < p->file.function_nr; i++)
        if (is_called(&p->file.function[i], name)) {
            found = &p->file.function[i];
            nr++;
        }
    if (nr == 1)
        return found;
    const char *problem = ir_textf(p->arena,
                                   nr ? "several functions are called '%s'; there are"
                                      : "no function '%s' is defined here; there are",
                                   name);
    const char *where = nr ? "" : where_else(p, name, 0);
    const char *meant = nr || *where ? NULL : meant_function(p, name);
    return fail_listing(p, NULL, err, problem,
                        nr      ? "; give one by its line, FILE:LINE"
                        : meant ? ir_textf(p->arena, "; did you mean '%s'?", meant)
                                : where);
}

static struct ct_function *by_line(const struct parse *p, int line, struct error *err)
{
    for (size_t i = 0; i < p->file.function_nr; i++)
        if (line >= p->file.function[i].line && line <= p->file.function[i].end_line)
            return &p->file.function[i];
    const char *problem =
        ir_textf(p->arena, "line %d is in no function; there are", line);
    return fail_listing(p, NULL, err, problem, where_else(p, NULL, line));
}

struct ct_function *parse_select(const struct parse *p, int line, const char *name,
                                 struct error *err)
{
    static const char choose[] = "; name one with --function";
    struct ct_function *function = NULL;
    if (p->file.function_nr == 0) {
        fail(err, STATUS_INPUT,
             "%s: no function is defined here; those that a macro or a header defines "
             "are not read%s",
             p->function->path, where_else(p, name, line));
        return NULL;
    }
    if (name)
        return by_name(p, name, err);
    if (line > 0)
        return by_line(p, line, err);
    size_t marked = count_functions(p, is_marked, &function);
    if (marked > 1)
        return fail_listing(p, is_marked, err,
                            "several functions are marked '#pragma inflight kernel'",
                            choose);
    size_t loops = marked ? 1 : count_functions(p, has_loop, &function);
    if (loops == 0 && count_functions(p, has_any_loop, &function) == 1)
        return function;
    if (loops > 1)
        return fail_listing(p, has_loop, err, "several functions have a loop",
                            "; name one with --function or put '#pragma inflight kernel' "
                            "before it");
    if (loops == 0 && p->file.error) { /* which libclang may have lost */
        fail(err, STATUS_INPUT, "%s", p->file.error);
        return NULL;
    }
    if (loops == 0)
        return fail_listing(p, NULL, err, "no function has a loop; there are",
                            where_else(p, NULL, 0));
    return function;
}
