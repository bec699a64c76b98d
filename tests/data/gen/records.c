/* Arrays of structs: fields alone, copied whole, a union, bit-fields. */
struct body {
    double x, y;
    struct {
        double c[2];
    } v;
};
union word {
    double real;
    long bits;
};
struct flags {
    unsigned low : 5, high : 5;
};

static struct body body[400], old[400];
static union word word[400];
static struct flags flag[400];

void kernel(int n, double *restrict a, double *restrict b, double *c, double *restrict x, double *restrict y, int *p)
{
    (void)b, (void)c;
    for (int i = 0; i < n; i++) {
        body[i].x = x[i];
        body[i].y = y[i];
        for (int k = 0; k < 2; k++)
            body[i].v.c[k] = x[i] * k;
        word[i].real = x[i];
        flag[i].low = (unsigned)p[i] & 31u;
        flag[i].high = 3u;
    }
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) {
            body[j].x = body[j].x * 0.5 + body[j - 1].y;
            body[j].v.c[0] += body[j - 1].x + i;
            body[j].v.c[1] -= body[i].v.c[0];
        }
    for (int i = 1; i < n; i++) {
        old[i] = body[i];
        y[i] = old[i - 1].y + old[i].v.c[1];
    }
    for (int i = 1; i < n; i++) {
        word[i].real = 1.0 + (double)(word[i - 1].bits & 255);
        flag[i].low = (flag[i - 1].high + flag[i].low) & 31u;
        flag[i].high = flag[i - 1].low & 31u;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] += body[j].x * body[i].y + body[i].v.c[0] + body[j].v.c[1] + word[i].real + flag[j].low;
}
