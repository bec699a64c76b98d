/* Reading what programs with markers left: from files made here, figure by figure. */
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "observe/observe.h"
#include "regions/regions.h"
#include "tests/check.h"

SUITE(observe_regions);

static const uint64_t second = 1000000000;

/* A file of one process in memory: a header and two lanes. */
struct made {
    struct regions_header header;
    struct regions_lane lane[2];
};

static uint32_t add_name(struct made *made, const char *text)
{
    struct regions_name *name = &made->header.name[made->header.name_nr];
    strncpy(name->text, text, sizeof(name->text) - 1);
    return made->header.name_nr++;
}

static struct regions_node *add_node(struct regions_lane *lane, uint32_t name,
                                     uint32_t parent, uint64_t calls, uint64_t time_ns)
{
    struct regions_node *node = &lane->node[lane->node_nr++];
    *node = (struct regions_node){.name = name,
                                  .parent = parent,
                                  .calls = calls,
                                  .time_ns = time_ns,
                                  .min_ns = time_ns / (calls ? calls : 1) / 2,
                                  .max_ns = time_ns,
                                  .random_share = -1};
    lane->node[parent].inside_ns += time_ns;
    return node;
}

/* From 100 s to 110 s: "solve" for 4 s in one thread and 2 s in another, 5 s in all; in
 * the first one "gather" within it for 1 s. */
static struct made *make(const char *host, int64_t pid, uint64_t start_s)
{
    struct made *made = xcalloc(1, sizeof(*made));
    made->header = (struct regions_header){.format = REGIONS_FORMAT,
                                           .byte_order = REGIONS_BYTE_ORDER,
                                           .header_bytes = sizeof(made->header),
                                           .lane_bytes = sizeof(made->lane[0]),
                                           .pid = pid,
                                           .start_ns = start_s * second,
                                           .end_ns = (start_s + 10) * second,
                                           .pair_ns = 100,
                                           .empty_ns = 40,
                                           .lane_nr = 2};
    memcpy(made->header.magic, REGIONS_MAGIC, sizeof(made->header.magic));
    strncpy(made->header.host, host, sizeof(made->header.host) - 1);
    strncpy(made->header.program, "app", sizeof(made->header.program) - 1);
    uint32_t solve = add_name(made, "solve"), gather = add_name(made, "gather");
    made->lane[0].node_nr = made->lane[1].node_nr = 1;
    made->lane[0].threads = made->lane[1].threads = 1;
    struct regions_node *node = add_node(&made->lane[0], solve, 0, 1000, 4 * second);
    node->asked_ns = node->time_ns;
    node->processor_ns = 6 * second;
    node->minor_faults = 7;
    node = add_node(&made->lane[0], gather, 1, 3000, 1 * second);
    node->read_bytes = 6e9;
    node->write_bytes = 2e9;
    node->declared = 3000;
    node->random_share = 1;
    add_node(&made->lane[1], solve, 0, 1000, 2 * second);
    for (int i = 0; i < 2; i++) {
        made->header.name[i].wall_ns = (int64_t)((i ? 1 : 5) * second);
        made->header.name[i].first_ns = (start_s + 2) * second;
        made->header.name[i].last_ns = (start_s + 8) * second;
    }
    return made;
}

static char *folder_make(void)
{
    struct error err = {0};
    char *folder = NULL;
    check_ok(scratch_make(&folder, &err), &err);
    return folder;
}

/* Frees what was made. */
static void leave(const char *folder, const char *name, struct made *made, size_t bytes)
{
    struct error err = {0};
    char *path = path_join(folder, name);
    check_ok(file_write(path, made, bytes, &err), &err);
    free(path);
    free(made);
}

static const struct region *region(const struct region_profile *profile, const char *name)
{
    static const struct region none;
    for (size_t i = 0; i < profile->region_nr; i++)
        if (!strcmp(profile->region[i].name, name))
            return &profile->region[i];
    check_str("no such region", name);
    return &none;
}

