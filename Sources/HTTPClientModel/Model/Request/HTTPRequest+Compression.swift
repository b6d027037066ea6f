internal import SocketTransport
internal import Wire

extension HTTPRequest {
    /// A content coding that the client applies to the body of a request (RFC 9110 §8.4).
    ///
    ///     try await client.send(HTTPRequest("https://example.com/logs", method: .post)
    ///         .body(.json(entries))
    ///         .compressed())
    ///
    /// The server must accept the coding; HTTP has no way to ask before the first request. A server that
    /// does not accept it answers 415 (Unsupported Media Type).
    ///
    /// A body in memory is compressed as a whole and sent with Content-Length. If it does not become
    /// shorter, it is sent as it is. A streamed body is compressed while it is sent, in chunks; the
    /// compressor keeps up to some 100 KiB until more input or the end follows. Retries and redirects
    /// compress the body again, so it stays as replayable as before.
    ///
    /// A body of less than 1 KiB is sent as it is, because it hardly becomes shorter. The client adds
    /// nothing either if the request has Content-Encoding, or a digest of the body (Content-Digest or Repr-Digest), which
    /// covers coded bytes (RFC 9530 §2, §3).
    @nonexhaustive public enum Compression: Sendable, Hashable {
        /// gzip (RFC 1952), by zlib at its default level.
        case gzip

        /// The minimum length in bytes of a body that is compressed.
        static let minLength = 1024
    }
}

extension HTTPRequest {
    /// The content coding that the client applies to the body; nil sends the body as it is.
    ///
    /// ``HTTPRequest/Compression`` describes which bodies are compressed.
    public var compression: Compression? {
        get { optionsBox?.settings.compression }
        set { options.compression = newValue }
    }

    /// Whether the body may be compressed, as far as the header fields show.
    package func mayCompress(_ common: HTTPHeaders) -> Bool {
        guard compression != nil else { return false }
        return ([FieldName.contentEncoding] + DigestFields.all).allSatisfy {
            !headers.contains($0) && !common.contains($0)
        }
    }

    /// Returns the request with a compressed body and its Content-Encoding.
    ///
    /// A body that cannot be sent stays as it is, so that sending it throws the usual error.
    ///
    /// - Parameter gzip: compresses bytes; nil if they are to be sent as they are.
    /// - Returns: the request to send.
    package func compressingBody(by gzip: ([UInt8]) -> [UInt8]?) -> HTTPRequest {
        var request = self
        switch body.content {
        case .none, .invalid, .deferred: return self
        case .bytes(let bytes):
            guard bytes.count >= Compression.minLength, let coded = gzip(bytes),
                coded.count < bytes.count
            else { return self }
            request.body = HTTPBody(content: .bytes(coded), contentType: body.contentType)
        case .source(let source):
            // A digest in a trailer covers coded bytes too.
            guard source.isReadyToSend, let sized = try? source.sized(),
                sized.length ?? .max >= Compression.minLength,
                source.trailers?.names.contains(where: DigestFields.all.contains) != true
            else { return self }
            request.body = HTTPBody(
                content: .source(
                    BodySource(
                        [.stream(BodyStream(compressing: source))],
                        trailers: source.trailers
                    )
                ),
                contentType: body.contentType
            )
        }
        request.headers.append(.contentEncoding, "gzip")
        return request
    }
}

extension HTTPRequestProtocol {
    /// Returns a copy whose body is compressed when it is sent; see ``HTTPRequest/Compression``.
    public func compressed(_ coding: HTTPRequest.Compression = .gzip) -> Self {
        with { $0.compression = coding }
    }
}

extension BodyStream {
    /// Creates content that compresses another one while it is sent.
    fileprivate convenience init(compressing source: BodySource) {
        self.init(length: nil, replay: source.isReplayable ? .repeatable : .once) { send in
            let body: SizedBody
            do throws(InvalidBodyError) {
                body = try source.sized()
            } catch {
                throw BodyError(.thrown(description: error.reason.description))
            }
            guard body.begin() else { throw BodyError(.notReplayable(.first)) }
            let compressor = try Compressor()
            try await body.produce { piece in
                let coded = compressor.deflate(piece, .more)
                if !coded.isEmpty { try await send(coded) }
            }
            try await send(compressor.deflate([], .end))
        }
    }
}

/// A gzip encoder that an async function can use.
///
/// A local variable of a noncopyable type in an async function makes the debug compiler run endlessly.
private final class Compressor {
    private var deflater: Deflater

    init() throws(BodyError) {
        guard let deflater = Deflater() else {
            throw BodyError(.thrown(description: "no memory for gzip"))
        }
        self.deflater = deflater
    }

    func deflate(_ bytes: [UInt8], _ continuation: Deflater.Continuation) -> [UInt8] {
        var output: [UInt8] = []
        deflater.deflate(bytes.span, into: &output, continuation)
        return output
    }
}
