/* bins_flat with structs and a tree of decisions that is deeper on one side. */
struct parcel {
    float weight, size, price;
};

#pragma inflight kernel
#pragma inflight set n = 4194304
#pragma inflight buffer parcel = uniform(0, 1)
#pragma inflight buffer post = zero
#pragma inflight buffer truck = zero
#pragma inflight buffer train = zero
#pragma inflight buffer ship = zero
long bins_struct(long n, long post[restrict n], long truck[restrict n],
                 long train[restrict n], long ship[restrict n],
                 const struct parcel parcel[restrict n])
{
    long posts = 0, trucks = 0, trains = 0, ships = 0;
    for (long i = 0; i < n; i++) {
        if (parcel[i].weight < 0.5f)
            post[posts++] = i;
        else if (parcel[i].size < 0.5f)
            truck[trucks++] = i;
        else if (parcel[i].price < 0.5f)
            train[trains++] = i;
        else
            ship[ships++] = i;
    }
    return posts + 2 * trucks + 3 * trains + 4 * ships;
}
