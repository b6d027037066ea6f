#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* Says whether allocations are counted: not under a sanitizer, and with no other C library. */
int allocations_are_counted(void);

/* Counts the calls of malloc and its relatives that this thread has made. */
unsigned long allocations_of_this_thread(void);

#endif
