#pragma inflight set n = 100
#pragma inflight set m = 50
void follow(int n, int m, const short key[n], const double table[m], double out[n])
{
    int next = 0, now = 0;
    for (int i = 0; i < n; i++) {
        out[i] = table[now];
        now = next;
        next = key[i];
    }
}
