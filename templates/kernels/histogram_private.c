/*
 * histogram_private: a histogram of few bins, counted in eight copies that are added up at the end.
 *
 * With one copy, two equal keys in a row wait for each other: the second increment needs the sum that the
 * first one has just stored. Eight copies, one for each place in a group of eight keys, take these waits apart
 * and would be what threads need too. They cost eight times the space, 8 KiB here, which the first cache
 * has.
 *
 * 2^22 groups of eight keys over 256 bins.
 */
#pragma inflight kernel
#pragma inflight set groups = 4194304
#pragma inflight set bins = 256
#pragma inflight buffer key = index(bins)
#pragma inflight buffer part = zero
#pragma inflight buffer count = zero
#pragma inflight flops 0
void histogram_private(long groups, int bins, unsigned count[restrict bins], unsigned part[restrict 8][bins],
		       const unsigned char key[restrict groups][8])
{
	for (int p = 0; p < 8; p++)
		for (int b = 0; b < bins; b++)
			part[p][b] = 0;
	for (long g = 0; g < groups; g++)
		for (int p = 0; p < 8; p++)
			part[p][key[g][p]]++;
	for (int b = 0; b < bins; b++) {
		count[b] = 0;
		for (int p = 0; p < 8; p++)
			count[b] += part[p][b];
	}
}
