/*
 * What the untransformed kernel made of its arrays, kept in a file: the same sizes and
 * contents give the same results, and it is called once for all variants. Not of kernels
 * with global arrays or further outputs, whose results lie elsewhere.
 */

#include <sys/stat.h>

static bool can_keep(const struct verification *verification)
{
    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (inflight_table.array[i].is_global)
            return false;
    return verification->request->kept && inflight_table.output_nr == 0;
}

/* fread or fwrite of each memory that is written, and of the result. */
static bool pass_all(const struct verification *verification, FILE *file, bool write,
                     struct inflight_result *result)
{
    bool good = true;

    for (size_t i = 0; good && i < inflight_table.array_nr; i++) {
        char *data = verification->pair[i].first.data;
        size_t bytes = verification->pair[i].first.bytes;

        if (memory_of(verification, i) != i || !is_memory_written(verification, i))
            continue;
        good =
            (write ? fwrite(data, 1, bytes, file) : fread(data, 1, bytes, file)) == bytes;
    }
    return good && (write ? fwrite(result, sizeof(*result), 1, file)
                          : fread(result, sizeof(*result), 1, file)) == 1;
}

static size_t kept_bytes(const struct verification *verification)
{
    size_t bytes = sizeof(struct inflight_result);

    for (size_t i = 0; i < inflight_table.array_nr; i++)
        if (memory_of(verification, i) == i && is_memory_written(verification, i))
            bytes += verification->pair[i].first.bytes;
    return bytes;
}

/* False when there is no such file, or it does not fit. */
static bool take_kept(const struct verification *verification,
                      struct inflight_result *result)
{
    FILE *file = can_keep(verification) ? fopen(verification->request->kept, "re") : NULL;
    struct stat about;
    bool fits = file && fstat(fileno(file), &about) == 0 &&
                (size_t)about.st_size == kept_bytes(verification);

    if (fits && !pass_all(verification, file, false, result))
        stop(1, "cannot read '%s'", verification->request->kept);
    if (file)
        fclose(file);
    return fits;
}

/* Complete or not at all; if it cannot be written, the kernel is called again. */
static void put_kept(const struct verification *verification,
                     struct inflight_result *result)
{
    const char *path = verification->request->kept;
    char *made;
    FILE *file;

    if (!can_keep(verification))
        return;
    made = must_alloc(strlen(path) + 32, 1);
    snprintf(made, strlen(path) + 32, "%s.%ld", path, (long)getpid());
    file = fopen(made, "we");
    if (file) {
        bool good = pass_all(verification, file, true, result);

        if (fclose(file) || !good || rename(made, path))
            unlink(made);
    }
    free(made);
}
