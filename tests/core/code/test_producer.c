/* With which flags a program's file was compiled. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/producer.h"
#include "core/code/source_headers.h"
#include "tests/check.h"

SUITE(code_producer);

TEST("flags that decide speed are kept")
{
    static const struct {
        const char *producer, *want;
    } cases[] = {
        {"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 "
         "-fasynchronous-unwind-tables",
         "-march=x86-64 -O2"},
        {"GNU C17 12.2.0 -march=znver4 -mavx2 -mfma -mprefer-vector-width=256 -g -O3 "
         "-fopenmp-simd",
         "-march=znver4 -mprefer-vector-width=256 -O3 -fopenmp-simd"},
        {"GNU C17 12.2.0 -mavx2 -march=x86-64 -O1 -ffast-math -fdebug-prefix-map=/a=/b",
         "-mavx2 -march=x86-64 -O1 -ffast-math"},
        {"clang version 19.1.7", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *flags = producer_flags(cases[i].producer);
        check_str(flags, cases[i].want);
        free(flags);
    }
}

TEST("it is found in a program")
{
    struct error err = {0};
    struct spawn_outcome outcome;
    char *scratch;
    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    char *source = path_join(scratch, "a b.c"), *program = path_join(scratch, "a");
    const char *const argv[] = {"gcc", "-g", "-O2", source, "-o", program, NULL};
    const struct spawn_request request = {.argv = argv};
    check_ok(file_write(source, "int main(void) { return 0; }\n", 29, &err), &err);
    if (check_ok(spawn_run(&request, &outcome, &err), &err)) {
        char *producer = producer_of(program, "x/a b.c");
        check_contains(producer ? producer : "none", "-O2");
        check(!producer_of(program, "other.c"));
        check(!producer_of(source, "a b.c") && !producer_of("/no/such", "a b.c"));
        free(producer);
        spawn_outcome_release(&outcome);
    }
    free(source);
    free(program);
    scratch_remove(scratch);
}

/* What the words are but for what every gcc on every machine adds. */
static char *told(const char *program, const char *source)
{
    struct strvec command = {0};
    struct buf text = {0};
    char *dir;

    source_command(program, source, &command, &dir);
    for (size_t i = 0; i < command.nr; i++)
        if (!i || text_begins(command.v[i], "-D") || text_begins(command.v[i], "-U") ||
            text_begins(command.v[i], "-std"))
            buf_addf(&text, "%s|", command.v[i]);
    if (dir)
        check_str(path_base(dir), "a folder");
    free(dir);
    strvec_release(&command);
    return buf_detach(&text);
}

TEST("what the command line said, from the debug information")
{
    static const struct {
        const char *flags, *want;
    } cases[] = {
        {"-g3 -std=gnu99 -DA '-DTEXT=\"a b\"' '-DF(x, y)=(x + y)' -DE= -D_X=2 -UA "
         "-fopenmp "
         "-pthread",
         "cc|-std=gnu99|-DA=1|-DTEXT=\"a b\"|-DF(x,y)=(x + y)|-DE=|-D_X=2|-UA|"},
        {"-g3 -gdwarf-4 -gstrict-dwarf -std=c11 -DA=3", "cc|-std=c11|-DA=3|"},
        {"-g -std=gnu11 -DA", "cc|-std=gnu11|"},
        {"-O2", ""},
    };
    struct error err = {0};
    char *root = NULL;

    if (!check_ok(scratch_make(&root, &err), &err))
        return;
    char *dir = path_join(root, "a folder"), *source = path_join(dir, "k.c"),
         *object = path_join(dir, "k");
    static const char text[] = "#include <limits.h>\n#define OWN 1\n"
                               "int main(void)\n{\n    return OWN;\n}\n";
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(source, text, strlen(text), &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *line = xasprintf("gcc %s k.c -o k", cases[i].flags);
        const char *const argv[] = {"sh", "-c", line, NULL};
        struct spawn_request request = {
            .argv = argv, .dir = dir, .timeout_s = PATIENCE_S};
        struct spawn_outcome outcome = {0};
        if (check_ok(spawn_run(&request, &outcome, &err), &err) &&
            check_eq(outcome.code, 0)) {
            char *got = told(object, source);
            check_str(got, cases[i].want);
            free(got);
        }
        spawn_outcome_release(&outcome);
        free(line);
    }
    free(dir);
    free(source);
    free(object);
    scratch_remove(root);
}
