/* Private to regions/: the calls of inflight.h under the names by which the library
 * exports them; there they are inline functions. */
#ifndef REGIONS_CALLED_H
#define REGIONS_CALLED_H

#define EXPORTED(name) __asm__(name) __attribute__((visibility("default")))

void inflight_called_begin(const char *name) EXPORTED("inflight_region_begin");
void inflight_called_end(const char *name) EXPORTED("inflight_region_end");
void inflight_called_bytes(const char *name, double bytes_read, double bytes_written)
    EXPORTED("inflight_region_bytes");
void inflight_called_access(const char *name, double random_share)
    EXPORTED("inflight_region_access");
int inflight_called_active(void) EXPORTED("inflight_regions_active");

#endif
