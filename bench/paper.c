/*
 * The paper's rows and the shipped recipe: what was tried, what came of it, what the
 * rules said and by which one, and what they had to be told beside the tables; then how
 * often they were right, and how often on an application whose rows and text they had not
 * seen. Exit 1 when a gain was advised against or a loss advised. Pure: takes no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paper_without.h"

static const char *const told_phrase[] = {
    [PAPER_BEFORE] = "with what the paper says that could be known before the run",
    [PAPER_ASSUMED] = "with what was assumed of the code as well",
    [PAPER_AFTER] = "with what the paper knows from the run as well",
};

/* ---- one row a line ---- */

static void print_row(const struct paper_row *row, const struct paper_opinion *opinion)
{
    enum paper_class class = paper_class_of(row->speedup);
    const char *verdict = *opinion->rule ? verdict_word(opinion->verdict) : "none";
    bool wrong = (opinion->advised && class == PAPER_LOSS) ||
                 (!opinion->advised && class == PAPER_GAIN);

    printf("| %s | %.2f | %s | %s%s | %s |\n", row->id, row->speedup,
           paper_class_word(class), verdict, wrong ? " (wrong)" : "", opinion->rule);
}

struct naming {
    const struct paper_row *row;
    size_t nr;
};

static void print_input(void *context, const struct json_at *input)
{
    struct naming *naming = context;
    const json_t *node = input->node;
    const char *word = json_string_value(json_object_get(node, "word")),
               *kind = json_has(input, "hindsight") ? "after the run"
                       : json_has(input, "assumed") ? "assumed"
                                                    : "before";
    char *value = word ? xstrdup(word)
                       : xasprintf("%g (%g to %g)",
                                   json_number_value(json_object_get(node, "value")),
                                   json_number_value(json_object_get(node, "low")),
                                   json_number_value(json_object_get(node, "high")));

    printf("| %s | %s = %s | %s | %s |\n", naming->row->id,
           json_string_value(json_object_get(node, "metric")), value, kind,
           json_string_value(json_object_get(node, "source")));
    naming->nr++;
    free(value);
}

static void print_inputs(const struct paper *paper)
{
    puts("\nWhat the rules are told of every row: bandwidth, latency and threads (its "
         "table), cores, line, queues (table III), random or streaming (text):\n");
    puts("| application | share of random accesses | source |\n|---|---|---|");
    for (size_t i = 0; i < json_array_size(paper->applications.node); i++) {
        const json_t *one = json_array_get(paper->applications.node, i);

        printf("| %s | %g | %s |\n", json_string_value(json_object_get(one, "id")),
               json_number_value(json_object_get(one, "random_share")),
               json_string_value(json_object_get(one, "source")));
    }
    puts("\nBeside that:\n\n| row | input | known | source |\n|---|---|---|---|");
    for (size_t i = 0; i < paper->nr; i++) {
        struct naming naming = {&paper->row[i], 0};

        if (paper->row[i].tried)
            paper_inputs(&paper->row[i], PAPER_AFTER, print_input, &naming);
    }
}

/* ---- counts ---- */

static void print_tally(const struct paper_tally *tally)
{
    puts("| verdict | gain | marginal | loss |\n|---|---|---|---|");
    for (int advised = 1; advised >= 0; advised--)
        printf("| %s | %zu | %zu | %zu |\n", advised ? "try" : "avoid, stop or none",
               tally->of[advised][PAPER_GAIN], tally->of[advised][PAPER_MARGINAL],
               tally->of[advised][PAPER_LOSS]);
    printf("\n%zu of %zu agree (try with a gain, all else with none); gains advised "
           "against: %zu of %zu; losses advised: %zu of %zu\n",
           tally->agree, tally->nr, tally->of[0][PAPER_GAIN],
           tally->of[0][PAPER_GAIN] + tally->of[1][PAPER_GAIN], tally->of[1][PAPER_LOSS],
           tally->of[0][PAPER_LOSS] + tally->of[1][PAPER_LOSS]);
}

