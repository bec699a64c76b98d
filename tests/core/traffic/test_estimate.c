/* What a tracing program wrote, and what is made of it. */
#include <stdlib.h>
#include <string.h>

#include "core/traffic/trace/trace_estimate.h"
#include "tests/check.h"

SUITE(traffic_estimate);

static const struct traffic_geometry geometry = {
    .line_bytes = 64,
    .level_nr = 2,
    .level = {{.bytes = 64 * 100, .ways = 4}, {.bytes = 64 * 1000, .ways = 8}},
    .store_read_factor = 0.5,
};

static const char good[] =
    "end complete\ncall 1\nseen 5000\nwindow 100\naccesses 1000\nbytes 8000\n"
    "nontemporal 3\nwalks 2\noverwritten 50\nfills 200 100\ncovered 20 10\n"
    "software 2 1\nwritebacks 30 40\nl1_from 100 100\nl1_covered 10 10\n"
    "warm 500 990\nleft 0 0\ndone\n";

static int read_text(const char *text, struct trace_file *file, struct error *err)
{
    char *folder = NULL, *path;
    int result;

    if (scratch_make(&folder, err))
        return -1;
    path = path_join(folder, "trace");
    result = file_write(path, text, strlen(text), err);
    if (result == 0)
        result = trace_file_read(path, 2, file, err);
    scratch_remove(folder);
    free(path);
    return result;
}

TEST("a file is read")
{
    struct trace_file file = {0};
    struct error err = {0};

    if (!check_ok(read_text(good, &file, &err), &err))
        return;
    check_eq(file.end, TRACE_END_COMPLETE);
    check_eq(file.seen, 5000);
    check_eq(file.window_nr, 1);
    check_eq(file.window[0].first, 100);
    check_eq(file.window[0].counts.writebacks[1], 40);
    check_eq(file.window[0].warm[0], 500);
    trace_file_release(&file);
}

TEST("wrong files are refused")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"end complete\n", "'done' is missing"},
        {"", "'done' is missing"},
        {"end complete\nfills 1 2\ndone\n", "unexpected line"},
        {"end sometime\ndone\n", "unexpected line"},
        {"end complete\nwindow 0\nfills 1\ndone\n", "unexpected line"},
        {"end complete\nwindow 0\nfills 1 2 3\ndone\n", "unexpected line"},
        {"end complete\nwindow 0\nfills 1 x\ndone\n", "unexpected line"},
        {"window 0\nfillings 1 2\ndone\n", "unexpected line"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct trace_file file = {0};
        struct error err = {0};

        check_fails(read_text(cases[i].text, &file, &err), &err, STATUS_FAILED,
                    cases[i].part);
        trace_file_release(&file);
    }
}

/* `fills` lines into both levels per 1000 accesses, half of them covered. */
static struct trace_window window(uint64_t fills, uint64_t warm)
{
    struct trace_window made = {.counts = {.accesses = 1000, .bytes = 8000}};

    for (int k = 0; k < 2; k++) {
        made.counts.fills[k] = fills;
        made.counts.covered[k] = fills / 2;
        made.counts.writebacks[k] = fills / 4;
        made.warm[k] = warm;
    }
    return made;
}

TEST("a whole call is exact")
{
    struct trace_window one = window(400, 0);
    struct trace_file file = {.call = 2, .seen = 1000, .window = &one, .window_nr = 1};
    struct traffic traffic = {0};

    one.counts.overwritten = 100;
    trace_estimate(&file, &geometry, 1000, &traffic);
    check_near(traffic.edge[0].fills.low, 400, 0);
    check_near(traffic.edge[0].fills.high, 400, 0);
    check_near(traffic.edge[1].fills.value, 350,
               0); /* half of the overwritten are not read */
    check_near(traffic.edge[1].covered.value, 175, 1e-12);
    check_near(traffic.traced_share, 1, 0);
    one.left[1] = 30;
    traffic_release(&traffic);
    trace_estimate(&file, &geometry, 1000, &traffic);
    check_near(traffic.edge[1].writebacks.value, 130, 0);
    check_near(traffic.edge[1].writebacks.low, 100, 0);
    traffic_release(&traffic);
}

