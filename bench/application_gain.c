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

#include "bench/bench.h"

static const char command[] = "make -s && ./app 30", plan[] = "unroll_jam(i:4)";

struct place {
    char *scratch, *root, *file, *same; /* same: the file once more */
};

static int copy(const char *from, const char *to, struct error *err)
{
    const char *const argv[] = {"cp", "-r", from, to, NULL};
    const struct spawn_request request = {.argv = argv};
    struct spawn_outcome outcome;
    if (spawn_run(&request, &outcome, err))
        return -1;
    int status = outcome.code ? fail(err, STATUS_FAILED, "cannot copy '%s'", from) : 0;
    spawn_outcome_release(&outcome);
    return status;
}

static int place_make(struct place *place, struct error *err)
{
    if (scratch_make(&place->scratch, err))
        return -1;
    place->root = path_join(place->scratch, "app");
    place->file = path_join(place->root, "src/turn.c");
    place->same = path_join(place->scratch, "same.c");
    return copy(INFLIGHT_SOURCE_DIR "/tests/data/in_app", place->root, err) ||
                   copy(place->file, place->same, err)
               ? -1
               : 0;
}

static void place_release(struct place *place)
{
    free(place->root);
    free(place->file);
    free(place->same);
    if (place->scratch)
        scratch_remove(place->scratch);
}

/* ---- one comparison ---- */

/* The object "in_app" of what compare prints about the file and the words behind it. */
static int compare(const struct place *place, const char *budget,
                   const char *const second[2], json_t **in_app, struct error *err)
{
    struct strvec words = {0};
    struct spawn_outcome outcome;
    json_t *report = NULL;
    strvec_push(&words, INFLIGHT_PROGRAM);
    strvec_split(&words, "compare --quiet --json --budget 2s --in-app-budget");
    strvec_push(&words, budget);
    strvec_push(&words, "--in-app");
    strvec_push(&words, command);
    if (second[1])
        strvec_push(&words, second[1]);
    if (second[1])
        strvec_push(&words, second[0]);
    strvec_push(&words, place->file);
    if (!second[1])
        strvec_push(&words, second[0]);
    const struct spawn_request request = {.argv = (const char *const *)words.v,
                                          .dir = place->root};
    int status = spawn_run(&request, &outcome, err);
    if (!status) {
        status = outcome.end == SPAWN_EXITED && outcome.code == 0
                     ? json_read_text(buf_str(&outcome.out), "the report",
                                      "inflight.versus/1", &report, err)
                     : fail(err, STATUS_FAILED, "%s", buf_str(&outcome.err));
        spawn_outcome_release(&outcome);
    }
    *in_app = report ? json_incref(json_object_get(report, "in_app")) : NULL;
    json_decref(report);
    strvec_release(&words);
    return status;
}

static void print_row(const char *name, const json_t *in_app)
{
    static const char *const key[] = {"isolated_gain", "routine_gain", "program_gain",
                                      "expected_gain"};
    printf("| %s | %.0f |", name, json_number_value(json_object_get(in_app, "pairs")));
    for (size_t i = 0; i < ARRAY_SIZE(key); i++) {
        struct buf gain = {0};
        bench_gain(json_object_get(in_app, key[i]), &gain);
        printf(" %s |", buf_str(&gain));
        buf_release(&gain);
    }
    puts("");
    fflush(stdout);
}

static void print_causes(const json_t *in_app)
{
    const json_t *why = json_object_get(in_app, "why"), *cause;
    size_t i;
    if (json_is_string(why))
        printf("\n%s\n", json_string_value(why));
    json_array_foreach(json_object_get(in_app, "causes"), i, cause)
        printf("- %s: %s\n", bench_text(cause, "cause"), bench_text(cause, "sentence"));
}

/* ---- with itself ---- */

/* As the report claims: the interval does not hold 1, and it is 1 % at least. */
static bool is_claim(const json_t *in_app, const char *key)
{
    const json_t *gain = json_object_get(in_app, key);
    double value = bench_value(in_app, key);
    return json_is_object(gain) && (value > 1.01 || value < 1 / 1.01) &&
           (json_number_value(json_object_get(gain, "low")) > 1 ||
            json_number_value(json_object_get(gain, "high")) < 1);
}

static int compare_with_itself(const struct place *place, const char *budget,
                               size_t *claims, struct error *err)
{
    const char *const second[2] = {place->same, NULL};
    json_t *in_app = NULL;
    int status = compare(place, budget, second, &in_app, err);
    if (!status) {
        print_row("with itself", in_app);
        *claims += (size_t)is_claim(in_app, "program_gain") +
                   (size_t)is_claim(in_app, "routine_gain");
    }
    json_decref(in_app);
    return status;
}

static int confirm_change(const struct place *place, const char *budget,
                          struct error *err)
{
    const char *const second[2] = {plan, "--plan"};
    json_t *in_app = NULL;
    int status = compare(place, budget, second, &in_app, err);
    if (!status) {
        print_row(plan, in_app);
        print_causes(in_app);
    }
    json_decref(in_app);
    return status;
}

int main(int argc, char **argv)
{
    const char *budget = "10s";
    long repeat = 10;
    size_t claims = 0;
    struct place place = {0};
    struct error err = {0};

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--repeat"))
            repeat = atol(argv[i + 1]);
        else if (!strcmp(argv[i], "--budget"))
            budget = argv[i + 1];
    }
    puts("| change | pairs | alone | the routine | the whole program | expected |\n"
         "|---|---|---|---|---|---|");
    int status = place_make(&place, &err);
    for (long i = 0; i < repeat && !status; i++)
        status = compare_with_itself(&place, budget, &claims, &err);
    if (!status)
        status = confirm_change(&place, budget, &err);
    if (status)
        fprintf(stderr, "bench/in_app: %s\n", err.text);
    place_release(&place);
    printf("\n%zu claims in %ld comparisons with itself, two gains each; asked: none but "
           "by chance (5 %%)\n",
           claims, repeat);
    return status || (claims > 1 && (double)claims > 0.1 * 2 * (double)repeat);
}
