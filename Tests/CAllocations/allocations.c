/* Replaces the allocator of glibc in a program that links it, and counts the calls.
 *
 * glibc supports this as "replacing malloc": a program may define these functions. Each thread has its
 * own count, so that tests can run in parallel. */
#define _GNU_SOURCE
#include "CAllocations.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEAVES_THE_ALLOCATOR_ALONE
#endif
#endif

#if defined(__GLIBC__) && !defined(LEAVES_THE_ALLOCATOR_ALONE)

static _Thread_local unsigned long count __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) { return count++, __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return count++, __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return count++, __libc_realloc(old, size); }
void *memalign(size_t bound, size_t size) { return count++, __libc_memalign(bound, size); }
void *aligned_alloc(size_t bound, size_t size) { return count++, __libc_memalign(bound, size); }
void free(void *start) { __libc_free(start); }

int posix_memalign(void **result, size_t bound, size_t size) {
    count++;
    *result = __libc_memalign(bound, size);
    return *result ? 0 : ENOMEM;
}

int allocations_are_counted(void) { return 1; }
unsigned long allocations_of_this_thread(void) { return count; }

unsigned long allocated_bytes(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

#else

int allocations_are_counted(void) { return 0; }
unsigned long allocations_of_this_thread(void) { return 0; }
unsigned long allocated_bytes(void) { return 0; }

#endif
