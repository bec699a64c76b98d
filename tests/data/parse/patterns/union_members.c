union w { float f; unsigned u; };
void f(int n, union w *a)
{
    for (int i = 0; i < n; i++) {
        a[i].f = (float)i;
        a[i].u &= 0x7fffffffu;
    }
}
