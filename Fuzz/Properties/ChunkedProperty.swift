internal import Wire

/// Checks that a chunked body decodes as the grammar of RFC 9112 §7.1 says, however it is split and read.
///
/// Input: size of pieces, bytes read directly, room for the content of many chunks at a time, then
/// the body and the bytes after it.
package func checkChunked(_ input: FuzzInput) {
    var input = input
    let (size, direct, room) = (input.byte() + 1, input.byte(), input.byte())
    let bytes = input.bytes
    let model = ChunkedModel(bytes)
    let whole = ChunkedResult(bytes, size: bytes.count, direct: 0)
    precondition(
        whole == ChunkedResult(bytes, size: size, direct: 0),
        "the split of the input changes the result"
    )
    precondition(
        whole == ChunkedResult(bytes, size: 1, direct: 0),
        "the split of the input changes the result"
    )
    precondition(
        whole == ChunkedResult(bytes, size: size, direct: direct),
        "reading content directly changes the result"
    )
    for form in [BatchOutput.ranges, .copies] {
        let all = ChunkedResult(bytes, size: bytes.count, room: bytes.count + 1, form)
        precondition(whole == all, "decoding several chunks in one call changes the result")
        let some = ChunkedResult(bytes, size: size, room: room, form)
        precondition(whole == some, "the split or the output space changes the result")
    }
    precondition(
        whole.content.starts(with: model.content) && (whole.error != nil) == model.isInvalid
    )
    precondition(whole.end == model.end, "the model finds another end")
    if !model.isInvalid { precondition(whole.content == model.content) }
}

/// The result of decoding.
private struct ChunkedResult: Equatable {
    var content: [UInt8] = []
    var trailers: HTTPHeaders?
    var error: WireError?
    /// The length of the body in bytes; nil when it is not complete.
    var end: Int?

    /// Decodes a body of which `direct` bytes at a time bypass the decoder, if they are available
    /// and inside a chunk; 0 for none.
    init(_ bytes: [UInt8], size: Int, direct: Int) {
        var decoder = ChunkedDecoder()
        var (start, end) = (0, 0)
        do throws(WireError) {
            while true {
                if direct > 0, let left = decoder.remainingInChunk {
                    let count = min(direct, left, bytes.count - start)
                    content += bytes[start..<start + count]
                    decoder.recordDirectRead(count)
                    start += count
                    end = max(start, end)
                }
                let step = try decoder.decode(bytes.span.extracting(start..<end))
                precondition(0...(end - start) ~= step.consumed, "more bytes consumed than given")
                if case .body(let range) = step.event {
                    content += bytes[(start + range.lowerBound)..<(start + range.upperBound)]
                }
                start += step.consumed
                if case .end(let trailers) = step.event {
                    self.trailers = trailers
                    self.end = start
                    break
                }
                guard step.event == .needMore else { continue }
                if end == bytes.count { break }
                end = min(end + size, bytes.count)
            }
        } catch {
            self.error = error
        }
        if error == nil { precondition(decoder.received == content.count) }
    }
}

/// The forms in which one call returns the content of many chunks.
private enum BatchOutput {
    case ranges
    case copies
}

extension ChunkedResult {
    /// Decodes a body with calls that return many chunks, and with room for this many ranges or bytes.
    ///
    /// Without room a call reports that its output is full, and the next one has room for 1.
    init(_ bytes: [UInt8], size: Int, room: Int, _ form: BatchOutput) {
        var decoder = ChunkedDecoder()
        var (start, end, currentRoom) = (0, 0, room)
        do throws(WireError) {
            while true {
                let input = bytes.span.extracting(start..<end)
                let batch = try takeBatch(&decoder, input, room: currentRoom, form)
                precondition(0...(end - start) ~= batch.consumed, "more bytes consumed than given")
                start += batch.consumed
                currentRoom = room
                switch batch.state {
                case .end(let trailers):
                    self.trailers = trailers
                    self.end = start
                    return
                case .outputFull:
                    currentRoom = max(room, 1)
                case .needMore:
                    guard end < bytes.count else { return }
                    end = min(end + size, bytes.count)
                }
            }
        } catch {
            self.error = error
        }
    }

    private mutating func takeBatch(
        _ decoder: inout ChunkedDecoder,
        _ input: Span<UInt8>,
        room: Int,
        _ form: BatchOutput
    ) throws(WireError) -> BodyBatch {
        var batch = BodyBatch(consumed: 0, state: .needMore)
        switch form {
        case .copies:
            try content.append(addingCapacity: room) { output throws(WireError) in
                batch = try decoder.decode(input, into: &output)
            }
        case .ranges:
            var ranges: [Range<Int>] = []
            // Content that was decoded before an error counts as well.
            defer {
                for range in ranges {
                    precondition(!range.isEmpty, "an empty range of content")
                    for index in range { content.append(input[index]) }
                }
            }
            try ranges.append(addingCapacity: room) { output throws(WireError) in
                batch = try decoder.decode(input, into: &output)
            }
        }
        return batch
    }
}

