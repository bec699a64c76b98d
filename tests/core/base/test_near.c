#include <stdint.h>

#include "core/base/text.h"
#include "tests/check.h"

SUITE(base_near);

TEST("letters are counted")
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

TEST("parts are found")
{
    check(text_holds("zen2-epyc7742", "EPYC"));
    check(text_holds("grace", "grace"));
    check(!text_holds("grace", "graces"));
    check(!text_holds("", "x"));
}

TEST("near words are told from others")
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

TEST("a synonym goes before what is near")
{
    static const char *const words[] = {"set", "seed", "cores"};
    static const struct synonym synonyms[] = {{"sees", "cores"}, {"size", "plan"}};
    const size_t nr = sizeof(words) / sizeof(*words);

    check_str(meant_word("SEES", words, nr, synonyms, 2), "cores");
    check_str(meant_word("seeds", words, nr, synonyms, 2), "seed");
    check(!meant_word("size", words, nr, synonyms, 2)); /* "plan" is none of them */
}
