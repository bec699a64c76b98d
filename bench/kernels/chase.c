/*
 * K independent pointer chases, K given by -DK=1, 2, 4, 8, 12 or 16: a program that has K
 * misses in flight by construction. Each chase has an array of its own, which one call
 * goes through once, so that none finds what another brought. One pointer per 128 bytes,
 * one single cycle, random inside blocks of 512 KiB, so that the pages of sixteen blocks
 * fit into the TLBs and no prefetcher can follow.
 */
#ifndef K
#define K 1
#endif

#pragma inflight kernel
#pragma inflight set n = 33554432
#pragma inflight set steps = 2097152
#pragma inflight buffer end = zero
#pragma inflight buffer next0 = cycle(16, 65536)
#if K > 1
#pragma inflight buffer next1 = cycle(16, 65536)
#endif
#if K > 2
#pragma inflight buffer next2 = cycle(16, 65536)
#pragma inflight buffer next3 = cycle(16, 65536)
#endif
#if K > 4
#pragma inflight buffer next4 = cycle(16, 65536)
#pragma inflight buffer next5 = cycle(16, 65536)
#pragma inflight buffer next6 = cycle(16, 65536)
#pragma inflight buffer next7 = cycle(16, 65536)
#endif
#if K > 8
#pragma inflight buffer next8 = cycle(16, 65536)
#pragma inflight buffer next9 = cycle(16, 65536)
#pragma inflight buffer next10 = cycle(16, 65536)
#pragma inflight buffer next11 = cycle(16, 65536)
#endif
#if K > 12
#pragma inflight buffer next12 = cycle(16, 65536)
#pragma inflight buffer next13 = cycle(16, 65536)
#pragma inflight buffer next14 = cycle(16, 65536)
#pragma inflight buffer next15 = cycle(16, 65536)
#endif
void chase(long n, long steps, long end[restrict 16], const long next0[restrict n]
#if K > 1
           ,
           const long next1[restrict n]
#endif
#if K > 2
           ,
           const long next2[restrict n], const long next3[restrict n]
#endif
#if K > 4
           ,
           const long next4[restrict n], const long next5[restrict n],
           const long next6[restrict n], const long next7[restrict n]
#endif
#if K > 8
           ,
           const long next8[restrict n], const long next9[restrict n],
           const long next10[restrict n], const long next11[restrict n]
#endif
#if K > 12
           ,
           const long next12[restrict n], const long next13[restrict n],
           const long next14[restrict n], const long next15[restrict n]
#endif
)
{
    long p0 = 0;
#if K > 1
    long p1 = 0;
#endif
#if K > 2
    long p2 = 0, p3 = 0;
#endif
#if K > 4
    long p4 = 0, p5 = 0, p6 = 0, p7 = 0;
#endif
#if K > 8
    long p8 = 0, p9 = 0, p10 = 0, p11 = 0;
#endif
#if K > 12
    long p12 = 0, p13 = 0, p14 = 0, p15 = 0;
#endif
    for (long i = 0; i < steps; i++) {
        p0 = next0[p0];
#if K > 1
        p1 = next1[p1];
#endif
#if K > 2
        p2 = next2[p2];
        p3 = next3[p3];
#endif
#if K > 4
        p4 = next4[p4];
        p5 = next5[p5];
        p6 = next6[p6];
        p7 = next7[p7];
#endif
#if K > 8
        p8 = next8[p8];
        p9 = next9[p9];
        p10 = next10[p10];
        p11 = next11[p11];
#endif
#if K > 12
        p12 = next12[p12];
        p13 = next13[p13];
        p14 = next14[p14];
        p15 = next15[p15];
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
