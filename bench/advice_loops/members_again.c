/* After reports about loops that compilers do not vectorise: pointer, length and factor
 * are read from the struct again after each store. Known remedy: copied to locals
 * before the loop. */
struct stage {
    int n;
    float gain, bias;
    float *in, *out;
};

#pragma inflight kernel
#pragma inflight set rounds = 100
#pragma inflight set s->n = 100000
#pragma inflight buffer s->in length s->n
#pragma inflight buffer s->out length s->n
void members_again(int rounds, struct stage *s)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < s->n; i++)
            s->out[i] = s->in[i] * s->gain + s->bias;
}

void hand(int rounds, struct stage *s)
{
    int n = s->n;
    float gain = s->gain, bias = s->bias, *out = s->out;
    const float *in = s->in;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            out[i] = in[i] * gain + bias;
}
