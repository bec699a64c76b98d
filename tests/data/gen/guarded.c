void kernel(int n, float out[restrict n][n], const float in[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = -1; k <= 1; k++)
                for (int l = -1; l <= 1; l++)
                    if (i + k >= 0 && i + k < n && j + l >= 0 && j + l < n)
                        out[i][j] += in[i + k][j + l];
}
