/* After the oldest question of all about loops over strings: strlen in the condition.
 * Known remedy: the length taken once. */
#include <string.h>

#pragma inflight kernel
#pragma inflight set n = 20000
#pragma inflight buffer s = uniform(65, 122)
void lower_case(int n, char s[restrict n + 1])
{
    s[n] = 0;
    for (size_t i = 0; i < strlen(s); i++)
        if (s[i] >= 'A' && s[i] <= 'Z')
            s[i] += 'a' - 'A';
}

void hand(int n, char s[restrict n + 1])
{
    s[n] = 0;
    for (size_t i = 0, length = strlen(s); i < length; i++)
        if (s[i] >= 'A' && s[i] <= 'Z')
            s[i] += 'a' - 'A';
}
