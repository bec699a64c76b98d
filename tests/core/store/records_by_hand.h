/* Records made by hand, for test_record.c and test_store_build.c. */
#ifndef TESTS_CORE_STORE_RECORDS_BY_HAND_H
#define TESTS_CORE_STORE_RECORDS_BY_HAND_H

#include "core/store/record.h"

/* An entry of an AMD CPU, family 25 model 17: sum.c tuned with tile(i:32), by the given
 * version. */
struct record_machine record_entry_fixture(const char *inflight);
/* That, and one of model 18 where nothing was faster. */
struct record record_fixture(const char *inflight);

/* `text` with the first `from`, or all of them, as `to`; caller frees. */
char *replaced(const char *text, const char *from, const char *to);
char *replaced_all(const char *text, const char *from, const char *to);

#endif
