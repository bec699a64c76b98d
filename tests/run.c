/*
 * Runs the suites of suites.def, or those named on the command line:
 *
 *     $ build/dev/inflight_tests base_json
 *     ...
 *     9 passed, 0 failed
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "tests/check.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)

#ifdef ONE_SUITE
extern CU_TestInfo JOIN(ONE_SUITE, _tests)[];
static const CU_SuiteInfo suites[] = {
    {.pName = TEXT(ONE_SUITE), .pTests = JOIN(ONE_SUITE, _tests)},
};
#else
#define SUITE(name) extern CU_TestInfo name##_tests[];
#include "tests/suites.def"
#undef SUITE
static const CU_SuiteInfo suites[] = {
#define SUITE(name) {.pName = #name, .pTests = name##_tests},
#include "tests/suites.def"
#undef SUITE
};
#endif

static int register_suite(CU_SuiteInfo suite)
{
    CU_SuiteInfo list[] = {suite, CU_SUITE_INFO_NULL};

    return CU_register_suites(list) == CUE_SUCCESS ? 0 : -1;
}

static int register_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(suites); i++)
        if (strcmp(suites[i].pName, name) == 0)
            return register_suite(suites[i]);
    fprintf(stderr, "no suite '%s'; suites.def has the names\n", name);
    return -1;
}

static int register_wanted(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (register_named(argv[i]))
            return -1;
    for (size_t i = 0; argc == 1 && i < ARRAY_SIZE(suites); i++)
        if (register_suite(suites[i]))
            return -1;
    return 0;
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
