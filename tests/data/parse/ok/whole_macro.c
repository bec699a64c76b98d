/* Macros that hold whole statements, and pieces that must be kept as text. */
#define LOOP(i, n) for (int i = 0; i < n; i++)
#define CLEAR(a, n) LOOP (k, n) a[k] = 0
#define CHECK(x) do { if (!(x)) goto bad; } while (0)
#define FIRST(T, ...) ((T[]){__VA_ARGS__})[0]
#define INIT {1, 2, 3}
#define END }
#define TICK ++ticks;
#define RANGE(i) i = 0; i < n; i++
int whole_macro(int n, int *a, int ticks)
{
    int w[3] = INIT;
    CLEAR(a, n);
    LOOP (i, n) {
        CHECK(a[i] == 0);
        a[i] = FIRST(int, 7, 8) + w[1];
        TICK
        a[i] += sizeof(int) * 2 + FIRST(int, 1);
    END
    for (int RANGE(q))
        a[q]--;
    return ticks;
bad:
    return -1;
}
