/* After a report about a search engine's library: the documents whose score reaches a
 * threshold are kept, at random. Known remedy: stored always, the count moved by the
 * comparison. */
#pragma inflight kernel
#pragma inflight set n = 8000000
#pragma inflight set least = 0.5
#pragma inflight buffer score = uniform(0, 1)
#pragma inflight buffer kept = zero
#pragma inflight buffer kept_score = zero
#pragma inflight buffer doc = index(100000000)
int keep_scores(int n, float least, int kept[restrict n], float kept_score[restrict n],
                const int doc[restrict n], const float score[restrict n])
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (score[i] >= least) {
            kept[m] = doc[i];
            kept_score[m] = score[i];
            m++;
        }
    for (int i = m; i < n; i++) {
        kept[i] = -1;
        kept_score[i] = 0;
    }
    return m;
}

int hand(int n, float least, int kept[restrict n], float kept_score[restrict n],
         const int doc[restrict n], const float score[restrict n])
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        kept[m] = doc[i];
        kept_score[m] = score[i];
        m += score[i] >= least;
    }
    for (int i = m; i < n; i++) {
        kept[i] = -1;
        kept_score[i] = 0;
    }
    return m;
}
