#include "advisor/session/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/session/context_remote.h"
#include "advisor/session/inputs_use.h"
#include "advisor/session/track.h"
#include "core/base.h"
#include "core/store/store.h"
#include "rules/rules.h"
#include "search/live/live.h"
#include "search/records/records.h"
#include "search/session/subject.h"
#include "search/space/space.h"
#include "variants/clang/clang.h"
#include "variants/kernel/kernel_inputs.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

void context_start(struct context *bench, const struct settings *settings)
{
    static const struct machine_source here = {.matches = machine_matches_here,
                                               .busy_now = machine_busy_now,
                                               .probe = machine_probe};
    *bench = (struct context){.settings = settings, .source = &here};
    progress_start(&bench->progress, settings->quiet, settings->verbose);
}

void context_release(struct context *bench)
{
    progress_clear(&bench->progress);
    recorded_free(bench->recorded);
    context_remote_end(bench);
    live_free(bench->live);
    store_close(bench->store);
    rule_set_free(bench->rules);
    toolchain_release(&bench->toolchain);
    kernel_free(bench->kernel);
    machine_release(&bench->machine);
    if (bench->scratch)
        scratch_remove(bench->scratch);
    free(bench->key);
    free(bench->result_key);
    free(bench->started);
    free(bench->machine_key);
    track_release(&bench->track);
    budget_release(&bench->budget);
    code_diffs_release(&bench->code);
    metrics_facts_release(&bench->facts);
    free(bench->plan);
    free(bench->machine_note);
}

/* ---- the machine ---- */

static int characterise(struct context *bench, const char *path, struct error *err)
{
    struct machine_probe_opts opts = {.quick = true, .progress = &bench->progress};
    progress_note(&bench->progress, "no profile of this machine yet: making a quick one, "
                                    "once (about 20 s, on top of any budget)");
    double began_s = clock_s();
    if (file_check_writable(path, err))
        return -1;
    spawn_die_on_interrupt(
        "inflight: interrupted while making the profile: none was written, and nothing "
        "was tuned; the same command starts again\n");
    enum account before = account_switch(ACCOUNT_MACHINE);
    int status = bench->source->probe(&opts, &bench->machine, err);
    account_switch(before);
    bench->profile_s = clock_s() - began_s;
    spawn_catch_interrupt();
    if (status || machine_save(&bench->machine, path, err))
        return -1;
    bench->machine_note = xasprintf(
        "quick profile made now and kept in '%s'; 'inflight machine' makes a better one",
        path);
    return 0;
}

/* Also in the report; but a search takes minutes, and this may be a mistake. */
static void warn_of_note(struct context *bench)
{
    progress_clear(&bench->progress);
    fprintf(stderr, "inflight: warning: %s\n", bench->machine_note);
}

/* By a quick one, made now. The old one is kept beside it: it may be wanted. */
static int replace_profile(struct context *bench, const char *path, const char *suffix,
                           const char *why, struct error *err)
{
    char *old = xasprintf("%s%s", path, suffix);
    int status = rename(path, old)
                     ? fail(err, STATUS_FAILED, "cannot rename '%s' to '%s'", path, old)
                     : 0;
    machine_release(&bench->machine);
    bench->machine = (struct machine){0};
    if (!status)
        status = characterise(bench, path, err);
    if (!status) {
        free(bench->machine_note);
        bench->machine_note = xasprintf("%s: kept as '%s', a quick one made now; "
                                        "--machine '%s' would use the old one "
                                        "all the same",
                                        why, old, old);
        warn_of_note(bench);
    }
    free(old);
    return status;
}

/* Used all the same: the machine is the same, or the user names the file. */
static void note_misfit(struct context *bench, const char *why, const char *used)
{
    bench->machine_note = xasprintf("the profile does not fit here (%s): %s", why, used);
    warn_of_note(bench);
}

/* A file that the user names is never moved away. */
static int misfit_profile(struct context *bench, const char *path, const char *why,
                          struct error *err)
{
    const char *given = getenv("INFLIGHT_PROFILE");
    bool named = given && *given;
    if (!named && !machine_is_this_hardware(&bench->machine)) {
        char *what = xasprintf("the profile was of another machine (%s)", why);
        int status = replace_profile(bench, path, ".other", what, err);
        free(what);
        return status;
    }
    note_misfit(bench, why,
                named ? "its limits are used because INFLIGHT_PROFILE names it; without, "
                        "this machine's own are"
                      : "its limits are used; 'inflight machine -o FILE' makes one for "
                        "this situation, --machine FILE uses it");
    return 0;
}

