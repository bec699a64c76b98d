/* What a report says of the nodes that judged its variants, and of kinds of nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cluster/kinds.h"
#include "advisor/cluster/share.h"
#include "advisor/report/report.h"
#include "advisor/report/report_nodes.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_nodes);

static json_t *read(const char *quoted)
{
    char *text = xstrdup(quoted);
    json_t *document = NULL;
    struct error err = {0};
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    check_ok(json_read_text(text, "test", NULL, &document, &err), &err);
    free(text);
    return document;
}

#define NODE(name, ms)                                                                   \
    "{'node': '" name "', 'job': '1_1', 'id': '" name "', 'seconds': 10, 'answers': 3,"  \
    "'original_s': {'value': " ms "e-3, 'low': " ms "e-3, 'high': " ms "e-3,"            \
    "'runs': 3, 'provenance': 'clock'}, 'state': 'working', 'why': null}"

static json_t *report_of(const char *nodes)
{
    char *text = xasprintf("{'campaign': {'nodes': [%s], 'node_seconds': 40,"
                           "'variant_node_seconds': 2, 'pruned': 5,"
                           "'saved_node_seconds': 10}}",
                           nodes);
    json_t *report = read(text);
    free(text);
    return report;
}

static void check_sentences(const char *nodes, const char *scatter, const char *slow)
{
    json_t *report = report_of(nodes);
    char *one = report_scatter(report), *two = report_slow_node(report);
    check(scatter ? one && strstr(one, scatter) : !one);
    check(slow ? two && strstr(two, slow) : !two);
    free(one);
    free(two);
    json_decref(report);
}

TEST("nodes that agree, one that is slow by itself, too few to tell")
{
    check_sentences(NODE("a", "10"), NULL, NULL);
    check_sentences(NODE("a", "10") "," NODE("b", "13"), "2 nodes (30 % apart)", NULL);
    check_sentences(NODE("a", "10") "," NODE("b", "10.2") "," NODE("c", "10.1"),
                    "3 nodes (2 % apart)", NULL);
    check_sentences(NODE("a", "10") "," NODE("b", "10.2") "," NODE("c", "15"),
                    "50 % apart", "c takes 1.47 times as long");
    /* A worker that came again is the same node. */
    check_sentences(NODE("a", "10") "," NODE("a", "10"), NULL, NULL);
}

static void add_kind(struct kinds *kinds, const char *hello, const char *report)
{
    json_t *told = read(hello);
    struct kind *kind = kinds_of(kinds, "/folder", told);
    kind->report = read(report);
    report_settle(kind->report);
    json_decref(told);
}

#define BETWEEN(value, low, high) "{'value': " value ", 'low': " low ", 'high': " high "}"
#define KIND(winner, other, gain, mshrs)                                                 \
    "{'command': 'tune', 'session': 1, 'kernel': {'function': 'f', 'file': 'f.c'},"      \
    "'baseline': {'time_ns': {'median': 1e7}}, 'best': {'plan': '" winner "'},"          \
    "'source_gain': {'value': 2, 'low': 1.9, 'high': 2.1},"                              \
    "'profile': {'l1_mshrs': {'used': " BETWEEN(                                         \
        mshrs, mshrs, mshrs) "}},"                                                       \
                             "'variants': [{'plan': '', 'outcome': 'ok'},"               \
                             " {'plan': '" other "', 'outcome': 'ok',"                   \
                             "  'gain': {'value': " gain ", 'low': " gain                \
                             ", 'high': " gain "}}]}"

TEST("kinds side by side: whose plan wins where, and the limits")
{
    struct kinds kinds = {0};
    struct buf text = {0};
    add_kind(&kinds, "{'kind': 'x', 'cpu': 'amd-26-2', 'cpu_model': 'X', 'cores': 2}",
             KIND("tile(i:8)", "simd", "1.25", "40"));
    add_kind(&kinds, "{'kind': 'y', 'cpu': 'amd-26-2', 'cpu_model': 'X', 'cores': 2}",
             KIND("simd", "unroll(i:4)", "1.1", "16"));
    check_eq(kinds.nr, 2);
    check_str(kinds.item[0].name, "amd-26-2-2c");
    check_str(kinds.item[1].name, "amd-26-2-2c-2");
    kinds_text(&kinds, &text);
    check_contains(buf_str(&text), "Different plans win on different kinds:");
    check_contains(buf_str(&text),
                   "on amd-26-2-2c the winner of amd-26-2-2c-2, simd, was not measured: "
                   "it came when the search there had ended");
    check_contains(buf_str(&text),
                   "L1 miss queue (MSHRs): amd-26-2-2c 40, amd-26-2-2c-2 16");
    json_t *document = kinds_json(&kinds);
    check_eq(json_array_size(json_object_get(document, "kinds")), 2);
    json_decref(document);
    buf_release(&text);
    kinds_release(&kinds);
}

