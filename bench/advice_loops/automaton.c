/* After lexers and matchers of regular expressions: a table says the next state.
 * Nothing to gain: each load's address is the state that the load before brought; the
 * table is in the first cache. */
#pragma inflight kernel
#pragma inflight set n = 12000000
#pragma inflight buffer next = uniform(0, 15)
#pragma inflight buffer text = uniform(0, 255)
int automaton(int n, const unsigned char next[restrict 16][256],
              const unsigned char text[restrict n])
{
    int state = 0, hits = 0;
    for (int i = 0; i < n; i++) {
        state = next[state][text[i]];
        hits += state;
    }
    return hits;
}
