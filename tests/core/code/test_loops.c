/* Loops of machine code, from made-up control flow, and the loops of the source that they
 * come from. */
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/code/code.h"
#include "core/code/machine_loops.h"
#include "tests/check.h"

SUITE(code_loops);

enum { code_max = 24 };

/* A function as a text: instruction i at address 100 + i. n next, c<t> conditional to t,
 * j<t> jump to t, i a jump through a table, e the end. */
static size_t read_code(const char *text, struct machine_instruction *code)
{
    size_t nr = 0;

    for (; *text; text += strspn(text, " 0123456789")) {
        static const char letters[] = "ncjie";
        static const enum decoded_flow flow[] = {FLOW_NEXT, FLOW_CONDITIONAL, FLOW_JUMP,
                                                 FLOW_JUMP, FLOW_END};
        size_t kind = (size_t)(strchr(letters, *text) - letters);
        uint64_t target = 0;

        for (text++; *text >= '0' && *text <= '9'; text++)
            target = 10 * target + (uint64_t)(*text - '0');
        code[nr] = (struct machine_instruction){
            100 + nr, flow[kind], kind == 1 || kind == 2 ? 100 + target : 0};
        nr++;
    }
    return nr;
}

/* Each instruction's innermost loop as a letter, '.' = none; letters in order of
 * appearance. */
static void loops_of(const char *text, char out[code_max + 1])
{
    struct machine_instruction code[code_max];
    int loop[code_max], name[code_max], names = 0;
    size_t nr = read_code(text, code);

    memset(name, -1, sizeof(name));
    machine_loops_find(code, nr, loop);
    for (size_t i = 0; i < nr; i++) {
        if (loop[i] >= 0 && name[loop[i]] < 0)
            name[loop[i]] = names++;
        out[i] = loop[i] < 0 ? '.' : (char)('a' + name[loop[i]]);
    }
    out[nr] = 0;
}

TEST("loops are found")
{
    static const struct {
        const char *code, *want, *what;
    } cases[] = {
        {"n n e", "...", "none"},
        {"n n n c1 e", ".aaa.", "one"},
        {"c0 e", "a.", "of one instruction"},
        {"n n n n c2 n c1 e",
         ".abbba"
         "a.",
         "nested"},
        {"n c4 n j1 e", ".aaa.", "tested at its beginning"},
        {"n c3 n n c1 e", ".aaaa.", "two ways through it"},
        {"n n c1 n c1 e", ".aaaa.", "two ways back are one loop"},
        {"n n c1 n n c4 e", ".aa.bb.", "one behind the other"},
        /* a jump into the middle: neither block dominates the other */
        {"c3 n n n c1 e", "......", "with two ways in is none"},
        /* a switch: the cases are led to by nothing else */
        {"n i n j6 n j6 c0 e", "aaaaaaa.", "a switch inside"},
        /* code for exceptions behind the end, led to by nothing */
        {"n n c1 e n c4 e", ".aa.bb.", "landing pads"},
        {"n j4 n n n c3 e", "...aaa.", "padding in front of it, behind a jump"},
        {"n c9 e", "...", "a jump out of the function"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char got[code_max + 1], what[64], want[64];

        loops_of(cases[i].code, got);
        snprintf(what, sizeof(what), "%s: %s", cases[i].what, got);
        snprintf(want, sizeof(want), "%s: %s", cases[i].what, cases[i].want);
        check_str(what, want);
    }
}

TEST("nothing is no function")
{
    check_eq(machine_loops_find(NULL, 0, NULL), 0);
}

static const char source[] = "void f(int n)\n"                     /* 1 */
                             "{\n"                                 /* 2 */
                             "    for (int j = 0; j < n; j++) {\n" /* 3 */
                             "        /* for each */\n"            /* 4 */
                             "        puts(\"for\"); // while\n"   /* 5 */
                             "        before(n);\n"                /* 6 */
                             "        while (n--)\n"               /* 7 */
                             "            a[n] = 1;\n"             /* 8 */
                             "    }\n"                             /* 9 */
                             "}\n";                                /* 10 */

TEST("the loop of the source")
{
    static const struct {
        const char *text, *language;
        int line[3], nr, from, want;
    } cases[] = {
        {source, "C", {7, 8}, 2, 1, 7},
        {source, "C", {8}, 1, 1, 7},
        {source, NULL, {5, 6}, 2, 1, 3}, /* words in comments and texts are none */
        {source, "C", {3, 6, 7}, 3, 1, 3},
        {source, "C", {2}, 1, 1, 0},
        {source, "C", {8}, 1, 8, 0}, /* not above the function */
        {source, "C", {99}, 1, 98, 0},
        {source, "C", {0}, 0, 1, 0},
        {"", "C", {1}, 1, 1, 0},
        {"a\n do i = 1, n\n  x(i) = 0\n end do\n", "Fortran", {3}, 1, 1, 2},
        {"a\n DO i = 1, n\n  x(i) = 0\n END DO\n", "Fortran", {3, 4}, 2, 1, 2},
        {"fn f() {\n    loop {\n x();\n } }\n", "Rust", {3}, 1, 1, 2},
        {"int forty;\nint dont(int x);\n", "C", {1, 2}, 2, 1, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(loop_source_line(cases[i].text, cases[i].language, cases[i].line,
                                  (size_t)cases[i].nr, cases[i].from),
                 cases[i].want);
}
