// The C side of the program that scripts/check-arm64 builds: start-up, standard input, and what the
// embedded standard library asks of its host beyond the C library.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t check_wire(const uint8_t *corpus, intptr_t count, intptr_t rounds);

// Hashes are seeded from here. They must be the same on every processor.
void arc4random_buf(void *buffer, size_t count) { memset(buffer, 0, count); }

int main(int count, char **arguments) {
    // What was found before a trap must not be lost.
    setvbuf(stdout, NULL, _IOLBF, 0);
    size_t capacity = 1 << 22;
    uint8_t *corpus = malloc(capacity);
    if (!corpus) return 2;
    size_t length = fread(corpus, 1, capacity, stdin);
    if (length == capacity) return 2;
    return check_wire(corpus, (intptr_t)length, count > 1 ? atol(arguments[1]) : 1000);
}
