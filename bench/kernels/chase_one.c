/*
 * The K chases of chase.c through one array, K given by -DK=1, 2, 4, 8, 12 or 16: they
 * begin far from each other on the one cycle, and none comes soon where another was. Each
 * in a variable of its own.
 */
#ifndef K
#define K 1
#endif

#pragma inflight kernel
#pragma inflight set n = 134217728
#pragma inflight set steps = 262144
#pragma inflight buffer end = zero
#pragma inflight buffer next = cycle(16, 65536)
void chase_one(long n, long steps, long end[restrict 16], const long next[restrict n])
{
    long p0 = 0;
#if K > 1
    long p1 = 1 * (n / 16);
#endif
#if K > 2
    long p2 = 2 * (n / 16), p3 = 3 * (n / 16);
#endif
#if K > 4
    long p4 = 4 * (n / 16), p5 = 5 * (n / 16), p6 = 6 * (n / 16), p7 = 7 * (n / 16);
#endif
#if K > 8
    long p8 = 8 * (n / 16);
    long p9 = 9 * (n / 16);
    long p10 = 10 * (n / 16);
    long p11 = 11 * (n / 16);
#endif
#if K > 12
    long p12 = 12 * (n / 16);
    long p13 = 13 * (n / 16);
    long p14 = 14 * (n / 16);
    long p15 = 15 * (n / 16);
#endif

    for (long i = 0; i < steps; i++) {
        p0 = next[p0];
#if K > 1
        p1 = next[p1];
#endif
#if K > 2
        p2 = next[p2];
        p3 = next[p3];
#endif
#if K > 4
        p4 = next[p4];
        p5 = next[p5];
        p6 = next[p6];
        p7 = next[p7];
#endif
#if K > 8
        p8 = next[p8];
        p9 = next[p9];
        p10 = next[p10];
        p11 = next[p11];
#endif
#if K > 12
        p12 = next[p12];
        p13 = next[p13];
        p14 = next[p14];
        p15 = next[p15];
#endif
    }
    end[0] = p0;
#if K > 1
    end[1] = p1;
#endif
#if K > 2
    end[2] = p2;
    end[3] = p3;
#endif
#if K > 4
    end[4] = p4;
    end[5] = p5;
    end[6] = p6;
    end[7] = p7;
#endif
#if K > 8
    end[8] = p8;
    end[9] = p9;
    end[10] = p10;
    end[11] = p11;
#endif
#if K > 12
    end[12] = p12;
    end[13] = p13;
    end[14] = p14;
    end[15] = p15;
#endif
}
