/* What is to change in the user's file, as ranges with their new text, in his manner. */
#include "variants/emit/gen_edits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "variants/clang/clang.h"
#include "variants/emit/gen.h"
#include "variants/ir/spelling.h"
#include "variants/ir/sum.h"

struct edit *edits_add(struct edits *edits, size_t begin, size_t end, char *text)
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
    edits->item[at] = (struct edit){.begin = begin, .end = end, .text = text};
    edits->nr++;
    return &edits->item[at];
}

void edits_release(struct edits *edits)
{
    for (size_t i = 0; i < edits->nr; i++)
        free(edits->item[i].text);
    free(edits->item);
}

/* ---- text in the user's manner ---- */

enum { TAB = SPELT_TAB, LEVELS = 64 };

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

/* Of what stands first on its line; -1 where something stands before it. */
static int column_of(const struct ir_function *function, size_t at)
{
    size_t begin = line_begin(function->source, at);
    size_t blanks = strspn(function->source + begin, " \t");
    return begin + blanks == at ? spelt_columns(function->source + begin, blanks) : -1;
}

/* From a loop or branch of his to what is below it. */
static void learn(struct layout *layout, const struct ir_function *function,
                  const struct ir_stmt *stmt)
{
    const struct ir_stmt *body = stmt->child[0], *first = body;
    int own = column_of(function, stmt->begin);
    bool block = body->kind == IR_BLOCK && body->end > body->begin &&
                 function->source[body->begin] == '{';
    if (block)
        first = body->child_nr ? body->child[0] : NULL;
    int brace = block ? column_of(function, body->begin) : -1;
    int below =
        first && first->end > first->begin ? column_of(function, first->begin) : -1;
    if (own < 0 || stmt->from_macro || below <= own)
        return;
    layout->brace_below = layout->brace_below || brace >= 0;
    layout->brace_in = layout->brace_in || brace > own;
    layout->known = true;
    layout->width = brace > own ? brace - own : below - own;
}

static void learn_below(struct layout *layout, const struct ir_function *function,
                        const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    bool control = stmt->kind == IR_FOR || stmt->kind == IR_WHILE || stmt->kind == IR_IF;
    if (control && stmt->end > stmt->begin && stmt->child_nr && stmt->child[0] &&
        !stmt->is_do) {
        const char *word = function->source + stmt->begin;
        if (!layout->known && !stmt->from_macro)
            layout->joined = word[strspn(word, "forwhilef")] == '(';
        learn(layout, function, stmt);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        learn_below(layout, function, stmt->child[i]);
}

/* Do his lines begin with a tab, and do some begin with blanks? */
static void learn_tabs(const struct ir_function *function, bool *tabs, bool *blanks)
{
    const char *end = function->source + function->body_end;
    const char *at = function->source + function->body_begin;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        *tabs = *tabs || *at == '\t';
        *blanks = *blanks || (at[0] == ' ' && at[1] == ' ');
    }
}

struct layout layout_of(const struct ir_function *function, const struct ir_stmt *stmt)
{
    struct layout layout = {0};
    bool tabs = false, blanks = false;
    if (stmt)
        learn_below(&layout, function, stmt);
    if (!layout.known)
        learn_below(&layout, function, function->body);
    learn_tabs(function, &tabs, &blanks);
    if (layout.width <= 0 || layout.width > TAB)
        layout.width = 4;
    if (tabs)
        layout.tabs = blanks && layout.width < TAB ? TABS_FOR_EIGHT : TABS_ALONE;
    return layout;
}

/* So many levels and blanks beyond the margin. */
static void add_margin(struct buf *out, const struct layout *layout, const char *margin,
                       int levels, int blanks)
{
    int column = spelt_columns(margin, strlen(margin)) + levels * layout->width + blanks;
    switch (layout->tabs) {
    case TABS_NONE:
        buf_addf(out, "%s%*s", margin, levels * layout->width + blanks, "");
        break;
    case TABS_ALONE:
        buf_add(out, margin);
        for (int i = 0; i < levels + blanks / TAB; i++)
            buf_add(out, "\t");
        buf_add_repeat(out, ' ', (size_t)(blanks % TAB));
        break;
    case TABS_FOR_EIGHT:
        for (int i = 0; i < column / TAB; i++)
            buf_add(out, "\t");
        buf_add_repeat(out, ' ', (size_t)(column % TAB));
    }
}

