/*
 * edit_distance: Two strings against each other in two rows: each cell waits for its left neighbour.
 */
#pragma inflight kernel
#pragma inflight set n = 6000
#pragma inflight set m = 6000
#pragma inflight buffer a = index(4)
#pragma inflight buffer b = index(4)
void edit_distance(int n, int m, const signed char a[restrict n], const signed char b[restrict m],
                   int row[restrict m + 1])
{
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 0; i < n; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < m; j++) {
            int best = corner + (a[i] != b[j]);
            corner = row[j + 1];
            best = best < corner + 1 ? best : corner + 1;
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j + 1] = best;
        }
    }
}