/* What a kind's search says of the winner of the other one: its name, plan, `rest`. */
#define VISITED(mshrs, winner, other, plan, rest)                                        \
    "{'command': 'tune', 'session': 1, 'kernel': {'function': 'f', 'file': 'f.c'},"      \
    "'baseline': {'time_ns': {'median': 1e7}}, 'best': {'plan': '" winner "'},"          \
    "'cause': {'cause': 'l1_mshrs', 'sentence': 's'},"                                   \
    "'source_gain': {'value': 2, 'low': 1.9, 'high': 2.1},"                              \
    "'profile': {'l1_mshrs': {'used': " mshrs "}, 'simd_bytes': " mshrs "},"             \
    "'variants': [{'plan': '', 'outcome': 'ok'}],"                                       \
    "'others': [{'kind': '" other "', 'plan': '" plan "', " rest "}]}"
#define MEASURED(gain, over)                                                             \
    "'end': 'measured', 'gain': " gain ", 'over_winner': " over ", 'reason': null"
#define HELLO(key, cpu)                                                                  \
    "{'kind': '" key "', 'cpu': '" cpu "', 'cpu_model': 'X', 'cores': 2}"

/* As a text with all sentences. */
static char *said_of(const char *on_a, const char *on_b)
{
    struct kinds kinds = {0};
    struct strvec sentences = {0};
    add_kind(&kinds, HELLO("x", "a"), on_a);
    add_kind(&kinds, HELLO("y", "b"), on_b);
    kinds_sentences(&kinds, &sentences);
    char *text = strvec_join(&sentences, "\n");
    strvec_release(&sentences);
    kinds_release(&kinds);
    return text;
}

TEST("each kind's winner on the other: measured, and why they differ")
{
    char *text = said_of(
        VISITED(BETWEEN("40", "38", "42"), "tile(i:8)", "b-2c", "simd",
                MEASURED(BETWEEN("1.25", "1.2", "1.3"), BETWEEN("0.5", "0.4", "0.6"))),
        VISITED(BETWEEN("16", "16", "16"), "simd", "a-2c", "tile(i:8)",
                "'end': 'refused', 'gain': null, 'over_winner': null,"
                "'reason': 'no vectors'"));
    check_contains(text, "on a-2c the winner of b-2c, simd, gains 1.25x (1.20 to 1.30); "
                         "its own, tile(i:8), gains 2.00x (1.90 to 2.10), and measured "
                         "beside it is 2.00x as fast (1.67 to 2.50)");
    check_contains(text, "on b-2c the winner of a-2c, tile(i:8), cannot be used: no "
                         "vectors");
    /* What the limit is not about is not named. */
    check_contains(text, "; this differs: L1 miss queue (MSHRs): 40 and 16");
    check(!strstr(text, "vector width"));
    free(text);
}

TEST("limits within their intervals are no reason; a better plan from there is said")
{
    char *text = said_of(
        VISITED(BETWEEN("40", "10", "50"), "tile(i:8)", "b-2c", "simd",
                MEASURED(BETWEEN("1.9", "1.8", "2"), BETWEEN("1", "0.9", "1.1"))),
        VISITED(BETWEEN("16", "16", "16"), "simd", "a-2c", "tile(i:8)",
                MEASURED(BETWEEN("1.9", "1.8", "2"), BETWEEN("1", "0.9", "1.1"))));
    check_contains(text, "neither is faster than the other beyond the noise "
                         "(0.90 to 1.10)");
    check_contains(text, "no limit that this is about differs beyond its interval");
    free(text);
    text = said_of(
        VISITED(BETWEEN("40", "10", "50"), "tile(i:8)", "b-2c", "simd",
                MEASURED(BETWEEN("1.9", "1.8", "2"), BETWEEN("0.7", "0.6", "0.8"))),
        VISITED(BETWEEN("16", "16", "16"), "simd", "a-2c", "tile(i:8)",
                MEASURED(BETWEEN("2.9", "2.8", "3"), BETWEEN("1.5", "1.4", "1.6"))));
    check_contains(text, "but measured beside it the other kind's is 1.50x as fast "
                         "(1.40 to 1.60)");
    check_contains(text,
                   "so the winner of a-2c, tile(i:8), is the fastest known on both");
    check(!strstr(text, "why:"));
    free(text);
}

