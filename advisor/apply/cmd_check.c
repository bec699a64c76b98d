/* inflight check: does a record still hold on this machine? */
#include <stdlib.h>
#include <string.h>

#include "advisor/apply/check_items.h"
#include "advisor/apply/keep_record.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/layout.h"
#include "advisor/program/commands.h"
#include "advisor/session/emitted.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/space/space.h"
#include "variants/clang/clang.h"
#include "variants/plan/plan.h"

static const double default_pairs_s = 10;

struct checking {
    const struct settings *settings; /* as given; the bench has those of the record */
    struct record record;
    struct record_machine *entry; /* of this machine; NULL = none */
    struct machine_processor here;
    char *source, *code; /* paths */
    struct check_items items;
    struct quantity gain;
};

static void checking_release(struct checking *check)
{
    record_release(&check->record);
    machine_processor_release(&check->here);
    check_items_release(&check->items);
    free(check->source);
    free(check->code);
}

/* ---- the machine ---- */

static void say_unknown(struct checking *check)
{
    struct buf known = {0};
    for (size_t i = 0; i < check->record.machine_nr; i++)
        buf_addf(&known, "%s'%s'", i ? ", " : "", check->record.machine[i].cpu.name);
    check_add(&check->items, "machine", CHECK_DRIFT,
              "builds here take the source as written; tune on this machine, which adds "
              "an entry (inflight tune --build-record, or the target inflight-tune)",
              "the record does not know this machine ('%s', %s), only %s",
              check->here.name ? check->here.name : "unknown", check->here.architecture,
              known.length ? buf_str(&known) : "none");
    buf_release(&known);
}

/* False when the code must not be run here. */
static bool check_machine(struct checking *check)
{
    struct record_machine machine = {.cpu = keep_record_cpu(&check->here)};
    struct buf lacking = {0};
    if (strcmp(check->here.architecture, "other"))
        check->entry = record_find(&check->record, &machine.cpu);
    const char *name = machine.cpu.name;
    bool able =
        check->entry && machine_processor_has(&check->here, &check->entry->isa, &lacking);
    if (!check->entry)
        say_unknown(check);
    else if (!able)
        check_add(&check->items, "machine", CHECK_DRIFT,
                  "builds here take the source as written; tune on this machine",
                  "this CPU lacks instructions that the tuned code was compiled with: "
                  "%s; it was not run",
                  buf_str(&lacking));
    else if (strcmp(name, check->entry->cpu.name))
        check_add(&check->items, "machine", CHECK_NOTE, NULL,
                  "tuned on '%s', this is '%s' of the same family and model",
                  check->entry->cpu.name, name);
    else
        check_add(&check->items, "machine", CHECK_GOOD, NULL, "'%s', as recorded", name);
    buf_release(&lacking);
    record_machine_release(&machine);
    return able;
}

/* ---- compiler, flags, words, versions ---- */

static void check_lists(struct checking *check, const char *what,
                        const struct strvec *old, const struct strvec *new,
                        const char *remedy)
{
    char *before = strvec_join(old, " "), *now = strvec_join(new, " ");
    if (!strcmp(before, now))
        check_add(&check->items, what, CHECK_GOOD, NULL, "'%s', as recorded", now);
    else
        check_add(&check->items, what, CHECK_DRIFT, remedy,
                  "recorded: '%s'; asked for: '%s'", before, now);
    free(before);
    free(now);
}

static const char still_right[] = "builds keep the tuned code, whose results stay "
                                  "correct; the gain below is the present one";

/* Without the name that it was called by: cc, gcc and gcc-12 may be one. */
static const char *behind_name(const char *version)
{
    return version + strcspn(version, " ");
}

/* `runs`: nothing else keeps the tuned code from being built. */
static void check_tools(struct checking *check, const struct toolchain *toolchain,
                        bool runs)
{
    const struct record_machine *entry = check->entry;
    const char *remedy = runs ? still_right : NULL;
    if (!strcmp(behind_name(entry->compiler_version), behind_name(toolchain->version)))
        check_add(&check->items, "compiler", CHECK_GOOD, NULL, "'%s', as recorded",
                  toolchain->version);
    else
        check_add(&check->items, "compiler", CHECK_DRIFT, remedy,
                  "tuned with '%s', this is '%s'", entry->compiler_version,
                  toolchain->version);
    check_lists(check, "flags", &entry->flags, &toolchain->flags, remedy);
    if (check->settings->words.nr)
        check_lists(check, "words", &entry->words, &check->settings->words,
                    "tune again for what is asked for now");
    if (strcmp(entry->inflight, INFLIGHT_VERSION))
        check_add(&check->items, "inflight", CHECK_NOTE, NULL,
                  "tuned by version %s, this is " INFLIGHT_VERSION
                  ", which may find more",
                  entry->inflight);
}

