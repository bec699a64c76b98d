/* What to type next: whole commands, with the options that the session was given, which
 * work when they are pasted where the session ran. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/options.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"

/* Options that say what the kernel is and what may be done to it: tune and apply take
 * them. */
static const char *const of_kernel[] = {
    "inputs",  "function",    "set",     "buffer",           "assume",
    "tunable", "constraint",  "include", "compile-commands", "cflags",
    "build",   "reassociate", NULL};
/* Options of tune that say how it searches. */
static const char *const of_search[] = {"compiler",
                                        "flags",
                                        "flags-try",
                                        "try",
                                        "machine",
                                        "rules",
                                        "cores",
                                        "tolerance",
                                        "in-app",
                                        "in-app-dir",
                                        "variants",
                                        "tolerance-absolute",
                                        "seed",
                                        "in-app-check",
                                        "strategy",
                                        "in-app-budget",
                                        "no-record",
                                        "database",
                                        "on",
                                        "nodes",
                                        "partition",
                                        "account",
                                        "time",
                                        "node-constraint",
                                        "exclusive",
                                        "node-hours",
                                        "slurm-options",
                                        NULL};

static bool is_among(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name))
        list++;
    return *list;
}

/* ---- the words that the session was given ---- */

/* Appends the operands, and the options of the two lists with their arguments; flags of
 * the compiler behind -- go to `flags`. */
static void take_words(const json_t *words, bool search, struct strvec *out,
                       struct strvec *flags)
{
    size_t nr = json_array_size(words), i = 1;
    for (; i < nr; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        bool apart;
        if (!word || !strcmp(word, "--"))
            break;
        if (word[0] != '-' || !word[1]) {
            strvec_push(out, word);
            continue;
        }
        const struct option_row *row = option_of_word(NULL, word, &apart);
        if (!row)
            continue;
        bool taken =
            is_among(row->name, of_kernel) || (search && is_among(row->name, of_search));
        const char *next = json_string_value(json_array_get(words, i + 1));
        bool two = apart && next;
        if (taken)
            strvec_push(out, word);
        if (taken && two)
            strvec_push(out, next);
        i += two;
    }
    for (; i < nr; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        strvec_push(flags, word ? word : "");
    }
}

/* inflight `command` of the same kernel; `more` comes behind, NULL-terminated. */
static json_t *same_kernel(const json_t *report, const char *command, bool search,
                           const char *const *more)
{
    struct strvec words = {0}, flags = {0};
    strvec_push(&words, "inflight");
    strvec_push(&words, command);
    take_words(json_object_get(report, "command_line"), search, &words, &flags);
    for (; *more; more++)
        strvec_push(&words, *more);
    for (size_t i = 0; i < flags.nr; i++)
        strvec_push(&words, flags.v[i]);
    json_t *list = json_strvec(&words);
    strvec_release(&words);
    strvec_release(&flags);
    return list;
}

/* ---- the commands ---- */

static void add(json_t *next, const char *sentence, json_t *command)
{
    json_array_append_new(next, json_pack("{s:s, s:o}", "sentence", sentence, "command",
                                          command ? command : json_null()));
}

/* "gather_tuned.c", "gather_tuned.cpp", in the folder one is in. */
static char *tuned_name(const json_t *report)
{
    const char *file = path_base(report_word(json_object_get(report, "kernel"), "file")),
               *dot = strrchr(file, '.');
    return xasprintf("%.*s_tuned%s", (int)(dot ? (size_t)(dot - file) : strlen(file)),
                     file, dot ? dot : ".c");
}

/* Not so with --patch, which writes a difference. */
static bool is_source(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return false;
}

/* Twice the budget, and twice what the kernel as written takes alone, in whole seconds.
 */
static char *longer_budget(const json_t *report)
{
    const json_t *budget = json_object_get(report, "budget");
    double seconds =
        fmax(report_figure(budget, "seconds"), report_figure(budget, "least_s"));
    return seconds > 0 ? xasprintf("%.0fs", ceil(2 * seconds)) : xstrdup("5m");
}

static void next_of_tune(const json_t *report, const char *tuned, json_t *next)
{
    const char *file = report_word(json_object_get(report, "kernel"), "file"),
               *plan = report_word(json_object_get(report, "best"), "plan"),
               *output = report_word(report, "output");
    char *budget = longer_budget(report);
    const char *const apply[] = {"--plan", plan, "-o", tuned, NULL},
                      *const longer[] = {"-o", tuned, "--budget", budget, NULL},
                      *const audit[] = {"--audit", "--budget", budget, NULL};
    const char *const diff[] = {"diff", "-u", file, output}, *const show[] = {"cat",
                                                                              output};
    if (*plan && *output)
        add(next, "To see what was changed:",
            is_source(output) ? json_strings(diff, 4) : json_strings(show, 2));
    else if (*plan)
        add(next, "To write this version:", same_kernel(report, "apply", false, apply));
    else if (report_true(report, "used_up"))
        add(next, "The budget ended before everything was tried. With more time:",
            same_kernel(report, "tune", true, longer));
    else
        add(next, "To measure what the rules left out, too:",
            same_kernel(report, "tune", true, audit));
    free(budget);
}

static void next_evidence(const json_t *report, json_t *next)
{
    long long session = json_integer_value(json_object_get(report, "session"));
    const char *database = report_word(report, "database");
    char *number = xasprintf("%lld", session);
    const char *const words[] = {"inflight",   "report",     number,
                                 "--evidence", "--database", database};
    if (session > 0 && !report_true(report, "interrupted"))
        add(next, "The figures, plans and rules behind all this:",
            json_strings(words, *database ? 6 : 4));
    free(number);
}

json_t *report_next(const json_t *report)
{
    json_t *next = json_array();
    char *tuned = tuned_name(report);
    const char *const tune[] = {"-o", tuned, NULL};
    if (report_true(report, "interrupted"))
        add(next,
            "The same command continues where this one stopped (--fresh starts over, "
            "--evidence adds the figures).",
            NULL);
    else if (report_is_advice(report))
        add(next,
            report_true(report_first_untried(report), "by_hand")
                ? "To try what can be done without a person:"
                : "To try the advice:",
            same_kernel(report, "tune", true, tune));
    else
        next_of_tune(report, tuned, next);
    next_evidence(report, next);
    free(tuned);
    return next;
}
