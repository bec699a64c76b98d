/* Counting with a PAPI that does as it is told: refusals, conflicts, multiplexing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"

SUITE(traffic_counter);

/*
 * The scripted PAPI: components perf_event (0, with `counters` counters) and pcp (1).
 */

enum { sets_max = 256, events_max = 8 };

struct script {
    enum papi_refusal start, find, create, run, stop;
    const char *refuse_add;   /* this event ... */
    enum papi_refusal add;    /* ... is refused so */
    const char *pair[2];      /* go together in no set ... */
    bool pair_by_turns;       /* ... but a multiplexed one */
    int counters;             /* of perf_event, without multiplexing */
    bool multiplex_conflicts; /* even multiplexed sets are too full */
    const char *uncore, *pcp; /* why disabled; NULL = usable */
    long long value;
    /* seen */
    int created, destroyed, threads, cpus;
};
static struct script script;

static struct {
    bool multiplexed;
    const char *event[events_max];
    int nr;
} sets[sets_max];

static enum papi_refusal s_start(void)
{
    return script.start;
}

static int component_of(const char *event)
{
    return strncmp(event, "pcp", 3) == 0 ? 1 : strstr(event, "unc") ? 2 : 0;
}

static enum papi_refusal s_find(const char *event, int *component)
{
    *component = component_of(event);
    return strstr(event, "NO_EVENT") ? PAPI_NO_EVENT : script.find;
}

static enum papi_refusal s_create(int component, struct papi_place place,
                                  bool multiplexed, int *set)
{
    (void)component;
    if (script.create)
        return script.create;
    *set = script.created++;
    script.threads += place.thread > 0;
    script.cpus += place.cpu >= 0;
    sets[*set].multiplexed = multiplexed;
    sets[*set].nr = 0;
    return PAPI_DONE;
}

static bool in_set(int set, const char *event)
{
    for (int i = 0; event && i < sets[set].nr; i++)
        if (strcmp(sets[set].event[i], event) == 0)
            return true;
    return false;
}

static enum papi_refusal s_add(int set, const char *event)
{
    if (script.refuse_add && strcmp(event, script.refuse_add) == 0)
        return script.add;
    sets[set].event[sets[set].nr++] = event;
    if (script.pair[0] && in_set(set, script.pair[0]) && in_set(set, script.pair[1]) &&
        !(sets[set].multiplexed && script.pair_by_turns))
        return PAPI_NO_TOGETHER;
    if (sets[set].nr > script.counters &&
        (!sets[set].multiplexed || script.multiplex_conflicts))
        return PAPI_NO_TOGETHER;
    return PAPI_DONE;
}

static enum papi_refusal s_run(int set)
{
    (void)set;
    return script.run;
}

static enum papi_refusal s_stop(int set, long long *value)
{
    for (int i = 0; i < sets[set].nr; i++)
        value[i] = script.value;
    return script.stop;
}

static void s_destroy(int set)
{
    (void)set;
    script.destroyed++;
}

static const char *s_text(void)
{
    return "PAPI says no";
}

static const char *s_name(int component)
{
    static const char *const names[] = {"perf_event", "pcp", "perf_event_uncore"};

    return component < 3 ? names[component] : "";
}

static int s_counters(int component)
{
    (void)component;
    return script.counters;
}

static const char *s_disabled(const char *component)
{
    return strcmp(component, "pcp") == 0                 ? script.pcp
           : strcmp(component, "perf_event_uncore") == 0 ? script.uncore
                                                         : NULL;
}

static enum papi_refusal s_read(int set, long long *value)
{
    script.value += 100;
    return s_stop(set, value);
}

static void s_describe(const char *event, struct papi_described *described)
{
    *described = (struct papi_described){.level = strstr(event, "LEVEL") != NULL,
                                         .floating = strstr(event, "DOUBLE") != NULL};
    snprintf(described->unit, sizeof(described->unit), "%s",
             described->level ? "mW" : "");
}

static void s_list(int component, void (*found)(void *context, const char *event),
                   void *context)
{
    found(context, component == 0 ? "c::A" : component == 1 ? "pcp:::READS" : "unc::B");
}

