struct b { unsigned lo : 4, hi : 4; };
void f(int n, struct b *a)
{
    for (int i = 0; i < n; i++)
        a[i].hi = a[i].lo;
}
