/* inflight metrics --regions: folders that are made here, with counts of the made-up CPU
 * of the tests, and a program with markers that runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regions/regions.h"
#include "tests/advisor/place.h"

SUITE(advisor_metrics_regions);

#define DATA        INFLIGHT_SOURCE_DIR "/tests/data/advisor/metrics/"
#define PROGRAM     "'" INFLIGHT_BINARY_DIR "/inflight_region_program' "
#define TOY         " --cpu ./toy.json"
#define TOY_TOPDOWN TOY " --model topdown"

enum { lanes = 2, events = 4 };
static const uint64_t second = 1000000000;

/* A process of two threads that were at the same time in "solve" for 4 s; the first one,
 * of that, in "gather" for 1 s. Counts are of each call of a region. */
struct made {
    struct regions_header header;
    struct regions_lane lane[lanes];
};
struct wanted {
    const char *folder;
    int64_t pid;
    const char *program;
    uint64_t gathers; /* calls of "gather" */
    const char *event[events];
    uint64_t solve[events], gather[events]; /* counts of a call */
};

static struct regions_node *add_node(struct regions_lane *lane, uint32_t name,
                                     uint32_t parent, uint64_t calls, uint64_t time_ns)
{
    struct regions_node *node = &lane->node[lane->node_nr++];
    *node = (struct regions_node){.name = name,
                                  .parent = parent,
                                  .calls = calls,
                                  .time_ns = time_ns,
                                  .min_ns = time_ns / (calls ? calls : 1),
                                  .max_ns = time_ns,
                                  .asked_ns = time_ns,
                                  .processor_ns = 2 * time_ns,
                                  .minor_faults = 10 * calls,
                                  .random_share = -1};
    lane->node[parent].inside_ns += time_ns;
    return node;
}

static void add_lane(struct made *made, int i, const struct wanted *wanted)
{
    struct regions_lane *lane = &made->lane[i];
    *lane = (struct regions_lane){
        .node_nr = 1, .threads = 1, .counted = made->header.event_nr > 0};
    struct regions_node *solve = add_node(lane, 0, 0, 100, 4 * second), *gather = NULL;
    if (!i)
        gather = add_node(lane, 1, 1, wanted->gathers, wanted->gathers * second / 1000);
    for (uint32_t k = 0; k < made->header.event_nr; k++) {
        solve->count[k] = solve->calls * wanted->solve[k];
        if (gather)
            gather->count[k] = gather->calls * wanted->gather[k];
    }
}

static void add_name(struct made *made, const char *text, uint64_t wall_ns)
{
    struct regions_name *name = &made->header.name[made->header.name_nr++];
    strncpy(name->text, text, sizeof(name->text) - 1);
    name->wall_ns = (int64_t)wall_ns;
    name->first_ns = 101 * second;
    name->last_ns = 101 * second + wall_ns;
}

static struct made *make(const struct wanted *wanted)
{
    struct made *made = xcalloc(1, sizeof(*made));
    struct regions_header *header = &made->header;
    *header = (struct regions_header){.format = REGIONS_FORMAT,
                                      .byte_order = REGIONS_BYTE_ORDER,
                                      .header_bytes = sizeof(made->header),
                                      .lane_bytes = sizeof(made->lane[0]),
                                      .pid = wanted->pid,
                                      .host = "a machine of the tests",
                                      .start_ns = 100 * second,
                                      .end_ns = 110 * second,
                                      .pair_ns = 100,
                                      .lane_nr = lanes};
    memcpy(header->magic, REGIONS_MAGIC, sizeof(header->magic));
    strncpy(header->program, wanted->program, sizeof(header->program) - 1);
    while (header->event_nr < events && wanted->event[header->event_nr]) {
        strncpy(header->event[header->event_nr], wanted->event[header->event_nr],
                REGIONS_EVENT_BYTES - 1);
        header->event_nr++;
    }
    add_name(made, "solve", 4 * second);
    add_name(made, "gather", wanted->gathers * second / 1000);
    for (int i = 0; i < lanes; i++)
        add_lane(made, i, wanted);
    return made;
}

