/* Who causes the traffic: by array, by line of the source. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "tests/core/traffic/traced_program.h"

SUITE(traffic_parts);

enum { n = 400000 };

/* The line of traced_kernels.c that has this comment. */
static int marked_line(const char *mark)
{
    char *path = path_join(INFLIGHT_SOURCE_DIR, "tests/data/traffic/traced_kernels.c");
    char *comment = xasprintf("/* LINE %s */", mark);
    struct buf text = {0};
    struct error err = {0};
    const char *at = NULL;
    int line = 1;

    if (check_ok(file_read(path, &text, &err), &err))
        at = strstr(buf_str(&text), comment);
    for (const char *c = buf_str(&text); at && c < at; c++)
        line += *c == '\n';
    buf_release(&text);
    free(comment);
    free(path);
    return at ? line : 0;
}

static const struct traffic_part *part_named(const struct traffic_part *part, size_t nr,
                                             const char *name)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(part[i].name, name) == 0)
            return &part[i];
    CU_FAIL("no such part");
    fprintf(stderr, "no part '%s'\n", name);
    return NULL;
}

static void check_part(const struct traffic_part *part, double accesses, double fills,
                       double writebacks, double relative)
{
    if (!part)
        return;
    check_near(part->accesses.value, accesses, 1e-12);
    check_near(part->bytes.value, 8 * accesses, 1e-12);
    check_near(part->fills[2].value, fills, relative);
    check_near(part->writebacks[2].value, writebacks, relative);
}

/* All of it belongs to some part. */
static void check_sums(const struct traffic *traffic, const struct traffic_part *part,
                       size_t nr)
{
    double accesses = 0, bytes = 0, nontemporal = 0;

    for (size_t i = 0; i < nr; i++) {
        accesses += part[i].accesses.value;
        bytes += part[i].bytes.value;
        nontemporal += part[i].nontemporal_lines.value;
    }
    check_near(accesses, traffic->accesses.value, 1e-9);
    check_near(bytes, traffic->bytes.value, 1e-9);
    check_near(nontemporal, traffic->nontemporal_lines.value, 1e-9);
    for (int k = 0; k < traffic->level_nr; k++) {
        double fills = 0, covered = 0, writebacks = 0;

        for (size_t i = 0; i < nr; i++) {
            fills += part[i].fills[k].value;
            covered += part[i].covered[k].value;
            writebacks += part[i].writebacks[k].value;
        }
        check_near(fills, traffic->edge[k].fills.value, 1e-9);
        check_near(covered, traffic->edge[k].covered.value, 1e-9);
        check_near(writebacks, traffic->edge[k].writebacks.value, 1e-9);
    }
}

/* Too small for a random line to be met again. */
static const struct traffic_geometry tiny = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{.bytes = 4096, .ways = 4},
              {.bytes = 8192, .ways = 8},
              {.bytes = 32768, .ways = 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

/* One random array, two streams: bytes of each by array and by line. */
static void scatter_with(const struct toolchain *tools)
{
    struct traced what = {
        .kernel = "scatter", .n = n, .total = 3.0 * n, .geometry = &tiny, .arrays = true};
    static const char *const arrays[] = {"a", "b", "c"};
    struct traffic traffic;

    if (!traced_well(tools, &what, &traffic))
        return;
    check_eq(traffic.array_nr, 3);
    for (size_t i = 0; i < 3; i++) {
        char *line = xasprintf("traced_kernels.c:%d", marked_line(arrays[i]));
        bool random = i == 0;

        check_str(traffic.array[i].name, arrays[i]);
        check_part(&traffic.array[i], n, random ? n : n / 8, random ? n : 0,
                   random ? 0.02 : 0);
        check_part(part_named(traffic.site, traffic.site_nr, line), n, random ? n : n / 8,
                   random ? n : 0, random ? 0.02 : 0);
        free(line);
    }
    check(traffic.site_nr == 3 && traffic.site[0].line == marked_line("a"));
    check_sums(&traffic, traffic.array, traffic.array_nr);
    check_sums(&traffic, traffic.site, traffic.site_nr);
    check_near(traffic.edge[0].hits.value,
               3 * n - traffic.edge[0].fills.value + traffic.edge[0].software.value, 0);
    traffic_release(&traffic);
}

TEST("traffic by array and by line")
{
    scatter_with(&traced_gcc);
    scatter_with(&traced_clang);
}

/* What is written back later, evaded, sampled or past the caches belongs to a part too;
 * and without arrays there are lines. */
TEST("the parts make the whole")
{
    static struct traffic_geometry evading;
    static const struct traced cases[] = {
        {"scatter", n, .total = 3.0 * n, .calls = 1, .arrays = true},
        {"copy", n, .total = 2.0 * n, .geometry = &evading, .arrays = true},
        {"scatter", 4 * n, .total = 12.0 * n, .budget = 2.0 * n, .arrays = true},
        {"sweeps", n / 4, .total = 64 * 2.0 * n / 4, .budget = 1e6, .arrays = true},
        {"nontemporal", n, .total = 2.0 * n, .arrays = true},
        {"prefetched", n, .total = 2.0 * n, .arrays = true},
        {"block_copy", n, .total = 2.0 * n / 8, .arrays = true},
        {"triad", n, .total = 3.0 * n},
    };

    evading = traced_small;
    evading.store_read_factor = 0.25;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traffic traffic;

        if (!traced_well(&traced_gcc, &cases[i], &traffic))
            return;
        check_eq(traffic.array_nr != 0, cases[i].arrays);
        if (cases[i].arrays)
            check_sums(&traffic, traffic.array, traffic.array_nr);
        check_sums(&traffic, traffic.site, traffic.site_nr);
        traffic_release(&traffic);
    }
}
