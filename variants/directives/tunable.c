/* From the words about tunables to places in the file, and to the file with other values.
 */
#include "variants/directives/tunable.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- find ---- */

/* The definition of a constant in a C text: by token, so that comments, strings and other
 * names that contain it do not count. */

/* ---- tokens ---- */

enum token_kind { END, WORD, TEXT, MARK };

struct token {
    enum token_kind kind;
    size_t begin, end;
    int line;
    bool starts_line; /* first of its line: a `#` there begins a directive */
};

struct scan {
    const char *text;
    size_t at, length;
    int line;
    bool fresh; /* nothing stood in this line yet */
};

static char peek(const struct scan *scan, size_t ahead)
{
    return scan->at + ahead < scan->length ? scan->text[scan->at + ahead] : 0;
}

static bool skip_comment(struct scan *scan)
{
    if (peek(scan, 0) != '/' || (peek(scan, 1) != '/' && peek(scan, 1) != '*'))
        return false;
    bool block = peek(scan, 1) == '*';
    for (scan->at += 2; scan->at < scan->length; scan->at++) {
        if (block && peek(scan, 0) == '*' && peek(scan, 1) == '/') {
            scan->at += 2;
            break;
        }
        if (!block && peek(scan, 0) == '\n')
            break;
        scan->line += peek(scan, 0) == '\n';
    }
    return true;
}

/* Blanks, comments and lines that go on. */
static void skip_blank(struct scan *scan)
{
    while (scan->at < scan->length) {
        if (peek(scan, 0) == '\\' && peek(scan, 1) == '\n') {
            scan->at += 2;
            scan->line++;
        } else if (isspace((unsigned char)peek(scan, 0))) {
            scan->fresh = scan->fresh || peek(scan, 0) == '\n';
            scan->line += peek(scan, 0) == '\n';
            scan->at++;
        } else if (!skip_comment(scan)) {
            return;
        }
    }
}

static void skip_string(struct scan *scan)
{
    char quote = peek(scan, 0);
    for (scan->at++; scan->at < scan->length && peek(scan, 0) != quote; scan->at++) {
        if (peek(scan, 0) == '\n') /* not closed: as the preprocessor has it */
            return;
        if (peek(scan, 0) == '\\')
            scan->at++;
    }
    scan->at += scan->at < scan->length;
}

static struct token next_token(struct scan *scan)
{
    struct token token = {0};
    skip_blank(scan);
    token.begin = scan->at;
    token.line = scan->line;
    token.starts_line = scan->fresh;
    scan->fresh = false;
    if (scan->at >= scan->length) {
        token.kind = END;
    } else if (is_word_char(peek(scan, 0))) {
        token.kind = WORD;
        while (is_word_char(peek(scan, 0)))
            scan->at++;
    } else if (peek(scan, 0) == '"' || peek(scan, 0) == '\'') {
        token.kind = TEXT;
        skip_string(scan);
    } else {
        token.kind = MARK;
        scan->at += peek(scan, 1) == '=' && strchr("=!<>+-*/%&|^", peek(scan, 0)) ? 2 : 1;
    }
    token.end = scan->at;
    return token;
}

static bool is(const struct scan *scan, const struct token *token, const char *text)
{
    size_t length = strlen(text);
    return token->end - token->begin == length &&
           !memcmp(scan->text + token->begin, text, length);
}

/* The next token when it stands in the same line, else nothing is taken. */
static bool next_in_line(struct scan *scan, struct token *token)
{
    struct scan before = *scan;
    *token = next_token(scan);
    if (token->kind != END && !token->starts_line)
        return true;
    *scan = before;
    return false;
}

static void skip_line(struct scan *scan)
{
    struct token ignored;
    while (next_in_line(scan, &ignored))
        ;
}

/* ---- what is found ---- */

