#include "observe/in_app/in_app_causes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "search/live/live.h"
#include "search/space/space.h"

static const double test_min_s = 2, test_max_s = 5; /* of pairs, for one cause */

struct testing {
    struct context *bench;
    const struct in_app_alone *alone;
    struct in_app_result *result;
    struct environment known; /* how the application is known to differ */
    size_t copies;            /* likewise; 0 = it runs on as many cores */
    size_t known_nr;
};

/* The two in turn, under another condition. */
static int time_both(struct testing *testing, const struct environment environment[2],
                     struct quantity *gain, struct error *err)
{
    bool verified = false;
    double given = testing->bench->settings->in_app_budget_s;
    double test_s =
        given > 0 ? fmax(test_min_s, fmin(test_max_s, given / 5)) : test_max_s;
    *gain = quantity_unknown();
    return live_compare_file(testing->bench->live, testing->alone->source, NULL,
                             environment, test_s, gain, &verified, err);
}

static int test(struct testing *testing, const char *name, const char *what,
                const struct environment *change, struct error *err)
{
    const struct environment environment[2] = {
        environment_with(&testing->alone->environment[0], change),
        environment_with(&testing->alone->environment[1], change)};
    struct error why = {0};
    struct quantity gain;
    if (spawn_interrupted())
        return fail(err, STATUS_FAILED, "interrupted");
    progress_say(&testing->bench->progress, "why the gains differ: %s", name);
    if (time_both(testing, environment, &gain, &why) && spawn_interrupted())
        return fail(err, STATUS_FAILED, "interrupted");
    in_app_add_cause(testing->result, name, gain, what,
                     gain.known    ? NULL
                     : why.text[0] ? why.text
                                   : "the two could not be timed that way");
    return 0;
}

static void leave_out(struct testing *testing, const char *name, const char *why)
{
    in_app_add_cause(testing->result, name, quantity_unknown(), NULL, why);
}

/* ---- caches ---- */

static int test_caches(struct testing *testing, struct error *err)
{
    const struct environment cold = {.start = RUN_START_COLD_DATA};
    return test(testing, "cache state",
                "alone a call finds what the call before left in the caches, in the "
                "application other code may run in between; with none of its data there",
                &cold, err);
}

/* ---- sharing ---- */

static int test_sharing(struct testing *testing, struct error *err)
{
    struct live *live = testing->bench->live;
    size_t copies = live_copies(live), threads = testing->result->threads;
    if (threads == 0 || threads == copies) {
        leave_out(
            testing, "sharing",
            threads > 1
                ? "the application runs it on as many cores as it ran alone, but in "
                  "threads that may share what each copy had for itself alone"
            : threads ? "the application runs it on one core, as it ran alone"
                      : "on how many cores the application runs it is not known");
        return 0;
    }
    if (threads > copies) {
        leave_out(testing, "sharing",
                  "the application runs it in more threads than there were copies alone");
        return 0;
    }
    char *what = xasprintf("alone it ran on %zu cores at once, in the application on %zu",
                           copies, threads);
    const struct environment same = {0};
    testing->copies = threads;
    testing->known_nr++;
    int status =
        live_rebind(live, threads, err) || test(testing, "sharing", what, &same, err);
    free(what);
    return live_rebind(live, 0, status ? NULL : err) || status ? -1 : 0;
}

/* ---- pages ---- */

static int test_pages(struct testing *testing, struct error *err)
{
    const struct environment huge = {.huge_pages = true};
    bool alone_huge = testing->alone->environment[1].huge_pages,
         here = !strcmp(memory_thp_mode(), "always");
    if (!alone_huge && here) {
        testing->known.huge_pages = true;
        testing->known_nr++;
        return test(
            testing, "pages",
            "alone the arrays had small pages, here the kernel gives huge ones to "
            "large arrays",
            &huge, err);
    }
    if (alone_huge && !here) {
        struct in_app_alone small = *testing->alone;
        struct testing without = *testing;
        small.environment[0].huge_pages = small.environment[1].huge_pages = false;
        without.alone = &small;
        return test(&without, "pages",
                    "alone the arrays had huge pages, which the application does not get",
                    &(struct environment){0}, err);
    }
    leave_out(testing, "pages", "both have the same kind of pages, as far as is known");
    return 0;
}

/* ---- compiler and flags ---- */

static bool defines(const char *macros, const char *name)
{
    char *line = xasprintf("#define %s ", name);
    bool found = strstr(macros, line) != NULL;
    free(line);
    return found;
}

/* The last -O that is given; "-O0" without one. */
static char *level_of(const struct strvec *flags)
{
    const char *level = "-O0";
    for (size_t i = 0; i < flags->nr; i++)
        if (!strncmp(flags->v[i], "-O", 2))
            level = flags->v[i];
    return xstrdup(level);
}

