/* What every shipped definition file says of its events and facts. */
#include <stdlib.h>
#include <string.h>

#include "core/metrics/metrics.h"
#include "core/traffic/counters/perf.h"
#include "rules/rules.h"
#include "tests/check.h"

SUITE(metrics_events);

static struct metric_set *load(const char *name)
{
    struct metric_set *set = NULL;
    struct error err = {0};

    check_ok(metric_set_load(name, NULL, &set, &err), &err);
    return set;
}

/* The files that others include: some of them are only parts. */
static void find_parts(const struct metric_file *file, size_t nr, struct strvec *parts)
{
    for (size_t i = 0; i < nr; i++) {
        char *path =
            xasprintf(INFLIGHT_SOURCE_DIR "/rules/metrics/%s.json", file[i].name);
        struct error err = {0};
        json_t *root = NULL;

        if (check_ok(json_read_file(path, "inflight.metrics/1", &root, &err), &err)) {
            struct json_at top = json_top(path, root);

            if (json_has(&top, "include"))
                check_ok(json_strings_at(&top, "include", parts, &err), &err);
        }
        json_decref(root);
        free(path);
    }
}

static void each_file(void (*use)(const struct metric_set *set))
{
    struct metric_file *file;
    struct strvec parts = {0};
    struct error err = {0};
    size_t nr;

    if (!check_ok(metric_files(&file, &nr, &err), &err))
        return;
    find_parts(file, nr, &parts);
    for (size_t i = 0; i < nr; i++) {
        struct metric_set *set =
            strvec_has(&parts, file[i].name) ? NULL : load(file[i].name);

        check(file[i].common || !strvec_has(&parts, file[i].name));
        if (set)
            use(set);
        metric_set_free(set);
    }
    strvec_release(&parts);
    metric_files_release(file, nr);
}

static void complain(const struct metric_set *set, const char *name, const char *what)
{
    char *text = xasprintf("%s: %s: %s", set->name, name, what);

    check_str(text, "");
    free(text);
}

/* ---- libpfm4's tables that are here ---- */

static size_t resolved, recorded, noted;

/* With its PMU, unless it names one itself. */
static char *full_name(const char *pmu, const char *event)
{
    return strstr(event, "::") ? xstrdup(event) : xasprintf("%s::%s", pmu, event);
}

static bool resolves(const char *pmu, const char *event, struct perf_code *code)
{
    char *name = full_name(pmu, event);
    bool yes = pfm_event_code(name, code, NULL) == 0;

    free(name);
    return yes;
}

/* The bits of "cpu/event=0xa4,umask=0x2,cmask=1/" as x86 has them; 0 for other names. */
static uint64_t x86_bits(const char *event)
{
    static const struct {
        const char *term;
        int shift;
    } terms[] = {{"event=", 0}, {"umask=", 8}, {"cmask=", 24}};
    uint64_t bits = 0;

    for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
        const char *at = strstr(event, terms[i].term);

        if (at)
            bits |= strtoull(at + strlen(terms[i].term), NULL, 0) << terms[i].shift;
    }
    return bits;
}

/* A note says why libpfm4 cannot name the event; it is stale when it can, under this name
 * or rightly under another one. */
static void check_note(const struct metric_set *set, const char *pmu,
                       const struct metric_event *event)
{
    struct perf_code code;

    if (resolves(pmu, event->name, &code))
        complain(set, event->name, "libpfm4 knows it, its note is stale");
    for (size_t i = 0; i < event->alias.nr; i++)
        if (x86_bits(event->name) && resolves(pmu, event->alias.v[i], &code) &&
            code.config[0] == x86_bits(event->name))
            complain(set, event->alias.v[i], "libpfm4 encodes it rightly, use this name");
    noted++;
}

static void check_event(const struct metric_set *set, const char *pmu,
                        const struct metric_event *event)
{
    char *name = full_name(pmu, event->name);
    struct perf_code code;
    struct error err = {0};

    if (event->note)
        check_note(set, pmu, event);
    else if (check_ok(pfm_event_code(name, &code, &err), &err))
        resolved++;
    free(name);
}

/* ---- the others: what a libpfm4 of their architecture said ---- */

/* "EVENT 0xCODE" in a line. */
static bool is_recorded(const struct buf *list, const char *event)
{
    size_t length = strlen(event);

    for (const char *at = buf_str(list); *at; at += strcspn(at, "\n") + 1) {
        if (!strncmp(at, event, length) && at[length] == ' ')
            return true;
        if (!at[strcspn(at, "\n")])
            break;
    }
    return false;
}

static void check_recorded(const struct metric_set *set, const char *pmu)
{
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/data/metrics/libpfm4/%s.txt", pmu);
    struct buf list = {0};
    struct error err = {0};

    if (check_ok(file_read(path, &list, &err), &err))
        for (size_t i = 0; i < set->event_nr; i++) {
            const struct metric_event *event = &set->event[i];
            bool there = is_recorded(&list, event->name);

            if (!there && !event->note)
                complain(set, event->name, "is not in the recorded list");
            if (there && event->note)
                complain(set, event->name, "is in the recorded list, its note is stale");
            recorded += there;
            noted += event->note != NULL;
        }
    buf_release(&list);
    free(path);
}

static void check_pmus(const struct metric_set *set)
{
    for (size_t i = 0; i < set->pmu.nr; i++) {
        const char *pmu = set->pmu.v[i];

        if (!pfm_pmu_known(pmu)) {
            check_recorded(set, pmu);
            continue;
        }
        for (size_t k = 0; k < set->event_nr; k++)
            check_event(set, pmu, &set->event[k]);
    }
}

TEST("every event has a name that libpfm4 knows, or a note")
{
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    resolved = recorded = noted = 0;
    each_file(check_pmus);
    check(resolved >= 335);
    check(noted > 0);
}

/* ---- what they say of themselves ---- */

static void check_reported(const struct metric_set *set)
{
    check(set->title && *set->title);
    check(set->source.nr > 0);
    check(set->metric_nr > 0);
    for (size_t i = 0; i < set->metric_nr; i++)
        if (!*set->metric[i].about)
            complain(set, set->metric[i].name, "says nothing about itself");
    for (size_t i = 0; i < set->model_nr; i++)
        if (!*set->model[i].about || !*set->model[i].source)
            complain(set, set->model[i].name, "does not say what it is, or from where");
    if (set->recognise && !set->pmu.nr)
        complain(set, "pmus", "there are none");
}

TEST("files say what they are")
{
    each_file(check_reported);
}

static bool is_fact(const char *name)
{
    const struct rule_metric *metric;
    size_t nr;

    metric = rule_metrics(&nr);
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(metric[i].name, name))
            return true;
    return false;
}

static void check_facts(const struct metric_set *set)
{
    struct strvec seen = {0};

    for (size_t i = 0; i < set->metric_nr; i++) {
        const struct metric *metric = &set->metric[i];

        if (metric->fact && !is_fact(metric->fact))
            complain(set, metric->fact, "is no metric of the rules");
        if (metric->fact && strvec_has(&seen, metric->fact))
            complain(set, metric->fact, "is told twice");
        if (metric->fact)
            strvec_push(&seen, metric->fact);
    }
    strvec_release(&seen);
}

TEST("facts are metrics of the rules, each told once")
{
    each_file(check_facts);
}
