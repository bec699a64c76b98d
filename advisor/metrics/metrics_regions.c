#define _GNU_SOURCE /* gethostname */
/* Regions as columns: their counts and what these miss, folders read, programs run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_measure.h"
#include "advisor/metrics/metrics_show.h"
#include "core/base/error.h"
#include "observe/report/regions_report.h"

/* Ours: of the region's time that counts may miss and still stand for it. */
#define MISSED_MAX 0.01
/* Ours: processors at work in a process for each of its threads that marks regions;
 * beyond it there are threads at work that do not. */
#define UNMARKED_MIN 1.25
/* As the markers' report says it (docs/reference/regions.md). */
#define MARKERS_MAX 0.1

static double share_of(double part_s, const struct region *region)
{
    return region->numbers.thread_s > 0 ? part_s / region->numbers.thread_s : 0;
}

/* ---- counts ---- */

static bool is_missed(const struct region *region)
{
    return share_of(region->numbers.uncounted_s, region) > MISSED_MAX;
}

static bool is_asked(const struct region *region)
{
    return share_of(region->numbers.asked_s, region) >= 1 - MISSED_MAX;
}

/* Caller frees. */
static char *why_missed(const struct region *region)
{
    return xasprintf("%.3g %% of the region's time was not counted: in threads whose "
                     "events do not count, or in calls that had not ended",
                     100 * share_of(region->numbers.uncounted_s, region));
}

static char *why_not_asked(const struct region *region)
{
    return xasprintf("page faults are read in calls of 0.2 ms or more, which are %.3g %% "
                     "of the region's time",
                     100 * share_of(region->numbers.asked_s, region));
}

static void add_one(struct count_set *set, const char *event, struct quantity value,
                    const char *why)
{
    if (why)
        count_set_add_unknown(set, event, why);
    else
        count_set_add(set, event, value, 1);
}

static void add_counted(const struct region_profile *profile, const struct region *region,
                        struct count_set *set)
{
    char *why = is_missed(region) ? why_missed(region) : NULL;
    for (size_t i = 0; i < profile->event_nr; i++)
        add_one(set, profile->event[i],
                quantity_exact(region->numbers.count[i], PROVENANCE_PAPI), why);
    free(why);
}

/* What the system tells of long calls, by the names of the kernel's events. */
static void add_given(const struct region *region, struct count_set *set)
{
    const struct region_numbers *numbers = &region->numbers;
    const struct {
        const char *event;
        double count;
    } reported[] = {{"perf::PAGE-FAULTS", numbers->minor_faults + numbers->major_faults},
                    {"perf::MINOR-FAULTS", numbers->minor_faults},
                    {"perf::MAJOR-FAULTS", numbers->major_faults},
                    {"perf::CONTEXT-SWITCHES", numbers->switches}};
    char *why = is_asked(region) ? NULL : why_not_asked(region);
    for (size_t i = 0; i < ARRAY_SIZE(reported); i++)
        if (!count_set_find(set, reported[i].event))
            add_one(set, reported[i].event,
                    quantity_exact(reported[i].count, PROVENANCE_CLOCK), why);
    free(why);
}

/* Events that did not count all of it are unknown. */
static struct count_set region_counts(const struct region_profile *profile,
                                      const struct region *region)
{
    struct count_set set = {.source = xstrdup("region markers"),
                            .seconds = region->wall_s.value > 0 ? region->wall_s
                                                                : quantity_unknown(),
                            .calls = region->numbers.calls};
    if (region->wall_s.value > 0)
        set.cores = (int)fmax(1, round(region->numbers.thread_s / region->wall_s.value));
    add_counted(profile, region, &set);
    add_given(region, &set);
    return set;
}

/* ---- notes ---- */

static size_t hosts_of(const struct region *region)
{
    size_t nr = 0;
    for (size_t i = 0; i < region->stay_nr; i++)
        nr += !i || strcmp(region->stay[i].host, region->stay[i - 1].host) != 0;
    return nr;
}

static const char *plural(double nr)
{
    return nr == 1 ? "" : "s";
}

