/* After run-length encoders in column stores and image formats: a loop inside that ends
 * where the run does, after two elements or five, as it happens. Known remedy: value and
 * length stored each time, and the place moved by the comparison, without a jump. */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight buffer a = uniform(0, 1)
#pragma inflight buffer value = zero
#pragma inflight buffer length = zero
int run_lengths(int n, unsigned char value[restrict n], int length[restrict n],
                const unsigned char a[restrict n])
{
    int runs = 0;
    for (int i = 0; i < n;) {
        int end = i + 1;
        while (end < n && a[end] == a[i])
            end++;
        value[runs] = a[i];
        length[runs++] = end - i;
        i = end;
    }
    return runs;
}

int hand(int n, unsigned char value[restrict n], int length[restrict n],
         const unsigned char a[restrict n])
{
    int runs = 0, begin = 0;
    for (int i = 1; i <= n; i++) {
        int other = i == n || a[i] != a[i - 1];
        value[runs] = a[i - 1];
        length[runs] = i - begin;
        runs += other;
        begin += (i - begin) & -other;
    }
    return runs;
}
