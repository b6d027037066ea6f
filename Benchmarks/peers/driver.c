/* Times picohttpparser and llhttp as wire-bench times Wire: the same heads, each in a separate
 * block, and the same samples. Neither is part of this repository; compare.py builds this against
 * copies that you fetch (Benchmarks/README.md says how).
 *
 *   driver pico|llhttp response|request FILE
 *
 * Every byte read from standard input requests one sample of about 2 ms; the output is one line,
 * the nanoseconds for one head.
 *
 * picohttpparser fills its array of fields. llhttp passes start and length of each name and value
 * to callbacks, which store both, as a program that uses the fields must. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "picohttpparser.h"

#ifdef LLHTTP_OF_NIO
/* The copy in swift-nio has other names. */
#include "c_nio_llhttp.h"
#define llhttp_init c_nio_llhttp_init
#define llhttp_settings_init c_nio_llhttp_settings_init
#define llhttp_execute c_nio_llhttp_execute
#else
#include "llhttp.h"
#endif

enum { MAX_HEADS = 4096, MAX_FIELDS = 128, MAX_BYTES = 1 << 22 };

struct head {
    char *bytes;
    size_t length;
};

static struct head heads[MAX_HEADS];
static int count;
static size_t total;

static void fail(const char *message) {
    fprintf(stderr, "driver: %s\n", message);
    exit(2);
}

static void add(const char *bytes, size_t length) {
    if (count == MAX_HEADS) fail("too many heads");
    struct head *head = &heads[count++];
    head->bytes = malloc(length);
    head->length = length;
    memcpy(head->bytes, bytes, length);
    total += length;
}

/* Reads a head. If the file's name begins with "mixed", it reads heads, each after its length. */
static void read_heads(const char *path) {
    static char bytes[MAX_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read the file");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const char *name = strrchr(path, '/');
    if (strncmp(name ? name + 1 : path, "mixed", 5) != 0) return add(bytes, size);
    size_t place = 0;
    while (place + 4 <= size) {
        const unsigned char *prefix = (const unsigned char *)bytes + place;
        size_t length = prefix[0] | prefix[1] << 8 | prefix[2] << 16 | (size_t)prefix[3] << 24;
        place += 4;
        if (length > size - place) fail("a head is cut");
        add(bytes + place, length);
        place += length;
    }
}

/* picohttpparser */

static struct phr_header fields[MAX_FIELDS];

static size_t pico(const struct head *head, int is_request) {
    const char *method, *path, *reason;
    size_t method_length, path_length, reason_length, found = MAX_FIELDS;
    int minor, status;
    int length =
        is_request ? phr_parse_request(head->bytes, head->length, &method, &method_length, &path,
                                       &path_length, &minor, fields, &found, 0)
                   : phr_parse_response(head->bytes, head->length, &minor, &status, &reason,
                                        &reason_length, fields, &found, 0);
    if (length <= 0) fail("picohttpparser refused the head");
    __asm__ volatile("" ::"r"(fields), "r"(found) : "memory");
    return (size_t)length;
}

/* llhttp */

struct span {
    uint32_t start, length;
};

static struct span names[MAX_FIELDS], values[MAX_FIELDS];
static int name_count, value_count, is_complete;
static const char *origin;
static llhttp_settings_t settings;

static int on_name(llhttp_t *parser, const char *start, size_t length) {
    (void)parser;
    names[name_count % MAX_FIELDS] = (struct span){(uint32_t)(start - origin), (uint32_t)length};
    return 0;
}

static int on_name_end(llhttp_t *parser) {
    (void)parser;
    return name_count++, 0;
}

static int on_value(llhttp_t *parser, const char *start, size_t length) {
    (void)parser;
    values[value_count % MAX_FIELDS] = (struct span){(uint32_t)(start - origin), (uint32_t)length};
    return 0;
}

static int on_value_end(llhttp_t *parser) {
    (void)parser;
    return value_count++, 0;
}

static int on_fields_end(llhttp_t *parser) {
    (void)parser;
    return is_complete = 1, 0;
}

static void prepare_llhttp(void) {
    llhttp_settings_init(&settings);
    settings.on_header_field = on_name;
    settings.on_header_field_complete = on_name_end;
    settings.on_header_value = on_value;
    settings.on_header_value_complete = on_value_end;
    settings.on_headers_complete = on_fields_end;
}

static size_t llhttp(const struct head *head, int is_request) {
    static llhttp_t parser;
    llhttp_init(&parser, is_request ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
    origin = head->bytes;
    name_count = value_count = is_complete = 0;
    llhttp_errno_t error = llhttp_execute(&parser, head->bytes, head->length);
    if ((error != HPE_OK && error != HPE_PAUSED_UPGRADE) || !is_complete)
        fail("llhttp refused the head");
    __asm__ volatile("" ::"r"(names), "r"(values) : "memory");
    return head->length;
}

/* Samples */

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t timed(long passes, size_t (*parse)(const struct head *, int), int is_request) {
    size_t bytes = 0;
    uint64_t start = nanoseconds();
    for (long pass = 0; pass < passes; pass++)
        for (int index = 0; index < count; index++) bytes += parse(&heads[index], is_request);
    uint64_t end = nanoseconds();
    if (bytes != total * (size_t)passes) fail("not all bytes were read");
    return end - start;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 4) fail("usage: driver pico|llhttp response|request FILE");
    int is_request = strcmp(arguments[2], "request") == 0;
    size_t (*parse)(const struct head *, int) = strcmp(arguments[1], "pico") == 0 ? pico : llhttp;
    read_heads(arguments[3]);
    prepare_llhttp();
    long passes = 1;
    uint64_t taken;
    while ((taken = timed(passes, parse, is_request)) < 50000000u) passes *= 2;
    passes = (long)((double)passes * 2e6 / (double)taken);
    if (passes < 1) passes = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    char byte;
    while (read(0, &byte, 1) == 1)
        printf("%.2f\n", (double)timed(passes, parse, is_request) / ((double)passes * count));
}
