/* Stands in for libpapi.so where there are no counters: every read finds event i moved on
 * by 10 (i + 1). An event "NONE" does not exist. */
#include <string.h>

int PAPI_library_init(int version);
int PAPI_thread_init(unsigned long (*id)(void));
int PAPI_create_eventset(int *set);
int PAPI_add_named_event(int set, const char *event);
int PAPI_start(int set);
int PAPI_read(int set, long long *value);
int PAPI_stop(int set, long long *value);
int PAPI_cleanup_eventset(int set);
int PAPI_destroy_eventset(int *set);
int PAPI_register_thread(void);
int PAPI_unregister_thread(void);
char *PAPI_strerror(int code);

enum { sets_max = 1024 };
static int set_nr, events[sets_max];
static long long reads[sets_max];

int PAPI_library_init(int version)
{
    return version == 6 << 24 ? version : -1;
}

int PAPI_thread_init(unsigned long (*id)(void))
{
    return id() ? 0 : -1;
}

int PAPI_create_eventset(int *set)
{
    *set = __atomic_fetch_add(&set_nr, 1, __ATOMIC_RELAXED) % sets_max;
    events[*set] = 0;
    return 0;
}

int PAPI_add_named_event(int set, const char *event)
{
    events[set]++;
    return strcmp(event, "NONE") ? 0 : -7;
}

int PAPI_start(int set)
{
    reads[set] = 0;
    return 0;
}

int PAPI_read(int set, long long *value)
{
    reads[set]++;
    for (int i = 0; i < events[set]; i++)
        value[i] = reads[set] * 10 * (i + 1);
    return 0;
}

int PAPI_stop(int set, long long *value)
{
    return PAPI_read(set, value);
}

int PAPI_cleanup_eventset(int set)
{
    return set < 0 ? -1 : 0;
}

int PAPI_destroy_eventset(int *set)
{
    *set = -1;
    return 0;
}

int PAPI_register_thread(void)
{
    return 0;
}

int PAPI_unregister_thread(void)
{
    return 0;
}

char *PAPI_strerror(int code)
{
    static char text[] = "Event does not exist";
    return code ? text : text;
}