TEST("the same plan on all kinds, and what nobody measured")
{
    char *text = said_of(VISITED("null", "simd", "b-2c", "simd",
                                 "'end': 'same', 'gain': null, 'over_winner': null,"
                                 "'reason': null"),
                         VISITED("null", "simd", "a-2c", "simd",
                                 "'end': 'same', 'gain': null, 'over_winner': null,"
                                 "'reason': null"));
    check_str(text, "The same plan wins on all kinds: simd; it gains on a-2c 2.00x (1.90 "
                    "to 2.10), on b-2c 2.00x (1.90 to 2.10)");
    free(text);
    text = said_of(VISITED("null", "simd", "b-2c", "",
                           "'end': 'as-written', 'gain': null, 'over_winner': null,"
                           "'reason': null"),
                   VISITED("null", "", "a-2c", "simd",
                           "'end': 'not-measured', 'gain': null, 'over_winner': null,"
                           "'reason': 'it was interrupted'"));
    check_contains(text, "on a-2c the winner of b-2c, the kernel as written, gains "
                         "nothing; its own, simd, gains 2.00x");
    check_contains(text, "on b-2c the winner of a-2c, simd, was not measured: it was "
                         "interrupted");
    free(text);
}

TEST("a search that was interrupted has measured no other's winner")
{
    char *text = said_of(
        "{'command': 'tune', 'interrupted': true, 'best': {'plan': 'unroll(i:2)'}}",
        VISITED("null", "simd", "a-2c", "", "'end': 'as-written'"));
    check_contains(text, "on a-2c the winner of b-2c, simd, was not measured: the search "
                         "there was interrupted");
    free(text);
}

TEST("node-hours are shared by what each search has used")
{
    struct kinds kinds = {0};
    struct kind item[3] = {
        {.name = (char *)"a"}, {.name = (char *)"b"}, {.name = (char *)"c"}};
    double may[3];
    kinds.item = item;
    kinds.nr = 1;
    share_node_s(300, &kinds, may);
    check_near(may[0], 300, 1e-6);
    kinds.nr = 3;
    share_node_s(300, &kinds, may);
    for (size_t i = 0; i < 3; i++)
        check_near(may[i], 100, 1e-6);
    /* One has used more than a third before the others came. */
    item[0].node_s = 200;
    share_node_s(300, &kinds, may);
    check_near(may[0], 200, 1e-6);
    check_near(may[1], 50, 1e-6);
    /* What one that has ended did not use is for the others. */
    item[0].ended = true;
    item[0].node_s = 20;
    item[1].node_s = 60;
    share_node_s(300, &kinds, may);
    check_near(may[0], 0, 1e-6);
    check_near(may[1], 140, 1e-6);
    check_near(may[2], 140, 1e-6);
    /* All is used up. */
    item[1].node_s = 400;
    share_node_s(300, &kinds, may);
    check_near(may[1], 400, 1e-6);
    check_near(may[2], 0, 1e-6);
    share_node_s(INFINITY, &kinds, may);
    check(isinf(may[1]));
}

TEST("searches are told of each other's winners, and of none to come")
{
    struct kind item[3] = {
        {.name = (char *)"a", .winner = (char *)"simd"},
        {.name = (char *)"b"},
        {.name = (char *)"c", .ended = true, .trouble = (char *)"it broke"}};
    struct kinds kinds = {.item = item, .nr = 3};
    json_t *told = share_json(&kinds, &item[1], INFINITY),
           *want = read("{'message': 'told', 'node_s': null, 'others': ["
                        "{'name': 'a', 'plan': 'simd', 'why': null},"
                        "{'name': 'c', 'plan': null, 'why': 'it broke'}]}");
    check(json_equal(told, want));
    json_decref(told);
    json_decref(want);
    told = share_json(&kinds, &item[0], 12);
    check_near(json_number_value(json_object_get(told, "node_s")), 12, 1e-9);
    json_decref(told);
}
