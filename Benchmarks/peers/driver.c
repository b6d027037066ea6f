/* Times picohttpparser or llhttp as wire-bench times Wire: the same heads, each in a separate
 * block, and the same samples. Neither is part of this repository; measure/parsing.py finds the
 * peer and builds this against it, with PICO or LLHTTP defined.
 *
 *   driver response|request FILE
 *   driver chunked SIZE            1 MiB in chunks of SIZE bytes, read in pieces of 16 KiB (llhttp)
 *
 * Every byte read from standard input requests one sample of about 2 ms; the output is one line,
 * the nanoseconds for one head, or for 1 MiB.
 *
 * picohttpparser fills its array of fields. llhttp passes start and length of each name and value
 * to callbacks, which store both, as a program that uses the fields must. Before the first sample
 * and after the last one, each field is compared with what a plain search for line ends, colons and
 * blanks finds. A difference ends the driver with an error. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef PICO
#include "picohttpparser.h"
#elif defined LLHTTP_OF_NIO
/* The copy in swift-nio has other names. */
#include "c_nio_llhttp.h"
#define llhttp_init c_nio_llhttp_init
#define llhttp_settings_init c_nio_llhttp_settings_init
#define llhttp_execute c_nio_llhttp_execute
#else
#include "llhttp.h"
#endif

enum { MAX_HEADS = 4096, MAX_FIELDS = 128, MAX_BYTES = 1 << 22, CONTENT = 1 << 20, READ = 16 << 10 };

struct head {
    char *bytes;
    size_t length;
};

static struct head heads[MAX_HEADS];
static int count, is_request;
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

#ifdef PICO

static struct phr_header fields[MAX_FIELDS];
static size_t found;

static size_t parse(const struct head *head) {
    const char *method, *path, *reason;
    size_t method_length, path_length, reason_length;
    found = MAX_FIELDS;
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

static int has_field(int index, const char *name, size_t name_length, const char *value,
                     size_t value_length) {
    const struct phr_header *field = &fields[index];
    return (size_t)index < found && field->name == name && field->name_len == name_length &&
           field->value == value && field->value_len == value_length;
}

static int field_count(void) { return (int)found; }

#else

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

static size_t parse(const struct head *head) {
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

static int has_field(int index, const char *name, size_t name_length, const char *value,
                     size_t value_length) {
    return index < name_count && origin + names[index].start == name &&
           names[index].length == name_length && origin + values[index].start == value &&
           values[index].length == value_length;
}

static int field_count(void) { return name_count == value_count ? name_count : -1; }

/* Chunks */

static llhttp_t at_body;
static size_t content;
static int is_ended;

static int on_body(llhttp_t *parser, const char *start, size_t length) {
    (void)parser, (void)start;
    content += length;
    return 0;
}

static int on_end(llhttp_t *parser) {
    (void)parser;
    return is_ended = 1, 0;
}

/* Makes the chunks, and a parser that has read the head before them. */
static void prepare_chunks(size_t size) {
    static const char start[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    /* A chunk has at least 1 byte, and its frame at most 9: 5 digits and two line ends. */
    char *bytes = malloc(10 * CONTENT + 5);
    size_t length = 0;
    if (size < 1 || size > CONTENT) fail("a chunk has 1 byte to 1 MiB");
    for (size_t left = CONTENT, part; left > 0; left -= part) {
        part = left < size ? left : size;
        length += (size_t)sprintf(bytes + length, "%zx\r\n", part);
        memset(bytes + length, 'x', part);
        memcpy(bytes + length + part, "\r\n", 2);
        length += part + 2;
    }
    memcpy(bytes + length, "0\r\n\r\n", 5);
    add(bytes, length + 5);
    free(bytes);
    settings.on_body = on_body;
    settings.on_message_complete = on_end;
    llhttp_init(&at_body, HTTP_RESPONSE, &settings);
    if (llhttp_execute(&at_body, start, sizeof start - 1) != HPE_OK || !is_complete)
        fail("llhttp refused the head");
}

static size_t decode(const struct head *body) {
    llhttp_t parser = at_body;
    content = 0;
    is_ended = 0;
    for (size_t place = 0; place < body->length; place += READ) {
        size_t left = body->length - place;
        if (llhttp_execute(&parser, body->bytes + place, left < READ ? left : READ) != HPE_OK)
            fail("llhttp refused the chunks");
    }
    if (content != CONTENT || !is_ended) fail("the content has another length");
    return body->length;
}

#endif

/* Ends the program if the parser finds other fields in a head than those between its line ends. */
static void check(const struct head *head) {
    const char *end = head->bytes + head->length;
    if (parse(head) != head->length) fail("not all bytes were read");
    const char *line = (const char *)memchr(head->bytes, '\n', head->length) + 1;
    int index = 0;
    for (const char *next; line < end - 2; line = next, index++) {
        next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
        const char *colon = memchr(line, ':', (size_t)(next - line));
        if (!colon) fail("a line has no colon");
        const char *value = colon + 1, *stop = next - 2;
        while (value < stop && (*value == ' ' || *value == '\t')) value++;
        while (stop > value && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
        if (!has_field(index, line, (size_t)(colon - line), value, (size_t)(stop - value)))
            fail("the parser found another field");
    }
    if (field_count() != index) fail("the parser found another number of fields");
}

/* Samples */

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t timed(long passes, size_t (*read_one)(const struct head *)) {
    size_t bytes = 0;
    uint64_t start = nanoseconds();
    for (long pass = 0; pass < passes; pass++)
        for (int index = 0; index < count; index++) bytes += read_one(&heads[index]);
    uint64_t end = nanoseconds();
    if (bytes != total * (size_t)passes) fail("not all bytes were read");
    return end - start;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) fail("usage: driver response|request FILE, driver chunked SIZE");
    int is_chunked = strcmp(arguments[1], "chunked") == 0;
    size_t (*read_one)(const struct head *) = parse;
    is_request = strcmp(arguments[1], "request") == 0;
#ifdef PICO
    if (is_chunked) fail("only llhttp decodes chunks");
#else
    prepare_llhttp();
    if (is_chunked) {
        prepare_chunks(strtoul(arguments[2], NULL, 10));
        read_one = decode;
    }
#endif
    if (!is_chunked) {
        read_heads(arguments[2]);
        for (int index = 0; index < count; index++) check(&heads[index]);
    }
    long passes = 1;
    uint64_t taken;
    while ((taken = timed(passes, read_one)) < 50000000u) passes *= 2;
    passes = (long)((double)passes * 2e6 / (double)taken);
    if (passes < 1) passes = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    char byte;
    while (read(0, &byte, 1) == 1)
        printf("%.2f\n", (double)timed(passes, read_one) / ((double)passes * count));
    for (int index = 0; index < count && !is_chunked; index++) check(&heads[index]);
}