static int judge_all(const struct paper *paper, const struct rule_set *set,
                     enum paper_told told, bool print, struct paper_tally *tally,
                     struct error *err)
{
    *tally = (struct paper_tally){0};
    if (print)
        puts("| row -> tried | gain | class | verdict | rule |\n|---|---|---|---|---|");
    for (size_t i = 0; i < paper->nr; i++) {
        struct paper_opinion opinion;

        if (!paper->row[i].tried)
            continue;
        if (paper_judge(set, &paper->row[i], told, &opinion, err))
            return -1;
        paper_count(tally, &paper->row[i], &opinion);
        if (print)
            print_row(&paper->row[i], &opinion);
    }
    if (print)
        puts("");
    return 0;
}

/* ---- one application left out ---- */

static int judge_unseen(const struct paper *paper, const struct rule_set *set,
                        const char *application, enum paper_told told,
                        struct paper_tally *all, struct error *err)
{
    struct paper_tally own = {0};

    for (size_t i = 0; i < paper->nr; i++) {
        const struct paper_row *row = &paper->row[i];
        struct paper_opinion opinion;

        if (!row->tried || strcmp(row->application_id, application) != 0)
            continue;
        if (paper_judge(set, row, told, &opinion, err))
            return -1;
        paper_count(&own, row, &opinion);
        paper_count(all, row, &opinion);
    }
    printf("| %s | %zu | %zu | %zu | %zu |\n", application, own.nr, own.agree,
           own.of[0][PAPER_GAIN], own.of[1][PAPER_LOSS]);
    return 0;
}

static int leave_out(const struct paper *paper, const struct rule_set *full,
                     enum paper_told told, struct error *err)
{
    struct paper_tally all = {0};
    struct buf said = {0};

    printf("\nEach application judged by rules that have not seen it (%s):\n\n",
           told_phrase[told]);
    puts("| left out | rows | agree | gains advised against | losses advised "
         "|\n|---|---|---|---|---|");
    for (size_t i = 0; i < json_array_size(paper->applications.node); i++) {
        const char *id = json_string_value(
            json_object_get(json_array_get(paper->applications.node, i), "id"));
        struct rule_set *set = NULL;
        int status;

        buf_addf(&said, "without %s:\n", id);
        status = paper_without(paper, full, id, told, &set, &said, err) ||
                 judge_unseen(paper, set, id, told, &all, err);
        rule_set_free(set);
        if (status) {
            buf_release(&said);
            return -1;
        }
    }
    printf("| all | %zu | %zu | %zu | %zu |\n", all.nr, all.agree, all.of[0][PAPER_GAIN],
           all.of[1][PAPER_LOSS]);
    if (told == PAPER_AFTER) /* only then all that can fall away matters */
        printf("\n%s", buf_str(&said));
    buf_release(&said);
    return 0;
}

static int report(const struct paper *paper, const struct rule_set *set, bool *met,
                  struct error *err)
{
    struct paper_tally tally;

    *met = true;
    for (enum paper_told told = PAPER_BEFORE; told < PAPER_TOLD_NR; told++) {
        printf("%sVerdicts %s:\n\n", told ? "\n" : "", told_phrase[told]);
        if (judge_all(paper, set, told, told == PAPER_ASSUMED, &tally, err))
            return -1;
        print_tally(&tally);
        *met = *met && tally.of[0][PAPER_GAIN] == 0 && tally.of[1][PAPER_LOSS] == 0;
    }
    print_inputs(paper);
    return leave_out(paper, set, PAPER_ASSUMED, err) ||
                   leave_out(paper, set, PAPER_AFTER, err)
               ? -1
               : 0;
}

int main(void)
{
    struct rule_set *set = NULL;
    struct paper paper = {0};
    struct error err = {0};
    bool met = false;

    if (paper_read(&paper, &err) || rule_set_load(NULL, &set, &err) ||
        report(&paper, set, &met, &err))
        fprintf(stderr, "paper: %s\n", err.text);
    else
        printf("\nAsked: no gain advised against, no loss advised. %s\n"
               "No row is a loss (below 0.98); the least are two at 0.98.\n",
               met ? "Met." : "Not met.");
    paper_release(&paper);
    rule_set_free(set);
    return met ? 0 : 1;
}