struct finding {
    struct scan scan;
    const char *path, *name;
    size_t from, to;
    struct tunable_place place;
    size_t nr;         /* definitions */
    int first_line;    /* of the first one, for the message */
    bool in_function;  /* the present one is a constant of the kernel's function */
    bool guarded;      /* `#ifndef NAME` was seen */
    int other_line;    /* where the name is defined as something else */
    const char *other; /* as what */
    bool is_constant;  /* const since the last ; { } */
    bool pending_enum; /* `enum` and no { yet */
    bool in_enum;
    bool is_pointer; /* a * since the last comma */
    bool after_word; /* the token before was a word: a type */
    struct error *err;
};

static void note_other(struct finding *finding, const struct token *token,
                       const char *what)
{
    if (finding->other_line)
        return;
    finding->other_line = token->line;
    finding->other = what;
}

/* 32, 0x20, 32UL, (32), and constant expressions of numbers. */
static int read_number(struct finding *finding, struct tunable_place *place)
{
    char *text = xstrndup(finding->scan.text + place->begin, place->end - place->begin);
    char *from = text, *end;
    size_t length = strlen(text);
    struct directive_number number = {0};
    int status = 0;
    while (*from == '(' && length && text[length - 1] == ')') {
        from++;
        text[--length] = 0;
    }
    errno = 0;
    place->now = strtoll(from, &end, 0);
    size_t suffix = strspn(end, "uUlL");
    place->suffix = "";
    if (end > from && !errno && !end[suffix]) {
        bool is_long = strpbrk(end, "lL"), is_unsigned = strpbrk(end, "uU");
        place->suffix = is_unsigned ? is_long ? "UL" : "U" : is_long ? "L" : "";
    } else {
        free(text);
        text = xstrndup(finding->scan.text + place->begin, place->end - place->begin);
        status = directive_eval(text, NULL, NULL, &number, NULL) || !number.is_integer;
        place->now = number.integer;
    }
    if (status)
        fail(finding->err, STATUS_INPUT,
             "%s:%d: the value '%.60s' of '%s' is not a number that can be changed; "
             "write a "
             "plain integer such as 32",
             finding->path, place->line, text, finding->name);
    free(text);
    return status ? -1 : 0;
}

static int take_place(struct finding *finding, struct tunable_place place,
                      bool in_function)
{
    if (read_number(finding, &place))
        return -1;
    if (finding->nr && in_function && !finding->in_function)
        finding->nr = 0;
    else if (finding->nr && !in_function && finding->in_function)
        return 0;
    if (!finding->nr++) {
        finding->place = place;
        finding->first_line = place.line;
        finding->in_function = in_function;
        return 0;
    }
    return fail(finding->err, STATUS_INPUT,
                "%s: '%s' is defined twice, in lines %d and %d; a tunable has one "
                "definition",
                finding->path, finding->name, finding->first_line, place.line);
}

static int take_macro(struct finding *finding)
{
    struct scan *scan = &finding->scan;
    struct token name, token;
    if (!next_in_line(scan, &name) || !is(scan, &name, finding->name))
        return 0;
    if (peek(scan, 0) == '(') {
        note_other(finding, &name, "a macro with arguments");
        return 0;
    }
    struct tunable_place place = {
        .line = name.line, .guarded = finding->guarded, .macro = true};
    while (next_in_line(scan, &token)) {
        place.begin = place.begin ? place.begin : token.begin;
        place.end = token.end;
    }
    if (!place.end) {
        note_other(finding, &name, "a macro without a value");
        return 0;
    }
    return take_place(finding, place, false);
}

/* `#ifndef NAME`, `#if !defined(NAME)`: the name stands behind them. */
static void note_guard(struct finding *finding)
{
    struct token token;
    bool negated = false;
    while (next_in_line(&finding->scan, &token)) {
        negated = negated || is(&finding->scan, &token, "!");
        finding->guarded =
            finding->guarded || (negated && is(&finding->scan, &token, finding->name));
    }
}

