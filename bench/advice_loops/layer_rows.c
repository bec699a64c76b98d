/* After the backward pass of a neural network in a benchmark collection for
 * accelerators: a matrix of row pointers walked down its columns. Known remedy: units
 * of a layer inside, so that each row is read from its start. */
#pragma inflight kernel
#pragma inflight set in = 3000
#pragma inflight set out = 3000
void layer_rows(int in, int out, float *delta, float **w, const float *error)
{
    for (int k = 0; k < out; k++) {
        float total = 0;
        for (int j = 0; j < in; j++)
            total += w[j][k] * error[j];
        delta[k] = total;
    }
}

void hand(int in, int out, float *delta, float **w, const float *error)
{
    for (int k = 0; k < out; k++)
        delta[k] = 0;
    for (int j = 0; j < in && out > 0; j++) {
        const float *row = w[j], e = error[j];
        for (int k = 0; k < out; k++)
            delta[k] += row[k] * e;
    }
}
