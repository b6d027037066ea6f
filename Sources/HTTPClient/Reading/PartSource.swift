internal import Wire

/// The parts in a multipart body.
///
/// It also reads the content of the current part, which ends when the next part is requested.
final class PartSource: RecordSource, @unchecked Sendable {
    // `@unchecked Sendable`: only an admitted read, of parts or of content, uses the variables.
    let source: ResponseBodySource
    let admission = ReadAdmission()
    private var stage: Stage
    /// The number of parts that have begun, so that a part knows whether it is the current one.
    private var partCount = 0
    /// The received bytes; those before `position` are consumed.
    private var buffer: [UInt8] = []
    private var position = 0

    private enum Stage {
        /// The parts cannot be read for this reason, which is not thrown yet.
        case invalid(HTTPRecordError)
        case between(MultipartDecoder)
        case inPart(MultipartDecoder)
        /// After the last part, with the number of bytes of the epilogue that may still be read.
        case epilogue(rest: Int)
        case ended
    }

    /// The number of bytes after the last part that are read and discarded: those of a usual epilogue.
    private static let maxEpilogueLength = 64 << 10

    init(_ source: ResponseBodySource, _ decoder: Result<MultipartDecoder, HTTPRecordError>) {
        self.source = source
        switch decoder {
        case .success(let decoder): stage = .between(decoder)
        case .failure(let error): stage = .invalid(error)
        }
    }

    var engine: Engine { source.engine }
    var request: (method: HTTPMethod, url: String) { (source.method, source.publicURL) }

    /// Adds the next part; never more, because a part ends the one before it.
    func parse(into parts: inout [HTTPPart]) throws(HTTPError) {
        while true {
            switch try nextEvent() {
            case .needMore, .end: return
            // The rest of a part that the caller has not read.
            case .content, .partEnd: continue
            case .part(let headers):
                partCount += 1
                parts.append(HTTPPart(headers: headers, source: PartBody(self, number: partCount)))
                return
            }
        }
    }

    func fill() async throws(HTTPError) -> Bool {
        if case .epilogue(let rest) = stage { try await discardEpilogue(rest) }
        guard let decoder else { return false }
        let chunk: [UInt8]
        do throws(HTTPError) {
            chunk = try await source.next()
        } catch {
            end()
            throw error
        }
        if chunk.isEmpty {
            guard let error = decoder.endError else {
                end()
                return false
            }
            throw failure(.malformedMultipart(error))
        }
        buffer.removeSubrange(..<position)
        buffer += chunk
        position = 0
        return true
    }

    /// Reads the body to its end, so that it is verified, its trailers are known, and its connection is free.
    ///
    /// RFC 2046 §5.1.1: a recipient ignores the epilogue.
    private func discardEpilogue(_ limit: Int) async throws(HTTPError) {
        defer { end() }
        // A digest is that of the whole body.
        let isVerified = if case .transformed = source { true } else { false }
        let headers = source.head.headers
        // A body that ends with its connection has neither trailers nor a connection for others.
        guard isVerified || headers.contains(.contentLength) || headers.contains(.transferEncoding)
        else { return }
        var rest = limit
        while isVerified || rest > 0 {
            let chunk = try await source.next()
            if chunk.isEmpty { return }
            rest -= chunk.count
        }
    }

    func cancel() { source.cancel() }

    /// Returns the next content of a part; empty at its end.
    ///
    /// - Throws: `.invalidRequest(.skippedPart)` if a later part was requested; the errors of the body.
    func content(ofPart number: Int) async throws(HTTPError) -> [UInt8] {
        try admission.begin(request)
        defer { admission.end() }
        guard number == partCount else { throw source.error(.invalidRequest(.skippedPart)) }
        while true {
            guard case .inPart = stage else { return [] }
            if case .content(let bytes) = try nextEvent() { return bytes }
            guard case .inPart = stage else { return [] }
            guard try await fill() else { return [] }
        }
    }

    // MARK: - Decoding

    /// An event with its bytes.
    private enum Event {
        case needMore
        case part(HTTPHeaders)
        case content([UInt8])
        case partEnd
        case end
    }

    private var decoder: MultipartDecoder? {
        switch stage {
        case .between(let decoder), .inPart(let decoder): decoder
        case .invalid, .epilogue, .ended: nil
        }
    }

    private func nextEvent() throws(HTTPError) -> Event {
        if case .invalid(let error) = stage { throw failure(error) }
        guard var decoder else { return .end }
        let step: MultipartDecoder.Step
        do throws(MultipartError) {
            step = try Self.decode(&decoder, buffer, from: position)
        } catch {
            throw failure(.malformedMultipart(error))
        }
        let start = position
        position += step.consumed
        switch step.event {
        case .needMore:
            if case .inPart = stage { stage = .inPart(decoder) } else { stage = .between(decoder) }
            return .needMore
        case .part(let headers):
            stage = .inPart(decoder)
            return .part(headers)
        case .content(let range):
            stage = .inPart(decoder)
            return .content(Array(buffer[start + range.lowerBound..<start + range.upperBound]))
        case .partEnd:
            stage = .between(decoder)
            return .partEnd
        case .end:
            // The decoder consumes what follows the last delimiter.
            let rest = Self.maxEpilogueLength - (buffer.count - start)
            end()
            stage = .epilogue(rest: rest)
            return .end
        }
    }

    private static func decode(
        _ decoder: inout MultipartDecoder,
        _ buffer: [UInt8],
        from position: Int
    ) throws(MultipartError) -> MultipartDecoder.Step {
        try decoder.decode(buffer.span.extracting(droppingFirst: position))
    }

    /// Ends the body, and returns the error of the read.
    private func failure(_ error: HTTPRecordError) -> HTTPError {
        end()
        source.cancel()
        return source.error(.recordFailed(error))
    }

    private func end() {
        stage = .ended
        buffer = []
        position = 0
    }
}

/// The content of a part.
final class PartBody: Sendable {
    let parts: PartSource
    private let number: Int

    init(_ parts: PartSource, number: Int) {
        self.parts = parts
        self.number = number
    }

    /// Returns the next bytes; empty at the end of the part.
    func next() async throws(HTTPError) -> [UInt8] {
        try await parts.content(ofPart: number)
    }
}
