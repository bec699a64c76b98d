/* The examples, from an installed package: built without a record, tuned, built with it,
 * checked, run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/files/json.h"
#include "tests/check.h"

SUITE(advisor_examples);

struct place {
    char *dir, *prefix;
    struct strvec env;
    struct error err;
};

static int run(struct place *place, const char *below, const char *args,
               struct buf *output)
{
    struct strvec argv = {0};
    struct spawn_outcome outcome = {0};
    char *dir = path_join(place->dir, below);

    strvec_split(&argv, args);
    check_ok(
        spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                          .env_extra = (const char *const *)place->env.v,
                                          .dir = dir,
                                          .timeout_s = PATIENCE_S},
                  &outcome, &place->err),
        &place->err);
    buf_add(output, buf_str(&outcome.out));
    buf_add(output, buf_str(&outcome.err));
    int code = outcome.end == SPAWN_EXITED ? outcome.code : -1;
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    free(dir);
    return code;
}

/* Fails with what was said. */
static void must(struct place *place, const char *below, const char *args,
                 const char *want)
{
    struct buf output = {0};

    if (!check_eq(run(place, below, args, &output), 0) || *want)
        check_contains(buf_str(&output), want);
    if (!*want && strstr(buf_str(&output), "Error"))
        check_str(buf_str(&output), args);
    buf_release(&output);
}

/* The plan that the record has for this machine is kept by the report, too: neither holds
 * one that the other does not, but for a gain that is not certain. */
static void check_record(struct place *place, const char *below, const char *record)
{
    struct buf output = {0};
    char *show = xasprintf("'%s/bin/inflight' report --json", place->prefix),
         *folder = path_join(place->dir, below), *path = path_join(folder, record);

    check_eq(run(place, below, show, &output), 0);
    json_t *report = json_loads(buf_str(&output), JSON_DISABLE_EOF_CHECK, NULL),
           *kept = json_load_file(path, 0, NULL),
           *gain = json_object_get(report, "source_gain");
    json_t *plan =
        json_object_get(json_array_get(json_object_get(kept, "machines"), 0), "plan");
    const char *kind =
        json_string_value(json_object_get(json_object_get(report, "verdict"), "kind"));
    bool sure = !strcmp(kind ? kind : "", "faster") &&
                !json_is_false(json_object_get(gain, "believed")) &&
                json_number_value(json_object_get(gain, "low")) > 1;
    check(report && json_is_string(plan));
    check_eq(json_string_length(plan) > 0, sure);
    json_decref(report);
    json_decref(kept);
    free(path);
    free(folder);
    free(show);
    buf_release(&output);
}

/* The package in a folder of its own, with no profile but a shipped one: nothing is
 * measured to make one. */
static bool place_start(struct place *place)
{
    *place = (struct place){0};
    if (!check_ok(scratch_make(&place->dir, &place->err), &place->err))
        return false;
    place->prefix = path_join(place->dir, "usr");
    strvec_pushf(&place->env, "HOME=%s", place->dir);
    strvec_pushf(&place->env, "XDG_CACHE_HOME=%s/cache", place->dir);
    strvec_pushf(&place->env, "INFLIGHT_DATABASE=%s/sessions.db", place->dir);
    strvec_pushf(&place->env, "INFLIGHT_DATA=%s/share/inflight", place->prefix);
    strvec_pushf(&place->env, "INFLIGHT_PROFILE=%s/core/machine/profiles/skl.json",
                 INFLIGHT_SOURCE_DIR);
    strvec_pushf(&place->env, "PKG_CONFIG_PATH=%s/share/pkgconfig", place->prefix);
    char *install = xasprintf("'" CMAKE_PROGRAM "' --install '" INFLIGHT_BINARY_DIR
                              "' --prefix '%s'",
                              place->prefix),
         *copy = xasprintf("cp -r '" INFLIGHT_SOURCE_DIR "/examples' '%s'", place->dir);
    must(place, ".", install, "inflight.mk");
    must(place, ".", copy, "");
    /* as a machine that no record knows */
    must(place, "examples", "find . -name *.inflight.* -delete", "");
    free(install);
    free(copy);
    return true;
}

static void place_end(struct place *place)
{
    strvec_release(&place->env);
    free(place->prefix);
    scratch_remove(place->dir);
}

TEST("the cmake example is tuned")
{
    static const char folder[] = "examples/cmake-stencil";
    static const char heat[] = "heat in the middle 1.591554, in all 1000.000000\n";
    struct place place;

    if (!place_start(&place))
        return;
    char *configure = xasprintf("'" CMAKE_PROGRAM "' -S . -B b -DCMAKE_PREFIX_PATH='%s' "
                                "-DHEAT_N=200 -DHEAT_BUDGET=1s",
                                place.prefix);
    must(&place, folder, configure, "");
    must(&place, folder, "'" CMAKE_PROGRAM "' --build b", "there is no record");
    must(&place, folder, "b/heat", heat);
    must(&place, folder, "'" CMAKE_PROGRAM "' --build b --target inflight-tune",
         "step.inflight.json'");
    check_record(&place, folder, "src/step.inflight.json");
    must(&place, folder, "'" CMAKE_PROGRAM "' --build b", "");
    must(&place, folder, "b/heat", heat);
    must(&place, folder, "'" CMAKE_PROGRAM "' --build b --target inflight-check",
         "good   source");
    free(configure);
    place_end(&place);
}

static bool has_make(void)
{
    struct place none = {.dir = xstrdup("/")};
    struct buf output = {0};
    bool found = run(&none, ".", "make --version", &output) == 0 &&
                 run(&none, ".", "pkg-config --version", &output) == 0;

    buf_release(&output);
    free(none.dir);
    return found;
}

TEST("the make example is tuned")
{
    static const char folder[] = "examples/make-gather", sum[] = "sum 49974501.0\n";
    static const char small[] = "N=4000 M=2000 BUDGET=1s";
    struct place place;

    if (!has_make()) {
        check_skip("make or pkg-config is not installed");
        return;
    }
    if (!place_start(&place))
        return;
    char *tune = xasprintf("make %s inflight-tune", small),
         *check = xasprintf("make %s inflight-check", small);
    must(&place, folder, "make", "there is no record");
    must(&place, folder, "build/lookup", sum);
    must(&place, folder, tune, "gather.inflight.json'");
    check_record(&place, folder, "src/gather.inflight.json");
    must(&place, folder, "make", "");
    must(&place, folder, "build/lookup", sum);
    must(&place, folder, check, "good   source");
    free(tune);
    free(check);
    place_end(&place);
}
