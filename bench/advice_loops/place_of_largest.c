/* After questions about finding the largest number and where it is: compilers make
 * vectors of the one, not of both. Known remedy: the largest of a block with vectors,
 * and its place only where it is the largest so far. */
#pragma inflight kernel
#pragma inflight set rounds = 100
#pragma inflight set n = 300000
#pragma inflight buffer a = uniform(0, 1000000000)
int place_of_largest(int rounds, int n, const int *a)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int best = a[0], at = 0;
        for (int i = 1; i < n; i++)
            if (a[i] > best) {
                best = a[i];
                at = i;
            }
        sum += at + r;
    }
    return sum;
}

enum { BLOCK = 1024 };

int hand(int rounds, int n, const int *a)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int best = a[0], at = 0;
        for (int b = 0; b < n; b += BLOCK) {
            int end = n - b < BLOCK ? n : b + BLOCK, most = a[b];
            for (int i = b; i < end; i++)
                most = a[i] > most ? a[i] : most;
            if (most > best) {
                best = most;
                for (at = b; a[at] != most;)
                    at++;
            }
        }
        sum += at + r;
    }
    return sum;
}