TEST("one process is read")
{
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    leave(folder, "a.regions", make("one", 7, 100), sizeof(struct made));
    leave(folder, "README", make("one", 8, 100), 20); /* none of ours */
    if (check_ok(region_profile_read(folder, NULL, &profile, &err), &err)) {
        const struct region *solve = region(&profile, "solve"),
                            *gather = region(&profile, "gather");
        check_eq(profile.process_nr, 1);
        check_near(profile.wall_s, 10, 1e-12);
        check_eq(profile.process[0].threads, 2);
        check_eq(solve->numbers.calls, 2000);
        check_near(solve->numbers.thread_s, 6, 1e-12);
        check_near(solve->numbers.own_s, 5, 1e-12);
        check_near(solve->numbers.min_s, 0.001, 1e-12);
        check_near(solve->numbers.max_s, 4, 1e-12);
        check_near(solve->wall_s.value, 5, 1e-12);
        check_near(solve->wall_s.high, 5, 1e-12);
        check_eq(solve->thread.nr, 2);
        check_near(solve->thread.mean, 3, 1e-12);
        check_near(solve->thread.max, 4, 1e-12);
        check_near(solve->inner_read_bytes, 6e9, 1e-12);
        check_near(solve->numbers.processor_s, 6, 1e-12);
        check_eq(solve->pairs, 5000);
        check_near(solve->marker_s, 5000 * 100e-9, 1e-12);
        check_eq(gather->inner_read_bytes, 0);
        check_near(gather->numbers.write_bytes, 2e9, 1e-12);
        check_eq(profile.path_nr, 2);
        check_eq(profile.path[1].parent, 0);
        check_eq(profile.path[1].depth, 1);
        region_profile_release(&profile);
    }
    scratch_remove(folder);
}

/* Two at once on one machine, one there later, one elsewhere at what looks like the same
 * time. */
TEST("processes are united")
{
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    leave(folder, "a.regions", make("one", 1, 100), sizeof(struct made));
    leave(folder, "b.regions", make("one", 2, 101), sizeof(struct made));
    leave(folder, "c.regions", make("one", 3, 200), sizeof(struct made));
    leave(folder, "d.regions", make("two", 1, 100), sizeof(struct made));
    if (check_ok(region_profile_read(folder, NULL, &profile, &err), &err)) {
        const struct region *solve = region(&profile, "solve");
        check_eq(profile.hosts, 2);
        check_near(profile.wall_s, 110, 1e-12);
        /* of a and b from 102 to 109: 5 s to 7 s; then c's 5 s */
        check_near(solve->wall_s.value, 10, 1e-12);
        check_near(solve->wall_s.low, 10, 1e-12);
        check_near(solve->wall_s.high, 12, 1e-12);
        check_near(solve->hosts_s, 15, 1e-12);
        check_near(solve->processes_at_once, 20.0 / 15, 1e-12);
        check_eq(solve->process.nr, 4);
        check_eq(solve->numbers.calls, 8000);
        check_eq(solve->thread.nr, 8);
        check_eq(profile.path_nr, 2);
        region_profile_release(&profile);
    }
    scratch_remove(folder);
}

TEST("open regions end with the process")
{
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    struct made *made = make("one", 7, 100);
    struct regions_lane *lane = &made->lane[1];
    lane->depth = 2;
    lane->frame[0] = (struct regions_frame){.node = 1, .start_ns = 105 * second};
    lane->frame[1] = (struct regions_frame){.name = 1, .node = 0, .start_ns = 1};
    made->header.name[0].inside = 1;
    made->header.name[0].wall_ns -= (int64_t)(105 * second);
    leave(folder, "a.regions", made, sizeof(struct made));
    if (check_ok(region_profile_read(folder, NULL, &profile, &err), &err)) {
        const struct region *solve = region(&profile, "solve");
        check_near(solve->wall_s.value, 5 + 5, 1e-12);
        check_near(solve->numbers.thread_s, 6 + 5, 1e-12);
        check_eq(solve->numbers.unfinished, 1);
        check_eq(solve->left_open, 1);
        check_eq(region(&profile, "gather")->left_open, 1); /* its path is not known */
        check_eq(region(&profile, "gather")->numbers.unfinished, 0);
        region_profile_release(&profile);
    }
    scratch_remove(folder);
}

/* ---- what is refused ---- */

