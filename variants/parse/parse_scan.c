/* The source as text: comments, semicolons, pragmas. */
#include <ctype.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "variants/parse/parse_parts.h"

static size_t skip_quoted(const char *source, size_t at, size_t end)
{
    char quote = source[at++];
    while (at < end && source[at] != quote && source[at] != '\n')
        at += source[at] == '\\' ? 2 : 1;
    return at < end ? at + 1 : end;
}

static size_t skip_comment(const char *source, size_t at, size_t end)
{
    bool line = source[at + 1] == '/';
    for (at += 2; at < end; at++) {
        if (line && source[at] == '\n' && source[at - 1] != '\\')
            return at;
        if (!line && source[at] == '/' && source[at - 1] == '*')
            return at + 1;
    }
    return end;
}

static bool is_comment(const char *source, size_t at, size_t end)
{
    return source[at] == '/' && at + 1 < end &&
           (source[at + 1] == '/' || source[at + 1] == '*');
}

size_t scan_piece(const char *source, size_t at, size_t end)
{
    if (is_comment(source, at, end))
        return skip_comment(source, at, end);
    if (source[at] == '"' || source[at] == '\'')
        return skip_quoted(source, at, end);
    return at + 1;
}

size_t scan_blank(const char *source, size_t at, size_t end)
{
    while (at < end &&
           (isspace((unsigned char)source[at]) || is_comment(source, at, end)))
        at = scan_piece(source, at, end);
    return at;
}

size_t scan_semicolon(const char *source, size_t at, size_t end)
{
    size_t next = scan_blank(source, at, end);
    return next < end && source[next] == ';' ? next + 1 : at;
}

size_t scan_call(const char *source, size_t at, size_t end)
{
    int depth = 0;
    for (; at < end; at = scan_piece(source, at, end)) {
        depth += source[at] == '(';
        if (source[at] == ')' && --depth == 0)
            return at + 1;
    }
    return end;
}

bool scan_for_head(const char *source, size_t at, size_t end, size_t semicolon[2])
{
    if (end - at < 3 || strncmp(source + at, "for", 3) != 0)
        return false;
    size_t found = 0;
    int depth = 0;
    for (at = scan_blank(source, at + 3, end); at < end && found < 2;
         at = scan_piece(source, at, end)) {
        if (strchr("([{", source[at]))
            depth++;
        if (strchr(")]}", source[at]) && --depth == 0)
            return false;
        if (source[at] == ';' && depth == 1)
            semicolon[found++] = at;
    }
    return found == 2;
}

/* ---- pragmas ---- */

size_t scan_directive(const char *source, size_t at, size_t end)
{
    while (at < end && source[at] != '\n') {
        bool joined = source[at] == '\\' && at + 1 < end;
        if (is_comment(source, at, end) && source[at + 1] == '*')
            at = skip_comment(source, at, end);
        else
            at += joined && source[at + 1] == '\r' ? 3 : joined ? 2 : 1;
    }
    return at < end ? at + 1 : end;
}

/* The words of a directive: lines joined, comments left out, no blanks at the end. */
static const char *directive_words(struct ir_arena *arena, const char *source, size_t at,
                                   size_t end)
{
    struct buf words = {0};
    while (at < end) {
        if (source[at] == '\\' && at + 1 < end &&
            isspace((unsigned char)source[at + 1])) {
            at += source[at + 1] == '\r' ? 3 : 2;
            continue;
        }
        size_t next = scan_piece(source, at, end);
        if (is_comment(source, at, end))
            buf_add(&words, " ");
        else
            buf_add_n(&words, source + at, next - at);
        at = next;
    }
    while (words.length > 0 && isspace((unsigned char)words.data[words.length - 1]))
        buf_truncate(&words, words.length - 1);
    const char *text = ir_text(arena, buf_str(&words));
    buf_release(&words);
    return text;
}

static bool is_skipped(const struct ct_file *file, size_t at)
{
    for (size_t i = 0; i < file->skipped_nr; i++)
        if (at >= file->skipped[i].begin && at < file->skipped[i].end)
            return true;
    return false;
}

/* Behind `word` when it stands at `at`, else 0. */
static size_t after_word(const char *source, size_t at, size_t end, const char *word)
{
    size_t length = strlen(word);
    if (end - at < length || strncmp(source + at, word, length) != 0)
        return 0;
    at += length;
    return at < end && (isalnum((unsigned char)source[at]) || source[at] == '_') ? 0 : at;
}

static size_t skip_spaces(const char *source, size_t at, size_t end)
{
    while (at < end && (source[at] == ' ' || source[at] == '\t'))
        at++;
    return at;
}

