// Wire: HTTP/1.1 as pure functions and values. Decoders turn bytes into messages, and encoders turn
// messages into bytes. No code in this module opens a socket, reads a clock, starts a task or keeps
// memory that the caller passed in.
//
// The layers, the highest first; a folder uses only the folders below it (`LayerRuleTests`)
//
//     Exchange       the state machines of a client and of a server
//     Streams        decoders of the records in a body: lines, JSON text sequences, events and parts
//                    (Exchange and Streams are on the same level)
//     Coding         content codings
//     Framing        the length of bodies, chunks, trailers, persistence of connections
//     Head           decoders and encoders of message heads, and InputBuffer
//     Structured     the values of single fields, such as dates and media types
//     Fields         names, header sections and their storage, and the scanner that reads them
//     URI            URIs, origins and canonical hosts
//     International  the conversion of hosts to ASCII
//     Syntax         the grammar of bytes: digits, lists, percent-encoding
//     Rules          limits, strictness levels, errors and diagnostics
//     Vocabulary     methods, statuses, versions, names of codings, classes of bytes
//
// The parts of a message
//
//     head      start line and field section, up to the empty line  RequestHead, ResponseHead
//     framing   the rule that determines the end of the body        BodyFraming
//     body      bytes, reported as ranges of the caller's buffer    BodyDecoder, ChunkedDecoder
//     trailers  fields after a chunked body                         HTTPHeaders
//     buffer    bytes between the socket and the decoders           [UInt8], InputBuffer
//     values    parsed field values                                 Structured/: HTTPDate, MediaType …
//
// One exchange in MessageExchange (the client's side)
//
//     request sent            1xx (at most 32)
//          |                   +-----+
//          v                   |     |
//     awaiting head  ----------+<----+
//          | final head: framing is decided, once, from method, status, version and fields
//          v
//        body  --- .body(range) ... --- .end(trailers) --->  ended: closeReason is nil if the
//          |                                                 connection can be reused; otherwise
//          | peer closes                                     it is the reason to close it
//          v
//     .end if the body is delimited by close; otherwise a truncation error
//
// The same exchange in ServerExchange (the server's side); the two columns advance independently
//
//     awaiting head                      awaited --- send 1xx ------+
//          | .head(head, framing)           |  ^--------------------+
//          v                                | respond(head, content): framing is decided, once, from
//        body  --- .body(range) ...         v   method, status, both versions and content
//          | .end(trailers)               body --- sendBody ...
//          v                                | finish(trailers)
//        ended                              v
//          |                              ended
//          +--------------+----------------+
//                         v
//     closeReason == nil: startNextExchange() continues after the end of the request; otherwise close
//     protocolSwitch != nil: the rest of the buffer belongs to the other protocol
//
// The buffer contract of every decoder
//
//   1. The caller owns one buffer and passes it as Span<UInt8>: all bytes not yet consumed.
//   2. The result contains `consumed`, the number of bytes at the front that the decoder no longer
//      needs. The caller removes them and passes the rest again, followed by more.
//   3. Body bytes are not copied: a range of the span gives their position. The range is valid until
//      the caller changes its buffer.
//   4. A head or trailer section is consumed whole. Until it is complete, `consumed` is 0. The decoder
//      remembers its position, so bytes that arrive one at a time cost linear time. The buffer must
//      therefore have room for WireLimits.headBytes.
//   5. The way the bytes are split never changes the result: neither the events nor the error. (The
//      fuzz target and ByteSplits in the tests check this.)
//   6. An error is final. The caller must discard the decoder and the connection.
//
// Costs: a head is scanned once. From a span it is also copied once, into the one allocation that
// holds its bytes and its field table (FieldStorage). In an InputBuffer it is not copied, and nothing
// is allocated unless the caller keeps heads. Names in the table of known names have a number, so a
// lookup compares integers. Text is created on access. Small chunks are decoded many at a time
// (BodyBatch). Fields that are sent once can be written directly to the output (FieldWriter).