/* Frees what was made. */
static void leave(struct place *place, const struct wanted *wanted, struct made *made)
{
    char *folder = path_join(place->work, wanted->folder);
    char *path = xasprintf("%s/%d.regions", folder, (int)wanted->pid);
    check_ok(dir_make_all(folder, &place->err), &place->err);
    check_ok(file_write(path, made, sizeof(*made), &place->err), &place->err);
    free(folder);
    free(path);
    free(made);
}

/* Of two processes, and of the half of one: "gather" was called twice as often. */
static const struct wanted first[] = {
    {"first", 1, "solver", 1000, {"CYCLES", "FRONT", "BAD"}, {1000, 400, 200}, {100, 40}},
    {"first",
     2,
     "solver",
     1000,
     {"CYCLES", "FRONT", "BAD"},
     {1000, 400, 200},
     {100, 40}}};
static const struct wanted other[] = {{"other",
                                       1,
                                       "solver",
                                       2000,
                                       {"CYCLES", "USED", "FRONT_LATENCY"},
                                       {1000, 1200, 400},
                                       {100, 80, 20}},
                                      {"other",
                                       2,
                                       "solver",
                                       2000,
                                       {"CYCLES", "USED", "FRONT_LATENCY"},
                                       {1000, 1200, 400},
                                       {100, 80, 20}}};

static void folders_make(struct place *place)
{
    struct buf text = {0};
    place_make(place);
    char *toy = path_join(place->work, "toy.json");
    check_ok(file_read(DATA "toy.json", &text, &place->err), &place->err);
    check_ok(file_write(toy, buf_str(&text), text.length, &place->err), &place->err);
    for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
        leave(place, &first[i], make(&first[i]));
        leave(place, &other[i], make(&other[i]));
    }
    buf_release(&text);
    free(toy);
}

/* ---- what is printed ---- */

TEST("regions are columns")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};
    folders_make(&place);
    place_run(&place, "metrics --regions first" TOY, &outcome);
    check_eq(outcome.code, 0);
    check_str(buf_str(&outcome.err), "");
    check_golden(DATA "regions.txt", buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    check_run(
        &place, "metrics --regions first,other" TOY_TOPDOWN, 0,
        "solve: *\n  first,other, counted by region markers, 2 runs, 4 s, 4 cores\n*"
        "> Backend_Bound           55.0 % of slots *\n"
        "  - 400 calls, by at most 4 threads at once of 2 processes\n*"
        "gather: *\n  first,other, counted by region markers, 2 runs, 1 s, 2 cores\n*"
        "> Backend_Bound           70.0 % of slots *\n"
        "  - 2000 calls, by at most 2 threads at once of 2 processes\n*",
        "");
    place_drop(&place);
}

static json_t *column_of(const json_t *document, const char *label)
{
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(document, "columns"), i, column) {
        if (!strcmp(json_string_value(json_object_get(column, "label")), label))
            return column;
    }
    return NULL;
}

static double metric_of(const json_t *column, const char *name)
{
    size_t i;
    const json_t *metric;
    json_array_foreach(json_object_get(column, "metrics"), i, metric) {
        if (!strcmp(json_string_value(json_object_get(metric, "name")), name))
            return json_number_value(
                json_object_get(json_object_get(metric, "value"), "value"));
    }
    return -1;
}

/* 2 processes x 2 threads x 100 calls of 1000 cycles; the second run's "gather" is called
 * twice as often, and counts for half of it. */
