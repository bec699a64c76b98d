/* Where measurements go, and where they are found again: the session of a search. */
#include "advisor/session/context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/report/report_parts.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "core/store/store.h"
#include "rules/rules.h"
#include "search/live/live.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/subject.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"

/* What only measure and compare are told. */
static void add_question(const struct context *bench, struct buf *key)
{
    const struct settings *settings = bench->settings;
    if (!settings->sweep.nr)
        return;
    buf_addf(key, "|%s|%d %d %d|%lld|%s|%lld", bench->plan, settings->pages,
             settings->start, settings->background, settings->min_of,
             settings->cache ? settings->cache : "", settings->line_bytes);
    for (size_t i = 0; i < settings->sweep.nr; i++)
        buf_addf(key, "|%s", settings->sweep.v[i]);
}

/* What is tried beside plans. */
static void add_tries(const struct settings *settings, struct buf *key)
{
    if (settings->try)
        buf_addf(key, "|try %s", settings->try);
    for (size_t i = 0; i < settings->flags_try.nr; i++)
        buf_addf(key, "|flags %s", settings->flags_try.v[i]);
    if (strchr(settings->compiler, ','))
        buf_addf(key, "|%s", settings->compiler);
}

/* The profile's fingerprint; with another machine's profile, this one's name besides:
 * what is measured is measured here. */
static char *machine_key(const struct context *bench)
{
    const struct machine *machine = &bench->machine;
    const char *named = machine->fingerprint ? machine->fingerprint : machine->name;
    char host[256] = "";
    if (bench->remote || machine_is_this_hardware(machine))
        return xstrdup(named);
    gethostname(host, sizeof(host) - 1);
    return xasprintf("%s on %s", named, host);
}

/*
 * Everything that must be the same for a measurement to count again, whoever asks: it and
 * the variant's hash name a result. Without the strategy, the budget and the rules, which
 * only decide what is asked.
 */
static int result_key(const struct context *bench, char **out, struct error *err)
{
    const struct settings *settings = bench->settings;
    struct hash hash = hash_begin();
    struct buf key = {0};
    char *kernel = NULL;
    if (kernel_identity(bench->kernel, &bench->toolchain, &kernel, err))
        return -1;
    buf_addf(&key, "%s|%g|%g|%s|%zu copies|%lld|%s|%s|%lld", kernel, settings->tolerance,
             settings->tolerance_absolute, bench->machine_key, live_copies(bench->live),
             settings->min_of, INFLIGHT_VERSION, settings->cache ? settings->cache : "",
             settings->line_bytes);
    hash_text(&hash, buf_str(&key));
    *out = hash_hex(&hash);
    buf_release(&key);
    free(kernel);
    return 0;
}

/* And what must be the same for a session to go on. */
static char *session_key(const struct context *bench)
{
    const struct settings *settings = bench->settings;
    struct buf key = {0};
    char *rules = rule_set_hash(bench->rules);
    buf_addf(&key, "%s|%s|%s|rules %s%s%s%s", settings->command, bench->result_key,
             settings->strategy ? settings->strategy : "guided", rules,
             settings->audit ? "|audit" : "", settings->reuse ? "|reuse" : "",
             settings->no_record ? "|no record" : "");
    add_question(bench, &key);
    add_tries(settings, &key);
    free(rules);
    return buf_detach(&key);
}

static int begin_session(struct context *bench, struct error *err)
{
    const char *title = kernel_name(bench->kernel);
    struct kernel_view view = kernel_view(bench->kernel);
    json_t *setup = json_pack("{s:o, s:s, s:s, s:s?, s:o}", "file",
                              text_json(kernel_path(bench->kernel)), "function", title,
                              "compiler", bench->toolchain.version, "machine",
                              bench->machine.name, "sizes", report_sizes_json(&view));
    char *text = json_text(setup);
    double until_s = 0;
    int status;
    do
        status = store_session_new(bench->store, bench->key, bench->settings->command,
                                   title, text, &bench->session, err);
    while (status && context_remote_waits(bench, &until_s, err));
    free(text);
    json_decref(setup);
    return status;
}

