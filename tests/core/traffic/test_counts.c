/*
 * Counts that others took: each case of tests/data/counts/read.cases, against what it
 * must give; damaged ones refused with their place.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/traffic/traffic.h"
#include "tests/cases.h"
#include "tests/check.h"

SUITE(traffic_counts);

#define READ INFLIGHT_SOURCE_DIR "/tests/data/counts/read.cases"

static const char dir[] = INFLIGHT_SOURCE_DIR "/tests/data/counts";

/* A case without a text is the file of its name. */
static bool read_case(const struct test_case *one, struct count_set *set)
{
    char *path = path_join(dir, one->name);
    struct error err = {0};
    bool read = check_ok(*one->text ? count_set_parse(path, one->text, set, &err)
                                    : count_set_read(path, set, &err),
                         &err);

    free(path);
    return read;
}

static bool read_counts(const char *name, struct count_set *set)
{
    struct cases cases;
    bool read = cases_read(READ, 1, &cases) && read_case(cases_find(&cases, name), set);

    cases_release(&cases);
    return read;
}

/* ---- every form ---- */

TEST("every form gives its counts")
{
    struct cases cases;
    struct count_set set;

    cases_read(READ, 13, &cases);
    for (size_t i = 0; i < cases.nr; i++)
        if (read_case(&cases.v[i], &set)) {
            json_t *root = count_set_to_json(&set);
            char *text = json_text(root);

            check_case(&cases, &cases.v[i], "read", text);
            free(text);
            json_decref(root);
            count_set_release(&set);
        }
    cases_release(&cases);
}

static void check_value(const struct count_set *set, const char *event, double low,
                        double value, double high)
{
    const struct event_count *count = count_set_find(set, event);

    if (!check(count != NULL))
        return;
    check_near(count->value.low, low, 1e-9);
    check_near(count->value.value, value, 1e-9);
    check_near(count->value.high, high, 1e-9);
    check_eq(count->value.provenance, PROVENANCE_RECORDED);
}

static void check_missing(const struct count_set *set, const char *event, const char *why)
{
    const struct event_count *count = count_set_find(set, event);

    if (!check(count != NULL))
        return;
    check(!count->value.known);
    check_str(count->why, why);
}

/* What the golden files cannot say of themselves. */
TEST("multiplexing opens the interval")
{
    struct count_set set;

    if (!read_counts("perf_x.txt", &set))
        return;
    check_near(set.seconds.value, 0.100101, 1e-12);
    check_value(&set, "cycles:u", 1234567 * 0.75, 1234567, 1234567 * 1.25);
    check_value(&set, "uncore_imc/cas_count_read/", 61035.16 * 16384, 61035.16 * 16384,
                61035.16 * 16384);
    check_value(&set, "uncore_imc_0/event=0x4,umask=0x3/", 4711, 4711, 4711);
    check_value(&set, "task-clock", 93.15e6, 93.15e6, 93.15e6);
    check_missing(&set, "mem_load_retired.l3_miss", "the event is not supported there");
    check_missing(&set, "branches", "it was not counted");
    check(!count_set_find(&set, "duration_time"));
    check_eq(set.count_nr, 7);
    count_set_release(&set);
}

/* 95 %: 2 standard errors, as perf does not say of how many runs. */
TEST("runs open it, too")
{
    struct count_set set;

    if (!read_counts("perf_semicolon_runs.txt", &set))
        return;
    check_value(&set, "LLC-store-misses", 300000 * 0.5 * 0.92, 300000,
                300000 * 1.5 * 1.08);
    check_near(set.seconds.value, 0.25, 1e-9);
    check_near(set.seconds.high, 0.25 * 1.04, 1e-9);
    count_set_release(&set);
}

TEST("rows of many places are summed")
{
    struct count_set set;

    if (!read_counts("perf_per_cpu.txt", &set))
        return;
    check_value(&set, "LLC-load-misses", 625000, 750000, 875000);
    check_value(&set, "cycles", 7000000, 7000000, 7000000);
    check_missing(&set, "mem-stores", "the event is not supported there");
    check_near(set.seconds.value, 0.10184, 1e-9);
    check_str(set.note.v[0], "counts are the sum over 2 places: CPU0, CPU1");
    count_set_release(&set);
    if (!read_counts("perf_intervals.txt", &set))
        return;
    check_value(&set, "LLC-load-misses", 1e6, 1e6, 1e6);
    check_near(set.seconds.value, 0.121812249, 1e-9);
    count_set_release(&set);
}

/* CPU time over "CPUs utilized" is no time: perf rounds it. */
TEST("without duration_time no time is known")
{
    struct count_set set;

    if (!read_counts("perf_no_time.txt", &set))
        return;
    check(!set.seconds.known);
    check_value(&set, "page-faults", 9422, 9422, 9422);
    count_set_release(&set);
}

/* As spreadsheets write it, with a counter that ran backwards. */
TEST("odd texts are read")
{
    static const char text[] = "\xEF\xBB\xBF"
                               "event,count\r\nread_bytes,5\r\nmisses,-5\r\n";
    struct count_set set;
    struct error err = {0};

    if (!check_ok(count_set_parse("odd.csv", text, &set, &err), &err))
        return;
    check_value(&set, "read_bytes", 5, 5, 5);
    check_missing(&set, "misses",
                  "its count is negative: the counter wrapped or was reset");
    count_set_release(&set);
}

