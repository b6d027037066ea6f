internal import Wire

extension HTTPStreamedResponse {
    /// How many bytes ``body`` will bring in all, as the head announces; nil when it does not.
    ///
    /// It does not for a body in chunks or to the end of the connection, for one whose content coding
    /// is undone, as Content-Length counts bytes before that, and where
    /// ``HTTPClient/Configuration/contentLengthPolicy`` has it ignored. 0 where no body belongs to the response,
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