/// A model that reads a whole chunked body line by line, following the grammar.
///
/// The scalar scanner reads the trailers.
private struct ChunkedModel {
    private(set) var content: [UInt8] = []
    private(set) var end: Int?
    private(set) var isInvalid = false

    init(_ bytes: [UInt8]) {
        let limits = WireLimits()
        var rest = bytes[...]
        var extensions = 0
        while true {
            let line = rest.prefix { $0 != 0x0d }
            let digits = line.prefix { Self.value(of: $0) != nil }
            let addition = line.dropFirst(digits.count)
            extensions += addition.count
            isInvalid =
                digits.count > 16 || digits.isEmpty && !line.isEmpty
                || line.count > limits.chunkLineBytes
                || extensions > limits.chunkExtensionBytes || Self.size(digits) == nil
            // An empty line, or an incomplete extension, is invalid once the line has ended.
            let isEnded = line.count < rest.count
            isInvalid =
                isInvalid || isEnded && digits.isEmpty
                || !Self.isExtension(addition, isWhole: isEnded)
            guard !isInvalid, isEnded else { return }
            rest = rest.dropFirst(line.count)
            guard takeLineEnd(&rest), let size = Self.size(digits) else { return }
            guard size > 0 else { break }
            content += rest.prefix(size)
            guard rest.count > size else { return }
            rest = rest.dropFirst(size)
            guard takeLineEnd(&rest) else { return }
        }
        let trailers = HeadScanner.scanScalar(
            of: Array(rest),
            from: 0,
            maxFields: limits.trailerCount
        )
        isInvalid = trailers.error != nil
        end = trailers.end.map { rest.startIndex + $0 }
        if (trailers.end ?? rest.count + 1) > limits.trailerBytes {
            (isInvalid, end) = (isInvalid || rest.count >= limits.trailerBytes, nil)
        }
    }

    /// Returns whether the text is a chunk-ext, or its beginning if it is not whole.
    private static func isExtension(_ text: ArraySlice<UInt8>, isWhole: Bool) -> Bool {
        var rest = text
        while !rest.isEmpty {
            rest = rest.drop(while: isSpace)
            guard let semicolon = rest.popFirst() else { return !isWhole }
            rest = rest.drop(while: isSpace)
            guard semicolon == 0x3b, let first = rest.first else {
                return semicolon == 0x3b && !isWhole
            }
            guard isToken(first) else { return false }
            rest = rest.drop(while: isToken)
            let behind = rest.drop(while: isSpace)
            guard behind.first == 0x3d else { continue }
            rest = behind.dropFirst().drop(while: isSpace)
            guard let first = rest.first else { return !isWhole }
            if first == 0x22 {
                let end = closingQuote(of: rest)
                guard let end else { return !isWhole && rest.allSatisfy(isText) }
                guard rest[..<end].allSatisfy(isText) else { return false }
                rest = rest[(end + 1)...]
            } else {
                guard isToken(first) else { return false }
                rest = rest.drop(while: isToken)
            }
        }
        return true
    }

    /// Returns the index of the quote that ends the text, which begins with a quote; nil without one.
    private static func closingQuote(of text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex + 1
        while index < text.endIndex, text[index] != 0x22 { index += text[index] == 0x5c ? 2 : 1 }
        return index < text.endIndex ? index : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isText(_ byte: UInt8) -> Bool { byte == 9 || byte >= 32 && byte != 127 }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Consumes CRLF; returns false when it is missing, and marks the body as invalid if other bytes are there.
    private mutating func takeLineEnd(_ rest: inout ArraySlice<UInt8>) -> Bool {
        isInvalid = !zip(rest, [0x0d, 0x0a]).allSatisfy { $0 == $1 }
        guard !isInvalid, rest.count > 1 else { return false }
        rest = rest.dropFirst(2)
        return true
    }

    /// Returns the value of the digits; nil above 2^63 - 1.
    private static func size(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(Int?.some(0)) { sum, digit in
            guard let sum, let value = value(of: digit), sum <= Int.max >> 4 else { return nil }
            return sum << 4 | value
        }
    }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x41 + 10
        case 0x61...0x66: Int(byte) - 0x61 + 10
        default: nil
        }
    }
}