/* ---- the plan and its code ---- */

static int emit_again(struct context *bench, const char *code, const char *plan,
                      struct buf *text, struct error *err)
{
    char *comment = NULL, *named = NULL;
    struct plan *parsed = NULL;
    int status = emitted_read(code, &comment, &named, err);
    if (!status)
        status = plan_parse(plan, &parsed, err);
    if (!status)
        status = emitted_text(bench->kernel, parsed, comment, NULL, text, err);
    plan_free(parsed);
    free(comment);
    free(named);
    return status;
}

static void check_plan(struct checking *check, struct context *bench)
{
    struct buf text = {0}, old = {0};
    struct error why = {0};
    bool other = strcmp(check->entry->inflight, INFLIGHT_VERSION) != 0;
    const char *plan = check->entry->plan;
    if (emit_again(bench, check->code, plan, &text, &why) ||
        file_read(check->code, &old, &why))
        check_add(&check->items, "plan", CHECK_DRIFT, "tune again",
                  "'%s' cannot be applied again: %s", plan, why.text);
    else if (!strcmp(buf_str(&text), buf_str(&old)))
        check_add(&check->items, "plan", CHECK_GOOD, NULL,
                  "'%s' gives the same code again", plan);
    else
        check_add(&check->items, "plan", other ? CHECK_NOTE : CHECK_DRIFT,
                  other ? "tune again to have this version's" : "tune again",
                  "'%s' gives different code%s", plan,
                  other ? " in this version" : " than the recorded file holds");
    buf_release(&text);
    buf_release(&old);
}

/* Results first, then times, both in turn. */
static int check_times(struct checking *check, struct context *bench, struct error *err)
{
    const struct settings *settings = check->settings;
    const struct environment plain[2] = {{0}, {0}};
    bool verified = false;
    progress_say(&bench->progress, "comparing results, then timing the two in turn");
    if (live_compare_file(bench->live, check->code, NULL, plain,
                          settings->budget_s > 0 ? settings->budget_s : default_pairs_s,
                          &check->gain, &verified, err))
        return -1;
    if (spawn_interrupted())
        return fail(err, STATUS_FAILED, "interrupted before the times were known");
    if (!verified) {
        check_add(&check->items, "results", CHECK_WRONG,
                  "remove the entry or tune again, and report this: the tuned code must "
                  "not be built",
                  "they differ from those of the source");
        return 0;
    }
    check_add(&check->items, "results", CHECK_GOOD, NULL,
              "equal at the full size and at small ones");
    check_gain(check->entry->gain, check->gain, &check->items);
    return 0;
}

/* ---- the command ---- */

/* As tune was told; of the record nothing is started and no file is named. */
static int settings_of(const struct checking *check, struct settings *settings,
                       struct error *err)
{
    const struct record_machine *entry = check->entry;
    if (!settings->flags.nr && flags_check_recorded(&entry->flags, err))
        return -1;
    settings->file = check->source;
    settings->function = check->record.function;
    settings->words = entry->words;
    settings->reassociate |= entry->reassociate;
    if (entry->tolerance.known)
        settings->tolerance = entry->tolerance.value;
    if (entry->tolerance_absolute.known)
        settings->tolerance_absolute = entry->tolerance_absolute.value;
    if (!settings->flags.nr)
        settings->flags = entry->flags;
    return 0;
}

/* With other values it is other code: `*runs` is false then. */
static int check_values(struct checking *check, struct context *bench, bool *runs,
                        struct error *err)
{
    struct record_machine now = {0};
    if (!*runs || !check->entry->knows_frozen)
        return 0;
    if (context_kernel(bench, false, err))
        return -1;
    keep_record_frozen(bench->kernel, &now);
    *runs = check_frozen(check->entry, &now, &check->items);
    record_machine_release(&now);
    return 0;
}

