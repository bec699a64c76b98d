/* After intrusion detection systems, which search all their patterns at once by a table
 * of states (Aho and Corasick): one packet after the other, each look-up waits for the
 * one before. Known remedy: 16 packets side by side. */
#pragma inflight kernel
#pragma inflight set packets = 8000
#pragma inflight set length = 600
#pragma inflight set states = 1500
#pragma inflight buffer next = index(states)
#pragma inflight buffer byte = uniform(0, 255)
void packet_states(int packets, int length, int states, int last[restrict packets],
                   const unsigned short next[restrict states][256],
                   const unsigned char byte[restrict packets][length])
{
    (void)states;
    for (int p = 0; p < packets; p++) {
        int state = 0;
        for (int i = 0; i < length; i++)
            state = next[state][byte[p][i]];
        last[p] = state;
    }
}

enum { SIDE = 16 };

void hand(int packets, int length, int states, int last[restrict packets],
          const unsigned short next[restrict states][256],
          const unsigned char byte[restrict packets][length])
{
    (void)states;
    int p = 0;
    for (; p + SIDE <= packets; p += SIDE) {
        int state[SIDE] = {0};
        for (int i = 0; i < length; i++)
            for (int v = 0; v < SIDE; v++)
                state[v] = next[state[v]][byte[p + v][i]];
        for (int v = 0; v < SIDE; v++)
            last[p + v] = state[v];
    }
    for (; p < packets; p++) {
        last[p] = 0;
        for (int i = 0; i < length; i++)
            last[p] = next[last[p]][byte[p][i]];
    }
}
