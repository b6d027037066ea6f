// Wire: HTTP/1.1 as pure functions and values. Bytes go in, messages come out, and back. Nothing in
// this module opens a socket, reads a clock, starts a task or keeps what it was lent.
//
// What a message is here
//
//     head      start line and field section, up to the empty line  RequestHead, ResponseHead
//     framing   how the end of the body is found                    BodyFraming
//     body      bytes, passed on as ranges of the reader's buffer  BodyDecoder, ChunkedDecoder
//     trailers  fields after a chunked body                         HTTPHeaders
//     buffer    bytes between the socket and the decoders          [UInt8], InputBuffer
//     values    what the text of a field means                      Structured/: HTTPDate, MediaType …
//
// One exchange, as MessageExchange sees it
//
//     request sent            1xx (at most 32)
//          |                   +-----+
//          v                   |     |
//     awaiting head  ----------+<----+
//          | final head: framing is decided, once, from method, status, version and fields
//          v
//        body  --- .body(range) ... --- .end(trailers) --->  ended: closeReason says whether the
//          |                                                 connection may carry another exchange
//          | peer closes                                     (nil) or why not
//          v
//     .end when the body is delimited by close; otherwise a truncation error
//
// The same exchange, as ServerExchange sees it; the two columns move apart, whoever is first
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
//     closeReason == nil: startNextExchange(), which reads on where the request ended; else close
//     protocolSwitch != nil: what is left in the buffer belongs to the other protocol
//
// The buffer contract of every decoder
//
//   1. The caller owns one buffer and lends it as Span<UInt8>: all bytes it has not yet given up.
//   2. The answer says how many bytes at the front are finished with (`consumed`). The caller drops
//      them and offers the rest again, with more behind it.
//   3. Bytes of body are not copied: a range of the lent span says where they are. It holds until
//      the caller touches its buffer.
//   4. A head or trailer section is consumed whole. Until it is complete, `consumed` is 0; the
//      decoder remembers how far it looked, so bytes that come one at a time cost no more than
//      linear time. The buffer must therefore be able to hold WireLimits.headBytes.
//   5. How the bytes were cut into pieces never changes the outcome: neither the events nor the
//      error. (The fuzz target and ByteSplits in the tests hold us to this.)
//   6. An error is final. The decoder and the connection are to be dropped.
//
// Where the time goes: a head is scanned once. From a span it is also copied once, into the one
// allocation that holds its bytes and its field table (FieldStorage); in an InputBuffer it is read
// where it lies, and nothing is allocated as long as no head is kept. Names known to the table get a
// small number there, so that looking one up compares integers; text is made when somebody asks for
// it. Small chunks are taken many at a time (BodyBatch), and fields that are sent once are written
// straight to where they are sent from (FieldWriter).
