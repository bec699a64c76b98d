/* Records of one to 32 lines, each of which says in its head where the next one begins:
 * no address is known before the head before it has come. Eight files, one after the
 * other. */
#pragma inflight kernel
#pragma inflight set n = 33554432
#pragma inflight buffer lines = uniform(1, 32)
long records_longs(long n, const long lines[restrict n])
{
    long found = 0;
    for (long file = 0; file < 8; file++)
        for (long at = file * (n / 8); at < (file + 1) * (n / 8); at += 8 * lines[at])
            found++;
    return found;
}

/* A record of each file in turn. */
long remedy(long n, const long lines[restrict n])
{
    long at[8], found = 0, open = 8;
    for (long file = 0; file < 8; file++)
        at[file] = file * (n / 8);
    while (open > 0) {
        open = 0;
        for (long file = 0; file < 8; file++) {
            long more = at[file] < (file + 1) * (n / 8);
            found += more;
            open += more;
            at[file] += more ? 8 * lines[at[file]] : 0;
        }
    }
    return found;
}
