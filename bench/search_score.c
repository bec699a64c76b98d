/*
 * Judges strategies on recorded spaces (bench/data/spaces): replays each many times
 * without compiling, and prints what was asked of the search and what was reached; the
 * score after Willemsen et al. (bench/score.h, docs/search.md).
 *
 *   search_score [--repetitions N] [--answer SECONDS] [--rules FILE] [--json FILE]
 *                [SPACE...]
 *
 * --answer: what a measurement or a comparison takes of the replay's clock, default 0.25;
 * SPACE: files of inflight.space/1; default all of the folder. The same files give the
 * same figures. Exit 1 when a figure was missed.
 */
#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/search_results.h"

struct settings {
    size_t repetitions;
    double answer_s; /* 0 = the default */
    const char *rules, *json;
    struct strvec paths;
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_space(const char *name)
{
    const char *end = strstr(name, ".json");
    return end && (!strcmp(end, ".json") || !strcmp(end, ".json.gz"));
}

static int find_spaces(struct strvec *paths, struct error *err)
{
    static const char folder[] = INFLIGHT_SOURCE_DIR "/bench/data/spaces";
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (is_space(entry->d_name))
            strvec_pushf(paths, "%s/%s", folder, entry->d_name);
    if (dir)
        closedir(dir);
    if (paths->nr == 0)
        return fail(
            err, STATUS_INPUT,
            "there are no recorded spaces in '%s'; record some with bench/spaces, "
            "or name files",
            folder);
    qsort(paths->v, paths->nr, sizeof(*paths->v), compare_texts);
    return 0;
}

/* Results borrow from the data sets. */
struct judging {
    const struct settings *settings;
    struct rule_set *rules;
    struct dataset **dataset;
    size_t dataset_nr;
    struct results results;
};

static int add_space(struct judging *all, const char *path, struct error *err)
{
    struct dataset **dataset = &all->dataset[all->dataset_nr];
    struct results *results = &all->results;
    struct trial_space space = {0};
    if (dataset_load(path, dataset, err))
        return -1;
    all->dataset_nr++;
    struct trial_source source = trial_source_of(*dataset);
    source.answer_s = all->settings->answer_s;
    fprintf(stderr, "%s: %zu variants\n", source.name, source.entry_nr);
    if (trial_space_open(&source, &space, err))
        return -1;
    GROW(results->space, results->nr + 1, results->alloc);
    return space_result_make(&space, all->rules, all->settings->repetitions,
                             &results->space[results->nr++], err);
}

static int write_json(const struct judging *all, struct error *err)
{
    if (!all->settings->json)
        return 0;
    json_t *root = results_json(&all->results);
    int status = json_write_file(all->settings->json, root, err);
    json_decref(root);
    return status;
}

/* *missed: a figure was not reached. */
static int print_all(const struct judging *all, bool *missed, struct error *err)
{
    struct figure figure[FIGURES_MAX];
    struct buf text = {0};
    size_t nr = results_figures(&all->results, figure);
    for (size_t i = 0; i < nr; i++)
        *missed = *missed || !figure[i].ok;
    figures_release(figure, nr);
    results_print(&all->results, &text);
    fputs(buf_str(&text), stdout);
    buf_release(&text);
    return write_json(all, err);
}

static int run(struct settings *settings, bool *missed, struct error *err)
{
    struct judging all = {.settings = settings};
    int status = settings->paths.nr ? 0 : find_spaces(&settings->paths, err);
    if (!status)
        status = rule_set_load(settings->rules, &all.rules, err);
    all.dataset = xcalloc(settings->paths.nr + 1, sizeof(struct dataset *));
    for (size_t i = 0; !status && i < settings->paths.nr; i++)
        status = add_space(&all, settings->paths.v[i], err);
    if (!status)
        status = print_all(&all, missed, err);
    results_release(&all.results);
    for (size_t i = 0; i < all.dataset_nr; i++)
        dataset_free(all.dataset[i]);
    free(all.dataset);
    rule_set_free(all.rules);
    return status;
}

static int usage(const char *problem)
{
    fprintf(stderr,
            "%s\nusage: search_score [--repetitions N] [--answer SECONDS] [--rules FILE] "
            "[--json FILE] [SPACE...]\n",
            problem);
    return 2;
}

static int read_words(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {{"repetitions", required_argument, NULL, 'n'},
                                            {"answer", required_argument, NULL, 'a'},
                                            {"rules", required_argument, NULL, 'r'},
                                            {"json", required_argument, NULL, 'j'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'n') {
            char *end = NULL;
            unsigned long nr = strtoul(optarg, &end, 10);
            if (*end || nr < 1 || nr > 100000 || *optarg == '-')
                return usage("--repetitions: expected a number from 1 to 100000");
            settings->repetitions = nr;
        } else if (c == 'a') {
            char *end = NULL;
            settings->answer_s = strtod(optarg, &end);
            if (*end || !(settings->answer_s > 0 && settings->answer_s < 1e6))
                return usage("--answer: expected seconds");
        } else if (c == 'r') {
            settings->rules = optarg;
        } else if (c == 'j') {
            settings->json = optarg;
        } else {
            return usage("that is not known");
        }
    }
    for (int i = optind; i < argc; i++)
        strvec_push(&settings->paths, argv[i]);
    return 0;
}

int main(int argc, char **argv)
{
    struct settings settings = {.repetitions = 100};
    struct error err = {0};
    bool missed = false;
    int status = read_words(argc, argv, &settings);
    if (!status && run(&settings, &missed, &err)) {
        fprintf(stderr, "%s\n", err.text);
        status = 2;
    }
    strvec_release(&settings.paths);
    return status ? status : missed;
}