/* A profile that was made on a busy machine is made anew as soon as nothing else runs,
 * but for one that the user names, and where the user declines. */
static bool is_to_be_renewed(const struct context *bench)
{
    const double quiet = 0.1; /* of all processors: the tick of a clock is a twentieth */
    const char *given = getenv("INFLIGHT_PROFILE"),
               *keep = getenv("INFLIGHT_KEEP_PROFILE");
    if (!bench->machine.busy || (given && *given) || (keep && *keep))
        return false;
    return bench->source->busy_now() < quiet;
}

static int own_profile(struct context *bench, struct error *err)
{
    char *path = NULL;
    struct buf why = {0};
    int status = machine_default_path(&path, err);
    if (!status && !file_exists(path))
        status = characterise(bench, path, err);
    else if (!status && !(status = machine_load(path, &bench->machine, err)) &&
             !bench->source->matches(&bench->machine, &why))
        status = misfit_profile(bench, path, buf_str(&why), err);
    else if (!status && is_to_be_renewed(bench))
        status = replace_profile(bench, path, ".busy",
                                 "the profile was made while other processes kept the "
                                 "machine busy, which is no longer so",
                                 err);
    buf_release(&why);
    free(path);
    return status;
}

static int named_profile(struct context *bench, struct error *err)
{
    struct buf why = {0};
    if (profile_read(bench->settings->machine, NULL, &bench->machine, err))
        return -1;
    if (!machine_matches_here(&bench->machine, &why))
        note_misfit(bench, buf_str(&why),
                    "its limits are used because you named it; without --machine this "
                    "machine's own are");
    buf_release(&why);
    return 0;
}

/* Figures of a disturbed profile are rougher than their intervals say. */
static void note_unstable(struct context *bench)
{
    char *before = bench->machine_note, *rough = profile_rough(&bench->machine);
    if (!rough)
        return;
    bench->machine_note =
        xasprintf("%s%s%s", before ? before : "", before ? "; " : "", rough);
    if (!bench->note_in_answer) {
        progress_clear(&bench->progress);
        fprintf(stderr, "inflight: warning: %s\n", rough);
    }
    free(before);
    free(rough);
}

int context_machine(struct context *bench, struct error *err)
{
    const char *memory = bench->settings->memory;
    if (bench->settings->machine ? named_profile(bench, err) : own_profile(bench, err))
        return -1;
    note_unstable(bench);
    return memory ? machine_use_memory(&bench->machine, memory, err) : 0;
}

/* ---- the kernel ---- */

static char *program_known(const struct settings *settings)
{
    struct inputs inputs = {0};
    struct error none = {0};
    char *program = NULL;
    if (settings->program.nr)
        return path_of_program(settings->program.v[0]);
    if (settings->inputs && !inputs_load(settings->inputs, &inputs, &none)) {
        program = xstrdup(inputs.program);
        inputs_release(&inputs);
    }
    return program;
}

int context_flags(const struct settings *settings, const char *source,
                  struct known_flags *known, struct error *err)
{
    char *program = program_known(settings);
    int status = known_flags_find(settings, source, program, known, err);
    free(program);
    return status;
}

int context_cflags(const struct settings *settings, const char *source,
                   struct strvec *flags, struct error *err)
{
    struct known_flags known;
    int status = context_flags(settings, source, &known, err);
    if (!status)
        strvec_push_all(flags, &known.flags);
    known_flags_release(&known);
    return status;
}

/* What nobody could read, said better than by who tries to. */
static int check_file(const char *path, struct error *err)
{
    struct stat entry;
    const char *colon = strrchr(path, ':');
    if (!*path)
        return fail(err, STATUS_USAGE, "the name of the C file is empty");
    if (stat(path, &entry) == 0)
        return S_ISREG(entry.st_mode) || S_ISDIR(entry.st_mode)
                   ? 0
                   : fail(err, STATUS_INPUT,
                          "'%s' is not a regular file; write the C into one", path);
    char *before = xasprintf("%.*s", colon ? (int)(colon - path) : 0, path);
    int status =
        *before && file_exists(before)
            ? fail(err, STATUS_USAGE,
                   "'%s': a line number is expected after '%s:'; --function names a "
                   "function",
                   path, before)
            : 0;
    free(before);
    return status;
}

