/* biquad_rows in the other form, with two numbers of state and a struct of coefficients,
 * over a long signal of float. */
struct filter {
    float b0, b1, b2, a1, a2;
};

#pragma inflight kernel
#pragma inflight set n = 16777216
#pragma inflight set filter->b0 = 0.25
#pragma inflight set filter->b1 = 0.5
#pragma inflight set filter->b2 = 0.25
#pragma inflight set filter->a1 = -0.5
#pragma inflight set filter->a2 = 0.375
float biquad_struct(long n, const struct filter *restrict filter,
                    const float in[restrict n])
{
    const float b0 = filter->b0, b1 = filter->b1, b2 = filter->b2;
    const float a1 = filter->a1, a2 = filter->a2;
    float s1 = 0, s2 = 0, top = 0;
    for (long i = 0; i < n; i++) {
        float y = b0 * in[i] + s1;
        s1 = b1 * in[i] - a1 * y + s2;
        s2 = b2 * in[i] - a2 * y;
        top = y > top ? y : top;
    }
    return top;
}