static void note_size(const struct region *region, struct strvec *note)
{
    size_t hosts = hosts_of(region);
    strvec_pushf(note, "%.0f call%s, by at most %zu thread%s at once of %zu process%s",
                 region->numbers.calls, plural(region->numbers.calls), region->thread.nr,
                 plural((double)region->thread.nr), region->process.nr,
                 region->process.nr == 1 ? "" : "es");
    if (hosts > 1)
        strvec_pushf(note,
                     "it ran on %zu machines: counts and rates are of all of them "
                     "together, and must not be held against the roofs of one",
                     hosts);
}

/* Threads that mark regions, of a process. */
static double threads_of(const struct region_profile *profile)
{
    double threads = 0;
    for (size_t i = 0; i < profile->process_nr; i++)
        threads += (double)profile->process[i].threads;
    return threads / (double)profile->process_nr;
}

/* Threads that work meanwhile, and mark nothing, are not counted. */
static void note_unmarked(const struct region_profile *profile,
                          const struct region *region, struct strvec *note)
{
    const struct region_numbers *numbers = &region->numbers;
    double busy = numbers->asked_s > 0 ? numbers->processor_s / numbers->asked_s : 0;
    double threads = threads_of(profile);
    if (profile->event_nr && busy > UNMARKED_MIN * fmax(threads, 1))
        strvec_pushf(note,
                     "%.3g processors are at work in a process meanwhile, and %.3g "
                     "thread%s of it mark%s regions: the events of the others are not "
                     "among the counts. Put the markers inside the parallel part",
                     busy, threads, plural(threads), threads == 1 ? "s" : "");
}

static void note_missed(const struct region_profile *profile, const struct region *region,
                        struct strvec *note)
{
    double missed = share_of(region->numbers.uncounted_s, region);
    char *why = NULL;
    if (profile->event_nr && is_missed(region))
        why = why_missed(region);
    else if (profile->event_nr && missed > 0)
        why = xasprintf("%.2g %% of its time was not counted", 100 * missed);
    if (why)
        strvec_push(note, why);
    free(why);
    why = is_asked(region) ? NULL : why_not_asked(region);
    if (why)
        strvec_push(note, why);
    free(why);
}

static void region_notes(const struct region_profile *profile,
                         const struct region *region, struct strvec *note)
{
    double markers = region_marker_share(region);
    note_size(region, note);
    note_unmarked(profile, region, note);
    note_missed(profile, region, note);
    if (markers >= MARKERS_MAX)
        strvec_pushf(note,
                     "the markers themselves are %.0f %% of its time, and of what is "
                     "counted: mark a longer stretch, such as the loop around it",
                     100 * markers);
}

enum { MISSING_SHOWN = 6 };

/* Runs of one program, each with a folder of its own. */
struct region_runs {
    const char *origin;           /* as the user named them */
    const struct strvec *folder;  /* one a run */
    const struct strvec *name;    /* of the runs, for notes */
    const struct region_end *end; /* one a run; NULL = nothing is known of their ends */
    bool here;                    /* they ran on this machine; else their hosts tell */
};

/* The runs, read. */
struct reading {
    const struct region_runs *from;
    struct region_profile *profile;
    size_t nr;
    bool here;
    char *definition;   /* NULL = as for any counts */
    struct strvec note; /* of all regions */
};

static void reading_release(struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        region_profile_release(&reading->profile[i]);
    free(reading->profile);
    free(reading->definition);
    strvec_release(&reading->note);
}

/* ---- the runs ---- */

