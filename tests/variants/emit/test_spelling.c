/* What is emitted reads like the user's file: his macros, comments, line breaks and
 * layout, and nothing but the nest is another. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "tests/variants/programs.h"
#include "variants/emit/emit.h"
#include "variants/ir/ir.h"
#include "variants/model/model.h"
#include "variants/parse/parse.h"
#include "variants/plan/plan.h"

SUITE(variants_spelling);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/gen/"

/* flag: one that the file is compiled with; NULL = none. */
static int emit(const char *source, const char *text, const char *flag, struct buf *out,
                struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    struct strvec flags = {0};
    struct plan *plan = NULL;
    if (flag)
        strvec_push(&flags, flag);
    int status = ir_parse("spelling.c", source, 0, "kernel", &flags, &function, err);
    strvec_release(&flags);
    if (!status) {
        struct model_request request = {.function = function};
        status = model_build(&request, &model, err) || plan_parse(text, &plan, err) ||
                         model_emit(model, plan, out, err)
                     ? -1
                     : 0;
        plan_free(plan);
        model_free(model);
        ir_function_free(function);
    }
    return status;
}

TEST("texts are as expected")
{
    struct cases cases;
    if (!cases_read(DATA "spelling.cases", 1, &cases))
        return;
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        struct buf text = {0};
        struct error err = {0};
        if (check_ok(emit(one->text, case_part(one, "plan"), case_part(one, "flag"),
                          &text, &err),
                     &err))
            check_case(&cases, one, "emitted", buf_str(&text));
        buf_release(&text);
    }
    cases_release(&cases);
}

/* ---- random files in odd layouts ---- */

enum { FILES = 24, SPACING_KINDS = 9 };

static unsigned random_state;

static unsigned random_below(unsigned limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % limit;
}

static const char head[] =
    "#define AT(i, j) ((i) * n + (j))\n"
    "#define SCALE(x) x\n"
    "#define GAIN SCALE(0.1)\n"
    "#define NEGATED -0.25\n"
    "#define TWICE(x) ((x) + (x))\n"
    "#define PLUS +\n"
    "#define BLEND(p, q) 0.5 * (p) + 0.25 * (q)\n"
    "#define BOTH(p, q) (p##q)\n"
    "#define ADD(to, what) (to) += (what)\n"
    "#define LOOP_BOUND(large, small) small\n"
    "#define ROWS LOOP_BOUND(64, n)\n"
    "#define SUM_OF a[AT(i, j)] + b[AT(i, j)]\n"
    "#define MATRICES double *restrict a, double *restrict b, double *restrict c\n"
    "/* kept as it is */   static int   unused_here  (int v){return v ;}\n"
    "\n"
    "void kernel(int n, MATRICES,\n"
    "            double *restrict x, double *restrict y, int *p)\n";

/* `~` is where blanks, lines and comments may be; `@` is a number of its own. */
static const char *const inner[] = {
    "c[AT(i,~j)]~=~SCALE(0.1)~*~(a[AT(i,j~)]~+~b[AT(i,~j)]);",
    "y[i]~+=~TWICE(a[AT(i,~j)])~*~x[j];",
    "c[AT(i,j)]~+=~BLEND(a[AT(i,~j)],~x[j]~*~GAIN)~;",
    "b[AT(i,j)]~=~b[AT(i,~j)]~PLUS~BOTH(x,~)[j];",
    "if~(x[j]~>~GAIN)~y[i]~-=~-x[j];~else~y[i]~+=~1;",
    "if~(a[AT(i,j)]~<~0x1p-1)~{~c[AT(i,j)]~*=~SCALE(2.f);~b[AT(i,j)]~=~0.0;~}",
    "ADD(y[i],~a[AT(i,j)]~-~1e-3);",
    "c[AT(i,~j)]~=~x[BOTH(i,~)]~-~NEGATED;",
    "double~v@~=~SCALE(SUM_OF),~w@~=~GAIN;~c[AT(i,j)]~=~v@~*~w@;",
    "c[AT(i,~j)]~=~(SUM_OF)~*~(i~-~2~*~j~+~1);",
    "x[j]~=~x[j]~*~SCALE((GAIN))~+~(i~&~3);",
};
static const char *const outer[] = {
    "y[i]~=~y[i]~*~GAIN;",
    "y[i]~=~0.0;~p[i]~=~(int)~SCALE(0);",
    "const~double~scale~=~x[i]~*~SCALE(.5);~y[i]~+=~scale;",
};
static const char *const plans[] = {
    "tile(i:3,j:2)",           "unroll_jam(i:2)", "unroll(j:3)",
    "interchange(j,i)",        "reverse(j)",      "tile(j:4) unroll(j:2)",
    "distribute(i)",           "skew(i,j:1)",     "tile(i:4) unroll_jam(i:2)",
    "distribute(i) tile(j:4)", "simd(j)",         "unroll_jam(i:3) simd(j)",
};

/* Comments have numbers, by which they are found again. */
struct file {
    struct buf text;
    struct strvec comment;
    size_t lines;      /* of code */
    size_t begin, end; /* of the nests */
};

static void add_comment(struct file *file, bool line)
{
    strvec_pushf(&file->comment, "why %zu %s", file->comment.nr + 100,
                 random_below(2) ? "\"it's" : "so");
    buf_addf(&file->text, line ? "// %s" : "/* %s */",
             file->comment.v[file->comment.nr - 1]);
}

