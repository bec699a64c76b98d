/*
 * The paper's rows and the shipped recipe: what was tried, what came of it, what the
 * rules said and by which one, and how often they were right. Exit 1 when a gain was
 * advised against or a loss advised. Pure: takes no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/paper_rows.h"
#include "core/base/error.h"

static const char *const given_phrase[] = {
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
                     enum paper_given given, bool print, struct paper_tally *tally,
                     struct error *err)
{
    *tally = (struct paper_tally){0};
    if (print)
        puts("| row -> tried | gain | class | verdict | rule |\n|---|---|---|---|---|");
    for (size_t i = 0; i < paper->nr; i++) {
        struct paper_opinion opinion;

        if (!paper->row[i].tried)
            continue;
        if (paper_judge(set, &paper->row[i], given, &opinion, err))
            return -1;
        paper_count(tally, &paper->row[i], &opinion);
        if (print)
            print_row(&paper->row[i], &opinion);
    }
    if (print)
        puts("");
    return 0;
}

static int report(const struct paper *paper, const struct rule_set *set, bool *met,
                  struct error *err)
{
    struct paper_tally tally;

    *met = true;
    for (enum paper_given given = PAPER_BEFORE; given < PAPER_GIVEN_NR; given++) {
        printf("%sVerdicts %s:\n\n", given ? "\n" : "", given_phrase[given]);
        if (judge_all(paper, set, given, given == PAPER_ASSUMED, &tally, err))
            return -1;
        print_tally(&tally);
        *met = *met && tally.of[0][PAPER_GAIN] == 0 && tally.of[1][PAPER_LOSS] == 0;
    }
    return 0;
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