static int read_profile(struct reading *reading, struct error *err)
{
    const struct region_runs *from = reading->from;
    struct region_profile *profile = &reading->profile[reading->nr];
    const char *folder = from->folder->v[reading->nr], *name = from->name->v[reading->nr];
    if (region_profile_read(folder, from->end ? &from->end[reading->nr] : NULL, profile,
                            err))
        return -1;
    reading->nr++;
    if (!profile->process_nr && from->here)
        return fail(err, STATUS_INPUT,
                    "no process of %s has region markers: mark the code of interest, and "
                    "link the library (docs/reference/regions.md)",
                    name);
    if (!profile->process_nr)
        return fail(err, STATUS_INPUT,
                    "no process left anything in '%s': link the program with markers "
                    "(docs/reference/regions.md), and run it with INFLIGHT_REGIONS "
                    "naming the folder",
                    name);
    return profile->region_nr ? 0
                              : fail(err, STATUS_INPUT,
                                     "no region was entered by the program of '%s': mark "
                                     "the code of interest (docs/reference/regions.md)",
                                     name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "solver, writer"; caller frees. */
static char *programs_of(const struct region_profile *profile)
{
    struct strvec list = {0};
    for (size_t i = 0; i < profile->process_nr; i++)
        strvec_push_once(&list, profile->process[i].program);
    qsort(list.v, list.nr, sizeof(*list.v), by_text);
    char *all = strvec_join(&list, ", ");
    strvec_release(&list);
    return all;
}

/* Runs to be made one are of the same work. */
static int check_work(struct reading *reading, size_t i, struct error *err)
{
    const struct region_profile *first = &reading->profile[0],
                                *here = &reading->profile[i];
    const char *const *name = (const char *const *)reading->from->name->v;
    char *left = programs_of(first), *right = programs_of(here);
    int status = 0;
    if (strcmp(left, right) != 0)
        status = fail(err, STATUS_INPUT,
                      "'%s' is of '%s' and '%s' of '%s': folders between commas are runs "
                      "of one program with other events",
                      name[0], left, name[i], right);
    else if (first->process_nr != here->process_nr)
        strvec_pushf(&reading->note,
                     "'%s' is of %zu processes and '%s' of %zu: is that the same work?",
                     name[0], first->process_nr, name[i], here->process_nr);
    free(left);
    free(right);
    return status;
}

static void note_uncounted(struct reading *reading, size_t run)
{
    const struct region_profile *profile = &reading->profile[run];
    const char *why = NULL;
    size_t nr = 0;
    for (size_t i = 0; i < profile->process_nr; i++) {
        nr += profile->process[i].why != NULL;
        why = why ? why : profile->process[i].why;
    }
    if (nr)
        strvec_pushf(&reading->note, "%zu of %zu processes in '%s' count no events: %s",
                     nr, profile->process_nr, reading->from->name->v[run], why);
    else if (!profile->event_nr && !reading->from->here)
        strvec_pushf(&reading->note, "no events were counted in '%s'",
                     reading->from->name->v[run]);
}

static bool is_of_this_host(const struct reading *reading)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].process_nr; k++)
            if (strcmp(reading->profile[i].process[k].host, host) != 0)
                return false;
    return true;
}

static int read_all(struct reading *reading, struct error *err)
{
    size_t nr = reading->from->folder->nr;
    reading->profile = xcalloc(nr + 1, sizeof(*reading->profile));
    for (size_t i = 0; i < nr; i++)
        if (read_profile(reading, err) || check_work(reading, i, err))
            return -1;
    for (size_t i = 0; i < nr; i++)
        note_uncounted(reading, i);
    reading->here = reading->from->here || is_of_this_host(reading);
    return 0;
}

/* ---- the definitions ---- */

static bool counts_anything(const struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        if (reading->profile[i].event_nr)
            return true;
    return false;
}

static bool declares_bytes(const struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].region_nr; k++)
            if (reading->profile[i].region[k].numbers.declared > 0)
                return true;
    return false;
}

/* This machine's where events were counted or bytes declared; of nothing but times the
 * kernel's, which describe no CPU. */
static void find_definition(const struct metrics_report *report, struct reading *reading)
{
    struct metric_set *set = NULL;
    bool known = reading->here && !metrics_set_here(&set, NULL);
    bool some = counts_anything(reading);
    if (report->settings->cpu)
        reading->definition = NULL;
    else if (known && (some || declares_bytes(reading)))
        reading->definition = xstrdup(set->name);
    else if (!some)
        reading->definition = xstrdup(metrics_software);
    metric_set_free(set);
}

/* ---- one region ---- */

static const struct region *find_region(const struct region_profile *profile,
                                        const char *name)
{
    for (size_t i = 0; i < profile->region_nr; i++)
        if (!strcmp(profile->region[i].name, name))
            return &profile->region[i];
    return NULL;
}

