#include "variants/directives/pragma.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "variants/directives/contents.h"
#include "variants/directives/record_fields.h"
#include "variants/directives/tunable.h"

/* ---- reading one line of words ---- */

struct reader {
    const char *at;
    struct kernel_directive
        word; /* where it stands; copied into every word of the line */
    struct kernel_directives *words;
    const struct ir_function *function;
    struct error *err;
};

static int fail_word(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail_word(const struct reader *reader, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    fail(reader->err, STATUS_INPUT, "%s", buf_str(&text));
    buf_release(&text);
    return directive_fail_in(&reader->word, reader->err);
}

int directive_fail_in(const struct kernel_directive *word, struct error *err)
{
    if (err && err->status == STATUS_INPUT && word->line == 0)
        err->status = STATUS_USAGE;
    return fail_in(err, "%s", word->where);
}

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool take_char(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

/* An identifier, or NULL; caller frees. */
static char *take_name(struct reader *reader)
{
    skip_blanks(reader);
    size_t length = text_name_length(reader->at);
    if (length == 0)
        return NULL;
    reader->at += length;
    return xstrndup(reader->at - length, length);
}

/* A name with the fields behind it: "g->nx", "p.x"; or NULL. Caller frees. */
static char *take_path(struct reader *reader)
{
    skip_blanks(reader);
    size_t length = directive_path_length(reader->at);
    if (length == 0)
        return NULL;
    reader->at += length;
    return xstrndup(reader->at - length, length);
}

static char *take_rest(struct reader *reader)
{
    skip_blanks(reader);
    size_t length = strlen(reader->at);
    while (length > 0 && isspace((unsigned char)reader->at[length - 1]))
        length--;
    char *rest = xstrndup(reader->at, length);
    reader->at += strlen(reader->at);
    return rest;
}

/* ---- the list ---- */

static void word_release(struct kernel_directive *word)
{
    strvec_release(&word->name);
    free(word->text);
    free(word->where);
}

void kernel_directives_release(struct kernel_directives *words)
{
    for (size_t i = 0; i < words->item_nr; i++)
        word_release(&words->item[i]);
    free(words->item);
    *words = (struct kernel_directives){0};
}

static bool has_name(const struct kernel_directive *word, const char *name)
{
    for (size_t i = 0; i < word->name.nr; i++)
        if (strcmp(word->name.v[i], name) == 0)
            return true;
    return false;
}

static struct kernel_directive *find(const struct kernel_directives *words,
                                     enum word_kind kind, const char *name)
{
    for (size_t i = 0; i < words->item_nr; i++)
        if (words->item[i].kind == kind && (!name || has_name(&words->item[i], name)))
            return &words->item[i];
    return NULL;
}

const struct kernel_directive *
kernel_directives_find(const struct kernel_directives *words, enum word_kind kind,
                       const char *name)
{
    return find(words, kind, name);
}

/* Takes name and text of the reader's word. The command line comes last and replaces
 * what the source said. */
static int add_word(struct reader *reader, enum word_kind kind)
{
    struct kernel_directive *word = &reader->word, copy = *word;
    bool single = kind == DIRECTIVE_SET || kind == DIRECTIVE_BUFFER ||
                  kind == WORD_LENGTH || kind == DIRECTIVE_FLOPS ||
                  kind == DIRECTIVE_TUNABLE;
    struct kernel_directive *old =
        single ? find(reader->words, kind, word->name.nr ? word->name.v[0] : NULL) : NULL;
    if (old && old->line > 0 && word->line > 0)
        return fail_word(reader, "'%s' is given a second time; the first is in line %d",
                         word->name.nr ? word->name.v[0] : "flops", old->line);
    copy.kind = kind;
    copy.where = xstrdup(word->where);
    word->name = (struct strvec){0};
    word->text = NULL;
    if (old) {
        word_release(old);
        *old = copy;
        return 0;
    }
    struct kernel_directives *words = reader->words;
    GROW(words->item, words->item_nr + 1, words->item_alloc);
    words->item[words->item_nr++] = copy;
    return 0;
}

/* ---- names of the function ---- */

static bool is_outer(const struct ir_symbol *symbol)
{
    return symbol->role == IR_PARAM || symbol->role == IR_GLOBAL ||
           (symbol->role == IR_FIELD && !symbol_is_element(symbol));
}

static const struct ir_symbol *outer_symbol(const struct ir_function *function,
                                            const char *name)
{
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (is_outer(symbol) && strcmp(symbol->name, name) == 0)
            return symbol;
    }
    return NULL;
}

static int fail_name(const struct reader *reader, const char *name, bool array)
{
    struct buf known = {0};
    for (size_t i = 0; i < reader->function->symbol_nr; i++) {
        const struct ir_symbol *symbol = reader->function->symbol[i];
        if (is_outer(symbol) && (symbol->type.pointers > 0) == array)
            buf_addf(&known, "%s%s", known.length ? ", " : "", symbol->name);
    }
    const char *kind = array ? "array" : "scalar parameter";
    fail_word(reader, "'%s' is no %s of '%s'; %s%s", name, kind, reader->function->name,
              known.length ? "there are: " : "there is none", buf_str(&known));
    buf_release(&known);
    return -1;
}

/* Within a method `rows` is this->rows, unless something else is called that. */
static void complete_names(struct reader *reader)
{
    struct strvec *names = &reader->word.name;
    for (size_t i = 0; reader->function->linkage.record && i < names->nr; i++) {
        char *whole = xasprintf("this->%s", names->v[i]);
        bool field = !outer_symbol(reader->function, names->v[i]) &&
                     !is_record_field(reader->function, names->v[i]) &&
                     (outer_symbol(reader->function, whole) ||
                      is_record_field(reader->function, whole));
        if (field) {
            free(names->v[i]);
            names->v[i] = whole;
        } else {
            free(whole);
        }
    }
}

static int check_names(struct reader *reader, bool array)
{
    complete_names(reader);
    for (size_t i = 0; i < reader->word.name.nr; i++) {
        const char *name = reader->word.name.v[i];
        const struct ir_symbol *symbol = outer_symbol(reader->function, name);
        if (symbol ? (symbol->type.pointers > 0) != array
                   : !array || !is_record_field(reader->function, name))
            return fail_name(reader, name, array);
    }
    return 0;
}

static void list_iterators(const struct ir_stmt *stmt, struct strvec *names)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_FOR && stmt->iterator)
        strvec_push(names, stmt->iterator->name);
    for (size_t i = 0; i < stmt->child_nr; i++)
        list_iterators(stmt->child[i], names);
}

