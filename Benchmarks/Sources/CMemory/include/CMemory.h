#ifndef CMEMORY_H
#define CMEMORY_H

#include <malloc.h>

/* The bytes that the process has allocated and not freed. Swift's module Glibc has no malloc.h. */
static inline long allocated_bytes(void) {
    struct mallinfo2 memory = mallinfo2();
    return (long)(memory.uordblks + memory.hblkhd);
}

#endif