static void no_magic(struct made *made)
{
    made->header.magic[0] = 'X';
}
static void other_format(struct made *made)
{
    made->header.format = 2;
}
static void other_order(struct made *made)
{
    made->header.byte_order = 0x04030201;
}
static void more_lanes(struct made *made)
{
    made->header.lane_nr = 3;
}
static void small_lanes(struct made *made)
{
    made->header.lane_bytes = 64;
}
static void many_names(struct made *made)
{
    made->header.name_nr = 1000;
}
static void endless_name(struct made *made)
{
    memset(made->header.name[0].text, 'x', sizeof(made->header.name[0].text));
}
static void endless_host(struct made *made)
{
    memset(made->header.host, 'x', sizeof(made->header.host));
}
static void own_parent(struct made *made)
{
    made->lane[1].node[1].parent = 1;
}
static void unknown_name(struct made *made)
{
    made->lane[0].node[2].name = 2;
}
static void deep(struct made *made)
{
    made->lane[0].depth = 65;
}
static void strange_frame(struct made *made)
{
    made->lane[0].depth = 1;
    made->lane[0].frame[0].node = 9;
}
static void no_number(struct made *made)
{
    made->lane[0].node[2].read_bytes /= 0.0;
}

TEST("damaged files are refused")
{
    static const struct {
        void (*change)(struct made *made);
        const char *part;
    } cases[] = {
        {no_magic, "was not written by a program with region markers; remove it"},
        {other_format, "has format 2 and this inflight reads 1"},
        {other_order, "of another byte order"},
        {more_lanes, "is damaged: threads are missing; remove it"},
        {small_lanes, "threads are missing"},
        {many_names, "its header contradicts itself"},
        {endless_name, "a region's name does not end"},
        {endless_host, "its header contradicts itself"},
        {own_parent, "what a thread counted contradicts itself"},
        {unknown_name, "what a thread counted contradicts itself"},
        {deep, "what a thread counted contradicts itself"},
        {strange_frame, "what a thread counted contradicts itself"},
        {no_number, "what a thread counted contradicts itself"}};
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    leave(folder, "a.regions", make("one", 7, 100), sizeof(struct made));
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct made *made = make("one", 8, 100);
        cases[i].change(made);
        leave(folder, "b.regions", made, sizeof(struct made));
        check_fails(region_profile_read(folder, NULL, &profile, &err), &err, STATUS_INPUT,
                    cases[i].part);
    }
    scratch_remove(folder);
}

TEST("files that are cut are refused")
{
    static const size_t length[] = {17, sizeof(struct regions_header) - 8,
                                    sizeof(struct made) - 8};
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    for (size_t i = 0; i < ARRAY_SIZE(length); i++) {
        leave(folder, "b.regions", make("one", 8, 100), length[i]);
        check_fails(region_profile_read(folder, NULL, &profile, &err), &err, STATUS_INPUT,
                    "b.regions' is damaged: ");
    }
    /* ended before its first word: that is no damage */
    leave(folder, "b.regions", xcalloc(1, sizeof(struct made)), sizeof(struct made));
    if (check_ok(region_profile_read(folder, NULL, &profile, &err), &err))
        check_eq(profile.silent, 1);
    region_profile_release(&profile);
    scratch_remove(folder);
    check_fails(region_profile_read("/there/is/no/folder", NULL, &profile, &err), &err,
                STATUS_INPUT, "cannot read the folder '/there/is/no/folder'");
}

static void count_event(struct made *made, const char *event, uint64_t count)
{
    made->header.event_nr = 1;
    strncpy(made->header.event[0], event, REGIONS_EVENT_BYTES - 1);
    made->lane[0].node[1].count[0] = count;
    made->lane[0].counted = 1;
}

TEST("only equal events are added")
{
    struct region_profile profile;
    struct error err = {0};
    char *folder = folder_make();
    struct made *a = make("one", 7, 100), *b = make("one", 8, 100);
    count_event(a, "PAPI_TOT_CYC", 5);
    count_event(b, "PAPI_TOT_CYC", 6);
    leave(folder, "a.regions", a, sizeof(struct made));
    leave(folder, "b.regions", b, sizeof(struct made));
    if (check_ok(region_profile_read(folder, NULL, &profile, &err), &err)) {
        check_eq(profile.event_nr, 1);
        check_eq(region(&profile, "solve")->numbers.count[0], 11);
        check_eq(profile.uncounted, 2); /* the second threads, 2 s each */
        check_near(region(&profile, "solve")->numbers.uncounted_s, 4, 1e-12);
        region_profile_release(&profile);
    }
    b = make("one", 8, 100);
    count_event(b, "PAPI_TOT_INS", 6);
    leave(folder, "b.regions", b, sizeof(struct made));
    check_fails(region_profile_read(folder, NULL, &profile, &err), &err, STATUS_INPUT,
                "b.regions' counted other events than the files beside it");
    scratch_remove(folder);
}
