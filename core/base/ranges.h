/* Lists of numbers as Linux writes them: "0-3,8". */
#ifndef CORE_BASE_RANGES_H
#define CORE_BASE_RANGES_H

/* The next range of the list at *at, which moves behind it: 1; 0 at the end of the text
 * or line, -1 where the list is none. low <= high, neither is negative. */
int range_next(const char **at, long *low, long *high);

#endif
