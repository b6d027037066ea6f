/// Frames a body on its way out, and keeps it to the length that was promised (RFC 9112 §6, §7.1).
///
/// For each piece: ``begin(_:into:)``, then write the bytes themselves, then ``end(into:)``; at
/// last ``finish(trailers:into:)``. The bytes are not copied.
public struct BodyEncoder: Sendable {
    private let framing: BodyFraming
    /// Bytes of body so far.
    public private(set) var sent = 0
    /// Says that a piece was begun that is not empty.
    private var isInPiece = false

    /// Creates an encoder for a body that the head announced so.
    public init(_ framing: BodyFraming) {
        self.framing = framing
    }

    /// Appends what precedes a piece of `count` bytes.
    ///
    /// - Throws: `.bodyTooLong` when there is no room for them; nothing may be written then.
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

    /// Appends what follows a piece; nothing after an empty one.
    public func end(into output: inout [UInt8]) {
        if framing == .chunked, isInPiece { ChunkedEncoder.appendSuffix(to: &output) }
    }

    /// Appends what ends the body.
    ///
    /// - Parameters:
    ///   - trailers: empty unless the body is chunked.
    ///   - output: untouched when an error is thrown.
    /// - Throws: `.bodyTooShort`, `.trailersWithoutChunks`, or what the trailers break.
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
