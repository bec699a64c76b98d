/* embed_rows as votes for six questions, in structs of two lines of which one is read. */
struct answer {
    double vote[6], rest[10];
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer person = cycle(1, 4096)
#pragma inflight buffer total = zero
void embed_struct(long n, double total[restrict 6],
                  const struct answer answer[restrict n],
                  const unsigned person[restrict n])
{
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (long i = 0; i < n; i++) {
        const struct answer *one = &answer[person[i]];
        a += one->vote[0];
        b += one->vote[1];
        c += one->vote[2];
        d += one->vote[3];
        e += one->vote[4];
        f += one->vote[5];
    }
    total[0] = a;
    total[1] = b;
    total[2] = c;
    total[3] = d;
    total[4] = e;
    total[5] = f;
}