TEST("runs are made one by calls")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};
    json_error_t syntax;
    folders_make(&place);
    place_run(&place, "metrics --regions first,other --json" TOY, &outcome);
    json_t *document = json_loads(buf_str(&outcome.out), 0, &syntax);
    if (check(document != NULL)) {
        const json_t *solve = column_of(document, "solve"),
                     *gather = column_of(document, "gather");
        check_near(metric_of(solve, "cycles"), 400 * 1000, 1e-12);
        check_near(metric_of(solve, "Retiring"), 0.3, 1e-12);
        check_near(metric_of(solve, "Backend_Bound"), 1 - 0.3 - 0.1 - 0.05, 1e-12);
        check_near(metric_of(gather, "cycles"), 2000 * 100, 1e-12);
        check_near(metric_of(gather, "Retiring"), 0.2, 1e-12);
        check_near(metric_of(gather, "Frontend_Bound"), 0.1, 1e-12);
        check_near(json_number_value(json_object_get(
                       json_array_get(json_object_get(solve, "runs"), 0), "calls")),
                   400, 0);
    }
    json_decref(document);
    spawn_outcome_release(&outcome);
    place_drop(&place);
}

TEST("documents of regions are read again")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};
    folders_make(&place);
    char *path = path_join(place.work, "both.json");
    place_run(&place, "metrics --regions first,other --json" TOY, &outcome);
    check_ok(file_write(path, buf_str(&outcome.out), outcome.out.length, &place.err),
             &place.err);
    spawn_outcome_release(&outcome);
    place_run(&place, "metrics --counts both.json --model topdown", &outcome);
    check_eq(outcome.code, 0);
    check_contains(buf_str(&outcome.out), "\ngather: ");
    spawn_outcome_release(&outcome);
    free(path);
    place_drop(&place);
}

/* ---- what is not counted ---- */

static void uncounted_thread(struct made *made)
{
    made->lane[1].counted = 0;
}
static void uncounted_process(struct made *made)
{
    made->header.event_nr = 0;
    snprintf(made->header.why, sizeof(made->header.why), "it was born behind fork");
}
static void unfinished_call(struct made *made)
{
    made->lane[1].depth = 1;
    made->lane[1].frame[0] = (struct regions_frame){.node = 1, .start_ns = 109 * second};
    made->header.end_ns = 110 * second;
}
static void few_asked(struct made *made)
{
    made->lane[0].node[1].asked_ns /= 2;
}
static void busy(struct made *made)
{
    for (int i = 0; i < lanes; i++)
        made->lane[i].node[1].processor_ns = 16 * second;
}
static void declared(struct made *made)
{
    made->lane[0].node[1].declared = 1;
    made->lane[0].node[1].read_bytes = 5e9;
    made->lane[0].node[2].read_bytes = 3e9; /* within it */
}
static void short_calls(struct made *made)
{
    made->header.pair_ns = 2e7;
}
static void elsewhere(struct made *made)
{
    snprintf(made->header.host, sizeof(made->header.host), "another machine");
}
static void no_counts(struct made *made)
{
    made->header.event_nr = 0;
}

/* The second process is changed. */
static const struct {
    void (*change)(struct made *made);
    const char *args, *out;
} given[] = {
    {uncounted_thread, "--regions first --model topdown" TOY,
     "*solve*?*25 % of the region's time was not counted*"},
    {uncounted_process, "--regions first --model topdown" TOY,
     "*50 % of the region's time*1 of 2 processes in 'first' count no events: it was "
     "born behind fork*"},
    {unfinished_call, "--regions first --model topdown" TOY,
     "*5.88 % of the region's time was not counted*"},
    {few_asked, "--regions first --model faults --cpu software",
     "*solve: *page faults are read in*which are 87.5 %*"},
    {busy, "--regions first --model topdown" TOY,
     "*solve: *3 processors are at work in a process*and 2 threads of it*mark*"},
    {declared, "--regions first --cpu skylake-sp --model portable",
     "*solve: *Mem_Bytes *8.00 G *bytes through memory are those that the program "
     "declares*"},
    {short_calls, "--regions first --model topdown" TOY,
     "*the markers themselves are 100 % of its time*"},
    {elsewhere, "--regions first --model topdown" TOY,
     "*it ran on 2 machines: counts and rates are of all of them*"},
    {no_counts, "--regions first --model faults",
     "solve: What the kernel counts*Page_faults * 4000 *Page_faults * 20000 *"},
};

