#pragma inflight set n = 100
#pragma inflight set m = 50
void pick(int n, int m, const int key[n], const double table[m], double out[n])
{
    for (int i = 0; i < n; i++) {
        int k = key[i];
        out[i] = table[k];
    }
}
