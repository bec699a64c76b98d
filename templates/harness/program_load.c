/* What the other cores do meanwhile: `program --background memory --cpu 3 --out FILE`
 * runs until it is killed. FILE is there once the load is on. */

enum { DISK_BLOCK = 1 << 20, DISK_BLOCKS = 64, ARITHMETIC_TURNS = 1 << 20 };

static void say_ready(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        stop(EXIT_ARGUMENTS, "cannot write '%s': %s", path, strerror(errno));
    close(fd);
}

/* Eight independent chains fill the units that multiply and add. */
static void load_arithmetic(const char *out)
{
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    say_ready(out);
    for (;;) {
        for (int i = 0; i < ARITHMETIC_TURNS; i++)
            for (int k = 0; k < 8; k++)
                x[k] = x[k] * 0.999999 + 1e-6;
        __asm__ volatile("" : : "r"(x) : "memory");
    }
}

/* Reads and writes lines of an area that no cache holds. */
static void load_memory(const char *out)
{
    size_t nr = larger_than_caches() / sizeof(long long);
    long long *area = must_alloc(nr, sizeof(*area));

    memset(area, 1, nr * sizeof(*area));
    say_ready(out);
    for (;;) {
        for (size_t i = 0; i < nr; i++)
            area[i] += 1;
        __asm__ volatile("" : : "r"(area) : "memory");
    }
}

/* Writes a file again and again, each block to the disk itself. */
static void load_disk(const char *out)
{
    static char block[DISK_BLOCK];
    int fd = open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    memset(block, 1, sizeof(block));
    for (long i = 0;; i++) {
        if (fd < 0 ||
            pwrite(fd, block, sizeof(block), (off_t)(i % DISK_BLOCKS) * DISK_BLOCK) < 0 ||
            fsync(fd))
            stop(1, "cannot write '%s': %s", out, strerror(errno));
    }
}

static void load_run(const struct request *request)
{
    static const struct {
        const char *name;
        void (*run)(const char *out);
    } loads[] = {
        {"arithmetic", load_arithmetic}, {"memory", load_memory}, {"disk", load_disk}};

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        if (strcmp(loads[i].name, request->background) == 0)
            loads[i].run(request->out);
    stop(EXIT_ARGUMENTS, "--background: expected arithmetic, memory or disk, got '%s'",
         request->background);
}