static bool has_ended(const struct region *region)
{
    return region && region->numbers.calls > 0;
}

static bool ends_anywhere(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->nr; i++)
        if (has_ended(find_region(&reading->profile[i], name)))
            return true;
    return false;
}

static bool tells_memory(const struct metrics_column *column)
{
    bool tells = false;
    for (size_t i = 0; i < column->run_nr; i++) {
        struct traffic_memory memory = {0};
        tells |= !traffic_memory_from_counts(column->run[i].cpu, &column->run[i], &memory,
                                             NULL) &&
                 memory.both.known;
    }
    return tells;
}

/* Where nobody counts what goes through memory, the program's own word; of the first run,
 * as the counts are made one by its calls. */
static void give_declared(const struct region *region, struct metrics_column *column)
{
    double read = region->numbers.read_bytes + region->inner_read_bytes,
           write = region->numbers.write_bytes + region->inner_write_bytes;
    const struct metric_given given[] = {
        {"memory_read_bytes", quantity_exact(read, PROVENANCE_DECLARED)},
        {"memory_write_bytes", quantity_exact(write, PROVENANCE_DECLARED)},
        {"memory_bytes", quantity_exact(read + write, PROVENANCE_DECLARED)}};
    if (!(region->numbers.declared > 0) || tells_memory(column))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(given); i++)
        metrics_give(column, given[i].name, given[i].value);
    strvec_push(&column->note, "bytes through memory are those that the program declares "
                               "(inflight_region_bytes)");
}

static void take_runs(const struct metrics_report *report, const struct reading *reading,
                      const char *name, struct metrics_column *column)
{
    bool ended = ends_anywhere(reading, name);
    column->run = xcalloc(reading->nr + 1, sizeof(*column->run));
    for (size_t i = 0; i < reading->nr; i++) {
        const struct region_profile *profile = &reading->profile[i];
        const struct region *region = find_region(profile, name);
        if (!region || (ended && !has_ended(region)))
            continue;
        column->run[column->run_nr] = region_counts(profile, region);
        if (reading->here && !report->settings->cpu)
            column->run[column->run_nr].cpu = machine_cpu_model();
        if (!column->run_nr++) {
            region_notes(profile, region, &column->note);
            give_declared(region, column);
        }
    }
    if (column->run_nr < reading->nr)
        strvec_pushf(&column->note,
                     "it is in %zu of the %zu runs: what the others would have counted "
                     "of it is not known",
                     column->run_nr, reading->nr);
}

static int add_region(struct metrics_report *report, const struct reading *reading,
                      const char *name, struct error *err)
{
    struct metrics_column column = {.origin = xstrdup(reading->from->origin),
                                    .label = region_shown(name)};
    bool here = false;
    take_runs(report, reading, name, &column);
    strvec_push_all(&column.note, &reading->note);
    if (metrics_choose_set(report, reading->definition, &column, &here, err)) {
        metrics_column_release(&column);
        return -1;
    }
    return metrics_add_column(report, &column, here || reading->here, err);
}

/* ---- all of them ---- */

struct ranked {
    const char *name;
    double own_s;
};

static int by_own_time(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    return (left->own_s < right->own_s) - (left->own_s > right->own_s);
}

/* Those of all runs, each with its time in the first that has it. Caller frees. */
static struct ranked *list_regions(const struct reading *reading, size_t *nr)
{
    struct ranked *list = NULL;
    size_t alloc = 0;
    *nr = 0;
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].region_nr; k++) {
            const struct region *region = &reading->profile[i].region[k];
            bool known =
                !region->process.nr; /* ended, or told of, where it never began */
            for (size_t m = 0; m < i; m++)
                known = known || find_region(&reading->profile[m], region->name);
            if (known)
                continue;
            GROW(list, *nr + 1, alloc);
            list[(*nr)++] = (struct ranked){region->name, region->numbers.own_s};
        }
    if (list)
        qsort(list, *nr, sizeof(*list), by_own_time);
    return list;
}

