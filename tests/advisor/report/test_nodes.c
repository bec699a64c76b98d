/* What a report says of the nodes that judged its variants, and of kinds of nodes. */
#include <stdlib.h>
#include <string.h>

#include "advisor/cluster/kinds.h"
#include "advisor/report/report.h"
#include "advisor/report/report_nodes.h"
#include "advisor/report/report_verdict.h"
#include "core/base/buf.h"
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

#define KIND(winner, other, gain, mshrs)                                                 \
    "{'command': 'tune', 'session': 1, 'kernel': {'function': 'f', 'file': 'f.c'},"      \
    "'baseline': {'time_ns': {'median': 1e7}}, 'best': {'plan': '" winner "'},"          \
    "'source_gain': {'value': 2, 'low': 1.9, 'high': 2.1},"                              \
    "'profile': {'l1_mshrs': {'used': {'value': " mshrs "}}},"                           \
    "'variants': [{'plan': '', 'outcome': 'ok'},"                                        \
    " {'plan': '" other "', 'outcome': 'ok',"                                            \
    "  'gain': {'value': " gain ", 'low': " gain ", 'high': " gain "}}]}"

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
    check_contains(buf_str(&text), "Each kind has a plan of its own");
    check_contains(buf_str(&text), "on amd-26-2-2c the winner of amd-26-2-2c-2, simd, "
                                   "gains 1.25x");
    check_contains(buf_str(&text), "tile(i:8), was not measured");
    check_contains(buf_str(&text),
                   "L1 miss queue (MSHRs): amd-26-2-2c 40, amd-26-2-2c-2 16");
    json_t *document = kinds_json(&kinds);
    check_eq(json_array_size(json_object_get(document, "kinds")), 2);
    json_decref(document);
    buf_release(&text);
    kinds_release(&kinds);
}
