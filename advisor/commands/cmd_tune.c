/* inflight tune, and inflight advise with a file: the same report, with and without the
 * search. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/application/application.h"
#include "advisor/apply/keep_record.h"
#include "advisor/cli/cli.h"
#include "advisor/cluster/campaign.h"
#include "advisor/exchange/exchanged.h"
#include "advisor/metrics/metrics_facts.h"
#include "advisor/program/commands.h"
#include "advisor/report/report.h"
#include "advisor/session/context_remote.h"
#include "advisor/session/emitted.h"
#include "advisor/session/others.h"
#include "core/base.h"
#include "observe/in_app/in_app_causes.h"
#include "observe/report/app.h"
#include "search/finish/finish.h"
#include "search/live/live.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "search/session/session.h"
#include "search/strategy/strategy.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

struct written {
    char *path;           /* NULL = nothing written */
    struct quantity gain; /* of the file on its own, against the original */
    bool verified;
    char *kept; /* what was written for builds, a sentence; NULL = nothing */
    struct in_app_result in_app;
};

static void written_release(struct written *written)
{
    free(written->path);
    free(written->kept);
    in_app_result_release(&written->in_app);
}

/* What is written, and where its gain holds. */
struct winner {
    const char *plan;
    struct environment environment; /* {0} = as the kernel as written is run */
    struct quantity gain;
};

/* The best plan; that of the best environment where it differs, for then it is the one
 * that has the threads. `plain`: the best in the environment that the kernel has. */
static struct winner find_winner(const struct search_result *result, bool plain)
{
    struct winner winner = {.plan = "", .gain = result->source_gain};
    if (result->measurement_nr == 0)
        return winner;
    const struct measurement *total = &result->measurement[result->best_total];
    winner.plan = result->measurement[result->best].plan;
    if (plain || result->best_total == 0 || !strcmp(total->plan, winner.plan))
        return winner;
    return (struct winner){total->plan, total->environment, result->total_gain};
}

static char *full_comment(const struct context *bench, const struct winner *winner,
                          const struct plan *plan)
{
    struct buf out = {0};
    char *with = environment_phrase(&winner->environment);
    char *facts = report_comment(bench, winner->plan, winner->gain, with);
    buf_add(&out, facts);
    emitted_facts(bench->kernel, plan, &out);
    free(facts);
    free(with);
    return buf_detach(&out);
}

static int winner_text(struct context *bench, const struct winner *winner, bool patch,
                       struct buf *source, struct error *err)
{
    struct plan *plan = NULL;
    char *comment = NULL;
    int status = plan_parse(winner->plan, &plan, err);
    if (!status) {
        comment = full_comment(bench, winner, plan);
        status = emitted_text(bench->kernel, plan, comment,
                              patch ? bench->settings->file : NULL, source, err);
    }
    plan_free(plan);
    free(comment);
    return status;
}

static int emit(struct context *bench, const struct winner *winner, const char *path,
                bool patch, struct error *err)
{
    struct buf source = {0};
    int status = winner_text(bench, winner, patch, &source, err);
    if (!status)
        status = file_write(path, buf_str(&source), source.length, err);
    buf_release(&source);
    return status;
}

/* For builds. Behind Ctrl-C the old record stays: what was found then is not yet what a
 * whole search would have found. */
static int write_record(struct context *bench, const struct search_result *result,
                        const struct winner *winner, struct written *written,
                        struct error *err)
{
    struct buf code = {0};
    struct kept kept = {.plan = winner->plan,
                        .gain = winner->gain,
                        .environment_gain = result->environment_gain,
                        .verified = written->verified,
                        .code = &code,
                        .in_app = &written->in_app};
    if (!bench->settings->build_record || spawn_interrupted() || !result->measurement_nr)
        return 0;
    kept.sizes = result->measurement[result->best].verified_sizes;
    int status = winner_text(bench, winner, false, &code, err);
    if (!status && (status = keep_record(bench, &kept, &written->kept, err)))
        fail_in(err,
                "no record was written, but what was measured is kept in session %lld, "
                "which the same command continues",
                bench->session);
    buf_release(&code);
    return status;
}

/* The winner is written to the scratch folder, measured from that file alone, and only
 * then written where the user wants it. */
static int measure_emitted(struct context *bench, const struct search_result *result,
                           const struct winner *winner, struct written *written,
                           struct error *err)
{
    struct compared comparison = {.a = {"", {0}},
                                  .b = {winner->plan, winner->environment},
                                  .seconds =
                                      search_file_s(result, context_left_s(bench))};
    char *path = context_emitted(bench);
    progress_say(&bench->progress, "%s",
                 comparison.seconds > 0 ? "measuring the written file on its own"
                                        : "checking the written file on its own");
    int status = emit(bench, winner, path, false, err);
    if (!status)
        status = context_compare_file(bench, path, &comparison, err);
    written->gain = comparison.ratio;
    written->verified = comparison.verified;
    free(path);
    return status;
}

