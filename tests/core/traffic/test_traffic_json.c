/* struct traffic: JSON and derived bytes. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"

SUITE(traffic_json);

static struct quantity some(double value)
{
    return quantity_between(value, value * 0.9, value * 1.2, 5, PROVENANCE_MODEL);
}

/* Parts of a traffic with three levels. */
static void some_parts(struct traffic_part **part, size_t *nr, const char *const *names,
                       int line)
{
    *nr = 2;
    *part = xcalloc(*nr, sizeof(**part));
    for (size_t i = 0; i < *nr; i++) {
        (*part)[i] = (struct traffic_part){.name = xstrdup(names[i]),
                                           .line = line * (int)(i + 1),
                                           .accesses = some(1e6 + (double)i),
                                           .bytes = some(8e6),
                                           .nontemporal_lines = some(3)};
        for (int k = 0; k < 3; k++) {
            (*part)[i].fills[k] = some(70 - k);
            (*part)[i].covered[k] = some(60 - k);
            (*part)[i].writebacks[k] = some(50 - k);
        }
    }
}

static struct traffic example(void)
{
    static const char *const arrays[] = {"x", "other"}, *const sites[] = {"k.c:7",
                                                                          "k.c:14"};
    struct traffic traffic = {
        .level_nr = 3,
        .line_bytes = 128,
        .nontemporal_lines = some(7),
        .page_walks = some(11),
        .accesses = quantity_exact(123456789012, PROVENANCE_MODEL),
        .bytes = some(8e9),
        .provenance = PROVENANCE_MODEL,
        .traced_share = 0.125,
        .note = xstrdup("12.5 % of the accesses were simulated, in 4 windows"),
    };

    for (int k = 0; k < 3; k++) {
        traffic.edge[k].fills = some(1000 - k);
        traffic.edge[k].covered = some(500 - k);
        traffic.edge[k].software = some(50 - k);
        traffic.edge[k].writebacks = some(300 - k);
        traffic.edge[k].hits = some(4000 - k);
        traffic.l1_from[k] = some(90 + k);
        traffic.l1_covered_from[k] = some(80 + k);
    }
    traffic.instructions = traffic.flops = traffic.branches_missed = quantity_unknown();
    some_parts(&traffic.array, &traffic.array_nr, arrays, 0);
    some_parts(&traffic.site, &traffic.site_nr, sites, 7);
    return traffic;
}

static char *text_of(const struct traffic *traffic)
{
    json_t *root = traffic_to_json(traffic);
    char *text = json_text(root);

    json_decref(root);
    return text;
}

static int from_text(const char *text, struct traffic *traffic, struct error *err)
{
    json_t *root = NULL;
    int result = -1;

    if (json_read_text(text, "traffic", NULL, &root, err) == 0) {
        struct json_at at = json_top("traffic", root);

        result = traffic_from_json(&at, traffic, err);
    }
    json_decref(root);
    return result;
}

TEST("round trip")
{
    struct traffic before = example(), after = {0};
    struct error err = {0};
    char *text = text_of(&before), *again = NULL;

    if (check_ok(from_text(text, &after, &err), &err)) {
        again = text_of(&after);
        check_str(again, text);
        check_near(after.edge[2].writebacks.high, 298 * 1.2, 1e-12);
        check_near(after.l1_covered_from[1].value, 81, 0);
        check(!after.flops.known);
        check_eq(after.page_walks.runs, 5);
        check_str(after.note, before.note);
        check_near(after.edge[1].hits.value, 3999, 0);
        check_eq(after.array_nr, 2);
        check_str(after.array[1].name, "other");
        check_eq(after.array[1].line, 0);
        check_near(after.array[0].writebacks[2].value, 48, 0);
        check_eq(after.site_nr, 2);
        check_eq(after.site[1].line, 14);
        check_near(after.site[1].accesses.value, 1e6 + 1, 0);
    }
    free(again);
    free(text);
    traffic_release(&before);
    traffic_release(&after);
    check(after.note == NULL);
}

TEST("nothing known")
{
    struct traffic before = {.level_nr = 1, .line_bytes = 64}, after;
    struct error err = {0};
    char *text = text_of(&before);

    if (check_ok(from_text(text, &after, &err), &err)) {
        check(!after.edge[0].fills.known);
        check(!traffic_read_bytes(&after).known);
        check(after.note == NULL);
        check(!after.edge[0].hits.known && after.array_nr == 0 && after.site_nr == 0);
        check(!strstr(text, "hits") && !strstr(text, "arrays") && !strstr(text, "sites"));
        traffic_release(&after);
    }
    free(text);
}

TEST("what is refused")
{
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"model\"", "\"guess\"", "unknown provenance 'guess'"},
        {"\"traced_share\": 0.125", "\"traced_share\": 1.5", "traced_share"},
        {"\"fills_lines\"", "\"fill_lines\"", "levels[0]"},
        {"\"line_bytes\": 128", "\"line_bytes\": \"128\"", "line_bytes"},
        {"\"page_walks\"", "\"page_walk\"", "page_walk"},
        {"\"name\": \"x\"", "\"name\": 7", "arrays[0]"},
        {"\"line\": 14", "\"line\": -1", "sites[1]"},
        {"\"arrays\": [", "\"arrays\": [{\"name\": \"y\"},", "accesses"},
    };
    struct traffic good = example();
    char *text = text_of(&good);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *at = strstr(text, cases[i].from);
        struct buf wrong = {0};
        struct traffic traffic;
        struct error err = {0};

        if (!check(at != NULL))
            continue;
        buf_add_n(&wrong, text, (size_t)(at - text));
        buf_add(&wrong, cases[i].to);
        buf_add(&wrong, at + strlen(cases[i].from));
        check_fails(from_text(buf_str(&wrong), &traffic, &err), &err, STATUS_INPUT,
                    cases[i].part);
        check(traffic.note == NULL);
        buf_release(&wrong);
    }
    free(text);
    traffic_release(&good);
}

TEST("bytes through memory")
{
    struct traffic traffic = example(), none = {0};

    check_near(traffic_read_bytes(&traffic).value, 998 * 128, 0);
    check_near(traffic_write_bytes(&traffic).value, (298 + 7) * 128, 1e-12);
    traffic.nontemporal_lines = quantity_unknown(); /* counters do not tell them apart */
    check_near(traffic_write_bytes(&traffic).value, 298 * 128, 1e-12);
    check(!traffic_write_bytes(&none).known);
    traffic_release(&traffic);
}
