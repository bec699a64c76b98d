#include <CUnit/CUnit.h>
#include <stdint.h>

#include "core/base/near.h"
#include "tests/check.h"

static void letters_are_counted(void)
{
    static const struct {
        const char *a, *b;
        size_t off;
    } cases[] = {{"", "", 0},           {"skl", "skl", 0}, {"SKL", "skl", 0},
                 {"slk", "skl", 1},     {"ab", "ba", 1},   {"abc", "ca", 3},
                 {"", "knl", 3},        {"knl", "", 3},    {"kitten", "sitting", 3},
                 {"a64fxx", "a64fx", 1}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_eq(letters_between(cases[i].a, cases[i].b), cases[i].off);
}

static void parts_are_found(void)
{
    check(text_holds("zen2-epyc7742", "EPYC"));
    check(text_holds("grace", "grace"));
    check(!text_holds("grace", "graces"));
    check(!text_holds("", "x"));
}

static void near_words_are_told_from_others(void)
{
    static const struct {
        const char *word, *meant;
        bool near;
    } cases[] = {
        {"slk", "skl", true},
        {"latency", "latency_ns", true}, /* one holds the other */
        {"memory_latency_ns_", "memory_latency_ns", true},
        {"epyc", "zen2-epyc7742", true},
        {"graviton", "grace", false},
        {"n", "x", false},                 /* nothing of it is left */
        {"on", "cores_sharing_on", false}, /* too short a part */
        {"colour", "curves", false},
        {"name", "none", false},
        {"claimd_byts", "claimed_bytes", true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_eq(word_distance(cases[i].word, cases[i].meant) != SIZE_MAX, cases[i].near);
    check(word_distance("latency", "latency_ns") > word_distance("latncy", "latency"));
}

CU_TestInfo base_near_tests[] = {
    {"letters are counted", letters_are_counted},
    {"parts are found", parts_are_found},
    {"near words are told from others", near_words_are_told_from_others},
    CU_TEST_INFO_NULL,
};