TEST("what is not counted is said")
{
    for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
        struct place place = {0};
        struct spawn_outcome outcome = {0};
        folders_make(&place);
        struct made *made = make(&first[1]);
        given[i].change(made);
        leave(&place, &first[1], made);
        if (given[i].change == no_counts) {
            made = make(&first[0]);
            no_counts(made);
            leave(&place, &first[0], made);
        }
        char *args = xasprintf("metrics %s", given[i].args);
        place_run(&place, args, &outcome);
        if (!text_matches(buf_str(&outcome.out), given[i].out))
            check_str(buf_str(&outcome.out), given[i].out);
        spawn_outcome_release(&outcome);
        free(args);
        place_drop(&place);
    }
}

/* A region that one of the runs does not have. */
TEST("runs without the region are said")
{
    struct wanted without = other[1];
    struct place place = {0};
    without.gathers = 0;
    folders_make(&place);
    for (int64_t pid = 1; pid <= 2; pid++) {
        without.pid = pid;
        leave(&place, &without, make(&without));
    }
    check_run(&place, "metrics --regions first,other" TOY_TOPDOWN, 0,
              "*gather: *it is in 1 of the 2 runs*", "");
    place_drop(&place);
}

/* ---- what is refused ---- */

TEST("what is refused")
{
    static const struct {
        const char *args;
        int code;
        const char *err;
    } wrong[] = {
        {"--regions nosuch" TOY, 3, "*cannot read the folder 'nosuch'*"},
        {"--regions first,nosuch" TOY, 3, "*cannot read the folder 'nosuch'*"},
        {"--regions empty" TOY, 3, "*no process left anything in 'empty'*"},
        {"--regions first,foreign" TOY, 3,
         "*'first' is of 'solver' and 'foreign' of 'writer'*"},
        {"--regions idle" TOY, 3, "*no region was entered by the program of 'idle'*"},
        {"--regions first --counts x.csv", 2, "*metrics takes one of*"},
        {"--regions first two.c", 2, "*metrics takes one of*"},
        {"--regions first --list", 2, "*--list says what is defined*"},
        {"--regions first --runs 2", 2, "*what --regions names was counted already*"},
        {"--regions --", 2, "*is followed by the program*"},
        {"--regions first -- true", 3, "*'first' is there already*"},
        {"--regions -- ./nosuch", 3, "*cannot start './nosuch'*"},
        {"--regions -- false", 3,
         "*'false' ended with status 1, and no process of run 1 has region markers*"},
        {"--regions -- true", 3, "*no process of run 1 has region markers*"},
    };
    struct wanted foreign = first[0], idle = first[0];
    struct place place = {0};
    foreign.folder = "foreign";
    foreign.program = "writer";
    idle.folder = "idle";
    folders_make(&place);
    leave(&place, &foreign, make(&foreign));
    struct made *made = make(&idle);
    made->header.name_nr = made->header.lane_nr = 0;
    leave(&place, &idle, made);
    char *empty = path_join(place.work, "empty");
    check_ok(dir_make_all(empty, &place.err), &place.err);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char *args = xasprintf("metrics %s", wrong[i].args);
        check_run(&place, args, wrong[i].code, "*", wrong[i].err);
        free(args);
    }
    free(empty);
    place_drop(&place);
}

/* ---- a program that runs ---- */

/* The page faults of a region are told by the system, whatever counts here. */
TEST("a program is run")
{
    struct place place = {0};
    folders_make(&place);
    check_run(&place, "metrics --regions -- " PROGRAM "pages", 0,
              "*counted*by*region*markers,*Page_faults *'perf::TASK-CLOCK' cannot be "
              "counted in regions*",
              "*");
    check_run(&place,
              "metrics --regions kept --cpu software --model faults -- " PROGRAM "pages",
              0, "*Page_faults *", "*");
    check_run(&place, "metrics --regions kept/1 --cpu software", 0,
              "* kept/1, counted by region markers,*Page_faults *", "");
    check_run(&place, "metrics --regions -- sh -c \"" PROGRAM "pages; exit 7\"", 1,
              "*Page_faults *",
              "*'sh' ended with status 7; the metrics cover what it did until then*");
    place_drop(&place);
}
