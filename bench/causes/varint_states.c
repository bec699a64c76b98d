/* varint_flat as a machine of states over letters, which writes down where words, numbers
 * and quoted pieces begin. */
#pragma inflight kernel
#pragma inflight set n = 4194304
#pragma inflight buffer letter = uniform(0, 3)
#pragma inflight buffer word = zero
#pragma inflight buffer number = zero
#pragma inflight buffer quote = zero
int varint_states(int n, int word[restrict n], int number[restrict n],
                  int quote[restrict n], const unsigned char letter[restrict n])
{
    int words = 0, numbers = 0, quotes = 0, state = 0;
    for (int i = 0; i < n; i++) {
        if (letter[i] == 0)
            state = 0;
        else if (letter[i] == 1 && state != 1) {
            word[words++] = i;
            state = 1;
        } else if (letter[i] == 2 && state != 2) {
            number[numbers++] = i;
            state = 2;
        } else if (letter[i] == 3) {
            quote[quotes++] = i;
            state = 3;
        }
    }
    return words + numbers + quotes;
}