/* Without a kernel to run, compiler and flags all the same. */
static int run_checks(struct checking *check, bool runs, struct error *err)
{
    struct settings settings = *check->settings;
    struct context bench;
    if (settings_of(check, &settings, err))
        return -1;
    spawn_catch_interrupt();
    context_start(&bench, &settings);
    int status =
        check_values(check, &bench, &runs, err) || context_toolchain(&bench, err);
    if (!status)
        check_tools(check, &bench.toolchain, runs);
    if (!status && check->code && !runs)
        check_add(&check->items, "gain", CHECK_NOTE, NULL,
                  "not checked, because of the above");
    if (!status && runs) {
        toolchain_release(&bench.toolchain);
        status = context_live(&bench, err);
        if (!status) {
            check_plan(check, &bench);
            status = check_times(check, &bench, err);
        }
    }
    progress_clear(&bench.progress);
    context_release(&bench);
    return status;
}

static int look(struct checking *check, struct error *err)
{
    const char *path = check->settings->file;
    const struct check_place place = {path, check->source};
    bool able = check_machine(check);
    if (!check->entry)
        return 0;
    bool runs = check_files(&place, check->entry, &check->items) && able;
    if (!*check->entry->plan)
        check_add(&check->items, "plan", CHECK_NOTE, NULL,
                  "nothing was faster here on %.10s: builds take the source as written",
                  check->entry->date);
    else
        check->code = record_beside(path, check->entry->code);
    check_in_app(&check->entry->in_app, &check->items);
    return run_checks(check, runs && check->code, err);
}

static const char *verdict(const struct checking *check)
{
    static const char *const word[] = {
        [CHECK_GOOD] = "good",
        [CHECK_NOTE] = "good",
        [CHECK_DRIFT] = "drifted",
        [CHECK_WRONG] = "wrong",
    };
    return word[check_worst(&check->items)];
}

static json_t *document(const struct checking *check)
{
    char *date = date_now();
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o}", "schema",
        "inflight.check/1", "version", INFLIGHT_VERSION, "date", date, "record",
        text_json(check->settings->file), "source", text_json(check->source), "function",
        check->record.function, "verdict", verdict(check), "gain_recorded",
        json_quantity(check->entry ? check->entry->gain : quantity_unknown()), "gain",
        json_quantity(check->gain), "items", check_items_json(&check->items));
    free(date);
    return root;
}

static int print(const struct checking *check, struct error *err)
{
    struct buf text = {0};
    int status;
    if (check->settings->json) {
        json_t *root = document(check);
        status = print_json(root, err);
        json_decref(root);
        return status;
    }
    buf_addf(&text, "%s in %s, by %s: %s\n", check->record.function, check->source,
             check->settings->file, verdict(check));
    check_items_text(&check->items, term_columns(stdout), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* Exit 1 for wrong results always, for the rest when asked. */
static int judge(const struct checking *check, struct error *err)
{
    enum check_state worst = check_worst(&check->items);
    if (worst == CHECK_WRONG)
        return fail(err, STATUS_FAILED,
                    "%s: the tuned code does not give the source's "
                    "results",
                    check->settings->file);
    if (worst == CHECK_DRIFT && check->settings->strict)
        return fail(err, STATUS_FAILED, "%s: it has drifted, and --strict was given",
                    check->settings->file);
    return 0;
}

static int check_function(const struct checking *check, struct error *err)
{
    const char *given = check->settings->function;
    if (!given || !strcmp(given, check->record.function))
        return 0;
    return fail(err, STATUS_USAGE, "the record '%s' is of function '%s', not of '%s'",
                check->settings->file, check->record.function, given);
}

/* The kernel's file: told, else beside the record. */
static int find_source(struct checking *check, struct error *err)
{
    const char *given = check->settings->source;
    check->source = given ? xstrdup(given)
                          : record_beside(check->settings->file, check->record.source);
    if (file_exists(check->source))
        return 0;
    return fail(err, STATUS_INPUT,
                "there is no '%s', which the record '%s' is of; name it by --source",
                check->source, check->settings->file);
}

int check_command(const struct settings *settings, struct error *err)
{
    struct checking check = {.settings = settings, .gain = quantity_unknown()};
    if (!settings->file)
        return fail(err, STATUS_USAGE,
                    "check takes a record, such as kernel.inflight.json; try 'inflight "
                    "check --help'");
    int status = record_read(settings->file, &check.record, err);
    if (!status)
        status = check_function(&check, err);
    if (!status)
        status = find_source(&check, err);
    if (!status) {
        machine_processor_here(&check.here);
        status = look(&check, err);
    }
    if (!status)
        status = print(&check, err);
    if (!status)
        status = judge(&check, err);
    checking_release(&check);
    return status;
}
