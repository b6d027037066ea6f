#if Foundation
public import FoundationEssentials

extension HTTPRequest {
    /// Sends the request and writes the response body to the file at a URL.
    ///
    /// It behaves as ``download(to:resuming:onFailure:in:)-(String,_,_,_)``. A URL with another
    /// scheme than `file:` throws `.fileFailed`.
    public func download(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let path = try url.filePath()
        return try await client.download(self, to: path, resuming: data, onFailure: action)
    }

    /// Sends the request and writes the response body to the file at a URL, blocking the calling
    /// thread.
    ///
    /// It behaves as ``downloadSync(to:resuming:onFailure:in:)-(String,_,_,_)``. A URL with another
    /// scheme than `file:` throws `.fileFailed`.
    public func downloadSync(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let path = try url.filePath()
        return try client.downloadBlocking(self, to: path, resuming: data, onFailure: action)
    }

    /// Starts downloading the response body to the file at a URL and returns the running call.
    ///
    /// It behaves as ``runDownload(to:resuming:onFailure:in:)-(String,_,_,_)``. With another scheme
    /// than `file:`, the result is `.fileFailed`.
    public func runDownload(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) -> HTTPCall<HTTPDownloadedFile> {
        do throws(HTTPError) {
            let path = try url.filePath()
            return client.runDownload(self, to: path, resuming: data, onFailure: action)
        } catch {
            return HTTPCall(in: client.core, of: self) { _ in .failure(error) }
        }
    }
}

extension HTTPStreamedResponse {
    /// Writes the rest of the body to the file at a URL.
    ///
    /// It behaves as ``write(to:)-(String)``. A URL with another scheme than `file:` throws
    /// `.fileFailed`.
    @discardableResult
    public func write(to url: URL) async throws(HTTPError) -> HTTPDownloadedFile {
        try await write(to: try url.filePath())
    }
}

extension URL {
    fileprivate func filePath() throws(HTTPError) -> String {
        guard isFileURL else {
            let reason = "the URL is not a file URL"
            let kind = HTTPError.Kind.fileFailed(path: absoluteString, .create, reason: reason)
            throw HTTPError(kind, phase: .preparing)
        }
        return path
    }
}

extension HTTPResumeData {
    /// Parses the format of ``data``.
    ///
    /// - Throws: the error in the text.
    public init(_ data: Data) throws(HTTPResumeDataError) {
        guard let text = String(validating: data, as: UTF8.self) else { throw .notResumeData }
        try self.init(text)
    }

    /// The ``text`` as UTF-8.
    public var data: Data { Data(text.utf8) }
}
#endif
