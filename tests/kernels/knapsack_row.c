/*
 * knapsack_row: One row for all items, from the largest weight down so that an item is taken once.
 * Weights are alike.
 */
#pragma inflight kernel
#pragma inflight set items = 300
#pragma inflight set room = 100000
#pragma inflight set weight = 7
void knapsack_row(int items, int room, int weight, int best[restrict room + 1], const int value[restrict items])
{
    for (int i = 0; i < items; i++)
        for (int w = room; w >= weight; w--)
            best[w] = best[w - weight] + value[i] > best[w] ? best[w - weight] + value[i] : best[w];
}
