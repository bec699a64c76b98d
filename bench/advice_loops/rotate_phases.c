/* After receivers in software that turn the phase of each complex sample, real and
 * imaginary part side by side. Nothing to gain: vectors already, and what is stored was
 * read before, at the speed of memory. */
#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight buffer z = uniform(0.5, 1)
#pragma inflight buffer turn = uniform(0.7, 0.71)
void rotate_phases(int n, float z[restrict n][2], const float turn[restrict n][2])
{
    for (int i = 0; i < n; i++) {
        float re = z[i][0], im = z[i][1], c = turn[i][0], s = turn[i][1];
        z[i][0] = re * c - im * s;
        z[i][1] = re * s + im * c;
    }
}
