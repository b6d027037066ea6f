internal import SocketTransport

/// Names a file, or a range of it, that is sent as content.
package struct BodyFile: Sendable {
    package let path: String
    /// In bytes; nil for the whole file.
    package let range: Range<Int>?

    package init(path: String, range: Range<Int>? = nil) {
        self.path = path
        self.range = range
    }

    /// Bytes in one read, and in one piece: enough that the system calls do not count.
    private static let pieceSize = 128 << 10

    /// Opens the file to see that it can be read, and tells how many bytes of it there are to send.
    func sized() throws(HTTPFileError) -> Int {
        let length: Int
        do throws(FileReader.ReadError) {
            length = try FileReader(path: path).length
        } catch {
            throw HTTPFileError(error)
        }
        guard let range else { return length }
        guard range.lowerBound >= 0, range.upperBound <= length else {
            throw .rangeOutOfBounds(length: length)
        }
        return range.count
    }

    /// Reads the file; it must still have the bytes that were announced, and no more.
    func send(_ length: Int, to channel: UploadChannel) async throws {
        do {
            let file = try FileReader(path: path)
            var offset = range?.lowerBound ?? 0
            let end = offset + length
            while offset < end {
                let count = min(Self.pieceSize, end - offset)
                let piece = try file.read(count, at: offset)
                guard !piece.isEmpty else { throw failure(.changed) }
                offset += piece.count
                try await channel.send(piece)
            }
            // The length may have been a lie from the start, as with the files of /proc.
            if range == nil, !(try file.read(1, at: end).isEmpty) { throw failure(.changed) }
        } catch let fault as FileReader.ReadError {
            throw failure(HTTPFileError(fault))
        }
    }

    private func failure(_ fault: HTTPFileError) -> BodyError {
        BodyError(.file(path, fault))
    }
}

extension HTTPFileError {
    init(_ fault: FileReader.ReadError) {
        switch fault {
        case .system(let errno):
            self = .unreadable(errno: errno.rawValue, reason: errno.description)
        case .notRegular: self = .notRegular
        }
    }
}

extension HTTPBody {
    /// A file, read while it is sent, in constant memory.
    ///
    /// When the request is sent the file is opened, so that its length is announced and what is wrong
    /// with it is said before anything goes out; a file that is on a slow disk is waited for there,
    /// by the thread that makes the call. It is opened again when its bytes are needed.
    ///
    /// - Parameters:
    ///   - path: of a regular file; relative to the process's working directory unless it begins with
    ///     a slash. A missing or unreadable one throws `.invalidRequest(.bodyFile)`. One whose length
    ///     changes while it is sent throws `.bodyFailed(.file(_, .changed))` and closes the
    ///     connection.
    ///   - range: which of its bytes; default nil: all. A range with a negative bound, or that ends behind
    ///     the file, throws `.invalidRequest(.bodyFile)`.
    ///   - contentType: default nil: by the extension of the name
    ///     (``HTTPContentType/init(fileName:)``).
    /// - Returns: a body that can be sent again.
    public static func file(
        _ path: String,
        range: Range<Int>? = nil,
        contentType: HTTPContentType? = nil
    ) -> HTTPBody {
        HTTPBody(
            content: .source(BodySource([.file(BodyFile(path: path, range: range))])),
            contentType: contentType ?? HTTPContentType(fileName: path)
        )
    }
}
