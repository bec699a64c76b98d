/* After papers on walking many short lists at once (hash chains, adjacency): one list
 * after the other. Known remedy: 16 lists side by side. */
#pragma inflight kernel
#pragma inflight set lists = 8000
#pragma inflight set n = 16000000
#pragma inflight set length = 200
#pragma inflight buffer head = index(n)
#pragma inflight buffer next = permutation
void list_heads(int lists, int n, int length, unsigned sum[restrict lists],
                const int head[restrict lists], const int next[restrict n])
{
    for (int l = 0; l < lists; l++) {
        int at = head[l];
        unsigned s = 0;
        for (int k = 0; k < length; k++) {
            s += (unsigned)at;
            at = next[at];
        }
        sum[l] = s;
    }
}

enum { SIDE = 16 };

void hand(int lists, int n, int length, unsigned sum[restrict lists],
          const int head[restrict lists], const int next[restrict n])
{
    (void)n;
    for (int lb = 0; lb < lists; lb += SIDE) {
        int at[SIDE], side = lists - lb < SIDE ? lists - lb : SIDE;
        unsigned s[SIDE] = {0};
        for (int v = 0; v < side; v++)
            at[v] = head[lb + v];
        for (int k = 0; k < length; k++)
            for (int v = 0; v < side; v++) {
                s[v] += (unsigned)at[v];
                at[v] = next[at[v]];
            }
        for (int v = 0; v < side; v++)
            sum[lb + v] = s[v];
    }
}