void layout_add_margin(struct buf *out, const struct layout *layout, const char *margin,
                       int levels)
{
    add_margin(out, layout, margin, levels, 0);
}

/* Lines of ours, four blanks a level, become his. */
struct lines {
    struct buf *out;
    const struct layout *layout;
    const char *margin;
    bool first;
    int level[LEVELS], brace[LEVELS]; /* where lines and braces of ours stand, in his */
    int last;
};

static void begin_line(struct lines *lines, int levels, int blanks)
{
    if (!lines->first) {
        buf_add(lines->out, "\n");
        add_margin(lines->out, lines->layout, lines->margin, levels, blanks);
    }
    lines->first = false;
}

static void add_words(struct lines *lines, const char *text, size_t length)
{
    static const char *const words[] = {"for (", "if (", "while ("};
    for (size_t i = 0; lines->layout->joined && i < ARRAY_SIZE(words); i++) {
        size_t word = strlen(words[i]) - 2;
        if (length > word && !strncmp(text, words[i], word + 2)) {
            buf_add_n(lines->out, text, word);
            text += word + 1;
            length -= word + 1;
        }
    }
    buf_add_n(lines->out, text, length);
}

/* The brace behind a head at that level, and where it has what it encloses. */
static void open_brace(struct lines *lines, int level, bool alone)
{
    const struct layout *layout = lines->layout;
    int in = layout->brace_in && !alone;
    lines->brace[level] = lines->level[level] + in;
    if (level + 1 < LEVELS)
        lines->level[level + 1] = lines->brace[level] + 1;
    if (layout->brace_below && !alone)
        begin_line(lines, lines->brace[level], 0);
    buf_add(lines->out, layout->brace_below || alone ? "{" : " {");
}

static void add_own_line(struct lines *lines, const char *text, size_t length, int level,
                         int blanks)
{
    bool opens = length >= 2 && !strncmp(text + length - 2, " {", 2);
    bool closes = *text == '}', alone = length == 1 && *text == '{';
    if (*text == '#') {
        begin_line(lines, lines->level[level], blanks);
        buf_add_n(lines->out, text, length);
        return;
    }
    if (level > lines->last + 1)
        lines->level[level] = lines->level[lines->last] + level - lines->last;
    lines->last = level;
    if (closes) {
        begin_line(lines, lines->brace[level], 0);
        if (opens && lines->layout->brace_below) { /* } else { */
            buf_add(lines->out, "}");
            text += 2;
            length -= 2;
            begin_line(lines, lines->level[level], 0);
        }
    } else
        begin_line(lines, lines->level[level], blanks);
    add_words(lines, text, alone ? 0 : length - (opens ? 2 : 0));
    if (opens || alone)
        open_brace(lines, level, alone);
    else if (level + 1 < LEVELS && !closes)
        lines->level[level + 1] = lines->level[level] + 1;
}

/* His own, behind the margin of our last line or that which stands before it, or empty; a
 * head that goes over several lines of ours ends in " {". */
static void add_spelt_line(struct lines *lines, const char *text, size_t length,
                           int level)
{
    int blanks = (int)strspn(text, " ");
    bool opens = length >= 2 && text[length - 1] == SPELT_LINE;
    if (length == 0) {
        buf_add(lines->out, "\n");
        return;
    }
    if (level > lines->last + 1)
        lines->level[level] = lines->level[lines->last] + level - lines->last;
    lines->last = level;
    begin_line(lines, lines->level[level], blanks);
    buf_add_n(lines->out, text + blanks, length - (size_t)blanks - (opens ? 3 : 0));
    if (opens)
        open_brace(lines, level, false);
}

void layout_add_lines(struct buf *out, const struct layout *layout, const char *margin,
                      const char *text)
{
    struct lines lines = {.out = out, .layout = layout, .margin = margin, .first = true};
    for (int i = 0; i < LEVELS; i++)
        lines.level[i] = lines.brace[i] = i;
    while (*text) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " ");
        int level = (int)blanks / 4 < LEVELS - 1 ? (int)blanks / 4 : LEVELS - 2;
        const char *words = text + blanks;
        bool marked = length > blanks && words[length - blanks - 1] == SPELT_LINE;
        if (*words == SPELT_LINE)
            add_spelt_line(&lines, words + 1, length - blanks - 1,
                           blanks ? level : lines.last);
        else if (length > blanks) /* a head that would not go over several lines */
            add_own_line(&lines, words, length - blanks - marked, level, (int)blanks % 4);
        text += length + (text[length] == '\n');
    }
}

