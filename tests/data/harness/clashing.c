/* Names of the harness, of libraries and of the other side: functions, data, a program.
 */
#include <stdio.h>
struct pair {
    double request;
} pair = {2};
double side[4] = {1, 1, 1, 1};
static int calls;
double fill(double x)
{
    return pair.request * x;
}
static double now_ns(double x)
{
    return fill(x) + calls;
}
#pragma inflight kernel
#pragma inflight set n = 300
void barrier_wait(int n, const double a[n], double b[n])
{
    calls++;
    for (int i = 0; i < n; i++)
        b[i] = now_ns(a[i]) * side[i % 4];
}
int main(void)
{
    double a[300] = {0}, b[300];
    barrier_wait(300, a, b);
    printf("%g\n", b[0]);
    return 0;
}
