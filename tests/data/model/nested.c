struct vector {
    double c[3];
};
struct body {
    struct vector pos, force;
    int cell;
};

void kernel(int n, struct body *p)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            p[i].force.c[k] += 0.5 * p[i].pos.c[k];
}