static int take_directive(struct finding *finding)
{
    struct scan *scan = &finding->scan;
    struct token word;
    int status = 0;
    if (!next_in_line(scan, &word))
        return 0;
    if (is(scan, &word, "define"))
        status = take_macro(finding);
    else if (is(scan, &word, "if"))
        note_guard(finding);
    else if (is(scan, &word, "ifndef") && next_in_line(scan, &word))
        finding->guarded = finding->guarded || is(scan, &word, finding->name);
    skip_line(scan);
    return status;
}

/* Up to the comma, semicolon or brace that ends the value; none of it is taken. */
static void value_extent(struct scan scan, struct tunable_place *place)
{
    int depth = 0;
    for (;;) {
        struct token token = next_token(&scan);
        bool ends = token.kind == END ||
                    (depth == 0 && (is(&scan, &token, ",") || is(&scan, &token, ";") ||
                                    is(&scan, &token, "}")));
        if (ends)
            return;
        depth += is(&scan, &token, "(") || is(&scan, &token, "{");
        depth -= is(&scan, &token, ")") || is(&scan, &token, "}");
        place->begin = place->begin ? place->begin : token.begin;
        place->end = token.end;
    }
}

/* `NAME =` of an enumerator or of a declaration. */
static int take_constant(struct finding *finding, const struct token *name)
{
    struct scan after = finding->scan;
    struct token equals = next_token(&after);
    struct tunable_place place = {.line = name->line};
    if (!is(&after, &equals, "=")) {
        if (finding->in_enum)
            note_other(finding, name, "an enumerator without a value of its own");
        return 0;
    }
    if (!finding->in_enum && (!finding->is_constant || finding->is_pointer)) {
        if (finding->after_word)
            note_other(finding, name, "a variable that is not const");
        return 0;
    }
    value_extent(after, &place);
    bool inside = name->begin >= finding->from && name->begin < finding->to;
    return place.end ? take_place(finding, place, inside) : 0;
}

/* What is known of the declaration that the token stands in. */
static void follow(struct finding *finding, const struct token *token)
{
    const struct scan *scan = &finding->scan;
    if (is(scan, token, "const"))
        finding->is_constant = true;
    else if (is(scan, token, "enum"))
        finding->pending_enum = true;
    else if (is(scan, token, "*"))
        finding->is_pointer = true;
    else if (is(scan, token, ","))
        finding->is_pointer = false;
    else if (is(scan, token, "{"))
        finding->in_enum = finding->pending_enum;
    else if (is(scan, token, "}"))
        finding->in_enum = false;
    if (is(scan, token, ";") || is(scan, token, "{") || is(scan, token, "}"))
        finding->is_constant = finding->pending_enum = finding->is_pointer = false;
    finding->after_word = token->kind == WORD || is(scan, token, ",");
}

static int find_all(struct finding *finding)
{
    for (;;) {
        struct token token = next_token(&finding->scan);
        int status = 0;
        if (token.kind == END)
            return 0;
        if (token.starts_line && is(&finding->scan, &token, "#"))
            status = take_directive(finding);
        else if (token.kind == WORD && is(&finding->scan, &token, finding->name))
            status = take_constant(finding, &token);
        if (status)
            return -1;
        follow(finding, &token);
    }
}

int tunable_find(const char *path, const char *text, size_t length, const char *name,
                 size_t from, size_t to, bool *found, struct tunable_place *place,
                 struct error *err)
{
    struct finding finding = {
        .scan = {.text = text, .length = length, .line = 1, .fresh = true},
        .path = path,
        .name = name,
        .from = from,
        .to = to,
        .err = err};
    *found = false;
    if (find_all(&finding))
        return -1;
    if (!finding.nr && finding.other_line)
        return fail(err, STATUS_INPUT,
                    "%s:%d: '%s' is %s; a tunable is '#define %s 32', 'enum { %s = 32 }' "
                    "or 'const int %s = 32'",
                    path, finding.other_line, name, finding.other, name, name, name);
    *found = finding.nr > 0;
    *place = finding.place;
    return 0;
}

