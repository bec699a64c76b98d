/* records_longs with structs of two lines, their values, and one file. */
struct record {
    int next, value;
    char text[120];
};

#pragma inflight kernel
#pragma inflight set n = 2097152
#pragma inflight buffer record.next = uniform(1, 15)
int records_struct(int n, const struct record record[restrict n])
{
    int sum = 0;
    for (int at = 0; at < n; at += record[at].next)
        sum += record[at].value;
    return sum;
}
