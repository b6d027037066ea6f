#if Foundation
public import FoundationEssentials

extension HTTPRequest {
    /// Sends the request and writes the body of the response into a file.
    ///
    /// - Parameters:
    ///   - url: where the file is to be, a `file:` URL; its folder must exist.
    ///   - data: what to go on with; must be of the same URL. Default nil: from the start.
    ///   - remains: what becomes of the octets when the call fails. Default ``HTTPPartialFile/keep``.
    ///   - client: default ``HTTPClient/shared``.
    /// - Returns: the file, which is complete.
    /// - Throws: as ``HTTPClient/download(_:to:resuming:whenFailed:)``; `.fileFailed` for a URL of
    ///   another scheme.
    public func download(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        whenFailed remains: HTTPPartialFile = .keep,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        guard url.isFileURL else {
            let reason = "the URL leads to no file"
            let kind = HTTPError.Kind.fileFailed(path: url.absoluteString, .create, reason: reason)
            throw HTTPError(kind, phase: .preparing)
        }
        return try await client.download(self, to: url.path, resuming: data, whenFailed: remains)
    }
}

extension HTTPResumeData {
    /// Reads what ``data`` has formatted.
    ///
    /// - Throws: what is wrong with it.
    public init(_ data: Data) throws(ResumeFault) {
        guard let text = String(validating: data, as: UTF8.self) else { throw .foreign }
        try self.init(text)
    }

    /// Holds ``text``, as UTF-8.
    public var data: Data { Data(text.utf8) }
}
#endif
