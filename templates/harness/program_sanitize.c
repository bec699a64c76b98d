/*
 * What a program does for a sanitizer that it is built with (-DINFLIGHT_ADDRESS,
 * -DINFLIGHT_THREADS): reports go to the file of the results with `.report`
 * behind its name, which a line `sanitizer` announces; the first one ends the program.
 * Memory around the arrays is made known to the address sanitizer, whose own marks are
 * only around what malloc and the compiler place.
 */
#include <fcntl.h>

#if defined(INFLIGHT_ADDRESS) || defined(INFLIGHT_THREADS)
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

/* Faults are explained by us; what the kernel leaves unfreed is its affair. */
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_sigbus=0:allow_user_segv_handler=1:detect_leaks=0:"
           "detect_stack_use_after_return=0";
}

const char *__ubsan_default_options(void)
{
    return "halt_on_error=1";
}

const char *__tsan_default_options(void)
{
    return "halt_on_error=1:handle_segv=0:handle_sigbus=0:allow_user_segv_handler=1:"
           "report_signal_unsafe=0:report_thread_leaks=0";
}

/* What goes to standard error goes there: the runtimes of one program may be several, and
 * each has a path of its own. */
static void sanitizer_begin(const char *out, FILE *lines)
{
    char path[4096];
    int file;

    snprintf(path, sizeof(path), "%s.report", out);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, STDERR_FILENO) < 0)
        stop(EXIT_ARGUMENTS, "cannot write '%s': %s", path, strerror(errno));
    fprintf(lines, "sanitizer\n");
}
#else
static void sanitizer_begin(const char *out, FILE *lines)
{
    (void)out;
    (void)lines;
}
#endif

#ifdef INFLIGHT_ADDRESS
void __asan_poison_memory_region(const volatile void *from, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *from, size_t bytes);
#define CLOSE_MEMORY(from, bytes) __asan_poison_memory_region(from, bytes)
#define OPEN_MEMORY(from, bytes)  __asan_unpoison_memory_region(from, bytes)
#else
#define CLOSE_MEMORY(from, bytes) ((void)(from), (void)(bytes))
#define OPEN_MEMORY(from, bytes)  ((void)(from), (void)(bytes))
#endif
