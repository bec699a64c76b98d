/* After the answers to questions about histograms: four tables in turn. Nothing to
 * gain: neighbours count in different tables; one load and one store for each. */
#pragma inflight kernel
#pragma inflight set n = 40000000
#pragma inflight buffer part = zero
#pragma inflight buffer pixel = uniform(0, 255)
void histogram_of_four(int n, unsigned part[restrict 4][256],
                       const unsigned char pixel[restrict n])
{
    for (int i = 0; i + 3 < n; i += 4) {
        part[0][pixel[i]]++;
        part[1][pixel[i + 1]]++;
        part[2][pixel[i + 2]]++;
        part[3][pixel[i + 3]]++;
    }
}