static void add_blanks(struct file *file, bool comments)
{
    static const char *const blanks[] = {"", " ", " ", " ", "  ", "\n\t\t", "\n      "};
    unsigned kind = random_below(SPACING_KINDS);
    if (kind < ARRAY_SIZE(blanks))
        buf_add(&file->text, blanks[kind]);
    else if (!comments || random_below(3))
        buf_add(&file->text, " ");
    else {
        bool line = random_below(2);
        buf_add(&file->text, " ");
        add_comment(file, line);
        buf_add(&file->text, line ? "\n    " : " ");
    }
}

/* Words stay apart. */
static void add_code(struct file *file, const char *code, bool comments)
{
    file->lines++;
    for (; *code; code++)
        if (*code == '@')
            buf_addf(&file->text, "%zu", file->lines);
        else if (*code != '~')
            buf_add_n(&file->text, code, 1);
        else {
            size_t before = file->text.length;
            add_blanks(file, comments);
            if (file->text.length == before)
                buf_add(&file->text, " ");
        }
}

static void add_line(struct file *file, unsigned width, unsigned depth, const char *code)
{
    static const char *const behind[] = {"\n", "\n", "\n\n", " "};
    if (!random_below(4)) {
        buf_addf(&file->text, "%*s", (int)(width * depth), "");
        add_comment(file, random_below(2));
        buf_add(&file->text, "\n");
    }
    buf_addf(&file->text, "%*s", (int)(width * depth), "");
    add_code(file, code, true);
    if (!random_below(4)) {
        buf_add(&file->text, " ");
        add_comment(file, random_below(2));
        buf_add(&file->text, "\n");
    } else
        buf_add(&file->text, behind[random_below(ARRAY_SIZE(behind))]);
}

static void add_nest(struct file *file, unsigned width)
{
    bool below = random_below(2);
    add_line(file, width, 1,
             below ? "for~(int~i~=~0;~i~<~ROWS;~i++)"
                   : "for~(int~i~=~0;~i~<~ROWS;~++i)~{");
    if (below)
        add_line(file, width, 1, "{");
    if (random_below(2))
        add_line(file, width, 2, outer[random_below(ARRAY_SIZE(outer))]);
    add_line(file, width, 2, "for(int~j=0;j<n;j+=1)~{");
    for (unsigned nr = 1 + random_below(3); nr > 0; nr--) {
        bool own = random_below(2);
        add_line(file, width, 3, own ? "{" : "");
        add_line(file, width, 3 + own, inner[random_below(ARRAY_SIZE(inner))]);
        add_line(file, width, 3, own ? "}" : "");
    }
    add_line(file, width, 2, "}");
    add_line(file, width, 1, "}");
}

static void make_file(struct file *file)
{
    unsigned width = 1 + random_below(8);
    *file = (struct file){0};
    buf_add(&file->text, head);
    buf_addf(&file->text, "{\n%*s(void)unused_here; (void)x,(void)p ;\n", (int)width, "");
    buf_addf(&file->text, "#pragma scop\n");
    file->begin = file->text.length;
    add_nest(file, width);
    file->end = file->text.length;
    buf_add(&file->text, "\n#pragma endscop\n  (void)  y;(void)a; (void)b;(void)c;\n}\n"
                         "/* the   end */ int  odd_layout  ( void ) ;\n");
}

static void release_file(struct file *file)
{
    buf_release(&file->text);
    strvec_release(&file->comment);
}

/* The lines of [text, end) stand in `emitted` in this order. */
static bool has_lines(const char *text, const char *end, const char *emitted)
{
    while (text < end) {
        size_t length = strcspn(text, "\n") + 1;
        while (strncmp(emitted, text, length)) {
            emitted = strchr(emitted, '\n');
            if (!emitted)
                return false;
            emitted++;
        }
        emitted += length;
        text += length;
    }
    return true;
}

/* All but the nests is as it was, and every comment is still there. */
static bool is_kept(const struct file *file, const char *emitted)
{
    const char *text = buf_str(&file->text);
    bool kept = check(has_lines(text, text + file->begin, emitted)) &&
                check(has_lines(text + file->end, text + file->text.length,
                                strstr(emitted, "#pragma endscop") - 1));
    for (size_t i = 0; kept && i < file->comment.nr; i++)
        kept = check_contains(emitted, file->comment.v[i]);
    return kept;
}

TEST("random files keep their text, and compute the same")
{
    static const char compiler[] =
        INFLIGHT_CC " -std=c17 -O1 -ffp-contract=off -fopenmp -Wall -Wno-unknown-pragmas "
                    "-Wno-misleading-indentation -Wno-unused-function -Werror";
    const char *seed = getenv("INFLIGHT_TEST_SEED");
    size_t emitted = 0;
    random_state = seed ? (unsigned)atoi(seed) : 25;
    for (size_t i = 0; i < FILES; i++) {
        struct programs programs;
        struct file file;
        make_file(&file);
        if (!programs_start(&programs, compiler))
            return;
        programs_add(&programs, "as written", buf_str(&file.text));
        for (size_t k = 0; k < ARRAY_SIZE(plans); k++) {
            struct buf text = {0};
            struct error err = {0};
            if (emit(buf_str(&file.text), plans[k], NULL, &text, &err) == 0) {
                emitted++;
                if (!is_kept(&file, buf_str(&text)))
                    check_str(buf_str(&text), buf_str(&file.text));
                programs_add(&programs, plans[k], buf_str(&text));
            } else if (err.status != STATUS_ILLEGAL && err.status != STATUS_USAGE)
                check_str(err.text, "");
            buf_release(&text);
        }
        programs_run(&programs, DATA "run/run.h", "0");
        programs_release(&programs);
        release_file(&file);
    }
    check(emitted > 2 * FILES);
}
