/* From a C file to one ir_function. */
#include "variants/parse/parse.h"

#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/clang/clang.h"
#include "variants/parse/parse_rewrite.h"

/* ---- args ---- */

/* Compiler flags for libclang: only what changes the meaning of the source. */

/* libclang would write the files of -M; with -fopenmp the body of a parallel loop
 * becomes one opaque node. */
static const struct {
    const char *flag;
    bool prefix, has_value;
} dropped[] = {
    {"-c", false, false},      {"-S", false, false},        {"-E", false, false},
    {"-o", false, true},       {"-MF", false, true},        {"-MT", false, true},
    {"-MQ", false, true},      {"-x", false, true},         {"--param", false, true},
    {"-M", true, false},       {"-o", true, false},         {"-Werror", true, false},
    {"-fopenmp", true, false}, {"-fopt-info", true, false}, {"-fplugin", true, false},
    {"--param=", true, false}, {"-x", true, false},         {"-save-temps", true, false},
    {"-load", false, true},    {"-Xclang", false, true},    {"@", true, false},
};

static const char *const takes_value[] = {
    "-I",       "-D",      "-U",         "-include",  "-imacros",
    "-isystem", "-iquote", "-idirafter", "-isysroot", "-std",
};

static bool is_dropped(const char *flag, bool *has_value)
{
    for (size_t i = 0; i < ARRAY_SIZE(dropped); i++) {
        size_t length = strlen(dropped[i].flag);
        if (dropped[i].prefix ? strncmp(flag, dropped[i].flag, length) == 0
                              : strcmp(flag, dropped[i].flag) == 0) {
            *has_value = dropped[i].has_value;
            return true;
        }
    }
    *has_value = false;
    return flag[0] != '-'; /* another input file */
}

static bool is_followed_by_value(const char *flag)
{
    for (size_t i = 0; i < ARRAY_SIZE(takes_value); i++)
        if (strcmp(flag, takes_value[i]) == 0)
            return true;
    return false;
}

/* clang's own folder has no omp.h unless its runtime is installed; gcc's version will do.
 * Only where it is asked for: clang's headers go on to those of the same name there. */
static void add_gcc_headers(struct strvec *out)
{
    glob_t found = {0};
    if (glob("/usr/lib*/gcc/*/*/include/omp.h", 0, NULL, &found) == 0) {
        const char *last = found.gl_pathv[found.gl_pathc - 1];
        strvec_push(out, "-idirafter");
        strvec_pushf(out, "%.*s", (int)(path_base(last) - last), last);
    }
    globfree(&found);
}

void parse_args(const struct strvec *cflags, const char *source, bool cplusplus,
                struct strvec *out)
{
    strvec_push(out, cplusplus ? "-xc++" : "-xc");
    strvec_push(out, "-w");
    for (size_t i = 0; cflags && i < cflags->nr; i++) {
        bool has_value;
        if (is_dropped(cflags->v[i], &has_value)) {
            if (strncmp(cflags->v[i], "-fopenmp", 8) == 0 &&
                !strstr(cflags->v[i], "simd"))
                strvec_push(out,
                            "-D_OPENMP=201511"); /* what the real compilation will see */
            i += has_value;
            continue;
        }
        strvec_push(out, cflags->v[i]);
        if (is_followed_by_value(cflags->v[i]) && i + 1 < cflags->nr)
            strvec_push(out, cflags->v[++i]);
    }
    if (strstr(source, "omp.h"))
        add_gcc_headers(out);
}

/* ---- parse ---- */

/* ---- before the statements: who is written, where things are declared ---- */

bool parse_is_loop(const struct ct_node *node)
{
    return node->kind == CT_FOR || node->kind == CT_WHILE || node->kind == CT_DO;
}

static bool is_asm(const struct ct_node *node)
{
    return node->kind == CT_STMT && strcmp(node->what, "an asm statement") == 0;
}

static void survey(struct parse *p, const struct ct_node *node, bool in_loop, bool in_asm)
{
    bool address = false;
    struct ct_decl *written =
        in_asm && node->kind == CT_NAME ? node->decl : parse_written(node, &address);
    if (node->kind == CT_VAR)
        parse_symbol(p, node->decl)->in_loop = in_loop;
    if (written && written->role != IR_FUNCTION) {
        struct ir_symbol *symbol = parse_symbol(p, written);
        symbol->is_written = true;
        symbol->address_taken = symbol->address_taken || address;
    }
    if (node->elsewhere && !p->trouble)
        p->trouble = node;
    for (size_t i = 0; i < node->child_nr; i++)
        survey(p, node->child[i], in_loop || parse_is_loop(node), in_asm || is_asm(node));
}

