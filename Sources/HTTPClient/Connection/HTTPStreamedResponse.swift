internal import SocketTransport
internal import Wire

/// Holds the head of a response whose body is read as it comes.
///
/// The connection belongs to the response until the body has been read to its end. When the response
/// is dropped before that, a short rest is read in the background so that the connection can be used
/// again; else it is closed (``HTTPClientConfiguration/UnreadBodyPolicy``).
public struct HTTPStreamedResponse: Sendable {
    /// The URL that was asked: the last one, after redirects.
    public let url: URI

    /// The start line and field section, as received, but for what an interceptor changed.
    public internal(set) var head: ResponseHead

    /// The redirects that led here, in order; mostly none.
    public internal(set) var redirects: [HTTPRedirect] = []

    let bodySource: ResponseBodySource

    init(url: URI, source: StreamingBody) {
        self.url = url
        head = source.head
        bodySource = .streaming(source)
    }

    /// Delivers a response that no server sent.
    init(buffered response: HTTPResponse, on engine: Engine) {
        url = response.url
        head = response.head
        redirects = response.redirects
        bodySource = .buffered(BufferedBody(response, engine))
    }

    /// The status code; any status is a response, not an error.
    public var status: HTTPStatus { head.status }

    /// The field section; order, case and repeats as received.
    public var headers: HTTPHeaders { head.headers }

    /// Responses with a 1xx status that came before this one, in order.
    public var informational: [ResponseHead] {
        switch bodySource {
        case .streaming(let source): source.informational
        case .buffered(let body): body.response.informational
        }
    }

    /// What a proxy answered for this request before: 407s that were answered, and the 2xx that
    /// opened a tunnel; empty on a connection that was open already.
    public var proxyHeads: [ResponseHead] {
        switch bodySource {
        case .streaming(let source): source.proxyHeads
        case .buffered(let body): body.response.proxyHeads
        }
    }

    /// The body; single use.
    public var body: HTTPBodyStream { HTTPBodyStream(bodySource) }

    /// Fields that came after the body; nil until the body has been read to its end.
    public var trailers: HTTPHeaders? {
        switch bodySource {
        case .streaming(let source): source.trailers
        case .buffered(let body): body.response.trailers
        }
    }

    /// When each step ended, as far as the call has come.
    public var metrics: HTTPMetrics {
        switch bodySource {
        case .streaming(let source): source.metrics
        case .buffered(let body): body.response.metrics
        }
    }
}

extension HTTPStreamedResponse {
    /// How many bytes ``body`` will bring in all, as the head announces; nil when it does not.
    ///
    /// It does not for a body in chunks or to the end of the connection, for one whose content coding
    /// is undone, as Content-Length counts bytes before that, and where
    /// ``HTTPClientConfiguration/contentLengthPolicy`` has it ignored. 0 where no body belongs to the response,
    /// as to HEAD, whatever Content-Length says there.
    public var expectedContentLength: Int? {
        guard case .streaming(let source) = bodySource else { return response.body.count }
        let plan = source.call.plan
        if plan.head.method == .head || status == .noContent || status == .notModified { return 0 }
        let isDecoded = plan.decompression == .on && headers.contains(.contentEncoding)
        guard plan.contentLengthPolicy == .trusted, !isDecoded, !headers.contains(.transferEncoding)
        else { return nil }
        return headers.contentLength
    }

    /// Returns itself when the status is 2xx, with its body unread.
    ///
    ///     let report = try await client.stream("https://example.com/report").requireSuccess()
    ///
    /// - Parameter limit: bytes of the body of a refusal that the error holds
    ///   (``HTTPError/partialBody``). Default 64 KiB: enough for any page that explains itself. They
    ///   are read before the error is thrown, in the time that ``HTTPTimeouts`` allow; 0 reads none.
    /// - Returns: this response.
    /// - Throws: `.rejectedStatus` for any other status; the error holds the head and the start of the
    ///   body, and the rest of the body is not read.
    @discardableResult
    public func requireSuccess(
        bodyLimit limit: Int = 64 << 10
    ) async throws(HTTPError) -> HTTPStreamedResponse {
        guard status.kind == .successful else { throw await statusError(bodyLimit: limit) }
        return self
    }