static void add_include(struct scan *scan, const struct token *token,
                        struct strvec *files)
{
    const char *at = scan->text + token->begin;
    const char *end =
        memchr(at + 1, *at == '<' ? '>' : '"', scan->length - token->begin - 1);
    if ((*at == '"' || *at == '<') && end)
        strvec_pushf(files, "%.*s", (int)(end - at - 1), at + 1);
}

/* Files that the text includes, as written, "" and <> alike; and the byte where its first
 * token stands. */
static void tunable_includes(const char *text, size_t length, struct strvec *files,
                             size_t *first)
{
    struct scan scan = {.text = text, .length = length, .line = 1, .fresh = true};
    struct token token = next_token(&scan);
    *first = token.begin;
    for (; token.kind != END; token = next_token(&scan)) {
        if (!token.starts_line || !is(&scan, &token, "#"))
            continue;
        if (next_in_line(&scan, &token) && is(&scan, &token, "include") &&
            next_in_line(&scan, &token))
            add_include(&scan, &token, files);
        skip_line(&scan);
    }
}

/* ---- tunable ---- */

enum { INCLUDES_DEEP = 8 };

struct place_request {
    const struct ir_function *function;
    const struct strvec *cflags;
    size_t max;
    const struct kernel_directive *word;
    struct error *err;
};

/* ---- values on the compiler's command line ---- */

/* What -D says of the name; NULL = nothing, or taken back by -U. */
static const char *defined_as(const struct strvec *cflags, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < cflags->nr; i++) {
        const char *flag = cflags->v[i];
        bool define = !strncmp(flag, "-D", 2), undefine = !strncmp(flag, "-U", 2);
        if (!define && !undefine)
            continue;
        flag += 2;
        if (!*flag && i + 1 < cflags->nr)
            flag = cflags->v[++i];
        if (strncmp(flag, name, length) || (flag[length] && flag[length] != '='))
            continue;
        value = undefine ? NULL : flag[length] ? flag + length + 1 : "1";
    }
    return value;
}

static int take_flag(const struct place_request *request, const char *text,
                     struct tunable *tunable)
{
    char *end;
    errno = 0;
    tunable->place.now = strtoll(text, &end, 0);
    end += strspn(end, "uUlL");
    if (errno || !*text || *end)
        return fail(request->err, STATUS_INPUT,
                    "%s: -D%s=%s gives no number that can be changed",
                    request->word->where, tunable->name, text);
    tunable->define = true;
    tunable->place.macro = true;
    return 0;
}

/* ---- included files ---- */

static bool try_folder(const char *folder, size_t length, const char *file, char **path)
{
    char *dir = length ? xstrndup(folder, length) : xstrdup(".");
    *path = path_join(dir, file);
    free(dir);
    if (file_exists(*path))
        return true;
    free(*path);
    *path = NULL;
    return false;
}

/* Beside the including file, else in the -I folders. Caller frees; NULL = not there. */
static char *find_include(const char *from, const char *file, const struct strvec *cflags)
{
    char *path = NULL;
    if (*file == '/')
        return file_exists(file) ? xstrdup(file) : NULL;
    if (try_folder(from, (size_t)(path_base(from) - from), file, &path))
        return path;
    for (size_t i = 0; i < cflags->nr; i++) {
        const char *folder = cflags->v[i];
        if (strncmp(folder, "-I", 2))
            continue;
        folder += 2;
        if (!*folder && i + 1 < cflags->nr)
            folder = cflags->v[++i];
        if (try_folder(folder, strlen(folder), file, &path))
            return path;
    }
    return NULL;
}

static int find_in_includes(const struct place_request *request, const char *path,
                            const char *text, size_t length, int deep,
                            struct tunable *tunable, bool *found);

