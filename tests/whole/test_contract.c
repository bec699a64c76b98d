/*
 * What the world outside relies on, recorded: commands and options (data/contract/
 * options.txt), the schemas of documents (schemas.txt), the C that plans become
 * (emitted.txt), and the way of guided searches over the recorded spaces (searches.txt).
 * Changes of the house within leave both as they are; who means to change them runs the
 * suite with UPDATE_GOLDEN and reads the difference.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/search_trial.h"
#include "core/files/hash.h"
#include "rules/rules.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "tests/advisor/place.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(contract);

#define CONTRACT INFLIGHT_SOURCE_DIR "/tests/data/contract/"

static void add_hash(const char *text, struct buf *out)
{
    struct hash hash = hash_begin();

    hash_text(&hash, text);
    char *hex = hash_hex_short(&hash);
    buf_add(out, hex);
    free(hex);
}

/* ---- the command line ---- */

/* "tune: --budget TIME": what stands before the sentence of an option. */
static void add_options(const char *command, const char *help, struct buf *out)
{
    for (const char *line = help; line; line = strchr(line + 1, '\n')) {
        const char *word = line + strspn(line, "\n "), *end = strstr(word, "  ");
        size_t length = strcspn(word, "\n");

        if (*word != '-' || word - line > 7)
            continue;
        if (end && (size_t)(end - word) < length)
            length = (size_t)(end - word);
        buf_addf(out, "%s: %.*s\n", command, (int)length, word);
    }
}

TEST("commands keep their options")
{
    static const char *const commands[] = {
        "tune",  "advise", "measure", "profile", "metrics", "compare",
        "show",  "apply",  "check",   "capture", "machine", "report",
        "rules", "export", "import",  "doctor",  "outline"};
    struct place place = {0};
    struct buf now = {0};

    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        struct spawn_outcome outcome = {0};
        char *words = xasprintf("%s --help-all", commands[i]);

        place_run(&place, words, &outcome);
        check_eq(outcome.code, 0);
        add_options(commands[i], buf_str(&outcome.out), &now);
        spawn_outcome_release(&outcome);
        free(words);
    }
    check_golden(CONTRACT "options.txt", buf_str(&now));
    buf_release(&now);
    place_drop(&place);
}

/* ---- documents ---- */

TEST("schemas stay")
{
    static const char folder[] = INFLIGHT_SOURCE_DIR "/docs/schemas";
    struct dirent **entry = NULL;
    struct buf now = {0};
    struct error err = {0};
    int nr = place_list(folder, &entry);

    for (int i = 0; i < nr; i++) {
        char *path = path_join(folder, entry[i]->d_name);
        struct buf text = {0};

        check_ok(file_read(path, &text, &err), &err);
        add_hash(buf_str(&text), &now);
        buf_addf(&now, " %s\n", entry[i]->d_name);
        buf_release(&text);
        free(path);
        free(entry[i]);
    }
    free(entry);
    check_golden(CONTRACT "schemas.txt", buf_str(&now));
    buf_release(&now);
}

/* ---- the C of plans ---- */

static struct kernel *open_kernel(const char *name)
{
    struct kernel_request request = {0};
    struct kernel *kernel = NULL;
    struct error err = {0};
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/kernels/%s.c", name);

    request.path = path;
    check_ok(kernel_open(&request, &kernel, &err), &err);
    free(path);
    return kernel;
}

/* A hash of the text, or the status of the refusal: its sentence may be worded anew. */
static void add_emitted(struct kernel *kernel, const char *name, const char *words,
                        struct buf *out)
{
    struct plan *plan = NULL;
    struct buf text = {0};
    struct error err = {0};

    if (plan_parse(words, &plan, &err) || kernel_emit(kernel, plan, NULL, &text, &err)) {
        buf_addf(out, "refused-%d %s %s\n", (int)err.status, name, words);
    } else {
        add_hash(buf_str(&text), out);
        buf_addf(out, " %s %s\n", name, words);
    }
    plan_free(plan);
    buf_release(&text);
}

/* Lines "hash kernel plan", those of one kernel together. */
TEST("plans become the same C")
{
    static const char path[] = CONTRACT "emitted.txt";
    struct buf recorded = {0}, now = {0};
    struct error err = {0};
    struct kernel *kernel = NULL;
    char *rest = NULL, *last = NULL;

    if (!check_ok(file_read(path, &recorded, &err), &err))
        return;
    for (char *line = strtok_r((char *)buf_str(&recorded), "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char *name = strchr(line, ' ') + 1, *words = strchr(name, ' ');

        *words++ = '\0';
        if (!last || strcmp(last, name) != 0) {
            kernel_free(kernel);
            kernel = open_kernel(name);
        }
        last = name;
        if (kernel)
            add_emitted(kernel, name, words, &now);
    }
    kernel_free(kernel);
    check_golden(path, buf_str(&now));
    buf_release(&recorded);
    buf_release(&now);
}

/* ---- the way of searches ---- */

/* Which plans it measured, in their order, and what it kept. */
static void add_search(const char *path, const struct rule_set *rules, struct buf *out)
{
    struct dataset *dataset = NULL;
    struct trial_space space = {0};
    struct trial_run run = {0};
    struct error err = {0};

    if (!check_ok(dataset_load(path, &dataset, &err), &err))
        return;
    struct trial_source source = trial_source_of(dataset);
    if (check_ok(trial_space_open(&source, &space, &err), &err) &&
        check_ok(trial_search(&space, &trial_strategies[TRIAL_GUIDED], rules, 0, true,
                              &run, &err),
                 &err)) {
        const struct search_result *result = &run.result;
        struct hash hash = hash_begin();

        for (size_t i = 0; i < result->measurement_nr; i++)
            hash_text(&hash, result->measurement[i].plan);
        char *hex = hash_hex_short(&hash);
        buf_addf(out, "%s %s: %zu, kept '%s'\n", hex, source.name, result->measurement_nr,
                 result->measurement[result->best].plan);
        free(hex);
        trial_run_release(&run);
    }
    trial_space_release(&space);
    dataset_free(dataset);
}

TEST("searches take the same way")
{
    static const char *const folders[] = {INFLIGHT_SOURCE_DIR "/bench/data/spaces",
                                          INFLIGHT_SOURCE_DIR "/bench/data/unseen"};
    struct rule_set *rules = NULL;
    struct error err = {0};
    struct buf now = {0};

    if (!check_ok(rule_set_load(NULL, &rules, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
        struct dirent **entry = NULL;
        int nr = place_list(folders[i], &entry);

        for (int k = 0; k < nr; k++) {
            char *path = path_join(folders[i], entry[k]->d_name);

            add_search(path, rules, &now);
            free(path);
            free(entry[k]);
        }
        free(entry);
    }
    check_golden(CONTRACT "searches.txt", buf_str(&now));
    rule_set_free(rules);
    buf_release(&now);
}
