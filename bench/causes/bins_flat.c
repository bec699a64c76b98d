/* Parcels by weight, size and price into one of eight bins: three comparisons of random
 * numbers, of which no predictor knows the next one. Each bin is an array of its own, so
 * that what is stored, and where, is known behind the last branch only. */
#pragma inflight kernel
#pragma inflight set rounds = 16
#pragma inflight set n = 250000
#pragma inflight set half = 127
#pragma inflight buffer weight = uniform(0, 255)
#pragma inflight buffer size = uniform(0, 255)
#pragma inflight buffer price = uniform(0, 255)
#pragma inflight buffer bin = zero
int bins_flat(int rounds, int n, int half, int bin[restrict 8][n],
              const unsigned char weight[restrict n],
              const unsigned char size[restrict n], const unsigned char price[restrict n])
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        for (int i = 0; i < n; i++)
            if (weight[i] > half) {
                if (size[i] > half) {
                    if (price[i] > half)
                        bin[7][h++] = i;
                    else
                        bin[6][g++] = i;
                } else if (price[i] > half)
                    bin[5][f++] = i;
                else
                    bin[4][e++] = i;
            } else if (size[i] > half) {
                if (price[i] > half)
                    bin[3][d++] = i;
                else
                    bin[2][c++] = i;
            } else if (price[i] > half)
                bin[1][b++] = i;
            else
                bin[0][a++] = i;
        sum += a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
    }
    return sum;
}

/* The number of the bin, worked out. */
int remedy(int rounds, int n, int half, int bin[restrict 8][n],
           const unsigned char weight[restrict n], const unsigned char size[restrict n],
           const unsigned char price[restrict n])
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int count[8] = {0};
        for (int i = 0; i < n; i++) {
            int k = 4 * (weight[i] > half) + 2 * (size[i] > half) + (price[i] > half);
            bin[k][count[k]++] = i;
        }
        for (int k = 0; k < 8; k++)
            sum += (k + 1) * count[k];
    }
    return sum;
}
