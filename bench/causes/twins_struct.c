/* twins_flat as structs of two lines in one array, from both of its ends; int. */
struct node {
    int next, letter;
    char rest[120];
};

#pragma inflight kernel
#pragma inflight set steps = 262144
#pragma inflight set n = 1048576
#pragma inflight buffer node.next = cycle(1, 4096)
int twins_struct(int steps, int n, const struct node node[restrict n])
{
    int p = 0, q = n / 2, same = 0;
    for (int i = 0; i < steps; i++) {
        same += node[p].letter == node[q].letter;
        p = node[p].next;
        q = node[q].next;
    }
    return same + p + q;
}
