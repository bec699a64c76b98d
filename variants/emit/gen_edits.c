/* What is to change in the user's file, as ranges with their new text, in his manner. */
#include "variants/emit/gen_edits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/clang/clang.h"
#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

void edits_add(struct edits *edits, size_t begin, size_t end, char *text)
{
    size_t at = edits->nr;
    GROW(edits->item, edits->nr + 1, edits->alloc);
    /* What is put in goes before what is taken out at the same place. */
    while (at > 0 && (edits->item[at - 1].begin > begin ||
                      (edits->item[at - 1].begin == begin && begin == end &&
                       edits->item[at - 1].end > begin)))
        at--;
    memmove(&edits->item[at + 1], &edits->item[at],
            (edits->nr - at) * sizeof(edits->item[0]));
    edits->item[at] = (struct edit){begin, end, text};
    edits->nr++;
}

void edits_release(struct edits *edits)
{
    for (size_t i = 0; i < edits->nr; i++)
        free(edits->item[i].text);
    free(edits->item);
}

/* ---- text in the user's manner: his margin, tabs where he has them ---- */

size_t line_begin(const char *source, size_t at)
{
    while (at > 0 && source[at - 1] != '\n')
        at--;
    return at;
}

char *margin_of(const char *source, size_t at)
{
    size_t begin = line_begin(source, at), end = begin;
    while (source[end] == ' ' || source[end] == '\t')
        end++;
    return xstrndup(source + begin, end < at ? end - begin : at - begin);
}

bool uses_tabs(const struct ir_function *function)
{
    return memchr(function->source + function->body_begin, '\t',
                  function->body_end - function->body_begin) &&
           strstr(function->source + function->body_begin, "\n\t");
}

/* Our four spaces per level as he would write them, behind his margin; the first line
 * stands where the nest stood. */
void edits_add_lines(struct buf *out, const char *text, const char *margin, bool tabs)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        if (!first)
            buf_add(out, margin);
        for (size_t i = 0; i < blanks / 4; i++)
            buf_add(out, tabs ? "\t" : "    ");
        buf_add_repeat(out, ' ', blanks % 4);
        buf_add_n(out, text + blanks, length - blanks);
        text += length + (text[length] == '\n');
        if (*text)
            buf_add(out, "\n");
    }
}

/* ---- the file ---- */

/* Before the comment and the pragmas that belong to the function. */
static size_t comment_start(const struct ir_function *function)
{
    const char *source = function->source;
    size_t at = line_begin(source, function->begin);
    while (at > 0) {
        size_t before = line_begin(source, at - 1);
        const char *line = source + before + strspn(source + before, " \t");
        if (*line != '#' || strncmp(line + 1 + strspn(line + 1, " \t"), "pragma", 6))
            break;
        at = before;
    }
    size_t end = at - (at > 0) - (at > 1 && source[at - 2] == '\r');
    if (end < 2 || memcmp(source + end - 2, "*/", 2))
        return at;
    for (size_t begin = end - 2; begin > 0; begin--)
        if (!memcmp(source + begin - 1, "/*", 2))
            return line_begin(source, begin - 1);
    return at;
}

size_t function_start(const struct ir_function *function)
{
    size_t at = comment_start(function), mark = ir_mark_bytes(function->source);
    return at > mark ? at : mark;
}

static bool ends_with_carriage_return(const char *source)
{
    const char *end = strchr(source, '\n');
    return end && end > source && end[-1] == '\r';
}

/* New lines end as those of the file do. */
static void add_new(struct buf *out, const char *text, bool carriage)
{
    for (const char *at = text; carriage && *at; at++)
        buf_addf(out, "%s%c", *at == '\n' && (at == text || at[-1] != '\r') ? "\r" : "",
                 *at);
    buf_add(out, carriage ? "" : text);
}

static void add_spelt(struct buf *out, const struct ir_function *function,
                      const char *text, bool carriage)
{
    char *spelt = function->is_cplusplus ? cxx_spelling(text) : NULL;
    add_new(out, spelt ? spelt : text, carriage);
    free(spelt);
}

void edits_splice(const struct model *model, const struct edits *edits, struct buf *out)
{
    const struct ir_function *function = model->function;
    size_t at = 0;
    bool carriage = ends_with_carriage_return(function->source);
    for (size_t i = 0; i < edits->nr; i++) {
        buf_add_n(out, function->source + at, edits->item[i].begin - at);
        add_spelt(out, function, edits->item[i].text, carriage);
        at = edits->item[i].end;
    }
    buf_add_n(out, function->source + at, function->source_length - at);
}

/* The original text of a nest without our pragmas. */
static char *original(const struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    struct buf text = {0};
    size_t at = nest->stmt->begin;
    for (const struct ir_pragma *pragma = function->all_pragma; pragma;
         pragma = pragma->next_all) {
        if (!pragma->ours || pragma->begin < at || pragma->end > nest->stmt->end)
            continue;
        buf_add_n(&text, function->source + at,
                  line_begin(function->source, pragma->begin) - at);
        at = pragma->end;
    }
    buf_add_n(&text, function->source + at, nest->stmt->end - at);
    return buf_detach(&text);
}

