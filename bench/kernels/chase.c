/*
 * K independent pointer chases, K given by -DK: a program that has K misses in flight by
 * construction. One pointer per 128 bytes, one single cycle, random inside blocks of 512
 * KiB, so that the pages of twelve blocks fit into the TLBs and no prefetcher can follow.
 */
#ifndef K
#define K 1
#endif
#define START(k) (n / 16 / K * (k)*16)

#pragma inflight kernel
#pragma inflight set n = 134217728
#pragma inflight set steps = 2097152
#pragma inflight buffer next = cycle(16, 65536)
#pragma inflight buffer end = zero
void chase(long n, long steps, const long next[restrict n], long end[restrict 12])
{
    long p0 = START(0);
#if K > 1
    long p1 = START(1);
#endif
#if K > 2
    long p2 = START(2), p3 = START(3);
#endif
#if K > 4
    long p4 = START(4), p5 = START(5), p6 = START(6), p7 = START(7);
#endif
#if K > 8
    long p8 = START(8), p9 = START(9), p10 = START(10), p11 = START(11);
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
}