static int open_kernel(const struct settings *settings, struct kernel **kernel,
                       struct error *err)
{
    struct kernel_request request = {.path = settings->file,
                                     .line = settings->line,
                                     .function = settings->function,
                                     .words = settings->words,
                                     .reassociate = settings->reassociate,
                                     .force = settings->force};
    if (!settings->file)
        return fail(err, STATUS_USAGE, "a C file is needed; try 'inflight %s --help'",
                    settings->command);
    if (*settings->file == '@' || *settings->file == '-') /* compilers read these */
        return fail(err, STATUS_USAGE, "write './%s' for a file of that name",
                    settings->file);
    if (check_file(settings->file, err))
        return -1;
    struct known_flags known;
    int status = context_flags(settings, settings->file, &known, err);
    request.cflags = known.flags;
    request.flags_from = known.from;
    if (!status)
        status = settings->inputs
                     ? inputs_open_kernel(settings->inputs, &request, kernel, err)
                     : kernel_open(&request, kernel, err);
    known_flags_release(&known);
    return status;
}

/* ---- what the command line leaves open ---- */

/* A first try is for memory, not for caches: so much more than the last one holds, or so
 * much where its size is not known. */
static const double caches_filled = 4, bytes_else = 64.0 * 1024 * 1024;

static double first_try_bytes(void)
{
    double bytes = caches_filled * machine_last_cache_bytes();
    double available = memory_available_bytes();
    if (!(bytes > 0))
        bytes = bytes_else;
    return available > 0 && bytes > available / caches_filled ? available / caches_filled
                                                              : bytes;
}

/* "n, m and the contents of idx"; lengths have a reason of their own. */
static void add_unsaid(const struct strvec *words, struct buf *out)
{
    size_t nr = 0;
    while (nr < words->nr && !strstr(words->v[nr], " length "))
        nr++;
    for (size_t i = 0; i < nr; i++) {
        bool set = !strncmp(words->v[i], "set ", 4);
        const char *name = strchr(words->v[i], ' ') + 1;
        buf_addf(out, "%s%s%.*s",
                 !i           ? ""
                 : i + 1 < nr ? ", "
                              : " and ",
                 set ? "" : "the contents of ", (int)strcspn(name, " ="), name);
    }
}

/* What was typed, and what it lacks, in front of "--". */
static void add_completed(const struct settings *settings, const struct strvec *words,
                          struct buf *out)
{
    struct strvec all = {0};
    bool said = false;
    strvec_push(&all, "inflight");
    for (int i = 0; i <= settings->given_nr; i++) {
        bool end = i == settings->given_nr || !strcmp(settings->given[i], "--");
        for (size_t k = 0; end && !said && k < words->nr; k++) {
            const char *name = strchr(words->v[k], ' ');
            strvec_pushf(&all, "--%.*s", (int)(name - words->v[k]), words->v[k]);
            strvec_push(&all, name + 1);
        }
        said = said || end;
        if (i < settings->given_nr)
            strvec_push(&all, settings->given[i]);
    }
    buf_add_shell_words(out, (const char *const *)all.v);
    strvec_release(&all);
}

static int fail_unsaid(const struct settings *settings, const struct kernel *kernel,
                       const struct strvec *words, double bytes, const struct error *why,
                       struct error *err)
{
    struct buf text = {0}, place = {0};
    buf_addf(&place, "%s:%d: ", kernel_path(kernel), kernel_line(kernel));
    const char *also = why->text;
    if (text_begins(also, buf_str(&place)))
        also += place.length;
    add_unsaid(words, &text);
    if (text.length) {
        struct buf names = text;
        text = (struct buf){0};
        buf_addf(&text, "the arguments of '%s' are not known: %s%s", kernel_name(kernel),
                 buf_str(&names), why->status ? "; and " : "");
        buf_release(&names);
    }
    bool length = strstr(words->v[words->nr - 1], " length ") != NULL;
    buf_addf(&text, "%s; %s", why->status ? also : "",
             length ? "with their number for ELEMENTS" : "for a first try");
    if (bytes > 0 && text_begins(words->v[0], "set ")) {
        buf_add(&text, ", with arrays of ");
        buf_add_size(&text, bytes);
        buf_add(&text, " in all");
    }
    buf_add(&text, ":\n  ");
    add_completed(settings, words, &text);
    error_clear(err);
    fail(err, STATUS_INPUT, "%s%s", buf_str(&place), buf_str(&text));
    buf_release(&place);
    buf_release(&text);
    return -1;
}

static int open_with(const struct settings *settings, const struct strvec *more,
                     struct kernel **kernel, struct error *err)
{
    struct settings whole = *settings;
    whole.words = (struct strvec){0};
    strvec_push_all(&whole.words, &settings->words);
    strvec_push_all(&whole.words, more);
    int status = open_kernel(&whole, kernel, err);
    strvec_release(&whole.words);
    return status;
}

