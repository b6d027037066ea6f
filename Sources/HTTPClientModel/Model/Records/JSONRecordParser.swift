internal import Wire

extension HTTPJSON {
    /// The way in which a body contains several JSON values.
    @nonexhaustive public enum RecordFormat: Sendable, Hashable {
        /// One value in each line (NDJSON, JSON Lines).
        ///
        /// A line ends with LF or CRLF. Empty lines are skipped, and the last line needs no end.
        case lines
        /// A JSON text sequence (RFC 7464): an RS (0x1E) before each value, and an LF after it.
        case sequence

        /// Creates the format for a media type: ``sequence`` for `application/json-seq`, otherwise ``lines``.
        package init(_ type: MediaType?) {
            self = type?.essence == "application/json-seq" ? .sequence : .lines
        }
    }
}

/// A parser of the JSON values in a body.
package struct JSONRecordParser<Record: Sendable>: RecordParser {
    private enum Splitter: Sendable {
        case lines(LineDecoder)
        case sequence(JSONSequenceDecoder)
    }

    private var splitter: Splitter
    private let decode: @Sendable ([UInt8]) throws -> Record
    /// The number of values read, including malformed ones.
    private var count = 0
    /// The position in the body of the first byte that is not consumed.
    private var offset = 0

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - format: the format of the body.
    ///   - maxLength: the maximum number of bytes in a value.
    ///   - decode: a closure that decodes one value.
    package init(
        _ format: HTTPJSON.RecordFormat,
        maxLength: Int,
        decode: @escaping @Sendable ([UInt8]) throws -> Record
    ) {
        splitter =
            switch format {
            case .lines: .lines(LineDecoder(maxLength: maxLength))
            case .sequence: .sequence(JSONSequenceDecoder(maxLength: maxLength))
            }
        self.decode = decode
    }

    package mutating func next(
        in bytes: Span<UInt8>,
        consumed: inout Int
    ) throws(RecordFailure) -> Record? {
        // The offset in the passed bytes is needed until the value has been decoded.
        defer { offset += consumed }
        guard let element = try element(in: bytes, consumed: &consumed) else { return nil }
        return try record(element, bytes)
    }

    package mutating func finish(_ bytes: Span<UInt8>) throws(RecordFailure) -> Record? {
        guard let element = try lastElement(bytes) else { return nil }
        return try record(element, bytes)
    }

    private mutating func element(
        in bytes: Span<UInt8>,
        consumed: inout Int
    ) throws(RecordFailure) -> JSONSequenceDecoder.Element? {
        do throws(HTTPRecordError) {
            switch splitter {
            case .sequence(var texts):
                let step = try texts.decode(bytes)
                splitter = .sequence(texts)
                consumed = step.consumed
                return step.element
            case .lines(var lines):
                while true {
                    let step = try lines.decode(bytes.extracting(droppingFirst: consumed))
                    splitter = .lines(lines)
                    guard let line = step.line else { return nil }
                    let start = consumed
                    consumed += step.consumed
                    let range = start + line.lowerBound..<start + line.upperBound
                    if !Self.isBlank(bytes.extracting(range)) { return .text(range) }
                }
            }
        } catch {
            throw RecordFailure(error)
        }
    }

    private func lastElement(
        _ bytes: Span<UInt8>
    ) throws(RecordFailure) -> JSONSequenceDecoder.Element? {
        switch splitter {
        case .sequence(let texts): return texts.finish(bytes)
        case .lines(let lines):
            do throws(HTTPRecordError) {
                guard let line = try lines.finish(bytes), !Self.isBlank(bytes) else { return nil }
                return .text(line)
            } catch {
                throw RecordFailure(error)
            }
        }
    }

    private mutating func record(
        _ element: JSONSequenceDecoder.Element,
        _ bytes: Span<UInt8>
    ) throws(RecordFailure) -> Record {
        switch element {
        case .unseparated(let place):
            throw RecordFailure(skipping: .missingRecordSeparator(offset: offset + place))
        case .truncated(let range):
            throw RecordFailure(skipping: .truncatedRecord(offset: offset + range.lowerBound))
        case .text(let range):
            let text = [UInt8](copying: bytes.extracting(range))
            count += 1
            do {
                return try decode(text)
            } catch {
                throw failure(error, in: text)
            }
        }
    }

    private func failure(_ error: any Error, in text: [UInt8]) -> RecordFailure {
        let reason = DecodingErrorDescription.reason(error, in: text)
        var failure = RecordFailure(.decodingFailed(reason: "value \(count): \(reason)"))
        failure.underlying = error
        failure.record = text
        return failure
    }

    /// Returns whether a line consists of whitespace only.
    private static func isBlank(_ line: Span<UInt8>) -> Bool {
        for index in line.indices {
            switch line[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default: return false
            }
        }
        return true
    }
}
