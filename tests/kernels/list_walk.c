/*
 * list_walk: A list, whose end is found by following it. There is no loop with a count to work on.
 */
#pragma inflight kernel
#pragma inflight set m = 8000000
#pragma inflight buffer next = cycle(1)
int list_walk(int m, const int next[restrict m])
{
    int at = next[0], steps = 0;
    while (at != 0 && steps < 1000000) {
        at = next[at];
        steps++;
    }
    return steps;
}
