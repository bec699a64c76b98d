/* field_struct as one array with a stride, float, and the largest instead of the sum. */
#pragma inflight kernel
#pragma inflight set n = 2097152
float field_flat(int n, const float particle[restrict 16 * n])
{
    float most = 0;
    for (int i = 0; i < n; i++)
        most = particle[16 * i + 3] > most ? particle[16 * i + 3] : most;
    return most;
}
