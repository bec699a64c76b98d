/* After a compression library's checksum: two sums modulo a prime. Known remedy: the
 * remainder taken every 5552 bytes only, as that library does. */
#pragma inflight kernel
#pragma inflight set n = 16000000
#pragma inflight buffer data = uniform(0, 255)
unsigned checksum(int n, const unsigned char *data)
{
    unsigned a = 1, b = 0;
    for (int i = 0; i < n; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

enum { BLOCK = 5552 };

unsigned hand(int n, const unsigned char *data)
{
    unsigned a = 1, b = 0;
    for (int k = 0; k < n; k += BLOCK) {
        int end = n - k < BLOCK ? n : k + BLOCK;
        for (int i = k; i < end; i++) {
            a += data[i];
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}
