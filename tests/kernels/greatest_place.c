/*
 * greatest_place: The greatest number and its place, the elements above a limit, one after the other,
 * and a condition that its own branch makes stricter.
 */
#pragma inflight kernel
#pragma inflight set n = 5000
#pragma inflight buffer a = index(900)
int greatest_place(int n, int a[n], int out[restrict n])
{
    int best = -1, place = -1, kept = 0, limit = 800;

    for (int i = 0; i < n; i++)
        if (a[i] > best) {
            best = a[i];
            place = i;
        }
    for (int i = 0; i < n; i++)
        if (a[i] % 97 == 3)
            out[kept++] = a[i];
    for (int i = n - 1; i >= 0; i--)
        if (i % 3 == 1 && a[i] > limit) {
            limit += 7;
            a[i] = 0;
        }
    return best + place * 1000 + kept + limit;
}