static struct trace_window window_at(uint64_t first, uint64_t fills)
{
    struct trace_window made = window(fills, 5000);

    made.first = first;
    return made;
}

/* Rates of 0.2 and 0.4, each for half of the call: mean 0.3; the variance of the mean
 * from the one step is 0.2^2 / 4, t of one degree 12.706. */
TEST("windows give a mean and its error")
{
    struct trace_window two[] = {window_at(24500, 200), window_at(74500, 400)};
    struct trace_file file = {.call = 1, .seen = 100000, .window = two, .window_nr = 2};
    struct traffic traffic = {0};

    trace_estimate(&file, &geometry, 100000, &traffic);
    check_near(traffic.edge[0].fills.value, 30000, 1e-12);
    check_near(traffic.edge[0].fills.low, 0, 0);
    check_near(traffic.edge[0].fills.high, 30000 + 12.706 * 10000, 1e-9);
    check_eq(traffic.edge[0].fills.runs, 2);
    check_near(traffic.bytes.value, 800000, 1e-12);
    check_near(traffic.bytes.low, 800000, 1e-12);
    check_near(traffic.traced_share, 0.02, 1e-12);
    traffic_release(&traffic);
}

/* A window stands for what lies nearer to it than to any other: 0.1 of the call at 0.8,
 * 0.9 at 0. */
TEST("windows stand for what lies near them")
{
    struct trace_window three[] = {window_at(4500, 800), window_at(14500, 0),
                                   window_at(54500, 0)};
    struct trace_file file = {.call = 1, .seen = 100000, .window = three, .window_nr = 3};
    struct traffic traffic = {0};

    trace_estimate(&file, &geometry, 100000, &traffic);
    check_near(traffic.edge[0].fills.value, 8000, 1e-12);
    traffic_release(&traffic);
}

/* Half of the call was not reached: it may move nothing, or what the busiest window does.
 */
TEST("what was not reached widens the interval")
{
    struct trace_window two[] = {window_at(24500, 200), window_at(74500, 200)};
    struct trace_file file = {
        .end = TRACE_END_REACH, .call = 1, .seen = 100000, .window = two, .window_nr = 2};
    struct traffic traffic = {0};

    trace_estimate(&file, &geometry, 200000, &traffic);
    check_near(traffic.edge[0].fills.value, 40000, 1e-12);
    check_near(traffic.edge[0].fills.low, 20000, 1e-12);
    check_near(traffic.edge[0].fills.high, 40000, 1e-12);
    two[1] = window_at(74500, 400);
    traffic_release(&traffic);
    trace_estimate(&file, &geometry, 200000, &traffic);
    check_near(traffic.edge[0].fills.value, 60000, 1e-12);
    check_near(traffic.edge[0].fills.high, 60000 + 12.706 * 20000 + 10000, 1e-9);
    traffic_release(&traffic);
}

/* A level of 1000 lines of which 700 were filled anew: 300 of the 400 fills might have
 * been hits. */
TEST("fills that stale contents may have caused")
{
    struct trace_window two[] = {window(400, 700), window(400, 700)};
    struct trace_file file = {.call = 1, .seen = 100000, .window = two, .window_nr = 2};
    struct traffic traffic = {0};

    trace_estimate(&file, &geometry, 100000, &traffic);
    check_near(traffic.edge[0].fills.low, 40000, 1e-12);
    check_near(traffic.edge[1].fills.value, 40000, 1e-12);
    check_near(traffic.edge[1].fills.low, 10000, 1e-12);
    check_near(traffic.edge[1].fills.high, 40000, 1e-12);
    traffic_release(&traffic);
}