static int check_loop(const struct reader *reader, const char *name,
                      const struct strvec *loops)
{
    struct buf known = {0};
    for (size_t i = 0; i < loops->nr; i++) {
        if (strcmp(loops->v[i], name) == 0) {
            buf_release(&known);
            return 0;
        }
        buf_addf(&known, "%s%s", i ? ", " : "", loops->v[i]);
    }
    fail_word(reader, "no loop of '%s' counts '%s'; %s%s", reader->function->name, name,
              known.length ? "there are: " : "there is none", buf_str(&known));
    buf_release(&known);
    return -1;
}

static int check_loops(const struct reader *reader)
{
    struct strvec loops = {0};
    int status = 0;
    list_iterators(reader->function->body, &loops);
    for (size_t i = 0; status == 0 && i < reader->word.name.nr; i++)
        status = check_loop(reader, reader->word.name.v[i], &loops);
    strvec_release(&loops);
    return status;
}

/* ---- the words ---- */

static int check_end(struct reader *reader)
{
    skip_blanks(reader);
    return *reader->at ? fail_word(reader, "'%s' is left over", reader->at) : 0;
}

static int check_expr(const struct reader *reader)
{
    struct error why = {0};
    return directive_check(reader->word.text, &why) < 0
               ? fail_word(reader, "%s", why.text)
               : 0;
}

static int read_kernel(struct reader *reader)
{
    return check_end(reader) < 0 ? -1 : add_word(reader, DIRECTIVE_KERNEL);
}

static int push_name(struct reader *reader, const char *expected)
{
    char *name = take_path(reader);
    if (!name)
        return fail_word(reader, "%s", expected);
    strvec_push(&reader->word.name, name);
    free(name);
    return 0;
}

/* Up to the comma outside of parentheses that another value stands behind. */
static char *take_value(struct reader *reader)
{
    size_t length = 0;
    skip_blanks(reader);
    for (int depth = 0; reader->at[length] && (reader->at[length] != ',' || depth > 0);
         length++)
        depth += (reader->at[length] == '(') - (reader->at[length] == ')');
    char *value = xstrndup(reader->at, length);
    reader->at += length;
    while (length > 0 && isspace((unsigned char)value[length - 1]))
        value[--length] = 0;
    return value;
}

