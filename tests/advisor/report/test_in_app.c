/* --in-app: the judgement of times that were made up, and builds and runs of a small
 * application, of which no time is judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/apply/check_items.h"
#include "advisor/cli/settings.h"
#include "advisor/report/report_view.h"
#include "core/process/spawn.h"
#include "observe/in_app/in_app_causes.h"
#include "observe/in_app/in_app_text.h"
#include "tests/check.h"

SUITE(advisor_in_app);

static struct quantity gain_of(double value, double low, double high)
{
    return quantity_between(value, low, high, 10, PROVENANCE_CLOCK);
}

/* ---- times ---- */

static void add_pairs(struct in_app_result *result, size_t nr, double gain, double noise)
{
    for (size_t i = 0; i < nr; i++) {
        double wobble = 1 + noise * ((double)(i % 5) - 2);
        struct in_app_pair pair = {{2 * wobble, 2 / gain}, {NAN, NAN}, NAN, NAN};
        in_app_add_pair(result, &pair);
    }
    in_app_judge(result);
}

TEST("noise is not claimed")
{
    static const struct {
        size_t pairs;
        double gain, noise;
        enum in_app_claim want;
    } cases[] = {
        {10, 1.2, 0.001, IN_APP_FASTER},   {10, 0.8, 0.001, IN_APP_SLOWER},
        {10, 1.02, 0.05, IN_APP_NO_CLAIM}, {10, 1.005, 0.0001, IN_APP_NO_CLAIM},
        {2, 1.5, 0, IN_APP_UNKNOWN},       {0, 1.5, 0, IN_APP_UNKNOWN},
        {3, 1.5, 0.001, IN_APP_FASTER},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct in_app_result result = {.end = IN_APP_MEASURED};
        add_pairs(&result, cases[i].pairs, cases[i].gain, cases[i].noise);
        check_eq(in_app_claim_of(result.program), cases[i].want);
        check_eq(in_app_claim_of(result.routine), IN_APP_UNKNOWN);
        in_app_result_release(&result);
    }
}

TEST("it ends when the interval is narrow")
{
    struct in_app_result result = {.end = IN_APP_MEASURED};
    add_pairs(&result, 5, 1.2, 0.0001);
    check(!in_app_is_enough(&result));
    add_pairs(&result, 1, 1.2, 0.0001);
    check(in_app_is_enough(&result));
    add_pairs(&result, 6, 1.2, 0.1);
    check(!in_app_is_enough(&result));
    in_app_result_release(&result);
}

TEST("the program gains as Amdahl says")
{
    struct quantity whole = in_app_amdahl(gain_of(0.5, 0.4, 0.6), gain_of(2, 1.5, 3));
    check_near(whole.value, 1 / 0.75, 1e-12);
    check_near(whole.low, 1 / (0.6 + 0.4 / 1.5), 1e-12);
    check_near(whole.high, 1 / (0.4 + 0.6 / 3), 1e-12);
    check(!in_app_amdahl(quantity_unknown(), gain_of(2, 1.5, 3)).known);
}

static void check_phrase(struct quantity gain, const char *want)
{
    char *got = in_app_gain_phrase(gain);
    check_str(got, want);
    free(got);
}

TEST("gains are put into words")
{
    check_phrase(gain_of(1.38, 1.35, 1.4), "1.38x as fast (95 % interval 1.35 to 1.4)");
    check_phrase(gain_of(1.005, 0.98, 1.03), "no change beyond noise: 0.98 to 1.03");
    check_phrase(gain_of(0.8, 0.7, 0.9),
                 "0.8x as fast (95 % interval 0.7 to 0.9), that is slower");
    check_phrase(quantity_unknown(), "not known");
}

/* ---- causes ---- */