    /// Makes the error of a status that was not wanted, with the start of the body.
    func statusError(bodyLimit limit: Int) async -> HTTPError {
        var page: [UInt8] = []
        var body = body.makeAsyncIterator()
        // What is wrong with the page does not change that the server refuses.
        while page.count < limit, let chunk = try? await body.next() {
            page += chunk.prefix(limit - page.count)
        }
        return HTTPError(
            .rejectedStatus(status),
            phase: .body,
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
    /// Writes what is left of the body into a file.
    ///
    ///     let report = try await client.stream("https://example.com/report").requireSuccess()
    ///     let file = try await report.write(to: "/tmp/\(report.suggestedFileName ?? "report")")
    ///
    /// The bytes go into a hidden file beside the target, which takes the target's place when it is
    /// complete: nobody ever sees half a file, and one that was there before stays until then. When
    /// it fails, or the task is cancelled, nothing is left. Partial files of the same target that
    /// killed processes have left behind are removed.
    ///
    /// A target that is a device, a pipe or a socket is refused: `.fileFailed` with
    /// ``HTTPFileOperation/replace``.
    ///
    /// The status does not matter; see ``requireSuccess(bodyLimit:)``. What was read of the body before
    /// is not in the file. To be able to go on after a failure, download the file instead
    /// (``HTTPClient/download(_:to:resuming:onFailure:)``).
    ///
    /// - Parameter path: where the file is to be; its directory must exist.
    /// - Returns: the file, which is complete.
    /// - Throws: what reading the body throws; `.fileFailed`.
    @discardableResult
    public func write(to path: String) async throws(HTTPError) -> HTTPDownloadedFile {
        // On the thread for files: the loop must not wait for a disk, nor one of Swift's pool.
        let result = await onLoop(bodySource.engine.files) { await self.written(to: path) }
        return try result.get()
    }

    /// On the thread for files.
    private nonisolated(nonsending) func written(
        to path: String
    ) async -> Result<HTTPDownloadedFile, HTTPError> {
        let file: OutputFile
        do throws(OutputFile.OutputError) {
            file = try OutputFile.create(beside: path)
        } catch {
            return .failure(fault(error == .notRegularFile ? .replace : .create, path, error))
        }
        OutputFile.removeLeftovers(beside: path)
        do throws(HTTPError) {
            let size = try await fill(file)
            do throws(OutputFile.OutputError) {
                try file.move(to: path)
            } catch {
                throw fault(error == .notRegularFile ? .replace : .rename, path, error)
            }
            return .success(
                HTTPDownloadedFile(
                    path: path,
                    size: size,
                    resumedOffset: 0,
                    head: head,
                    url: url,
                    metrics: metrics
                )
            )
        } catch {
            // The first fault is the one to tell; that a file is left behind follows from it.
            try? file.remove()
            return .failure(error)
        }
    }

    private nonisolated(nonsending) func fill(_ file: OutputFile) async throws(HTTPError) -> Int {
        var size = 0
        var body = body.makeAsyncIterator()
        while let chunk = try await body.next() {
            do throws(Errno) {
                try file.write(chunk, at: size)
            } catch {
                throw fault(.write, file.path, .system(error))
            }
            size += chunk.count
        }
        return size
    }

    private func fault(
        _ step: HTTPFileOperation,
        _ path: String,
        _ fault: OutputFile.OutputError
    ) -> HTTPError {
        HTTPError(
            .fileFailed(path: path, step, reason: fault.description),
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
    /// Deviations of the body are complete once the body has been read to its end.
    public var deviations: [HTTPDeviation] { metrics.deviations }
}