static int read_set(struct reader *reader)
{
    static const char form[] = "expected 'set NAME = VALUE'";
    do {
        if (push_name(reader, form) < 0)
            return -1;
        if (!take_char(reader, '='))
            return fail_word(reader, "%s", form);
        reader->word.text = take_value(reader);
        if (check_expr(reader) < 0 || check_names(reader, false) < 0 ||
            add_word(reader, DIRECTIVE_SET) < 0)
            return -1;
    } while (take_char(reader, ','));
    return 0;
}

static int check_contents(const struct reader *reader)
{
    struct error why = {0};
    struct strvec args = {0};
    char *name = NULL;
    int status = directive_call(reader->word.text, &name, &args, &why) ||
                 contents_check_name(name, reader->word.text, &why);
    free(name);
    strvec_release(&args);
    return status ? fail_word(reader, "%s", why.text) : 0;
}

static int read_buffer(struct reader *reader)
{
    static const char form[] =
        "expected 'buffer NAME = CONTENTS' or 'buffer NAME length ELEMENTS'";
    if (push_name(reader, form) < 0)
        return -1;
    bool contents = take_char(reader, '=');
    char *word = contents ? NULL : take_name(reader);
    bool length = word && strcmp(word, "length") == 0;
    free(word);
    if (!contents && !length)
        return fail_word(reader, "%s", form);
    reader->word.text = take_rest(reader);
    if ((contents ? check_contents(reader) : check_expr(reader)) < 0 ||
        check_names(reader, true) < 0)
        return -1;
    return add_word(reader, contents ? DIRECTIVE_BUFFER : WORD_LENGTH);
}

static int read_flops(struct reader *reader)
{
    reader->word.text = take_rest(reader);
    return check_expr(reader) < 0 ? -1 : add_word(reader, DIRECTIVE_FLOPS);
}

/* "(a, b)" */
static int take_names(struct reader *reader, const char *form)
{
    if (!take_char(reader, '('))
        return fail_word(reader, "expected '%s'", form);
    do {
        char *name = take_path(reader);
        if (!name)
            return fail_word(reader, "expected '%s'", form);
        strvec_push(&reader->word.name, name);
        free(name);
    } while (take_char(reader, ','));
    return take_char(reader, ')') ? 0 : fail_word(reader, "expected '%s'", form);
}

static int read_independent(struct reader *reader)
{
    if (take_names(reader, "independent(LOOP)") < 0 || check_loops(reader) < 0)
        return -1;
    return add_word(reader, DIRECTIVE_INDEPENDENT);
}

static int read_noalias(struct reader *reader)
{
    static const char form[] = "noalias(ARRAY, ARRAY)";
    if (take_names(reader, form) < 0)
        return -1;
    if (reader->word.name.nr < 2)
        return fail_word(reader, "expected '%s'", form);
    return check_names(reader, true) < 0 ? -1 : add_word(reader, DIRECTIVE_NOALIAS);
}

/* Of a captured call: two arrays share memory there, or, the same twice, its rows do. */
static int read_shared(struct reader *reader)
{
    for (int i = 0; i < 2; i++) {
        char *name = take_path(reader);
        if (!name)
            return fail_word(reader, "expected 'shared ARRAY ARRAY'");
        strvec_push(&reader->word.name, name);
        free(name);
    }
    return check_names(reader, true) < 0 ? -1 : add_word(reader, DIRECTIVE_SHARED);
}

static int read_associative(struct reader *reader)
{
    return add_word(reader, DIRECTIVE_ASSOCIATIVE);
}

static int read_tunable(struct reader *reader)
{
    struct tunable_values values = {0};
    struct error why = {0};
    if (push_name(reader, "expected 'tunable NAME in {8,16,32}'") < 0)
        return -1;
    reader->word.text = take_rest(reader);
    int status = tunable_values_read(reader->word.text, &values, &why);
    tunable_values_release(&values);
    return status ? fail_word(reader, "%s", why.text)
                  : add_word(reader, DIRECTIVE_TUNABLE);
}

static int read_constraint(struct reader *reader)
{
    struct error why = {0};
    reader->word.text = take_rest(reader);
    return constraint_check(reader->word.text, &why)
               ? fail_word(reader, "%s", why.text)
               : add_word(reader, DIRECTIVE_CONSTRAINT);
}

