/* Trades that are in six lists at once, a link a pair of lines: three lists are followed
 * in step, each load waits for the one before of its list, and then the other three. */
struct trade {
    int price, p[31], time, t[31], client, c[31];
    int broker, b[31], market, m[31], branch, r[31];
};

#pragma inflight kernel
#pragma inflight set n = 262144
#pragma inflight buffer trade.price = cycle(1, 512)
#pragma inflight buffer trade.time = cycle(1, 512)
#pragma inflight buffer trade.client = cycle(1, 512)
#pragma inflight buffer trade.broker = cycle(1, 512)
#pragma inflight buffer trade.market = cycle(1, 512)
#pragma inflight buffer trade.branch = cycle(1, 512)
long trades_struct(int n, const struct trade trade[restrict n])
{
    int a = 0, b = 0, c = 0;
    long sum = 0;
    for (int i = 0; i < n; i++) {
        a = trade[a].price;
        b = trade[b].time;
        c = trade[c].client;
        sum += a ^ b ^ c;
    }
    for (int i = 0; i < n; i++) {
        a = trade[a].broker;
        b = trade[b].market;
        c = trade[c].branch;
        sum += a ^ b ^ c;
    }
    return sum;
}

/* All six in step. */
long remedy(int n, const struct trade trade[restrict n])
{
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    long sum = 0;
    for (int i = 0; i < n; i++) {
        a = trade[a].price;
        b = trade[b].time;
        c = trade[c].client;
        d = trade[d].broker;
        e = trade[e].market;
        f = trade[f].branch;
        sum += (a ^ b ^ c) + (d ^ e ^ f);
    }
    return sum;
}
