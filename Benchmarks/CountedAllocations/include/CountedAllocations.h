#pragma once
#include <stdint.h>

/// Returns the number of heap allocations of this process so far.
uint64_t allocations_so_far(void);
