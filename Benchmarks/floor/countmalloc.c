/* Counts calls of the allocator: LD_PRELOAD=countmalloc.so PROGRAM…
 *
 * Prints one line to stderr at exit: `mallocs=… frees=… bytes=…`. A realloc counts as one malloc.
 * The difference of two runs of different length is the cost of the requests alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong mallocs, frees, bytes;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *counted(void *start, size_t size) {
    atomic_fetch_add_explicit(&mallocs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    return start;
}

void *malloc(size_t size) { return counted(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size), count * size); }
void *realloc(void *old, size_t size) { return counted(__libc_realloc(old, size), size); }
void *memalign(size_t bound, size_t size) { return counted(__libc_memalign(bound, size), size); }
void *aligned_alloc(size_t bound, size_t size) { return counted(__libc_memalign(bound, size), size); }

int posix_memalign(void **result, size_t bound, size_t size) {
    *result = counted(__libc_memalign(bound, size), size);
    return *result ? 0 : ENOMEM;
}

void free(void *start) {
    if (!start) return;
    atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
    __libc_free(start);
}

/* For a program that reads the count while it runs, such as wire-bench. */
unsigned long countmalloc_mallocs(void) { return atomic_load(&mallocs); }

__attribute__((destructor)) static void report(void) {
    char line[128];
    int length = snprintf(line, sizeof line, "mallocs=%lu frees=%lu bytes=%lu\n", atomic_load(&mallocs),
                          atomic_load(&frees), atomic_load(&bytes));
    if (write(2, line, (size_t)length) < 0) return;
}
