/* The calls of inflight.h as functions, for Fortran and whoever else cannot read C. */
#include "regions/called.h"

#include "regions/inflight.h"

void inflight_called_begin(const char *name)
{
    inflight_region_begin(name);
}

void inflight_called_end(const char *name)
{
    inflight_region_end(name);
}

void inflight_called_bytes(const char *name, double bytes_read, double bytes_written)
{
    inflight_region_bytes(name, bytes_read, bytes_written);
}

void inflight_called_access(const char *name, double random_share)
{
    inflight_region_access(name, random_share);
}

int inflight_called_active(void)
{
    return inflight_regions_active();
}
