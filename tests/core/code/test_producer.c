/* With which flags a program's file was compiled. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/producer.h"
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
