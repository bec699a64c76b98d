#include "core/process/account.h"

#include <stdbool.h>

#include "core/process/term.h"

static struct {
    struct account_times times;
    enum account current;
    double since_s;
    bool running;
} book;

const char *account_key(enum account account)
{
    static const char *const key[] = {
#define X(name, key, meaning) [ACCOUNT_##name] = key,
        ACCOUNT_MAP(X)
#undef X
    };
    return key[account];
}

const char *account_meaning(enum account account)
{
    static const char *const meaning[] = {
#define X(name, key, meaning) [ACCOUNT_##name] = meaning,
        ACCOUNT_MAP(X)
#undef X
    };
    return meaning[account];
}

static void book_now(void)
{
    double now_s = clock_s();
    if (book.running)
        book.times.seconds[book.current] += now_s - book.since_s;
    book.running = true;
    book.since_s = now_s;
}

void account_restart(void)
{
    book.times = (struct account_times){{0}};
    book.current = ACCOUNT_OTHER;
    book.since_s = clock_s();
    book.running = true;
}

enum account account_switch(enum account to)
{
    enum account before = book.current;
    book_now();
    book.current = to;
    return before;
}

enum account account_current(void)
{
    return book.current;
}

struct account_times account_now(void)
{
    book_now();
    return book.times;
}

double account_total_s(const struct account_times *times)
{
    double total = 0;
    for (int i = 0; i < ACCOUNT_NR; i++)
        total += times->seconds[i];
    return total;
}

double account_overhead_share(const struct account_times *times)
{
    double total = account_total_s(times);
    return total > 0
               ? (times->seconds[ACCOUNT_OTHER] + times->seconds[ACCOUNT_ANALYSIS]) /
                     total
               : 0;
}
