/* Time lines from readings: gaps, wraps, late and missed readings, shares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "tests/check.h"

SUITE(observe_timeline);

static size_t add(struct timeline *timeline, const char *name, enum timeline_kind kind)
{
    struct timeline_event event = {.name = (char *)(uintptr_t)name,
                                   .label = (char *)(uintptr_t)name,
                                   .unit = (char[]){"/s"},
                                   .source = (char[]){"test"},
                                   .kind = kind,
                                   .factor = 1};

    return timeline_add_event(timeline, &event);
}

static struct timeline_reading at(double value)
{
    return (struct timeline_reading){true, value, 1};
}

static const struct timeline_reading nothing = {.share = 1};

TEST("rates are of the real time")
{
    struct timeline timeline = {.interval_s = 0.1};

    add(&timeline, "count", TIMELINE_COUNT);
    add(&timeline, "level", TIMELINE_LEVEL);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){at(0), nothing});
    timeline_take(&timeline, 0.1, 0, (struct timeline_reading[]){at(10), at(3)});
    /* late, and one deadline missed: the same rate */
    timeline_take(&timeline, 0.35, 1, (struct timeline_reading[]){at(35), at(4)});
    check_eq(timeline.bin_nr, 2);
    check_near(timeline.event[0].value[0], 100, 1e-9);
    check_near(timeline.event[0].value[1], 100, 1e-9);
    check_near(timeline.event[1].value[1], 4, 0);
    check_near(timeline.bin[1].from_s, 0.1, 0);
    check_near(timeline.bin[1].to_s, 0.35, 0);
    check_eq(timeline_missed(&timeline), 1);
    check_near(timeline_mean(&timeline, 1, 0, 2), (0.1 * 3 + 0.25 * 4) / 0.35, 1e-9);
    timeline_release(&timeline);
}

TEST("gaps are not filled")
{
    struct timeline timeline = {.interval_s = 1};

    add(&timeline, "count", TIMELINE_COUNT);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){nothing});
    timeline_take(&timeline, 1, 0, (struct timeline_reading[]){at(5)});
    timeline_take(&timeline, 2, 0, (struct timeline_reading[]){nothing});
    timeline_take(&timeline, 3, 0, (struct timeline_reading[]){at(9)});
    check(isnan(timeline.event[0].value[0])); /* since when, nobody knows */
    check(isnan(timeline.event[0].value[1]));
    check_near(timeline.event[0].value[2], 2, 1e-9); /* 4 in two seconds */
    check_near(timeline_mean(&timeline, 0, 0, 3), 2, 1e-9);
    check(isnan(timeline_mean(&timeline, 0, 0, 2)));
    timeline_release(&timeline);
}

/* Neither clamped nor unwrapped: nobody knows how wide it is. */
TEST("wraps are said")
{
    struct timeline timeline = {.interval_s = 1};

    add(&timeline, "count", TIMELINE_COUNT);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){at(4294967000.0)});
    timeline_take(&timeline, 1, 0, (struct timeline_reading[]){at(4294967200.0)});
    timeline_take(&timeline, 2, 0, (struct timeline_reading[]){at(100)});
    timeline_take(&timeline, 3, 0, (struct timeline_reading[]){at(300)});
    timeline_note_backwards(&timeline);
    check_near(timeline.event[0].value[0], 200, 1e-9);
    check(isnan(timeline.event[0].value[1]));
    check_near(timeline.event[0].value[2], 200, 1e-9);
    if (check_eq(timeline.note.nr, 1))
        check_contains(timeline.note.v[0],
                       "'count' ran backwards 1 times, first at 2.000 s from 4294967200 "
                       "to 100");
    timeline_release(&timeline);
}

/* Of a program that runs already, an event may come late. */
TEST("late events")
{
    struct timeline timeline = {.interval_s = 1};

    add(&timeline, "first", TIMELINE_COUNT);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){at(0)});
    timeline_take(&timeline, 1, 0, (struct timeline_reading[]){at(1)});
    add(&timeline, "late", TIMELINE_COUNT);
    check(isnan(timeline.event[1].value[0]));
    timeline_take(&timeline, 2, 0, (struct timeline_reading[]){at(2), at(10)});
    timeline_take(&timeline, 3, 0, (struct timeline_reading[]){at(3), at(40)});
    check(isnan(timeline.event[1].value[1])); /* since when, nobody knows */
    check_near(timeline.event[1].value[2], 30, 1e-9);
    timeline_release(&timeline);
}

TEST("multiplexed shares are kept")
{
    struct timeline timeline = {.interval_s = 1};

    add(&timeline, "a", TIMELINE_COUNT);
    add(&timeline, "b", TIMELINE_COUNT);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){at(0), at(0)});
    timeline_take(&timeline, 1, 0, (struct timeline_reading[]){at(1), {true, 8, 0.25}});
    check_near(timeline.event[0].share[0], 1, 0);
    check_near(timeline.event[1].share[0], 0.25, 0);
    timeline_release(&timeline);
}

TEST("a short last bin is folded")
{
    struct timeline timeline = {.interval_s = 1};

    add(&timeline, "count", TIMELINE_COUNT);
    timeline_take(&timeline, 0, 0, (struct timeline_reading[]){at(0)});
    timeline_take(&timeline, 1, 2, (struct timeline_reading[]){at(10)});
    timeline_take(&timeline, 1.25, 1, (struct timeline_reading[]){at(20)});
    timeline_fold_last(&timeline);
    check_eq(timeline_missed(&timeline), 3);
    check_eq(timeline.bin_nr, 1);
    check_near(timeline.event[0].value[0], 16, 1e-9); /* 20 in 1.25 s */
    check_near(timeline_seconds(&timeline), 1.25, 0);
    timeline_release(&timeline);
}

/* Memory is bounded: neighbours are merged, and nothing that was counted is lost. */
TEST("too many bins are merged")
{
    struct timeline timeline = {.interval_s = 1};
    size_t nr = TIMELINE_BINS_MAX + 4;
    double sum = 0;

    add(&timeline, "count", TIMELINE_COUNT);
    for (size_t i = 0; i <= nr; i++)
        timeline_take(&timeline, (double)i, 0,
                      (struct timeline_reading[]){at((double)(i * i))});
    check_eq(timeline.bin_nr, TIMELINE_BINS_MAX / 2 + 4);
    check_near(timeline.interval_s, 2, 0);
    for (size_t i = 0; i < timeline.bin_nr; i++)
        sum +=
            timeline.event[0].value[i] * (timeline.bin[i].to_s - timeline.bin[i].from_s);
    check_near(sum, (double)nr * (double)nr, 1e-9);
    if (check_eq(timeline.note.nr, 1))
        check_contains(timeline.note.v[0], "neighbours are merged");
    timeline_release(&timeline);
}
