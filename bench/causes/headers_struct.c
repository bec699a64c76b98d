/* What the heads of 16384 blocks of a page and a line say, in random order: the heads, 1
 * MiB, stay in the caches, but no TLB holds so many pages of 4 KiB. */
struct block {
    int live, free;
    char body[4152];
};

#pragma inflight kernel
#pragma inflight set rounds = 200
#pragma inflight set n = 16384
#pragma inflight buffer order = permutation
#pragma inflight buffer block.live = uniform(3, 3)
#pragma inflight buffer block.free = uniform(4, 4)
int headers_struct(int rounds, int n, const struct block block[restrict n],
                   const int order[restrict n])
{
    int sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++)
            sum += (block[order[i]].live ^ r) + block[order[i]].free;
    return sum;
}
