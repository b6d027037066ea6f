public import Wire

/// A completely downloaded file.
public struct HTTPDownloadedFile: Sendable {
    /// The path of the file.
    public let path: String

    /// The size of the file in bytes.
    public let size: Int

    /// The number of bytes that an earlier call had downloaded; 0 if the download was not resumed.
    ///
    /// A download starts over if the resource has changed, or if the partial bytes are gone.
    public let resumedOffset: Int

    /// The head of the response with the last bytes.
    ///
    /// Its status is 416 if the file turned out to be complete already.
    public let head: ResponseHead

    /// The requested URL.
    public let url: URI

    /// The metrics of the call: the times of its steps, and its connections.
    public let metrics: HTTPMetrics

    /// The trailer fields after a chunked body; usually empty.
    public package(set) var trailers = HTTPHeaders()

    package init(
        path: String,
        size: Int,
        resumedOffset: Int,
        head: ResponseHead,
        url: URI,
        metrics: HTTPMetrics,
        trailers: HTTPHeaders = HTTPHeaders()
    ) {
        self.path = path
        self.size = size
        self.resumedOffset = resumedOffset
        self.head = head
        self.url = url
        self.metrics = metrics
        self.trailers = trailers
    }
}

/// A type that names a file: a path, or, with the package trait `Foundation`, a `URL`.
public protocol HTTPFilePath: Sendable {
    /// The path of the file.
    ///
    /// - Throws: `.fileFailed` if the value names no file, such as an https URL.
    var httpFilePath: String { get throws(HTTPError) }
}

extension String: HTTPFilePath {
    /// The path itself.
    public var httpFilePath: String { self }
}
