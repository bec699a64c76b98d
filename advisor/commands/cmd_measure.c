/* inflight measure: one kernel, one variant, all numbers; or a series of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cluster/campaign.h"
#include "advisor/program/commands.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report_parts.h"
#include "advisor/sweep/sweep.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/records/replay.h"
#include "variants/kernel/kernel.h"

/* Of one measurement: its samples and its trace share it. */
static const double measure_s = 5;

static int check_together(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } of_sweeps[] = {
        {settings->csv != NULL, "--csv"},
        {settings->budget_s >= 0, "--budget"},
        {settings->fresh, "--fresh"},
        {settings->database != NULL, "--database"},
    };
    if (settings->sweep.nr && settings->save)
        return fail(err, STATUS_USAGE,
                    "--save keeps one measurement, --sweep makes many; --json or --csv "
                    "keep a series");
    for (size_t i = 0; !settings->sweep.nr && i < ARRAY_SIZE(of_sweeps); i++)
        if (of_sweeps[i].given)
            return fail(err, STATUS_USAGE,
                        "%s goes with --sweep; try 'inflight measure --help'",
                        of_sweeps[i].name);
    return 0;
}

static int print_measurement(const struct context *bench,
                             const struct measurement *measurement, struct error *err)
{
    struct buf text = {0};
    if (bench->settings->json) {
        json_t *document = measure_json(bench, measurement);
        int written = print_json(document, err);
        json_decref(document);
        return written;
    }
    struct layout layout = layout_on(&text, term_colour(stdout, bench->settings->colour),
                                     term_columns(stdout));
    measure_text(bench, measurement, &layout);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* With what explains it, so that it can be replayed anywhere. */
static int save(const struct context *bench, const struct measurement *measurement,
                struct error *err)
{
    const struct settings *settings = bench->settings;
    if (!settings->save)
        return 0;
    char *date = date_now();
    json_t *document = measurement_save_json(
        measurement, &(struct measurement_origin){.machine = &bench->machine,
                                                  .cores = (int)live_copies(bench->live),
                                                  .counts = kernel_counts(bench->kernel),
                                                  .kernel = kernel_name(bench->kernel),
                                                  .file = kernel_path(bench->kernel),
                                                  .hash = kernel_hash(bench->kernel),
                                                  .compiler = bench->toolchain.version,
                                                  .date = date});
    free(date);
    int status = json_write_file(settings->save, document, err);
    json_decref(document);
    if (!status && !settings->quiet)
        fprintf(stderr, "measurement written to '%s'\n", settings->save);
    return status;
}

/* A variant that does not run is shown as what it is, and is a failure. */
static int judge(const struct measurement *measurement, struct error *err)
{
    if (measurement->outcome == RUN_OUTCOME_OK ||
        measurement->outcome == RUN_OUTCOME_INTERRUPTED)
        return 0;
    return fail(err, STATUS_FAILED, "the variant was not measured: %s",
                run_outcome_word(measurement->outcome));
}

static int measure_once(struct context *bench, struct error *err)
{
    struct measurement measurement = {0};
    bench->note_in_answer = !bench->settings->json;
    if (context_live(bench, err))
        return -1;
    if (!bench->settings->thorough)
        live_set_budget(bench->live, 0, measure_s, measure_s / 5, measure_s / 5);
    struct candidate candidate = {bench->plan, context_environment(bench)};
    progress_say(&bench->progress, "measuring and tracing");
    if (bench->live_runner.measure(bench->live_runner.data, &candidate, MEASURE_EXPLAIN,
                                   0, &measurement, err))
        return -1;
    progress_clear(&bench->progress);
    int status = print_measurement(bench, &measurement, err);
    if (!status)
        status = save(bench, &measurement, err);
    if (!status)
        status = judge(&measurement, err);
    measurement_release(&measurement);
    return status;
}

int measure_command(const struct settings *settings, struct error *err)
{
    if (campaign_check(settings, err))
        return -1;
    if (settings->on)
        return campaign_command(settings, err);
    struct context bench;
    spawn_catch_interrupt();
    context_start(&bench, settings);
    int status = check_together(settings, err);
    if (!status)
        status =
            settings->sweep.nr ? sweep_command(&bench, err) : measure_once(&bench, err);
    context_release(&bench);
    return status;
}
