/* scatter_long with structs and int subscripts: two fields of each. */
struct place {
    float weight;
    int from, rest[30];
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer index = cycle(1, 4096)
#pragma inflight buffer place = zero
void scatter_struct(int n, struct place place[restrict n], const int index[restrict n])
{
    for (int i = 0; i < n; i++) {
        place[index[i]].weight = 1.0f;
        place[index[i]].from = i;
    }
}
