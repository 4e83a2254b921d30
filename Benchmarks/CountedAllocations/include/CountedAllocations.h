#pragma once
#include <stdint.h>

/// How many times this process has asked for heap memory so far.
uint64_t allocations_so_far(void);
