#include "core/run/run_parts.h"

/* Trained until the sum is that far from 0: 1.93 x history + 14 (section 5 there). */
enum { threshold = (193 * PREDICT_HISTORY) / 100 + 14, weight_max = 127 };

static int sum_of(const struct perceptron *perceptron, uint32_t history)
{
    int sum = perceptron->bias;

    for (int i = 0; i < PREDICT_HISTORY; i++)
        sum += history >> i & 1 ? perceptron->weight[i] : -perceptron->weight[i];
    return sum;
}

static int8_t moved(int8_t weight, bool up)
{
    if (up)
        return weight < weight_max ? (int8_t)(weight + 1) : weight;
    return weight > -weight_max ? (int8_t)(weight - 1) : weight;
}

static void train(struct perceptron *perceptron, uint32_t history, bool taken)
{
    perceptron->bias = moved(perceptron->bias, taken);
    for (int i = 0; i < PREDICT_HISTORY; i++)
        perceptron->weight[i] = moved(perceptron->weight[i], (history >> i & 1) == taken);
}

bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken)
{
    int sum = sum_of(perceptron, history->taken);
    bool foreseen = (sum >= 0) == taken;

    if (!foreseen || (sum <= threshold && sum >= -threshold))
        train(perceptron, history->taken, taken);
    history->taken = history->taken << 1 | taken;
    return foreseen;
}