void parse_survey(struct parse *p, const struct ct_node *body)
{
    survey(p, body, false, false);
}

/* ---- pragmas ---- */

static bool is_made_of(const struct ir_stmt *stmt, const void *block)
{
    return stmt->kind == IR_FOR && stmt->with == block;
}

static struct ir_stmt *pragma_target(struct ir_stmt *parent,
                                     const struct ir_pragma *pragma)
{
    for (size_t i = 0; i < parent->child_nr; i++) {
        struct ir_stmt *child = parent->child[i];
        if (!child)
            continue;
        if (child->begin >= pragma->end) {
            const struct ir_stmt *loop = stmt_find(child, is_made_of, child);
            return loop ? (struct ir_stmt *)loop : child;
        }
        if (child->end > pragma->begin)
            return pragma_target(child, pragma);
    }
    return NULL;
}

static size_t first_loop(const struct ir_stmt *stmt)
{
    size_t first = SIZE_MAX;
    if (stmt->kind == IR_FOR || stmt->kind == IR_WHILE)
        return stmt->begin;
    for (size_t i = 0; i < stmt->child_nr && first == SIZE_MAX; i++)
        if (stmt->child[i])
            first = first_loop(stmt->child[i]);
    return first;
}

static void append_pragma(struct ir_pragma **list, struct ir_pragma *pragma)
{
    while (*list)
        list = &(*list)->next;
    *list = pragma;
}

static void attach_pragmas(struct parse *p, const struct ct_function *chosen)
{
    struct ir_function *function = p->function;
    size_t loop = first_loop(function->body);
    struct ir_pragma *pragma = function->all_pragma;
    for (; pragma; pragma = pragma->next_all) {
        pragma->applies = parse_applies(&p->file, chosen, pragma);
        bool inside =
            pragma->begin >= function->body_begin && pragma->end <= function->body_end;
        struct ir_stmt *target = inside ? pragma_target(function->body, pragma) : NULL;
        if (pragma->applies && (!inside || pragma->begin < loop))
            append_pragma(&function->pragma, pragma);
        else if (target && target->kind != IR_OPAQUE)
            append_pragma(&target->pragma, pragma);
    }
}

/* ---- the function ---- */

static int fail_trouble(const struct parse *p, struct error *err)
{
    const struct ct_node *node = p->trouble;
    const char *path = p->function->path;
    if (node->elsewhere)
        return fail(err, STATUS_INPUT,
                    "%s: part of function '%s' is in another file; only code of this "
                    "file is read: write what it includes here",
                    path, p->function->name);
    return fail(err, STATUS_INPUT, "%s:%d:%d: %s%s cannot be read here", path, node->line,
                node->column, node->what, node->in_macro ? " inside a macro" : "");
}

const char *parse_trouble(const struct parse *p, const struct ct_function *chosen,
                          const struct ct_trouble *trouble)
{
    const char *what = "";
    if (!trouble->text)
        return NULL;
    if (!chosen->has_error)
        what = ir_textf(p->arena,
                        "the C++ function '%s' cannot be read: ", chosen->qualified);
    return ir_textf(p->arena, "%s:%d:%d: %s%s", p->function->path, trouble->line,
                    trouble->column, what, trouble->text);
}

static int fail_construct(const struct parse *p, const struct ct_function *chosen,
                          struct error *err)
{
    return fail(err, STATUS_INPUT, "%s", parse_trouble(p, chosen, &chosen->trouble));
}

/* Where several functions have it, the name with its scopes, or with the types too. */
static const char *unique_name(const struct parse *p, const struct ct_function *chosen)
{
    size_t alike = 0, qualified = 0;
    for (size_t i = 0; i < p->file.function_nr; i++) {
        const struct ct_function *other = &p->file.function[i];
        alike += strcmp(other->name, chosen->name) == 0;
        qualified += strcmp(other->qualified, chosen->qualified) == 0;
    }
    return alike <= 1 ? chosen->name : qualified <= 1 ? chosen->qualified : chosen->full;
}

static void read_head(struct parse *p, const struct ct_function *chosen)
{
    struct ir_function *function = p->function;
    function->name = unique_name(p, chosen);
    function->word = chosen->name;
    function->is_cplusplus = p->file.is_cplusplus;
    function->linkage = chosen->linkage;
    function->result = chosen->result;
    function->is_static = chosen->is_static;
    function->line = chosen->line;
    function->end_line = chosen->end_line;
    ct_read_names(&p->file, chosen, &function->macros, &function->plain_macros,
                  &function->declared);
    function->begin = chosen->begin;
    function->end = chosen->end;
    function->body_begin = chosen->body->begin;
    function->body_end = chosen->body->end;
}

