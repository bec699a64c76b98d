struct node {
    struct node *next;
    double value;
};
double walk(const struct node *p)
{
    double sum = 0;
    while (p) {
        sum += p->value;
        p = p->next;
    }
    return sum;
}
