/* The counter of the tests, in this package. */
#include "../../../Tests/CAllocations/allocations.c"
