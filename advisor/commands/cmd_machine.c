/* inflight machine: probe this machine and keep its profile, or look at profiles that
 * exist. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cluster/campaign.h"
#include "advisor/program/commands.h"
#include "core/base.h"

/* What a full characterisation takes at most, and where more time gains nothing. */
static const double full_s = 120, longest_s = 86400;
/* GB/s: below any machine that has miss queues to fill, above any node. */
static const double min_peak_gbs = 1, max_peak_gbs = 100000;

/* ---- which form, and what goes with it ---- */

enum form { PROBE = 1, LIST = 2, SHOW = 4 };

static const char *shown(const struct settings *settings)
{
    return settings->show ? settings->show : settings->machine;
}

static int find_form(const struct settings *settings, enum form *form, struct error *err)
{
    const struct {
        bool given;
        const char *name;
        enum form form;
    } forms[] = {{settings->list, "--list", LIST},
                 {settings->show != NULL, "--show", SHOW},
                 {settings->machine != NULL, "--machine", SHOW}};
    const char *first = NULL;
    *form = PROBE;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (!forms[i].given)
            continue;
        if (first)
            return fail(err, STATUS_USAGE, "%s and %s do not go together: one at a time",
                        first, forms[i].name);
        first = forms[i].name;
        *form = forms[i].form;
    }
    return 0;
}

static int check_options(const struct settings *settings, enum form form,
                         struct error *err)
{
    const struct {
        bool given;
        const char *name;
        unsigned forms;
        const char *meant;
    } options[] = {
        {settings->quick, "--quick", PROBE, "is of the measurement"},
        {settings->longer_s >= 0, "--longer", PROBE, "is of the measurement"},
        {settings->peak_gbs >= 0, "--peak", PROBE, "is of the measurement"},
        {settings->output != NULL, "--output", PROBE, "is where a measurement is kept"},
        {settings->memory != NULL, "--memory", SHOW, "picks a memory of a profile"},
    };
    static const char *const with[] = {
        [PROBE] = "a measurement", [LIST] = "--list", [SHOW] = "--show"};
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        if (options[i].given && !(options[i].forms & form))
            return fail(err, STATUS_USAGE,
                        "%s %s, it does not go with %s; try 'inflight machine --help'",
                        options[i].name, options[i].meant, with[form]);
    if (settings->quick && settings->longer_s >= 0)
        return fail(err, STATUS_USAGE, "--quick and --longer do not go together");
    return 0;
}

static int check_values(const struct settings *settings, struct error *err)
{
    double longer = settings->longer_s, peak = settings->peak_gbs;
    if (longer >= 0 && longer <= full_s)
        return fail(err, STATUS_USAGE,
                    "--longer: a full characterisation takes up to %.0f s as it is, so "
                    "%.4g s would not be longer; give more, or leave it out",
                    full_s, longer);
    if (longer > longest_s)
        return fail(err, STATUS_USAGE, "--longer: %.4g s is more than a day; give less",
                    longer);
    if (peak >= 0 && !(peak >= min_peak_gbs && peak <= max_peak_gbs))
        return fail(err, STATUS_USAGE,
                    "--peak: %.4g GB/s is not a memory bandwidth; it is transfers per "
                    "second x 8 bytes x channels, such as 307GB/s",
                    peak);
    return 0;
}

/* ---- the forms ---- */

static int print_machine(const struct settings *settings, const struct machine *machine,
                         struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = machine_to_json(machine);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    machine_describe(machine, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int measure(const struct settings *settings, struct machine *machine,
                   struct error *err)
{
    struct progress progress;
    struct machine_probe_opts opts = {
        .quick = settings->quick,
        .seconds = settings->longer_s > 0 ? settings->longer_s : 0,
        .peak_gbs = settings->peak_gbs > 0 ? settings->peak_gbs : 0,
        .progress = &progress};
    spawn_die_on_interrupt(
        "inflight: interrupted: no profile was written, an earlier one "
        "is as it was; the same command begins again\n");
    progress_start(&progress, settings->quiet, settings->verbose);
    int status = machine_probe(&opts, machine, err);
    progress_clear(&progress);
    spawn_catch_interrupt();
    return status;
}

/* Where the result goes is tried before two minutes are spent. */
static int probe(const struct settings *settings, struct error *err)
{
    struct machine machine = {0};
    char *path = settings->output ? xstrdup(settings->output) : NULL;
    int status = path ? 0 : machine_path_to_write(&path, err);
    if (!status)
        status = file_check_writable(path, err);
    if (!status)
        status = measure(settings, &machine, err);
    if (!status)
        status = machine_save(&machine, path, err);
    if (!status && !settings->quiet)
        fprintf(stderr, "profile written to '%s'\n", path);
    if (!status)
        status = print_machine(settings, &machine, err);
    machine_release(&machine);
    free(path);
    return status;
}

static int list(const struct settings *settings, struct error *err)
{
    struct profile *profile = NULL;
    struct buf text = {0};
    size_t nr = 0;
    if (profiles_find(&profile, &nr, err))
        return -1;
    json_t *document = settings->json ? profiles_json(profile, nr) : NULL;
    if (!document)
        profiles_text(profile, nr, &text);
    int status = document ? print_json(document, err) : print_text(buf_str(&text), err);
    json_decref(document);
    buf_release(&text);
    profiles_release(profile, nr);
    return status;
}

static int show(const struct settings *settings, struct error *err)
{
    struct machine machine = {0};
    struct buf why = {0};
    int status = profile_read(shown(settings), settings->memory, &machine, err);
    if (!status && !strcmp(shown(settings), "here") &&
        !machine_matches_here(&machine, &why))
        fprintf(stderr,
                "inflight: warning: this is of another machine (%s); 'inflight machine' "
                "makes a new one\n",
                buf_str(&why));
    if (!status)
        status = print_machine(settings, &machine, err);
    buf_release(&why);
    machine_release(&machine);
    return status;
}

int machine_command(const struct settings *settings, struct error *err)
{
    if (campaign_check(settings, err))
        return -1;
    if (settings->on)
        return campaign_command(settings, err);
    enum form form;
    if (find_form(settings, &form, err) || check_options(settings, form, err) ||
        check_values(settings, err))
        return -1;
    switch (form) {
    case LIST:
        return list(settings, err);
    case SHOW:
        return show(settings, err);
    default:
        return probe(settings, err);
    }
}
