internal import SocketTransport
internal import Wire

/// A response whose head has arrived and whose body is read as a stream.
///
/// The connection belongs to the response until the body has been read to its end. If the response
/// is dropped earlier and the rest of the body is short, the client reads it in the background, so
/// that the connection can be reused. Otherwise it closes the connection
/// (``HTTPClientConfiguration/UnreadBodyPolicy``).
public struct HTTPStreamedResponse: Sendable {
    /// The URL of the request: the last one, after redirects.
    public let url: URI

    /// The start line and field section as received, except for changes by interceptors.
    public internal(set) var head: ResponseHead

    /// The redirects that were followed, in order; usually empty.
    public internal(set) var redirects: [HTTPRedirect] = []

    /// The part that the client's cache had in the response; nil for a client without a cache.
    public internal(set) var cacheStatus: HTTPResponse.CacheStatus?

    /// The head of the request as sent; see ``HTTPResponse/request``.
    public var request: RequestHead { bodySource.request }

    /// The head of the first request of the call; ``request`` unless redirects were followed.
    public var originalRequest: RequestHead { redirects.first?.request ?? request }

    let bodySource: ResponseBodySource

    init(url: URI, source: StreamingBody) {
        self.url = url
        head = source.head
        bodySource = .streaming(source)
    }

    /// Creates a response that no server sent.
    init(buffered response: HTTPResponse, on engine: Engine, limits: WireLimits) {
        url = response.url
        head = response.head
        redirects = response.redirects
        cacheStatus = response.cacheStatus
        let buffered = ResponseBodySource.buffered(BufferedBody(response, engine, limits))
        let stages = response.storedBody == nil ? [] : response.bodyStages
        bodySource =
            stages.isEmpty ? buffered : .transformed(TransformedBody(buffered, through: stages))
    }

    /// Creates a copy with another body.
    init(_ response: HTTPStreamedResponse, body: ResponseBodySource) {
        url = response.url
        head = response.head
        redirects = response.redirects
        cacheStatus = response.cacheStatus
        bodySource = body
    }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { head.headers }

    /// The 1xx responses received before this one, in order.
    public var informational: [ResponseHead] { bodySource.informational }

    /// The responses of a proxy before this one: answered 407s, and the 2xx that opened a tunnel.
    ///
    /// It is empty on a connection that was already open.
    public var proxyHeads: [ResponseHead] { bodySource.proxyHeads }

    /// The body; it can be read once.
    public var body: HTTPBodyStream { HTTPBodyStream(bodySource) }

    /// Ends the response early and closes its connection.
    ///
    /// A read in progress on another thread or task throws `.cancelled`, or else the next read does. It has no
    /// effect after the end of the body. Dropping the response also ends it, but keeps the connection if the rest
    /// is short.
    public func cancel() { bodySource.cancel() }

    /// The trailer section after the body; nil until the body has been read to its end.
    public var trailers: HTTPHeaders? { bodySource.trailers }

    /// The times of each step, as far as the call has progressed.
    public var metrics: HTTPMetrics {
        var metrics = bodySource.metrics
        if let cacheStatus { metrics.cacheStatus = cacheStatus }
        return metrics
    }
}

extension HTTPStreamedResponse {
    /// The total number of bytes that ``body`` delivers, as announced in the head; nil if unknown.
    ///
    /// The number is unknown in these cases:
    /// - The body is chunked or ends with the connection.
    /// - The client decodes a content coding: Content-Length counts the bytes before decoding.
    /// - The body is transformed (``HTTPBodyTransformer``).
    /// - ``HTTPClientConfiguration/contentLengthPolicy`` ignores Content-Length.
    ///
    /// It is 0 if the response has no body, for example to HEAD, regardless of Content-Length.
    public var expectedContentLength: Int? {
        let source: StreamingBody
        switch bodySource {
        case .buffered(let body): return body.count
        case .streaming(let streaming): source = streaming
        case .transformed(let body):
            guard body.keepsLength else { return nil }
            return HTTPStreamedResponse(self, body: body.source).expectedContentLength
        case .part: return nil
        }
        let plan = source.attempt.plan
        if plan.head.method == .head || status == .noContent || status == .notModified { return 0 }
        let isDecoded =
            plan.decompression == .on && status != .partialContent
            && headers.contains(.contentEncoding)
        guard plan.shared.contentLengthPolicy == .trusted, !isDecoded else { return nil }
        return headers.bodyLength
    }

    /// Returns the response itself if its status is 2xx, with the body unread.
    ///
    ///     let report = try await client.stream("https://example.com/report").requireSuccess()
    ///
    /// - Parameter limit: the maximum number of bytes of an error body that the error contains
    ///   (``HTTPError/partialBody``). Default 64 KiB, enough for any page that explains the error.
    ///   They are read before the error is thrown, within the ``HTTPTimeouts``; 0 reads none.
    /// - Returns: this response.
    /// - Throws: `.rejectedStatus` for any other status; the error contains the head and the start
    ///   of the body. The rest of the body is not read.
    @discardableResult
    public func requireSuccess(
        bodyLimit limit: Int = 64 << 10
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        guard status.kind == .successful else { throw await statusError(bodyLimit: limit) }
        return self
    }

