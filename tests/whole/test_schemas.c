/* docs/schemas against what is shipped, kept and printed: one run of the validator of
 * python3-jsonschema over all good documents, one over as many broken ones. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "tests/advisor/place.h"

SUITE(advisor_schemas);

#ifndef INFLIGHT_JSONSCHEMA
#define INFLIGHT_JSONSCHEMA ""
#endif

#define SCHEMAS INFLIGHT_SOURCE_DIR "/docs/schemas"
#define ROOFS   INFLIGHT_SOURCE_DIR "/examples/roofline/"

static bool no_validator(void)
{
    if (*INFLIGHT_JSONSCHEMA)
        return false;
    check_skip("jsonschema is not installed (Debian: python3-jsonschema)");
    return true;
}

/* "file:///a/b%20c/" */
static char *base_uri(void)
{
    struct buf uri = {0};

    buf_add(&uri, "file://");
    for (const char *c = SCHEMAS; *c; c++)
        if (strchr(" %#?", *c))
            buf_addf(&uri, "%%%02X", (unsigned)*c);
        else
            buf_add_n(&uri, c, 1);
    buf_add(&uri, "/");
    return buf_detach(&uri);
}

/* What the validator says, a line for each breach: "path: sentence". */
static void validate(const struct strvec *paths, struct spawn_outcome *outcome)
{
    struct error err = {0};
    struct strvec argv = {0};
    struct spawn_request request = {.timeout_s = PATIENCE_S};
    char *base;

    *outcome = (struct spawn_outcome){0};
    base = base_uri();
    strvec_push(&argv, INFLIGHT_JSONSCHEMA);
    strvec_push(&argv, "--base-uri");
    strvec_push(&argv, base);
    strvec_push(&argv, "--error-format");
    strvec_push(&argv, "{file_name}: {error.json_path}: {error.message:.200}\n");
    for (size_t i = 0; i < paths->nr; i++) {
        strvec_push(&argv, "--instance");
        strvec_push(&argv, paths->v[i]);
    }
    strvec_push(&argv, SCHEMAS "/any.json");
    request.argv = (const char *const *)argv.v;
    check_ok(spawn_run(&request, outcome, &err), &err);
    strvec_release(&argv);
    free(base);
}

/* ---- documents ---- */

/* The folders in which every *.json is meant to be one of ours. */
static const char *const kept[] = {"core/machine/profiles",
                                   "tests/data/machine",
                                   "tests/data/counts",
                                   "tests/data/advisor/series",
                                   "tests/data/rules",
                                   "rules",
                                   "tests/data/advisor/schemas",
                                   "tests/data/advisor/html",
                                   "core/machine/data",
                                   "machines/cpus",
                                   "observe/data",
                                   "rules/metrics",
                                   "tests/data/advisor/metrics",
                                   "tests/data/metrics/engine",
                                   "examples/roofline"};

static void add_kept(struct strvec *paths)
{
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
        char *dir = path_join(INFLIGHT_SOURCE_DIR, kept[i]);
        struct dirent **names = NULL;
        int nr = place_list(dir, &names);

        for (int k = 0; k < nr; k++) {
            const char *ending = strrchr(names[k]->d_name, '.');

            if (ending && !strcmp(ending, ".json"))
                strvec_pushf(paths, "%s/%s", dir, names[k]->d_name);
            free(names[k]);
        }
        free(names);
        free(dir);
    }
}

/* What the program prints, in this order: later ones read what earlier ones kept. */
static const char *const printed[] = {
    "show transpose.c --json",
    "show versions.c --function plain --json",
    "doctor --json",
    "rules --json",
    "rules prefetch_l2 --json",
    "rules --metrics --json",
    "metrics --list --json",
    "metrics --list --cpu skylake-sp --json",
    "metrics --counts counts.csv --counts counts.csv --cpu skylake-sp --machine skl "
    "--json",
    "metrics --counts '" ROOFS "cloverleaf.json' --counts '" ROOFS
    "nbody-simd.json' --cpu skylake-sp --machine '" ROOFS "clx-8260.json' --json",
    "metrics --json -- true",
    "rules --transformations --json",
    "rules --test saved.json --json",
    "machine --list --json",
    "machine --show spr-mn5 --json",
    "advise --machine skl --bandwidth 106.9GB/s --access random --json",
    "advise --machine skl --bandwidth 100GB/s --access 0.3 --what-if l1_mshrs=24 --json",
    "advise --counts counts.csv --machine skl --access random --json",
    "advise --counts counted_core.json --machine skl --access random --json",
    "advise --measurement saved.json --json",
    "advise --samples solver.json --machine skl --json",
    "measure two.c:8 --set n=1000 --machine skl --cores 1 -q --save kept.json --json",
    "measure two.c:8 --machine skl --cores 1 -q --sweep n=1000,2000 --json",
    "compare versions.c:plain versions.c:doubled --machine skl --cores 1 -q --budget 1s "
    "--json",
    "tune versions.c --function plain --machine skl --cores 1 -q --budget 20s "
    "--variants 3 --audit --try schedule,threads --save space.json "
    "--build-record versions.inflight.json --json",
    "profile --machine skl --access random --json -- '" INFLIGHT_BINARY_DIR
    "/inflight_region_program' threads",
    "profile --json -- true",
    "check versions.inflight.json --machine skl --cores 1 -q --budget 1s --json",
    "tune --replay space.json --json",
    "rules --record --json",
    "import results.json",
    "report --json",
    "report --list --json",
    "export",
    "profile --timeline 10ms --json -- sleep 0.2",
    "profile --timeline 10ms --list --json",
};

