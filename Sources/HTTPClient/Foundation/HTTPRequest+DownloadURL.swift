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
