#include "tests/check.h"
CU_TestInfo metrics_identities_tests[] = {CU_TEST_INFO_NULL};
