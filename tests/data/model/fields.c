struct body {
    double x, y;
};

void kernel(int n, struct body *p)
{
    for (int i = 0; i < n; i++)
        p[i].x = 0.5 * p[i + 1].y + p[i].x;
}
