/*
 * A branch predictor to count mispredictions with: one perceptron per branch over the
 * outcomes of the last branches. D. A. Jimenez and C. Lin, "Dynamic branch prediction
 * with perceptrons", HPCA 2001. Finds bias, loops shorter than the history and linear
 * correlations, and what depends on random data it misses as any predictor must. Private
 * to core/run and its tests.
 */
#ifndef CORE_RUN_RUN_PREDICT_H
#define CORE_RUN_RUN_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

enum { PREDICT_HISTORY = 24 };

struct perceptron {
    int8_t bias, weight[PREDICT_HISTORY];
};
struct branch_history {
    uint32_t taken; /* bit 0: the last one */
};

/* One execution: was it foreseen? Learns from it. */
bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken);

#endif