static int write_header(struct context *bench, const struct winner *winner,
                        struct error *err)
{
    const char *path = bench->settings->header;
    struct kernel_view view = kernel_view(bench->kernel);
    struct buf text = {0};
    if (!path)
        return 0;
    char *with = environment_phrase(&winner->environment);
    char *comment = report_comment(bench, winner->plan, winner->gain, with);
    int status = tunables_header(&view, winner->plan, comment, path, &text, err);
    if (!status)
        status = file_write(path, buf_str(&text), text.length, err);
    free(with);
    free(comment);
    buf_release(&text);
    return status;
}

/* Of the plan that was best by itself, its file's gain is the source's. */
static void take_gain(const struct written *written, struct search_result *result,
                      struct winner *winner)
{
    bool is_best = !strcmp(winner->plan, result->measurement[result->best].plan);
    if (written->gain.known) {
        winner->gain = written->gain;
        if (is_best)
            result->source_gain = written->gain;
    } else if (is_best) {
        winner->gain = result->source_gain;
    }
}

/* What fails because it was interrupted: the report tells what was known before. */
static int forgive(int status, struct error *err)
{
    if (!status || !spawn_interrupted())
        return status;
    *err = (struct error){0};
    return 0;
}

static int explain_in_app(struct context *bench, const struct winner *winner,
                          struct written *written, struct error *err)
{
    char *path = context_emitted(bench);
    const struct in_app_alone alone = {path, {{0}, winner->environment}, written->gain};
    int status = in_app_causes(bench, &alone, &written->in_app, err);
    free(path);
    return status;
}

/* In the application. Where that cannot be, the result says why; what is known of the
 * kernel alone is reported in any case. */
static int confirm_in_app(struct context *bench, struct in_app *app,
                          const struct winner *winner, struct written *written,
                          struct error *err)
{
    struct buf text = {0};
    if (!bench->settings->in_app || spawn_interrupted())
        return 0;
    if (!*winner->plan) {
        written->in_app.end = IN_APP_NO_WINNER;
        written->in_app.sentence = xstrdup("no plan was faster, so there is nothing to "
                                           "confirm in the application");
        return 0;
    }
    int status = winner_text(bench, winner, false, &text, err);
    if (!status)
        status = in_app_confirm(app, &text, &written->in_app, err);
    buf_release(&text);
    if (!status)
        status = explain_in_app(bench, winner, written, err);
    return forgive(status, err);
}

/* The file is what is checked last, and the answer when it is not right is the kernel as
 * written. */
static int judge_emitted(struct search_result *result, struct winner *winner,
                         struct written *written, struct error *err)
{
    bool wrong = !written->verified && !spawn_interrupted(),
         untimed = !written->gain.known && !spawn_interrupted();
    if (wrong && !search_file_is_wrong(result, winner->plan))
        return fail(err, STATUS_FAILED,
                    "the file written for plan '%s' does not give the original's "
                    "results; nothing was written",
                    winner->plan);
    if (wrong || search_file_is_luck(result, written->gain) ||
        (untimed && search_file_is_untimed(result))) {
        *winner = (struct winner){.plan = "", .gain = result->source_gain};
        written->gain = quantity_unknown();
    }
    take_gain(written, result, winner);
    return 0;
}

static int write_winner(struct context *bench, struct search_result *result,
                        struct in_app *app, struct written *written, struct error *err)
{
    const char *output = bench->settings->output;
    struct winner winner = find_winner(result, bench->settings->build_record != NULL);
    written->gain = quantity_unknown();
    if (!*winner.plan && spawn_interrupted())
        return 0; /* nothing was found by then: an earlier file is worth more */
    if (*winner.plan && !spawn_interrupted()) {
        if (forgive(measure_emitted(bench, result, &winner, written, err), err) ||
            judge_emitted(result, &winner, written, err))
            return -1;
    }
    if (*winner.plan && spawn_interrupted() && !written->verified &&
        search_file_is_unchecked(result, winner.plan))
        return 0;
    if (write_header(bench, &winner, err))
        return -1;
    if (output && emit(bench, &winner, output, bench->settings->patch, err))
        return -1;
    written->path = output ? path_absolute(output) : NULL;
    return confirm_in_app(bench, app, &winner, written, err) ||
                   write_record(bench, result, &winner, written, err)
               ? -1
               : 0;
}