/* "Top-down, of slots: not counted are A, B and 3 more events". */
static void note_missing(const struct metrics_report *report,
                         struct metrics_column *column, size_t model)
{
    struct strvec missing = {0};
    struct buf line = {0};
    metrics_missing(column, model, &missing);
    for (size_t i = 0; i < missing.nr && i < MISSING_SHOWN; i++)
        buf_addf(&line, "%s%s", i ? ", " : "", missing.v[i]);
    if (missing.nr > MISSING_SHOWN)
        buf_addf(&line, " and %zu more events", missing.nr - MISSING_SHOWN);
    const char *wanted = report->settings->model;
    if (missing.nr && (!wanted || !strcmp(wanted, column->set->model[model].name)))
        strvec_pushf(&column->note, "%s: not counted %s %s",
                     column->set->model[model].title, missing.nr > 1 ? "are" : "is",
                     buf_str(&line));
    buf_release(&line);
    strvec_release(&missing);
}

/* The tree of one column says it itself, a table does not. */
static void note_all_missing(struct metrics_report *report)
{
    for (size_t i = 0; report->nr > 1 && i < report->nr; i++)
        for (size_t k = 0; k < report->column[i].set->model_nr; k++)
            note_missing(report, &report->column[i], k);
}

/* Adds a column for each region, that with most time of its own first: the runs that have
 * it made one, by its calls. `note`: of all columns. */
static int add_regions(struct metrics_report *report, const struct region_runs *from,
                       const struct strvec *note, struct error *err)
{
    struct reading reading = {.from = from};
    struct ranked *list = NULL;
    size_t nr = 0;
    strvec_push_all(&reading.note, note);
    int status = read_all(&reading, err);
    if (!status) {
        find_definition(report, &reading);
        list = list_regions(&reading, &nr);
    }
    for (size_t i = 0; !status && i < nr; i++)
        status = add_region(report, &reading, list[i].name, err);
    if (!status && counts_anything(&reading))
        note_all_missing(report);
    free(list);
    reading_release(&reading);
    return status;
}

/* A folder that exists as it is written goes before ','. */
static void split_folders(const char *folders, struct strvec *out)
{
    while (!dir_exists(folders) && strchr(folders, ',')) {
        size_t length = strcspn(folders, ",");
        strvec_pushf(out, "%.*s", (int)length, folders);
        folders += length + 1;
    }
    strvec_push(out, folders);
}

int metrics_read_regions(struct metrics_report *report, struct error *err)
{
    struct strvec folder = {0}, note = {0};
    struct region_runs from = {
        .origin = report->settings->regions, .folder = &folder, .name = &folder};
    split_folders(from.origin, &folder);
    int status = add_regions(report, &from, &note, err);
    strvec_release(&folder);
    return status;
}

/* The runs as they end. */
struct session {
    const struct settings *settings;
    struct metrics_measured measured; /* definitions, notes, how it ended */
    struct metrics_plan plan;
    char *base; /* their folders are in it */
    struct strvec folder, name;
    struct region_end *end;
};

static void session_release(struct session *session)
{
    metrics_measured_release(&session->measured);
    metrics_plan_done(&session->plan);
    strvec_release(&session->folder);
    strvec_release(&session->name);
    free(session->end);
}

/* ---- where ---- */

static bool is_kept(const struct settings *settings)
{
    return strcmp(settings->regions, "--") != 0;
}

static int make_base(struct session *session, struct error *err)
{
    const char *folder = session->settings->regions;
    if (!is_kept(session->settings))
        return scratch_make(&session->base, err);
    if (dir_exists(folder) || file_exists(folder))
        return fail(err, STATUS_INPUT,
                    "'%s' is there already: what runs leave needs a folder of its own; "
                    "without '-- PROGRAM' it is read",
                    folder);
    session->base = xstrdup(folder);
    return dir_make_private(folder, err); /* runs write there */
}

static void drop_base(struct session *session)
{
    if (session->base && !is_kept(session->settings))
        scratch_remove(session->base);
    else
        free(session->base);
}

/* ---- one run ---- */

static char *events_of(const struct session *session, size_t run)
{
    struct strvec counted = {0};
    if (session->plan.plan.run_nr)
        metrics_counted_inside(metrics_run(&session->plan, run), &counted);
    char *text = strvec_join(&counted, ",");
    strvec_release(&counted);
    return text;
}

