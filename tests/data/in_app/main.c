/* usage: ./app ROUNDS [N] */
#include <stdio.h>
#include <stdlib.h>

void turn(int n, double b[restrict n][n], const double a[restrict n][n]);

/* What is not tuned. */
static double sum_of(size_t nr, const double *value)
{
	double sum = 0;
	for (size_t i = 0; i < nr; i++)
		sum += value[i];
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, n = argc > 2 ? atoi(argv[2]) : 1500;
	size_t nr = (size_t)n * (size_t)n;
	double *a = malloc(nr * sizeof(*a)), *b = malloc(nr * sizeof(*b)), sum = 0;
	if (!a || !b || rounds < 1)
		return 2;
	for (size_t i = 0; i < nr; i++)
		a[i] = (double)(i % 1000) / 8;
	for (int round = 0; round < rounds; round++) {
		turn(n, (void *)b, (void *)a);
		sum += sum_of(nr, round % 2 ? a : b);
	}
	printf("sum %.6f\n", sum);
	free(a);
	free(b);
	return 0;
}
