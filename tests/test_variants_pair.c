#include <CUnit/CUnit.h>
CU_TestInfo variants_pair_tests[] = {CU_TEST_INFO_NULL};
