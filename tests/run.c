/*
 * Runs all suites, or those named on the command line:
 *
 *     $ build/dev/inflight_tests base_json
 *     ...
 *     9 passed, 0 failed
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "tests/check.h"

/* In the order of the files that were linked, and of their lines. */
static struct test {
    const char *suite, *what;
    void (*run)(void);
} tests[4096];
static size_t test_nr;

void test_add(const char *suite, const char *what, void (*run)(void))
{
    if (test_nr == ARRAY_SIZE(tests))
        abort();
    tests[test_nr++] = (struct test){suite, what, run};
}

/* NULL = all */
static int register_tests(const char *suite)
{
    CU_pSuite registered = NULL;
    size_t found = 0;

    for (size_t i = 0; i < test_nr; i++) {
        if (suite && strcmp(tests[i].suite, suite) != 0)
            continue;
        if (i == 0 || found == 0 || strcmp(tests[i].suite, tests[i - 1].suite) != 0)
            registered = CU_add_suite(tests[i].suite, NULL, NULL);
        if (!registered || !CU_add_test(registered, tests[i].what, tests[i].run)) {
            fprintf(stderr, "%s: '%s': %s\n", tests[i].suite, tests[i].what,
                    CU_get_error_msg());
            return -1;
        }
        found++;
    }
    if (found == 0)
        fprintf(stderr, "no suite '%s'; ctest -N lists them\n", suite ? suite : "");
    return found ? 0 : -1;
}

static int register_wanted(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (register_tests(argv[i]))
            return -1;
    return argc == 1 ? register_tests(NULL) : 0;
}

/* Prints the counts; 77 tells ctest that every test was skipped. */
static int summarize(void)
{
    unsigned failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
    unsigned skipped = (unsigned)check_skipped_nr();
    unsigned run = CU_get_number_of_tests_run();
    unsigned passed = run - CU_get_number_of_tests_failed();

    passed -= skipped < passed ? skipped : passed;
    if (skipped)
        printf("%u skipped\n", skipped);
    printf("%u passed, %u failed\n", passed, failed);
    if (failed || run == 0)
        return EXIT_FAILURE;
    return passed == 0 ? 77 : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int result = EXIT_FAILURE;

    setvbuf(stdout, NULL, _IOLBF, 0);
    umask(022); /* what tests make is to be believed (core/files/trust.h) */
    if (CU_initialize_registry() != CUE_SUCCESS)
        return EXIT_FAILURE;
    if (register_wanted(argc, argv) == 0) {
        CU_basic_set_mode(CU_BRM_VERBOSE);
        CU_basic_run_tests();
        result = summarize();
    }
    CU_cleanup_registry();
    return result;
}