/* Binding failed: says at once all that is missing, with a command that has it, where
 * that is the reason. */
static int explain_unsaid(const struct settings *settings, struct kernel *kernel,
                          struct error *err)
{
    double bytes = -1;
    struct strvec words = {0};
    struct error why = {0};
    for (int globals = 0; globals <= 1 && bytes < 0; globals++) {
        struct kernel *trial = NULL;
        strvec_release(&words);
        error_clear(&why);
        kernel_unsaid(kernel, globals, &words);
        if (open_with(settings, &words, &trial, &why) == 0)
            bytes = kernel_propose(trial, first_try_bytes(), &words, &why);
        kernel_free(trial);
    }
    if (words.nr)
        fail_unsaid(settings, kernel, &words, bytes, &why, err);
    strvec_release(&words);
    return -1;
}

int context_kernel(struct context *bench, bool bind, struct error *err)
{
    if (!bench->kernel && open_kernel(bench->settings, &bench->kernel, err))
        return -1;
    if (!bind || kernel_bind(bench->kernel, err) == 0)
        return 0;
    return err->status == STATUS_INPUT && kernel_supplied(bench->kernel, NULL) == 0
               ? explain_unsaid(bench->settings, bench->kernel, err)
               : -1;
}

/* Where a loop cannot be distributed because what one part sets and another uses would
 * need an element for each iteration, a tile around it needs a constant number. Returns
 * the whole plan with that tile if it is legal, for the caller to free; else NULL. */
static char *legal_in_tiles(struct kernel *kernel, const struct plan *plan)
{
    enum {
        TILE = 256
    }; /* the one that the refusal proposes: small arrays, whole lines */
    char *found = NULL;
    for (size_t i = 0; !found && i < plan->step_nr; i++) {
        const struct plan_step *step = plan->step[i];
        struct plan *tiled = NULL;
        struct error err = {0};
        struct buf text = {0};
        char *rest;
        if (step->kind != STEP_DISTRIBUTE || step->arg_nr != 1)
            continue;
        rest = plan_text(plan);
        buf_addf(&text, "tile(%s:%d) %s", step->arg[0].name, TILE, rest);
        if (plan_parse(buf_str(&text), &tiled, &err) == 0 &&
            kernel_check(kernel, tiled, NULL, &err) == 0)
            found = plan_text(tiled);
        plan_free(tiled);
        buf_release(&text);
        free(rest);
    }
    return found;
}

int context_check(struct kernel *kernel, const struct plan *plan, struct buf *assumptions,
                  struct error *err)
{
    struct plan *other = NULL;
    struct error why = {0}, again = {0};
    char *whole = NULL;
    if (kernel_check(kernel, plan, assumptions, &why) == 0)
        return 0;
    bool known = *why.remedy && plan_parse(why.remedy, &other, &again) == 0;
    if (!known)
        return fail(err, why.status, "%s", why.text);
    if (kernel_check(kernel, other, NULL, &again) == 0)
        fail(err, why.status, "%s: '%s' is legal", why.text, why.remedy);
    else if ((whole = legal_in_tiles(kernel, other)))
        fail(err, why.status, "%s, which needs tiles here: '%s' is legal", why.text,
             whole);
    else
        fail(err, why.status, "%s, which is not legal either: %s", why.text,
             text_behind(again.text, "the plan is not legal: "));
    free(whole);
    plan_free(other);
    return -1;
}

int context_plan(struct context *bench, struct error *err)
{
    const char *text = bench->settings->plan ? bench->settings->plan : "";
    struct plan *plan = NULL;
    if (plan_parse(text, &plan, err))
        return -1;
    int status = context_check(bench->kernel, plan, NULL, err);
    bench->plan = plan_text(plan);
    plan_free(plan);
    return status;
}

int context_toolchain(struct context *bench, struct error *err)
{
    const struct strvec *flags =
        bench->settings->flags.nr ? &bench->settings->flags : NULL;
    if (flags && flags_check(flags, err))
        return -1;
    char *compiler = first_compiler(bench->settings);
    int status = toolchain_find(compiler, flags, &bench->toolchain, err);
    free(compiler);
    return status;
}

static int given_caches(struct context *bench, struct error *err)
{
    const struct settings *settings = bench->settings;
    if (settings->line_bytes >= 0 &&
        cache_line_read(settings->line_bytes, &bench->geometry, err))
        return -1;
    return settings->cache ? cache_words_read(settings->cache, &bench->geometry, err) : 0;
}

