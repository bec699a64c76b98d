/*
 * Markers around the parts of a program that matter, for `inflight profile`. C, C++ and,
 * with the module inflight_regions.f90, Fortran. Link with -linflight_regions; described
 * in docs/reference/regions.md.
 *
 *     inflight_region_begin("sweep");
 *     for (...) ...
 *     inflight_region_bytes("sweep", 16.0 * n, 8.0 * n);
 *     inflight_region_end("sweep");
 *
 * Threads: each thread that is inside a region marks it itself. Regions nest; what begins
 * in a thread ends in that thread, the last begun first. A mistake never stops the
 * program: it is counted and reported with the region's name. Nothing is recorded, and a
 * call is the test of a flag, unless INFLIGHT_REGIONS names a folder when the program
 * starts. Not to be called from signal handlers.
 *
 * With -DINFLIGHT_DISABLE all of it vanishes when the program is compiled, and no library
 * is needed.
 *
 * Copyright: the inflight project, Apache License 2.0.
 */
#ifndef INFLIGHT_H
#define INFLIGHT_H

/* Of this interface, by semantic versioning: what is added raises the second. */
#define INFLIGHT_REGIONS_MAJOR 1
#define INFLIGHT_REGIONS_MINOR 0
#define INFLIGHT_REGIONS_PATCH 0

#if defined(__GNUC__)
#define INFLIGHT_REGIONS_API __attribute__((visibility("default")))
#else
#define INFLIGHT_REGIONS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef INFLIGHT_DISABLE

/* Not 0 while regions are recorded. Not to be written to. */
INFLIGHT_REGIONS_API extern int inflight_regions_recording;

/* What the calls below do then; other languages call these, or the library's functions
 * inflight_region_begin ..., which ask the flag themselves. */
INFLIGHT_REGIONS_API void inflight_record_begin(const char *name);
INFLIGHT_REGIONS_API void inflight_record_end(const char *name);
INFLIGHT_REGIONS_API void inflight_record_bytes(const char *name, double bytes_read,
                                                double bytes_written);
INFLIGHT_REGIONS_API void inflight_record_access(const char *name, double random_share);

/* `name`: any text up to 127 bytes, of which the first 127 tell regions apart. It is
 * copied. NULL is a mistake that is counted. */
static inline void inflight_region_begin(const char *name)
{
    if (inflight_regions_recording)
        inflight_record_begin(name);
}

static inline void inflight_region_end(const char *name)
{
    if (inflight_regions_recording)
        inflight_record_end(name);
}

/*
 * What this execution of the region moves through memory, in bytes: read and written by
 * this thread, without the regions inside it, which declare their own. Anywhere between
 * begin and end, once or in pieces that are added. NULL = the innermost region. Count a
 * line that is written without being read first as written only; data that stays in the
 * caches from before counts 0.
 */
static inline void inflight_region_bytes(const char *name, double bytes_read,
                                         double bytes_written)
{
    if (inflight_regions_recording)
        inflight_record_bytes(name, bytes_read, bytes_written);
}

/* How the region reaches for memory: the share (0 to 1) of its cache misses whose address
 * no prefetcher can foresee. 1 = random, 0 = streaming. Between begin and end; the last
 * one counts. */
static inline void inflight_region_access(const char *name, double random_share)
{
    if (inflight_regions_recording)
        inflight_record_access(name, random_share);
}

/* Not 0 while regions are recorded: to leave out the work of finding out the bytes. */
static inline int inflight_regions_active(void)
{
    return inflight_regions_recording;
}

/* Of the library that is loaded, such as "1.0.0". */
INFLIGHT_REGIONS_API const char *inflight_regions_version(void);

#else

static inline void inflight_region_begin(const char *name)
{
    (void)name;
}
static inline void inflight_region_end(const char *name)
{
    (void)name;
}
static inline void inflight_region_bytes(const char *name, double bytes_read,
                                         double bytes_written)
{
    (void)name, (void)bytes_read, (void)bytes_written;
}
static inline void inflight_region_access(const char *name, double random_share)
{
    (void)name, (void)random_share;
}
static inline int inflight_regions_active(void)
{
    return 0;
}
static inline const char *inflight_regions_version(void)
{
    return "disabled";
}

#endif

#ifdef __cplusplus
}

namespace inflight
{
/* A region from here to the end of the block, also when an exception leaves it. The name
 * must outlive it, as literals do. */
class region
{
  public:
    explicit region(const char *name) : name_(name)
    {
        inflight_region_begin(name);
    }
    ~region()
    {
        inflight_region_end(name_);
    }
    void bytes(double read, double written) const
    {
        inflight_region_bytes(name_, read, written);
    }
    void access(double random_share) const
    {
        inflight_region_access(name_, random_share);
    }

  private:
    region(const region &);
    region &operator=(const region &);
    const char *name_;
};
} // namespace inflight
#endif

#endif