char *nest_original_shifted(const struct nest *nest, bool tabs)
{
    char *text = original(nest);
    struct buf out = {0};
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        bool blank = strspn(at, " \t\r") == length;
        if (at != text && length && *at != '#' && !blank)
            buf_add(&out, tabs ? "\t" : "    ");
        buf_add_n(&out, at, length);
        at += length;
        if (*at) {
            buf_add(&out, "\n");
            at++;
        }
    }
    free(text);
    return buf_detach(&out);
}

/* Longer rows of local arrays: only the declaration changes. */
static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the ']' that belongs to the '[' at `at`; NULL when there is none. */
static const char *behind_bracket(const char *at, const char *end)
{
    int open = 0;
    for (; at < end; at++) {
        open += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (!open)
            return at + 1;
    }
    return NULL;
}

/* The text between the last brackets of "name[...][...]" in [at, end). */
static bool last_dimension(const char *at, const char *end,
                           const struct ir_symbol *symbol, const char **first,
                           const char **last)
{
    size_t length = strlen(symbol->name);
    for (; at + length < end; at++)
        if (!strncmp(at, symbol->name, length) && !is_word_char(at[-1]) &&
            !is_word_char(at[length]))
            break;
    at += length;
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at >= end || *at != '[')
            return false;
        *first = at + 1;
        at = behind_bracket(at, end);
        if (!at)
            return false;
        *last = at - 1;
    }
    return true;
}

static bool is_simple(const char *first, const char *last)
{
    for (; first < last; first++)
        if (!is_word_char(*first) && !strchr(" +-*()", *first))
            return false;
    return true;
}

static int pad_one(const struct model *model, const struct padding *padding,
                   struct edits *edits, struct error *err)
{
    const struct ir_function *function = model->function;
    const struct ir_stmt *stmt = stmt_find(function->body, declares, padding->array);
    const char *first = NULL, *last = NULL, *source = function->source;
    if (!last_dimension(source + stmt->begin, source + stmt->end, padding->array, &first,
                        &last))
        return fail(
            err, STATUS_ILLEGAL,
            "'%s' cannot be padded: its declaration at line %d comes from a macro",
            padding->array->name, stmt->line);
    bool simple = is_simple(first, last);
    edits_add(edits, (size_t)(first - source), (size_t)(last - source),
              xasprintf("%s%.*s%s + %lld", simple ? "" : "(", (int)(last - first), first,
                        simple ? "" : ")", padding->elements));
    return 0;
}

static bool is_inside(const struct model *model, const struct ir_symbol *symbol)
{
    const struct ir_stmt *stmt = stmt_find(model->function->body, declares, symbol);
    for (size_t i = 0; i < model->nest_nr; i++)
        if (model->nest[i]->stmt->begin <= stmt->begin &&
            stmt->end <= model->nest[i]->stmt->end)
            return true;
    return false;
}

/* Declarations outside of all nests, once each. */
int gen_paddings(const struct model *model, const struct work *works, struct edits *edits,
                 struct error *err)
{
    struct {
        const struct ir_symbol *symbol[DEPTH_MAX * 4];
        size_t nr;
    } done = {.nr = 0};
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].padding_nr; k++) {
            const struct padding *padding = &works[i].padding[k];
            bool known = is_inside(model, padding->array);
            for (size_t n = 0; n < done.nr; n++)
                known = known || done.symbol[n] == padding->array;
            if (known || done.nr == ARRAY_SIZE(done.symbol))
                continue;
            done.symbol[done.nr++] = padding->array;
            if (pad_one(model, padding, edits, err))
                return -1;
        }
    return 0;
}

static struct ir_symbol *longer(struct gen *gen, const struct padding *padding)
{
    struct ir_symbol *symbol = ir_alloc(gen->arena, sizeof(*symbol));
    *symbol = *padding->array;
    symbol->dim = ir_alloc(gen->arena, symbol->dim_nr * sizeof(*symbol->dim));
    for (size_t i = 0; i < symbol->dim_nr; i++)
        symbol->dim[i] = padding->array->dim[i];
    struct ir_expr **last = &symbol->dim[symbol->dim_nr - 1];
    *last = expr_plus(gen->arena, ir_copy(gen->arena, *last), padding->elements);
    return symbol;
}

static void swap_symbol(struct gen *gen, struct code *code, struct ir_symbol *from,
                        struct ir_expr *to)
{
    if (code->stmt)
        code->stmt = stmt_substitute(gen->arena, code->stmt, &from, &to, 1);
    for (size_t i = 0; i < code->child_nr; i++)
        swap_symbol(gen, code->child[i], from, to);
}

/* Declarations that are part of the new code. */
void gen_pads(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < gen->work->padding_nr; i++) {
        const struct padding *padding = &gen->work->padding[i];
        if (is_inside(gen->model, padding->array))
            swap_symbol(gen, code, padding->array,
                        ir_name(gen->arena, longer(gen, padding)));
    }
}