static void add_level(const struct strvec *alone, const char *flags, struct buf *out)
{
    struct strvec theirs = {0};
    if (!flags)
        return;
    strvec_split(&theirs, flags);
    char *here = level_of(alone), *there = level_of(&theirs);
    if (strcmp(here, there))
        buf_addf(out, "with %s instead of %s", there, here);
    free(here);
    free(there);
    strvec_release(&theirs);
}

/* Those that decide about the code; whether assertions are in is the file's own affair.
 */
static void add_macros(const char *macros, const struct strvec *facts, struct buf *out)
{
    const char *name;
    for (size_t i = 0; (name = app_mark_macro(i)); i++) {
        bool here = defines(macros, name), there = strvec_has(facts, name);
        if (here != there && strcmp(name, "NDEBUG") && strcmp(name, "_OPENMP"))
            buf_addf(out, "%s%s %s", out->length ? ", " : "", there ? "with" : "without",
                     name);
    }
}

char *in_app_flags_differ(const char *macros, const struct strvec *alone,
                          const struct strvec *facts, const char *flags)
{
    struct buf out = {0};
    add_level(alone, flags, &out);
    add_macros(macros, facts, &out);
    char *text = out.length
                     ? xasprintf("the application is compiled %s%s%s%s", buf_str(&out),
                                 flags ? " (" : "", flags ? flags : "", flags ? ")" : "")
                     : NULL;
    buf_release(&out);
    return text;
}

char *in_app_flags_guess(const struct strvec *facts)
{
    static const struct {
        const char *macro, *flag;
    } known[] = {{"__OPTIMIZE__", "-O2"},      {"__FAST_MATH__", "-ffast-math"},
                 {"__SSE4_2__", "-msse4.2"},   {"__AVX__", "-mavx"},
                 {"__FMA__", "-mfma"},         {"__AVX2__", "-mavx2"},
                 {"__AVX512F__", "-mavx512f"}, {"_OPENMP", "-fopenmp"}};
    struct strvec flags = {0};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strvec_has(facts, known[i].macro))
            strvec_push(&flags, known[i].flag);
    if (!flags.nr)
        strvec_push(&flags, "-O0");
    char *text = strvec_join(&flags, " ");
    strvec_release(&flags);
    return text;
}

static int test_flags(struct testing *testing, struct error *err)
{
    struct context *bench = testing->bench;
    const struct in_app_result *result = testing->result;
    struct buf macros = {0};
    struct environment change = {0};
    int status = kernel_macros(bench->kernel, &bench->toolchain, &macros, err);
    char *flags = result->flags ? xstrdup(result->flags)
                                : in_app_flags_guess(&result->facts[1]),
         *what = status ? NULL
                        : in_app_flags_differ(buf_str(&macros), &bench->toolchain.flags,
                                              &result->facts[1], result->flags);
    if (!status && !what)
        leave_out(testing, "flags",
                  result->flags ? "the application is compiled in the same way"
                                : "no difference is known; debug information (gcc -g) "
                                  "would tell the flags");
    else if (!status && strlen(flags) >= sizeof(change.flags))
        leave_out(testing, "flags", "they are too many to be tried");
    else if (!status) {
        snprintf(change.flags, sizeof(change.flags), "%s", flags);
        snprintf(testing->known.flags, sizeof(testing->known.flags), "%s", flags);
        testing->known_nr++;
        status = test(testing, "flags", what, &change, err);
    }
    buf_release(&macros);
    free(flags);
    free(what);
    return status;
}

/* ---- all that is known ---- */

static int test_together(struct testing *testing, struct error *err)
{
    struct live *live = testing->bench->live;
    if (testing->known_nr < 2)
        return 0;
    int status =
        live_rebind(live, testing->copies, err) ||
        test(testing, IN_APP_ALL_CAUSES,
             "with as many cores, the pages and the flags of the application together",
             &testing->known, err);
    return live_rebind(live, 0, status ? NULL : err) || status ? -1 : 0;
}

/* ---- what cannot be tested ---- */

static void leave_out_rest(struct testing *testing)
{
    leave_out(
        testing, "inputs",
        testing->bench->settings->inputs
            ? "the kernel alone had those of one call in the application "
              "(--inputs); other calls may have others"
            : "alone the sizes and contents are those of the source's pragmas and of "
              "--set and --buffer; with which ones the application calls it was not "
              "recorded here ('inflight capture' does, for --inputs)");
    leave_out(testing, "inlining",
              "whether the compiler merged it with its callers was not looked at");
}

int in_app_causes(struct context *bench, const struct in_app_alone *alone,
                  struct in_app_result *result, struct error *err)
{
    struct testing testing = {.bench = bench, .alone = alone, .result = result};
    if (!in_app_differs(alone->gain, result->routine))
        return 0;
    int status = test_caches(&testing, err) || test_sharing(&testing, err) ||
                 test_pages(&testing, err) || test_flags(&testing, err) ||
                 test_together(&testing, err);
    if (!status)
        leave_out_rest(&testing);
    in_app_explain(result, alone->gain);
    return status ? -1 : 0;
}