/* `*p` is p[0]: elements are known by their subscripts from here on. */
static void index_pointer(struct ir_expr *expr, void *data)
{
    struct parse *p = data;
    if (expr->kind != IR_UNARY || strcmp(expr->op, "*") != 0 ||
        expr->arg[0]->kind != IR_NAME || !expr->arg[0]->symbol->type.pointers)
        return;
    struct ir_expr *element = ir_expr_new(p->arena, IR_INDEX, 2);
    element->arg[0] = expr->arg[0];
    element->arg[1] = ir_integer(p->arena, 0);
    expr->kind = IR_INDEX;
    expr->op = element->op;
    expr->arg = element->arg;
    expr->arg_nr = element->arg_nr;
}

static int read_function(struct parse *p, struct ct_function *chosen,
                         const struct strvec *args, struct error *err)
{
    ct_read(&p->file, chosen, true);
    if (chosen->body && p->lambda.text)
        chosen->trouble = p->lambda; /* which says more of it */
    if (!chosen->body)
        return fail_construct(p, chosen, err);
    p->function->kept = parse_trouble(p, chosen, &chosen->trouble);
    p->function->asks = parse_trouble(p, chosen, &chosen->asks);
    read_head(p, chosen);
    parse_params(p, chosen);
    parse_survey(p, chosen->body);
    if (!p->trouble)
        p->function->body = parse_body(p, chosen->body);
    if (!p->function->body)
        return fail_trouble(p, err);
    parse_follow_counts(p);
    parse_expand_helpers(p);
    parse_make_fields(p);
    parse_settle(p);
    parse_split_ranges(p);
    parse_follow_walks(p);
    parse_follow_rows(p);
    parse_follow_matrices(p);
    parse_effects(p);
    visit_stmt(p->function->body, index_pointer, p);
    parse_name_bounds(p);
    attach_pragmas(p, chosen);
    parse_calls(p, chosen);
    p->function->apart = ct_apart(&p->file, chosen, p->function->source);
    struct ct_outside outside =
        ct_frozen(&p->file, chosen, p->function->path, p->function->source, args);
    p->function->frozen = outside.frozen;
    p->function->frozen_nr = outside.frozen_nr;
    parse_spellings(p, &outside);
    return 0;
}

/* ---- the file ---- */

static int check_language(const char *path, struct error *err)
{
    static const struct {
        const char *ending, *language;
    } others[] = {{".cu", "CUDA"},     {".f", "Fortran"},   {".f90", "Fortran"},
                  {".F90", "Fortran"}, {".f08", "Fortran"}, {".rs", "Rust"}};
    const char *dot = strrchr(path_base(path), '.');
    for (size_t i = 0; dot && i < ARRAY_SIZE(others); i++)
        if (strcmp(dot, others[i].ending) == 0)
            return fail(err, STATUS_INPUT, "'%s' is %s; only C and C++ are read", path,
                        others[i].language);
    return 0;
}

static int parse_source(struct ir_function *function, const char *text, struct error *err)
{
    struct buf source = {0};
    int status = 0;
    if (text)
        buf_add(&source, text);
    else
        status = file_read(function->path, &source, err);
    if (status == 0) {
        char *copy = ir_alloc(function->arena, source.length + 1);
        memcpy(copy, buf_str(&source), source.length);
        function->source = copy;
        function->source_length = source.length;
    }
    buf_release(&source);
    return status;
}

bool parse_types_alias(const struct strvec *cflags)
{
    bool alias = false;
    for (size_t i = 0; cflags && i < cflags->nr; i++)
        if (strcmp(cflags->v[i], "-fno-strict-aliasing") == 0)
            alias = true;
        else if (strcmp(cflags->v[i], "-fstrict-aliasing") == 0)
            alias = false;
    return alias;
}

/* Unless told otherwise compilers let sqrt and its like set errno. */
static bool is_errno_set(const struct strvec *cflags)
{
    static const char *const off[] = {"-fno-math-errno", "-ffast-math", "-Ofast"};
    bool set = true;
    for (size_t i = 0; cflags && i < cflags->nr; i++) {
        set = set || !strcmp(cflags->v[i], "-fmath-errno");
        for (size_t k = 0; k < ARRAY_SIZE(off); k++)
            set = set && strcmp(cflags->v[i], off[k]) != 0;
    }
    return set;
}