/* Length of the `#` there, also spelt `%:` or as a trigraph; 0 = it is none. */
static size_t hash_length(const char *source, size_t at, size_t end)
{
    static const char *const spelt[] = {"#", "%:", "?\?="};
    for (size_t i = 0; i < ARRAY_SIZE(spelt); i++)
        if (end - at >= strlen(spelt[i]) &&
            !strncmp(source + at, spelt[i], strlen(spelt[i])))
            return strlen(spelt[i]);
    return 0;
}

/* The directive whose '#' is at `hash`; NULL when it is no pragma. */
static struct ir_pragma *read_pragma(struct ir_arena *arena, const char *source,
                                     size_t hash, size_t end)
{
    size_t at = hash + hash_length(source, hash, end);
    size_t words = after_word(source, skip_spaces(source, at, end), end, "pragma");
    if (!words)
        return NULL;
    struct ir_pragma *pragma = ir_alloc(arena, sizeof(*pragma));
    words = skip_spaces(source, words, end);
    pragma->text = directive_words(arena, source, words, end);
    pragma->ours = after_word(source, words, end, "inflight") != 0;
    pragma->begin = hash;
    while (pragma->begin > 0 && source[pragma->begin - 1] != '\n')
        pragma->begin--;
    pragma->end = end;
    return pragma;
}

/* `_Pragma("omp simd")`; NULL when it does not stand at `at`. Never one of ours. */
static struct ir_pragma *read_operator(struct ir_arena *arena, const char *source,
                                       size_t at, size_t end)
{
    bool inside =
        at > 0 && (isalnum((unsigned char)source[at - 1]) || source[at - 1] == '_');
    size_t open = inside ? 0 : after_word(source, at, end, "_Pragma");
    if (!open)
        return NULL;
    open = scan_blank(source, open, end);
    size_t quote =
        open < end && source[open] == '(' ? scan_blank(source, open + 1, end) : end;
    if (quote >= end || source[quote] != '"')
        return NULL;
    size_t behind = skip_quoted(source, quote, end);
    size_t close = scan_blank(source, behind, end);
    struct buf words = {0};
    for (size_t i = quote + 1; i + 1 < behind; i++)
        if (source[i] != '\\' || source[++i])
            buf_add_n(&words, source + i, 1);
    struct ir_pragma *pragma = ir_alloc(arena, sizeof(*pragma));
    pragma->text = ir_text(arena, buf_str(&words));
    pragma->begin = at;
    pragma->end = close < end && source[close] == ')' ? close + 1 : behind;
    buf_release(&words);
    return pragma;
}

struct ir_pragma *scan_pragma(struct ir_arena *arena, const char *source, size_t at,
                              size_t end)
{
    return hash_length(source, at, end)
               ? read_pragma(arena, source, at, scan_directive(source, at, end))
               : read_operator(arena, source, at, end);
}

/* Of a macro, or of an included file. */
static struct ir_pragma *hidden_pragma(struct ir_arena *arena,
                                       const struct ct_pragma *hidden)
{
    struct ir_pragma *pragma = ir_alloc(arena, sizeof(*pragma));
    pragma->text = hidden->text ? hidden->text : "";
    pragma->macro = hidden->text ? NULL : hidden->name;
    pragma->begin = hidden->place.begin;
    pragma->end = hidden->place.end;
    return pragma;
}

struct ir_pragma *scan_pragmas(struct ir_arena *arena, const char *source, size_t length,
                               const struct ct_file *file)
{
    struct ir_pragma *first = NULL, **last = &first;
    bool at_line_start = true;
    size_t counted = 0, hidden = 0;
    int line = 1;
    for (size_t at = 0, next; at < length; at = next) {
        next = scan_piece(source, at, length);
        bool directive = at_line_start && hash_length(source, at, length);
        if (directive)
            next = scan_directive(source, at, length);
        struct ir_pragma *pragma = NULL;
        if (!is_skipped(file, at))
            pragma = directive ? read_pragma(arena, source, at, next)
                               : read_operator(arena, source, at, length);
        while (hidden < file->pragma_nr && file->pragma[hidden].place.begin < at)
            hidden++;
        if (!pragma && hidden < file->pragma_nr && file->pragma[hidden].place.begin == at)
            pragma = hidden_pragma(arena, &file->pragma[hidden]);
        if (pragma && !directive)
            next = pragma->end;
        for (; pragma && counted < at; counted++)
            line += source[counted] == '\n';
        if (pragma) {
            pragma->line = line;
            *last = pragma;
            last = &pragma->next_all;
        }
        if (directive || source[at] == '\n')
            at_line_start = true;
        else
            at_line_start = at_line_start && (isspace((unsigned char)source[at]) ||
                                              is_comment(source, at, length));
    }
    return first;
}
