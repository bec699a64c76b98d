/* lists_scalar with linked structs of two lines, and their values added. */
struct node {
    int next, value;
    char rest[120];
};

#pragma inflight kernel
#pragma inflight set steps = 131072
#pragma inflight set n = 1048576
#pragma inflight buffer node.next = cycle(1, 4096)
int lists_struct(int steps, int n, const struct node node[restrict n])
{
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        int p = k * (n / 8);
        for (int i = 0; i < steps; i++) {
            sum += node[p].value;
            p = node[p].next;
        }
        sum += p;
    }
    return sum;
}