/* The machine as if it had such lines: what is in flight is counted in them. */
static void use_line(struct context *bench)
{
    if (bench->geometry.line_bytes > 0)
        bench->machine.line_bytes = bench->geometry.line_bytes;
}

char *context_emitted(const struct context *bench)
{
    return xasprintf("%s/emitted%s", bench->scratch, kernel_ending(bench->kernel));
}

struct environment context_environment(const struct context *bench)
{
    const struct settings *settings = bench->settings;
    bool huge = bench->kernel && kernel_inputs_huge(bench->kernel);
    return (struct environment){.huge_pages = settings->pages == 1 || huge,
                                .start = (enum run_start)settings->start,
                                .background = (enum run_background)settings->background};
}

/* A call that does nothing takes a time, too, which would say nothing. Each point of a
 * sweep has sizes of its own. */
static int check_work(const struct context *bench, struct error *err)
{
    const struct settings *settings = bench->settings;
    struct quantity iterations = kernel_counts(bench->kernel).iterations;
    if (settings->sweep.nr || !iterations.known || iterations.value > 0)
        return 0;
    return fail(err, settings->words.nr ? STATUS_USAGE : STATUS_INPUT,
                "with these sizes no loop of '%s' runs even once: there is nothing to "
                "measure; give larger ones with --set",
                kernel_name(bench->kernel));
}

int context_live(struct context *bench, struct error *err)
{
    const struct settings *settings = bench->settings;
    if (given_caches(bench, err) || context_kernel(bench, true, err) ||
        check_work(bench, err) || context_plan(bench, err) ||
        context_toolchain(bench, err) ||
        rule_set_load_given(&settings->rules, &bench->rules, err) ||
        scratch_make(&bench->scratch, err))
        return -1;
    size_t copies = settings->cores > 0 ? (size_t)settings->cores : 0;
    bool elsewhere = remote_is_asked(settings);
    if (elsewhere ? context_remote_start(bench, &copies, err)
                  : context_machine(bench, err))
        return -1;
    use_line(bench);
    struct live_opts opts = {
        .kernel = bench->kernel,
        .machine = &bench->machine,
        .toolchain = &bench->toolchain,
        .budget_s = fmax(settings->budget_s, 0),
        .copies = copies,
        .elsewhere = elsewhere,
        .relative = settings->tolerance > 0 ? settings->tolerance : 0,
        .absolute = settings->tolerance_absolute > 0 ? settings->tolerance_absolute : 0,
        .minimum_of = settings->min_of > 0 ? (size_t)settings->min_of : 0,
        .geometry = &bench->geometry,
        .scratch = bench->scratch};
    if (live_new(&opts, &bench->live, err))
        return -1;
    bench->subject = live_subject(bench->live);
    bench->live_runner = bench->runner = live_runner(bench->live);
    return 0;
}

/* When the kernel as written is given up: where nobody said how long it may take, not
 * before it has had twice what smaller calls make expect. */
static double original_end_s(const struct settings *settings, const struct budget *budget)
{
    const double times = 2;
    double min_s = settings->budget_s > 0 ? 0 : times * budget->min_s;

    return budget->began_s + fmax(budget->seconds, min_s);
}

int context_budget(struct context *bench, bool tune, struct error *err)
{
    const struct settings *settings = bench->settings;
    struct budget *budget = &bench->budget;
    double first_s = settings->began_s > 0 ? settings->began_s : clock_s(),
           began_s = first_s;
    progress_say(&bench->progress, "checking how long a call takes");
    struct live_look look = bench->remote ? bench->look : live_look(bench->live);
    if (bench->remote) {
        live_take_look(bench->live, &look);
        began_s = clock_s(); /* waiting in a queue is no time of the search */
    }
    if (live_shorten(bench->live, budget_call_s(settings), &look, err))
        return -1;
    budget->began_s = began_s + (bench->remote ? 0 : bench->profile_s);
    budget->before_s = budget->began_s - first_s;
    budget_choose(settings, tune, &look, clock_s() - budget->began_s, budget);
    bench->progress.end_s = budget->began_s + budget->seconds;
    live_set_budget(bench->live, original_end_s(settings, budget), budget->seconds,
                    budget->trace_s, budget->trace_one_s);
    if (budget->shortage)
        progress_note(&bench->progress, "%s", budget->shortage);
    if (tune && settings->budget_s <= 0)
        progress_note(&bench->progress, "%s", budget->sentence);
    else
        progress_say(&bench->progress, "%s", budget->sentence);
    return bench->remote ? context_remote_open(bench, err) : 0;
}
