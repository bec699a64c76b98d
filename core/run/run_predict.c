#include <stdbool.h>
#include <stdint.h>

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

/* A loop of multiplications in another one, on Zen 5 (2026): no cycle is lost at its end
 * up to 1000 iterations. What longer ones lose does not matter. */
enum { LOOP_TRIPS_MAX = 1000 };

static bool is_counted(const struct perceptron *loop)
{
    return loop->equal >= 2 && loop->trips_before > 1 &&
           loop->trips_before <= LOOP_TRIPS_MAX;
}

static void count_trip(struct perceptron *loop, bool taken)
{
    if (taken == loop->usual) {
        loop->trips++;
        return;
    }
    if (loop->trips == 0) /* twice: it is the usual way */
        loop->usual = taken;
    if (loop->trips != loop->trips_before)
        loop->equal = 0;
    else if (loop->equal < UINT8_MAX)
        loop->equal++;
    loop->trips_before = loop->trips;
    loop->trips = 0;
}

bool predict(struct perceptron *perceptron, struct branch_history *history, bool taken)
{
    int sum = sum_of(perceptron, history->taken);
    bool ends = perceptron->trips == perceptron->trips_before,
         foreseen = is_counted(perceptron) ? taken == (perceptron->usual != ends)
                                           : (sum >= 0) == taken;

    count_trip(perceptron, taken);
    if (!foreseen || (sum <= threshold && sum >= -threshold))
        train(perceptron, history->taken, taken);
    history->taken = history->taken << 1 | taken;
    return foreseen;
}
