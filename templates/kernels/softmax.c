/*
 * softmax: the rows of an attention matrix made into weights.
 *
 * Three passes over a row: the largest element, exponentials and their sum, a division. A row of a few KiB
 * stays in the first cache between them, so memory sees one read and one write; the exponentials are calls
 * and take most of the time. As a kernel that waits for nothing it shows what "compute" looks like.
 *
 * 4096 rows of 1024.
 */
#include <math.h>

#pragma inflight kernel
#pragma inflight set rows = 4096
#pragma inflight set m = 1024
#pragma inflight buffer score = uniform(-4, 4)
#pragma inflight flops 6 * rows * m
void softmax(int rows, int m, float weight[restrict rows][m], const float score[restrict rows][m])
{
	for (int r = 0; r < rows; r++) {
		float most = score[r][0], sum = 0.0f;

		for (int j = 1; j < m; j++)
			most = score[r][j] > most ? score[r][j] : most;
		for (int j = 0; j < m; j++) {
			weight[r][j] = expf(score[r][j] - most);
			sum += weight[r][j];
		}
		for (int j = 0; j < m; j++)
			weight[r][j] /= sum;
	}
}
