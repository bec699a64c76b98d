/* Prefetches of what is reached under conditions, or at computed addresses: their text,
 * and that no array is read beyond its end. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "variants/model/model.h"

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

#define HEAD                                                                             \
    "void kernel(int n, int *restrict out, const int *restrict key,\n"                   \
    "            const int *restrict table, const int *restrict first)\n{\n"

static const struct {
    const char *body, *plan;
    const char *has, *lacks; /* in the text */
    const char *why;         /* or it is refused */
} cases[] = {
    {"for (int i = 0;\ni < n;\ni++) if (key[i] >= 0) out[i] = table[first[key[i]]];",
     "prefetch(table:3)", "if (key[i_later] >= 0)", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint k = 0;\nwhile (1) {\nif (key[i] < k) "
     "break;\nout[i] = table[first[key[i]]];\nk += 3;\n} }",
     "prefetch(table:3)", "if (1 && key[i_later] >= 0)", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) if (key[i] < 0 || first[key[i]] > 5) out[i] = "
     "1;\nelse out[i] = table[first[key[i]]];",
     "prefetch(table:2)", "if (!(key[i_later] < 0 || first[key[i_later]] > 5))", NULL,
     NULL},
    {"for (int i = 0;\ni < n;\ni++) out[i] = key[i] >= 0 && table[first[key[i]]] > 3;",
     "prefetch(table:2)", "if (key[i_later] >= 0)", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint at = key[i] & 7, steps = 0;\nwhile (table[at] "
     "> 2 && steps < 8) {\nat = (at + 1) & 7;\nsteps++;\n} out[i] = at;\n}",
     "prefetch(table:4)", "&table[key[kernel_min((long)i + 4, n - 1)] & 7], 0, 3);",
     "i_later", NULL},
    /* the element that decides is fetched once: asking what it holds would wait for it */
    {"for (int i = 0;\ni < n;\ni++) {\nint at = key[i] & 7;\nwhile (table[at] != 0 && "
     "table[at] != key[i]) at = (at + 1) & 7;\nout[i] = at;\n}",
     "prefetch(table:4)", "&table[key[kernel_min((long)i + 4, n - 1)] & 7], 0, 3);",
     "i_later", NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint at = key[i] & 7;\nwhile (table[at] != 0 && "
     "table[at] != key[i]) at = (at + 1) & 7;\nout[i] = at;\n}",
     "prefetch(table:4,at:i)", "__builtin_prefetch(&table[key[i_later] & 7], 0, 3);",
     "if (table", NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nshort h = (short)(key[i] * 31);\nh += 7;\ndo "
     "{\nout[i] = table[h & 7];\nh++;\n} while (h % 5);\n}",
     "prefetch(table:4)", "&table[(short)((short)(key[", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) if (key[i] == 1) for (int e = first[i];\ne < first[i "
     "+ 1];\ne++) if (table[key[e] & 7] == 2) {\nout[i] = 5;\nbreak;\n}",
     "prefetch(table:2)", "if (key[i_later] == 1 && first[i_later] < first[i_later + 1])",
     NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) for (int e = first[i];\ne < first[i + 1];\ne++) if "
     "(key[e] >= 0) out[i] += table[first[key[e]]];",
     "prefetch(table:2)", "const int e_later = (long)e + 2 < first[n] ? e + 2 : e;", NULL,
     NULL},
    /* other rows have another i, for which key[i] may not be there */
    {"for (int i = 0;\ni < n;\ni++) for (int e = first[i];\ne < first[i + 1];\ne++) "
     "out[i] += table[key[key[e] < 0 ? 0 : i] & 7];",
     "prefetch(table:2)", "kernel_min((long)e + 2, (long)first[i + 1]", "< first[n]",
     NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint found = 0;\nfor (int s = 0;\ns < 4;\ns++) "
     "found += table[4 * (key[i] & 1) + s] == i;\nout[i] = found;\n}",
     "prefetch(table:9)", "&table[4 * (key[kernel_min((long)i + 9, n - 1)] & 1)], 0, 3);",
     "kernel_min(s", NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nout[i] = 0;\nif (i % 3 == 1) out[i] = table[key[i "
     "- 1] & 7];\n}",
     "prefetch(table:2)", "if (i_later % 3 == 1)", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint low = 0, high = 8;\nwhile (low < high) {\nint "
     "middle = (low + high) / 2;\nif (table[middle] < key[i]) low = middle + 1;\nelse "
     "high = middle;\n} out[i] = low;\n}",
     "prefetch(table:4)", NULL, NULL, "begins with the same element"},
    {"int at = 0;\nfor (int i = 0;\ni < n;\ni++) {\nat = (at + table[at]) & 7;\nout[i] = "
     "at;\n}",
     "prefetch(table:4)", NULL, NULL, "'at' is computed in iterations before"},
    /* later iterations of an outer loop, as a whole */
    {"for (int i = 0;\ni < n;\ni++) for (int k = 0;\nk < 2;\nk++) for (int d = 0;\nd < "
     "4;\nd++) out[i] += table[4 * (first[i + k] & 1) + d];",
     "prefetch(table:2,at:i)",
     "for (int k_ahead = 0; k_ahead < 2; k_ahead++) {\n             "
     "   __builtin_prefetch(&table[4 * (first[i_later + k_ahead] & 1)], 0, 3);\n         "
     "       __builtin_prefetch(&table[4 * (first[i_later + k_ahead] & 1) + 3], 0, 3);",
     "d_ahead", NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint s = 0;\nfor (int e = first[i];\ne < first[i + "
     "1];\ne++) s += table[key[e] & 7];\nout[i] = s;\n}",
     "prefetch(table:3,at:i)",
     "for (int e_ahead = first[i_later]; e_ahead < first[i_later + 1]; e_ahead++)\n      "
     "          __builtin_prefetch(&table[key[e_ahead] & 7], 0, 3);",
     NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) for (int e = first[i + 1] - 1;\ne >= first[i];\ne -= "
     "2) {\nint h = key[e];\nif (h < 0) continue;\nout[i] += table[first[h] & 7];\n}",
     "prefetch(table:1,at:i)", "if (key[e_ahead] >= 0)", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) for (int d = 0;\nd < n - i;\nd++) out[i] += key[d + "
     "i];",
     "prefetch(key:2,at:i)",
     "for (long d_ahead = 0; d_ahead < n - i_later; d_ahead += 16)\n         "
     "       __builtin_prefetch(&key[d_ahead + i_later], 0, 3);\n            if (0 < n - "
     "i_later)\n                __builtin_prefetch(&key[n - 1], 0, 3);",
     NULL, NULL},
    {"for (int i = n - 1;\ni >= 0;\ni--) for (int d = 0;\nd != 3;\nd++) out[i] += "
     "table[first[i] & 7] + table[key[i] & 7];",
     "prefetch(table:2,at:i)", "const int i_later = kernel_max(i - 2, 0);", "ahead",
     NULL},
    {"for (int i = 0;\ni < n;\ni++) for (int d = first[i];\nd < first[i + 1];\nd++) "
     "out[i] "
     "+= table[key[i] & 7];",
     "prefetch(table:2,at:i)", "if (first[i_later] < first[i_later + 1])", "d_ahead",
     NULL},
    /* where the later loops are empty, key[] has no such element */
    {"for (int i = 0;\ni < n;\ni++) for (int d = first[i + 1];\nd < n;\nd++) out[i] += "
     "table[key[first[i + 1]] & 7];",
     "prefetch(table:2,at:i)", "if (first[i_later + 1] < n)", "d_ahead", NULL},
    {"for (int i = 0;\ni < n;\ni++) for (int d = 0;\nd < 4 * (first[i + 1] < n);\nd++) "
     "out[i] += table[4 * (key[first[i + 1]] & 1) + d];",
     "prefetch(table:2,at:i)", "if (0 < 4 * (first[i_later + 1] < n))", NULL, NULL},
    {"for (int i = 0;\ni < n;\ni++) {\nint at = 0;\nfor (int e = first[i];\ne < first[i "
     "+ "
     "1];\ne++) {\nout[i] += table[at & 7];\nat += key[e];\n} }",
     "prefetch(table:2,at:i)", NULL, NULL, "'at' is not known ahead"},
    {"for (int i = 0;\ni < n;\ni++) for (int e = first[i];\ne < first[i + 1];\ne++) "
     "{\nif "
     "(key[e] < 0) break;\nout[i] += table[key[e] & 7];\n}",
     "prefetch(table:2,at:i)", NULL, NULL, "the loop at line 6 may end early"},
    {"for (int i = 0;\ni < n;\ni++) for (int d = 0;\nd < 4;\nd++) out[i] += table[out[i] "
     "& "
     "7];",
     "prefetch(table:2,at:i)", NULL, NULL, "'out', which decides on it, may be written"},
    {"for (int i = 0;\ni < n;\ni++) for (int d = 0;\nd < 8;\nd++) out[i] += table[d];",
     "prefetch(table:2,at:i)", NULL, NULL,
     "each iteration of that loop touches the same elements"},
    {"for (int i = 0;\ni < n;\ni++) for (unsigned d = 4;\nd-- > 0;) out[i] += "
     "table[4 * (key[i] & 1) + d];",
     "prefetch(table:2,at:i)", NULL, NULL, "counts down without a sign"},
    {"for (int i = 0;\ni < n;\ni++) out[i] = table[key[i] & 7];",
     "simd prefetch(table:2,at:i)", NULL, NULL, "that loop works on vectors"},
    {"\n#pragma omp simd\nfor (int i = 0;\ni < n;\ni++) out[i] = table[key[i] & 7];",
     "prefetch(table:2,at:i)", NULL, NULL, "that loop works on vectors"},
    {"for (int i = 0;\ni < n;\ni++) if (out[i] >= 0) out[i] = table[first[out[i]]];",
     "prefetch(table:4)", NULL, NULL, "'out', which decides on it, may be written"},
};

static int emit(const char *body, const char *text, struct buf *out, struct error *err)
{
    struct ir_function *function;
    struct model *model = NULL;
    struct strvec flags = {0};
    struct plan *plan = NULL;
    char *source = xasprintf("%s    %s\n}\n", HEAD, body);
    int status = ir_parse("ahead.c", source, 0, NULL, &flags, &function, err);
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
    free(source);
    return status;
}

static void reached_ones_are_fetched(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct buf out = {0};
        int status = emit(cases[i].body, cases[i].plan, &out, &err);
        if (cases[i].why) {
            check_eq(err.status, STATUS_ILLEGAL);
            check_contains(err.text, cases[i].why);
        } else if (check_ok(status, &err)) {
            check_contains(buf_str(&out), cases[i].has);
            check(!cases[i].lacks || !strstr(buf_str(&out), cases[i].lacks));
        }
        buf_release(&out);
    }
}

/* ---- run, each array exactly as long as the original reads ---- */

static const char main_text[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static int wrong;\n"
    "static int *array(int nr, int times, int add, int mod, int less)\n{\n"
    "    int *a = malloc(nr ? (size_t)nr * sizeof(int) : 1);\n"
    "    for (int i = 0; i < nr; i++)\n        a[i] = (i * times + add) % mod - less;\n"
    "    return a;\n}\n"
    "static void compare(int n, int which)\n{\n"
    "    int lowest = n > 1 ? n / 2 : 1;\n"
    "    int *key = array(n, 7, 3, lowest + 1, 1), *table = array(8, 3, 1, 8, 0);\n"
    "    int *first = array(n + 1, 0, 0, 1, 0), *a = array(n, 1, 0, 9, 2),\n"
    "        *b = array(n, 1, 0, 9, 2);\n"
    "    for (int i = 0; i <= n; i++)\n        first[i] = (i < 8 ? i : 7) < n ? (i < 8 ? "
    "i : 7) : n;\n"
    "    variant[which][0](n, a, key, table, first);\n"
    "    variant[which][1](n, b, key, table, first);\n"
    "    if (memcmp(a, b, (size_t)n * sizeof(int))) {\n"
    "        printf(\"case %d, n = %d\\n\", which, n);\n        wrong = 1;\n    }\n"
    "    free(key), free(table), free(first), free(a), free(b);\n}\n"
    "int main(void)\n{\n    static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 17, 31};\n"
    "    for (int k = 0; k < (int)(sizeof variant / sizeof *variant); k++)\n"
    "        for (int i = 0; i < 9; i++)\n            compare(sizes[i], k);\n"
    "    return wrong;\n}\n";

static void add_case(size_t i, struct buf *source, struct buf *table)
{
    struct error err = {0};
    struct buf out = {0};
    if (!check_ok(emit(cases[i].body, cases[i].plan, &out, &err), &err))
        return;
    buf_addf(source,
             "#define kernel kernel_%zu\n#define kernel_min min_%zu\n%s    %s\n}\n"
             "#undef kernel\n#define kernel new_%zu\n%s\n#undef kernel\n#undef "
             "kernel_min\n",
             i, i, HEAD, cases[i].body, i, buf_str(&out));
    buf_addf(table, "    {kernel_%zu, new_%zu},\n", i, i);
    buf_release(&out);
}

static bool run(const char *const *argv)
{
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    bool ok = check_ok(spawn_run(&request, &outcome, &err), &err);
    if (ok && (outcome.end != SPAWN_EXITED || outcome.code))
        ok = check_str(outcome.out.length ? buf_str(&outcome.out) : buf_str(&outcome.err),
                       "");
    spawn_outcome_release(&outcome);
    return ok;
}

static void nothing_is_read_beyond_its_end(void)
{
    struct buf source = {0}, table = {0};
    struct error err = {0};
    char *dir;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (!cases[i].why)
            add_case(i, &source, &table);
    buf_addf(&source,
             "typedef void kernel_fn(int, int *restrict, const int *restrict, const int "
             "*restrict, const int *restrict);\nstatic kernel_fn *const variant[][2] = "
             "{\n%s};\n%s",
             buf_str(&table), main_text);
    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    char *path = path_join(dir, "main.c"), *program = path_join(dir, "program");
    check_ok(file_write(path, buf_str(&source), source.length, &err), &err);
    const char *const build[] = {INFLIGHT_CC,
                                 "-std=c17",
                                 "-O1",
                                 "-Wall",
                                 "-Wextra",
                                 "-Wno-unused-parameter",
                                 "-Werror",
                                 "-g",
                                 "-fno-sanitize-recover=all",
                                 "-fsanitize=address,undefined",
                                 path,
                                 "-o",
                                 program,
                                 NULL};
    if (run(build))
        run((const char *const[]){program, NULL});
    buf_release(&source);
    buf_release(&table);
    free(path);
    free(program);
    scratch_remove(dir);
}

CU_TestInfo variants_ahead_tests[] = {
    {"what is reached is fetched ahead", reached_ones_are_fetched},
    {"nothing is read beyond its end", nothing_is_read_beyond_its_end},
    CU_TEST_INFO_NULL};
