/*
 * What `inflight capture` compiles into a private copy of an application: at its beginning
 * a function tells what it was called with, and waits until it was looked at. Nothing of
 * libc is included and no name of the file is touched, so that it goes in front of any C
 * or C++ source, of whatever standard. Without a listener (the environment's
 * INFLIGHT_CAPTURE names its socket) a call costs an addition and two comparisons.
 *
 * A message, in the byte order of the machine: the number of the call and the address of
 * this code, 8 bytes each; of each value its kind ('i', 'f', 'p'), the length of its name
 * (2 bytes), the name, 8 bytes; a kind of 0. The answer: the next call that is wanted, 8
 * bytes.
 */
#ifndef INFLIGHT_RECORDER_H
#define INFLIGHT_RECORDER_H
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif
extern char *inflight_getenv(const char *) __asm__("getenv");
extern int inflight_socket(int, int, int) __asm__("socket");
extern int inflight_connect(int, const void *, unsigned) __asm__("connect");
extern long inflight_send(int, const void *, unsigned long, int) __asm__("send");
extern long inflight_recv(int, void *, unsigned long, int) __asm__("recv");
extern int inflight_close(int) __asm__("close");
extern int inflight_yield(void) __asm__("sched_yield");
extern int inflight_getpid(void) __asm__("getpid");
extern int *inflight_errno(void) __asm__("__errno_location");
#ifdef __cplusplus
}
#endif

enum { /* Linux, all architectures that inflight runs on */
    INFLIGHT_UNIX = 1,
    INFLIGHT_STREAM = 1,
    INFLIGHT_CLOEXEC = 02000000,
    INFLIGHT_NOSIGNAL = 0x4000,
    INFLIGHT_EINTR = 4,
    INFLIGHT_PATH_BYTES = 108, /* of sockaddr_un */
    INFLIGHT_BUFFER_BYTES = 8192
};

static struct {
    unsigned long calls, next; /* so far; the first that is wanted, of whatever thread */
    int busy; /* the process of which a thread tells of a call; 0 = none. Another one's
                 is what fork left of a thread that the child does not have */
    int fd;   /* then */
    unsigned long used;
    char buffer[INFLIGHT_BUFFER_BYTES];
} inflight_recorder = {0, 1, 0, -1, 0, {0}};

static void inflight_send_all(void)
{
    unsigned long done = 0;

    while (done < inflight_recorder.used) {
        long sent = inflight_send(inflight_recorder.fd, inflight_recorder.buffer + done,
                                  inflight_recorder.used - done, INFLIGHT_NOSIGNAL);

        if (sent < 0 && *inflight_errno() != INFLIGHT_EINTR)
            break;
        done += sent > 0 ? (unsigned long)sent : 0;
    }
    inflight_recorder.used = 0;
}

static void inflight_add(const void *from, unsigned long bytes)
{
    const char *at = (const char *)from;
    unsigned long i;

    for (i = 0; i < bytes; i++) {
        if (inflight_recorder.used == INFLIGHT_BUFFER_BYTES)
            inflight_send_all();
        inflight_recorder.buffer[inflight_recorder.used++] = at[i];
    }
}

static int inflight_value(char kind, const char *name, const void *value)
{
    unsigned short length = 0;

    while (name[length])
        length++;
    inflight_add(&kind, 1);
    inflight_add(&length, sizeof(length));
    inflight_add(name, length);
    inflight_add(value, 8);
    return 1;
}

static int inflight_integer(const char *name, unsigned long value)
{
    return inflight_value('i', name, &value);
}

static int inflight_real(const char *name, double value)
{
    return inflight_value('f', name, &value);
}

static int inflight_pointer(const char *name, const volatile void *value)
{
    return inflight_value('p', name, &value);
}

#define INFLIGHT_INTEGER(name, value) inflight_integer(name, (unsigned long)(value))
#define INFLIGHT_REAL(name, value) inflight_real(name, (double)(value))
#define INFLIGHT_POINTER(name, value)                                                    \
    inflight_pointer(name, (const volatile void *)(value))

