/* After the most read question about branches: the sum of what is above a limit,
 * unsorted. Nothing to gain: compilers remove the branch and make vectors today. */
#pragma inflight kernel
#pragma inflight set n = 32000000
#pragma inflight buffer data = uniform(0, 255)
long sorted_question(int n, const int data[restrict n])
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        if (data[i] >= 128)
            sum += data[i];
    return sum;
}
