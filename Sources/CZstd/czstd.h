// The part of libzstd that Wire calls, declared here so that the package builds without libzstd-dev. The
// module map links the library, and only the trait Zstd imports the module.
#ifndef CZSTD_H
#define CZSTD_H

#include <stddef.h>

// Part of the library's stable interface since version 1.4.
#define ZSTD_d_windowLogMax 100

typedef struct ZSTD_DCtx_s ZSTD_DCtx;

typedef struct {
    const void *src;
    size_t size;
    size_t pos;
} ZSTD_inBuffer;

typedef struct {
    void *dst;
    size_t size;
    size_t pos;
} ZSTD_outBuffer;

ZSTD_DCtx *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(ZSTD_DCtx *context);
size_t ZSTD_DCtx_setParameter(ZSTD_DCtx *context, int parameter, int value);

// Decodes, and moves the positions forward. Returns 0 at the end of a frame, or an error.
size_t ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *output, ZSTD_inBuffer *input);

unsigned ZSTD_isError(size_t code);

#endif