/* ---- the file ---- */

size_t head_start(const struct ir_function *function)
{
    const char *source = function->source;
    size_t line = line_begin(source, function->begin), end = function->begin;
    while (end > line && strchr(" \t", source[end - 1]))
        end--;
    /* of `extern "C"` and of attributes nothing may be parted */
    return end > line && strchr("};/", source[end - 1]) ? function->begin : line;
}

/* Before the comment and the pragmas that belong to the function. */
static size_t comment_start(const struct ir_function *function)
{
    const char *source = function->source;
    size_t at = head_start(function);
    if (at != line_begin(source, at))
        return at;
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

void edits_add_lines(struct edits *edits, const struct ir_function *function, size_t at,
                     const char *text)
{
    const char *source = function->source;
    size_t behind = at + strspn(source + at, " \t");
    bool first = !*text || at == line_begin(source, at) || at == ir_mark_bytes(source);
    bool last = !*text || text[strlen(text) - 1] == '\n' || !source[behind] ||
                strchr("\r\n/", source[behind]); /* a comment may stand behind #endif */
    edits_add(edits, at, at,
              xasprintf("%s%s%s", first ? "" : "\n", text, last ? "" : "\n"));
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

/* What follows a change has its number again, where something asks for it. */
static void add_line_number(struct buf *out, const struct ir_function *function,
                            size_t at, bool carriage)
{
    const char *source = function->source, *end = carriage ? "\r\n" : "\n";
    int line = 1 + text_line_ends(source, at);
    bool begins = !out->length || buf_str(out)[out->length - 1] == '\n';
    bool ends = source[at] == '\n' || (source[at] == '\r' && source[at + 1] == '\n');
    buf_addf(out, "%s#line %d%s", begins ? "" : end, line + (ends && !begins),
             ends && !begins ? "" : end);
}

struct ct_change *edits_splice(const struct model *model, const struct edits *edits,
                               struct buf *out)
{
    const struct ir_function *function = model->function;
    struct ct_change *now = xcalloc(edits->nr + 1, sizeof(*now));
    size_t at = 0;
    bool carriage = ends_with_carriage_return(function->source);
    bool moved = function->placed_end > 0; /* by what is said at the file's begin */
    for (size_t i = 0; i < edits->nr; i++) {
        const struct edit *edit = &edits->item[i];
        bool apart = i + 1 == edits->nr || edits->item[i + 1].begin > edit->end;
        if (edit->begin > at)
            buf_add_n(out, function->source + at, edit->begin - at);
        now[i] = (struct ct_change){.begin = edit->begin,
                                    .end = edit->end,
                                    .now_begin = out->length,
                                    .is_size = edit->is_size};
        add_spelt(out, function, edit->text, carriage);
        moved = moved || text_line_ends(edit->text, strlen(edit->text)) !=
                             text_line_ends(function->source + edit->begin,
                                            edit->end - edit->begin);
        if (moved && apart && edit->end < function->placed_end) {
            add_line_number(out, function, edit->end, carriage);
            moved = false;
        }
        now[i].now_end = out->length;
        at = edit->end;
    }
    buf_add_n(out, function->source + at, function->source_length - at);
    return now;
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

char *nest_original_shifted(const struct nest *nest, const struct layout *layout,
                            int levels)
{
    char *text = original(nest);
    struct buf out = {0};
    levels *= layout->brace_in ? 2 : 1;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), blanks = strspn(at, " \t");
        bool blank = blanks + strspn(at + blanks, "\r") == length;
        if (at != text && length && *at != '#' && !blank) {
            char *own = xstrndup(at, blanks);
            add_margin(&out, layout, own, levels, 0);
            free(own);
            buf_add_n(&out, at + blanks, length - blanks);
        } else
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
                        simple ? "" : ")", padding->elements))
        ->is_size = true;
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
