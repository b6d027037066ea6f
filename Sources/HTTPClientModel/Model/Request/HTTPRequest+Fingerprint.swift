internal import SocketTransport
internal import Wire

extension HTTPRequest {
    /// A SHA-256 digest of the request, by which equal requests can be recognized, also in another process.
    ///
    ///     let key = try await request.fingerprint.hex
    ///
    /// It covers:
    /// - the method, and the URL as written, without its fragment and without the values of its secrets
    /// - the header fields of the request, sorted by name; fields of one name keep their order. Fields with
    ///   secrets are left out, such as Authorization, Cookie and X-API-Key.
    /// - the content type and all bytes of the body, secrets included. A file is read, and a sequence that a
    ///   closure creates is created once more.
    ///
    /// It does not cover what a client adds, such as its base URL and its header fields, nor the settings of the
    /// request and trailers. A form with a random boundary has another fingerprint each time it is created.
    ///
    /// - Throws: `.invalidRequest` for a body that cannot be sent, `.bodyFailed(.notReplayable(.first))` for a body
    ///   that can be read only once, `.bodyFailed` if a file or a sequence fails, and `.systemFailure` if OpenSSL
    ///   does not provide the hash function.
    public var fingerprint: HTTPDigest {
        get async throws(HTTPError) {
            do {
                return try await RequestHash.digest(of: self)
            } catch let error as BodyError {
                throw HTTPError(
                    .bodyFailed(error.reason),
                    phase: .preparing,
                    request: publicURL,
                    underlying: error.underlying
                )
            } catch let error as HTTPError {
                throw error.naming(method, publicURL)
            } catch {
                let reason = HTTPError.BodyReason.thrown(description: "\(error)")
                throw HTTPError(.bodyFailed(reason), phase: .preparing, underlying: error)
            }
        }
    }
}

/// The digest of a request while its parts are added.
private final class RequestHash {
    private var hash: StreamingHash

    private init() throws(HTTPError) {
        guard let hash = StreamingHash(.sha256) else {
            throw HTTPError(.systemFailure(reason: "OpenSSL has no SHA-256"), phase: .preparing)
        }
        self.hash = hash
    }

    /// Reads the body away from the caller's actor, because a file can be slow.
    @concurrent static func digest(of request: HTTPRequest) async throws -> HTTPDigest {
        let result = try RequestHash()
        result.add(head: request)
        switch request.body.encoded(with: nil).content {
        case .none, .deferred: break
        case .bytes(let bytes): result.add(bytes)
        case .invalid(let reason): throw HTTPError(invalid: reason)
        case .source(let source):
            guard source.isReplayable else { throw BodyError(.notReplayable(.first)) }
            let body: SizedBody
            do throws(InvalidBodyError) {
                body = try source.sized()
            } catch {
                throw HTTPError(invalid: error.reason)
            }
            try await body.produce { result.add($0) }
        }
        guard let bytes = result.hash.finish() else {
            throw HTTPError(.systemFailure(reason: "OpenSSL has no SHA-256"), phase: .preparing)
        }
        return HTTPDigest(trusted: .sha256, bytes)
    }

    /// Adds all parts but the body, each after its length, so that the boundaries are unambiguous.
    private func add(head request: HTTPRequest) {
        let names = SecretNames.common
        let url = names.redacted(request.uri, or: request.url)
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        add(part: "HTTPRequest 1")
        add(part: request.method.rawValue)
        add(part: String(url[..<end]))
        if !request.headers.contains(.contentType), let type = request.body.contentType {
            add(part: "content-type")
            add(part: type.rawValue)
        }
        for field in request.headers.sortedByName
        where !names.isSecret(field.name, in: .field) {
            add(part: field.name.lowercasedASCII)
            add(part: names.redacted(field.value, of: FieldName(field.name)))
        }
        add(part: "")
    }

    private func add(part text: String) {
        add(Array("\(text.utf8.count) \(text)".utf8))
    }

    private func add(_ bytes: [UInt8]) {
        hash.update(bytes.span)
    }
}
