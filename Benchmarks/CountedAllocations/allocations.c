#define _GNU_SOURCE
#include "CountedAllocations.h"
#include <stddef.h>

// An executable's own malloc takes precedence over the C library's, for every loaded library, including the Swift
// runtime. These wrappers count each call and forward it to glibc's internal entry points.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static uint64_t count;

uint64_t allocations_so_far(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

static void counted(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) { counted(); return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { counted(); return __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { counted(); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { counted(); return __libc_memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
    counted();
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : 12;
}