TEST("JSON comes back as it was")
{
    struct count_set set, again;
    struct error err = {0};

    if (!read_counts("ours.json", &set))
        return;
    json_t *root = count_set_to_json(&set);
    struct json_at at = json_top("again", root);

    if (check_ok(count_set_from_json(&at, &again, &err), &err)) {
        json_t *twice = count_set_to_json(&again);

        check(json_equal(root, twice));
        check_value(&again, "write_bytes", 4e10, 5e10, 6e10);
        check_missing(&again, "PAPI_TLB_DM", "no counter was free");
        check_near(again.calls, 100, 0);
        json_decref(twice);
        count_set_release(&again);
    }
    json_decref(root);
    count_set_release(&set);
}

/* Two runs whose times differ widely; a share that perf rounded up. */
TEST("what was read can be kept")
{
    static const char text[] = "500;;cycles;3.00%;93150000;100.03;;\n"
                               "250000000;ns;duration_time;55.00%;250000000;100.00;;\n";
    struct count_set set, again;
    struct error err = {0};

    if (!check_ok(count_set_parse("two", text, &set, &err), &err))
        return;
    check_near(count_set_find(&set, "cycles")->share, 1, 0);
    check_near(set.seconds.value, 0.25, 1e-12);
    json_t *root = count_set_to_json(&set);
    struct json_at at = json_top("again", root);

    check_near(set.seconds.low, 0, 0);
    check_ok(count_set_from_json(&at, &again, &err), &err);
    count_set_release(&again);
    json_decref(root);
    count_set_release(&set);
}

/* ---- damaged ones ---- */

static int read_bad(const struct test_case *one, const char *path, struct error *err)
{
    struct count_set set;
    int result = count_set_read(path, &set, err);

    (void)one;
    check(result == 0 || (!set.count && !set.source));
    count_set_release(&set);
    return result;
}

TEST("damaged files are refused with their place")
{
    static const char *const other[][2] = {
        {"binary.csv", "is not text"},
        {"perf.data", "it is what 'perf record' writes"},
        {"not_there.csv", "cannot read"}};

    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/counts/bad.cases", 32, read_bad);
    for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
        char *path = path_join(dir, other[i][0]);
        struct error err = {0};

        check_fails(read_bad(NULL, path, &err), &err, STATUS_INPUT, other[i][1]);
        free(path);
    }
}

/* Cut anywhere, no file does harm: it is read or refused. */
static void do_no_harm(const char *whole)
{
    struct buf text = {0};
    struct error err = {0};

    buf_add(&text, whole);
    while (text.length > 0) {
        struct count_set set;

        buf_truncate(&text, text.length - 1);
        if (count_set_parse("cut", buf_str(&text), &set, &err) == 0)
            check(set.count_nr > 0 && set.source);
        else
            check_eq(err.status, STATUS_INPUT);
        error_clear(&err);
        count_set_release(&set);
    }
    buf_release(&text);
}

TEST("cut files do no harm")
{
    static const char *const name[] = {"heading.csv", "perf_x.txt", "perf_per_socket.txt",
                                       "perf_json_per_socket.txt"};
    struct cases cases;

    if (!cases_read(READ, 1, &cases))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(name); i++)
        do_no_harm(cases_find(&cases, name[i])->text);
    cases_release(&cases);
    char *path = path_join(dir, "ours.json");
    struct buf text = {0};
    struct error err = {0};

    check_ok(file_read(path, &text, &err), &err);
    do_no_harm(buf_str(&text));
    buf_release(&text);
    free(path);
}

/* ---- bytes through memory ---- */

static void check_rates(const char *text, double read, double written)
{
    struct count_set set;
    struct quantity read_gbs, write_gbs;
    struct error err = {0};

    if (!check_ok(count_set_parse("t", text, &set, &err), &err))
        return;
    if (check_ok(count_set_bandwidth(&set, &read_gbs, &write_gbs, &err), &err)) {
        check_eq(read_gbs.known, read >= 0);
        check_eq(write_gbs.known, written >= 0);
        if (read_gbs.known && write_gbs.known) {
            check_near(read_gbs.value, read, 1e-9);
            check_near(write_gbs.value, written, 1e-9);
        }
    }
    count_set_release(&set);
}

TEST("bandwidth is what the rows say")
{
    check_rates("read_bytes,3e9\nwrite_bytes,1e9\nseconds,2\n", 1.5, 0.5);
    check_rates("READ_BYTES,3e9\nbytes,5e9\nseconds,2\n", 1.5, 1);
    check_rates("bytes,5e9\nwrite_bytes,1e9\nseconds,2\n", 2, 0.5);
    check_rates("bytes,5e9\nseconds,2\n", 2.5, 0);
    check_rates("gbs,80\n", 80, 0);
    check_rates("read_gbs,80\nwrite_gbs,20\n", 80, 20);
    check_rates("read_gbs,80\n", 80, -1);
    check_rates("cycles,80\n", -1, -1);
    check_rates("read_bytes,nan\ncycles,80\n", -1, -1);
}

TEST("bandwidth that cannot be")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"read_bytes,3e9\n", "do not say what time they cover: add a row 'seconds' or "},
        {"read_bytes,3e9\nread_gbs,1\nseconds,1\n", "both 'read_bytes' and 'read_gbs'"},
        {"read_gbs,80\ngbs,20\n", "contradict each other: 80 GB/s are read, and 20 GB/s"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set;
        struct quantity read_gbs, write_gbs;
        struct error err = {0};

        check_ok(count_set_parse("t", cases[i].text, &set, &err), &err);
        check_fails(count_set_bandwidth(&set, &read_gbs, &write_gbs, &err), &err,
                    STATUS_INPUT, cases[i].part);
        count_set_release(&set);
    }
}
