/* After reports about loops that compilers do not vectorise: pointer, length and
 * numbers are read from the struct again after each store. Known remedy: copied to
 * locals before the loop. */
struct stage {
    int n;
    unsigned char mask, bias;
    unsigned char *in, *out;
};

#pragma inflight kernel
#pragma inflight set s->n = 60000000
#pragma inflight set s->mask = 85
#pragma inflight set s->bias = 3
#pragma inflight buffer s->in length s->n
#pragma inflight buffer s->out length s->n
void members_again(struct stage *s)
{
    for (int i = 0; i < s->n; i++)
        s->out[i] = (unsigned char)((s->in[i] ^ s->mask) + s->bias);
}

void hand(struct stage *s)
{
    int n = s->n;
    unsigned char mask = s->mask, bias = s->bias, *out = s->out;
    const unsigned char *in = s->in;
    for (int i = 0; i < n; i++)
        out[i] = (unsigned char)((in[i] ^ mask) + bias);
}
