struct node { struct node *next; double v; };
double f(struct node *p, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += p->v;
        p = p->next;
    }
    return s;
}
