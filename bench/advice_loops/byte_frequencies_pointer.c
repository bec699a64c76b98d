/* After reports about counts behind a pointer: the address of a table may be changed by
 * each store of characters. Known remedy: the pointer in a local: vectors. */
struct view {
    unsigned char *pixels;
    int w, h, bias;
};

#pragma inflight kernel
#pragma inflight set v->w = 4000
#pragma inflight set v->h = 3000
#pragma inflight set v->bias = 3
#pragma inflight buffer v->pixels length v->w * v->h
#pragma inflight buffer v->pixels = uniform(0, 9)
void byte_frequencies_pointer(struct view *v)
{
    for (int y = 0; y < v->h; y++)
        for (int x = 0; x < v->w; x++)
            v->pixels[y * v->w + x] = v->pixels[y * v->w + x] ^ v->bias;
}

void hand(struct view *v)
{
    unsigned char *p = v->pixels;
    int w = v->w, h = v->h, bias = v->bias;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            p[y * w + x] = p[y * w + x] ^ bias;
}
