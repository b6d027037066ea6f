#if Foundation
public import FoundationEssentials

extension HTTPRequest {
    /// Writes the body of the response into the file that a URL names.
    ///
    /// All is as in ``download(to:resuming:whenFailed:in:)-(String,_,_,_)``; a URL of another scheme
    /// than `file:` throws `.fileFailed`.
    public func download(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        whenFailed remains: HTTPPartialFile = .keep,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let path = try Self.path(of: url)
        return try await client.download(self, to: path, resuming: data, whenFailed: remains)
    }

    /// Writes the body of the response into the file that a URL names while the calling thread waits.
    ///
    /// All is as in ``downloadSync(to:resuming:whenFailed:in:)-(String,_,_,_)``; a URL of another scheme
    /// than `file:` throws `.fileFailed`.
    public func downloadSync(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        whenFailed remains: HTTPPartialFile = .keep,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let path = try Self.path(of: url)
        return try client.downloadBlocking(self, to: path, resuming: data, whenFailed: remains)
    }

    /// Starts to write the body of the response into the file that a URL names, and returns the
    /// running execution.
    ///
    /// All is as in ``runDownload(to:resuming:whenFailed:in:)-(String,_,_,_)``; with a URL of another
    /// scheme than `file:` the result is `.fileFailed`.
    public func runDownload(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        whenFailed remains: HTTPPartialFile = .keep,
        in client: HTTPClient = .shared
    ) -> HTTPCall<HTTPDownloadedFile> {
        do throws(HTTPError) {
            let path = try Self.path(of: url)
            return client.runDownload(self, to: path, resuming: data, whenFailed: remains)
        } catch {
            return HTTPCall(in: client, of: self) { _ in .failure(error) }
        }
    }

    private static func path(of url: URL) throws(HTTPError) -> String {
        guard url.isFileURL else {
            let reason = "the URL leads to no file"
            let kind = HTTPError.Kind.fileFailed(path: url.absoluteString, .create, reason: reason)
            throw HTTPError(kind, phase: .preparing)
        }
        return url.path
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
