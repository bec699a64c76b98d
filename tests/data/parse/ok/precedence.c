int precedence(int a, int b, int c, int *p, double x)
{
    int r = 0;
    for (int i = 0; i < c; i++) {
        r += (a + b) * c - a / (b * c) % 7;
        r -= a - (b - c) - (a - b - c);
        r |= a & b | c ^ (a | b) & ~c;
        r = (a << 2) + (b >> (c + 1)) + (a << b << c);
        r = (a && b) || (c && !a) || (!b == c);
        r = (a < b) == (b < c);
        r = a ? b : c ? a : (b ? c : a);
        r = (a ? b : c) ? (a, b) : c;
        r = -(-a) + -(a + b) - -c - (-c);
        r = *p++ + (*p)++ + ++*p + *++p;
        r = (int)x + (int)(x * 2) + (int)-x;
        r = (a = b) + (b += c);
        r = !(a == b) + ~(a + 1);
        p[a + b * 2] = (&p[a])[b], r = (*&p)[c];
        if ((a = b))
            r++;
        while ((a = a - 1) > 0)
            b = c = a;
        r = a - (b + 3) + (c - (a - 1));
        r = (a & 1 ? b : c) + ((a + b) ? 1 : 2);
        r = (a == b) & (b != c) ^ (a > b);
    }
    return r;
}
