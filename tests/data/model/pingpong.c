double u[2][64];

void kernel(int steps)
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < 63; i++)
            u[(t + 1) % 2][i] = u[t % 2][i - 1] + u[t & 1][i + 1];
}
