/*
 * The summary of a profile, against the files of tests/data/advisor/machine/.
 * UPDATE_GOLDEN=1 in the environment rewrites them; look at the difference.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "tests/check.h"
#include "tests/core/machine/machine_by_hand.h"

SUITE(machine_describe);

static void check_file(const char *name, const char *got)
{
    char *path = xasprintf("%s/tests/data/advisor/machine/%s", INFLIGHT_SOURCE_DIR, name);

    check_golden(path, got);
    free(path);
}

static void check_width(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        check(length <= 80);
    }
}

TEST("everything known")
{
    struct machine machine = fixture_whole();
    struct buf text = {0};

    machine_describe(&machine, &text);
    check_file("whole.txt", buf_str(&text));
    check_width(buf_str(&text));
    machine_release(&machine);
    buf_release(&text);
}

/* What is unknown says so; nothing is 0. */
TEST("hardly anything known")
{
    struct machine machine = fixture_bare();
    struct buf text = {0};

    machine_describe(&machine, &text);
    check_file("bare.txt", buf_str(&text));
    check(!strstr(buf_str(&text), " 0 ns") && !strstr(buf_str(&text), "nan"));
    machine_release(&machine);
    buf_release(&text);
}

static void check_says(const struct machine *machine, const char *part)
{
    struct buf text = {0};

    machine_describe(machine, &text);
    check_contains(buf_str(&text), part);
    buf_release(&text);
}

TEST("sentences follow the figures")
{
    struct machine machine = fixture_whole();

    check_says(&machine, "gains nothing here");
    machine.prefetch_l2_gain = probed(1.07); /* as limit_prefetch_phrase has it */
    check_says(&machine, "gains nothing here");
    machine.prefetch_l2_gain = probed(1.4);
    check_says(&machine, "gets past the L1 queue");
    machine.level[2].effective_low_bytes = machine.level[2].effective_bytes;
    check_says(&machine, "a core gets at least");
    machine.all_cores.copy_gbs.high = INFINITY;
    check_says(&machine, "> or more: other processes kept the cores busy");
    machine.store_read_factor = 0;
    check_says(&machine, "do not read their line first");
    check_says(&machine, "  stability       the unloaded");
    machine.unstable = true;
    check_says(&machine, "  UNSTABLE        the unloaded");
    machine.peak_gbs = quantity_unknown();
    check_says(&machine, "--peak RATE");
    machine_release(&machine);
}
