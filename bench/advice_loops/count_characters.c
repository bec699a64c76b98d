/* After counting the characters of UTF-8 text in articles and libraries: the bytes that
 * do not continue one, into a size_t. Known remedy: counted in bytes for 255 rounds,
 * then added up. */
#include <stddef.h>

#pragma inflight kernel
#pragma inflight set n = 100000000
#pragma inflight buffer text = uniform(0, 255)
size_t count_characters(size_t n, const unsigned char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}

enum { LANES = 128 };

size_t hand(size_t n, const unsigned char *text)
{
    size_t count = 0, i = 0;
    while (i + LANES <= n) {
        unsigned char lane[LANES] = {0};
        for (int k = 0; k < 255 && i + LANES <= n; k++, i += LANES)
            for (int v = 0; v < LANES; v++)
                lane[v] += (text[i + v] & 0xc0) != 0x80;
        for (int v = 0; v < LANES; v++)
            count += lane[v];
    }
    for (; i < n; i++)
        count += (text[i] & 0xc0) != 0x80;
    return count;
}