/* The last word counts. */
static bool is_c89(const struct strvec *cflags)
{
    static const char *const words[] = {
        "-ansi",      "-std=c89",          "-std=c90",           "-std=gnu89",
        "-std=gnu90", "-std=iso9899:1990", "-std=iso9899:199409"};
    bool is = false;
    for (size_t i = 0; cflags && i < cflags->nr; i++) {
        bool found = false;
        for (size_t k = 0; !found && k < ARRAY_SIZE(words); k++)
            found = strcmp(cflags->v[i], words[k]) == 0;
        is = found || (is && strncmp(cflags->v[i], "-std=", 5) != 0);
    }
    return is;
}

/* `#pragma inflght set n = 5` would say nothing to anybody. */
static int check_spelling(const struct ir_function *function, struct error *err)
{
    enum { LETTERS_OFF = 2 };
    for (const struct ir_pragma *pragma = function->all_pragma; pragma;
         pragma = pragma->next_all) {
        char *word = xstrndup(pragma->text, strcspn(pragma->text, " \t("));
        size_t off = pragma->ours ? SIZE_MAX : letters_between(word, "inflight");
        int status =
            off <= LETTERS_OFF
                ? fail(err, STATUS_INPUT,
                       "%s:%d: `#pragma %s` is not a pragma that inflight reads; "
                       "did you mean `#pragma inflight`?",
                       function->path, pragma->line, word)
                : 0;
        free(word);
        if (status)
            return -1;
    }
    return 0;
}

static int open_text(struct parse *p, const char *text, int line, const char *name,
                     const struct strvec *args, struct ct_function **chosen,
                     struct error *err)
{
    struct ir_function *function = p->function;
    if (text && parse_source(function, text, err) < 0)
        return -1;
    if (ct_open(&p->file, function->path, function->source, function->source_length, args,
                p->arena, err) < 0)
        return -1;
    function->all_pragma =
        scan_pragmas(p->arena, function->source, function->source_length, &p->file);
    if (check_spelling(function, err))
        return -1;
    bool lost = p->file.error && (name || line); /* perhaps what is behind the error */
    *chosen = parse_select(p, line, name, lost ? NULL : err);
    if (!*chosen && lost)
        fail(err, STATUS_INPUT, "%s", p->file.error);
    return *chosen ? 0 : -1;
}

int parse_open(struct parse *p, const char *text, int line, const char *name,
               const struct strvec *cflags, int lambda_line, struct strvec *args,
               struct ct_function **chosen, struct error *err)
{
    struct ir_function *function = p->function;
    struct ct_trouble trouble;
    if (parse_source(function, text, err) < 0)
        return -1;
    function->types_alias = parse_types_alias(cflags);
    function->sets_errno = is_errno_set(cflags);
    bool cplusplus = cxx_is_source(function->path, cflags);
    function->is_c89 = !cplusplus && is_c89(cflags);
    parse_args(cflags, function->source, cplusplus, args);
    function->args.nr = args->nr;
    function->args.item = ir_alloc(p->arena, (args->nr + 1) * sizeof(char *));
    for (size_t i = 0; i < args->nr; i++)
        function->args.item[i] = ir_text(p->arena, args->v[i]);
    if (open_text(p, NULL, line, name, args, chosen, err) < 0)
        return -1;
    const char *written =
        ct_written_loops(&p->file, *chosen, function->source, lambda_line, &trouble);
    p->lambda = trouble;
    if (!written)
        return 0;
    const char *full = (*chosen)->full; /* the line of a header is another file's */
    ct_close(&p->file);
    p->file = (struct ct_file){0};
    return open_text(p, written, line, line ? NULL : full, args, chosen, err);
}

static int parse_file(struct parse *p, const char *text, int line, const char *name,
                      const struct strvec *cflags, struct error *err)
{
    struct strvec args = {0};
    struct ct_function *chosen;
    if (check_language(p->function->path, err) < 0)
        return -1;
    int status = parse_open(p, text, line, name, cflags, 0, &args, &chosen, err);
    if (status == 0)
        status = read_function(p, chosen, &args, err);
    strvec_release(&args);
    return status;
}

int ir_parse(const char *path, const char *text, int line, const char *function,
             const struct strvec *cflags, struct ir_function **out, struct error *err)
{
    struct ir_arena *arena = ir_arena_new();
    struct parse p = {.arena = arena,
                      .function = ir_alloc(arena, sizeof(struct ir_function))};
    p.function->arena = arena;
    p.function->path = ir_text(arena, path);
    int status = parse_file(&p, text, line, function, cflags, err);
    ct_close(&p.file);
    *out = status == 0 ? p.function : NULL;
    if (status < 0)
        ir_arena_free(arena);
    return status;
}
