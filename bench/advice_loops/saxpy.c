/* After the reference linear algebra library: a times x plus y, in large arrays.
 * Nothing to gain: vectors already, at the speed of memory. */
#pragma inflight kernel
#pragma inflight set n = 24000000
#pragma inflight buffer y = zero
void saxpy(int n, float a, float y[restrict n], const float x[restrict n])
{
    for (int i = 0; i < n; i++)
        y[i] = 0.5f * y[i] + a * x[i];
}
