/* Two profiles side by side. */
#include "advisor/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base/buf.h"
#include "tests/check.h"
#include "tests/core/machine/machine_by_hand.h"

SUITE(advisor_compare);

static const struct comparison_row *find(const struct comparison *comparison,
                                         const char *group, const char *name)
{
    for (size_t i = 0; i < comparison->row_nr; i++)
        if (!strcmp(comparison->row[i].group, group) &&
            !strcmp(comparison->row[i].name, name))
            return &comparison->row[i];
    check_str(name, "a row of the comparison");
    return &comparison->row[0];
}

TEST("ratios and intervals")
{
    struct machine a = fixture_whole(), b = fixture_whole();
    struct comparison got;
    const struct comparison_row *row;

    b.memory_latency_ns = probed(196);
    b.level[1].one_core.read_gbs = probed(101);
    b.node_read_gbs = probed(103); /* of 95: the values lie outside, the ends meet */
    b.cores = 8;
    compare_machines(&a, &b, &got);
    row = find(&got, "memory", "unloaded latency");
    check_near(row->ratio.value, 2, 1e-9);
    check_str(comparison_word(row), "apart");
    row = find(&got, "L2, one core", "read");
    check_near(row->ratio.value, 1.01, 1e-9);
    check_str(comparison_word(row), "overlap");
    check_str(comparison_word(find(&got, "memory", "read, all cores")), "overlap");
    check_near(find(&got, "core", "cores")->ratio.value, 2, 1e-9);
    check_near(find(&got, "memory, one core", "random lines")->a.value, 300, 1e-9);
    check_near(find(&got, "100 % reads", "curve ends at")->a.low, 98, 1e-9);
    check_near(find(&got, "50 % reads, n.t. stores", "latency there")->b.value, 180,
               1e-9);
    check_near(find(&got, "double, all cores", "fused")->b.value, 192, 1e-9);
    comparison_release(&got);
    machine_release(&a);
    machine_release(&b);
}

/* Every quantity that a profile writes is in some row: nothing measured is left out. */
TEST("everything is compared")
{
    struct machine a = fixture_whole(), b = fixture_whole();
    struct comparison got;
    size_t unknown = 0;

    compare_machines(&a, &b, &got);
    for (size_t i = 0; i < got.row_nr; i++) {
        unknown += !strcmp(comparison_word(&got.row[i]), "unknown");
        if (got.row[i].ratio.known)
            check_near(got.row[i].ratio.value, 1, 1e-9);
    }
    check_eq(unknown, 8); /* non-temporal rates, unknown in the fixture */
    comparison_release(&got);
    machine_release(&a);
    machine_release(&b);
}

TEST("the unknown is named")
{
    struct machine a = fixture_whole(), b = fixture_bare();
    struct comparison got;
    struct buf text = {0};
    json_t *json;

    a.small_pages.walks_per_s = quantity_unknown();
    compare_machines(&a, &b, &got);
    comparison_text(&got, &text);
    check_contains(buf_str(&text), "Unknown in 'bare': core (clock, reorder buffer");
    check_contains(buf_str(&text), "Unknown in both: L1, one core (non-temporal)");
    check_contains(buf_str(&text), "small pages (page walks)");
    check_contains(buf_str(&text), "  unloaded latency, ns        98 [93.1,103]");
    check(!strstr(buf_str(&text), "nan"));
    json = comparison_json(&got);
    check_str(json_string_value(json_object_get(
                  json_array_get(json_object_get(json, "rows"), 0), "intervals")),
              "apart");
    json_decref(json);
    buf_release(&text);
    comparison_release(&got);
    machine_release(&a);
    machine_release(&b);
}

/* At most 79 columns whatever the figures are. */
TEST("the table fits")
{
    struct machine a = fixture_whole(), b = fixture_whole();
    struct comparison got;
    struct buf text = {0};

    free(b.name);
    b.name = xstrdup("a name that is far longer than its column is wide");
    b.peak_gbs = quantity_between(123456, 1234, 1234567, 3, PROVENANCE_PROBE);
    compare_machines(&a, &b, &got);
    comparison_text(&got, &text);
    for (const char *line = buf_str(&text); *line;) {
        size_t length = strcspn(line, "\n");

        check(length <= 79);
        line += length + (line[length] == '\n');
    }
    buf_release(&text);
    comparison_release(&got);
    machine_release(&a);
    machine_release(&b);
}

TEST("the list")
{
    struct profile profile[] = {{.name = xstrdup("whole"), .machine = fixture_whole()},
                                {.name = xstrdup("bare"), .machine = fixture_bare()},
                                {.name = xstrdup("cut"), .problem = xstrdup("cut: why")}};
    struct buf text = {0};

    profiles_text(profile, ARRAY_SIZE(profile), &text);
    check_str(buf_str(&text),
              "name                     cores    unloaded          peak  curves\n"
              "whole                        4       98 ns      120 GB/s       2\n"
              "    Whole 'CPU'_4, family 6 `id`\n"
              "    probed here\n"
              "bare                         1           ?             ?       0\n"
              "    nobody knows\n"
              "cut\n"
              "    cut: why\n");
    buf_release(&text);
    for (size_t i = 0; i < ARRAY_SIZE(profile); i++) {
        machine_release(&profile[i].machine);
        free(profile[i].name);
        free(profile[i].problem);
    }
}