static int print_report(const struct context *bench, const json_t *report,
                        struct error *err)
{
    const struct settings *settings = bench->settings;
    struct buf text = {0};
    if (settings->json)
        return print_json(report, err);
    report_text(report, term_colour(stdout, settings->colour), settings->evidence,
                term_columns(stdout), &text);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static void say_record(const struct settings *settings, const struct written *written)
{
    if (written->kept && !settings->quiet)
        fprintf(stderr, "inflight: %s\n", written->kept);
    if (settings->build_record && !written->kept && spawn_interrupted())
        fprintf(stderr, "inflight: no record was written, since the search was cut "
                        "short; the same command continues it\n");
}

static int finish(struct context *bench, const struct search_result *result,
                  const struct written *written, const json_t *others, struct error *err)
{
    struct report_input input = {.bench = bench,
                                 .result = result,
                                 .output = written->path,
                                 .emitted_gain = written->gain,
                                 .emitted_verified = written->verified,
                                 .time = account_now(),
                                 .others = others,
                                 .in_app = &written->in_app};
    context_remote_codes(bench, result);
    json_t *report = report_json(&input);
    progress_clear(&bench->progress);
    int status = print_report(bench, report, err);
    if (!status && !spawn_interrupted()) {
        char *text = json_text(report);
        double until_s = 0;
        do
            status = store_session_finish(bench->store, bench->session, text, err);
        while (status && context_remote_waits(bench, &until_s, err));
        if (!status)
            status = track_save(bench->store, bench->session, bench->machine_key,
                                kernel_hash(bench->kernel), result, err);
        free(text);
    }
    if (!status)
        status = report_faces(bench->settings, report, err);
    if (!status && bench->remote)
        status = context_remote_keep(bench, report, err);
    if (!status)
        say_record(bench->settings, written);
    json_decref(report);
    return status ? -1 : 0;
}

/* Cut short in the midst of something that cannot say so otherwise: what was known before
 * is reported. */
static int note_interrupt(struct search_result *result, struct error *err)
{
    result->interrupted = true;
    free(result->stop);
    result->stop = xstrdup("it was interrupted");
    return forgive(-1, err);
}

static int search(struct context *bench, bool advise_only, struct search_result *result,
                  struct error *err)
{
    const struct settings *settings = bench->settings;
    struct search_observer observer = context_observer(bench);
    struct environments tries = {0};
    if (environments_to_try(settings, bench->toolchain.is_clang,
                            (int)live_copies(bench->live), &tries, err)) {
        environments_release(&tries);
        return -1;
    }
    struct search_opts opts = {
        .strategy = settings->strategy,
        .budget_s = bench->budget.seconds,
        .began_s = bench->budget.began_s,
        .budget_variants = settings->variants > 0 ? (size_t)settings->variants : 0,
        .seed = settings->seed > 0 ? (unsigned long long)settings->seed : 0,
        .rules = bench->rules,
        .option = tries.item,
        .option_nr = tries.nr,
        .plans_only = tries.none,
        .advise_only = advise_only,
        .audit = settings->audit,
        .skipped_s = recorded_skipped_s(bench->recorded),
        .record = bench->track.record,
        .record_nr = bench->track.nr};
    struct search_fact *fact = NULL;
    int status = metrics_tell(bench, err);
    opts.fact_nr = metrics_reported(bench, &fact);
    opts.fact = fact;
    if (!status)
        status =
            search_run(&bench->subject, &bench->runner, &observer, &opts, result, err);
    free(fact);
    environments_release(&tries);
    return status && spawn_interrupted() ? note_interrupt(result, err) : status;
}

/* Refused before a minute is spent on the search. */
static int check_header(const struct context *bench, struct error *err)
{
    struct kernel_view view = kernel_view(bench->kernel);
    struct buf ignored = {0};
    int status = 0;
    if (bench->settings->header)
        status = tunables_header(&view, "", "", bench->settings->header, &ignored, err);
    buf_release(&ignored);
    return status;
}

static int check_strategy(const struct settings *settings, struct error *err)
{
    size_t nr = 0;
    const struct search_strategy *list = search_strategies(&nr);
    struct buf known = {0};
    bool found = !settings->strategy;
    for (size_t i = 0; i < nr; i++) {
        found = found || !strcmp(settings->strategy, list[i].name);
        buf_addf(&known, "%s%s", i ? ", " : "", list[i].name);
    }
    int status = found
                     ? 0
                     : fail(err, STATUS_USAGE, "--strategy: expected one of %s, got '%s'",
                            buf_str(&known), settings->strategy);
    buf_release(&known);
    return status;
}

/* Their words; which compiler it is and how many cores there are is not known yet. */
static int check_tries(const struct settings *settings, struct error *err)
{
    struct environments ignored = {0};
    int status = environments_to_try(settings, false, 1, &ignored, err);
    environments_release(&ignored);
    return status;
}

static int check_record(const struct settings *settings, struct error *err)
{
    int status = settings->file ? keep_record_check(settings, NULL, err) : 0;
    return status ? -1 : in_app_check(settings, err);
}

static int work(const struct settings *settings, bool advise_only, struct error *err)
{
    struct context bench;
    struct search_result result = {0};
    struct written written = {.gain = quantity_unknown()};
    struct in_app app = {0};
    json_t *others = NULL;
    account_restart();
    spawn_catch_interrupt();
    context_start(&bench, settings);
    bench.note_in_answer = true;
    int status = check_record(settings, err);
    if (!status)
        status = check_strategy(settings, err) || budget_check(settings, err) ||
                 check_tries(settings, err);
    if (!status)
        status = context_live(&bench, err);
    if (!status)
        status = check_header(&bench, err);
    if (!status)
        status = keep_record_check(settings, kernel_name(bench.kernel), err);
    if (!status)
        status = in_app_prepare(&app, settings, &bench.progress, bench.scratch,
                                kernel_name(bench.kernel), err);
    if (!status)
        status = context_budget(&bench, !advise_only, err);
    if (!status)
        status = context_session(&bench, err);
    if (!status)
        status = search(&bench, advise_only, &result, err);
    if (!status && !advise_only)
        status = write_winner(&bench, &result, &app, &written, err);
    if (!status && !advise_only)
        status = forgive(others_measure(&bench, &result, &others, err), err);
    if (!status && !advise_only)
        status = forgive(save_space(&bench, &result, err), err);
    if (!status)
        status = finish(&bench, &result, &written, others, err);
    if (!status)
        status = in_app_verdict(&written.in_app, err);
    else if (bench.session)
        store_session_drop_empty(bench.store, bench.session, NULL);
    json_decref(others);
    written_release(&written);
    in_app_release(&app);
    search_result_release(&result);
    context_release(&bench);
    return status;
}

int tune_command(const struct settings *settings, struct error *err)
{
    if (settings->replay && (settings->html || settings->sarif || settings->diagnostics))
        return fail(err, STATUS_USAGE,
                    "--html, --sarif and --diagnostics show a session; a replay of a "
                    "recorded space is not one");
    if (campaign_check(settings, err))
        return -1;
    if (settings->on && !remote_is_asked(settings))
        return check_strategy(settings, err) ? -1 : campaign_command(settings, err);
    if (settings->replay)
        return check_strategy(settings, err) ? -1 : replay_space(settings, err);
    if (!settings->file && settings->program.nr)
        return tune_program(settings, err);
    if (settings->dry_run || settings->top > 0 || settings->frequency >= 0)
        return fail(err, STATUS_USAGE,
                    "--top, --dry-run and --frequency are for a program: "
                    "'inflight tune --build CMD -- PROGRAM'");
    return work(settings, false, err);
}

int advise_command(const struct settings *settings, struct error *err)
{
    if (!settings->file && (settings->program.nr || settings->samples))
        return advise_program(settings, err);
    if (settings->samples || settings->frequency >= 0 || settings->save)
        return fail(err, STATUS_USAGE,
                    "--samples, --frequency and --save are for a program: 'inflight "
                    "advise -- PROGRAM'");
    if (!settings->file && (settings->quick || settings->thorough))
        return fail(err, STATUS_USAGE,
                    "--quick and --thorough are for what is measured: they need a C "
                    "file");
    if (!settings->file && (settings->html || settings->sarif || settings->diagnostics))
        return fail(
            err, STATUS_USAGE,
            "--html, --sarif and --diagnostics show a session: they need a C file "
            "to measure");
    if (!settings->file)
        return advise_numbers(settings, err);
    if (settings->counts.nr || settings->measurement || settings->seconds_s >= 0)
        return fail(err, STATUS_USAGE,
                    "--counts, --seconds and --measurement are for advice without a C "
                    "file; '%s' is measured instead",
                    settings->file);
    if (settings->bandwidth_gbs >= 0 || settings->latency_ns >= 0 || settings->access ||
        settings->what_if)
        return fail(err, STATUS_USAGE,
                    "--bandwidth, --latency, --access and --what-if are for advice "
                    "without a file; '%s' is measured instead",
                    settings->file);
    return work(settings, true, err);
}