static int look_into(const struct place_request *request, const char *path, int deep,
                     struct tunable *tunable, bool *found)
{
    struct buf text = {0};
    struct tunable_place place;
    if (file_read(path, &text, NULL)) { /* the compiler will say so */
        buf_release(&text);
        return 0;
    }
    int status = tunable_find(path, buf_str(&text), text.length, tunable->name, 0, 0,
                              found, &place, request->err);
    if (!status && !*found)
        status = find_in_includes(request, path, buf_str(&text), text.length, deep + 1,
                                  tunable, found);
    else if (!status && (!place.macro || !place.guarded))
        status = fail(
            request->err, STATUS_INPUT,
            "%s:%d: '%s' is defined here, out of reach of the file that is written; "
            "make it '#ifndef %s', '#define %s %lld', '#endif'",
            path, place.line, tunable->name, tunable->name, tunable->name, place.now);
    else if (!status)
        tunable->place = place;
    buf_release(&text);
    return status;
}

static int find_in_includes(const struct place_request *request, const char *path,
                            const char *text, size_t length, int deep,
                            struct tunable *tunable, bool *found)
{
    struct strvec files = {0};
    size_t first;
    int status = 0;
    *found = false;
    tunable_includes(text, length, &files, &first);
    for (size_t i = 0; !status && !*found && deep < INCLUDES_DEEP && i < files.nr; i++) {
        char *include = find_include(path, files.v[i], request->cflags);
        if (include)
            status = look_into(request, include, deep, tunable, found);
        free(include);
    }
    strvec_release(&files);
    tunable->define = *found;
    return status;
}

/* ---- reading ---- */

static int not_defined(const struct place_request *request, const char *name)
{
    return fail(
        request->err, STATUS_INPUT,
        "%s: '%s' is defined neither in %s nor in what it includes; a tunable is "
        "'#define %s 32', 'enum { %s = 32 }', 'const int %s = 32' or -D%s=32 after --",
        request->word->where, name, path_base(request->function->path), name, name, name,
        name);
}

/* A definition in the file goes before -D, unless it stands behind #ifndef. */
static int place_it(const struct place_request *request, struct tunable *tunable)
{
    const struct ir_function *function = request->function;
    const char *flag = defined_as(request->cflags, tunable->name);
    struct strvec ignored = {0};
    bool found = false;
    int status = tunable_find(function->path, function->source, function->source_length,
                              tunable->name, function->begin, function->end, &found,
                              &tunable->place, request->err);
    if (!status && found && !(flag && tunable->place.macro && tunable->place.guarded))
        return 0;
    if (!status && flag)
        status = take_flag(request, flag, tunable);
    else if (!status)
        status = find_in_includes(request, function->path, function->source,
                                  function->source_length, 0, tunable, &found);
    if (!status && !found && !flag)
        status = not_defined(request, tunable->name);
    if (!status)
        tunable_includes(function->source, function->source_length, &ignored,
                         &tunable->place.begin);
    tunable->place.end = tunable->place.begin;
    strvec_release(&ignored);
    return status;
}

static int read_one(const struct place_request *request, struct tunables *tunables)
{
    if (tunables->nr == request->max)
        return fail(request->err, STATUS_INPUT, "%s: more than %zu tunables at once",
                    request->word->where, request->max);
    GROW(tunables->item, tunables->nr + 1, tunables->alloc);
    struct tunable *tunable = &tunables->item[tunables->nr++];
    *tunable = (struct tunable){.name = request->word->name.v[0]};
    if (tunable_values_read(request->word->text, &tunable->values, request->err))
        return fail_in(request->err, "%s", request->word->where);
    return place_it(request, tunable);
}

struct names {
    const struct tunables *tunables;
    const struct ir_function *function;
};