    /// Returns the error for an unexpected status, with the start of the body.
    func statusError(bodyLimit limit: Int) async -> HTTPError {
        var page: [UInt8] = []
        var body = body.makeAsyncIterator()
        // An error while reading the error body does not replace the status error.
        while page.count < limit, let chunk = try? await body.next() {
            page += chunk.prefix(limit - page.count)
        }
        return HTTPError(
            .rejectedStatus(status),
            phase: .validating,
            request: HTTPError.summary(bodySource.method, bodySource.publicURL),
            metrics: metrics,
            head: head,
            informational: informational,
            proxyHeads: proxyHeads,
            partialBody: page
        ).carrying(bodySource.coders)
    }
}

extension HTTPStreamedResponse {
    /// Writes the unread rest of the body into a file.
    ///
    ///     let report = try await client.stream("https://example.com/report").requireSuccess()
    ///     let file = try await report.write(to: "/tmp/\(report.suggestedFileName ?? "report")")
    ///
    /// The bytes go into a hidden file in the same directory, which replaces the target when it is
    /// complete. So no program ever sees an incomplete file, and an existing target stays until
    /// then. If writing fails, or the task is canceled, no file is left behind. Partial files of
    /// the same target that killed processes left behind are removed.
    ///
    /// A target that is a device, a pipe or a socket is rejected with `.fileFailed` and
    /// ``HTTPError/FileOperation/replace``.
    ///
    /// The status is not checked; see ``requireSuccess(bodyLimit:)``. Bytes of the body that were
    /// read before are not in the file. To be able to resume after a failure, download the file
    /// instead (``HTTPClient/download(_:to:options:)``).
    ///
    /// - Parameter path: the path of the file or its URL; its directory must exist.
    /// - Returns: the complete file.
    /// - Throws: any error of reading the body; `.fileFailed`.
    @discardableResult
    public func write(to path: some HTTPFilePath) async throws(HTTPError) -> HTTPDownloadedFile {
        let path = try path.httpFilePath
        // On a file thread, because neither the loop nor Swift's thread pool may block on a disk.
        let result = await onFileThread(bodySource.engine.files) { await self.written(to: path) }
        return try result.get()
    }

    /// Writes the file; call on a file thread.
    private nonisolated(nonsending) func written(
        to path: String
    ) async -> Result<HTTPDownloadedFile, HTTPError> {
        let file: OutputFile
        do throws(OutputFile.OutputError) {
            file = try OutputFile.create(beside: path)
        } catch {
            return .failure(failure(error == .notRegularFile ? .replace : .create, path, error))
        }
        OutputFile.removeLeftovers(beside: path)
        do throws(HTTPError) {
            let size = try await fill(file) { failure(.write, file.path, .system($0)) }
            do throws(OutputFile.OutputError) {
                try file.move(to: path)
            } catch {
                throw failure(error == .notRegularFile ? .replace : .rename, path, error)
            }
            return .success(
                HTTPDownloadedFile(
                    path: path,
                    size: size,
                    resumedOffset: 0,
                    head: head,
                    url: url,
                    metrics: metrics,
                    trailers: trailers ?? HTTPHeaders()
                )
            )
        } catch {
            // Report the first error, even if the file cannot be removed.
            try? file.remove()
            return .failure(error)
        }
    }

    private func failure(
        _ step: HTTPError.FileOperation,
        _ path: String,
        _ reason: OutputFile.OutputError
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: reason.description),
            phase: .body,
            metrics: metrics,
            head: head
        ).naming(bodySource.method, bodySource.publicURL)
    }
}

extension HTTPStreamedResponse {
    /// The media type in Content-Type; nil if that is missing or malformed.
    public var contentType: MediaType? { headers.contentType }

    /// The target of Location; see ``HTTPResponse/location``.
    public var location: URI? { headers.location(from: url, status) }

    /// Returns the target of a link in this response; see ``HTTPResponse/link(_:)``.
    public func link(_ relation: String) -> URI? { headers.link(relation, from: url) }

    /// A file name for this body; see ``HTTPResponse/suggestedFileName``.
    public var suggestedFileName: String? { headers.suggestedFileName(for: url) }
}

extension HTTPStreamedResponse {
    /// The deviations from RFC 9110 and RFC 9112 that were accepted so far; usually none.
    ///
    /// The deviations of the body are complete once the body has been read to its end.
    public var deviations: [HTTPResponse.Deviation] { metrics.deviations }
}