int context_store(struct context *bench, bool *continued, struct error *err)
{
    *continued = false;
    int status = database_open(bench->settings, false, &bench->store, err);
    bench->machine_key = machine_key(bench);
    if (status || result_key(bench, &bench->result_key, err))
        return -1;
    bench->key = session_key(bench);
    if (!bench->settings->fresh &&
        store_session_unfinished(bench->store, bench->key, &bench->session, err))
        return -1;
    *continued = bench->session != 0;
    return *continued ? 0 : begin_session(bench, err);
}

/* ---- what is there already ---- */

static void add_record(struct context *bench, const struct store_answer *answer,
                       const struct recorded_source *source)
{
    json_t *document = NULL;
    if (json_read_text(answer->json, "session database", NULL, &document, NULL) == 0)
        recorded_add_from(bench->recorded, document, source,
                          NULL); /* one that cannot be read is measured again */
    json_decref(document);
}

static int add_own(void *data, const struct store_answer *answer)
{
    struct recorded_source source = {.reused = answer->origin != 0};
    add_record(data, answer, &source);
    return 0;
}

/* What came in later is left out: a session that goes on finds what it found. */
static int add_reused(void *data, const struct store_answer *answer)
{
    struct context *bench = data;
    struct recorded_source source = {.reused = true, .origin = answer->id};
    if (answer->session != bench->session && strcmp(answer->added, bench->started) <= 0)
        add_record(bench, answer, &source);
    return 0;
}

static int load_records(struct context *bench, enum store_kind kind, struct error *err)
{
    if (store_session_answers(bench->store, bench->session, kind, add_own, bench, err))
        return -1;
    return bench->settings->reuse ? store_result_each(bench->store, bench->result_key,
                                                      kind, add_reused, bench, err)
                                  : 0;
}

static int load_started(struct context *bench, struct error *err)
{
    struct store_session session = {0};
    if (store_session_get(bench->store, bench->session, &session, err))
        return -1;
    bench->started = session.started;
    session.started = NULL;
    store_session_release(&session);
    return 0;
}

int context_session(struct context *bench, struct error *err)
{
    bool continued = false;
    if (context_store(bench, &continued, err) || load_started(bench, err))
        return -1;
    bench->recorded =
        recorded_new(&bench->live_runner, &bench->subject, (int)live_copies(bench->live));
    bench->runner = recorded_runner(bench->recorded);
    recorded_adjusts(bench->recorded, &bench->machine);
    if (load_records(bench, STORE_MEASUREMENT, err) ||
        load_records(bench, STORE_COMPARISON, err) ||
        (!bench->settings->no_record && track_read(bench->store, bench->machine_key,
                                                   bench->started, &bench->track, err)))
        return -1;
    if (continued)
        progress_note(
            &bench->progress,
            "continuing session %lld: %zu measurements are there (--fresh starts anew)",
            bench->session, recorded_nr(bench->recorded));
    return 0;
}

/* ---- saving ---- */

static void step(void *data, const struct search_step *step)
{
    struct context *bench = data;
    context_remote_progress(bench, step->doing, step->variants, step->best, step->left_s);
    progress_show(&bench->progress, &(struct progress_status){.doing = step->doing,
                                                              .variants = step->variants,
                                                              .best = step->best,
                                                              .left_s = step->left_s});
}

static char *variant_of(const struct context *bench, const struct candidate *candidate)
{
    return candidate_hash(kernel_hash(bench->kernel), candidate);
}

static int keep(struct context *bench, struct store_answer *answer, json_t *document,
                struct error *err)
{
    char *text = json_text(document);
    answer->json = text;
    answer->key = bench->result_key;
    double until_s = 0;
    int status;
    do
        status = store_answer_add(bench->store, bench->session, answer, err);
    while (status && context_remote_waits(bench, &until_s, err));
    free(text);
    json_decref(document);
    return status;
}