/* Every name counts as known that is a tunable or a scalar parameter. */
static int lookup_name(void *data, const char *name, struct directive_number *out)
{
    const struct names *names = data;
    for (size_t i = 0; i < names->tunables->nr; i++)
        if (!strcmp(names->tunables->item[i].name, name)) {
            *out = directive_integer(names->tunables->item[i].place.now);
            return 0;
        }
    for (size_t i = 0; i < names->function->symbol_nr; i++) {
        const struct ir_symbol *symbol = names->function->symbol[i];
        *out = directive_integer(1);
        if ((symbol->role == IR_PARAM || symbol->role == IR_GLOBAL) &&
            symbol->type.pointers == 0 && !strcmp(symbol->name, name))
            return 0;
    }
    return -1;
}

static int read_constraint(const struct place_request *request, struct tunables *tunables)
{
    struct names names = {tunables, request->function};
    bool ignored;
    if (constraint_eval(request->word->text, lookup_name, &names, &ignored, request->err))
        return fail_in(request->err, "%s", request->word->where);
    strvec_push(&tunables->constraint, request->word->text);
    return 0;
}

int tunables_read(const struct ir_function *function,
                  const struct kernel_directives *words, const struct strvec *cflags,
                  size_t max, struct tunables *out, struct error *err)
{
    struct place_request request = {
        .function = function, .cflags = cflags, .max = max, .err = err};
    int status = 0;
    for (size_t i = 0; !status && i < words->item_nr; i++) {
        request.word = &words->item[i];
        if (request.word->kind == DIRECTIVE_TUNABLE)
            status = read_one(&request, out);
    }
    for (size_t i = 0; !status && i < words->item_nr; i++) {
        request.word = &words->item[i];
        if (request.word->kind == DIRECTIVE_CONSTRAINT)
            status = read_constraint(&request, out);
    }
    /* line 0: of the command line */
    if (status && err && err->status == STATUS_INPUT && request.word->line == 0)
        err->status = STATUS_USAGE;
    return status;
}

void tunables_release(struct tunables *tunables)
{
    for (size_t i = 0; i < tunables->nr; i++)
        tunable_values_release(&tunables->item[i].values);
    free(tunables->item);
    strvec_release(&tunables->constraint);
    *tunables = (struct tunables){0};
}

/* ---- writing ---- */

static void add_value(const struct tunable *tunable, long long value, struct buf *out)
{
    if (tunable->define)
        buf_addf(out, "#undef %s\n#define %s ", tunable->name, tunable->name);
    buf_addf(out, value < 0 && tunable->place.macro ? "(%lld%s)" : "%lld%s", value,
             tunable->place.suffix ? tunable->place.suffix : "");
    if (tunable->define)
        buf_add(out, "\n");
}

/* The next place to change behind that of `before`; NULL = none. */
static const struct tunable *next_change(const struct tunables *tunables,
                                         const long long *value,
                                         const struct tunable *before)
{
    const struct tunable *next = NULL;
    for (size_t i = 0; i < tunables->nr; i++) {
        const struct tunable *tunable = &tunables->item[i];
        bool behind = !before || tunable->place.begin > before->place.begin ||
                      (tunable->place.begin == before->place.begin && tunable > before);
        if (value[i] != tunable->place.now && behind &&
            (!next || tunable->place.begin < next->place.begin))
            next = tunable;
    }
    return next;
}

char *tunables_edit(const struct tunables *tunables, const char *source, size_t length,
                    const long long *value)
{
    struct buf out = {0};
    const struct tunable *change = NULL;
    size_t at = ir_mark_bytes(source);
    buf_add_n(&out, source, at);
    while ((change = next_change(tunables, value, change))) {
        if (change->place.begin > at)
            buf_add_n(&out, source + at, change->place.begin - at);
        add_value(change, value[change - tunables->item], &out);
        at = change->place.end > at ? change->place.end : at;
    }
    buf_add_n(&out, source + at, length - at);
    return buf_detach(&out);
}
