/* A page in headless Chromium: what it becomes, what it complains of, what it asks the
 * network for. The suite advisor_browser shares it. */
#ifndef BENCH_BROWSER_H
#define BENCH_BROWSER_H

#include "core/base.h"

struct browsed {
    struct buf dom;     /* when loading has ended */
    struct buf console; /* what the page and its scripts complained of, a line each */
    size_t request_nr;  /* that the page caused; the browser's own are not counted */
};

/* False = there is no Chromium here. */
bool browser_is_there(void);
/* Opens the file with a fragment ("" = none), with nothing but `dir` of its own. */
int browser_open(const char *path, const char *fragment, const char *dir,
                 struct browsed *browsed, struct error *err);
void browsed_release(struct browsed *browsed);

#endif
