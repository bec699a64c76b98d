static int one(int n) { return n + 1; }
int no_loop(int n)
{
    return one(n);
}
