// The part of libbrotlidec that Wire calls, declared here so that the package builds without
// libbrotli-dev. The module map links the library, and only the trait Brotli imports the module.
#ifndef CBROTLI_H
#define CBROTLI_H

#include <stddef.h>
#include <stdint.h>

// Results, part of the library's stable interface since version 1.0.
#define BROTLI_DECODER_RESULT_ERROR 0
#define BROTLI_DECODER_RESULT_SUCCESS 1
#define BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT 2
#define BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT 3

// The error codes of failed allocations are -30 to -21.
#define CBROTLI_FIRST_ALLOCATION_ERROR (-30)
#define CBROTLI_LAST_ALLOCATION_ERROR (-21)

typedef struct BrotliDecoderStateStruct BrotliDecoderState;

// Creates a decoder; the allocator is malloc if both functions are null.
BrotliDecoderState *BrotliDecoderCreateInstance(void *allocate, void *release, void *opaque);
void BrotliDecoderDestroyInstance(BrotliDecoderState *state);

// Decodes, and moves the pointers and counts forward.
int BrotliDecoderDecompressStream(
    BrotliDecoderState *state, size_t *available_in, const uint8_t **next_in, size_t *available_out,
    uint8_t **next_out, size_t *total_out);

// Returns the code of the last error.
int BrotliDecoderGetErrorCode(const BrotliDecoderState *state);

#endif