TEST("differences are explained from evidence")
{
    static const struct {
        double cold; /* the gain alone with cold caches, +- 1 %; 0 = not tested */
        const char *says, *why;
    } cases[] = {
        {1.2, "which explains the difference", "explains it:"},
        {1.5, "which explains most of it", "the rest is not explained:"},
        {1.7, "which explains a part of it", "the rest is not explained:"},
        {1.99, "which does not explain it", "does not explain it beyond the noise:"},
        {2.4, "which is the other way round", "does not explain it beyond the noise:"},
        {1.0, "more than all of it", "does not explain it beyond the noise:"},
        {0, "not tested: it was too hot", "does not explain it beyond the noise:"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double cold = cases[i].cold;
        struct in_app_result result = {.end = IN_APP_MEASURED,
                                       .routine = gain_of(1.2, 1.15, 1.25)};
        in_app_add_cause(&result, "cache state",
                         cold > 0 ? gain_of(cold, cold * 0.99, cold * 1.01)
                                  : quantity_unknown(),
                         "alone its data was warm", cold > 0 ? NULL : "it was too hot");
        in_app_explain(&result, gain_of(2, 1.95, 2.05));
        check_contains(result.why, "1.2x in the application and 2x alone");
        check_contains(result.why, cases[i].why);
        check_contains(result.cause[0].says, cases[i].says);
        in_app_result_release(&result);
    }
}

TEST("all causes together decide")
{
    struct in_app_result result = {.end = IN_APP_MEASURED,
                                   .routine = gain_of(1.2, 1.15, 1.25)};

    in_app_add_cause(&result, "flags", gain_of(1.2, 1.19, 1.21), "less optimised", NULL);
    in_app_explain(&result, gain_of(2, 1.95, 2.05));
    check_contains(result.why, "What was tested explains it:");
    in_app_add_cause(&result, IN_APP_ALL_CAUSES, gain_of(2, 1.98, 2.02), "together",
                     NULL);
    in_app_explain(&result, gain_of(2, 1.95, 2.05));
    check_contains(result.why, "does not explain it beyond the noise:");
    check_contains(result.cause[0].says, "which explains the difference");
    in_app_result_release(&result);
}

TEST("small and uncertain differences need no words")
{
    check(!in_app_differs(gain_of(1.2, 1.19, 1.21), gain_of(1.12, 1.11, 1.13)));
    check(!in_app_differs(gain_of(1.5, 1.2, 1.8), gain_of(1.2, 1.1, 1.3)));
    check(in_app_differs(gain_of(1.5, 1.4, 1.6), gain_of(1.2, 1.1, 1.3)));
    check(in_app_differs(gain_of(1.2, 1.1, 1.3), gain_of(1.5, 1.4, 1.6)));
    check(!in_app_differs(quantity_unknown(), gain_of(1.5, 1.4, 1.6)));
}

/* ---- what is told ---- */

static struct in_app_result given_result(void)
{
    struct in_app_result result = {.end = IN_APP_MEASURED,
                                   .build = xstrdup("make -s"),
                                   .run = xstrdup("./app 30"),
                                   .root = xstrdup("/home/me/my app"),
                                   .date = xstrdup("2026-01-31T12:00:00Z"),
                                   .threads = 1};
    for (size_t i = 0; i < 6; i++) {
        double wobble = 1 + 0.001 * (double)i;
        struct in_app_pair pair = {{2 * wobble, 1.6}, {0.8 * wobble, 0.4}, 0.4, 0.45};
        in_app_add_pair(&result, &pair);
    }
    in_app_judge(&result);
    return result;
}

static void check_reported(const struct in_app_result *result, const char *name)
{
    struct buf text = {0};
    struct layout layout = layout_on(&text, false, 80);
    json_t *document = in_app_to_json(result, gain_of(3, 2.9, 3.1));
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/data/advisor/%s.txt", name);
    in_app_text(document, true, &layout);
    check_golden(path, buf_str(&text));
    buf_release(&text);
    json_decref(document);
    free(path);
}

TEST("gains are told side by side")
{
    struct in_app_result result = given_result();
    result.output = xstrdup("the outputs of the two differ in 1 line");
    in_app_add_cause(&result, "cache state", gain_of(2.9, 2.8, 3), "its data was warm",
                     NULL);
    in_app_add_cause(&result, "sharing", gain_of(2.05, 2, 2.1),
                     "alone it ran on 2 cores at once, in the application on 1", NULL);
    in_app_add_cause(&result, "flags", gain_of(2.5, 1.9, 3.3), "other flags", NULL);
    in_app_add_cause(&result, "inputs", quantity_unknown(), NULL,
                     "the application's are not known");
    in_app_explain(&result, gain_of(3, 2.9, 3.1));
    check_reported(&result, "in_app_measured");
    in_app_result_release(&result);
}

/* Of each gain what can be known of it. */
static struct quantity state_of(int state)
{
    struct quantity gain = gain_of(state == 1 ? 1.001 : 1.5, 0.98, 1.6);

    if (state == 3)
        return quantity_unknown();
    if (state == 0)
        gain.low = 1.4;
    gain.doubted = state == 2;
    return gain;
}

TEST("every combination of gains is a sentence")
{
    struct buf text = {0};

    for (int i = 0; i < 4 * 4 * 4; i++) {
        struct in_app_result result = given_result();

        result.program = state_of(i % 4 % 3);
        result.routine = state_of(i / 4 % 4);
        json_t *document = in_app_to_json(&result, state_of(i / 16));
        json_t *report = json_pack("{s:o}", "in_app", document);
        struct view view = {.report = report, .layout = layout_on(&text, false, 200)};
        char *phrase = in_app_gain_phrase(result.program);
        view_in_app_answer(&view);
        in_app_text(document, false, &view.layout);
        buf_addf(&text, "  phrase               the program %s\n", phrase);
        free(phrase);
        json_decref(report);
        in_app_result_release(&result);
    }
    check_golden(INFLIGHT_SOURCE_DIR "/tests/data/advisor/in_app_texts.txt",
                 buf_str(&text));
    buf_release(&text);
}

TEST("what is not claimed is said")
{
    struct in_app_result result = given_result();
    result.end = IN_APP_FAILED;
    result.sentence = xstrdup("the application with the tuned code fails");
    check_reported(&result, "in_app_failed");
    in_app_result_release(&result);
    result = given_result();
    for (size_t i = 0; i < 6; i++) {
        result.pair[i].routine_s[1] = NAN;
        result.pair[i].program_s[1] = 2 + 0.01 * (double)i - 0.02;
    }
    in_app_judge(&result);
    result.unsampled = xstrdup("no sample fell into 'turn'");
    check_reported(&result, "in_app_noise");
    in_app_result_release(&result);
}

TEST("records are checked for the application")
{
    struct check_items items = {0};
    struct record_in_app in_app = {.command = xstrdup("make && ./app"),
                                   .routine = quantity_unknown(),
                                   .program = gain_of(1.005, 0.99, 1.02),
                                   .pairs = 12,
                                   .date = xstrdup("2026-01-31T12:00:00Z")};
    check_in_app(&(struct record_in_app){0}, &items);
    check_eq(items.nr, 0);
    check_in_app(&in_app, &items);
    check_str(
        items.item[0].sentence,
        "recorded 2026-01-31 by 12 pairs of 'make && ./app': the routine not known; "
        "the whole program no change beyond noise: 0.99 to 1.02");
    check_contains(items.item[0].remedy, "no faster there beyond noise");
    in_app.program = gain_of(1.2, 1.1, 1.3);
    check_in_app(&in_app, &items);
    check(!items.item[1].remedy);
    free(in_app.command);
    free(in_app.date);
    check_items_release(&items);
}

TEST("flags are compared")
{
    static const char macros[] = "#define __OPTIMIZE__ 1\n#define __AVX2__ 1\n";
    struct strvec alone = {0}, facts = {0};
    strvec_split(&alone, "-O3 -march=native");
    strvec_split(&facts, "gcc-12 __OPTIMIZE__ NDEBUG");
    char *text = in_app_flags_differ(macros, &alone, &facts, "-march=x86-64 -O2");
    check_str(text, "the application is compiled with -O2 instead of -O3, without "
                    "__AVX2__ (-march=x86-64 -O2)");
    free(text);
    text = in_app_flags_differ(macros, &alone, &facts, NULL);
    check_str(text, "the application is compiled without __AVX2__");
    free(text);
    strvec_push(&facts, "__AVX2__");
    check(!in_app_flags_differ(macros, &alone, &facts, "-O3"));
    text = in_app_flags_guess(&facts);
    check_str(text, "-O2 -mavx2");
    free(text);
    strvec_release(&alone);
    strvec_release(&facts);
}

/* ---- an application ---- */

struct site {
    struct settings settings;
    struct progress progress;
    struct in_app app;
    struct in_app_result result;
    char *scratch, *root, *copies, *file;
    struct error err;
};

/* The application of tests/data/in_app, in a folder with a space in its name. */
static bool site_start(struct site *site, const char *command)
{
    *site = (struct site){.settings = {.in_app_budget_s = 100, .quiet = true}};
    if (!check_ok(scratch_make(&site->scratch, &site->err), &site->err))
        return false;
    site->root = path_join(site->scratch, "my app");
    site->copies = path_join(site->scratch, "copies");
    site->file = path_join(site->root, "src/turn.c");
    const char *const copy[] = {"cp", "-r", INFLIGHT_SOURCE_DIR "/tests/data/in_app",
                                site->root, NULL};
    struct spawn_request request = {.argv = copy};
    struct spawn_outcome outcome;
    bool good = check_ok(spawn_run(&request, &outcome, &site->err), &site->err) &&
                check_ok(dir_make_all(site->copies, &site->err), &site->err);
    spawn_outcome_release(&outcome);
    site->settings.file = site->file;
    site->settings.in_app = command;
    site->settings.in_app_dir = site->root;
    progress_start(&site->progress, true, false);
    return good;
}

static int site_prepare(struct site *site)
{
    return in_app_prepare(&site->app, &site->settings, &site->progress, site->copies,
                          "turn", &site->err);
}

static void site_release(struct site *site)
{
    in_app_release(&site->app);
    in_app_result_release(&site->result);
    free(site->root);
    free(site->copies);
    free(site->file);
    scratch_remove(site->scratch);
}

/* The source with something behind it. */
static int site_confirm(struct site *site, const char *more)
{
    struct buf text = {0};
    check_ok(file_read(site->file, &text, &site->err), &site->err);
    site->app.pairs_max = IN_APP_PAIRS_MIN;
    buf_add(&text, more);
    int status = in_app_confirm(&site->app, &text, &site->result, &site->err);
    buf_release(&text);
    return status;
}

/* The program prints the setting. */
TEST("each side runs in its own environment")
{
    static const char *const one[] = {"INFLIGHT_SIDE=one", NULL};
    static const char *const *const cases[][2] = {{NULL, NULL}, {one, one}, {NULL, one}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        if (site_start(&site, "make -s && ./app 1 2; echo $INFLIGHT_SIDE") &&
            check_ok(site_prepare(&site), &site.err)) {
            for (size_t side = 0; side < 2; side++)
                site.app.env[side] = cases[i][side];
            check_ok(site_confirm(&site, ""), &site.err);
            check_eq(site.result.end, IN_APP_MEASURED);
            check_eq(site.result.output != NULL, cases[i][0] != cases[i][1]);
        }
        site_release(&site);
    }
}

TEST("both are built and run in copies")
{
    struct site site;
    if (site_start(&site, "make -s && ./app 1 50") &&
        check_ok(site_prepare(&site), &site.err) &&
        check_ok(site_confirm(&site, ""), &site.err)) {
        check_eq(site.result.end, IN_APP_MEASURED);
        check(!site.result.sentence && !site.result.output);
        check(site.result.pair_nr == 3 && site.result.program.known);
        check(strvec_has(&site.result.facts[1], "__OPTIMIZE__"));
        char *built = path_join(site.root, "app");
        check(!file_exists(built)); /* the user's tree is as it was */
        free(built);
    }
    site_release(&site);
}

/* What goes wrong as it is ends the command before the search. */
TEST("what fails as it is is refused")
{
    static const struct {
        const char *command, *check, *want;
    } cases[] = {
        {"make nosuch && ./app 1", NULL, "does not build as it is in a copy"},
        {"make -s && ./app 0", NULL, "it ended with status 2"},
        {"make -s && kill -9 $$", NULL, "ended by signal 9"},
        {"make -s && ./app 1 50", "test -e nosuch", "the check 'test -e nosuch' fails"},
        {"make -s && true", NULL, "did not run what was built from the copy"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        if (site_start(&site, cases[i].command)) {
            site.settings.in_app_check = cases[i].check;
            check_fails(site_prepare(&site), &site.err, STATUS_FAILED, cases[i].want);
        }
        site_release(&site);
    }
}

TEST("what hangs is stopped")
{
    struct site site;
    if (site_start(&site, "make -s && sleep 1000")) {
        site.settings.in_app_budget_s = 0.5;
        check_fails(site_prepare(&site), &site.err, STATUS_FAILED,
                    "it had not ended after 1.5 s and was stopped");
    }
    site_release(&site);
}

/* A build that leaves the copy for the user's own folder. */
TEST("a build elsewhere is found out")
{
    struct site site;
    if (site_start(&site, NULL)) {
        char *command =
            xasprintf("cd '%s' && make -s && ./app 1 50 && make clean", site.root);
        site.settings.in_app = command;
        check_fails(site_prepare(&site), &site.err, STATUS_FAILED,
                    "uses paths of another place");
        free(command);
    }
    site_release(&site);
}

/* What is wrong with the tuned version is a result, and claims nothing. */
TEST("what the tuned code breaks is told")
{
    static const struct {
        const char *more, *want;
    } cases[] = {
        {"int broken(;\n", "src/turn.c:12:12: error"},
        {"extern void exit(int);\n"
         "__attribute__((constructor)) static void leave(void) { exit(7); }\n",
         "it ended with status 7"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        if (site_start(&site, "make -s && ./app 1 50") &&
            check_ok(site_prepare(&site), &site.err)) {
            check_ok(site_confirm(&site, cases[i].more), &site.err);
            check_eq(site.result.end, IN_APP_FAILED);
            check_contains(site.result.sentence, cases[i].want);
            check_contains(site.result.sentence, "no gain is claimed");
            check(!site.result.program.known);
        }
        site_release(&site);
    }
}

TEST("other output is counted")
{
    static const char more[] =
        "extern int puts(const char *);\n"
        "__attribute__((constructor)) static void say(void) { puts(\"new\"); }\n";
    struct site site;
    if (site_start(&site, "make -s && ./app 1 50") &&
        check_ok(site_prepare(&site), &site.err) &&
        check_ok(site_confirm(&site, more), &site.err)) {
        check_eq(site.result.end, IN_APP_MEASURED);
        check_contains(site.result.output, "differ in 2 lines");
    }
    site_release(&site);
}

/* Its own place and the time of its compilation, and a number that the tuned code rounds
 * otherwise. */
static const char told_c[] =
    "\n#include <stdio.h>\n"
    "#include <unistd.h>\n"
    "#ifndef LAST\n#define LAST 1\n#endif\n"
    "__attribute__((constructor)) static void told(void)\n"
    "{\n"
    "    char path[4096];\n"
    "    printf(\"%s %s %s\\n\", __DATE__, __TIME__, getcwd(path, sizeof(path)));\n"
    "    printf(\"e 1.234567890%d\\n\", LAST);\n"
    "}\n";

TEST("where and when a copy was built is no difference, and a tolerance is of numbers")
{
    static const struct {
        double tolerance;
        const char *says; /* NULL = nothing differs */
    } cases[] = {{-1, "agree to 10 digits, which --tolerance 1e-10 permits"},
                 {1e-12, "differ in 1 line"},
                 {1e-10, NULL}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        struct buf text = {0}, tuned = {0};
        bool good = site_start(&site, "make -s && ./app 1 50");

        site.settings.tolerance = cases[i].tolerance;
        check_ok(file_read(site.file, &text, &site.err), &site.err);
        buf_add(&text, told_c);
        check_ok(file_write(site.file, buf_str(&text), text.length, &site.err),
                 &site.err);
        buf_addf(&tuned, "#define LAST 2\n%s", buf_str(&text));
        if (good && check_ok(site_prepare(&site), &site.err)) {
            site.app.pairs_max = IN_APP_PAIRS_MIN;
            check_ok(in_app_confirm(&site.app, &tuned, &site.result, &site.err),
                     &site.err);
            check_eq(site.result.end, IN_APP_MEASURED);
            if (cases[i].says)
                check_contains(site.result.output, cases[i].says);
            else
                check(!site.result.output);
            check_eq(site.result.shown.digits, 10);
        }
        buf_release(&text);
        buf_release(&tuned);
        site_release(&site);
    }
}
