/*
 * Checks for CUnit tests that say what they got and what they wanted. Each evaluates its
 * arguments once and goes on after a failure; its value is true if it held, for `if
 * (!check_ok(...)) return;`.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <CUnit/CUnit.h>
#include <stdbool.h>

#include "core/base/error.h"

/*
 * A file of tests:
 *
 *     SUITE(base_json);
 *
 *     TEST("what is so")
 *     {
 *         check(...);
 *     }
 */
#define SUITE(name) static const char suite_of_file[] = #name
#define TEST(what)  TEST_AT_(what, __LINE__)

#define TEST_AT_(what, line)    TEST_NAMED_(what, line)
#define TEST_NAMED_(what, line) TEST_OF_(what, test_at_##line)
#define TEST_OF_(what, function)                                                         \
    static void function(void);                                                          \
    static void __attribute__((constructor)) function##_is_there(void)                   \
    {                                                                                    \
        test_add(suite_of_file, what, function);                                         \
    }                                                                                    \
    static void function(void)
void test_add(const char *suite, const char *what, void (*test)(void));

/* In the preset sanitize our own code is looked at. What compilers and other programs
 * make of a text is the same there as in the other presets, where it is tried. */
#ifdef __SANITIZE_ADDRESS__
enum { ONLY_OWN_CODE = 1 };
#else
enum { ONLY_OWN_CODE = 0 };
#endif

#define HERE __LINE__, __FILE__

/* Seconds after which a program that must end by itself is taken for a hang. Nobody waits
 * so long on the busiest machine: no limit of a test may be near to what the work takes.
 */
enum { PATIENCE_S = 900 };

#define check(condition)           check_true_at((condition), #condition, HERE)
#define check_eq(got, want)        check_eq_at((long long)(got), (long long)(want), #got, HERE)
#define check_str(got, want)       check_str_at((got), (want), #got, HERE)
#define check_contains(text, part) check_contains_at((text), (part), #text, HERE)
/* |got - want| <= relative * |want|; exact for 0. */
#define check_near(got, want, relative)                                                  \
    check_near_at((got), (want), (relative), #got, HERE)
/* A call of the 0-or-minus-one kind; `err` (may be NULL) says why it failed. The error is
 * cleared. */
#define check_ok(call, err) check_ok_at((call), (err), #call, HERE)
/* It must fail with this status and with `part` in its text. The error is cleared. */
#define check_fails(call, err, status, part)                                             \
    check_fails_at((call), (err), (status), (part), #call, HERE)

bool check_true_at(bool held, const char *what, int line, const char *file);
bool check_eq_at(long long got, long long want, const char *what, int line,
                 const char *file);
bool check_str_at(const char *got, const char *want, const char *what, int line,
                  const char *file);
bool check_contains_at(const char *text, const char *part, const char *what, int line,
                       const char *file);
bool check_near_at(double got, double want, double relative, const char *what, int line,
                   const char *file);
bool check_ok_at(int result, struct error *err, const char *what, int line,
                 const char *file);
bool check_fails_at(int result, struct error *err, enum status status, const char *part,
                    const char *what, int line, const char *file);

/* `got` is what the file holds; with UPDATE_GOLDEN in the environment it is written
 * first.
 */
#define check_golden(path, got) check_golden_at((path), (got), #got, HERE)
bool check_golden_at(const char *path, const char *got, const char *what, int line,
                     const char *file);

/* This test cannot be made on this machine; the run counts it apart from the passed ones.
 * Then return. */
void check_skip(const char *why);
int check_skipped_nr(void);

#endif
