#if Foundation
public import FoundationEssentials

extension HTTPRequest {
    /// Writes the body of the response into the file that a URL names.
    ///
    /// All is as in ``download(to:resuming:onFailure:in:)-(String,_,_,_)``; a URL of another scheme
    /// than `file:` throws `.fileFailed`.
    public func download(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) async throws(HTTPError) -> HTTPDownloadedFile {
        let path = try url.filePath()
        return try await client.download(self, to: path, resuming: data, onFailure: action)
    }

    /// Writes the body of the response into the file that a URL names while the calling thread waits.
    ///
    /// All is as in ``downloadSync(to:resuming:onFailure:in:)-(String,_,_,_)``; a URL of another scheme
    /// than `file:` throws `.fileFailed`.
    public func downloadSync(
        to url: URL,
        resuming data: HTTPResumeData? = nil,
        onFailure action: HTTPDownloadFailureAction = .keepPartialFile,
        in client: HTTPClient = .shared
    ) throws(HTTPError) -> HTTPDownloadedFile {
        let path = try url.filePath()
        return try client.downloadBlocking(self, to: path, resuming: data, onFailure: action)
    }

    /// Starts to write the body of the response into the file that a URL names, and returns the
    /// running execution.
    ///
    /// All is as in ``runDownload(to:resuming:onFailure:in:)-(String,_,_,_)``; with a URL of another
    /// scheme than `file:` the result is `.fileFailed`.
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
            return HTTPCall(in: client, of: self) { _ in .failure(error) }
        }
    }
}

extension HTTPStreamedResponse {
    /// Writes what is left of the body into the file that a URL names.
    ///
    /// All is as in ``write(to:)-(String)``; a URL of another scheme than `file:` throws `.fileFailed`.
    @discardableResult
    public func write(to url: URL) async throws(HTTPError) -> HTTPDownloadedFile {
        try await write(to: try url.filePath())
    }
}

extension URL {
    fileprivate func filePath() throws(HTTPError) -> String {
        guard isFileURL else {
            let reason = "the URL leads to no file"
            let kind = HTTPError.Kind.fileFailed(path: absoluteString, .create, reason: reason)
            throw HTTPError(kind, phase: .preparing)
        }
        return path
    }
}

extension HTTPResumeData {
    /// Reads what ``data`` has formatted.
    ///
    /// - Throws: what is wrong with it.
    public init(_ data: Data) throws(HTTPResumeDataError) {
        guard let text = String(validating: data, as: UTF8.self) else { throw .notResumeData }
        try self.init(text)
    }

    /// Holds ``text``, as UTF-8.
    public var data: Data { Data(text.utf8) }
}
#endif
