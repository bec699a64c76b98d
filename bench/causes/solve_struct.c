/* solve_rows with structs, one long system, float, through memory. */
struct row {
    float above, diagonal, factor, pad;
};

#pragma inflight kernel
#pragma inflight set rounds = 2000
#pragma inflight set n = 2048
#pragma inflight buffer row.above = uniform(0.2, 0.4)
#pragma inflight buffer row.diagonal = uniform(2, 3)
#pragma inflight buffer row.factor = zero
void solve_struct(unsigned rounds, unsigned n, struct row row[restrict n])
{
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = 1; i < n; i++)
            row[i].factor =
                row[i].above / (row[i].diagonal - row[i].above * row[i - 1].factor);
}
