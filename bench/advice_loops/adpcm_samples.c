/* After the decoder of adaptive differential samples (IMA) in benchmark suites for small
 * devices, with choices in place of jumps. Nothing to gain: each sample and its step
 * wait for those before. */
static const signed char move[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

#pragma inflight kernel
#pragma inflight set n = 10000000
#pragma inflight buffer code = uniform(0, 15)
#pragma inflight buffer step = ascending(32767)
void adpcm_samples(int n, short out[restrict n], const unsigned char code[restrict n],
                   const int step[restrict 89])
{
    int sample = 0, at = 0;
    for (int i = 0; i < n; i++) {
        int low = code[i] & 7, minus = -(code[i] >> 3 & 1);
        int change = ((2 * low + 1) * step[at]) >> 3;
        sample += (change ^ minus) - minus;
        sample = sample > 32767 ? 32767 : sample;
        sample = sample < -32768 ? -32768 : sample;
        at += move[low];
        at = at < 0 ? 0 : at;
        at = at > 88 ? 88 : at;
        out[i] = (short)sample;
    }
}
