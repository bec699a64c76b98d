#include <stdio.h>

#define FACTOR 2.0

#pragma GCC diagnostic push

/*
 * What is around the nest stays as it is.
 */
#pragma inflight kernel
#pragma inflight set n = 100
void kernel(int n, double b[restrict n][n], const double a[restrict n][n])
{
	/* before */
	if (n > 0) {
#pragma inflight assume independent(i)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
			b[j][i] = FACTOR * a[i][j]; /* macro */
	}	/* after */
}

#pragma GCC diagnostic pop

int main(void)
{
	printf("%d\n",   1 );
	return 0;
}
