/*
 * What --in-app is worth: how often it claims a difference where there is none, and the
 * gains of one change side by side: alone, of the routine, of the whole program.
 *
 *     bench/in_app [--repeat 10] [--budget 10s]
 *
 * The application is that of tests/data/in_app. First it is compared with itself, so
 * often: what is claimed then is wrong, and 5 % may be. Then a plan that is faster is put
 * into it. Exit 1 when more than one of the comparisons with itself, and more than 10 %
 * of them, claim something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/in_app.h"
#include "bench/bench.h"

static const char command[] = "make -s && ./app 30", plan[] = "unroll_jam(i:4)";

struct place {
    char *scratch, *root, *copies, *file;
};

static int place_make(struct place *place, struct error *err)
{
    const char *const copy[] = {"cp", "-r", INFLIGHT_SOURCE_DIR "/tests/data/in_app",
                                "app", NULL};
    struct spawn_outcome outcome;
    if (scratch_make(&place->scratch, err))
        return -1;
    place->root = path_join(place->scratch, "app");
    place->copies = path_join(place->scratch, "copies");
    place->file = path_join(place->root, "src/turn.c");
    const struct spawn_request request = {.argv = copy, .dir = place->scratch};
    if (spawn_run(&request, &outcome, err))
        return -1;
    spawn_outcome_release(&outcome);
    return dir_make_all(place->copies, err);
}

static void place_release(struct place *place)
{
    free(place->root);
    free(place->copies);
    free(place->file);
    scratch_remove(place->scratch);
}

/* ---- with itself ---- */

struct tally {
    size_t runs, pairs, program, routine; /* claims of each */
};

static bool is_claim(struct quantity gain)
{
    enum in_app_claim claim = in_app_claim_of(gain);
    return claim == IN_APP_FASTER || claim == IN_APP_SLOWER;
}

static int compare_once(struct in_app *app, const struct buf *text, struct tally *tally,
                        struct error *err)
{
    struct in_app_result result;
    int status = in_app_confirm(app, text, &result, err);
    if (!status && result.sentence)
        status = fail(err, STATUS_FAILED, "%s", result.sentence);
    if (!status) {
        tally->runs++;
        tally->pairs += result.pair_nr;
        tally->program += is_claim(result.program);
        tally->routine += is_claim(result.routine);
        printf(
            "| with itself | %zu | - | %.3f (%.3f to %.3f) | %.3f (%.3f to %.3f) | - |\n",
            result.pair_nr, result.routine.value, result.routine.low, result.routine.high,
            result.program.value, result.program.low, result.program.high);
        fflush(stdout);
    }
    in_app_result_release(&result);
    return status;
}

static int compare_with_itself(const struct place *place, long repeat, double budget_s,
                               struct tally *tally, struct error *err)
{
    const struct settings settings = {.file = place->file,
                                      .in_app = command,
                                      .in_app_dir = place->root,
                                      .in_app_budget_s = budget_s};
    struct progress progress;
    struct in_app app;
    struct buf text = {0};
    progress_start(&progress, true, false);
    int status = file_read(place->file, &text, err);
    if (!status)
        status = in_app_prepare(&app, &settings, &progress, place->copies, "turn", err);
    for (long i = 0; i < repeat && !status; i++)
        status = compare_once(&app, &text, tally, err);
    in_app_release(&app);
    buf_release(&text);
    return status;
}

/* ---- a change that is faster ---- */

static void print_change(const json_t *in_app)
{
    static const char *const key[] = {"isolated_gain", "routine_gain", "program_gain",
                                      "expected_gain"};
    printf("| %s | %.0f |", plan, json_number_value(json_object_get(in_app, "pairs")));
    for (size_t i = 0; i < ARRAY_SIZE(key); i++) {
        struct buf gain = {0};
        bench_gain(json_object_get(in_app, key[i]), &gain);
        printf(" %s |", buf_str(&gain));
        buf_release(&gain);
    }
    const json_t *why = json_object_get(in_app, "why"), *cause;
    size_t i;
    printf("\n\n");
    if (json_is_string(why))
        printf("%s\n", json_string_value(why));
    json_array_foreach(json_object_get(in_app, "causes"), i, cause)
        printf("- %s: %s\n", bench_text(cause, "cause"), bench_text(cause, "sentence"));
}

static int confirm_change(const struct place *place, const char *budget,
                          struct error *err)
{
    const char *const argv[] = {
        INFLIGHT_PROGRAM, "compare", place->file, "--plan",          plan,   "--in-app",
        command,          "--quiet", "--json",    "--in-app-budget", budget, NULL};
    const struct spawn_request request = {.argv = argv, .dir = place->root};
    struct spawn_outcome outcome;
    json_t *report = NULL;
    if (spawn_run(&request, &outcome, err))
        return -1;
    int status = outcome.end == SPAWN_EXITED && outcome.code == 0
                     ? json_read_text(buf_str(&outcome.out), "the report",
                                      "inflight.versus/1", &report, err)
                     : fail(err, STATUS_FAILED, "%s", buf_str(&outcome.err));
    if (!status)
        print_change(json_object_get(report, "in_app"));
    json_decref(report);
    spawn_outcome_release(&outcome);
    return status;
}

int main(int argc, char **argv)
{
    const char *budget = "10s";
    double budget_s = 10;
    long repeat = 10;
    struct place place = {0};
    struct tally tally = {0};
    struct error err = {0};

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--repeat"))
            repeat = atol(argv[i + 1]);
        else if (!strcmp(argv[i], "--budget"))
            budget = argv[i + 1];
    }
    puts("| change | pairs | alone | the routine | the whole program | expected |\n"
         "|---|---|---|---|---|---|");
    int status = parse_time(budget, "--budget", &budget_s, &err);
    if (!status)
        status = place_make(&place, &err);
    if (!status)
        status = compare_with_itself(&place, repeat, budget_s, &tally, &err);
    if (!status)
        status = confirm_change(&place, budget, &err);
    if (status)
        fprintf(stderr, "bench/in_app: %s\n", err.text);
    if (place.scratch)
        place_release(&place);
    size_t wrong = tally.program + tally.routine;
    printf("\n%zu comparisons with itself, %zu pairs: %zu claims of the program, %zu of "
           "the routine; asked: none but by chance (5 %%)\n",
           tally.runs, tally.pairs, tally.program, tally.routine);
    return status || (wrong > 1 && (double)wrong > 0.1 * 2 * (double)tally.runs);
}
