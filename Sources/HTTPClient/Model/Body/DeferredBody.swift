internal import SocketTransport

/// Content that is encoded when it is sent, with the coders of the client that sends it.
///
/// The encoded bytes are kept: a retry or redirect sends the same ones again.
final class DeferredBody: Sendable {
    /// The coders of a client; nil for coders without settings.
    typealias Coders = any AnyObject & Sendable

    /// Encoded content and the coders that encoded it.
    private struct Encoded: Sendable {
        let coders: Coders?
        let content: HTTPBody.Content
    }

    private let encode: @Sendable (Coders?) -> HTTPBody.Content
    private let encoded = Locked<[Encoded]>([])

    init(_ encode: @escaping @Sendable (Coders?) -> HTTPBody.Content) {
        self.encode = encode
    }

    /// Returns `.bytes`, or `.invalid` when the value cannot be encoded.
    func content(_ coders: Coders?) -> HTTPBody.Content {
        if let known = known(coders) { return known }
        // The lock is not held here, because `encode` runs code of the caller.
        let content = encode(coders)
        return encoded.withLock { encoded in
            if let known = encoded.first(where: { $0.coders === coders }) { return known.content }
            encoded.append(Encoded(coders: coders, content: content))
            return content
        }
    }

    private func known(_ coders: Coders?) -> HTTPBody.Content? {
        encoded.withLock { $0.first { $0.coders === coders }?.content }
    }
}

extension HTTPBody {
    /// Returns the body with its content encoded, if it is not encoded yet.
    func encoded(with coders: DeferredBody.Coders?) -> HTTPBody {
        guard case .deferred(let body) = content else { return self }
        return HTTPBody(content: body.content(coders), contentType: contentType)
    }
}

extension HTTPRequest {
    /// Encodes the content with the coders of a client, if it is not encoded yet.
    mutating func encodeBody(with coders: DeferredBody.Coders?) {
        guard case .deferred = body.content else { return }
        body = body.encoded(with: coders)
    }
}
