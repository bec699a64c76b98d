/* Nodes that are in twelve rings at once, a link a pair of lines: six rings are followed
 * in step, each load waits for the one before of its ring, and then the other six. */
struct link {
    int next, rest[31];
};

struct node {
    struct link a, b, c, d, e, f, g, h, i, j, k, l;
};

#pragma inflight kernel
#pragma inflight set n = 131072
#pragma inflight buffer node.a.next = cycle(1, 256)
#pragma inflight buffer node.b.next = cycle(1, 256)
#pragma inflight buffer node.c.next = cycle(1, 256)
#pragma inflight buffer node.d.next = cycle(1, 256)
#pragma inflight buffer node.e.next = cycle(1, 256)
#pragma inflight buffer node.f.next = cycle(1, 256)
#pragma inflight buffer node.g.next = cycle(1, 256)
#pragma inflight buffer node.h.next = cycle(1, 256)
#pragma inflight buffer node.i.next = cycle(1, 256)
#pragma inflight buffer node.j.next = cycle(1, 256)
#pragma inflight buffer node.k.next = cycle(1, 256)
#pragma inflight buffer node.l.next = cycle(1, 256)
int threads_struct(int n, const struct node node[restrict n])
{
    int p = 0, q = 0, r = 0, s = 0, t = 0, u = 0;
    for (int m = 0; m < n; m++) {
        p = node[p].a.next;
        q = node[q].b.next;
        r = node[r].c.next;
        s = node[s].d.next;
        t = node[t].e.next;
        u = node[u].f.next;
    }
    for (int m = 0; m < n; m++) {
        p = node[p].g.next;
        q = node[q].h.next;
        r = node[r].i.next;
        s = node[s].j.next;
        t = node[t].k.next;
        u = node[u].l.next;
    }
    return p ^ q ^ r ^ s ^ t ^ u;
}

/* All twelve in step. */
int remedy(int n, const struct node node[restrict n])
{
    int p = 0, q = 0, r = 0, s = 0, t = 0, u = 0;
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (int m = 0; m < n; m++) {
        p = node[p].a.next;
        q = node[q].b.next;
        r = node[r].c.next;
        s = node[s].d.next;
        t = node[t].e.next;
        u = node[u].f.next;
        a = node[a].g.next;
        b = node[b].h.next;
        c = node[c].i.next;
        d = node[d].j.next;
        e = node[e].k.next;
        f = node[f].l.next;
    }
    return (p ^ q ^ r ^ s ^ t ^ u) + (a ^ b ^ c ^ d ^ e ^ f);
}
