/* zobrist_rows as positions of pieces, 16 bits each, and the sum of what they count. */
struct position {
    unsigned short king, queen, rook, bishop, knight, pawn;
};

#pragma inflight kernel
#pragma inflight set rounds = 20000
#pragma inflight set n = 512
#pragma inflight buffer position = uniform(0, 63)
#pragma inflight buffer worth = zero
void zobrist_struct(long rounds, long n, long worth[restrict n],
                    const struct position position[restrict n],
                    const long table[restrict 6][64])
{
    for (long r = 0; r < rounds; r++)
        for (long i = 0; i < n; i++)
            worth[i] = table[0][position[i].king] + table[1][position[i].queen] +
                       table[2][position[i].rook] + table[3][position[i].bishop] +
                       table[4][position[i].knight] + table[5][position[i].pawn];
}
