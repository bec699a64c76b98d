/*
 * scatter_local: random increments, one block of the table after the other.
 *
 * The counterpart of histogram.c: every update still misses the caches, but it falls into a block of
 * 2 MiB that is worked on for a while and never again. Translations are at hand, no page walks are in
 * the way, and the order within the block is random, so no prefetcher helps. What is left is the
 * bare miss queue of L1.
 *
 * 512 blocks of w = 2^19 counts (2 MiB); q keys per block, one for every second line or so.
 */
#pragma inflight kernel
#pragma inflight set blocks = 512
#pragma inflight set w = 524288
#pragma inflight set q = 16384
#pragma inflight buffer key = index(w)
#pragma inflight buffer count = zero
#pragma inflight flops 0
void scatter_local(int blocks, int w, int q, unsigned count[restrict blocks][w], const int key[restrict blocks][q])
{
	for (int b = 0; b < blocks; b++)
		for (int i = 0; i < q; i++)
			count[b][key[b][i]]++;
}
