/* After C libraries and articles on strlen and memchr: a loop that ends at the byte
 * sought, which compilers do not vectorise. Known remedy: blocks of 64 bytes that are
 * compared at once. */
#pragma inflight kernel
#pragma inflight set rounds = 40
#pragma inflight set n = 1000000
#pragma inflight set sought = 10
#pragma inflight buffer text length n
#pragma inflight buffer text = uniform(65, 90)
int find_byte(int rounds, int n, int sought, const unsigned char *text)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int i = 0;
        while (i < n && text[i] != sought)
            i++;
        sum += i + r;
    }
    return sum;
}

int hand(int rounds, int n, int sought, const unsigned char *text)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        int i = 0;
        for (; i + 64 <= n; i += 64) {
            unsigned char any = 0;
            for (int v = 0; v < 64; v++)
                any |= text[i + v] == (unsigned char)sought;
            if (any)
                break;
        }
        while (i < n && text[i] != sought)
            i++;
        sum += i + r;
    }
    return sum;
}