/* What this session replays is in the database already; of what it takes from others it
 * keeps a copy, and so it is whole. */
static int measured(void *data, const struct measurement *measurement, struct error *err)
{
    struct context *bench = data;
    struct candidate candidate = {measurement->plan, measurement->environment};
    if (bench->kernel && !bench->remote)
        code_diffs_add(&bench->code, bench->kernel, measurement->plan);
    if (!bench->store || (measurement->replayed && !measurement->origin))
        return 0;
    char *variant = variant_of(bench, &candidate);
    struct store_answer answer = {
        .kind = STORE_MEASUREMENT, .variant = variant, .origin = measurement->origin};
    int status = keep(bench, &answer, measurement_to_json(measurement), err);
    free(variant);
    return status;
}

static int keep_comparison(struct context *bench, const struct compared *comparison,
                           struct error *err)
{
    if (!bench->store || (comparison->replayed && !comparison->origin))
        return 0;
    char *a = variant_of(bench, &comparison->a), *b = variant_of(bench, &comparison->b);
    struct store_answer answer = {
        .kind = STORE_COMPARISON, .variant = a, .other = b, .origin = comparison->origin};
    int status = keep(bench, &answer, comparison_to_json(comparison), err);
    free(a);
    free(b);
    return status;
}

static int compared(void *data, const struct compared *comparison, struct error *err)
{
    struct context *bench = data;
    const struct compared *given =
        bench->recorded ? recorded_last(bench->recorded) : comparison;
    return keep_comparison(bench, given, err);
}

int context_compare_file(struct context *bench, const char *source,
                         struct compared *comparison, struct error *err)
{
    const struct environment environment[2] = {comparison->a.environment,
                                               comparison->b.environment};
    comparison->file = true;
    comparison->ratio = quantity_unknown();
    if (!bench->recorded || !recorded_comparison(bench->recorded, comparison)) {
        double began_s = clock_s();
        if (bench->remote
                ? context_remote_file(bench, source, comparison, err)
                : live_compare_file(bench->live, source, comparison->b.plan, environment,
                                    comparison->seconds, &comparison->ratio,
                                    &comparison->verified, err))
            return -1;
        comparison->cost_s = clock_s() - began_s;
    }
    if (spawn_interrupted() || (comparison->verified && comparison->seconds <= 0))
        return 0; /* with more time it would be compared */
    return keep_comparison(bench, comparison, err);
}

struct search_observer context_observer(struct context *bench)
{
    return (struct search_observer){
        .data = bench, .step = step, .measured = measured, .compared = compared};
}

/* ---- what was taken from others ---- */

struct reuse_count {
    size_t nr;
    char *oldest;
};

static int count_reused(void *data, const struct store_answer *answer)
{
    struct reuse_count *count = data;
    if (!answer->origin)
        return 0;
    if (!count->oldest || strcmp(answer->added, count->oldest) < 0) {
        free(count->oldest);
        count->oldest = xstrdup(answer->added);
    }
    count->nr++;
    return 0;
}

json_t *context_reused_json(const struct context *bench)
{
    struct reuse_count all = {0};
    size_t measurements = 0;
    if (!bench->store || !bench->settings->reuse)
        return NULL;
    store_session_answers(bench->store, bench->session, STORE_MEASUREMENT, count_reused,
                          &all, NULL);
    measurements = all.nr;
    store_session_answers(bench->store, bench->session, STORE_COMPARISON, count_reused,
                          &all, NULL);
    json_t *given = json_pack("{s:I, s:I, s:s?}", "measurements",
                              (json_int_t)measurements, "comparisons",
                              (json_int_t)(all.nr - measurements), "oldest", all.oldest);
    free(all.oldest);
    return given;
}
