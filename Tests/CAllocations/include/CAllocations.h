#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* Returns whether allocations are counted: only with glibc, and not under a sanitizer. */
int allocations_are_counted(void);

/* Returns the number of calls of malloc and related functions that this thread has made. */
unsigned long allocations_of_this_thread(void);

/* Returns the number of bytes that all threads have allocated and not freed; 0 where allocations are not
 * counted. The freed blocks that glibc keeps for each thread are included, at most some hundred. */
unsigned long allocated_bytes(void);

#endif