static int start(const struct session *session, size_t run, struct spawn_child **child,
                 struct error *err)
{
    char *events = events_of(session, run);
    char *where = xasprintf("INFLIGHT_REGIONS=%s", session->folder.v[run]);
    char *what = xasprintf("INFLIGHT_REGIONS_EVENTS=%s", events);
    const char *const env[] = {where, what, NULL};
    struct spawn_request request = {.argv =
                                        (const char *const *)session->settings->program.v,
                                    .env_extra = env,
                                    .attached = true,
                                    .out_to_err = session->settings->json};
    int status = spawn_start(&request, child, err);
    free(events);
    free(where);
    free(what);
    return status;
}

static int run_once(struct session *session, size_t run, struct error *err)
{
    struct spawn_child *child = NULL;
    struct spawn_outcome outcome = {0};
    strvec_pushf(&session->folder, "%s/%zu", session->base, run + 1);
    strvec_pushf(&session->name, "run %zu", run + 1);
    if (dir_make_private(session->folder.v[run], err) || start(session, run, &child, err))
        return -1;
    session->end[run].pid = spawn_pid(child);
    int status = spawn_wait_all(&child, 1, false, &outcome, err);
    session->end[run].clock_s = clock_s();
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status = fail(err, STATUS_INPUT, "cannot start '%s': %s",
                      session->settings->program.v[0], strerror(outcome.code));
    if (!status)
        session->measured.ended = metrics_end_text(&outcome);
    spawn_outcome_release(&outcome);
    return status;
}

/* ---- all of them ---- */

static int check_runs(const struct session *session, struct error *err)
{
    const struct settings *settings = session->settings;
    size_t sets = session->plan.plan.run_nr;
    if (settings->runs > 0 && (size_t)settings->runs < sets)
        return fail(err, STATUS_USAGE,
                    "--runs %lld is too few: %zu sets of events do not fit into the "
                    "counters together, and in regions they do not take turns; --model "
                    "NAME asks for fewer",
                    settings->runs, sets);
    return 0;
}

static int run_all(struct session *session, size_t runs, struct error *err)
{
    session->end = xcalloc(runs, sizeof(*session->end));
    metrics_announce(session->settings, runs);
    for (size_t i = 0; i < runs && !session->measured.ended; i++)
        if (run_once(session, i, err))
            return -1;
    if (session->folder.nr < runs)
        strvec_pushf(&session->measured.note,
                     "it ran %zu time%s of %zu: what the others would have counted is "
                     "not known",
                     session->folder.nr, session->folder.nr == 1 ? "" : "s", runs);
    return 0;
}

static int show_regions(struct session *session, struct metrics_report *report,
                        struct error *err)
{
    char *program = strvec_join(&session->settings->program, " ");
    struct region_runs from = {.origin = program,
                               .folder = &session->folder,
                               .name = &session->name,
                               .end = session->end,
                               .here = true};
    struct error why = {0};
    int status = add_regions(report, &from, &session->measured.note, &why);
    report->ended = session->measured.ended;
    if (status && report->ended)
        fail(err, why.status, "'%s' %s, and %s", session->settings->program.v[0],
             report->ended, why.text);
    else if (status)
        fail(err, why.status, "%s", why.text);
    session->measured.ended = NULL;
    free(program);
    return status;
}

int metrics_run_regions(struct metrics_report *report, struct error *err)
{
    const struct settings *settings = report->settings;
    const struct metrics_request request = metrics_request_of(settings);
    struct session session = {.settings = settings, .plan = {.of_regions = true}};
    spawn_catch_interrupt();
    int status = metrics_prepare(&request, NULL, &session.measured, &session.plan, err);
    if (!status)
        status = check_runs(&session, err);
    if (!status)
        status = make_base(&session, err);
    size_t runs = session.plan.plan.run_nr ? metrics_runs(&request, &session.plan) : 1;
    if (!status)
        status = run_all(&session, runs, err);
    if (!status)
        status = show_regions(&session, report, err);
    drop_base(&session);
    session_release(&session);
    return status;
}