/* Those of them that are files as well. */
static const char *const written[] = {"kept.json", "space.json", "saved.json",
                                      "rules_cases.json", "versions.inflight.json"};

static void print_one(struct place *place, const char *args, const char *name)
{
    struct spawn_outcome outcome = {0};
    char *path = path_join(place->work, name);

    place_run(place, args, &outcome);
    if (outcome.code != 0) {
        char *what =
            xasprintf("%s: status %d, %s", args, outcome.code, buf_str(&outcome.err));
        check_str(what, "status 0 and a document");
        free(what);
    }
    check_ok(file_write(path, buf_str(&outcome.out), outcome.out.length, &place->err),
             &place->err);
    free(path);
    spawn_outcome_release(&outcome);
}

static void add_printed(struct place *place, struct strvec *paths)
{
    for (size_t i = 0; i < ARRAY_SIZE(printed); i++) {
        char *name = xasprintf("printed_%zu.json", i);

        print_one(place, printed[i], name);
        if (strstr(printed[i], "--json") || !strcmp(printed[i], "export"))
            strvec_pushf(paths, "%s/%s", place->work, name);
        free(name);
    }
    for (size_t i = 0; i < ARRAY_SIZE(written); i++)
        strvec_pushf(paths, "%s/%s", place->work, written[i]);
}

/* ---- what must be refused ---- */

enum damage { NO_SCHEMA, OTHER_VERSION, UNKNOWN_KEY, KEY_MISSING, OTHER_TYPE, DAMAGE_NR };

/* The last key: the first one is the schema. */
static const char *last_key(json_t *document)
{
    const char *key, *last = NULL;
    json_t *value;

    json_object_foreach(document, key, value) {
        last = key;
    }
    return last;
}

/* What is not read without one of the keys that all documents of a kind have. */
static const char *const needed[] = {
    "sources", "columns",  "definitions", "plan",      "levels",   "rules",  "cases",
    "events",  "points",   "machine",     "findings",  "loops",    "rows",   "tries",
    "results", "profiles", "sessions",    "recognise", "machines", "numbers"};

static bool damage(json_t *document, enum damage how)
{
    const char *key;
    json_t *other;

    switch (how) {
    case NO_SCHEMA:
        return json_object_del(document, "schema") == 0;
    case OTHER_VERSION:
        return json_object_set_new(document, "schema", json_string("inflight.x/99")) == 0;
    case UNKNOWN_KEY:
        return json_object_set_new(document, "frobnicate", json_true()) == 0;
    case OTHER_TYPE:
        key = last_key(document);
        other = json_is_string(json_object_get(document, key)) ? json_true()
                                                               : json_string("many");
        return json_object_set_new(document, key, other) == 0;
    default:
        for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
            if (json_object_del(document, needed[i]) == 0)
                return true;
        return false;
    }
}

static void add_broken(const struct place *place, const struct strvec *good,
                       struct strvec *paths)
{
    for (size_t i = 0; i < good->nr; i++)
        for (int how = 0; how < DAMAGE_NR; how++) {
            json_error_t syntax;
            json_t *document = json_load_file(good->v[i], 0, &syntax);

            if (document && damage(document, (enum damage)how)) {
                strvec_pushf(paths, "%s/broken_%d_%zu.json", place->work, how, i);
                check_eq(json_dump_file(document, paths->v[paths->nr - 1], 0), 0);
            }
            json_decref(document);
        }
}

static void check_refused(const struct strvec *broken, const char *output)
{
    for (size_t i = 0; i < broken->nr; i++)
        if (!strstr(output, broken->v[i])) {
            char *what = xasprintf("%s is taken", broken->v[i]);

            check_str(what, "refused");
            free(what);
        }
}

TEST("documents are what the schemas say")
{
    struct place place = {0};
    struct strvec good = {0}, broken = {0};
    struct spawn_outcome outcome = {0};

    if (no_validator())
        return;
    place_make(&place);
    add_kept(&good);
    add_printed(&place, &good);
    validate(&good, &outcome);
    check_str(buf_str(&outcome.err), "");
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
    add_broken(&place, &good, &broken);
    check(broken.nr > 4 * good.nr);
    validate(&broken, &outcome);
    check_refused(&broken, buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    strvec_release(&broken);
    strvec_release(&good);
    place_drop(&place);
}

/* What nobody dispatches to is forgotten. */
TEST("every schema is reached")
{
    struct dirent **names = NULL;
    struct buf any = {0};
    struct error err = {0};
    int nr = place_list(SCHEMAS, &names);

    check_ok(file_read(SCHEMAS "/any.json", &any, &err), &err);
    for (int i = 0; i < nr; i++) {
        if (strcmp(names[i]->d_name, "any.json") &&
            strcmp(names[i]->d_name, "common.json"))
            check_contains(buf_str(&any), names[i]->d_name);
        free(names[i]);
    }
    free(names);
    buf_release(&any);
}
