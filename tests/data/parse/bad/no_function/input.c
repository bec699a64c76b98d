int no_function(int n, double *a);
double x[100];
