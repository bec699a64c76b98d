/*
 * side_by_side: Loops of unknown length in each iteration of another: one that its condition ends,
 * one that is left by break, one whose condition does something, one that is arithmetic alone.
 */
#pragma inflight kernel
#pragma inflight set n = 3000
#pragma inflight buffer next = index(3000)
#pragma inflight buffer key = index(7)
void side_by_side(int n, const int next[restrict n], const int key[restrict n], int place[restrict n],
                  int steps[restrict n], double size[restrict n])
{
    for (int i = 0; i < n; i++) {
        int low = 0, high = n;

        while (low < high) {
            int middle = low + (high - low) / 2;

            if (middle * 3 < i)
                low = middle + 1;
            else
                high = middle;
        }
        place[i] = low;
    }
    for (int i = 0; i < n; i++) {
        int found = -1, left = 9;

        for (int at = i; left > 0; at = next[at] % n) {
            left--;
            if (key[at] == key[i] + 1) {
                found = at;
                break;
            }
        }
        while (left-- > 0 && found >= 0)
            found = next[found] % n;
        steps[i] = found * 16 + left;
    }
    for (int i = 0; i < n; i++) {
        double z = key[i];
        int count = 0;

        do {
            z = z * z * 0.25 + 0.5;
            count++;
        } while (count < 40 && z < 4);
        size[i] = z + count;
    }
}