static const struct papi_calls scripted = {
    s_start, s_find, s_create,   s_add,      s_run,  s_stop,     s_destroy,
    s_text,  s_name, s_counters, s_disabled, s_read, s_describe, s_list};

static struct papi_seam seam_of(struct papi_host host)
{
    return (struct papi_seam){&scripted, &perf_core_calls, "/nowhere", host};
}

#define REAL                                                                             \
    {                                                                                    \
        true, 2, false                                                                   \
    }
#define STRICT                                                                           \
    {                                                                                    \
        true, 4, false                                                                   \
    }
#define ROOT                                                                             \
    {                                                                                    \
        true, 4, true                                                                    \
    }
#define GUEST                                                                            \
    {                                                                                    \
        false, 2, true                                                                   \
    }
static const struct papi_host real = REAL;

/* As far as it gets, counting `nr` of four events in this process. */
static int count(struct papi_host host, const char *const *event, size_t nr,
                 struct count_set *set, struct error *err)
{
    struct papi_seam seam = seam_of(host);
    struct papi_counter *counter;
    int result = papi_counter_make(&seam, event, nr, NULL, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    if (result == 0)
        result = papi_counter_end(counter, set, err);
    papi_counter_free(counter);
    check_eq(script.created, script.destroyed);
    return result;
}

static const char *const four[] = {"c::A", "c::B", "c::C", "c::D"};

static const char *const pcp[] = {"pcp:::READS"}, *const unknown[] = {"c::NO_EVENT"},
                         *const uncore[] = {"skx_unc_imc0::CAS"};
static const struct {
    struct script script;
    struct papi_host host;
    const char *const *event;
    const char *part[2];
} refused[] = {
    {{.start = PAPI_NO_LIBRARY, .counters = 4},
     REAL,
     four,
     {"PAPI does not start: PAPI says no", "compiled against?"}},
    {{.counters = 4},
     REAL,
     unknown,
     {"the event 'c::NO_EVENT' cannot be counted: PAPI says no", "papi_native_avail"}},
    {{.find = PAPI_NO_EVENT, .counters = 4},
     GUEST,
     four,
     {"'c::A' cannot be counted",
      "as most virtual machines; the cache model needs none"}},
    {{.refuse_add = "c::B", .add = PAPI_NO_RIGHT, .counters = 4},
     STRICT,
     four,
     {"'c::B' cannot be counted", "perf_event_paranoid is 4 and must be 2 or lower"}},
    {{.run = PAPI_NO_RIGHT, .counters = 4},
     STRICT,
     four,
     {"'c::D' cannot be counted", "kernel.perf_event_paranoid=2"}},
    {{.run = PAPI_NO_RIGHT, .counters = 4},
     REAL,
     four,
     {"although perf_event_paranoid is 2", "CAP_PERFMON"}},
    {{.create = PAPI_NO_RIGHT, .counters = 4},
     REAL,
     uncore,
     {"perf_event_paranoid is 2 and must be 0 or lower", "as root"}},
    {{.find = PAPI_NO_EVENT, .uncore = "No uncore PMUs", .counters = 4},
     REAL,
     uncore,
     {"component 'perf_event_uncore' is disabled (No uncore PMUs)", "to 0 or lower"}},
    {{.find = PAPI_NO_EVENT, .pcp = "no connection to pmcd"},
     REAL,
     pcp,
     {"'pcp' is disabled (no connection to pmcd)", "systemctl start pmcd"}},
    {{.find = PAPI_NO_EVENT, .pcp = ""},
     REAL,
     pcp,
     {"built without the component 'pcp'", "install one"}},
    {{.run = PAPI_NO_COMPONENT, .counters = 4},
     REAL,
     four,
     {"PAPI's component 'perf_event' is disabled (PAPI says no)",
      "papi_component_avail"}},
    {{.refuse_add = "c::A", .add = PAPI_NO_TOGETHER, .counters = 4},
     ROOT,
     four,
     {"'c::A' cannot be counted: somebody else holds", "nmi_watchdog"}},
    {{.pair = {"c::B", "c::D"}, .counters = 4},
     REAL,
     four,
     {"'c::B' and 'c::D' cannot be counted together", "two runs"}},
    {{.counters = 2, .multiplex_conflicts = true},
     REAL,
     four,
     {"the 4 events from 'c::A' to 'c::D' do not fit", "count fewer"}},
    {{.run = PAPI_NO_OTHER, .counters = 4},
     REAL,
     four,
     {"'c::D' cannot be counted: PAPI says no", "papi_avail"}},
};

/* Every refusal is one sentence with what helps. */
TEST("refusals")
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct count_set set = {0};
        struct error err = {0};