enum { WORDS_MAX = 8 };
struct word_form {
    const char *word;
    int (*read)(struct reader *reader);
};

static int read_one_of(struct reader *reader, const struct word_form *form, size_t nr,
                       const char *what)
{
    struct buf known = {0};
    char *word = take_name(reader);
    for (size_t i = 0; i < nr; i++) {
        if (word && strcmp(form[i].word, word) == 0) {
            free(word);
            buf_release(&known);
            return form[i].read(reader);
        }
        buf_addf(&known, "%s%s", i ? ", " : "", form[i].word);
    }
    const char *names[WORDS_MAX];
    for (size_t i = 0; i < nr; i++)
        names[i] = form[i].word;
    const char *meant = word ? nearest_word(word, names, nr) : NULL;
    if (meant)
        fail_word(reader, "'%s' is no %s; did you mean '%s'?", word, what, meant);
    else
        fail_word(reader, "'%s' is no %s; known are %s", word ? word : reader->at, what,
                  buf_str(&known));
    free(word);
    buf_release(&known);
    return -1;
}

static int read_assume(struct reader *reader)
{
    static const struct word_form form[] = {{"independent", read_independent},
                                            {"noalias", read_noalias},
                                            {"associative", read_associative}};
    do {
        if (read_one_of(reader, form, ARRAY_SIZE(form), "assumption") < 0)
            return -1;
        take_char(reader, ',');
        skip_blanks(reader);
    } while (*reader->at);
    return 0;
}

/* `where` is taken over. */
static int read_line(const struct ir_function *function, const char *text, char *where,
                     int line, struct kernel_directives *words, struct error *err)
{
    static const struct word_form form[] = {
        {"kernel", read_kernel},         {"set", read_set},
        {"buffer", read_buffer},         {"assume", read_assume},
        {"flops", read_flops},           {"tunable", read_tunable},
        {"constraint", read_constraint}, {"shared", read_shared}};
    struct reader reader = {.at = text, .words = words, .function = function, .err = err};
    reader.word.where = where;
    reader.word.line = line;
    int status = read_one_of(&reader, form, ARRAY_SIZE(form), "word of inflight");
    word_release(&reader.word);
    return status;
}

/* Constants belong to the file, so what is said about them does. */
static bool is_of_file(const struct ir_pragma *pragma)
{
    static const char *const word[] = {"tunable", "constraint"};
    const char *at = pragma->text + (pragma->ours ? strlen("inflight") : 0);
    size_t length = strcspn(at += strspn(at, " \t"), " \t");
    for (size_t i = 0; pragma->ours && i < ARRAY_SIZE(word); i++)
        if (strlen(word[i]) == length && !memcmp(at, word[i], length))
            return true;
    return false;
}

/* Nobody says it, and all calls in the file give the same. */
static void take_given(const struct ir_function *function,
                       struct kernel_directives *words)
{
    for (size_t i = 0; i < function->given_nr; i++) {
        const struct ir_given *given = &function->given[i];
        struct kernel_directive word = {.kind = DIRECTIVE_SET, .line = given->line};
        if (find(words, DIRECTIVE_SET, given->param->name))
            continue;
        strvec_push(&word.name, given->param->name);
        word.text = xasprintf("%lld", given->value);
        word.where = xasprintf("%s:%d", function->path, given->line);
        word.caller = given->caller;
        GROW(words->item, words->item_nr + 1, words->item_alloc);
        words->item[words->item_nr++] = word;
    }
}

int kernel_directives_read(const struct ir_function *function,
                           const struct strvec *command, struct kernel_directives *words,
                           struct error *err)
{
    int status = 0;
    const struct ir_pragma *pragma = function->all_pragma;
    for (; status == 0 && pragma; pragma = pragma->next_all)
        if (pragma->applies || is_of_file(pragma))
            status = read_line(function, pragma->text + strlen("inflight"),
                               xasprintf("%s:%d", function->path, pragma->line),
                               pragma->line, words, err);
    for (size_t i = 0; status == 0 && command && i < command->nr; i++)
        status = read_line(function, command->v[i],
                           xasprintf("'%s' on the command line", command->v[i]), 0, words,
                           err);
    take_given(function, words);
    return status;
}
