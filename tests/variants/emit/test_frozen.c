/* What rewritten code rests on: which checks it holds, and what they refuse. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(variants_frozen);

static const char header[] = "#ifndef SIZES_H\n"
                             "#define SIZES_H\n"
                             "#ifdef SMALL\n"
                             "typedef float real;\n"
                             "#else\n"
                             "typedef double real;\n"
                             "#endif\n"
                             "#ifndef ROWS\n"
                             "#define ROWS 64\n"
                             "#endif\n"
                             "enum { COLUMNS = ROWS * 2 };\n"
                             "static inline real half(real x)\n{\n"
                             "#ifdef EXACT\n"
                             "    return x / 2;\n"
                             "#else\n"
                             "    return x * 0.5;\n"
                             "#endif\n}\n"
                             "#endif\n";

static const char kernel[] = "#include \"frozen.h\"\n"
                             "#include <float.h>\n"
                             "#define TINY DBL_EPSILON\n"
                             "#ifdef TWICE\n"
                             "#define GROWN(x) (2 * (x))\n"
                             "#else\n"
                             "#define GROWN(x) (x)\n"
                             "#endif\n"
                             "real table[ROWS][COLUMNS];\n"
                             "static double plain[10];\n"
                             "void kernel(const real *restrict a)\n{\n"
                             "    for (int i = 0; i < ROWS; i++)\n"
                             "        for (int j = 0; j < 128; j++) {\n"
                             "#ifdef ADDED\n"
                             "            table[i][j] += ADDED;\n"
                             "#endif\n"
                             "            table[i][j] += half(GROWN(a[j])) + TINY + "
                             "plain[1];\n"
                             "        }\n"
                             "}\n";

/* The kernel with a plan, in a file; NULL after a reported failure. */
static char *rewritten(const char *plan_text, struct buf *text)
{
    char *source = fixture_file("frozen.c", kernel);
    char *headers = fixture_file("frozen.h", header), *path = NULL;
    struct kernel_request request = {.path = source, .function = "kernel"};
    struct kernel *opened = NULL;
    struct plan *plan = NULL;
    struct error err = {0};

    if (check_ok(kernel_open(&request, &opened, &err), &err) &&
        check_ok(plan_parse(plan_text, &plan, &err), &err) &&
        check_ok(kernel_emit(opened, plan, NULL, text, &err), &err))
        path = fixture_file("rewritten.c", buf_str(text));
    plan_free(plan);
    kernel_free(opened);
    free(headers);
    free(source);
    return path;
}

/* What the compiler says of the file with the flag; empty = it takes it. */
static void compiled(const struct toolchain *toolchain, const char *path,
                     const char *flag, struct buf *output)
{
    const char *const argv[] = {
        toolchain->compiler, "-fsyntax-only", "-Wall", "-Werror", flag, path, NULL};
    struct spawn_request request = {.argv = argv, .output_limit = 1 << 20};
    struct spawn_outcome outcome;
    struct error err = {0};

    if (!check_ok(spawn_run(&request, &outcome, &err), &err))
        return;
    if (outcome.end != SPAWN_EXITED || outcome.code != 0)
        buf_add(output, buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
}

TEST("other builds are refused")
{
    static const struct {
        const char *flag, *output; /* NULL = taken */
    } cases[] = {
        {"-DNOTHING", NULL},
        {"-DROWS=64", NULL},
        {"-DROWS=65", "tuned where ROWS is 64: build with that, or run inflight tune"},
        {"-DROWS=32", "tuned where table is double[64][128]"},
        {"-DSMALL", "tuned where real is double"},
        {"-DEXACT", "tuned where #ifdef EXACT is left out"},
        {"-DADDED=3", "tuned where #ifdef ADDED is left out"},
        {"-DTWICE", "tuned where GROWN(a[j]) is (a[j])"},
    };
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    struct buf text = {0};
    char *path = rewritten("interchange(j,i)", &text);

    for (size_t i = 0; path && i < ARRAY_SIZE(cases); i++)
        for (size_t k = 0; k < nr; k++) {
            struct buf output = {0};

            compiled(&toolchain[k], path, cases[i].flag, &output);
            if (cases[i].output)
                check_contains(buf_str(&output), cases[i].output);
            else
                check_str(buf_str(&output), "");
            buf_release(&output);
        }
    buf_release(&text);
    free(path);
}

/* What only the text itself can change is not checked, nor is what was not rewritten. */
TEST("only what can change is checked")
{
    struct buf text = {0};
    char *path = rewritten("interchange(j,i)", &text);

    check(!strstr(buf_str(&text), "plain is"));
    check(!strstr(buf_str(&text), "SIZES_H"));
    free(path);
    buf_reset(&text);
    path = rewritten("", &text);
    check_str(buf_str(&text), kernel);
    free(path);
    buf_release(&text);
}