        script = refused[i].script;
        if (check_eq(count(refused[i].host, refused[i].event,
                           refused[i].event == four ? 4 : 1, &set, &err),
                     -1)) {
            check_eq(err.status, STATUS_MISSING);
            check_contains(err.text, refused[i].part[0]);
            check_contains(err.text, refused[i].part[1]);
        }
        check(!strchr(err.text, '\n'));
        count_set_release(&set);
    }
}

TEST("failing reads")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.stop = PAPI_NO_OTHER, .counters = 4};
    check_fails(count(real, four, 4, &set, &err), &err, STATUS_FAILED,
                "PAPI cannot read its counters: PAPI says no");
    count_set_release(&set);
}

TEST("enough counters")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.value = 42, .counters = 4};
    check_ok(count(real, four, 4, &set, &err), &err);
    check_eq(set.count_nr, 4);
    check_str(set.count[3].event, "c::D");
    check_near(set.count[3].value.value, 42, 0);
    check_near(set.count[3].value.low, 42, 0);
    check_near(set.count[3].share, 1, 0);
    check_eq(set.count[3].value.provenance, PROVENANCE_PAPI);
    check_str(set.source, "PAPI");
    check_eq(script.created, 1);
    count_set_release(&set);
}

/* Four events by turns in two counters: half of the time each, and an interval. */
TEST("more events than counters")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.value = 1000, .counters = 2};
    check_ok(count(real, four, 4, &set, &err), &err);
    check_near(set.count[0].share, 0.5, 0);
    check_near(set.count[0].value.value, 1000, 0);
    check_near(set.count[0].value.low, 500, 0); /* never below what was counted */
    check(set.count[0].value.high > 1500);
    count_set_release(&set);
}

/* Counters enough, but two events need the same one: nothing counted all the time. */
TEST("events of one counter")
{
    struct papi_seam seam = seam_of(real);
    struct strvec event = {0};
    struct error err = {0};
    bool at_once = true;

    strvec_push(&event, "c::A");
    strvec_push(&event, "c::B");
    script =
        (struct script){.counters = 4, .pair = {"c::A", "c::B"}, .pair_by_turns = true};
    check_ok(papi_events_fit_with(&seam, &event, NULL, &at_once, &err), &err);
    check(!at_once);
    script.pair[0] = NULL;
    check_ok(papi_events_fit_with(&seam, &event, NULL, &at_once, &err), &err);
    check(at_once);
    script.refuse_add = "c::B";
    script.add = PAPI_NO_RIGHT;
    check_fails(papi_events_fit_with(&seam, &event, NULL, &at_once, &err), &err,
                STATUS_MISSING, "'c::B' cannot be counted");
    check(!at_once);
    check_eq(script.created, script.destroyed);
    strvec_release(&event);
}

/* PAPI's numbers have a sign. */
TEST("overflowing counters")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.value = -7, .counters = 4};
    check_ok(count(real, four, 4, &set, &err), &err);
    check(!set.count[2].value.known);
    check_contains(set.count[2].why, "overflowed");
    count_set_release(&set);
}

TEST("intervals of shares")
{
    struct quantity all = count_multiplexed(1000, 1, 0.5),
                    half = count_multiplexed(1000, 0.5, 0.4), /* 100 turns */
        one = count_multiplexed(1000, 0.25, 0.001);

    check_near(all.low, 1000, 0);
    check_near(all.high, 1000, 0);
    check_near(half.high, 1000 * (1 + 1.96 * sqrt(0.5 / 100)), 1e-12);
    check_near(half.low, 1000 * (1 - 1.96 * sqrt(0.5 / 100)), 1e-12);
    check_near(one.low, 250, 1e-12);
    check_near(one.high, 1000 * (1 + 1.96 * sqrt(0.75)), 1e-12);
}

