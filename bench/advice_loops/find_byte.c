/* After C libraries and articles on strlen and memchr: a loop that ends at the byte
 * sought, which compilers do not vectorise. Known remedy: blocks of 64 bytes that are
 * compared at once. */
#pragma inflight kernel
#pragma inflight set n = 60000000
#pragma inflight set sought = 10
#pragma inflight buffer text length n
#pragma inflight buffer text = uniform(65, 90)
int find_byte(int n, int sought, const unsigned char *text)
{
    for (int i = 0; i < n; i++)
        if (text[i] == sought)
            return i;
    return n;
}

int hand(int n, int sought, const unsigned char *text)
{
    int i = 0;
    for (; i + 64 <= n; i += 64) {
        unsigned char any = 0;
        for (int v = 0; v < 64; v++)
            any |= text[i + v] == (unsigned char)sought;
        if (any)
            break;
    }
    for (; i < n; i++)
        if (text[i] == sought)
            return i;
    return n;
}
