struct body {
    double x, y;
};

void kernel(int n, struct body *p)
{
    for (int i = 0; i < n; i++)
        p[i].x = p->x + 1.0;
}