/* Threads of children, packages, all cpus. */
TEST("places")
{
    static const char *const mixed[] = {"c::A", "skx_unc_imc0::CAS", "pcp:::READS"};
    const struct papi_counter_opts wide = {.system_wide = true};
    struct papi_seam seam = seam_of(real);
    struct papi_counter *counter;
    struct count_set set = {0};
    struct error err = {0};
    pid_t self = getpid();

    script = (struct script){.value = 5, .counters = 4};
    check_ok(papi_counter_make(&seam, mixed, 3, NULL, &counter, &err), &err);
    check_ok(papi_counter_begin(counter, &self, 1, &err), &err);
    check(script.threads >= 1);
    check_eq(script.cpus, 1);
    check_eq(script.created, script.threads + 2);
    check_ok(papi_counter_end(counter, &set, &err), &err);
    check_near(set.count[0].value.value, 5 * script.threads, 0);
    check_near(set.count[1].value.value, 5, 0);
    count_set_release(&set);
    papi_counter_free(counter);

    script = (struct script){.value = 5, .counters = 4};
    check_ok(papi_counter_make(&seam, mixed, 1, &wide, &counter, &err), &err);
    check_ok(papi_counter_begin(counter, &self, 1, &err), &err);
    check_eq(script.threads, 0);
    check_eq(script.cpus, sysconf(_SC_NPROCESSORS_ONLN));
    papi_counter_free(counter);
    check_eq(script.created, script.destroyed);
}

/* A reading does not stop what is read. */
TEST("a reading does not stop what is read")
{
    struct papi_seam seam = seam_of(real);
    static const char *const event[] = {"c::A", "c::DOUBLE"};
    struct papi_counter *counter = NULL;
    struct count_set set = {0};
    struct error err = {0};
    double bits;

    script = (struct script){.counters = 4};
    check_ok(papi_counter_make(&seam, event, 2, NULL, &counter, &err), &err);
    check_ok(papi_counter_begin(counter, NULL, 0, &err), &err);
    check_ok(papi_counter_read(counter, &set, &err), &err);
    check_ok(papi_counter_read(counter, &set, &err), &err);
    check_eq(script.destroyed, 0);
    if (check_eq(set.count_nr, 4)) {
        check_near(set.count[0].value.value, 100, 0);
        check_near(set.count[2].value.value, 200, 0);
        memcpy(&bits, &(long long){100}, sizeof(bits));
        check_near(set.count[1].value.value, bits, 0);
    }
    count_set_release(&set);
    papi_counter_free(counter);
    check_eq(script.created, script.destroyed);
}

static void add_component(void *context, const char *name, const char *why)
{
    buf_addf(context, "%s(%s) ", name, why);
}

static void add_event(void *context, const char *name)
{
    buf_addf(context, "%s ", name);
}

TEST("events are described and listed")
{
    struct papi_seam seam = seam_of(real);
    struct buf text = {0};
    struct papi_listing listing = {add_component, add_event, &text};
    struct papi_event_about about;
    struct error err = {0};

    script = (struct script){.counters = 4, .pcp = "no pmcd"};
    check_ok(papi_list_with(&seam, &listing, &err), &err);
    check_str(buf_str(&text),
              "perf_event() c::A pcp(no pmcd) perf_event_uncore() unc::B ");
    check_ok(papi_describe_with(&seam, "c::LEVEL", &about, &err), &err);
    check(about.level && about.of_process);
    check_str(about.unit, "mW");
    check_ok(papi_describe_with(&seam, "perf::TASK-CLOCK", &about, &err), &err);
    check_str(about.component, "kernel");
    check(!about.of_process);
    check_fails(papi_describe_with(&seam, "c::NO_EVENT", &about, &err), &err,
                STATUS_MISSING, "c::NO_EVENT");
    script.start = PAPI_NO_LIBRARY;
    check_fails(papi_list_with(&seam, &listing, &err), &err, STATUS_MISSING,
                "PAPI says no");
    buf_release(&text);
}
