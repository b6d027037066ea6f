/// An encoder that frames a body and enforces its declared length (RFC 9112 §6, §7.1).
///
/// For each piece, call ``begin(_:into:)``, write the bytes, then call ``end(into:)``. After the
/// last piece, call ``finish(trailers:into:)``. The encoder does not copy the content.
public struct BodyEncoder: Sendable {
    private let framing: BodyFraming
    /// The body bytes so far.
    public private(set) var sent = 0
    /// Whether a non-empty piece has begun.
    private var isInPiece = false

    /// Creates an encoder for a body with the framing that the head declares.
    public init(_ framing: BodyFraming) {
        self.framing = framing
    }

    /// Appends the bytes that precede a piece of `count` bytes.
    ///
    /// - Throws: `.bodyTooLong` if the piece exceeds the declared length. The caller must not write
    ///   it.
    public mutating func begin(_ count: Int, into output: inout [UInt8]) throws(WireError) {
        let (total, overflow) = sent.addingReportingOverflow(max(count, 0))
        switch framing {
        case .noBody where total > 0 || overflow: throw .bodyTooLong(declared: 0)
        case .length(let declared) where total > declared || overflow:
            throw .bodyTooLong(declared: declared)
        case .chunked: ChunkedEncoder.appendPrefix(of: count, to: &output)
        case .noBody, .length, .untilClose: break
        }
        sent = total
        isInPiece = count > 0
    }

    /// Appends the bytes that follow a piece; nothing after an empty piece.
    public func end(into output: inout [UInt8]) {
        if framing == .chunked, isInPiece { ChunkedEncoder.appendSuffix(to: &output) }
    }

    /// Appends the bytes that end the body.
    ///
    /// - Parameters:
    ///   - trailers: must be empty unless the body is chunked.
    ///   - output: unchanged if an error is thrown.
    /// - Throws: `.bodyTooShort`, `.trailersWithoutChunks`, or an error about the trailers.
    public func finish(
        trailers: HTTPHeaders = [:],
        into output: inout [UInt8]
    ) throws(WireError) {
        if case .length(let declared) = framing, sent < declared {
            throw .bodyTooShort(declared: declared, sent: sent)
        }
        guard framing == .chunked else {
            guard trailers.isEmpty else { throw .trailersWithoutChunks }
            return
        }
        try ChunkedEncoder.encodeEnd(trailers: trailers, into: &output)
    }
}
