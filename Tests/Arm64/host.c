// The C side of the program that check-arm64 builds: start-up, standard input, and the
// functions that the embedded standard library requires beyond the C library.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t check_wire(const uint8_t *corpus, intptr_t count, intptr_t rounds);

// The seed of all hashes, which must be the same on every processor.
void arc4random_buf(void *buffer, size_t count) { memset(buffer, 0, count); }

int main(int count, char **arguments) {
    // Line buffering, so that the output before a trap is not lost.
    setvbuf(stdout, NULL, _IOLBF, 0);
    size_t capacity = 1 << 22;
    uint8_t *corpus = malloc(capacity);
    if (!corpus) return 2;
    size_t length = fread(corpus, 1, capacity, stdin);
    if (length == capacity) return 2;
    return check_wire(corpus, (intptr_t)length, count > 1 ? atol(arguments[1]) : 1000);
}