/* No call is wanted any more. */
static int inflight_give_up(void)
{
    if (inflight_recorder.fd >= 0)
        inflight_close(inflight_recorder.fd);
    inflight_recorder.fd = -1;
    __atomic_store_n(&inflight_recorder.next, ~0ul, __ATOMIC_RELAXED);
    __atomic_store_n(&inflight_recorder.busy, 0, __ATOMIC_RELEASE);
    return 0;
}

static int inflight_open(void)
{
    struct {
        unsigned short family;
        char path[INFLIGHT_PATH_BYTES];
    } address = {INFLIGHT_UNIX, {0}};
    const char *path = inflight_getenv("INFLIGHT_CAPTURE");
    unsigned i;

    for (i = 0; path && path[i] && i + 1 < INFLIGHT_PATH_BYTES; i++)
        address.path[i] = path[i];
    if (!path || path[i])
        return 0;
    inflight_recorder.used = 0;
    inflight_recorder.fd =
        inflight_socket(INFLIGHT_UNIX, INFLIGHT_STREAM | INFLIGHT_CLOEXEC, 0);
    return inflight_recorder.fd >= 0 &&
           inflight_connect(inflight_recorder.fd, &address, sizeof(address)) == 0;
}

/* Waits until no other thread of this process tells of a call. */
static void inflight_take(void)
{
    int self = inflight_getpid(), before = 0;

    while (!__atomic_compare_exchange_n(&inflight_recorder.busy, &before, self, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        if (before == self) {
            inflight_yield();
            before = 0;
        }
}

/* True: the values of this call are to follow, joined by &&, then inflight_call_ends. */
static int inflight_call_begins(void)
{
    unsigned long call =
        __atomic_add_fetch(&inflight_recorder.calls, 1, __ATOMIC_RELAXED);
    const void *code = (const void *)&inflight_recorder;
    int kept;

    if (call < __atomic_load_n(&inflight_recorder.next, __ATOMIC_RELAXED))
        return 0;
    inflight_take();
    if (call < inflight_recorder.next) {
        __atomic_store_n(&inflight_recorder.busy, 0, __ATOMIC_RELEASE);
        return 0;
    }
    kept = *inflight_errno();
    if (!inflight_open()) {
        *inflight_errno() = kept;
        return inflight_give_up();
    }
    inflight_add(&call, sizeof(call));
    inflight_add(&code, sizeof(code));
    *inflight_errno() = kept;
    return 1;
}

static int inflight_call_ends(void)
{
    unsigned long next = 0, got = 0;
    char none = 0;
    int kept = *inflight_errno();

    inflight_add(&none, 1);
    inflight_send_all();
    while (got < sizeof(next)) {
        long part = inflight_recv(inflight_recorder.fd, (char *)&next + got,
                                  sizeof(next) - got, 0);

        if (part == 0 || (part < 0 && *inflight_errno() != INFLIGHT_EINTR))
            break;
        got += part > 0 ? (unsigned long)part : 0;
    }
    inflight_close(inflight_recorder.fd);
    inflight_recorder.fd = -1;
    __atomic_store_n(&inflight_recorder.next, got == sizeof(next) ? next : ~0ul,
                     __ATOMIC_RELAXED);
    *inflight_errno() = kept;
    __atomic_store_n(&inflight_recorder.busy, 0, __ATOMIC_RELEASE);
    return 0;
}

/* How often it was called where more calls were waited for than there were: as a call 0
 * without values, its number in the place of the address. */
static void __attribute__((__destructor__, __used__)) inflight_recorder_ends(void)
{
    unsigned long none = 0, calls = inflight_recorder.calls;

    if (!calls || inflight_recorder.next == ~0ul || !inflight_open())
        return;
    inflight_add(&none, sizeof(none));
    inflight_add(&calls, sizeof(calls));
    inflight_call_ends();
}

#endif
