struct grid {
    int nx, ny;
    double w;
    struct {
        double a;
        float b;
    } box;
    double *u, *v;
};
struct body {
    double x, y, m;
    int cell;
};
struct plain {
    double *data;
    double (*function)(double);
};
extern double table[64];
extern int level;

void gather(int n, double alpha, const int *index, const double *x, double *y);
void two(int n, int m, double a[n][m], const double b[n][m]);
double fields(struct grid *g);
void bodies(int n, struct body *p, const double *force);
void globals(int n, double *out);
void many(int a, int b, int c, int d, int e, int f, int g, int n, double x,
          const double *in, double *out);
double cloned(int n, const double *a);
double inlined(int n, const double *a);
void calls(int n, double (*function)(double), double *y);
void coarse(int n, int odd, double **fine, double *y);
void work(int n, int who, double *y);
