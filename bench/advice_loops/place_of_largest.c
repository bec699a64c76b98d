/* After questions about finding the largest number and where it is: compilers make
 * vectors of the one, not of both. Known remedy: the largest of a block with vectors,
 * and its place only where it is the largest so far. */
#pragma inflight kernel
#pragma inflight set n = 60000000
#pragma inflight buffer a = uniform(0, 32000)
int place_of_largest(int n, const short *a)
{
    short best = a[0];
    int at = 0;
    for (int i = 1; i < n; i++)
        if (a[i] > best) {
            best = a[i];
            at = i;
        }
    return at;
}

enum { BLOCK = 4096 };

int hand(int n, const short *a)
{
    short best = a[0];
    int at = 0;
    for (int b = 0; b < n; b += BLOCK) {
        int end = n - b < BLOCK ? n : b + BLOCK;
        short most = a[b];
        for (int i = b; i < end; i++)
            most = a[i] > most ? a[i] : most;
        if (most > best) {
            best = most;
            for (at = b; a[at] != most;)
                at++;
        }
    }
    return at;
}
