#include "tests/advisor/report/random_answer.h"

#include "advisor/report/numbers.h"
#include "core/base.h"
#include "tests/advisor/report/drawn.h"

json_t *random_numbers(const struct rule_set *rules, uint64_t seed, struct buf *text)
{
    static const char *const machine[] = {"skl", "knl", "a64fx", "grace"};
    uint64_t state = seed + 0x9e37;
    struct question question = {.machine = machine[one_of(&state, ARRAY_SIZE(machine))],
                                .gbs = spread(&state, 0.01, 1000),
                                .random_share = quantity_unknown()};
    struct answer answer;

    if (chance(&state, 0.8))
        question.random_share = quantity_exact(
            chance(&state, 0.5) ? uniform(&state) : (double)one_of(&state, 2),
            PROVENANCE_DECLARED);
    if (chance(&state, 0.3))
        question.latency_ns = spread(&state, 10, 1000);
    if (chance(&state, 0.3))
        question.l1_mshrs = 1 + (double)one_of(&state, 30);
    if (chance(&state, 0.3))
        question.l2_mshrs = 1 + (double)one_of(&state, 60);
    if (chance(&state, 0.2))
        question.ceiling_gbs = spread(&state, 1, 1000);
    if (answer_question(&question, rules, &answer, NULL))
        return NULL;
    json_t *report = answer_json(&answer);
    answer_text(&answer, text);
    answer_release(&answer);
    return report;
}
